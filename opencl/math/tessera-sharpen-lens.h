/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: C and OpenCL C; needs a dialect (tessera.h or tessera-dialect.h) before it.
 *
 * What an iteration makes of a pixel.  Light is never 0, and no step is smaller than a quarter, so all that is divided by is
 * positive.  With light up to LENS_LARGEST nothing overflows: blurs are means.
 */
#define LENS_DARK        0.0009765625f          /* 2^-10, added to all light: shadows below it are not sharpened */
#define LENS_LARGEST     18446744073709551616.0f        /* 2^64 */
#define LENS_LEAST_ALPHA 0.0000152587890625f    /* 2^-16 */
#define LENS_MOST        16.0f                  /* times as bright as before */

/* By how much a pixel weighs: its alpha, 1 at most; 0 if it has none, or light that is no number or too much. */
static inline float
lens_weight (float luminance, float alpha)
{
  const int counts = (alpha >= LENS_LEAST_ALPHA) & (alpha <= 3.402823466e38f) & (tessera_abs (luminance) <= LENS_LARGEST);
  const float part = alpha < 1.0f ? alpha : 1.0f;

  return counts ? part : 0.0f;
}

/* Light that is worked with; of a pixel that has no weight, any number. */
static inline float
lens_light (float luminance, float weight)
{
  return (weight > 0.0f && luminance > 0.0f ? luminance : 0.0f) + LENS_DARK;
}

/* 1 / cover, of the blurred weights around a pixel that has weight; else 0. */
static inline float
lens_share (float cover, float weight)
{
  const float share = 1.0f / (weight > 0.0f ? cover : 1.0f);

  return weight > 0.0f ? share : 0.0f;
}

/* The picture over what the guess looks like blurred, times weight. */
static inline float
lens_ratio (float light, float blurred, float weight)
{
  return weight * (light / (weight > 0.0f ? blurred : 1.0f));
}

/* The guess, corrected by the blurred ratios, a step and a half. */
static inline float
lens_corrected (float guess, float correction)
{
  const float step = 1.5f * correction - 0.5f;

  return guess * (step > 0.25f ? step : 0.25f);
}

/* Half as far again from the result before to this one. */
static inline float
lens_ahead (float now, float before)
{
  const float ahead = 1.5f * now - 0.5f * before, half_of = 0.5f * now;

  return ahead > half_of ? ahead : half_of;
}

/* What colours are multiplied by.  protect: the square of the change of sqrt (light) below which it is taken for noise. */
static inline float
lens_factor (float result, float light, float protect)
{
  const float times = result / light, d = (times < LENS_MOST ? times : LENS_MOST) - 1.0f;
  const float v = (d * d) * (0.25f * light);

  return 1.0f + d * (v / (v + protect));
}
