/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: the common part of C and OpenCL C, with tessera_abs.
 */
#define SEEN_LARGEST 3.402823466e38f

/* A luminance as it is seen on black; what is not finite is black. */
static inline float
seen_on_black (float value, float alpha)
{
  const float seen = value * alpha;

  return alpha != 0.0f && tessera_abs (seen) <= SEEN_LARGEST ? seen : 0.0f;
}
