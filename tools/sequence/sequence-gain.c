/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * How many electrons a count stands for, from how the noise grows with light.
 *
 * Two frames that lie whole pixels from one another differ by noise alone, of variance
 *
 *   V = V of the sky + (slope distance)^2 / 2 + light / gain + a slope^2 + b light^2
 *
 * in one of them.  The light is that of the background; the distance is what is left of whole pixels, and the last terms are what errors of shifts, and stars
 * that are wider, leave.  Pixels of some pairs of a leg tell, by
 * least squares that are weighted by 1 / V^2, and in which what is far away counts as what has MOST standard deviations. */
#include "sequence.h"

#include <math.h>
#include <string.h>

#include "solve.h"

#define PAIRS    8              /* of a leg */
#define NEAR     0.05           /* px from whole ones, on each axis */
#define NOISIEST 1.15           /* noise gain: else what is bright in the background is noise of one of the two */
#define BRIGHT   3.5            /* standard deviations of the background's noise, and one of a frame: above the sky */
#define SAMPLES  8192           /* pixels of a pair */
#define STEPS    12             /* until the weights stay */
#define TERMS    3
#define MOST     9.0            /* the square of 3 standard deviations, ... */
#define CLIPPED  0.9733         /* ... and the mean of squares of normal noise that are clipped so */
#define SURE     5.0            /* standard errors that 1 / gain has at least */

typedef struct
{
  gfloat terms[TERMS];          /* light, slope^2, light^2 */
  gfloat square;                /* of the difference, of one frame */
  gfloat known;                 /* V, of the sky and by the distance */
} Sample;

void
gain_init (GainShown *shown)
{
  *shown = (GainShown) { .samples = g_array_new (FALSE, FALSE, sizeof (Sample)) };
}

void
gain_clear (GainShown *shown)
{
  g_array_unref (shown->samples);
}

/* How far one lies from whole pixels of the other. */
static FrameShift
off_whole (FrameShift now, FrameShift then)
{
  const gdouble x = now.x - then.x, y = now.y - then.y;

  return (FrameShift) { x - floor (x + 0.5), y - floor (y + 0.5) };
}

/* The frame of the history that is nearest to whole pixels away; -1: none is near. */
static gint
find_partner (const WhitenFrames *frames)
{
  const FrameShift now = frames->all[frames->n].shift;
  gdouble          least = NEAR;
  gint             best = -1;

  for (gint k = 0; k < frames->n; k++)
    {
      const FrameShift off = off_whole (now, frames->all[k].shift);

      if (MAX (fabs (off.x), fabs (off.y)) < least)
        {
          least = MAX (fabs (off.x), fabs (off.y));
          best = k;
        }
    }
  return best;
}

/* One frame less the other, moved. */
static void
subtract (const WhitenFrame *now, const WhitenFrame *then, CountPlane *difference)
{
  const gint width = now->plane.width, height = now->plane.height;
  const gint move_x = (gint) floor (now->shift.x - then->shift.x + 0.5), move_y = (gint) floor (now->shift.y - then->shift.y + 0.5);

  count_plane_init (difference, width, height);
  for (gint y = 0; y < height; y++)
    for (gint x = 0; x < width; x++)
      {
        const gint     u = x - move_x, v = y - move_y;
        const gboolean is_seen = u >= 0 && u < width && v >= 0 && v < height;

        difference->pixels[(gsize) y * width + x] = is_seen ? now->plane.pixels[(gsize) y * width + x] - then->plane.pixels[(gsize) v * width + u] : NAN;
      }
}

/* Of pixels that are so much brighter than the sky, some that lie evenly. */
static void
add_samples (GainShown *shown, const CountPlane *background, const CountPlane *difference, FrameShift off, SkyLevel sky, SkyLevel noise, gfloat least)
{
  const gint    width = background->width, height = background->height;
  const gfloat  sigma = noise.width * (gfloat) M_SQRT1_2;
  const gsize   n_pixels = (gsize) width * height;
  gsize         bright = 0, seen = 0, apart;

  for (gsize i = 0; i < n_pixels; i++)
    bright += background->pixels[i] - sky.level > least;
  apart = bright / SAMPLES + 1;
  for (gint y = 1; y + 1 < height; y++)
    for (gint x = 1; x + 1 < width; x++)
      {
        const gsize   i = (gsize) y * width + x;
        const gfloat *at = background->pixels + i, light = *at - sky.level, left = difference->pixels[i] - noise.level;
        const gfloat  slope_x = 0.5f * (at[1] - at[-1]), slope_y = 0.5f * (at[width] - at[-width]);
        const gfloat  slope = slope_x * slope_x + slope_y * slope_y, moved = slope_x * (gfloat) off.x + slope_y * (gfloat) off.y;

        if (light > least && isfinite (left + slope) && seen++ % apart == 0)
          {
            const Sample sample = { { light, slope, light * light }, 0.5f * left * left, sigma * sigma + 0.5f * moved * moved };

            g_array_append_val (shown->samples, sample);
          }
      }
}

typedef struct
{
  gint    n, which[TERMS];      /* terms that count */
  gdouble matrix[TERMS * TERMS], products[TERMS];
} Equations;

/* Of samples that are weighted by what `parts` says of them. */
static Equations
equations_of (const GArray *samples, const gdouble *parts, const gint *which, gint n)
{
  Equations e = { .n = n };

  for (gint i = 0; i < n; i++)
    e.which[i] = which[i];
  for (guint k = 0; k < samples->len; k++)
    {
      const Sample *sample = &g_array_index (samples, Sample, k);
      gdouble       variance = sample->known, square, weight;

      for (gint i = 0; i < TERMS; i++)
        variance += parts[i] * sample->terms[i];
      square = MIN (sample->square, MOST * variance) / CLIPPED - sample->known;
      weight = 0.5 / (variance * variance);
      for (gint i = 0; i < n; i++)
        {
          e.products[i] += weight * sample->terms[which[i]] * square;
          for (gint j = 0; j < n; j++)
            e.matrix[TERMS * i + j] += weight * sample->terms[which[i]] * sample->terms[which[j]];
        }
    }
  return e;
}

/* Terms below 0 are left out; `error`: of the first.  FALSE: the samples do not tell. */
static gboolean
solve_parts (const GArray *samples, const gdouble *before, gdouble *parts, gdouble *error)
{
  gint     which[TERMS] = { 0, 1, 2 }, n = TERMS, kept;
  gboolean is_good;

  do
    {
      const Equations e = equations_of (samples, before, which, n);
      gdouble         inverse[TERMS * TERMS];

      is_good = solve_inverse (e.matrix, TERMS, n, 0.0, inverse);
      *error = is_good ? sqrt (inverse[0]) : INFINITY;
      for (gint i = 0; i < TERMS; i++)
        parts[i] = 0.0;
      for (gint i = 0; i < n && is_good; i++)
        for (gint j = 0; j < n; j++)
          parts[which[i]] += inverse[TERMS * i + j] * e.products[j];
      kept = 1;
      for (gint i = 1; i < n; i++)
        if (parts[which[i]] > 0.0)
          which[kept++] = which[i];
    }
  while (is_good && kept < n && (n = kept) > 0);
  return is_good && parts[0] > 0.0;
}

/* 0: it is not known well enough. */
static gdouble
find_per_gain (const GArray *samples)
{
  gdouble  parts[TERMS] = { 1.0 }, error = INFINITY;
  gboolean is_good = TRUE;

  for (gint i = 0; i < STEPS && is_good; i++)
    {
      gdouble before[TERMS];

      memcpy (before, parts, sizeof before);
      is_good = solve_parts (samples, before, parts, &error);
    }
  return is_good && parts[0] > SURE * error ? parts[0] : 0.0;
}

void
gain_add (GainShown *shown, const WhitenFrames *frames, const CountPlane *background, gdouble noise_gain, gfloat step)
{
  const gint partner = shown->pairs < PAIRS && noise_gain < NOISIEST ? find_partner (frames) : -1;
  CountPlane difference;
  SkyLevel   noise;
  gdouble    per_gain;

  if (partner < 0)
    return;
  subtract (&frames->all[frames->n], &frames->all[partner], &difference);
  noise = left_sky (&difference, SKY_APART);
  if (noise.width > 2.0f * step)        /* of what is rounded it says nothing */
    {
      shown->pairs++;
      add_samples (shown, background, &difference, off_whole (frames->all[frames->n].shift, frames->all[partner].shift), left_sky (background, SKY_APART), noise,
                   (gfloat) (noise.width * M_SQRT1_2 * MAX (BRIGHT * sqrt (noise_gain * noise_gain - 1.0), 1.0)));
      per_gain = find_per_gain (shown->samples);
      shown->gain = per_gain > 0.0 ? 1.0 / per_gain : 0.0;
    }
  count_plane_clear (&difference);
}
