/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What noise is along paths; see alarms.h.
 *
 * The paths are some of those that tracks_stack tries, through frames with the sign turned.  They are the same in each run: which ones they are
 * depends on the sizes alone.
 */
#include "tracks-parts.h"

#include <math.h>
#include <string.h>

#include "alarms.h"
#include "detect.h"

#define VELOCITIES 1024         /* drawn, ... */
#define PLACES     64           /* ... each with so many pixels */
#define ALIKE      1.0          /* of pixels and velocities, how many are trials of their own */
#define NOISE      2.0f         /* a value below it tells nothing */
#define BRIGHT     30.0f        /* its light is wider than the filter, so that many paths are in it, whatever the order */

/* A number below n; the state goes on (Knuth's MMIX). */
static gint
draw (guint64 *state, gint n)
{
  *state = *state * G_GUINT64_CONSTANT (6364136223846793005) + G_GUINT64_CONSTANT (1442695040888963407);
  return (gint) (((*state >> 32) * (guint64) n) >> 32);
}

/* The frames with one another's times. */
static void
mix (guint64 *state, TrackFrame *mixed, const TrackFrame *frames, gint n)
{
  memcpy (mixed, frames, sizeof *mixed * n);
  for (gint j = n - 1; j > 0; j--)
    {
      const gint    other = draw (state, j + 1);
      const gdouble time = mixed[j].time;

      mixed[j].time = mixed[other].time;
      mixed[other].time = time;
    }
}

static void
hide_light (CountPlane *plane, const Detection *bright)
{
  const gint reach = (gint) ceil (detect_reach (1.0, bright->value));

  for (gint y = MAX (bright->y - reach, 0); y <= MIN (bright->y + reach, plane->height - 1); y++)
    for (gint x = MAX (bright->x - reach, 0); x <= MIN (bright->x + reach, plane->width - 1); x++)
      plane->pixels[(gsize) y * plane->width + x] = NAN;
}

/* The plane without what is bright; pixels NULL: nothing is. */
static CountPlane
without_bright (const CountPlane *plane)
{
  g_autoptr (GArray) bright = detect_maxima (plane, BRIGHT);
  CountPlane         without = { 0 };

  if (bright->len == 0)
    return without;
  count_plane_init (&without, plane->width, plane->height);
  memcpy (without.pixels, plane->pixels, sizeof (gfloat) * plane->width * plane->height);
  for (guint i = 0; i < bright->len; i++)
    hide_light (&without, &g_array_index (bright, Detection, i));
  return without;
}

/* The noise of a path, times the sign; 0 where it is below NOISE, as it is of nearly all. */
static gfloat
noise_at (const TrackFrame *frames, gint n, const gint *to_x, const gint *to_y, gint x, gint y, gfloat sign, gfloat *values)
{
  gfloat sum = 0.0f;

  for (gint j = 0; j < n; j++)
    sum += values[j] = sign * track_value (frames[j].filtered, x + to_x[j], y + to_y[j]);
  return sum > NOISE * sqrtf (n) ? track_robust_sum (values, n) : 0.0f;
}

static gfloat
threshold_of_side (const TrackFrame *frames, gint n, gint r, const TrackGrid *grid, gdouble slowest, gfloat sign, gdouble false_alarms)
{
  const gint    width = frames[r].filtered->width, height = frames[r].filtered->height;
  const gdouble trials = ALIKE * width * height * grid->n_x * grid->n_y;
  g_autofree gfloat *found = g_new (gfloat, VELOCITIES * PLACES), *values = g_new (gfloat, n);
  g_autofree TrackFrame *mixed = g_new (TrackFrame, n);
  g_autofree gint   *to_x = g_new (gint, n), *to_y = g_new (gint, n);
  guint64       state = 1;
  guint         n_tried = 0, n_found = 0;

  for (gint i = 0; i < VELOCITIES; i++)
    {
      const gint velocity = draw (&state, grid->n_x * grid->n_y);

      if (hypot (grid->x + grid->step * (velocity % grid->n_x), grid->y + grid->step * (velocity / grid->n_x)) < slowest)
        continue;
      mix (&state, mixed, frames, n);
      for (gint j = 0; j < n; j++)
        track_offset (mixed, j, r, grid, velocity, &to_x[j], &to_y[j]);
      n_tried += PLACES;
      for (gint k = 0; k < PLACES; k++)
        {
          const gint   x = draw (&state, width), y = draw (&state, height);
          const gfloat value = noise_at (frames, n, to_x, to_y, x, y, sign, values);

          if (value > NOISE)
            found[n_found++] = value;
        }
    }
  return alarms_threshold (found, n_found, 128, MAX (n_tried, 1), false_alarms * MAX (n_tried, 1) / trials);
}

gfloat
tracks_noise_threshold (const TrackFrame *frames, gint n, gint r, const TrackGrid *grid, gdouble slowest, gdouble false_alarms)
{
  g_autofree CountPlane *without = g_new (CountPlane, n);
  g_autofree TrackFrame *noise = g_memdup2 (frames, sizeof *frames * n);
  gfloat                 threshold;

  for (gint j = 0; j < n; j++)
    {
      without[j] = without_bright (frames[j].filtered);
      if (without[j].pixels)
        noise[j].filtered = &without[j];
    }
  threshold = MAX (threshold_of_side (noise, n, r, grid, slowest, -1.0f, false_alarms), threshold_of_side (noise, n, r, grid, slowest, 1.0f, false_alarms));
  for (gint j = 0; j < n; j++)
    count_plane_clear (&without[j]);
  return threshold;
}
