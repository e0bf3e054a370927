/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A picture in the frame of another one.
 *
 * R. G. Keys, Cubic Convolution Interpolation for Digital Image Processing, IEEE Transactions on Acoustics, Speech, and
 * Signal Processing 29, 1981 (a = -1/2).
 *
 * A result pixel is the cubic of the 4 x 4 pixels around the place that the matrix maps to it, in light that alpha has
 * weighed.  Beyond its edge the picture goes on with its nearest pixels, so that its edge does not ring, and fades to
 * transparent within one of its pixels.  Alpha is at most 1.
 *
 * Where the picture becomes smaller by a factor s, it is first softened by a Gaussian of 0.5 sqrt (1 / s^2 - 1) of its
 * pixels.  s is the root of the area's factor.  It is taken once for each square of SQUARE x SQUARE result pixels, at its centre:
 * for a similarity or an affine transform it is everywhere the same.  Squares are counted from the origin of the result's
 * coordinates, so that a pixel does not depend on the region, the threads or the tiles.
 */
#ifndef RESAMPLE_H
#define RESAMPLE_H

#include "tessera.h"

typedef struct
{
  gdouble matrix[9];            /* places of the input -> of the result; pixel centres are at integers */
  gdouble inverse[9];
} Resample;

/* FALSE: the matrix has no inverse. */
gboolean resample_init (Resample *resample, const gdouble matrix[9]);

/* A TesseraFilter without kernels.  The request's params are a Resample, its formats RaGaBaA float of linear light. */
extern const TesseraFilter resample_filter;

#endif
