/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Weights.  Both sides compute in double: the weights may differ by the rounding of a double times the condition number. */
#include "against.h"

#include "once.h"
#include "../engine/verdict.h"

#include <math.h>

#define ROUNDING  1e-14
#define NEAR      10.0
#define EXCESS    1e-7          /* from-frames: of the frames' variance */

static void
draw_shifts (StarsRandom *random, gint n, Vector *shifts)
{
  const gint    kind = draw_whole (random, 0, 5);
  const gdouble drift_x = kind == 0 ? draw (random, -3, 3) : 0, drift_y = kind == 0 ? draw (random, -3, 3) : 0;

  for (gint k = 0; k < n; k++)
    {
      const gdouble size = kind == 1 ? 30 : kind == 2 ? 0.01 : kind == 3 ? 0 : 0.5;

      shifts[k] = (Vector) { k * drift_x + size * stars_normal (random), k * drift_y + size * stars_normal (random) };
      if (kind == 4)                                                    /* halves and wholes: ties */
        shifts[k] = (Vector) { draw_whole (random, -6, 6) / 2.0, draw_whole (random, -6, 6) / 2.0 };
    }
}

static void
as_frame_shifts (gint n, const Vector *shifts, FrameShift *same)
{
  for (gint k = 0; k < n; k++)
    same[k] = (FrameShift) { shifts[k].x, shifts[k].y };
}

static void
compare (const Weights *found, const ReferenceWeights *wanted, gdouble rounding, const gchar *name)
{
  gdouble most = 0, sum = 0, worst = 0;
  gint    moves = 0;

  for (gint k = 0; k < wanted->n; k++)
    {
      most = MAX (most, fabs (wanted->weights[k]));
      sum += found->a[k];
      worst = MAX (worst, fabs (found->a[k] - wanted->weights[k]));
      moves += found->move_x[k] != wanted->move_x[k] || found->move_y[k] != wanted->move_y[k];
    }
  expect (moves == 0, "%s: %d of %d frames are moved otherwise", name, moves, wanted->n);
  expect (worst <= rounding * MAX (most, 1), "%s: weights of %d frames differ by %.3g, %.3g is allowed, sum %.9f", name, wanted->n, worst, rounding * MAX (most, 1), sum);
  expect (fabs (found->noise_gain - wanted->noise_gain) <= rounding * wanted->n * wanted->noise_gain + worst * wanted->n, "%s: noise gain %.9f, the reference has %.9f", name,
          found->noise_gain, wanted->noise_gain);
}

void
against_from_shifts (StarsRandom *random, const gchar *name)
{
  const gint      n = (gint) draw_log (random, 1, REFERENCE_MOST_FRAMES + 0.99);
  WeightsSettings settings = { WEIGHTS_FROM_SHIFTS, draw_whole (random, 0, 3), draw_chance (random, 0.2) ? 0 : draw_log (random, 1e-9, 10),
                               draw_chance (random, 0.3), draw_chance (random, 0.8) };
  Vector          shifts[REFERENCE_MOST_FRAMES + 1];
  FrameShift      same[REFERENCE_MOST_FRAMES + 1];
  ReferenceWeights wanted;
  Weights          found;
  gdouble          sum = 0;
  gchar           *text = g_strdup_printf ("%s, %d frames, degree %d, gamma %g, article %d, align %d", name, n, settings.degree, settings.gamma,
                                           settings.article_ridge, settings.align);

  draw_shifts (random, n + 1, shifts);
  as_frame_shifts (n + 1, shifts, same);
  reference_from_shifts (n, shifts, shifts[n], settings.degree, settings.gamma, settings.article_ridge, settings.align, &wanted);
  weights_find (NULL, same[n], NULL, same, n, &settings, &found);
  if (wanted.nearest_limit < NEAR)
    {
      g_free (text);
      return;
    }
  expect (found.degree == wanted.degree && (found.lowered != WEIGHTS_AS_ASKED) == wanted.is_lowered, "%s: degree %d (lowered: %d), the reference has %d, condition %.3g", text,
          found.degree, found.lowered, wanted.degree, wanted.condition);
  if (found.degree == wanted.degree)
    compare (&found, &wanted, ROUNDING * n * wanted.condition, text);
  for (gint k = 0; k < n; k++)
    sum += found.a[k];
  expect (settings.article_ridge ? sum < 1 + 1e-12 * wanted.condition : fabs (sum - 1) <= ROUNDING * wanted.condition, "%s: the weights' sum is %.15f", text, sum);
  g_free (text);
}

/* The reference's weights make the ridged sum of squares smallest.  Others make it larger by d' (R + ridge) d, d the difference.
 * Products in float (2^-24) and the ridge (1e-6) bound that by 4e-9 of the mean variance for each frame. */
static void
compare_predictions (const Weights *found, const ReferenceWeights *wanted, const gchar *name)
{
  gdouble excess = 0, trace = 0, offset = weights_offset (found), terms = 1 + fabs (wanted->mean);
  gint    moves = 0;

  for (gint k = 0; k < wanted->n; k++)
    {
      moves += found->move_x[k] != wanted->move_x[k] || found->move_y[k] != wanted->move_y[k];
      trace += wanted->normal[k][k];
      for (gint l = 0; l < wanted->n; l++)
        excess += (found->a[k] - wanted->weights[k]) * wanted->normal[k][l] * (found->a[l] - wanted->weights[l]);
      offset += (found->a[k] - wanted->weights[k]) * wanted->means[k];
      terms += fabs (wanted->weights[k] * wanted->means[k]);
    }
  expect (moves == 0, "%s: %d of %d frames are moved otherwise", name, moves, wanted->n);
  expect (excess <= EXCESS * trace, "%s: %.3g of the variance is not predicted", name, excess / trace);
  expect (fabs (offset - wanted->offset) <= 1e-6 * terms, "%s: the offset would be %.6f, the reference has %.6f", name, offset, wanted->offset);
}

void
against_from_frames (StarsRandom *random, const gchar *name)
{
  const gint            n = (gint) draw_log (random, 1, 16.99);
  StarsField           *field = draw_field (random, 6, 90, n + 1, 1.5);
  const WeightsSettings settings = { WEIGHTS_FROM_FRAMES, 1, 1e-3, FALSE, draw_chance (random, 0.8) };
  Vector                shifts[REFERENCE_MOST_FRAMES + 1];
  FrameShift            same[REFERENCE_MOST_FRAMES + 1];
  Plane                 frames[REFERENCE_MOST_FRAMES + 1];
  CountPlane            counts[REFERENCE_MOST_FRAMES + 1];
  const CountPlane     *history[REFERENCE_MOST_FRAMES + 1];
  ReferenceWeights      wanted;
  Weights               found;
  gchar                *text = g_strdup_printf ("%s, %d frames of %d x %d, align %d", name, n, field->settings.width, field->settings.height, settings.align);

  for (gint k = 0; k <= n; k++)
    {
      shifts[k] = (Vector) { field->shifts[k].x, field->shifts[k].y };
      frames[k] = draw_frame (random, field, k);
      for (gsize i = 0; i < plane_size (frames + k); i++)
        if (! isfinite (frames[k].values[i]))
          frames[k].values[i] = NAN;
      counts[k] = as_counts (frames + k);
      history[k] = counts + k;
    }
  as_frame_shifts (n + 1, shifts, same);
  reference_from_frames (n, frames, frames + n, shifts, shifts[n], settings.align, &wanted);
  weights_find (counts + n, same[n], history, same, n, &settings, &found);
  compare_predictions (&found, &wanted, text);
  for (gint k = 0; k <= n; k++)
    {
      plane_free (frames + k);
      count_plane_clear (counts + k);
    }
  stars_field_free (field);
  g_free (text);
}
