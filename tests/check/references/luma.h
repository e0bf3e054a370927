/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Y', the sRGB curve of w . linear RGB of an R'G'B' pixel, and how far a float's may be from it: 4e-6 of itself, and 8 u of the
 * sum's terms. */
#ifndef LUMA_H
#define LUMA_H

#include "srgb.h"

#include <float.h>
#include <math.h>

#define LUMA_DENORMAL    1e-37
#define LUMA_OVERFLOW    (FLT_MAX / 4.0)
#define LUMINANCE_ERROR  4e-6
#define SUM_ERROR        (8.0 * 0x1p-24)
#define DECODE_GROWTH    2.4            /* relative slope of the inverse sRGB curve, at most */

typedef struct
{
  double value, deviation;
  int    overflows;             /* linear light of a finite component may be no float */
} Luma;

/* input_error: of the components, relative to themselves. */
static inline Luma
luma_of (const double *pixel, const double weights[3], double input_error)
{
  Luma   luma = { 0.0, 0.0, 0 };
  double linear = 0.0, sum = 0.0, ratio;

  for (int c = 0; c < 3; c++)
    {
      double component = srgb_to_linear (pixel[c]);

      linear += weights[c] * component;
      sum += weights[c] * fabs (component);
      luma.overflows |= isfinite (pixel[c]) && fabs (component) > LUMA_OVERFLOW;
    }
  luma.value = linear_to_srgb (linear);
  if (!isfinite (luma.value) || sum == 0.0)
    return luma;
  ratio = linear != 0.0 ? fabs (luma.value / linear) : 12.92;
  luma.deviation = LUMINANCE_ERROR * fabs (luma.value) + 12.92 * LUMA_DENORMAL
                   + (SUM_ERROR + DECODE_GROWTH * input_error) * sum * ratio;
  return luma;
}

#endif
