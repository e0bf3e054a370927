/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: the common part of C and OpenCL C, with tessera_as_int and
 * tessera_as_float; needs tessera-convert.h before it.
 *
 * Sobel's gradient, its size and its angle.  Pixels are divided by 8 beforehand, so that no
 * sum overflows.  Nothing here calls a division, a root or a library: not every device
 * rounds those of floats correctly.
 */
#define GRADIENT_SHARE   0.125f
#define GRADIENT_LARGEST 3.402823466e38f
#define GRADIENT_PI      3.14159265f

/* An eighth of a value as it is seen on black.  What is stored under alpha 0 is no colour.  It may be NaN.
 * There is no branch, so that loops run in vectors. */
static inline float
gradient_seen (float value, float alpha)
{
  const float seen = (value * alpha) * GRADIENT_SHARE;

  return tessera_as_float (tessera_as_int (seen) & -(alpha != 0.0f));
}

/* [1 2 1] times the differences between three pixels after and three before.  Exactly 0 if they are equal. */
static inline float
gradient_across (float before, float before_2, float before_3, float after, float after_2, float after_3)
{
  return ((after - before) + (after_3 - before_3)) + 2.0f * (after_2 - before_2);
}

/* The bits of the power of two at or below `size`.  0x7f800000 less these are the bits of a factor that brings `size`
 * to 2 .. 4, or below 2 if it is denormal. */
static inline int
gradient_exponent (float size)
{
  const int exponent = tessera_as_int (size) & 0x7f800000;

  return exponent > 0x00800000 ? exponent : 0x00800000;
}

/* sqrt (gx^2 + gy^2).  Finite if both are finite, NaN if one is NaN.  Newton's method brings z near q^(-1/2).  h is the
 * root to 12 digits; its square is exact, so that q - h * h is the true rest. */
static inline float
gradient_size (float gx, float gy)
{
  const float a = tessera_abs (gx), b = tessera_abs (gy);
  const int   exponent = gradient_exponent (a > b ? a : b);
  const float scale = tessera_as_float (0x7f800000 - exponent);
  const float q = (a * scale) * (a * scale) + (b * scale) * (b * scale);
  float       z = tessera_as_float (0x5f3759df - (tessera_as_int (q) >> 1)), h, root;

  z = z * (1.5f - ((0.5f * q) * z) * z);
  z = z * (1.5f - ((0.5f * q) * z) * z);
  h = half_digits (q * z);
  root = (0.5f * z) * (q - h * h);
  root = h + root * (1.0f + (0.5f * root) * z);
  root = (0.5f * root) * tessera_as_float (exponent);
  root = root < GRADIENT_LARGEST ? root : GRADIENT_LARGEST;
  return a <= GRADIENT_LARGEST && b <= GRADIENT_LARGEST ? root : a + b;
}

/* atan (r) for r of 0 .. 1: r + r^3 times a polynomial in r^2.  The error is 2e-8 and rounding. */
static inline float
gradient_arc (float r)
{
  const float u = r * r;

  return r + (r * u) * (-0.333331525f + u * (0.199937731f + u * (-0.142110556f + u * (0.106660061f
         + u * (-0.0755221769f + u * (0.0432119071f + u * (-0.0163679589f + u * 0.00292070024f)))))));
}

/* atan2 (gy, gx), and 0 if both are 0.  Beside an infinite component a finite one counts as 0.  There is no choice within a choice, so that
 * gcc 14 too makes vectors of it. */
static inline float
gradient_angle (float gx, float gy)
{
  float a = tessera_abs (gx), b = tessera_abs (gy), high = a > b ? a : b, low, z, angle;

  a = tessera_as_float (tessera_as_int (a) & -((high <= GRADIENT_LARGEST) | (a > GRADIENT_LARGEST)));
  b = tessera_as_float (tessera_as_int (b) & -((high <= GRADIENT_LARGEST) | (b > GRADIENT_LARGEST)));
  a = a > GRADIENT_LARGEST ? 1.0f : a;
  b = b > GRADIENT_LARGEST ? 1.0f : b;
  high = a > b ? a : b;
  z = tessera_as_float (0x7f800000 - gradient_exponent (high));
  low = (a > b ? b : a) * z;
  high = high * z;
  z = tessera_as_float (0x7ef311c7 - tessera_as_int (high));
  z = z + z * (1.0f - high * z);
  z = z + z * (1.0f - high * z);
  z = z + z * (1.0f - high * z);
  angle = gradient_arc (low * z);
  angle = b > a ? 0.5f * GRADIENT_PI - angle : angle;
  angle = gx < 0.0f ? GRADIENT_PI - angle : angle;
  angle = gy < 0.0f ? -angle : angle;
  angle = high > 0.0f ? angle : 0.0f;
  return gx == gx && gy == gy ? angle : gx + gy;
}

/* An angle in turns, 0 <= turn < 1. */
static inline float
gradient_turn (float angle)
{
  float turn = angle * (0.5f / GRADIENT_PI);

  turn = turn < 0.0f ? turn + 1.0f : turn;
  return turn >= 1.0f ? 0.0f : turn;
}

/* What the result shows. */
#define GRADIENT_MAGNITUDE 0
#define GRADIENT_ANGLE     1
#define GRADIENT_X         2
#define GRADIENT_Y         3
#define GRADIENT_VECTOR    4

/* A component and the size of a gradient: scaled for display, or as they are. */
static inline float
gradient_component (float value, int display, float gain)
{
  return display ? 0.5f + gain * value : value;
}

static inline float
gradient_strength (float size, int display, float gain)
{
  return display ? gain * size : size;
}
