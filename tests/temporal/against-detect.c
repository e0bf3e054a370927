/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Detections, removal and tracks.  Maxima and removal choose among values that both sides are given, so they agree exactly. */
#include "against.h"

#include "detect.h"
#include "tracks.h"
#include "../engine/verdict.h"

#include <math.h>

#define FLOAT_STEP 0x1p-24
#define MOST_FRAMES 8

static Plane
same_everywhere (const Plane *like, gdouble value)
{
  Plane plane = plane_new (like->width, like->height);

  for (gsize i = 0; i < plane_size (&plane); i++)
    plane.values[i] = value;
  return plane;
}

static void
compare_maxima (const GArray *found, const GArray *wanted, const gchar *name)
{
  gint different = 0;

  for (guint i = 0; i < MIN (found->len, wanted->len); i++)
    {
      const Detection     *a = &g_array_index (found, Detection, i);
      const ReferenceSpot *b = &g_array_index (wanted, ReferenceSpot, i);

      different += a->x != b->x || a->y != b->y || a->value != b->value;
    }
  expect (found->len == wanted->len && different == 0, "%s: %d maxima, the reference has %d; %d differ", name, found->len, wanted->len, different);
}

void
against_detection (StarsRandom *random, const gchar *name)
{
  const gint    w = (gint) draw_log (random, 1, 120), h = (gint) draw_log (random, 1, 120);
  const gdouble fwhm = draw_chance (random, 0.4) ? 2.2 : draw_log (random, 0.6, 9), threshold = (gfloat) draw (random, 1, 8);
  const gint    reach = (gint) ceil (3 * fwhm / 2.3548), taps = (2 * reach + 1) * (2 * reach + 1);
  Plane         noise = draw_noise (random, w, h), wanted = reference_filtered (&noise, fwhm), allowed, again;
  CountPlane    counts = as_counts (&noise), filtered;
  gdouble       most = 0;
  GArray       *a, *b;
  gchar        *text = g_strdup_printf ("%s, %d x %d, fwhm %g, threshold %g", name, w, h, fwhm, threshold);

  for (gsize i = 0; i < plane_size (&noise); i++)
    most = MAX (most, isfinite (noise.values[i]) ? fabs (noise.values[i]) : 0);
  /* The filter's norm is 1, so the sum of |k v| is at most sqrt (taps) times the largest |v|. */
  allowed = same_everywhere (&noise, (2 * reach + 6) * 2 * FLOAT_STEP * sqrt (taps) * most);
  count_plane_init (&filtered, w, h);
  detect_filter (&counts, fwhm, &filtered);
  expect_planes (&filtered, &wanted, &allowed, "filtered", text);
  if (draw_chance (random, 0.3))                                        /* ties */
    for (gint i = 0; i < w * h; i++)
      filtered.pixels[i] = floorf (filtered.pixels[i]);
  again = as_plane (&filtered);
  a = detect_maxima (&filtered, (gfloat) threshold);
  b = reference_maxima (&again, threshold);
  compare_maxima (a, b, text);
  g_array_free (a, TRUE);
  g_array_free (b, TRUE);
  plane_free (&noise);
  plane_free (&wanted);
  plane_free (&allowed);
  plane_free (&again);
  count_plane_clear (&counts);
  count_plane_clear (&filtered);
  g_free (text);
}

static void
against_removed (StarsRandom *random, gboolean has_gaps, const gchar *name)
{
  const gint       w = (gint) draw_log (random, 1, 120), h = (gint) draw_log (random, 1, 120);
  const gdouble    threshold = (gfloat) draw (random, 2, 12);
  const gboolean   stays = draw_chance (random, 0.5);
  Vector           shift = { 0, 0 };
  Plane            objects = draw_noise (random, w, h);
  ReferenceRemoval removal = { .masks = { NULL } };
  Removal          same = { .width = w, .height = h };

  for (gint k = 0; k < MOST_FRAMES; k++)
    {
      Plane         frame = draw_noise (random, w, h), background = draw_noise (random, w, h), other = draw_noise (random, w, h);
      Plane        *filtered = stays ? &objects : &other;
      CountPlane    a, b, c;
      gint          wanted, found, different = 0;

      /* Where there is no background, the filter has no value. */
      for (gint i = 0; i < w * h; i++)
        if (! isfinite (background.values[i]) && ! has_gaps)
          background.values[i] = 0;
        else if (! isfinite (background.values[i]))
          filtered->values[i] = NAN;
      a = as_counts (filtered);
      b = as_counts (&background);
      c = as_counts (&frame);
      found = removal_apply (&same, &a, &b, (gfloat) threshold, (FrameShift) { shift.x, shift.y }, &c);
      wanted = reference_remove (&frame, &background, filtered, threshold, shift, &removal);
      for (gint i = 0; i < w * h; i++)
        different += isfinite (frame.values[i]) ? c.pixels[i] != (gfloat) frame.values[i] : isfinite (c.pixels[i]);
      expect (found == wanted && different == 0, "%s, frame %d of %d x %d, threshold %g, shift (%.3f, %.3f): %d pixels are replaced, the reference replaces %d; %d differ", name, k,
              w, h, threshold, shift.x, shift.y, found, wanted, different);
      shift.x += stays ? 0 : draw (random, -1.5, 1.5);
      shift.y += stays ? 0 : draw (random, -1.5, 1.5);
      plane_free (&frame);
      plane_free (&background);
      plane_free (&other);
      count_plane_clear (&a);
      count_plane_clear (&b);
      count_plane_clear (&c);
    }
  plane_free (&objects);
  removal_clear (&same);
  reference_removal_free (&removal);
}

void
against_removal (StarsRandom *random, const gchar *name)
{
  against_removed (random, FALSE, name);
}

/* Nothing is known of the background of some pixels: they are not replaced. */
void
against_removal_gaps (StarsRandom *random, const gchar *name)
{
  against_removed (random, TRUE, name);
}

/* What the reference finds for the velocity that the product names. */
static gdouble
value_of (gint n, const Plane *filtered, const Vector *shifts, gint x, gint y, gdouble vx, gdouble vy)
{
  gdouble sum = 0;

  for (gint j = 0; j < n; j++)
    {
      const gint u = x + (gint) floor (shifts[j].x - shifts[0].x - vx * j + 0.5), v = y + (gint) floor (shifts[j].y - shifts[0].y - vy * j + 0.5);

      if (u >= 0 && u < filtered[j].width && v >= 0 && v < filtered[j].height && isfinite (filtered[j].values[v * filtered[j].width + u]))
        sum += filtered[j].values[v * filtered[j].width + u];
    }
  return sum / sqrt (n);
}

void
against_tracks (StarsRandom *random, const gchar *name)
{
  const gint     n = draw_whole (random, 1, MOST_FRAMES), w = (gint) draw_log (random, 1, 70), h = (gint) draw_log (random, 1, 70);
  const gboolean still = draw_chance (random, 0.3);
  const TrackGrid grid = tracks_short_grid ();
  Plane          filtered[MOST_FRAMES], vx, vy, wanted, allowed;
  const Plane   *pointers[MOST_FRAMES];
  CountPlane     counts[MOST_FRAMES];
  Vector         shifts[MOST_FRAMES];
  TrackFrame     frames[MOST_FRAMES];
  TrackPlanes    planes = { { 0, 0, NULL }, NULL };
  gint           wrong = 0;
  gchar         *text = g_strdup_printf ("%s, %d frames of %d x %d%s", name, n, w, h, still ? ", no shifts: ties of half pixels" : "");

  for (gint j = 0; j < n; j++)
    {
      filtered[j] = draw_noise (random, w, h);
      pointers[j] = filtered + j;
      counts[j] = as_counts (filtered + j);
      shifts[j] = still ? (Vector) { 0, 0 } : (Vector) { draw (random, -9, 9), draw (random, -9, 9) };
      frames[j] = (TrackFrame) { counts + j, { shifts[j].x, shifts[j].y }, -j };
    }
  vx = plane_new (w, h);
  vy = plane_new (w, h);
  wanted = reference_track (n, pointers, shifts, &vx, &vy);
  tracks_stack (frames, n, 0, &grid, INFINITY, &planes);
  allowed = same_everywhere (&wanted, (n + 2) * FLOAT_STEP * 40 * sqrt (n));
  expect_planes (&planes.best, &wanted, &allowed, "tracks", text);
  for (gint i = 0; i < w * h; i++)
    {
      const gint    v = planes.velocity[i];
      const gdouble value = value_of (n, filtered, shifts, i % w, i / w, grid.x + grid.step * (v % grid.n_x), grid.y + grid.step * (v / grid.n_x));

      wrong += fabs (value - planes.best.pixels[i]) > allowed.values[i];
    }
  expect (wrong == 0, "%s: %d velocities do not give their values", text, wrong);
  for (gint j = 0; j < n; j++)
    {
      plane_free (filtered + j);
      count_plane_clear (counts + j);
    }
  plane_free (&vx);
  plane_free (&vy);
  plane_free (&wanted);
  plane_free (&allowed);
  track_planes_clear (&planes);
  g_free (text);
}
