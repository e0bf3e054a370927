/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The formats that the device converts itself.
 */
#ifndef TESSERA_FORMATS_H
#define TESSERA_FORMATS_H

#include "tessera.h"

/* How pixels travel between a buffer and a device image. */
typedef struct
{
  const Babl *format;           /* of the pixels that travel */
  gsize       bytes;            /* of one of them */
  gboolean    converts;         /* on the device; else the format is the image's own */
  gint        stored, working;  /* layouts (opencl/math/tessera-convert.h) where it converts */
  gfloat      weights[3];       /* luminance of the space, where `stored` is grey */
  const gfloat *table;          /* of integers (opencl/kernels/engine.cl); kept for the process */
  gsize       table_bytes;
  gint        alphas;           /* where in it alpha's part begins */
} TesseraTravel;

/* Between a buffer of `stored` and a device image of `working` (float components).
 * Where the device cannot convert, babl does on the host.  The second adds the
 * table that decoding (or encoding) needs. */
TesseraTravel tessera_travel        (const Babl *stored, const Babl *working);
TesseraTravel tessera_travel_tables (const Babl *stored, const Babl *working, gboolean encodes);

/* tables.c: the table of integers; it is kept for the process. */
gint          tessera_code_count (gint stored);
const gfloat *tessera_code_table (gint stored, gint working, gboolean encodes);

/* The same conversions on the host, for the C path; babl makes something else of
 * floats for each length of a run, and strays in HDR. */
void     tessera_decode (const TesseraTravel *travel, gconstpointer stored, gfloat *working, gsize n);
void     tessera_encode (const TesseraTravel *travel, const gfloat *working, gpointer stored, gsize n);
/* Where both have four floats. */
void     tessera_convert_in_place (gint from, gint to, gfloat *pixels, gsize n);

#endif
