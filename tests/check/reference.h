/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Plain double-precision definitions of the filters, written from their
 * specification and the papers only, never from the code under test.
 *
 * Every reference computes the rectangle (x, y, width, height), relative to the
 * origin of the image, into `out` (4 components a pixel, rows contiguous).
 * Beside each result component it states how well a float implementation can
 * be expected to meet it:
 *   |result - out| <= tolerance * scale + slack
 * scale: the largest magnitude that enters the sum; slack: an absolute term
 * where the definition itself is discontinuous or ill-conditioned in float
 * (INFINITY where either of two answers is right).  NaN in `out` means that the
 * result must be NaN; an infinite `out` with finite slack must be met exactly.
 */
#ifndef REFERENCE_H
#define REFERENCE_H

typedef enum { REF_CLAMP, REF_NONE, REF_LOOP } RefBorder;

/* 4 components a pixel, width * height pixels, rows contiguous.  error: how far,
 * relative to themselves, the values that the filter reads may be from these (0
 * where nothing converts them on the way). */
typedef struct
{
  int           width, height;
  const double *pixels;
  double        error;
} RefImage;

typedef struct
{
  int     x, y, width, height;
  double *out, *scale, *slack;
} RefResult;

/* image: premultiplied RGBA */
void reference_motion_blur (const RefImage *image, double length, double angle,
                            RefBorder border, RefResult *result);

/* image: straight RGBA; aux: straight RGBA of the same size or NULL; weights:
 * luminance weights of R, G, B; luminance: the guide is the luminance (implied by aux) */
void reference_bilateral_grid (const RefImage *image, const RefImage *aux,
                               double spatial_sigma, double range_sigma, int luminance,
                               const double weights[3], RefResult *result);

/* image: straight RGBA.  3x3 binomial [1 2 1]/4 along x and y of R, G, B, mixed with the image:
 * out = image + strength (blurred - image); alpha copied; border clamp */
void reference_template (const RefImage *image, double strength, RefResult *result);

#endif
