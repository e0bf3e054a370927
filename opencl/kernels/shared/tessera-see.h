/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: OpenCL C.  The luminance of a picture as it is seen (operations/sums/perceived.h).  Needs tessera-convert.h,
 * tessera-seen.h.
 */

/* Of linear or encoded colours, or the first component. */
static inline float
see_pixel (global const float *input, int here, int components, float4 weights, int is_encoded)
{
  float4 c;

  if (components < 4)
    return seen_on_black (input[components * (long) here], 1.0f);
  c = vload4 (here, input);
  if (is_encoded)
    return seen_on_black (perceptual_luminance (c.x, c.y, c.z, weights.x, weights.y, weights.z), c.w);
  return seen_on_black (perceptual_from_linear ((weights.x * c.x + weights.y * c.y) + weights.z * c.z), c.w);
}
