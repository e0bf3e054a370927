/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A picture in the frame of another one.
 *
 * C. E. Duchon, Lanczos Filtering in One and Two Dimensions, Journal of Applied Meteorology 18, 1979.
 *
 * A result pixel is the sum of the 6 x 6 pixels around the place that the matrix maps to it, in light that alpha has weighed.  The
 * weights are sinc (t) sinc (t / 3) of the distance t along each side, divided by their sum.  At whole pixels the result is the pixel
 * itself.  Beyond its edge the picture goes on with its nearest pixels, so that its edge does not ring, and fades to transparent
 * within one of its pixels.  Alpha is at most 1.
 *
 * Why not a cubic: Keys' (a = -1/2) lets 0.94, 0.81 and 0.61 through at 0.25, 0.35 and 0.45 cycles a pixel, this kernel 1.01,
 * 0.93 and 0.68.  The mean of eight turned frames of a sharp photograph (tests/align/sharpness.c) keeps 82 % of the gradient energy
 * of one frame with the cubic, 86 to 90 % with Keys' kernel of six pixels, Lagrange's, or the cubic spline, and 93 % with this.
 * The price is that it overshoots more beside a sharp edge: by 12 % of its height, the cubic by 7 %.
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

/* What a picture with these bounds covers of the result: around it each pixel is transparent.  FALSE: there is none, because the
 * horizon crosses the picture; or it is empty, or has 2^31 pixels and more. */
gboolean resample_box  (const Resample *resample, const GeglRectangle *bounds, GeglRectangle *box);

/* A TesseraFilter without kernels.  The request's params are a Resample, its formats RaGaBaA float of linear light. */
extern const TesseraFilter resample_filter;

/* What that filter makes of some of the result's pixels, in rows of rect->width: for those who do not want a buffer of them.  Several
 * threads may call it. */
void resample_pixels (const TesseraRequest *request, const GeglRectangle *rect, gfloat *pixels);

#endif
