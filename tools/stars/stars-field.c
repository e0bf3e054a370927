/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "stars.h"

#include "stars-random.h"
#include "tessera.h"

#include <math.h>

/* The purposes of streams. */
enum { OF_WALK = 1, OF_SEEING, OF_STARS, OF_OBJECTS, OF_PATTERN, OF_HOT, OF_AIR };

#define LN10         2.30258509299404568402
#define FWHM_OF_SD   2.3548
#define MARGIN       24         /* beyond which no star's light reaches the frame */
#define EDGE         24         /* an object keeps so far from the frame's edge ... */
#define BRIGHT       1000.0     /* ... and AWAY pixels from a star of so many electrons ... */
#define AWAY         6.0
#define KEPT_FRAMES  32         /* ... in so many frames */
#define MOST_TRIALS  100000

gboolean
stars_preset (StarsSettings *settings, gchar preset, guint64 seed)
{
  const StarsSettings a =
    {
      .width = 512, .height = 512, .frames = 26, .seed = seed,
      .density = 6000, .magnitudes = 8.5, .slope = 0.35, .brightest = 3e5,
      .fwhm = 2.2, .halo = 0.1, .halo_width = 2.5,
      .gain = 1.5, .bias = 1000, .rows = 3, .columns = 5, .pixels = 2,
      .hot = 50, .hot_least = 100, .hot_most = 500,
      .sky = 100, .gradient = 60, .brightening = 0.2, .read_noise = 8,
      .transparency = 1, .walk = 0.15, .pull = 0.1, .ceiling = 60000,
      .n_objects = 2, .objects = { { 4, 1.3, 0.7 }, { 8, -0.8, 1.1 } }
    };

  *settings = a;
  switch (preset)
    {
    case 'A':
      return TRUE;
    case 'B':
      settings->rows = settings->columns = settings->pixels = settings->hot = 0;
      return TRUE;
    case 'C':
      settings->drift_x = 0.9;
      settings->drift_y = 0.3;
      return TRUE;
    case 'D':
      settings->walk = 0.5;
      return TRUE;
    default:
      return FALSE;
    }
}

static void
draw_shifts (StarsField *field)
{
  const StarsSettings *s = &field->settings;
  StarsRandom          walk = stars_random (s->seed, OF_WALK, 0), seeing = stars_random (s->seed, OF_SEEING, 0), air = stars_random (s->seed, OF_AIR, 0);
  gdouble              x = 0, y = 0;

  field->shifts = g_new (StarsShift, s->frames);
  for (gint k = 0; k < s->frames; k++)
    {
      const gdouble width = CLAMP (1 + s->seeing * stars_normal (&seeing), 0.5, 2);

      field->shifts[k] = (StarsShift) { x + k * s->drift_x, y + k * s->drift_y, s->fwhm * width,
                                        1 - (1 - s->transparency) * stars_uniform (&air) };
      x = (1 - s->pull) * x + s->walk * stars_normal (&walk);
      y = (1 - s->pull) * y + s->walk * stars_normal (&walk);
    }
}

static gint
brighter_first (gconstpointer a, gconstpointer b)
{
  const gdouble left = ((const Star *) a)->flux, right = ((const Star *) b)->flux;

  return (left < right) - (left > right);
}

/* All the sky that any frame sees. */
static void
draw_stars (StarsField *field)
{
  const StarsSettings *s = &field->settings;
  const gdouble        all = tessera_exp (s->slope * s->magnitudes * LN10) - 1;
  StarsRandom          random = stars_random (s->seed, OF_STARS, 0);
  gdouble              left = 0, right = 0, top = 0, bottom = 0, width, height;

  for (gint k = 0; k < s->frames; k++)
    {
      left = MAX (left, field->shifts[k].x);
      right = MIN (right, field->shifts[k].x);
      top = MAX (top, field->shifts[k].y);
      bottom = MIN (bottom, field->shifts[k].y);
    }
  width = s->width + left - right + 2 * MARGIN;
  height = s->height + top - bottom + 2 * MARGIN;
  field->n_stars = (gint) floor (s->density * 1e-6 * width * height + 0.5);
  field->stars = g_new (Star, field->n_stars);
  for (gint i = 0; i < field->n_stars; i++)
    {
      Star         *star = field->stars + i;
      const gdouble u = stars_uniform (&random);

      star->flux = s->brightest * tessera_exp (-0.4 / s->slope * stars_log (1 + all * u));
      star->x = width * stars_uniform (&random) - left - MARGIN;
      star->y = height * stars_uniform (&random) - top - MARGIN;
    }
  qsort (field->stars, field->n_stars, sizeof (Star), brighter_first);
}

/* The root of the sum of the squares of a star's part in each pixel, for a star on a pixel's centre. */
static gdouble
sharpness (const StarsSettings *s)
{
  gdouble sum = 0;

  for (gint y = -MARGIN; y <= MARGIN; y++)
    for (gint x = -MARGIN; x <= MARGIN; x++)
      {
        gdouble part = 0;

        for (gint wide = 0; wide < 2; wide++)
          {
            const gdouble sd = s->fwhm / FWHM_OF_SD * (wide ? s->halo_width : 1);

            part += (wide ? s->halo : 1 - s->halo) * (stars_phi ((x + 0.5) / sd) - stars_phi ((x - 0.5) / sd))
                    * (stars_phi ((y + 0.5) / sd) - stars_phi ((y - 0.5) / sd));
          }
        sum += part * part;
      }
  return sqrt (sum);
}

static gdouble
sine_of (const StarsSettings *s, gint frame)
{
  return CLAMP (s->turn * frame, -1, 1);
}

static gboolean
is_flipped (const StarsSettings *s, gint frame)
{
  return s->flip > 0 && frame >= s->flip;
}

gdouble
stars_angle (const StarsField *field, gint frame)
{
  return asin (sine_of (&field->settings, frame)) * 180 / G_PI + (is_flipped (&field->settings, frame) ? 180 : 0);
}

void
stars_place (const StarsField *field, gint frame, gdouble *x, gdouble *y)
{
  const StarsSettings *s = &field->settings;
  const StarsShift    *shift = field->shifts + frame;
  const gdouble        sine = sine_of (s, frame), cosine = sqrt (1 - sine * sine);
  const gdouble        dx = *x - s->width / 2 - s->turn_x, dy = *y - s->height / 2 - s->turn_y;

  *x += shift->x;
  *y += shift->y;
  if (sine != 0)
    {
      *x += (cosine - 1) * dx - sine * dy;
      *y += sine * dx + (cosine - 1) * dy;
    }
  if (is_flipped (s, frame))
    {
      *x = s->width - 1 - *x;
      *y = s->height - 1 - *y;
    }
}

void
stars_object (const StarsField *field, gint object, gint frame, gdouble *x, gdouble *y)
{
  const StarsMotion *motion = field->settings.objects + object;

  *x = field->objects[object].x + motion->vx * frame;
  *y = field->objects[object].y + motion->vy * frame;
  stars_place (field, frame, x, y);
}

static gboolean
is_free (const StarsField *field, gint object)
{
  const StarsSettings *s = &field->settings;

  for (gint k = 0; k < MIN (s->frames, KEPT_FRAMES); k++)
    {
      gdouble x, y;

      stars_object (field, object, k, &x, &y);
      if (x < MIN (EDGE, s->width / 4) || x > s->width - 1 - MIN (EDGE, s->width / 4)
          || y < MIN (EDGE, s->height / 4) || y > s->height - 1 - MIN (EDGE, s->height / 4))
        return FALSE;
      for (gint i = 0; i < field->n_stars && field->stars[i].flux >= BRIGHT; i++)
        {
          gdouble star_x = field->stars[i].x, star_y = field->stars[i].y;

          stars_place (field, k, &star_x, &star_y);
          if ((star_x - x) * (star_x - x) + (star_y - y) * (star_y - y) < AWAY * AWAY)
            return FALSE;
        }
    }
  return TRUE;
}

static gboolean
place_objects (StarsField *field)
{
  const StarsSettings *s = &field->settings;
  const gdouble        noise = sqrt (s->sky + s->gradient / 2 + s->read_noise * s->read_noise), sharp = sharpness (s);

  field->objects = g_new0 (Star, MAX (s->n_objects, 1));
  for (gint i = 0; i < s->n_objects; i++)
    {
      StarsRandom random = stars_random (s->seed, OF_OBJECTS, i);
      gint        trials = 0;

      do
        {
          field->objects[i].x = stars_uniform (&random) * (s->width - 1);
          field->objects[i].y = stars_uniform (&random) * (s->height - 1);
          if (++trials > MOST_TRIALS)
            return FALSE;
        }
      while (! is_free (field, i));
      field->objects[i].flux = s->objects[i].snr * noise / sharp;
    }
  return TRUE;
}

static void
draw_pattern (StarsField *field)
{
  const StarsSettings *s = &field->settings;
  const gint           hot = (gint) floor (s->hot * ((gdouble) s->width * s->height) / (512 * 512) + 0.5);
  StarsRandom          random = stars_random (s->seed, OF_PATTERN, 0);
  g_autofree gdouble *columns = g_new (gdouble, s->width);

  field->pattern = g_new (gdouble, (gsize) s->width * s->height);
  for (gint x = 0; x < s->width; x++)
    columns[x] = s->columns * stars_normal (&random);
  for (gint y = 0; y < s->height; y++)
    {
      const gdouble row = s->rows * stars_normal (&random);

      for (gint x = 0; x < s->width; x++)
        field->pattern[(gsize) y * s->width + x] = row + columns[x] + s->pixels * stars_normal (&random);
    }
  random = stars_random (s->seed, OF_HOT, 0);
  for (gint i = 0; i < hot; i++)
    {
      const gint    x = (gint) (stars_uniform (&random) * s->width), y = (gint) (stars_uniform (&random) * s->height);
      const gdouble u = stars_uniform (&random);

      field->pattern[(gsize) y * s->width + x] += s->hot_least * tessera_exp (u * stars_log (s->hot_most / s->hot_least));
    }
}

StarsField *
stars_field_new (const StarsSettings *settings)
{
  StarsField *field = g_new0 (StarsField, 1);

  field->settings = *settings;
  draw_shifts (field);
  draw_stars (field);
  draw_pattern (field);
  if (place_objects (field))
    return field;
  stars_field_free (field);
  return NULL;
}

StarsField *
stars_field_empty (gchar preset, guint64 seed, gint width, gint height, gint frames)
{
  StarsSettings settings;

  stars_preset (&settings, preset, seed);
  settings.width = width;
  settings.height = height;
  settings.frames = frames > 0 ? frames : settings.frames;
  settings.n_objects = 0;
  return stars_field_new (&settings);
}

void
stars_field_free (StarsField *field)
{
  if (! field)
    return;
  g_free (field->stars);
  g_free (field->objects);
  g_free (field->shifts);
  g_free (field->pattern);
  g_free (field);
}
