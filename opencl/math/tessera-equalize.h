/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: C and OpenCL C; needs tessera-index.h, tessera-convert.h and a dialect
 * before it.
 *
 * Which bin a value lies in, and which value represents a colour.
 */

/* floor (v bins), 0 to bins - 1; NaN is 0.  The product may be rounded up to a whole
 * number that v bins does not reach: then what was rounded off, found without loss from
 * halves of 12 bits (Dekker 1971), is negative.  bins = high + low, low the last 5 bits. */
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

/* Y': the luminance of linear light, as the eye sees it; r, g, b are light, or not
 * is_linear: R', G', B'. */
static inline float
equalize_luminance (float r, float g, float b, float red, float green, float blue, int is_linear)
{
  if (! is_linear)
    {
      r = linear_from_perceptual (r);
      g = linear_from_perceptual (g);
      b = linear_from_perceptual (b);
    }
  return perceptual_from_linear ((red * r + green * g) + blue * b);
}

#define EQUALIZE_LEAST   1.17549435e-38f      /* the smallest normal float: less is no light */
#define EQUALIZE_LARGEST 3.402823466e38f

/* m / y for a normal y > 0 and m of 0..1, 3 roundings off: by Newton's method, since a
 * device may divide as it likes.  0 for any other y. */
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

/* One colour, as the eye sees it, of a pixel of luminance y for which the table has m,
 * quotient = m / y: as a part of y it stays the same; grey where there is no light; NaN leaves it. */
static inline float
equalize_scaled (float value, float y, float m, float quotient)
{
  const float mapped = y >= EQUALIZE_LEAST ? value * quotient : m;

  return y == y ? mapped : value;
}

/* The same for linear light. */
static inline float
equalize_scaled_light (float value, float y, float m, float quotient)
{
  const float scaled = equalize_scaled (perceptual_from_linear (value), y, m, quotient);

  return y == y ? linear_from_perceptual (scaled) : value;
}

/* Between two tables. */
static inline float
equalize_mix (float a, float b, float t)
{
  return a + t * (b - a);
}
