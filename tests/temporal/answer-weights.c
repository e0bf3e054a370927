/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Weights.  Both sides compute in double: from shifts the weights may differ by the rounding of a double times the
 * condition number.
 *
 * From frames, the reference's weights make the ridged sum of squares smallest.  Others make it larger by d' (R +
 * ridge) d, d the difference.  Products in float (2^-24) and the ridge (1e-6) bound that by 4e-9 of the mean variance
 * for each frame. */
#include "answers.h"

#include <math.h>

#include "draws.h"
#include "once.h"
#include "weighing.h"

#define ROUNDING  1e-14
#define NEAR      10.0
#define EXCESS    1e-7          /* from-frames: of the frames' variance */
#define MOST      REFERENCE_MOST_FRAMES

typedef struct
{
  gint            n, kind;
  WeightsSettings settings;
  Vector          shifts[MOST + 1];     /* the last is that of the current frame */
  Plane           frames[MOST + 1];
  CountPlane      counts[MOST + 1];     /* from frames alone */
} History;

/* The numbers: how it is made; then for each frame its move along x and y, and its weight. */
enum { DEGREE, LOWERED, SUM, NOISE_GAIN, OFFSET, FRAMES };

static gboolean
has_frames (const History *history)
{
  return history->settings.method == WEIGHTS_FROM_FRAMES;
}

static void
history_free (gpointer input)
{
  History *history = input;

  for (gint k = 0; k <= history->n && has_frames (history); k++)
    {
      plane_free (&history->frames[k]);
      count_plane_clear (&history->counts[k]);
    }
  g_free (history);
}

static gchar *
history_words (gconstpointer input)
{
  const History *history = input;

  return has_frames (history) ? g_strdup_printf ("%d frames of %d x %d, align %d", history->n, history->frames[0].width,
                                                 history->frames[0].height, history->settings.align)
                              : g_strdup_printf ("%d frames, degree %d, gamma %g, article %d, align %d", history->n,
                                                 history->settings.degree, history->settings.gamma,
                                                 history->settings.article_ridge, history->settings.align);
}

static gboolean
history_weigh (const TesseraErrand *errand G_GNUC_UNUSED, gconstpointer input, GArray *numbers)
{
  const History    *history = input;
  const CountPlane *planes[MOST + 1];
  FrameShift        shifts[MOST + 1];
  Weights           found;
  gdouble           sum = 0;

  for (gint k = 0; k <= history->n; k++)
    {
      shifts[k] = (FrameShift) { history->shifts[k].x, history->shifts[k].y };
      planes[k] = &history->counts[k];
    }
  weights_find (has_frames (history) ? planes[history->n] : NULL, shifts[history->n],
                has_frames (history) ? planes : NULL, shifts, history->n, &history->settings, &found);
  for (gint k = 0; k < history->n; k++)
    sum += found.a[k];
  answer_add (numbers, found.degree);
  answer_add (numbers, found.lowered != WEIGHTS_AS_ASKED);
  answer_add (numbers, sum);
  answer_add (numbers, found.noise_gain);
  answer_add (numbers, weights_offset (&found));
  for (gint k = 0; k < history->n; k++)
    {
      answer_add (numbers, found.move_x[k]);
      answer_add (numbers, found.move_y[k]);
      answer_add (numbers, found.a[k]);
    }
  return TRUE;
}

static gdouble
weight_of (const GArray *numbers, gint k)
{
  return g_array_index (numbers, gdouble, FRAMES + 3 * k + 2);
}

static void
want_moves (const ReferenceWeights *right, GArray *wanted)
{
  for (gint k = 0; k < right->n; k++)
    {
      answer_want (wanted, right->move_x[k], 0);
      answer_want (wanted, right->move_y[k], 0);
      answer_want (wanted, right->weights[k], INFINITY);
    }
}

/* --------------------------------------------------------- from shifts -- */

#define HALVES 4

static gpointer
shifts_draw (guint64 seed, gboolean is_small G_GNUC_UNUSED)
{
  StarsRandom random = stars_random (seed, 1, 0);
  History    *history = g_new0 (History, 1);
  gdouble     drift_x, drift_y;

  history->n = (gint) draw_log (&random, 1, MOST + 0.99);
  history->settings.method = WEIGHTS_FROM_SHIFTS;
  history->settings.degree = draw_whole (&random, 0, 3);
  history->settings.gamma = draw_chance (&random, 0.2) ? 0 : draw_log (&random, 1e-9, 10);
  history->settings.article_ridge = draw_chance (&random, 0.3);
  history->settings.align = draw_chance (&random, 0.8);
  history->kind = draw_whole (&random, 0, 5);
  drift_x = history->kind == 0 ? draw (&random, -3, 3) : 0;
  drift_y = history->kind == 0 ? draw (&random, -3, 3) : 0;
  for (gint k = 0; k <= history->n; k++)
    {
      const gdouble size = history->kind == 1 ? 30 : history->kind == 2 ? 0.01 : history->kind == 3 ? 0 : 0.5;
      const gdouble x = size * stars_normal (&random), y = size * stars_normal (&random),
                    left = draw_whole (&random, -6, 6), up = draw_whole (&random, -6, 6);

      history->shifts[k] = history->kind == HALVES ? (Vector) { left / 2, up / 2 }
                                                   : (Vector) { k * drift_x + x, k * drift_y + y };
    }
  return history;
}

static void
shifts_reference (gconstpointer input, const GArray *numbers, GArray *wanted)
{
  const History   *history = input;
  ReferenceWeights right;
  gdouble          rounding, most = 1, worst = 0, sum = g_array_index (numbers, gdouble, SUM);
  gboolean         is_sure;

  reference_from_shifts (history->n, history->shifts, history->shifts[history->n], history->settings.degree,
                         history->settings.gamma, history->settings.article_ridge, history->settings.align, &right);
  is_sure = right.nearest_limit >= NEAR;
  rounding = ROUNDING * right.n * right.condition;
  for (gint k = 0; k < right.n; k++)
    {
      most = MAX (most, fabs (right.weights[k]));
      worst = MAX (worst, fabs (right.weights[k] - weight_of (numbers, k)));
    }
  answer_want (wanted, right.degree, is_sure ? 0 : INFINITY);
  answer_want (wanted, right.is_lowered, is_sure ? 0 : INFINITY);
  answer_want (wanted, history->settings.article_ridge ? MIN (sum, 1) : 1,
               ! is_sure ? INFINITY : (history->settings.article_ridge ? 1e-12 : ROUNDING) * right.condition);
  answer_want (wanted, right.noise_gain, is_sure ? rounding * right.n * right.noise_gain + worst * right.n : INFINITY);
  answer_want (wanted, 0, 0);
  want_moves (&right, wanted);
  for (gint k = 0; k < right.n; k++)
    g_array_index (wanted, AnswerWanted, FRAMES + 3 * k + 2).within = is_sure ? rounding * most : INFINITY;
}

/* What all frames share does not matter; sums of halves are exact. */
static gboolean
all_moved (guint64 seed G_GNUC_UNUSED, gpointer input, GArray *wanted G_GNUC_UNUSED)
{
  History *history = input;

  for (gint k = 0; k <= history->n; k++)
    {
      history->shifts[k].x += 12.5;
      history->shifts[k].y -= 0.25;
    }
  return history->kind == HALVES;
}

/* A whole pixel is taken back by a move. */
static gboolean
one_a_pixel_on (guint64 seed, gpointer input, GArray *wanted)
{
  History      *history = input;
  const gint    k = seed % history->n;
  AnswerWanted *move = &g_array_index (wanted, AnswerWanted, FRAMES + 3 * k);

  history->shifts[k].x += 3;
  move->value -= 3;
  return history->kind == HALVES && history->settings.align;
}

const AnswerRow answer_weights = {
  .name = "weights", .cases = 400, .draw = shifts_draw, .describe = history_words, .clear = history_free,
  .compute = history_weigh, .reference = shifts_reference,
  .tolerance = "the rounding of a double times the condition number",
  .laws = { { "all shifts moved", all_moved }, { "a frame that lies whole pixels elsewhere", one_a_pixel_on } },
  .special = weighing
};

/* --------------------------------------------------------- from frames -- */

static gpointer
frames_draw (guint64 seed, gboolean is_small G_GNUC_UNUSED)
{
  StarsRandom random = stars_random (seed, 1, 0);
  History    *history = g_new0 (History, 1);
  StarsField *field;

  history->n = (gint) draw_log (&random, 1, 16.99);
  history->settings = (WeightsSettings) { WEIGHTS_FROM_FRAMES, 1, 1e-3, FALSE, draw_chance (&random, 0.8) };
  field = draw_field (&random, 6, 90, history->n + 1, 1.5);
  for (gint k = 0; k <= history->n; k++)
    {
      history->shifts[k] = (Vector) { field->shifts[k].x, field->shifts[k].y };
      history->frames[k] = draw_frame (&random, field, k);
      for (gsize i = 0; i < plane_size (&history->frames[k]); i++)
        if (! isfinite (history->frames[k].values[i]))
          history->frames[k].values[i] = NAN;
      history->counts[k] = as_counts (&history->frames[k]);
    }
  stars_field_free (field);
  return history;
}

static void
frames_reference (gconstpointer input, const GArray *numbers, GArray *wanted)
{
  const History   *history = input;
  ReferenceWeights right;
  gdouble          excess = 0, trace = 0, terms, offset;

  reference_from_frames (history->n, history->frames, &history->frames[history->n], history->shifts,
                         history->shifts[history->n], history->settings.align, &right);
  terms = 1 + fabs (right.mean);
  offset = right.offset;
  for (gint k = 0; k < right.n; k++)
    {
      const gdouble off = weight_of (numbers, k) - right.weights[k];

      trace += right.normal[k][k];
      for (gint l = 0; l < right.n; l++)
        excess += off * right.normal[k][l] * (weight_of (numbers, l) - right.weights[l]);
      offset -= off * right.means[k];
      terms += fabs (right.weights[k] * right.means[k]);
    }
  answer_want (wanted, -1, 0);
  answer_want (wanted, 0, INFINITY);
  answer_want (wanted, 0, INFINITY);
  answer_want (wanted, 0, INFINITY);
  answer_want (wanted, offset, 1e-6 * terms);
  want_moves (&right, wanted);
  for (gint k = 0; k < right.n; k++)    /* those that predict as well are as good */
    g_array_index (wanted, AnswerWanted, FRAMES + 3 * k + 2).within = excess <= EXCESS * trace ? INFINITY : 0;
}

/* Twice as much of everything is predicted by the same weights. */
static gboolean
twice_as_bright (guint64 seed G_GNUC_UNUSED, gpointer input, GArray *wanted)
{
  History *history = input;

  double_counts (history->counts, history->n + 1);
  g_array_index (wanted, AnswerWanted, OFFSET).value *= 2;
  return TRUE;
}

const AnswerRow answer_weights_from_frames = {
  .name = "weights-from-frames", .cases = 40, .draw = frames_draw, .describe = history_words, .clear = history_free,
  .compute = history_weigh,
  .reference = frames_reference,
  .tolerance = "what other weights predict worse than the reference's: 1e-7 of the variance",
  .laws = { { "twice as bright", twice_as_bright } }
};
