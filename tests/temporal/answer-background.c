/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Background and whitened frame, pixel by pixel.  The product sums in float: N + 4 roundings of the largest terms.
 * Both sides are given the same weights. */
#include "answers.h"

#include <math.h>

#include "draws.h"
#include "weighing.h"
#include "whiten.h"

#define FLOAT_STEP 0x1p-24
#define FEWEST     0.5          /* renormalised weights sum to this at least: terms become so much larger */
#define MOST       REFERENCE_MOST_FRAMES

typedef struct
{
  gint             n;
  Plane            frames[MOST + 1];    /* the last is the current one */
  CountPlane       counts[MOST + 1];
  ReferenceWeights weights;
  gchar           *words;
} History;

/* Pixels that some frames do not have, and rows that none has. */
static void
forget (StarsRandom *random, Plane *frame, gint rows)
{
  const gint size = (gint) plane_size (frame);

  for (gint i = 0; i < size / 20; i++)
    frame->values[draw_whole (random, 0, size - 1)] = NAN;
  for (gint i = 0; i < MIN (rows * frame->width, size); i++)
    frame->values[i] = NAN;
}

static void
draw_frames (StarsRandom *random, const StarsField *field, History *history, Vector *shifts)
{
  const gboolean has_holes = draw_chance (random, 0.2);
  const gint     rows = has_holes ? draw_whole (random, 0, field->settings.height) : 0;

  for (gint k = 0; k <= history->n; k++)
    {
      Plane *frame = &history->frames[k];

      shifts[k] = (Vector) { field->shifts[k].x, field->shifts[k].y };
      *frame = draw_frame (random, field, k);
      if (has_holes)
        forget (random, frame, rows);
      for (gsize i = 0; i < plane_size (frame); i++)
        if (! isfinite (frame->values[i]) || frame->values[i] >= 65535)
          frame->values[i] = NAN;
      history->counts[k] = as_counts (frame);
    }
}

static gpointer
history_draw (guint64 seed, gboolean is_small G_GNUC_UNUSED)
{
  StarsRandom    random = stars_random (seed, 1, 0);
  History       *history = g_new (History, 1);
  const gint     n = history->n = (gint) draw_log (&random, 1, MOST + 0.99), degree = draw_whole (&random, 0, 3);
  const gboolean is_from_frames = n <= 16 && draw_chance (&random, 0.4), align = draw_chance (&random, 0.8),
                 article = draw_chance (&random, 0.2);
  const gdouble  fastest = draw_chance (&random, 0.3) ? 5 : 0.7;
  StarsField    *field = draw_field (&random, 1, 90, n + 1, fastest);
  Vector         shifts[MOST + 1];

  draw_frames (&random, field, history, shifts);
  if (is_from_frames)
    reference_from_frames (n, history->frames, &history->frames[n], shifts, shifts[n], align, &history->weights);
  else
    reference_from_shifts (n, shifts, shifts[n], degree, 1e-3, article, align, &history->weights);
  history->words = g_strdup_printf ("%d frames of %d x %d, from-%s, degree %d, align %d, article %d", n,
                                    field->settings.width, field->settings.height, is_from_frames ? "frames" : "shifts",
                                    degree, align, article);
  stars_field_free (field);
  return history;
}

static void
history_free (gpointer input)
{
  History *history = input;

  for (gint k = 0; k <= history->n; k++)
    {
      plane_free (&history->frames[k]);
      count_plane_clear (&history->counts[k]);
    }
  g_free (history->words);
  g_free (history);
}

static gchar *
history_words (gconstpointer input)
{
  return g_strdup (((const History *) input)->words);
}

/* The background, then what is whitened. */
static gboolean
history_predict (const TesseraErrand *errand G_GNUC_UNUSED, gconstpointer input, GArray *numbers)
{
  const History    *history = input;
  const gint        width = history->counts[0].width, height = history->counts[0].height;
  const CountPlane *planes[MOST];
  Weights           weights = { .n = history->n,
                                .level = history->weights.mean,
                                .degree = history->weights.degree,
                                .noise_gain = history->weights.noise_gain };
  WhitenPlanes      made;

  for (gint k = 0; k < history->n; k++)
    {
      planes[k] = &history->counts[k];
      weights.move_x[k] = history->weights.move_x[k];
      weights.move_y[k] = history->weights.move_y[k];
      weights.a[k] = history->weights.weights[k];
      weights.mean[k] = history->weights.means[k];
    }
  whiten_planes_init (&made, width, height);
  whiten_predict (&history->counts[history->n], planes, &weights, &made);
  for (gint i = 0; i < width * height; i++)
    answer_add (numbers, made.background.pixels[i]);
  for (gint i = 0; i < width * height; i++)
    answer_add (numbers, made.whitened.pixels[i]);
  whiten_planes_clear (&made);
  return TRUE;
}

/* ----------------------------------------------------------- reference -- */

static gdouble
largest (const Plane *plane)
{
  gdouble most = 0;

  for (gsize i = 0; i < plane_size (plane); i++)
    if (isfinite (plane->values[i]))
      most = MAX (most, fabs (plane->values[i]));
  return most;
}

static void
history_reference (gconstpointer input, const GArray *numbers G_GNUC_UNUSED, GArray *wanted)
{
  const History          *history = input;
  const ReferenceWeights *weights = &history->weights;
  const Plane            *current = &history->frames[history->n];
  Plane                   background = reference_background (history->frames, weights, current->width, current->height);
  Plane                   whitened = reference_whitened (current, &background);
  gdouble                 terms = 0, within;

  for (gint k = 0; k < history->n; k++)
    terms += fabs (weights->weights[k]) * (largest (&history->frames[k]) + fabs (weights->means[k]))
             + largest (&history->frames[k]) / history->n;
  within = (history->n + 4) * FLOAT_STEP * (terms / FEWEST + fabs (weights->mean) + largest (current));
  for (gsize i = 0; i < plane_size (&background); i++)
    answer_want (wanted, background.values[i], within);
  for (gsize i = 0; i < plane_size (&background); i++)
    answer_want (wanted, whitened.values[i], within);
  plane_free (&background);
  plane_free (&whitened);
}

/* ---------------------------------------------------------------- laws -- */

/* The background is that of the frames before. */
static gboolean
the_frame_unknown (guint64 seed G_GNUC_UNUSED, gpointer input, GArray *wanted)
{
  History   *history = input;
  const gint n = history->counts[0].width * history->counts[0].height;

  for (gint i = 0; i < n; i++)
    {
      history->counts[history->n].pixels[i] = NAN;
      g_array_index (wanted, AnswerWanted, n + i).value = NAN;
    }
  return TRUE;
}

static gboolean
twice_as_bright (guint64 seed G_GNUC_UNUSED, gpointer input, GArray *wanted)
{
  History *history = input;

  double_counts (history->counts, history->n + 1);
  for (gint k = 0; k < history->n; k++)
    history->weights.means[k] *= 2;
  history->weights.mean *= 2;
  for (guint i = 0; i < wanted->len; i++)
    g_array_index (wanted, AnswerWanted, i).value *= 2;
  return TRUE;
}

const AnswerRow answer_background = {
  .name = "background", .cases = 80, .draw = history_draw, .describe = history_words, .clear = history_free,
  .compute = history_predict,
  .reference = history_reference, .tolerance = "n + 4 roundings of the sum of the largest terms",
  .laws = { { "the frame itself is not known", the_frame_unknown }, { "twice as bright", twice_as_bright } },
  .special = backgrounds
};
