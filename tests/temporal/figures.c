/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * figures: what the reference reaches on the presets, as the tables of the definition have it.  It takes minutes; no test, but what
 * tells whether a bar is too high. */
#include "sequence-truth.h"

#include <math.h>

#define FRAMES      26
#define SHIFT_FRAMES 20
#define FWHM        2.2
#define GAIN        1.5
#define THRESHOLD   6.0
#define TOGETHER    8

typedef enum { PREVIOUS, MEDIAN, MEAN, FROM_FRAMES, FROM_SHIFTS } Kind;

typedef struct
{
  const gchar *name;
  Kind         kind;
  gint         history, degree;
  gboolean     removes;
} Predictor;

typedef struct
{
  gdouble residual, snr[2], alarms, found[2], tracked[2], track_alarms;
  gint    frames, track_frames;
} Score;

static gint first_seed = 1;

static ReferenceShiftSettings
usual (ReferenceMethod method)
{
  return (ReferenceShiftSettings) { method, 64, 65535, TRUE };
}

static void
print_shifts (const gchar *presets, gint seeds)
{
  const gchar *names[] = { "single", "iterated", "pyramid" };

  g_print ("\nshift error, rms per axis in px, %d frames against the first, %d seeds\n", SHIFT_FRAMES - 1, seeds);
  for (const gchar *preset = presets; *preset; preset++)
    {
      gdouble truth = 0, errors[3] = { 0 }, worst = 0, told = 0;
      gint    failed[3] = { 0 }, steps = 0, n = 0;

      for (gint seed = first_seed; seed < first_seed + seeds; seed++)
        {
          const ReferenceShiftSettings settings = usual (REFERENCE_PYRAMID);
          Sequence                     sequence = sequence_new (*preset, seed, SHIFT_FRAMES, FALSE);
          ReferenceFrame               first = reference_frame (sequence.frames, &settings);

          for (gint k = 1; k < SHIFT_FRAMES; k++)
            {
              const StarsShift *at = sequence.field->shifts + k;
              ReferenceFrame    frame = reference_frame (sequence.frames + k, &settings);

              for (gint method = 0; method < 3; method++)
                {
                  const ReferenceShiftSettings other = usual (method);
                  const ReferenceShift         found = reference_shift (&first, &frame, &other);

                  errors[method] += (found.x - at->x) * (found.x - at->x) + (found.y - at->y) * (found.y - at->y);
                  failed[method] += ! found.ok || ! found.converged;
                  if (method == 2)
                    {
                      worst = MAX (worst, MAX (fabs (found.x - at->x), fabs (found.y - at->y)));
                      told += found.error;
                      steps += found.steps;
                    }
                }
              truth += at->x * at->x + at->y * at->y;
              n++;
              reference_frame_free (&frame);
            }
          reference_frame_free (&first);
          sequence_free (&sequence);
        }
      g_print ("%c  true %.3f", *preset, sqrt (truth / 2 / n));
      for (gint method = 0; method < 3; method++)
        g_print ("  %s %.4f (%d of %d not converged)", names[method], sqrt (errors[method] / 2 / n), failed[method], n);
      g_print ("  pyramid: worst %.4f, told %.4f, steps %.1f\n", worst, told / n, (gdouble) steps / n);
    }
}

/* Not aligned: the frame before, the median or the mean of the history. */
static Plane
plain_background (const Predictor *p, const Plane *frames)
{
  Plane   background = plane_new (frames->width, frames->height);
  gdouble values[REFERENCE_MOST_FRAMES];

  for (gsize i = 0; i < plane_size (&background); i++)
    {
      gdouble sum = 0;

      for (gint k = 0; k < p->history; k++)
        {
          values[k] = frames[k].values[i];
          sum += values[k];
        }
      background.values[i] = p->kind == MEAN ? sum / p->history : median (values, p->history);
    }
  return background;
}

static Plane
background_of (const Predictor *p, const Plane *history, const Plane *current, const Vector *shifts)
{
  ReferenceWeights weights;

  if (p->kind < FROM_FRAMES)
    return plain_background (p, history);
  if (p->kind == FROM_FRAMES)
    reference_from_frames (p->history, history, current, shifts, shifts[p->history], TRUE, &weights);
  else
    reference_from_shifts (p->history, shifts, shifts[p->history], p->degree, 1e-3, FALSE, TRUE, &weights);
  return reference_background (history, &weights, current->width, current->height);
}

static void
count_tracks (const Sequence *sequence, gint t, const Plane *filtered, const Vector *shifts, Score *score)
{
  const Plane *newest_first[TOGETHER];
  Vector       at[TOGETHER];
  Plane        vx = plane_new (filtered[t].width, filtered[t].height), vy = plane_copy (&vx), best;
  GArray      *spots;
  gboolean     seen[2] = { FALSE, FALSE };

  for (gint j = 0; j < TOGETHER; j++)
    {
      newest_first[j] = filtered + t - j;
      at[j] = shifts[t - j];
    }
  best = reference_track (TOGETHER, newest_first, at, &vx, &vy);
  spots = reference_maxima (&best, THRESHOLD);
  for (guint i = 0; i < spots->len; i++)
    {
      const ReferenceSpot *spot = &g_array_index (spots, ReferenceSpot, i);
      const gint           owner = sequence_owner (sequence, t, spot->x, spot->y);

      if (owner >= 0)
        seen[owner] = TRUE;
      score->track_alarms += owner == FALSE_ALARM;
    }
  score->tracked[0] += seen[0];
  score->tracked[1] += seen[1];
  score->track_frames++;
  g_array_free (spots, TRUE);
  plane_free (&best);
  plane_free (&vx);
  plane_free (&vy);
}

static void
count_spots (const Sequence *sequence, gint t, const Plane *filtered, Score *score)
{
  GArray  *spots = reference_maxima (filtered, THRESHOLD);
  gboolean seen[2] = { FALSE, FALSE };

  for (guint i = 0; i < spots->len; i++)
    {
      const ReferenceSpot *spot = &g_array_index (spots, ReferenceSpot, i);
      const gint           owner = sequence_owner (sequence, t, spot->x, spot->y);

      if (owner >= 0)
        seen[owner] = TRUE;
      score->alarms += owner == FALSE_ALARM;
    }
  for (gint object = 0; object < 2; object++)
    {
      score->found[object] += seen[object];
      score->snr[object] += sequence_peak (sequence, t, object, filtered);
    }
  g_array_free (spots, TRUE);
}

static void
run_predictor (const Sequence *sequence, const Predictor *p, const Vector *shifts, gboolean tracks, Score *score)
{
  Plane           *history = g_new (Plane, sequence->n), *filtered = g_new0 (Plane, sequence->n);

  for (gint k = 0; k < sequence->n; k++)
    history[k] = plane_copy (sequence->frames + k);
  for (gint t = p->history; t < sequence->n; t++)
    {
      const gint first = p->kind == PREVIOUS ? t - 1 : t - p->history;
      Plane      background = background_of (p, history + first, history + t, shifts + first);
      Plane      whitened = reference_whitened (history + t, &background);
      Plane      significance = reference_significance (&whitened, &background, GAIN, NULL);

      filtered[t] = reference_filtered (&significance, FWHM);
      if (t >= 10)
        {
          score->residual += sequence_residual (sequence, t, &whitened);
          count_spots (sequence, t, filtered + t, score);
          score->frames++;
        }
      if (p->removes)
        reference_remove (history + t, filtered + t, THRESHOLD);
      if (tracks && t - TOGETHER + 1 >= p->history)
        count_tracks (sequence, t, filtered, shifts, score);
      plane_free (&background);
      plane_free (&whitened);
      plane_free (&significance);
    }
  for (gint k = 0; k < sequence->n; k++)
    {
      plane_free (history + k);
      plane_free (filtered + k);
    }
  g_free (history);
  g_free (filtered);
}

static void
find_shifts (const Sequence *sequence, Vector *shifts)
{
  const ReferenceShiftSettings settings = usual (REFERENCE_PYRAMID);
  ReferenceFrame               first = reference_frame (sequence->frames, &settings);

  for (gint k = 0; k < sequence->n; k++)
    {
      ReferenceFrame       frame = reference_frame (sequence->frames + k, &settings);
      const ReferenceShift found = reference_shift (&first, &frame, &settings);

      shifts[k] = (Vector) { found.x, found.y };
      reference_frame_free (&frame);
    }
  reference_frame_free (&first);
}

static void
print_predictors (const gchar *presets, gint seeds, gboolean less_dark, gboolean tracks)
{
  const Predictor predictors[] =
    {
      { "previous frame", PREVIOUS, 1, 0, FALSE }, { "median of 10", MEDIAN, 10, 0, FALSE }, { "mean of 10", MEAN, 10, 0, FALSE },
      { "from-frames, 10", FROM_FRAMES, 10, 0, FALSE }, { "from-shifts, degree 0, 10", FROM_SHIFTS, 10, 0, FALSE },
      { "from-shifts, degree 1, 10", FROM_SHIFTS, 10, 1, FALSE }, { "from-shifts, degree 1, 20", FROM_SHIFTS, 20, 1, FALSE },
      { "degree 0, 10, objects removed", FROM_SHIFTS, 10, 0, TRUE }, { "degree 1, 10, objects removed", FROM_SHIFTS, 10, 1, TRUE }
    };

  for (const gchar *preset = presets; *preset; preset++)
    {
      Score scores[G_N_ELEMENTS (predictors)] = { { 0 } };

      for (gint seed = first_seed; seed < first_seed + seeds; seed++)
        {
          Sequence sequence = sequence_new (*preset, seed, FRAMES, less_dark);
          Vector   shifts[FRAMES];

          find_shifts (&sequence, shifts);
          for (gsize i = 0; i < G_N_ELEMENTS (predictors); i++)
            run_predictor (&sequence, predictors + i, shifts, tracks && predictors[i].kind == FROM_SHIFTS && predictors[i].history == 10, scores + i);
          sequence_free (&sequence);
        }
      g_print ("\n%c%s, %d seeds: rms; SNR of the two objects; frames in which each was found; false alarms a frame; together: found, false alarms\n",
               *preset, less_dark ? " less the dark frame" : "", seeds);
      for (gsize i = 0; i < G_N_ELEMENTS (predictors); i++)
        {
          const Score *s = scores + i;
          const gint   n = MAX (s->frames, 1), m = MAX (s->track_frames, 1);

          g_print ("%-30s %.3f; %.2f, %.2f; %.2f, %.2f; %.2f; %.2f, %.2f, %.2f\n", predictors[i].name, sqrt (s->residual / n), s->snr[0] / n, s->snr[1] / n,
                   s->found[0] / n, s->found[1] / n, s->alarms / n, s->tracked[0] / m, s->tracked[1] / m, s->track_alarms / m);
        }
    }
}

gint
main (gint argc, gchar **argv)
{
  gchar             *presets = NULL, *white = NULL;
  gint               seeds = 6;
  gboolean           dark = FALSE, tracks = FALSE;
  const GOptionEntry entries[] =
    {
      { "shifts", 0, 0, G_OPTION_ARG_STRING, &presets, "presets whose shifts are measured", "ABCD" },
      { "whiten", 0, 0, G_OPTION_ARG_STRING, &white, "presets that are whitened", "AC" },
      { "dark", 0, 0, G_OPTION_ARG_NONE, &dark, "these less the dark frame", NULL },
      { "tracks", 0, 0, G_OPTION_ARG_NONE, &tracks, "track before detecting", NULL },
      { "seed", 0, 0, G_OPTION_ARG_INT, &first_seed, "the first", "1" },
      { "seeds", 0, 0, G_OPTION_ARG_INT, &seeds, "so many", "6" },
      { NULL, 0, 0, 0, NULL, NULL, NULL }
    };
  GOptionContext    *context = g_option_context_new (NULL);
  gboolean           good;

  g_option_context_add_main_entries (context, entries, NULL);
  good = g_option_context_parse (context, &argc, &argv, NULL);
  if (good && presets)
    print_shifts (presets, seeds);
  if (good && white)
    print_predictors (white, seeds, dark, tracks);
  g_option_context_free (context);
  return good ? 0 : 2;
}
