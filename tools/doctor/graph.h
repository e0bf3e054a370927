/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * One filter in a real GEGL graph, for the parts that run filters.
 */
#ifndef TESSERA_DOCTOR_GRAPH_H
#define TESSERA_DOCTOR_GRAPH_H

#include <gegl.h>

#include "tessera-control.h"

/* buffer -> filter -> buffer */
typedef struct
{
  GeglNode   *graph, *source, *filter;
  GeglBuffer *input, *output;
  gint        width, height;
  gboolean    has_opencl;
} FilterGraph;

/* A filter's settings: at most one enum property that is not its default. */
typedef struct
{
  const gchar *property;        /* NULL: all defaults */
  gint         value;
  gchar       *text;            /* "guide=luminance" or "" */
} FilterVariant;

/* Tessera's operations that GEGL found, without the template, which nobody installs; g_strfreev them. */
gchar     **graph_operations (void);

/* The variants of an operation: defaults, then each other value of each enum. */
GArray     *graph_variants   (const gchar *operation);

void        graph_open       (FilterGraph *self, const gchar *operation, const FilterVariant *variant,
                              gint width, gint height);

/* The filter's own format for a pad ("input", "output") if that is float, else RGBA float. */
const Babl *graph_format     (FilterGraph *self, const gchar *pad);

/* The input, width x height pixels of `format`. */
void        graph_set_input  (FilterGraph *self, const Babl *format, const gfloat *pixels);

/* Computes into a new output buffer. */
void        graph_run        (FilterGraph *self, const Babl *format);
void        graph_close      (FilterGraph *self);

#endif
