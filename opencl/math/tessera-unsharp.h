/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: C and OpenCL C.
 *
 * The unsharp mask of one value: what is left of its difference from the blurred one above the
 * threshold, times amount, is added.  A difference that is NaN leaves the value as it is. */
static inline float
unsharp_sharpened (float value, float blurred, float amount, float threshold)
{
  float difference = value - blurred;
  float excess = difference > 0.0f ? difference - threshold : difference + threshold;

  return tessera_abs (difference) > threshold ? value + amount * excess : value;
}
