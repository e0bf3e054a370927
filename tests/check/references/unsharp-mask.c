/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Unsharp mask in double on straight R'G'B'A,
 *
 *   B = G(a I) / G(a),  D = I - B, 0 where G(a) = 0
 *   out = I + amount (D - T sign D)  where |D| > T, else I
 *
 * for each of R', G', B'; alpha is copied.  a I is 0 where a is 0, whatever I is.  G is reference_gaussian_blur ()
 * with the same sigma on both axes and border clamp.  Oliveira, MSc thesis 2013 (which prints
 * D = G - I).  Values are not clipped.
 *
 * scale: |I| + amount (|I| + G(|a I|) / |G(a)|), of alpha 0: what an error of the input's conversion scales
 * with.  The filter's own bound is in slack, u = 2^-24, n = 2 ceil (3 sigma) + 1 on each axis:
 *
 *   amount e(B) + 4 u (1 + amount) |I|
 *
 * Where every alpha that G reaches is 1, B is G(I), and e(B) = (2 n + 6) u G(|I|) + slack of G.  Elsewhere the product
 * a I is rounded once (u), G makes (2 n + 6) u of it, G(a) as much of itself, and the division u:
 *
 *   e(B) = ((2 n + 7) u G(|a I|) + slack + |B| ((2 n + 6) u G(|a|) + slack)) / (|G(a)| - e(G(a))) + u |B|
 *
 * INFINITY where e(G(a)) is half of G(a) or more; where G(a) is 0 for certain (no alpha within reach but 0), D is 0.
 *
 * Besides denormals (1e-37 (1 + amount); those of B are in the slacks of G) and (1 + amount) |I| times the input's error (that of
 * G is in the slack of G).  out is continuous in D at |D| = T, so the threshold needs no
 * INFINITY: an error in D counts at most `amount` times on either side.  Where |D| is below T by
 * more than its error, out is the pixel itself and the slack only the input's error.  INFINITY
 * where G's slack is (and the pixel is finite), or where a step could overflow in float.
 *
 * NaN and Inf: where D is NaN the pixel stays; so does any pixel that is itself NaN or Inf.  An
 * infinite D makes an infinite result; with amount 0 (a tap left out, or 0 Inf) either the pixel
 * or NaN is right.
 */
#include "reference.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#define U                (1.0 / 16777216.0)     /* 2^-24 */
#define DENORMAL_SLACK   1e-37
#define OVERFLOW_LIMIT   (FLT_MAX / 4.0)

typedef struct
{
  double amount, threshold;
  double input_error;
  double blur_tolerance;        /* (2 n + 6) u */
} Settings;

static RefResult
new_result (const RefResult *like)
{
  size_t    count = (size_t) like->width * like->height * 4;
  double   *values = ref_allocate (3 * count, sizeof (double));
  RefResult result = { like->x, like->y, like->width, like->height,
                       values, values + count, values + 2 * count };

  return result;
}

/* The pixel stays as it is. */
static void
keep (double value, const Settings *settings, double *out, double *slack)
{
  *out = value;
  *slack = isfinite (value) ? settings->input_error * fabs (value) : 0.0;
}

/* blurred: G; blur_error: how far a float G may be from it. */
static void
sharpen (double value, double blurred, double blur_error, const Settings *settings,
         double *out, double *slack)
{
  double amount = settings->amount, threshold = settings->threshold;
  double difference = value - blurred;
  double difference_error = blur_error + settings->input_error * fabs (value)
                            + 4.0 * U * (fabs (value) + threshold) + DENORMAL_SLACK;
  double excess = fabs (difference) - threshold;

  keep (value, settings, out, slack);
  if (!isfinite (value))
    return;
  if (isinf (blur_error))
    {
      *slack = INFINITY;
      return;
    }
  if (isnan (difference) || excess < -difference_error)
    return;
  if (isinf (difference))
    {
      if (amount == 0.0)
        *slack = INFINITY;
      else
        *out = difference;
      return;
    }
  if (excess > 0.0)
    *out = value + amount * (difference > 0.0 ? excess : -excess);
  *slack = amount * blur_error + 4.0 * U * (1.0 + amount) * fabs (value)
           + settings->input_error * (1.0 + amount) * fabs (value)
           + DENORMAL_SLACK * (1.0 + amount);
  if (fabs (value) + (1.0 + amount) * (fabs (difference) + threshold) > OVERFLOW_LIMIT)
    *slack = INFINITY;
}

/* a I of R, G, B, and a: what is blurred. */
static RefImage
weighted (const RefImage *image)
{
  size_t   count = (size_t) image->width * image->height;
  double  *pixels = ref_allocate (count * 4, sizeof (double));
  RefImage result = { image->width, image->height, pixels, 2.0 * image->error };        /* of a and of I */

  for (size_t i = 0; i < 4 * count; i++)
    {
      double alpha = image->pixels[i | 3];

      pixels[i] = i % 4 == 3 ? alpha : alpha == 0.0 ? 0.0 : alpha * image->pixels[i];
    }
  return result;
}

/* 1 where alpha is not 1, as a picture of which the blur's scale is 0 where all that it reaches is opaque. */
static RefImage
translucency (const RefImage *image)
{
  size_t   count = (size_t) image->width * image->height;
  double  *pixels = ref_allocate (count * 4, sizeof (double));
  RefImage result = { image->width, image->height, pixels, 0.0 };

  for (size_t i = 0; i < count; i++)
    {
      pixels[i * 4] = image->pixels[i * 4 + 3] != 1.0;
      pixels[i * 4 + 1] = image->pixels[i * 4 + 3] != 0.0;
    }
  return result;
}

typedef struct
{
  double value, error, size;    /* size: G(|a I|) / |G(a)| */
} Blurred;

/* B of a component.  Where nothing within reach has alpha, it is the pixel itself: D = 0. */
static Blurred
divided (const RefResult *light, const RefResult *kinds, size_t pixel, int c, double value, const Settings *settings)
{
  size_t  at = pixel * 4 + c, alpha = pixel * 4 + 3;
  double  tolerance = settings->blur_tolerance, error, alpha_error, cover = fabs (light->out[alpha]);
  Blurred blurred = { light->out[at], tolerance * light->scale[at] + light->slack[at], light->scale[at] };

  if (kinds->out[pixel * 4 + 1] == 0.0)
    return (Blurred) { value, 0.0, 0.0 };
  if (kinds->out[pixel * 4] == 0.0)
    return blurred;
  error = (tolerance + U) * light->scale[at] + light->slack[at];
  alpha_error = tolerance * light->scale[alpha] + light->slack[alpha];
  if (isinf (error) || alpha_error >= 0.5 * cover)
    return (Blurred) { value, INFINITY, 0.0 };
  blurred.value = light->out[at] / light->out[alpha];
  if (!isfinite (blurred.value) || isinf (cover))
    return (Blurred) { blurred.value, 0.0, 0.0 };
  blurred.size = light->scale[at] / cover;
  blurred.error = (error + fabs (blurred.value) * alpha_error) / (cover - alpha_error) + U * fabs (blurred.value);
  return blurred;
}

void
reference_unsharp_mask (const RefImage *image, double std_dev, double amount, double threshold,
                        RefResult *result)
{
  double    taps = 2.0 * ceil (3.0 * std_dev) + 1.0;
  Settings  settings = { amount, threshold, image->error, (2.0 * taps + 6.0) * U };
  RefImage  product = weighted (image), marks = translucency (image);
  RefResult light = new_result (result), kinds = new_result (result);

  reference_gaussian_blur (&product, std_dev, std_dev, REF_CLAMP, &light);
  reference_gaussian_reach (&marks, std_dev, std_dev, REF_CLAMP, &kinds);
  for (int row = 0; row < result->height; row++)
    for (int column = 0; column < result->width; column++)
      {
        size_t        i = (size_t) row * result->width + column, at = 4 * i;
        size_t        y = (size_t) (result->y + row), x = (size_t) (result->x + column);
        const double *pixel = image->pixels + (y * image->width + x) * 4;

        for (int c = 0; c < 3; c++)
          {
            Blurred blurred = divided (&light, &kinds, i, c, pixel[c], &settings);

            sharpen (pixel[c], blurred.value, blurred.error, &settings, result->out + at + c, result->slack + at + c);
            result->scale[at + c] = isfinite (pixel[c]) ? fabs (pixel[c]) + amount * (fabs (pixel[c]) + blurred.size) : 0.0;
          }
        result->out[at + 3] = pixel[3];
        result->scale[at + 3] = 0.0;
        result->slack[at + 3] = 0.0;
      }
  free (light.out);
  free (kinds.out);
  free ((double *) product.pixels);
  free ((double *) marks.pixels);
}
