/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: C and OpenCL C.
 *
 * A blurred value: the sum of the weighed values over `part`, the sum of their alphas.  If that is 0, `value`, which
 * unsharp_sharpened then leaves as it is. */
static inline float
unsharp_blurred (float sum, float part, float value)
{
  return part != 0.0f ? sum / part : value;
}

/* The unsharp mask of one value.  Its difference from the blurred value, less the threshold, times amount, is added
 * to it.  A smaller difference, or NaN, leaves the value as it is. */
static inline float
unsharp_sharpened (float value, float blurred, float amount, float threshold)
{
  float difference = value - blurred;
  float excess = difference > 0.0f ? difference - threshold : difference + threshold;

  return tessera_abs (difference) > threshold ? value + amount * excess : value;
}
