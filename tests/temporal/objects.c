/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Maxima, removal and tracks of objects whose place is known: what no drawn plane shows (answer-detection.c, answer-tracks.c). */
#include "objects.h"

#include <math.h>
#include <string.h>

#include <gegl.h>

#include "../engine/verdict.h"
#include "detect.h"
#include "tracks.h"

#define WIDTH  161
#define HEIGHT 97
#define FWHM   2.2

static GRand *dice;

static gdouble
normal (void)
{
  return sqrt (-2.0 * log (1.0 - g_rand_double (dice))) * cos (2.0 * G_PI * g_rand_double (dice));
}

static void
noise_init (CountPlane *plane)
{
  count_plane_init (plane, WIDTH, HEIGHT);
  for (gint i = 0; i < WIDTH * HEIGHT; i++)
    plane->pixels[i] = normal ();
}

/* A star of L2 norm `snr`, so that the filter answers about that. */
static void
add_star (CountPlane *plane, gdouble x, gdouble y, gdouble snr)
{
  const gdouble s = FWHM / 2.3548, norm = sqrt (G_PI) * s;

  for (gint i = 0; i < WIDTH * HEIGHT; i++)
    {
      const gdouble dx = i % WIDTH - x, dy = i / WIDTH - y;

      plane->pixels[i] += snr / norm * exp (-(dx * dx + dy * dy) / (2 * s * s));
    }
}

/* ----------------------------------------------------------- detection -- */

static void
test_maxima (void)
{
  CountPlane plane;
  GArray    *found;

  count_plane_init (&plane, WIDTH, HEIGHT);
  memset (plane.pixels, 0, sizeof (gfloat) * WIDTH * HEIGHT);
  add_star (&plane, 40.25, 50.0, 20.0);
  add_star (&plane, 90.0, 20.4, 10.0);
  plane.pixels[2 * WIDTH + 60] = 100.0f;
  plane.pixels[70 * WIDTH + 120] = plane.pixels[70 * WIDTH + 121] = plane.pixels[71 * WIDTH + 120] = 9.0f;
  plane.pixels[51 * WIDTH + 41] = NAN;
  found = detect_maxima (&plane, 4.0f);
  expect (found->len == 3, "%u maxima, not 3", found->len);
  if (found->len == 3)
    {
      const Detection *d = (const Detection *) (gpointer) found->data;

      expect (d[0].x == 90 && d[0].y == 20 && fabs (d[0].fine_y - 20.4) < 0.06, "a maximum at %g %g", d[0].fine_x, d[0].fine_y);
      expect (d[1].x == 40 && d[1].y == 50 && fabs (d[1].fine_x - 40.25) < 0.06, "a maximum at %g %g", d[1].fine_x, d[1].fine_y);
      expect (d[2].x == 120 && d[2].y == 70, "of three equal pixels %d %d", d[2].x, d[2].y);
    }
  g_array_free (found, TRUE);
  expect (fabs (detect_flux (&plane, 90, 20, FWHM) / (20.0 * sqrt (G_PI) * FWHM / 2.3548) - 1.0) < 0.05, "flux %g",
          detect_flux (&plane, 90, 20, FWHM));
  count_plane_clear (&plane);
}

/* Light beside what is far brighter is of that; what is beside something hardly brighter, or far from it, is an object. */
static void
test_wings (void)
{
  const Detection all[] = { { .fine_x = 50, .fine_y = 40, .value = 4800 }, { .fine_x = 54.5, .fine_y = 37, .value = 20 }, { .fine_x = 61, .fine_y = 40, .value = 20 },
                            { .fine_x = 100, .fine_y = 20, .value = 80 }, { .fine_x = 102.5, .fine_y = 20, .value = 4 } };
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (Detection));

  g_array_append_vals (found, all, G_N_ELEMENTS (all));
  detect_drop_wings (found);
  expect (found->len == 4, "%u detections without wings, not 4", found->len);
  for (guint i = 0; i < MIN (found->len, 4); i++)
    expect (g_array_index (found, Detection, i).fine_x == all[i > 0 ? i + 1 : 0].fine_x, "detection %u is at %g", i, g_array_index (found, Detection, i).fine_x);
}

static gboolean
is_of_another (const Detection *of, const GArray *all)
{
  for (guint i = 0; i < all->len; i++)
    {
      const Detection *other = &g_array_index (all, Detection, i);
      const gdouble    reach = detect_reach (of->value, other->value);

      if (reach > DETECT_NEAR && fabs (of->fine_x - other->fine_x) <= reach && fabs (of->fine_y - other->fine_y) <= reach)
        return TRUE;
    }
  return FALSE;
}

/* The same as of all pairs, in the same order. */
static void
test_many_wings (void)
{
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (Detection)), all = NULL;
  g_autoptr (GRand)  rand  = g_rand_new_with_seed (7);
  guint              n     = 0;

  for (guint i = 0; i < 3000; i++)
    {
      const Detection one = { .fine_x = g_rand_double_range (rand, 0, 300), .fine_y = g_rand_double_range (rand, 0, 300),
                              .value = 5.0 * pow (g_rand_double_range (rand, 0.0005, 1.0), -1.2) };

      g_array_append_val (found, one);
    }
  all = g_array_copy (found);
  detect_drop_wings (found);
  for (guint i = 0; i < all->len; i++)
    {
      const Detection *one = &g_array_index (all, Detection, i);

      if (is_of_another (one, all))
        continue;
      expect (n < found->len && g_array_index (found, Detection, n).fine_x == one->fine_x, "detection %u of %u is another", n, found->len);
      n++;
    }
  expect (n == found->len && n > 1500 && n < 2900, "%u detections without wings, not %u", found->len, n);
}

/* ------------------------------------------------------------- removal -- */

typedef struct
{
  CountPlane filtered, frame;
} Frame;

static void
frame_init (Frame *frame)
{
  count_plane_init (&frame->filtered, WIDTH, HEIGHT);
  count_plane_init (&frame->frame, WIDTH, HEIGHT);
  for (gint i = 0; i < WIDTH * HEIGHT; i++)
    {
      frame->filtered.pixels[i] = 0.0f;
      frame->frame.pixels[i] = 2.0f;
    }
}

static void
frame_clear (Frame *frame)
{
  count_plane_clear (&frame->filtered);
  count_plane_clear (&frame->frame);
}

static gboolean
is_hidden (const Frame *frame, gint x, gint y)
{
  return isnan (frame->frame.pixels[y * WIDTH + x]);
}

/* A square around what is above the threshold has no values any more; what is not above keeps them. */
static void
test_square (void)
{
  Frame frame;

  frame_init (&frame);
  frame.filtered.pixels[50 * WIDTH + 40] = 7.0f;
  frame.filtered.pixels[20 * WIDTH + 100] = 6.0f;
  expect (removal_apply (&frame.filtered, 6.0f, &frame.frame) == 25, "other than 25 pixels are hidden");
  expect (is_hidden (&frame, 40, 50) && is_hidden (&frame, 42, 48) && is_hidden (&frame, 38, 52) && ! is_hidden (&frame, 43, 50)
          && ! is_hidden (&frame, 40, 47), "the square of an object");
  expect (! is_hidden (&frame, 100, 20) && frame.frame.pixels[0] == 2.0f, "what is no object");
  frame_clear (&frame);
}

/* 1 % of the frame, the strongest. */
static void
test_limit (void)
{
  const gint most = WIDTH * HEIGHT / 100;
  Frame      frame;
  gint       n = 0, told;

  frame_init (&frame);
  for (gint i = 0; i < 40; i++)
    frame.filtered.pixels[(5 + i / 10 * 20) * WIDTH + 5 + i % 10 * 15] = 100.0f - i;
  told = removal_apply (&frame.filtered, 6.0f, &frame.frame);
  for (gint i = 0; i < WIDTH * HEIGHT; i++)
    n += isnan (frame.frame.pixels[i]);
  expect (n == most && told == n, "%d pixels hidden, %d told, %d allowed", n, told, most);
  for (gint i = 0; i < 40; i++)
    expect (is_hidden (&frame, 5 + i % 10 * 15, 5 + i / 10 * 20) == (i < most / 25), "object %d of 40", i);
  frame_clear (&frame);
}

/* -------------------------------------------------------------- tracks -- */

#define FRAMES 12

typedef struct
{
  CountPlane planes[FRAMES];
  TrackFrame frames[FRAMES];
} Night;

/* An object of this SNR in each frame, at (x, y) in frame 0. */
static void
night_init (Night *night, gdouble x, gdouble y, gdouble v_x, gdouble v_y, gdouble snr)
{
  for (gint j = 0; j < FRAMES; j++)
    {
      const FrameShift shift = { 0.9 * j, 0.3 * j };
      CountPlane       plane;

      noise_init (&plane);
      noise_init (&night->planes[j]);
      add_star (&plane, x + v_x * j + shift.x, y + v_y * j + shift.y, snr);
      plane.pixels[(10 + 5 * j) * WIDTH + 20] = NAN;
      detect_filter (&plane, FWHM, &night->planes[j]);
      night->frames[j] = (TrackFrame) { &night->planes[j], shift, j };
      count_plane_clear (&plane);
    }
}

static void
night_clear (Night *night)
{
  for (gint j = 0; j < FRAMES; j++)
    count_plane_clear (&night->planes[j]);
}

/* An object of SNR 4 a frame: not in one frame, but over 8; one track, at its place, with its velocity. */
static void
test_short (void)
{
  const TrackGrid grid = tracks_short_grid ();
  Night           night;
  TrackPlanes     planes;
  GArray         *tracks, *single;

  night_init (&night, 60, 40, 1.3, 0.7, 4.0);
  tracks_stack (night.frames + FRAMES - 8, 8, 7, &grid, INFINITY, &planes);
  tracks = tracks_find (&planes, night.frames + FRAMES - 8, 8, 7, &grid, 6.0f);
  single = detect_maxima (&night.planes[FRAMES - 1], 6.0f);
  expect (single->len == 0, "%u objects of SNR 4 in one frame", single->len);
  expect (tracks->len == 1, "%u tracks, not 1", tracks->len);
  if (tracks->len > 0)
    {
      const Track *track = (const Track *) (gpointer) tracks->data;

      expect (fabs (track->x - (60 + 2.2 * 11)) < 1.5 && fabs (track->y - (40 + 1.0 * 11)) < 1.5, "the track is at %g %g",
              track->x, track->y);
      expect (fabs (track->v_x - 1.3) < 0.4 && fabs (track->v_y - 0.7) < 0.4, "the track moves by %g %g", track->v_x, track->v_y);
      expect (track->value > 8.0 && track->value < 14.0, "its value is %g", track->value);
    }
  g_array_free (tracks, TRUE);
  g_array_free (single, TRUE);
  track_planes_clear (&planes);
  night_clear (&night);
}

/* Two objects of SNR 3, a cosmic ray: over all frames and the grid that they ask for. */
static void
test_long (void)
{
  Night       night;
  TrackPlanes planes;
  TrackGrid   grid;
  GArray     *tracks;
  gdouble     times[FRAMES], threshold;

  night_init (&night, 60, 40, -0.6, 0.4, 3.2);
  for (gint j = 0; j < FRAMES; j++)
    times[j] = j;
  night.planes[3].pixels[50 * WIDTH + 120] = 60.0f;
  grid = tracks_grid (times, FRAMES, FWHM, 0, 1.5);
  expect (fabs (grid.step - FWHM / 11) < 1e-12 && grid.n_x == 17 && grid.n_y == 17 && fabs (grid.x + 8 * grid.step) < 1e-12,
          "grid: step %g, %d x %d from %g", grid.step, grid.n_x, grid.n_y, grid.x);
  threshold = tracks_threshold (WIDTH, HEIGHT, &grid, 0.1);
  expect (threshold > 5.4 && threshold < 5.6, "threshold %g", threshold);
  tracks_stack (night.frames, FRAMES, FRAMES / 2, &grid, 5.0f, &planes);
  tracks = tracks_find (&planes, night.frames, FRAMES, FRAMES / 2, &grid, threshold);
  expect (tracks->len == 1, "%u tracks, not 1", tracks->len);
  if (tracks->len > 0)
    {
      const Track *track = (const Track *) (gpointer) tracks->data;

      expect (fabs (track->x - (60 + 0.3 * 6)) < 1.5 && fabs (track->y - (40 + 0.7 * 6)) < 1.5, "the track is at %g %g",
              track->x, track->y);
      expect (fabs (track->v_x + 0.6) < 0.25 && fabs (track->v_y - 0.4) < 0.25, "the track moves by %g %g", track->v_x, track->v_y);
    }
  g_array_free (tracks, TRUE);
  track_planes_clear (&planes);
  night_clear (&night);
}

/* How many tracks the last 8 frames have, and the strongest. */
static guint
search_short (const Night *night, gfloat threshold, Track *strongest)
{
  const TrackGrid grid = tracks_short_grid ();
  TrackPlanes     planes;
  GArray         *tracks;
  guint           n;

  tracks_stack (night->frames + FRAMES - 8, 8, 7, &grid, TRACKS_LIMIT, &planes);
  tracks = tracks_find (&planes, night->frames + FRAMES - 8, 8, 7, &grid, threshold);
  n = tracks->len;
  *strongest = n > 0 ? g_array_index (tracks, Track, 0) : (Track) { 0 };
  g_array_free (tracks, TRUE);
  track_planes_clear (&planes);
  return n;
}

/* Light in some of the 8 frames, on one path: an object is there in most of them, and none in few, however bright. */
static void
test_few (void)
{
  for (gint seen = 1; seen <= 8; seen++)
    {
      Night night;
      Track strongest;
      guint n;

      night_init (&night, 60, 40, 0, 0, 0);
      for (gint j = FRAMES - seen; j < FRAMES; j++)
        night.planes[j].pixels[(40 + j) * WIDTH + 60 + j] = 500.0f;
      n = search_short (&night, 6.5f, &strongest);
      expect (n == (seen > 4), "%u tracks of light in %d of 8 frames", n, seen);
      night_clear (&night);
    }
}

/* A bright object is one track, with its own velocity, and has no ghosts; a cosmic ray beside it changes nothing. */
static void
test_bright (void)
{
  for (gint ray = 0; ray < 2; ray++)
    {
      Night night;
      Track track;
      guint n;

      night_init (&night, 60, 40, -1.0, 0.5, 60.0);
      if (ray)
        for (gint i = -2; i <= 2; i++)
          night.planes[7].pixels[50 * WIDTH + 57 + i] = 900.0f;
      n = search_short (&night, 6.5f, &track);
      expect (n == 1 && fabs (track.v_x + 1.0) < 0.26 && fabs (track.v_y - 0.5) < 0.26
              && fabs (track.x - (60 - 0.1 * 11)) < 1.0 && fabs (track.y - (40 + 0.8 * 11)) < 1.0,
              "%u tracks of a bright object, the strongest at %g %g, which moves by %g %g", n, track.x, track.y,
              track.v_x, track.v_y);
      for (gint threshold = 15; threshold <= 120; threshold += 15)
        expect (search_short (&night, threshold, &track) == 1, "a bright object is lost with a threshold of %d", threshold);
      night_clear (&night);
    }
}

/* What is seen on a path counts without the one frame of eight in which a brighter object stands on it. */
static void
test_crossing (void)
{
  for (gint i = 0; i < 2; i++)
    {
      Night night;
      Track strongest;
      guint n;

      night_init (&night, 60, 40, 0, 0, 0);
      for (gint j = 0; j < 8; j++)
        {
          CountPlane *plane = &night.planes[FRAMES - 8 + j];

          memset (plane->pixels, 0, sizeof (gfloat) * WIDTH * HEIGHT);
          night.frames[FRAMES - 8 + j].shift = (FrameShift) { 0 };
          plane->pixels[(40 + 2 * (j - 3)) * WIDTH + 83 - 2 * (j - 3)] = i ? 2.6f : 2.0f;
          plane->pixels[40 * WIDTH + 83 + 2 * (j - 3)] = 60.0f;
        }
      n = search_short (&night, 6.0f, &strongest);
      expect (n == (i ? 2 : 1) && strongest.v_x == 2.0, "%u tracks where a bright object crosses a faint one of %g in 8 frames", n, i ? 2.6 : 2.0);
      night_clear (&night);
    }
}

/* A bright object is no noise: the threshold is that of a night without it.  What is faint and everywhere is: it raises the threshold. */
static void
test_noise (void)
{
  const TrackGrid grid = tracks_short_grid ();
  gfloat          thresholds[3];

  for (gint i = 0; i < 3; i++)
    {
      Night night;

      night_init (&night, 60, 40, 0.6, -0.3, i == 1 ? 3000.0 : 0.0);
      for (gint k = 0; k < (i == 2 ? FRAMES * WIDTH * HEIGHT : 0); k++)
        night.planes[k / (WIDTH * HEIGHT)].pixels[k % (WIDTH * HEIGHT)] += k / 40 % 3 == 0 ? 3.0f : 0.0f;
      thresholds[i] = tracks_noise_threshold (night.frames + FRAMES - 8, 8, 7, &grid, FWHM / 7, 0.1);
      night_clear (&night);
    }
  expect (fabsf (thresholds[1] - thresholds[0]) < 0.6f, "the threshold is %g, and %g with a bright object", thresholds[0], thresholds[1]);
  expect (thresholds[2] > thresholds[0] + 0.6f, "the threshold is %g, and %g with wide light", thresholds[0], thresholds[2]);
}

/* Of noise alone a threshold for one false alarm is passed about once: the values are that of independent noise, or rarer. */
static void
test_threshold (void)
{
  const TrackGrid grid = { 0, 0, 1, 1, 1 };

  expect (fabs (tracks_threshold (100, 100, &grid, 10000.0 * 0.158655) - 1.0) < 1e-4, "one sigma");
  expect (fabs (tracks_threshold (1000, 1000, &grid, 1.0) - 4.753424) < 1e-4, "one in a million");
}

/* A kernel numbers the pixels of all frames with an int: more are left to C. */
static void
test_numbers (void)
{
  expect (tracks_are_numbered (G_MAXINT / 4, 1) && tracks_are_numbered (24000000, 22), "pixels that an int can number are not numbered");
  expect (! tracks_are_numbered (G_MAXINT / 4 + 1, 1) && ! tracks_are_numbered (24000000, 23)
          && ! tracks_are_numbered ((guint64) G_MAXINT * 4, 64), "more pixels than an int can number are numbered");
}

void
objects_detection (void)
{
  test_maxima ();
  test_wings ();
  test_many_wings ();
  test_square ();
  test_limit ();
  objects_trails ();
}

void
objects_tracks (void)
{
  dice = g_rand_new_with_seed (20261123);
  test_short ();
  test_long ();
  test_few ();
  test_bright ();
  test_crossing ();
  test_noise ();
  test_threshold ();
  test_numbers ();
  g_rand_free (dice);
}
