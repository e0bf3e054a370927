/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What a background leaves of the stars. */
#include "sequence.h"

#include <math.h>

#include "median.h"

#define APART 7                 /* pixels of which one is looked at, for the level of the background */
#define BRIGHT 30.0f            /* standard deviations above it: a star */
#define FAR   3.0f              /* standard deviations: noise has it in 0.3 % of pixels */
#define FEWEST 20               /* pixels of stars */

/* What the background has to be above where a star is. */
static gfloat
star_level (const CountPlane *background)
{
  const gsize n_pixels = (gsize) background->width * background->height;
  g_autofree gfloat *values = g_new (gfloat, n_pixels / APART + 1);
  gsize       n = 0;
  gfloat      middle;

  for (gsize i = 0; i < n_pixels; i += APART)
    if (isfinite (background->pixels[i]))
      values[n++] = background->pixels[i];
  middle = median_of (values, n);
  for (gsize i = 0; i < n; i++)
    values[i] = fabsf (values[i] - middle);
  return middle + BRIGHT * 1.4826f * median_of (values, n);
}

gdouble
left_of_stars (const WhitenPlanes *planes)
{
  const gsize  n_pixels = (gsize) planes->background.width * planes->background.height;
  const gfloat level = star_level (&planes->background);
  gsize        stars = 0, left = 0;

  for (gsize i = 0; i < n_pixels; i++)
    if (planes->background.pixels[i] > level && ! isnan (planes->significance.pixels[i]))
      {
        stars++;
        left += fabsf (planes->significance.pixels[i]) > FAR;
      }
  return stars >= FEWEST ? (gdouble) left / stars : 0.0;
}
