/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: C and OpenCL C.
 *
 * Sums of weighed values over `part`, the sum of their alphas; where that is 0, the value itself, which then stays. */
static inline float
unsharp_blurred (float sum, float part, float value)
{
  return part != 0.0f ? sum / part : value;
}

/* The unsharp mask of one value: what is left of its difference from the blurred one above the
 * threshold, times amount, is added.  A difference that is NaN leaves the value as it is. */
static inline float
unsharp_sharpened (float value, float blurred, float amount, float threshold)
{
  float difference = value - blurred;
  float excess = difference > 0.0f ? difference - threshold : difference + threshold;

  return tessera_abs (difference) > threshold ? value + amount * excess : value;
}
