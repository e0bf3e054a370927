/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: the common part of C and OpenCL C, with tessera_as_int and
 * tessera_as_float; needs tessera-convert.h and tessera-gradient.h before it.
 *
 * Harris' measure of a corner.  Which pixels are corners depends on +, -, * and comparisons
 * alone, so that every device with IEEE floats finds the same.
 */
#define HARRIS_LARGEST  3.402823466e38f
#define HARRIS_STRENGTH (1.0f / 0.2325f)        /* of an ideal corner of black and white (sigma 1.6, k 0.04) */

/* Sobel's derivative: that of a ramp of 1 a pixel is 1. */
static inline float
harris_across (float before, float before_2, float before_3, float after, float after_2, float after_3)
{
  return gradient_across (before, before_2, before_3, after, after_2, after_3) * 0.125f;
}

/* a, b, c: the means of gx gx, gx gy, gy gy. */
static inline float
harris_measure (float a, float b, float c, float k)
{
  const float t = a + c;

  return (a * c - b * b) - k * (t * t);
}

/* Above the threshold, above the four pixels before it in the order of rows, and not below the four behind it: so a
 * plateau has one corner, and no two corners touch.  NaN loses. */
static inline int
harris_is_corner (float r, float threshold, float before, float before_2, float before_3, float before_4,
                  float behind, float behind_2, float behind_3, float behind_4)
{
  return (r > threshold) & (r > before) & (r > before_2) & (r > before_3) & (r > before_4)
         & (r >= behind) & (r >= behind_2) & (r >= behind_3) & (r >= behind_4);
}

/* The fourth root of max (r, 0), in parts of an ideal corner's; within 3 ulp.  z near x^(-1/4) by Newton's method; the
 * root x z^3 then has a step of its own. */
static inline float
harris_strength (float r)
{
  const float x = r < 1e-20f ? r * 18446744073709551616.0f : r;         /* 2^64: no digit is denormal */
  float       z = tessera_as_float (0x4f58cd50 - (tessera_as_int (x) >> 2)), root;

  z = z * (1.25f - (0.25f * (x * z)) * (z * z * z));
  z = z * (1.25f - (0.25f * (x * z)) * (z * z * z));
  z = z * (1.25f - (0.25f * (x * z)) * (z * z * z));
  root = (x * z) * (z * z);
  root = root - (0.25f * ((root * root) * (root * root) - x)) * (z * z * z);
  root = r < 1e-20f ? root * (1.0f / 65536.0f) : root;
  root = r <= HARRIS_LARGEST ? root : r;
  return r > 0.0f ? root * HARRIS_STRENGTH : 0.0f;
}
