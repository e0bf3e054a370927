/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What a background leaves of the stars, and how much of their light a frame has against it.
 *
 * A pixel of a star is one of the background that lies BRIGHT standard deviations above its median. */
#include "sequence.h"

#include <math.h>

#include "median.h"

#define BRIGHT 30.0f            /* standard deviations above it: a star */
#define FAR   3.0f              /* standard deviations: noise has it in 0.3 % of pixels */
#define AROUND 5                /* pixels from a pixel of a star to the sky around */
#define FEWEST 20               /* pixels of stars */
#define ALIKE 0.25f             /* of what most pixels have */

SkyLevel
left_sky (const CountPlane *plane, gint apart)
{
  const gsize n_pixels = (gsize) plane->width * plane->height;
  g_autofree gfloat *values = g_new (gfloat, n_pixels / apart + 1);
  gsize       n = 0;
  gfloat      middle;

  for (gsize i = 0; i < n_pixels; i += apart)
    if (isfinite (plane->pixels[i]))
      values[n++] = plane->pixels[i];
  middle = median_of (values, n);
  for (gsize i = 0; i < n; i++)
    values[i] = fabsf (values[i] - middle);
  return (SkyLevel) { middle, 1.4826f * median_of (values, n) };
}

SkyLevel
left_level (const WhitenPlanes *planes)
{
  return (SkyLevel) { left_sky (&planes->background, SKY_APART).level, left_sky (&planes->whitened, SKY_APART).width };
}

/* The median of the pixels around, farther away than a star's light. */
static gfloat
sky_around (const CountPlane *plane, gint x, gint y)
{
  gfloat values[8 * AROUND];
  gsize  n = 0;

  for (gint v = MAX (y - AROUND, 0); v <= MIN (y + AROUND, plane->height - 1); v++)
    for (gint u = MAX (x - AROUND, 0); u <= MIN (x + AROUND, plane->width - 1); u++)
      if ((ABS (u - x) == AROUND || ABS (v - y) == AROUND) && isfinite (plane->pixels[(gsize) v * plane->width + u]))
        values[n++] = plane->pixels[(gsize) v * plane->width + u];
  return n > 0 ? median_of (values, n) : -INFINITY;
}

gboolean
left_has_star (const WhitenPlanes *planes, SkyLevel sky, gint x, gint y)
{
  const gfloat value = planes->background.pixels[(gsize) y * planes->background.width + x], least = FAR * sky.width;

  return value > sky.level + least && value > sky_around (&planes->background, x, y) + least;
}

typedef struct
{
  gfloat sky, star;             /* the median, and what is above this is a star */
} Levels;

static Levels
levels_of (const CountPlane *plane)
{
  const SkyLevel sky = left_sky (plane, SKY_APART);

  return (Levels) { sky.level, sky.level + BRIGHT * sky.width };
}

gdouble
left_of_stars (const WhitenPlanes *planes)
{
  const gsize  n_pixels = (gsize) planes->background.width * planes->background.height;
  const gfloat level = levels_of (&planes->background).star;
  gsize        stars = 0, left = 0;

  for (gsize i = 0; i < n_pixels; i++)
    if (planes->background.pixels[i] > level && ! isnan (planes->significance.pixels[i]))
      {
        stars++;
        left += fabsf (planes->significance.pixels[i]) > FAR;
      }
  return stars >= FEWEST ? (gdouble) left / stars : 0.0;
}

/* What the frame has of the light of the background's stars: of the pixels that agree with their median; 0: too few.
 * What passes over a star does not. */
static gdouble
part_of_light (const CountPlane *current, const CountPlane *background, gfloat sky, Levels levels)
{
  const gsize  n_pixels = (gsize) background->width * background->height;
  g_autofree gfloat *parts = g_new (gfloat, n_pixels), *lights = g_new (gfloat, n_pixels);
  gsize        n = 0;
  gfloat       middle;
  gdouble      light = 0.0, all = 0.0;

  for (gsize i = 0; i < n_pixels; i++)
    if (background->pixels[i] > levels.star && ! isnan (current->pixels[i]))
      {
        lights[n] = background->pixels[i] - levels.sky;
        parts[n] = (current->pixels[i] - sky) / lights[n];
        n++;
      }
  middle = n >= FEWEST ? median_of (parts, n) : 0.0f;
  for (gsize i = 0; i < n; i++)
    if (fabsf (parts[i] - middle) < ALIKE * middle)
      {
        light += parts[i] * lights[i];
        all += lights[i];
      }
  return all > 0.0 ? light / all : 0.0;
}

gboolean
left_scale (const CountPlane *current, WhitenPlanes *planes)
{
  const gsize   n_pixels = (gsize) current->width * current->height;
  const Levels  levels = levels_of (&planes->background);
  const gfloat  sky = levels_of (current).sky, part = (gfloat) part_of_light (current, &planes->background, sky, levels);

  for (gsize i = 0; i < n_pixels && part > 0.0f; i++)
    {
      planes->background.pixels[i] = sky + part * (planes->background.pixels[i] - levels.sky);
      planes->whitened.pixels[i] = current->pixels[i] - planes->background.pixels[i];
    }
  return part > 0.0f;
}
