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

#endif
