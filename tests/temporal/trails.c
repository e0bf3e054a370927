/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What is no object: noise, cosmic rays, streaks and what is left of stars; and that objects are none of these. */
#include "objects.h"

#include <math.h>
#include <string.h>

#include <gegl.h>

#include "../engine/verdict.h"
#include "alarms.h"
#include "streaks.h"
#include "tracks.h"

#define SIDE  200
#define FWHM  2.2
#define TIMES 40

static GRand *dice;

static gdouble
normal (void)
{
  return sqrt (-2.0 * log (1.0 - g_rand_double (dice))) * cos (2.0 * G_PI * g_rand_double (dice));
}

/* One pixel in `heavy` of three times the noise; 0: none. */
static void
noise_init (CountPlane *plane, gdouble noise, gint heavy)
{
  count_plane_init (plane, SIDE, SIDE);
  for (gint i = 0; i < SIDE * SIDE; i++)
    plane->pixels[i] = noise * (heavy && g_rand_int_range (dice, 0, heavy) == 0 ? 3.0 : 1.0) * normal ();
}

/* Of a Gaussian along one axis, what a pixel integrates. */
static gdouble
in_pixel (gdouble away, gdouble s)
{
  return 0.5 * (erf ((away + 0.5) / (s * sqrt (2.0))) - erf ((away - 0.5) / (s * sqrt (2.0))));
}

/* As pixels see it; of L2 norm `snr` where it is well sampled. */
static void
add_star (CountPlane *plane, gdouble x, gdouble y, gdouble fwhm, gdouble snr)
{
  const gdouble s = fwhm / 2.3548, light = snr * 2.0 * s * sqrt (G_PI);

  for (gint i = 0; i < SIDE * SIDE; i++)
    plane->pixels[i] += light * in_pixel (i % SIDE - x, s) * in_pixel (i / SIDE - y, s);
}

/* `width` 0: single pixels, as a ray leaves them. */
static void
add_line (CountPlane *plane, gdouble x, gdouble y, gdouble degrees, gdouble length, gdouble width, gdouble height)
{
  const gdouble cosine = cos (degrees * G_PI / 180), sine = sin (degrees * G_PI / 180);

  if (width == 0)
    for (gdouble t = 0; t < length; t += 0.25)
      plane->pixels[(gint) floor (y + t * sine) * SIDE + (gint) floor (x + t * cosine)] += height / 4;
  for (gint i = 0; i < SIDE * SIDE && width > 0; i++)
    {
      const gdouble dx = i % SIDE - x, dy = i / SIDE - y, along = dx * cosine + dy * sine, away = (dy * cosine - dx * sine) * 2.3548 / width;

      if (along >= 0 && along <= length)
        plane->pixels[i] += height * exp (-0.5 * away * away);
    }
}

/* ---------------------------------------------------------------- alarms -- */

/* How many false alarms TIMES planes of noise have, of which each may have one. */
static guint
count_alarms (gdouble noise, gint heavy, gboolean is_normal)
{
  guint n = 0;

  for (gint i = 0; i < TIMES; i++)
    {
      CountPlane plane, filtered;
      GArray    *found;

      noise_init (&plane, noise, heavy);
      count_plane_init (&filtered, SIDE, SIDE);
      detect_filter (&plane, FWHM, &filtered);
      found = detect_maxima (&filtered, is_normal ? detect_trail_threshold (&filtered, 1.0) : detect_noise_threshold (&plane, &filtered, 1.0));
      n += found->len;
      g_array_free (found, TRUE);
      count_plane_clear (&filtered);
      count_plane_clear (&plane);
    }
  return n;
}

static void
test_alarms (void)
{
  const guint plain = count_alarms (1.0, 0, FALSE), wide = count_alarms (2.0, 0, FALSE), heavy = count_alarms (1.0, 30, FALSE);
  const guint normal_heavy = count_alarms (1.0, 30, TRUE);

  expect (plain > TIMES / 8 && plain < 1.5 * TIMES, "%u false alarms of normal noise, for %d", plain, TIMES);
  expect (wide > TIMES / 8 && wide < 2 * TIMES, "%u false alarms of noise that is twice as wide, for %d", wide, TIMES);
  expect (normal_heavy > 10 * TIMES, "%u false alarms with the threshold of normal noise: nothing was to be measured", normal_heavy);
  expect (heavy > TIMES / 8 && heavy < 2 * TIMES, "%u false alarms of noise with heavy tails, for %d", heavy, TIMES);
  expect (fabs (alarms_normal (2.866516e-7) - 5.0) < 1e-6 && fabs (alarms_normal (0.158655) - 1.0) < 1e-4, "normal noise");
}

/* What is bright does not raise the threshold, and what it leaves in the history does not either. */
static void
test_objects_are_no_noise (void)
{
  CountPlane plane, filtered;
  gfloat     before, after;

  noise_init (&plane, 1.0, 0);
  count_plane_init (&filtered, SIDE, SIDE);
  detect_filter (&plane, FWHM, &filtered);
  before = detect_noise_threshold (&plane, &filtered, 0.1);
  for (gint i = 0; i < 4; i++)
    add_star (&plane, 30 + 40 * i, 50, FWHM, i % 2 ? 300.0 : -300.0);
  detect_filter (&plane, FWHM, &filtered);
  after = detect_noise_threshold (&plane, &filtered, 0.1);
  expect (before > 4.4f && fabsf (after - before) < 0.35f, "the threshold is %g, with four bright places %g", before, after);
  count_plane_clear (&filtered);
  count_plane_clear (&plane);
}

/* Of 8 frames of noise: tracks for one false alarm in each search; none of a wider noise's more than that. */
static guint
count_tracks (gdouble noise)
{
  const TrackGrid grid = tracks_short_grid ();
  guint           n = 0;

  for (gint i = 0; i < 6; i++)
    {
      CountPlane  planes[8];
      TrackFrame  frames[8];
      TrackPlanes found;
      GArray     *tracks;

      for (gint j = 0; j < 8; j++)
        {
          CountPlane plane;

          noise_init (&plane, noise, 0);
          count_plane_init (&planes[j], SIDE, SIDE);
          detect_filter (&plane, FWHM, &planes[j]);
          count_plane_clear (&plane);
          frames[j] = (TrackFrame) { &planes[j], { 0, 0 }, j };
        }
      tracks_stack (frames, 8, 7, &grid, TRACKS_LIMIT, &found);
      tracks = tracks_find (&found, frames, 8, 7, &grid, tracks_noise_threshold (frames, 8, 7, &grid, 0.3, 1.0));
      n += tracks->len;
      g_array_free (tracks, TRUE);
      track_planes_clear (&found);
      for (gint j = 0; j < 8; j++)
        count_plane_clear (&planes[j]);
    }
  return n;
}

static void
test_track_alarms (void)
{
  const guint plain = count_tracks (1.0), wide = count_tracks (1.5);

  expect (plain <= 12, "%u tracks of noise in 6 searches", plain);
  expect (wide <= 12, "%u tracks of wider noise in 6 searches", wide);
}

/* ------------------------------------------------------------------ rays -- */

typedef gboolean (*IsRay) (const CountPlane *plane, const Detection *detection);

/* The strongest maximum of the plane is a ray. */
static gboolean
is_ray (const CountPlane *plane, IsRay tell)
{
  Detection  strongest = { .value = 0 };
  CountPlane filtered;
  GArray    *found;
  gboolean   is;

  count_plane_init (&filtered, SIDE, SIDE);
  detect_filter (plane, FWHM, &filtered);
  found = detect_maxima (&filtered, 4.0f);
  for (guint i = 0; i < found->len; i++)
    if (g_array_index (found, Detection, i).value > strongest.value)
      strongest = g_array_index (found, Detection, i);
  is = strongest.value > 0 && tell (plane, &strongest);
  g_array_free (found, TRUE);
  count_plane_clear (&filtered);
  return is;
}

/* Stars of any phase, and of other widths than the filter's, are none; nor is a trail as wide as a star. */
static void
test_stars_are_no_rays (void)
{
  static const gdouble widths[] = { 1.2, 1.6, 2.2, 3.5, 6.0 }, snrs[] = { 7.0, 15.0, 60.0, 1000.0 };

  for (guint i = 0; i < G_N_ELEMENTS (widths) * G_N_ELEMENTS (snrs); i++)
    {
      const gdouble fwhm = widths[i / G_N_ELEMENTS (snrs)], snr = snrs[i % G_N_ELEMENTS (snrs)];
      gint          n = 0, turned = 0;

      for (gint phase = 0; phase < 25; phase++)
        {
          CountPlane plane;

          noise_init (&plane, 1.0, 0);
          add_star (&plane, 100 + phase % 5 * 0.2, 100 + phase / 5 * 0.2, fwhm, snr);
          n += is_ray (&plane, detect_is_ray);
          turned += is_ray (&plane, detect_is_turned_ray);
          count_plane_clear (&plane);
        }
      expect (n <= 1, "of 25 stars of SNR %g, %g px wide, %d are rays", snr, fwhm, n);
      expect (fwhm < 1.5 || turned <= 1, "of 25 stars of SNR %g, %g px wide, %d are rays of a turned frame", snr, fwhm, turned);
    }
}

static void
test_rays (void)
{
  for (gint i = 0; i < 24; i++)
    {
      const gdouble length = i % 3 ? 12.0 : 0.25, height = i % 2 ? 20.0 : 200.0;
      CountPlane    plane;

      noise_init (&plane, 1.0, 0);
      add_line (&plane, 100.1 + 0.03 * i, 90.3, 15.0 * i, length, 0, length < 1 ? 4 * height : height);
      expect (is_ray (&plane, detect_is_ray), "a ray of %g px, at %d degrees, of %g times the noise is none", length, 15 * i, height);
      count_plane_clear (&plane);
    }
}

/* --------------------------------------------------------------- streaks -- */

static GArray *
streaks_of (const CountPlane *plane, guint8 *mask)
{
  WhitenPlanes planes;
  CountPlane   filtered;
  GArray      *streaks;

  whiten_planes_init (&planes, SIDE, SIDE);
  for (gint i = 0; i < SIDE * SIDE; i++)
    {
      planes.background.pixels[i] = 100.0f;
      planes.significance.pixels[i] = planes.whitened.pixels[i] = plane->pixels[i];
    }
  count_plane_init (&filtered, SIDE, SIDE);
  detect_filter (plane, FWHM, &filtered);
  memset (mask, 0, SIDE * SIDE);
  streaks = streaks_find (&planes, &filtered, 4.5f, mask);
  count_plane_clear (&filtered);
  whiten_planes_clear (&planes);
  return streaks;
}

static void
test_streaks (void)
{
  g_autofree guint8 *mask = g_new (guint8, SIDE * SIDE);

  for (gint i = 0; i < 12; i++)
    {
      const gdouble degrees = 30.0 * i + 7.0, length = i % 2 ? 150.0 : 60.0, x = 100 - 0.5 * length * cos (degrees * G_PI / 180);
      const gdouble y = 100 - 0.5 * length * sin (degrees * G_PI / 180), flux = length * 8.0 * FWHM * 1.0645;
      CountPlane    plane;
      GArray       *streaks;
      gint          left = 0;

      noise_init (&plane, 1.0, 0);
      add_line (&plane, x, y, degrees, length, FWHM, 8.0);
      streaks = streaks_of (&plane, mask);
      expect (streaks->len == 1, "%u streaks at %g degrees, not 1", streaks->len, degrees);
      if (streaks->len > 0)
        {
          const Streak *s = &g_array_index (streaks, Streak, 0);
          const gdouble found = hypot (s->x[1] - s->x[0], s->y[1] - s->y[0]);

          expect (fabs (found - length) < 4 && hypot (s->x[0] + s->x[1] - 200, s->y[0] + s->y[1] - 200) < 6, "a streak of %g px at %g degrees: %g px",
                  length, degrees, found);
          expect (fabs (s->width - FWHM) < 0.4 && fabs (s->flux / flux - 1) < 0.1, "its width is %g, its flux %g, not %g", s->width, s->flux, flux);
        }
      for (gint k = 0; k < SIDE * SIDE; k++)
        left += ! mask[k] && plane.pixels[k] > 6.0f;
      expect (left == 0, "%d pixels of a streak at %g degrees are not marked", left, degrees);
      g_array_free (streaks, TRUE);
      count_plane_clear (&plane);
    }
}

/* Two that cross are two; noise, a bright star, and stars in a row are none. */
static void
test_what_is_no_streak (void)
{
  g_autofree guint8 *mask = g_new (guint8, SIDE * SIDE);

  for (gint i = 0; i < 4; i++)
    {
      CountPlane plane;
      GArray    *streaks;

      noise_init (&plane, 1.0, 0);
      if (i == 0)
        {
          add_line (&plane, 20, 30, 40, 180, FWHM, 10.0);
          add_line (&plane, 180, 20, 130, 180, FWHM, 20.0);
        }
      if (i == 1)
        add_star (&plane, 100, 100, FWHM, 1e5);
      for (gint k = 0; i == 2 && k < 6; k++)
        add_star (&plane, 10 + 35 * k, 20 + 30 * k, FWHM, 40);
      streaks = streaks_of (&plane, mask);
      expect (streaks->len == (i == 0 ? 2 : 0), "%u streaks in plane %d", streaks->len, i);
      g_array_free (streaks, TRUE);
      count_plane_clear (&plane);
    }
}

/* Two on one line, with nothing for 40 pixels between, are two: the first one's points do not count again. */
static void
test_streaks_on_one_line (void)
{
  g_autofree guint8 *mask = g_new (guint8, SIDE * SIDE);
  CountPlane         plane;
  GArray            *streaks;
  gdouble            lengths[2] = { 0.0, 0.0 };

  noise_init (&plane, 1.0, 0);
  add_line (&plane, 15, 30, 30, 90, FWHM, 10.0);
  add_line (&plane, 15 + 130 * cos (G_PI / 6), 30 + 130 * sin (G_PI / 6), 30, 50, FWHM, 10.0);
  streaks = streaks_of (&plane, mask);
  for (guint i = 0; i < MIN (streaks->len, 2); i++)
    {
      const Streak *s = &g_array_index (streaks, Streak, i);

      lengths[i] = hypot (s->x[1] - s->x[0], s->y[1] - s->y[0]);
    }
  expect (streaks->len == 2 && fabs (lengths[0] - 90) < 4 && fabs (lengths[1] - 50) < 4, "two streaks on one line: %u, of %g and %g px", streaks->len,
          lengths[0], lengths[1]);
  g_array_free (streaks, TRUE);
  count_plane_clear (&plane);
}

/* ----------------------------------------------------------------- stars -- */

static void
test_part_of_star (void)
{
  CountPlane background, whitened;
  gdouble    part;

  noise_init (&background, 0.0, 0);
  noise_init (&whitened, 0.0, 0);
  add_star (&background, 50.2, 60.0, FWHM, 1000.0);
  add_star (&whitened, 50.2, 60.0, FWHM, 200.0);
  add_star (&whitened, 120.0, 60.0, FWHM, 200.0);
  part = detect_part_of_star (&background, &whitened, 50, 60);
  expect (fabs (part - 0.2) < 0.01, "the part of a star is %g, not 0.2", part);
  expect (isinf (detect_part_of_star (&background, &whitened, 120, 60)) || detect_part_of_star (&background, &whitened, 120, 60) > 1e6,
          "what is beside the star is a part of it");
  count_plane_clear (&background);
  count_plane_clear (&whitened);
}

/* What has no value counts neither as dark nor as light: the sky of a background is as high as it is. */
static void
test_part_of_star_beside_columns (void)
{
  for (gint away = -5; away <= 5; away++)
    for (gint is_star = 0; is_star <= 1; is_star++)
      {
        CountPlane background, whitened;
        gdouble    part;

        noise_init (&background, 0.0, 0);
        noise_init (&whitened, 0.0, 0);
        if (is_star)
          add_star (&background, 50.0, 60.0, FWHM, 1000.0);
        add_star (&whitened, 50.0, 60.0, FWHM, 200.0);
        for (gint i = 0; i < SIDE * SIDE; i++)
          {
            background.pixels[i] = i % SIDE == 50 + away ? NAN : background.pixels[i] + 5000.0f;
            whitened.pixels[i] = i % SIDE == 50 + away ? NAN : whitened.pixels[i];
          }
        part = detect_part_of_star (&background, &whitened, 50, 60);
        expect (is_star ? fabs (part - 0.2) < 0.02 : part > 10.0, "%g of a star's light is left beside a column %d px away, with%s a star", part, away,
                is_star ? "" : "out");
        count_plane_clear (&background);
        count_plane_clear (&whitened);
      }
}

void
objects_trails (void)
{
  dice = g_rand_new_with_seed (20261130);
  test_alarms ();
  test_objects_are_no_noise ();
  test_track_alarms ();
  test_stars_are_no_rays ();
  test_rays ();
  test_streaks ();
  test_what_is_no_streak ();
  test_streaks_on_one_line ();
  test_part_of_star ();
  test_part_of_star_beside_columns ();
  g_rand_free (dice);
}
