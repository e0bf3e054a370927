/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: the common part of C and OpenCL C, with tessera_as_int and tessera_as_float;
 * needs tessera-convert.h before it.  Linear light to CIELAB, and back.
 *
 * Greys must be exactly neutral and black exactly 0.  A round trip must keep values near
 * black, where the sRGB curve has a slope of 12.92.  So the matrix and the curve are
 * written in this way:
 * - Each row of matrix / white adds up to 1.  It is computed as a step away from one
 *   component: green + first (red - green) + last (blue - green).
 * - The curve is g(t) = f(t) - 4/29, which is (841/108) t for small t.  Then
 *   L = 116 g(Y), a = 500 (g(X) - g(Y)), b = 200 (g(Y) - g(Z)).
 *
 * 4/29 is written as a number of 10 binary digits and a small rest.  A float without its
 * lowest 16 bits has a cube that is exact.
 */
#define LAB_OFFSET_HIGH (565.0f / 4096.0f)
#define LAB_OFFSET_LOW  (-8.41864224e-6f)       /* 4/29 - LAB_OFFSET_HIGH */

static inline float
lab_eight_digits (float x)
{
  return tessera_as_float (tessera_as_int (x) & ~0xffff);
}

/* A row of a matrix whose weights add up to 1, times (pivot, one, other). */
static inline float
lab_mixed (float pivot, float one, float other, float weight_one, float weight_other)
{
  return pivot + (weight_one * (one - pivot) + weight_other * (other - pivot));
}

/* The same for weights that are positive.  An infinite component then makes the sum infinite, not NaN. */
static inline float
lab_positive_mixed (float pivot, float one, float other, float weight_one, float weight_other)
{
  float mixed = lab_mixed (pivot, one, other, weight_one, weight_other);

  return tessera_abs (mixed) <= 3.402823466e38f ? mixed : pivot + (one + other);
}

/* g: above 216/24389, the cube root of t less 4/29.  Newton's and Halley's methods bring z near t^(-1/3).  y is the
 * root to 8 digits.  The root is y (1 - s)^(-1/3) with s = (t - y^3) / t.  t - y^3 is exact, and z^3 stands for 1/t.
 * Error 0.6 ulp. */
static inline float
lab_curve (float t)
{
  float z = tessera_as_float (0x54a21c00 - part_of_bits (t, 1.0f / 3.0f)), rest, y, root;

  rest = 1.0f - (t * z) * (z * z);
  z = z + z * (rest * (1.0f / 3.0f));
  rest = 1.0f - (t * z) * (z * z);
  z = z + z * (rest * (1.0f / 3.0f + rest * (2.0f / 9.0f)));
  y = lab_eight_digits ((t * z) * z);
  rest = (t - (y * y) * y) * ((z * z) * z);
  root = rest * (1.0f / 3.0f + rest * (2.0f / 9.0f + rest * (14.0f / 81.0f + rest * (35.0f / 243.0f))));
  root = (y - LAB_OFFSET_HIGH) + (y * root - LAB_OFFSET_LOW);
  root = t <= 3.402823466e38f ? root : t;
  return t > 216.0f / 24389.0f ? root : t * (841.0f / 108.0f);
}

/* t of g: above g = 2/29, the cube of g + 4/29.  That is y + rest. */
static inline float
lab_curve_inverse (float g)
{
  float y = lab_eight_digits (g + 4.0f / 29.0f);
  float rest = (g - (y - LAB_OFFSET_HIGH)) + LAB_OFFSET_LOW;
  float cube = (y * y) * y + rest * (3.0f * (y * y) + rest * (3.0f * y + rest));

  cube = g <= 3.402823466e38f ? cube : g;
  return g > 2.0f / 29.0f ? cube : g * (108.0f / 841.0f);
}
