/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: C and OpenCL C; needs tessera-index.h, tessera-convert.h and a dialect
 * before it.
 *
 * The bin in which a value lies, and the value by which a colour is looked up.
 */

/* floor (v bins), clamped to 0 .. bins - 1.  NaN becomes 0.  The float product may be rounded up to a whole number
 * that v bins does not reach.  `rest`, the exact product less the float one, is then negative.  It is found without
 * loss from halves of 12 bits (T. J. Dekker 1971).  bins = high + low, where low is the last 5 bits. */
static inline int
equalize_bin (float v, float bins, float high, float low)
{
  const float place = v * bins;
  const float v_high = half_digits (v), v_low = v - v_high;
  const float rest = ((v_high * high - place) + v_low * high + v_high * low) + v_low * low;
  int         bin = bin_index (place, 0.0f, bins), most = (int) bins - 1;

  bin -= (float) bin == place && rest < 0.0f ? 1 : 0;
  bin = bin > 0 ? bin : 0;
  return bin < most ? bin : most;
}

/* Y': the luminance of linear light, on the sRGB curve.  r, g, b are linear light if is_linear, else R', G', B'. */
static inline float
equalize_luminance (float r, float g, float b, float red, float green, float blue, int is_linear)
{
  return is_linear ? perceptual_from_linear ((red * r + green * g) + blue * b) : perceptual_luminance (r, g, b, red, green, blue);
}

#define EQUALIZE_LEAST   1.17549435e-38f      /* the smallest normal float; less counts as no light */
#define EQUALIZE_LARGEST 3.402823466e38f

/* m / y for m of 0 .. 1 and a normal y > 0; 0 for any other y.  Devices divide differently, so Newton's method does
 * it.  The result is within 3 roundings. */
static inline float
equalize_quotient (float m, float y)
{
  const int   is_normal = y >= EQUALIZE_LEAST && y <= EQUALIZE_LARGEST;
  const float divisor = is_normal ? y : 1.0f;
  const float scale = tessera_as_float (0x7f800000 - (tessera_as_int (divisor) & 0x7f800000));
  const float v = divisor * scale;      /* 2..4 */
  float       z = tessera_as_float (0x7ef311c7 - tessera_as_int (v));

  z = z + z * (1.0f - v * z);
  z = z + z * (1.0f - v * z);
  z = z + z * (1.0f - v * z);
  return is_normal ? (m * z) * scale : 0.0f;
}

/* One component, on the sRGB curve, of a pixel whose luminance is y.  The table has m for y, and quotient = m / y.  The
 * component keeps its share of the luminance.  Where there is no light it becomes grey.  If y is NaN it stays. */
static inline float
equalize_scaled (float value, float y, float m, float quotient)
{
  const float mapped = y >= EQUALIZE_LEAST ? value * quotient : m;

  return y == y ? mapped : value;
}

/* The same for a component that is linear light. */
static inline float
equalize_scaled_light (float value, float y, float m, float quotient)
{
  const float scaled = equalize_scaled (perceptual_from_linear (value), y, m, quotient);

  return y == y ? linear_from_perceptual (scaled) : value;
}

/* Interpolates between two tables. */
static inline float
equalize_mix (float a, float b, float t)
{
  return a + t * (b - a);
}
