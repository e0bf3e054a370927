/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Grids of velocities, thresholds, and which tracks are objects; see tracks.h.
 */
#include "tracks-parts.h"

#include <math.h>
#include <stdlib.h>

#include "alarms.h"
#include "detect.h"

#define SHARED 4                /* one in so many frames */
#define ABOVE  2.0f             /* the median, that a frame counts at most */
#define FINE_STEP 0.25          /* px a frame: of the short grid */
#define SLACK  0.5f             /* what sums of limited values may be lower than robust ones */

TrackGrid
tracks_short_grid (void)
{
  return (TrackGrid) { -2.0, -2.0, 0.25, 17, 17 };
}

TrackGrid
tracks_fast_grid (void)
{
  return (TrackGrid) { -4.5, -4.5, 0.5, 19, 19 };
}

TrackGrid
tracks_grid (const gdouble *times, gint n, gdouble fwhm, gdouble exposure, gdouble fastest)
{
  gdouble first = times[0], last = times[0], step;
  gint    half;

  for (gint i = 1; i < n; i++)
    {
      first = MIN (first, times[i]);
      last = MAX (last, times[i]);
    }
  /* Half a step on either side of a velocity, for half of the time. */
  step = last > first ? fwhm / (last - first) : 1.0;
  if (fastest <= 0.0)
    fastest = exposure > 0.0 ? fwhm / exposure : step;
  half = (gint) ceil (fastest / step - 1e-9);
  return (TrackGrid) { -half * step, -half * step, step, 2 * half + 1, 2 * half + 1 };
}

gdouble
tracks_threshold (gint width, gint height, const TrackGrid *grid, gdouble false_alarms)
{
  return alarms_normal (false_alarms / ((gdouble) width * height * grid->n_x * grid->n_y));
}

/* The strongest first; of equal ones the first in the frame. */
static gint
compare_tracks (gconstpointer a, gconstpointer b)
{
  const Track *p = a, *q = b;

  if (p->value != q->value)
    return p->value > q->value ? -1 : 1;
  if (p->y != q->y)
    return p->y < q->y ? -1 : 1;
  return p->x < q->x ? -1 : p->x > q->x;
}

/* At a time after frame r. */
static gboolean
is_near (const Track *a, const Track *b, gdouble near, gdouble time)
{
  return fabs (a->x - b->x + (a->v_x - b->v_x) * time) <= near && fabs (a->y - b->y + (a->v_y - b->v_y) * time) <= near;
}

static gboolean
is_same (const Track *a, const Track *b, const TrackFrame *frames, gint n, gint r)
{
  const gdouble near = detect_reach (a->value, b->value);
  gint shared = 0;

  for (gint j = 0; j < n; j++)
    shared += is_near (a, b, near, frames[j].time - frames[r].time);
  return shared * SHARED >= n;
}

static gint
compare_values (gconstpointer a, gconstpointer b)
{
  const gfloat p = *(const gfloat *) a, q = *(const gfloat *) b;

  return (p > q) - (p < q);
}

gfloat
track_robust_sum (gfloat *values, gint n)
{
  gdouble sum = 0.0;

  qsort (values, n, sizeof *values, compare_values);
  for (gint j = 0; j < n; j++)
    sum += MIN (values[j], values[(n - 1) / 2] + ABOVE);
  return (gfloat) (sum / sqrt (n));
}

/* Of the path with this velocity through a pixel of frame r. */
static gfloat
robust_value (const TrackFrame *frames, gint n, gint r, const TrackGrid *grid, gint velocity, gint x, gint y)
{
  g_autofree gfloat *values = g_new (gfloat, n);

  for (gint j = 0; j < n; j++)
    {
      gint to_x, to_y;

      track_offset (frames, j, r, grid, velocity, &to_x, &to_y);
      values[j] = track_value (frames[j].filtered, x + to_x, y + to_y);
    }
  return track_robust_sum (values, n);
}

/* Of limited values, the sum of a path whose robust value is the threshold: it is least where as many frames as may be
 * have nothing, and the others the same. */
static gfloat
least_sum (gint n, gfloat threshold)
{
  const gfloat seen = n - (n - 1) / 2;

  return MIN (threshold, seen * track_limited (threshold * sqrtf (n) / seen, TRACKS_LIMIT) / sqrtf (n)) - SLACK;
}

static gboolean
is_beside_any (const Track *track, const GArray *stronger, gdouble time)
{
  gboolean is_beside = FALSE;

  for (guint k = 0; k < stronger->len && ! is_beside; k++)
    {
      const Track *other = &g_array_index (stronger, Track, k);

      is_beside = is_near (track, other, detect_reach (track->value, other->value), time);
    }
  return is_beside;
}

/* Without the frames in which a stronger one is beside it. */
static gfloat
value_alone (const Track *track, const GArray *stronger, const TrackFrame *frames, gint n, gint r)
{
  const TrackGrid    own = { track->v_x, track->v_y, 1.0, 1, 1 };
  g_autofree gfloat *values = g_new (gfloat, n);

  for (gint j = 0; j < n; j++)
    {
      gint to_x, to_y;

      track_offset (frames, j, r, &own, 0, &to_x, &to_y);
      values[j] = is_beside_any (track, stronger, frames[j].time - frames[r].time)
                    ? 0.0f : track_value (frames[j].filtered, (gint) floor (track->x + 0.5) + to_x, (gint) floor (track->y + 0.5) + to_y);
    }
  return track_robust_sum (values, n);
}

/* The strongest first; a weaker one goes that is the same object, or that is below the threshold without the light of stronger ones. */
static GArray *
without_weaker (GArray *all, const TrackFrame *frames, gint n, gint r, gfloat threshold)
{
  GArray *tracks = g_array_new (FALSE, FALSE, sizeof (Track));

  g_array_sort (all, compare_tracks);
  for (guint i = 0; i < all->len; i++)
    {
      const Track *track = &g_array_index (all, Track, i);
      gboolean     is_new = TRUE;

      for (guint k = 0; k < tracks->len && is_new; k++)
        is_new = ! is_same (track, &g_array_index (tracks, Track, k), frames, n, r);
      if (is_new && value_alone (track, tracks, frames, n, r) > threshold)
        g_array_append_val (tracks, *track);
    }
  g_array_free (all, TRUE);
  return tracks;
}

GArray *
tracks_unite (GArray *tracks, GArray *others, const TrackFrame *frames, gint n, gint r)
{
  g_array_append_vals (tracks, others->data, others->len);
  g_array_free (others, TRUE);
  return without_weaker (tracks, frames, n, r, -INFINITY);
}

/* Of velocities and pixels within half a step of the coarse ones the best. */
static void
refine (Track *track, const TrackFrame *frames, gint n, gint r, const TrackGrid *coarse)
{
  const gint      steps = (gint) ceil (coarse->step / FINE_STEP / 2.0);
  const TrackGrid fine = { track->v_x - steps * FINE_STEP, track->v_y - steps * FINE_STEP, FINE_STEP, 2 * steps + 1, 2 * steps + 1 };
  const Track     from = *track;

  for (gint v = 0; v < fine.n_x * fine.n_y; v++)
    for (gint i = 0; i < 9; i++)
      {
        const gdouble x = from.x + i % 3 - 1, y = from.y + i / 3 - 1;
        const gfloat  value = robust_value (frames, n, r, &fine, v, (gint) floor (x + 0.5), (gint) floor (y + 0.5));

        if (value > track->value)
          *track = (Track) { x, y, fine.x + fine.step * (v % fine.n_x), fine.y + fine.step * (v / fine.n_x), value };
      }
}

void
tracks_refine (GArray *tracks, const TrackFrame *frames, gint n, gint r, const TrackGrid *coarse)
{
  for (guint i = 0; i < tracks->len; i++)
    refine (&g_array_index (tracks, Track, i), frames, n, r, coarse);
}

GArray *
tracks_find (const TrackPlanes *planes, const TrackFrame *frames, gint n, gint r, const TrackGrid *grid, gfloat threshold)
{
  GArray *maxima = detect_maxima (&planes->best, least_sum (n, threshold));
  GArray *all = g_array_new (FALSE, FALSE, sizeof (Track));

  for (guint i = 0; i < maxima->len; i++)
    {
      const Detection *maximum = &g_array_index (maxima, Detection, i);
      const gint       velocity = planes->velocity[(gsize) maximum->y * planes->best.width + maximum->x];
      const Track      track = { maximum->fine_x, maximum->fine_y, grid->x + grid->step * (velocity % grid->n_x),
                                 grid->y + grid->step * (velocity / grid->n_x),
                                 robust_value (frames, n, r, grid, velocity, maximum->x, maximum->y) };

      if (track.value > threshold)
        g_array_append_val (all, track);
    }
  g_array_free (maxima, TRUE);
  return without_weaker (all, frames, n, r, threshold);
}
