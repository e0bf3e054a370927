/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The formats that the device converts itself.
 */
#ifndef TESSERA_FORMATS_H
#define TESSERA_FORMATS_H

#include "tessera.h"

#include "tables.h"

/* How pixels travel between a buffer and a device image. */
typedef struct
{
  const Babl *format;           /* of the pixels that travel */
  gsize       bytes;            /* of one of them */
  gboolean    converts;         /* on the device; FALSE: the format is the image's own */
  gint        stored, working;  /* layouts (opencl/math/tessera-convert.h), if it converts */
  gfloat      weights[3];       /* luminance of the space, if `stored` is grey */
  const gfloat *table;          /* for integers (opencl/kernels/engine.cl); kept for the process */
  gsize       table_bytes;
  gint        alphas;           /* where alpha's part of the table begins */
  const TesseraCodeWords *words;        /* the same for the host, or NULL */
} TesseraTravel;

/* Between a buffer of `stored` and a device image of `working` (float components).  If the device
 * cannot convert, babl does so on the host.  The second function adds the table for decoding or encoding. */
TesseraTravel tessera_travel        (const Babl *stored, const Babl *working);
TesseraTravel tessera_travel_tables (const Babl *stored, const Babl *working, gboolean encodes);

/* The stored formats that are converted, "RGBA u8" and so on, one after another; NULL behind the last. */
gchar        *tessera_stored_format (guint i);

#endif
