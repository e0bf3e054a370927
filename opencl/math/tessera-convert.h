/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: the common part of C and OpenCL C, with tessera_as_int and
 * tessera_as_float.  Converts one pixel from a stored format to the float format
 * in which a filter works, and back.
 *
 * sRGB transfer curve (IEC 61966-2-1): linear = c / 12.92 up to 0.04045, else
 * ((c + 0.055) / 1.055)^2.4.  Negative values continue the straight part, as in babl.
 * Every device with IEEE floats must give the same bits.  So the powers are roots found
 * by iteration, with products and sums only.
 *
 * Alpha: a colour is multiplied and divided by alpha.  If alpha is smaller than 1/65536,
 * that number takes its place, as in babl.  A straight colour under alpha 0 is no colour.
 * It makes no light, so nothing around it depends on it.
 */

/* How a format stores a pixel: bits of `int layout`. */
#define LAYOUT_TYPE        3    /* what a component is: */
#define LAYOUT_U8          0
#define LAYOUT_U16         1
#define LAYOUT_HALF        2
#define LAYOUT_FLOAT       3
#define LAYOUT_GREY        4    /* one colour component, luminance */
#define LAYOUT_ALPHA       8    /* has alpha, last */
#define LAYOUT_PERCEPTUAL 16    /* sRGB transfer curve, else linear */
#define LAYOUT_PREMULTIPLIED 32

#define ALPHA_FLOOR (1.0f / 65536.0f)

/* x with the upper half of its digits.  The square of that is exact. */
static inline float
half_digits (float x)
{
  return tessera_as_float (tessera_as_int (x) & ~0xfff);
}

/* The bits of a float, times `part` (below 1).  Bits are nearly a logarithm, so this is nearly that of a root.  An
 * integer division would cost more. */
static inline int
part_of_bits (float x, float part)
{
  return (int) ((float) tessera_as_int (x) * part);
}

/* x^2.4 = x^3 z^3 / (x z^5)^(3/5) for any z.  One step of Halley's method brings z near x^(-1/5).  The last factor is
 * then a short series.  x is normal and positive. */
static inline float
power_12_5 (float x)
{
  float z = tessera_as_float (0x4c2c47e5 - part_of_bits (x, 0.2f)), z2, rest;

  z2 = z * z;
  rest = 1.0f - (x * z) * (z2 * z2);
  z = z + z * (rest * (0.2f + rest * 0.12f));
  z = half_digits (z);
  z2 = z * z;
  rest = 1.0f - (x * z) * (z2 * z2);
  z = (x * z) * (x * z2) * x;
  return z + z * (rest * (0.6f + rest * 0.48f));
}

/* x^(5/12) = x z^7 / (x z^12)^(7/12) for any z.  A step of Halley's method and one of Newton's bring z near x^(-1/12).
 * x is normal and positive. */
static inline float
power_5_12 (float x)
{
  float z = tessera_as_float (0x44c46b93 - part_of_bits (x, 1.0f / 12.0f)), z2, z4, rest;

  z2 = z * z;
  z4 = z2 * z2;
  rest = 1.0f - (x * z4) * (z4 * z4);
  z = z + z * (rest * (1.0f / 12.0f + rest * (13.0f / 288.0f)));
  z2 = z * z;
  z4 = z2 * z2;
  rest = 1.0f - (x * z4) * (z4 * z4);
  z = z + z * (rest * (1.0f / 12.0f));
  z = half_digits (z);
  z2 = z * z;
  z4 = z2 * z2;
  rest = 1.0f - (x * z4) * (z4 * z4);
  z = (x * z4) * (z2 * z);
  return z + z * (rest * (7.0f / 12.0f + rest * (133.0f / 288.0f)));
}

/* From the sRGB curve to linear light. */
static inline float
linear_from_perceptual (float c)
{
  const float scale = c > 1e10f ? 1.0f / 1024.0f : 1.0f;        /* 1024^2.4 = 2^24 */
  float       power = power_12_5 ((c + 0.055f) * (1.0f / 1.055f) * scale);

  power = c > 1e10f ? power * 16777216.0f : power;
  power = c < 2e16f ? power : c * 1e36f;        /* it overflows long before; Inf and NaN stay */
  return c <= 0.04045f ? c * (1.0f / 12.92f) : power;
}

/* From linear light to the sRGB curve. */
static inline float
perceptual_from_linear (float l)
{
  float power = 1.055f * power_5_12 (l) - 0.055f;

  power = l <= 3.402823466e38f ? power : l;     /* Inf and NaN stay */
  return l <= 0.0031308f ? l * 12.92f : power;
}

static inline float
alpha_factor (float alpha)
{
  return alpha <= ALPHA_FLOOR && alpha >= -ALPHA_FLOOR ? ALPHA_FLOOR : alpha;
}

static inline float
premultiplied (float colour, float alpha)
{
  const float light = colour * alpha_factor (alpha);

  return alpha == 0.0f ? 0.0f : light;
}

/* A grey format stores a grey pixel as it is.  Of another colour it stores the luminance, a sum of linear light. */
static inline int
is_grey (const float *pixel)
{
  return pixel[0] == pixel[1] && pixel[1] == pixel[2];
}

/* The luminance of colours behind the sRGB curve, behind it too: the curve of a sum of linear light.  That of a grey pixel is
 * its value itself.  Linear light of 1e16 and more would overflow; but up there the curve is a power, so a factor that brings
 * the largest component to some 2^20 passes through it. */
static inline float
perceptual_luminance (float r, float g, float b, float red, float green, float blue)
{
  const float larger = r > g ? r : g, most = larger > b ? larger : b;
  const int   exponent = tessera_as_int (most) & 0x7f800000;
  const int   is_huge = most > 1e15f && most <= 3.402823466e38f;
  const float scale = is_huge ? tessera_as_float (0x89000000 - exponent) : 1.0f;
  const float back = is_huge ? tessera_as_float (exponent - 0x0a000000) : 1.0f;
  const float light = (red * linear_from_perceptual (r * scale) + green * linear_from_perceptual (g * scale))
                      + blue * linear_from_perceptual (b * scale);
  const float seen = perceptual_from_linear (light) * back;

  return r == g && g == b ? r : seen;
}

/* Converts pixel[4], which is R, G, B and alpha, from layout `from` to layout `to`.  Only the curve and whether
 * colours are premultiplied count here. */
static inline void
convert_pixel (float *pixel, int from, int to)
{
  const int curve = (from ^ to) & LAYOUT_PERCEPTUAL;

  if (curve | ((from ^ to) & LAYOUT_PREMULTIPLIED))
    {
      if (from & LAYOUT_PREMULTIPLIED)
        {
          float over = 1.0f / alpha_factor (pixel[3]);

          for (int c = 0; c < 3; c++)
            pixel[c] *= over;
        }
      for (int c = 0; curve && c < 3; c++)
        pixel[c] = from & LAYOUT_PERCEPTUAL ? linear_from_perceptual (pixel[c])
                                            : perceptual_from_linear (pixel[c]);
      if (to & LAYOUT_PREMULTIPLIED)
        for (int c = 0; c < 3; c++)
          pixel[c] = premultiplied (pixel[c], pixel[3]);
    }
}

/* IEEE halves.  A float becomes the nearest half, a tie the even one, and NaN becomes 0x7e00. */
static inline float
half_value (int code)
{
  const int size = code & 0x7fff;
  float     value = size >= 0x7c00 ? tessera_as_float ((size << 13) + 0x70000000)
                    : size >= 0x0400 ? tessera_as_float ((size << 13) + 0x38000000)
                    : size * (1.0f / 16777216.0f);

  return code & 0x8000 ? -value : value;
}

static inline int
half_code (float value)
{
  const int bits = tessera_as_int (value);
  const int size = bits & 0x7fffffff;
  const int sign = (bits >> 16) & 0x8000;

  if (size > 0x7f800000)
    return 0x7e00;
  if (size >= 0x477ff000)       /* 65520 and more */
    return sign | 0x7c00;
  if (size < 0x38800000)        /* below 2^-14: adding 1/2 rounds to a multiple of 2^-24 */
    return sign | (tessera_as_int (tessera_as_float (size) + 0.5f) - 0x3f000000);
  return sign | ((size - 0x38000000 + 0xfff + ((size >> 13) & 1)) >> 13);
}

/* The largest k of 1 .. most with value >= steps[k]; 0 if there is none.  The search begins at `guess`.  NaN becomes
 * steps[0]. */
static inline int
step_index (float value, int guess, TESSERA_GLOBAL const float *steps, int most)
{
  if (value != value)
    return (int) steps[0];
  while (guess < most && value >= steps[guess + 1])
    guess++;
  while (guess > 0 && value < steps[guess])
    guess--;
  return guess;
}

/* The integer nearest to value * most, from 0 to most.  NaN becomes 0. */
static inline int
quantised (float value, float most)
{
  float scaled = value * most + 0.5f;

  scaled = scaled > 0.0f ? scaled : 0.0f;
  return (int) (scaled < most ? scaled : most);
}
