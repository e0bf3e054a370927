/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Unsharp mask in double on straight R'G'B'A,
 *
 *   D = I - G(I)
 *   out = I + amount (D - T sign D)  where |D| > T, else I
 *
 * for each of R', G', B'; alpha is copied and takes no part.  G is reference_gaussian_blur ()
 * with the same sigma on both axes and border clamp.  Oliveira, MSc thesis 2013 (which prints
 * D = G - I).  Values are not clipped.
 *
 * scale: |I| + amount (|I| + G(|I|)), of alpha 0: what an error of the input's conversion scales
 * with.  The filter's own bound is in slack, u = 2^-24, n = 2 ceil (3 sigma) + 1 on each axis:
 *
 *   amount ((2 n + 6) u G(|I|) + slack of G) + 4 u (1 + amount) |I|
 *
 * besides denormals (1e-37 (1 + amount)) and (1 + amount) |I| times the input's error (that of
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
  double   *values = calloc (count ? 3 * count : 1, sizeof (double));
  RefResult result = { like->x, like->y, like->width, like->height,
                       values, values + count, values + 2 * count };

  if (!values)
    abort ();
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

void
reference_unsharp_mask (const RefImage *image, double std_dev, double amount, double threshold,
                        RefResult *result)
{
  double    taps = 2.0 * ceil (3.0 * std_dev) + 1.0;
  Settings  settings = { amount, threshold, image->error, (2.0 * taps + 6.0) * U };
  RefResult blur = new_result (result);

  reference_gaussian_blur (image, std_dev, std_dev, REF_CLAMP, &blur);
  for (int row = 0; row < result->height; row++)
    for (int column = 0; column < result->width; column++)
      {
        size_t        at = ((size_t) row * result->width + column) * 4;
        size_t        y = (size_t) (result->y + row), x = (size_t) (result->x + column);
        const double *pixel = image->pixels + (y * image->width + x) * 4;

        for (int c = 0; c < 3; c++)
          {
            double blur_error = settings.blur_tolerance * blur.scale[at + c] + blur.slack[at + c];

            sharpen (pixel[c], blur.out[at + c], blur_error, &settings,
                     result->out + at + c, result->slack + at + c);
            result->scale[at + c] = isfinite (pixel[c])
                                    ? fabs (pixel[c]) + amount * (fabs (pixel[c]) + blur.scale[at + c]) : 0.0;
          }
        result->out[at + 3] = pixel[3];
        result->scale[at + 3] = 0.0;
        result->slack[at + 3] = 0.0;
      }
  free (blur.out);
}
