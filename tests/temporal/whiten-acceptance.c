/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What shifts, whitening, detection, removal and tracks reach on star fields whose truth is known, against the bars of the definition.
 *
 *   whiten-acceptance SEEDS [device]
 *
 * Shifts and backgrounds are those of the operations' code: in C, or on the device, which is then forced.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gegl.h>

#include "../engine/verdict.h"
#include "detect.h"
#include "sequence-truth.h"
#include "tracks.h"
#include "whitener.h"

#define FRAMES    26
#define FIRST     10            /* the first frame that counts */
#define FWHM      2.2
#define GAIN      1.5
#define THRESHOLD 6.0f
#define TOGETHER  8

typedef struct
{
  gchar    preset;
  gboolean less_dark, removes;
  gint     n, degree;
  gboolean median;              /* of frames that are not moved, for comparison */
} Plan;

typedef struct
{
  gdouble residual, snr[2], found[2], tracked[2], alarms, track_alarms;
  gint    frames, track_frames;
} Score;

static CountPlane
copy_plane (const CountPlane *plane)
{
  CountPlane copy;

  count_plane_init (&copy, plane->width, plane->height);
  for (gint i = 0; i < plane->width * plane->height; i++)
    copy.pixels[i] = plane->pixels[i];
  return copy;
}

static CountPlane
take_plane (const Plane *plane)
{
  CountPlane counts, prepared;

  count_plane_init (&counts, plane->width, plane->height);
  for (gint i = 0; i < plane->width * plane->height; i++)
    counts.pixels[i] = plane->values[i];
  whiten_prepare (&counts, NULL, 65535.0f, TRUE, &prepared);
  count_plane_clear (&counts);
  return prepared;
}

static Plane
give_plane (const CountPlane *counts)
{
  Plane plane = plane_new (counts->width, counts->height);

  for (gint i = 0; i < counts->width * counts->height; i++)
    plane.values[i] = counts->pixels[i];
  return plane;
}

static void
score_tracks (const Sequence *sequence, gint t, const TrackFrame *last, Score *score)
{
  const TrackGrid grid = tracks_short_grid ();
  TrackPlanes     planes;
  GArray         *tracks;
  gboolean        met[2] = { FALSE };

  tracks_stack (last, TOGETHER, TOGETHER - 1, &grid, INFINITY, &planes);
  tracks = tracks_find (&planes, last, TOGETHER, TOGETHER - 1, &grid, THRESHOLD);
  for (guint i = 0; i < tracks->len; i++)
    {
      const Track *track = &g_array_index (tracks, Track, i);
      const gint   owner = sequence_owner (sequence, t, track->x, track->y);

      if (owner >= 0)
        met[owner] = TRUE;
      else
        score->track_alarms += owner == FALSE_ALARM;
    }
  score->tracked[0] += met[0];
  score->tracked[1] += met[1];
  score->track_frames++;
  g_array_free (tracks, TRUE);
  track_planes_clear (&planes);
}

static void
score_frame (const Sequence *sequence, gint t, const WhitenPlanes *planes, const CountPlane *filtered, Score *score)
{
  Plane    whitened = give_plane (&planes->whitened), peaks = give_plane (filtered);
  GArray  *found = detect_maxima (filtered, THRESHOLD);
  gboolean met[2] = { FALSE };

  score->residual += sequence_residual (sequence, t, &whitened);
  for (gint object = 0; object < 2; object++)
    score->snr[object] += sequence_peak (sequence, t, object, &peaks);
  for (guint i = 0; i < found->len; i++)
    {
      const Detection *detection = &g_array_index (found, Detection, i);
      const gint       owner = sequence_owner (sequence, t, detection->x, detection->y);

      if (owner >= 0)
        met[owner] = TRUE;
      else
        score->alarms += owner == FALSE_ALARM;
    }
  score->found[0] += met[0];
  score->found[1] += met[1];
  score->frames++;
  g_array_free (found, TRUE);
  plane_free (&whitened);
  plane_free (&peaks);
}

static int
compare_floats (const void *a, const void *b)
{
  const gfloat p = *(const gfloat *) a, q = *(const gfloat *) b;

  return (p > q) - (p < q);
}

static void
subtract_median (const CountPlane *current, const CountPlane *const *history, gint n, WhitenPlanes *planes)
{
  for (gint i = 0; i < current->width * current->height; i++)
    {
      gfloat values[WEIGHTS_MAX_FRAMES];
      gint   m = 0;

      for (gint k = 0; k < n; k++)
        if (! isnan (history[k]->pixels[i]))
          values[m++] = history[k]->pixels[i];
      qsort (values, m, sizeof *values, compare_floats);
      planes->background.pixels[i] = m > 0 ? (values[(m - 1) / 2] + values[m / 2]) / 2 : 0.0f;
      planes->whitened.pixels[i] = m > 0 ? current->pixels[i] - planes->background.pixels[i] : NAN;
    }
}

static void
whiten_one (const Plan *plan, const CountPlane *frames, const FrameShift *shifts, gint t, WhitenPlanes *planes)
{
  const gint        n = MIN (plan->n, t);
  const CountPlane *history[FRAMES];

  for (gint k = 0; k < n; k++)
    history[k] = &frames[t - n + k];
  if (plan->median)
    subtract_median (&frames[t], history, n, planes);
  else
    whitener_whiten (frames, shifts, t, n, plan->degree, planes);
  whiten_judge (planes, GAIN);
}

#define SHIFT_FRAMES 20

/* rms per axis. */
static gdouble
shift_error (gchar preset, ShiftMethod method, gint seeds)
{
  gdouble sum = 0.0;

  for (gint seed = 1; seed <= seeds; seed++)
    {
      Sequence   sequence = sequence_new (preset, seed, SHIFT_FRAMES, FALSE);
      CountPlane frames[SHIFT_FRAMES];
      FrameShift shifts[SHIFT_FRAMES];

      for (gint t = 0; t < SHIFT_FRAMES; t++)
        frames[t] = take_plane (&sequence.frames[t]);
      whitener_shifts (frames, SHIFT_FRAMES, method, shifts);
      for (gint t = 0; t < SHIFT_FRAMES; t++)
        {
          const gdouble x = shifts[t].x - sequence.field->shifts[t].x, y = shifts[t].y - sequence.field->shifts[t].y;

          sum += x * x + y * y;
          count_plane_clear (&frames[t]);
        }
      sequence_free (&sequence);
    }
  return sqrt (sum / (2.0 * (SHIFT_FRAMES - 1) * seeds));
}

static void
accept_shifts (gint seeds)
{
  gdouble single;

  for (const gchar *preset = "ABCD"; *preset; preset++)
    {
      const gdouble error = shift_error (*preset, SHIFT_PYRAMID, seeds);

      g_print ("%c: shifts %.4f px rms\n", *preset, error);
      expect (error <= 0.006, "%c: shifts are %g px wrong", *preset, error);
    }
  single = shift_error ('A', SHIFT_SINGLE, seeds);
  g_print ("A: in one step %.4f px rms\n", single);
  expect (single <= 0.06, "A: in one step shifts are %g px wrong", single);
}

static void
run_seed (const Plan *plan, gint seed, Score *score)
{
  Sequence   sequence = sequence_new (plan->preset, seed, FRAMES, plan->less_dark);
  CountPlane frames[FRAMES], filtered[FRAMES];
  FrameShift shifts[FRAMES];
  TrackFrame tracked[FRAMES];

  for (gint t = 0; t < FRAMES; t++)
    frames[t] = take_plane (&sequence.frames[t]);
  whitener_shifts (frames, FRAMES, SHIFT_PYRAMID, shifts);
  for (gint t = 1; t < FRAMES; t++)
    {
      WhitenPlanes planes;

      whiten_planes_init (&planes, frames[t].width, frames[t].height);
      whiten_one (plan, frames, shifts, t, &planes);
      filtered[t] = copy_plane (&planes.significance);
      detect_filter (&planes.significance, FWHM, &filtered[t]);
      tracked[t] = (TrackFrame) { &filtered[t], shifts[t], t };
      if (t >= FIRST)
        score_frame (&sequence, t, &planes, &filtered[t], score);
      if (t >= FIRST + TOGETHER - 1)
        score_tracks (&sequence, t, tracked + t - TOGETHER + 1, score);
      if (plan->removes && t >= plan->n)
        removal_apply (&filtered[t], THRESHOLD, &frames[t]);
      whiten_planes_clear (&planes);
    }
  for (gint t = 0; t < FRAMES; t++)
    {
      count_plane_clear (&frames[t]);
      if (t > 0)
        count_plane_clear (&filtered[t]);
    }
  sequence_free (&sequence);
}

static Score
run (Plan plan, gint seeds)
{
  Score score = { 0 };

  for (gint seed = 1; seed <= seeds; seed++)
    run_seed (&plan, seed, &score);
  score.residual = sqrt (score.residual / score.frames);
  for (gint object = 0; object < 2; object++)
    {
      score.snr[object] /= score.frames;
      score.found[object] /= score.frames;
      score.tracked[object] /= score.track_frames;
    }
  score.alarms /= score.frames;
  score.track_alarms /= score.track_frames;
  g_print ("%c%s %s degree %d N %d%s: residual %.3f; SNR %.2f %.2f; found %.2f %.2f, false %.2f; tracked %.2f %.2f, false %.2f\n",
           plan.preset, plan.less_dark ? " less dark" : "", plan.median ? "median" : "from shifts", plan.degree, plan.n,
           plan.removes ? ", removal" : "", score.residual, score.snr[0], score.snr[1], score.found[0], score.found[1], score.alarms,
           score.tracked[0], score.tracked[1], score.track_alarms);
  return score;
}

gint
main (gint argc, gchar **argv)
{
  const gint     seeds = argc > 1 ? atoi (argv[1]) : 1;
  const gboolean on_device = argc > 2 && ! strcmp (argv[2], "device");
  Score          plain, usual, removed, drift, median, dark, longer;

  gegl_init (&argc, &argv);
  whitener_begin (on_device);
  accept_shifts (seeds);
  plain = run ((Plan) { .preset = 'A', .n = 10 }, seeds);
  expect (plain.residual <= 1.25, "A, degree 0, N 10: residual %g", plain.residual);
  expect (plain.found[1] >= 0.5, "A: the object of SNR 8 is found in %g of the frames", plain.found[1]);
  expect (plain.tracked[0] > 0.0, "A: the object of SNR 4 is not tracked");
  /* Degree 0 leaves the mean of the shifts' fractions, and bright stars with it. */
  usual = run ((Plan) { .preset = 'A', .n = 10, .degree = 1 }, seeds);
  expect (usual.alarms <= 1.0, "A: %g false detections a frame", usual.alarms);
  removed = run ((Plan) { .preset = 'A', .n = 10, .removes = TRUE }, seeds);
  expect (removed.snr[1] > plain.snr[1], "A: removal changes SNR %g to %g", plain.snr[1], removed.snr[1]);
  longer = run ((Plan) { .preset = 'A', .n = 20, .degree = 1 }, seeds);
  expect (longer.residual < plain.residual, "A: degree 1 of 20 frames leaves %g, degree 0 of 10 %g", longer.residual, plain.residual);
  drift = run ((Plan) { .preset = 'C', .n = 10, .degree = 1 }, seeds);
  median = run ((Plan) { .preset = 'C', .n = 10, .median = TRUE }, seeds);
  expect (drift.residual <= 1.43, "C, degree 1, N 10: residual %g", drift.residual);
  expect (drift.residual <= 0.6 * median.residual, "C: residual %g, the median's %g", drift.residual, median.residual);
  dark = run ((Plan) { .preset = 'C', .less_dark = TRUE, .n = 10, .degree = 1 }, seeds);
  expect (dark.alarms <= 1.0, "C less dark: %g false detections a frame", dark.alarms);
  whitener_end ();
  gegl_exit ();
  return expect_told ();
}
