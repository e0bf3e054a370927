/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * TEMPLATE: all of it, by somebody who has not seen the kernel.
 *
 * The template filter in double: a 3x3 binomial blur mixed with the image,
 *
 *   blurred(x, y) = sum over dx, dy in -1..1 of b(dx) b(dy) I(x + dx, y + dy),  b = [1 2 1]/4
 *   out = I + strength (blurred - I)
 *
 * on premultiplied RGBA with border clamp.  No paper: the definition is the comment in reference.h.
 *
 * NaN and Inf follow the arithmetic, except that strength 0 is a copy (a tap of weight 0 is left out).
 * The slack is INFINITY where a value exceeds FLT_MAX / 4: [1 2 1] is summed before it is divided by 4.
 */
#include "reference.h"

#include <float.h>
#include <math.h>

#define DENORMAL_SLACK 1e-37
#define OVERFLOW_LIMIT (FLT_MAX / 4.0)

static const double binomial[3] = { 0.25, 0.5, 0.25 };

static void
filter_component (const RefImage *image, double strength, int x, int y, int c,
                  double *out, double *scale, double *slack)
{
  double centre = ref_pixel (image, x, y, REF_CLAMP)[c];
  double blurred = 0.0, largest = 0.0;

  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++)
      {
        double value = ref_pixel (image, x + dx, y + dy, REF_CLAMP)[c];

        blurred += binomial[dy + 1] * binomial[dx + 1] * value;
        if (isfinite (value))
          largest = fmax (largest, fabs (value));
      }
  *out = strength == 0.0 ? centre : centre + strength * (blurred - centre);
  *scale = strength == 0.0 ? 0.0 : largest;
  *slack = (strength == 0.0 ? 0.0 : DENORMAL_SLACK) + image->error * largest;      /* of the input */
  if (strength != 0.0 && largest > OVERFLOW_LIMIT)
    *slack = INFINITY;
}

void
reference_template (const RefImage *image, double strength, RefResult *result)
{
  for (int i = 0; i < 4 * result->width * result->height; i++)          /* the components */
    filter_component (image, strength, result->x + i / 4 % result->width, result->y + i / 4 / result->width, i % 4,
                      result->out + i, result->scale + i, result->slack + i);
}
