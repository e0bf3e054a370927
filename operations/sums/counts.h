/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A picture as counts: grey in its own model but without its tone curve, or the luminance of its colours, times 65535.  GEGL's loaders tag numbers
 * of a camera with a curve that the camera did not apply. */
#ifndef COUNTS_H
#define COUNTS_H

#include <gegl.h>

#include "count-plane.h"

/* The format of floats that are read, for a picture of `format`. */
const Babl *counts_format     (const Babl *format);
/* A pixel at or above it is full; INFINITY: the picture's numbers have no end. */
gfloat      counts_saturation (const Babl *format);
/* All of `bounds`; the plane has its size.  What was a whole number of 16 bits is one again. */
void        counts_read       (GeglBuffer *buffer, const GeglRectangle *bounds, CountPlane *plane);

#endif
