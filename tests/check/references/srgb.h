/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The curve of sRGB (IEC 61966-2-1) in double, continued linearly below 0, and its slopes.
 */
#ifndef REFERENCES_SRGB_H
#define REFERENCES_SRGB_H

#include <math.h>

static inline double
srgb_to_linear (double v)
{
  return v > 0.04045 ? pow ((v + 0.055) / 1.055, 2.4) : v / 12.92;
}

static inline double
linear_to_srgb (double v)
{
  return v > 0.0031308 ? 1.055 * pow (v, 1.0 / 2.4) - 0.055 : 12.92 * v;
}

/* Not increasing in v. */
static inline double
linear_to_srgb_slope (double v)
{
  return v > 0.0031308 ? 1.055 / 2.4 * pow (v, 1.0 / 2.4 - 1.0) : 12.92;
}

#endif
