/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A transform between two pictures, moved until the pixels agree: see refine.h.
 */
#include "refine.h"

#include <math.h>
#include <string.h>

#include "matrix.h"
#include "refine-squares.h"
#include "solve.h"

#define SIDE        REFINE_SIDE
#define FAR_SOFTNESS  2.5       /* pixels: first, where the transform may be some pixels off */
#define NEAR_SOFTNESS 1.0
#define STEPS       12
#define FAR_STILL   0.02        /* pixels: a step that moves no corner by more is the last; another softness follows */
#define NEAR_STILL  0.002
#define FARTHEST    4.0         /* pixels that all steps together may move the middle of A */
#define OUTLIERS    3.0         /* standard deviations */
#define PER_MEDIAN  1.4826      /* standard deviation of a Gaussian / median of the magnitudes */
#define LEAST_PIVOT 1e-9        /* of a number of the diagonal: below it there is no one answer */
#define BITS        12          /* of a float that the histogram for the median leaves out */

/* Parameters of a small transform of A, for places (u, v) from its middle in halves of its larger side:
 * u' = u + the sum of parameter * along, v' with `down`. */
static gint
derive (ConsensusModel model, gdouble u, gdouble v, gdouble along[REFINE_MOST], gdouble down[REFINE_MOST])
{
  switch (model)
    {
    case MODEL_TRANSLATION:
      along[0] = 1, along[1] = 0;
      down[0] = 0, down[1] = 1;
      return 2;
    case MODEL_SIMILARITY:
      along[0] = 1, along[1] = 0, along[2] = u, along[3] = -v;
      down[0] = 0, down[1] = 1, down[2] = v, down[3] = u;
      return 4;
    case MODEL_AFFINE:
    case MODEL_HOMOGRAPHY:
      along[0] = 1, along[1] = 0, along[2] = u, along[3] = v, along[4] = 0, along[5] = 0, along[6] = -u * u, along[7] = -u * v;
      down[0] = 0, down[1] = 1, down[2] = 0, down[3] = 0, down[4] = u, down[5] = v, down[6] = -u * v, down[7] = -v * v;
      break;
    }
  return model == MODEL_AFFINE ? 6 : 8;
}

/* The transform of these parameters. */
static void
small_transform (ConsensusModel model, const gdouble p[REFINE_MOST], gdouble matrix[9])
{
  const gboolean is_similar = model == MODEL_SIMILARITY, has_more = model >= MODEL_AFFINE;
  const gdouble  small[9] = { 1.0 + (is_similar || has_more ? p[2] : 0.0), is_similar ? -p[3] : has_more ? p[3] : 0.0, p[0],
                              is_similar ? p[3] : has_more ? p[4] : 0.0, 1.0 + (is_similar ? p[2] : has_more ? p[5] : 0.0), p[1],
                              model == MODEL_HOMOGRAPHY ? p[6] : 0.0, model == MODEL_HOMOGRAPHY ? p[7] : 0.0, 1.0 };

  memcpy (matrix, small, sizeof small);
}

/* ------------------------------------------------------------------- steps -- */

typedef struct
{
  Refining       refining;
  ConsensusModel model;
  gint           parameters;
  gdouble        scale, middle_x, middle_y;     /* of u and v */
  gdouble        most;                          /* differences beyond it are left out */
} Steps;

static void
compare_squares (gint i, gint n, gpointer data)
{
  Refining *refining = data;

  for (gint k = i; k < refining->n; k += n)
    if (refining->squares[k].is_used)
      refining->squares[k].is_used = refine_square_compare (refining, &refining->squares[k]);
}

/* The median magnitude of the differences of one half of the squares, to 1 part in 2,000. */
static gdouble
median_of (const Refining *refining, gboolean is_held_out)
{
  const gint bins = 1 << (31 - BITS);
  guint32   *counts = g_new0 (guint32, bins);
  gint64     n = 0, below = 0;
  gint       bin = 0;

  for (gint k = 0; k < refining->n; k++)
    {
      const RefineSquare *square = &refining->squares[k];

      for (gint i = 0; i < REFINE_N && square->is_used && square->is_held_out == is_held_out; i++, n++)
        counts[tessera_as_int (tessera_abs (square->difference[i])) >> BITS]++;
    }
  for (; bin < bins - 1 && 2 * (below + counts[bin]) < n; bin++)
    below += counts[bin];
  g_free (counts);
  return n > 0 ? tessera_as_float (bin << BITS) : G_MAXDOUBLE;
}

/* The square's part of the normal equations.  The mean of each column goes with the square's. */
static void
add_up (const Steps *steps, RefineSquare *square)
{
  const gint n = steps->parameters;
  gdouble (*rows)[REFINE_MOST] = g_malloc (REFINE_N * sizeof *rows), means[REFINE_MOST] = { 0 };

  memset (square->hessian, 0, sizeof square->hessian);
  memset (square->steepest, 0, sizeof square->steepest);
  for (gint i = 0; i < REFINE_N; i++)
    {
      gdouble along[REFINE_MOST], down[REFINE_MOST];

      derive (steps->model, (square->x + i % SIDE - steps->middle_x) / steps->scale,
              (square->y + i / SIDE - steps->middle_y) / steps->scale, along, down);
      for (gint k = 0; k < n; k++)
        means[k] += rows[i][k] = square->weight * (square->gradient_x[i] * along[k] + square->gradient_y[i] * down[k]);
    }
  for (gint i = 0; i < REFINE_N; i++)
    if (fabs (square->difference[i]) <= steps->most)
      for (gint k = 0; k < n; k++)
        {
          const gdouble value = rows[i][k] - means[k] / REFINE_N;

          square->steepest[k] += value * square->difference[i];
          for (gint j = 0; j <= k; j++)
            square->hessian[k][j] += value * (rows[i][j] - means[j] / REFINE_N);
        }
  g_free (rows);
}

static void
add_up_squares (gint i, gint n, gpointer data)
{
  const Steps *steps = data;

  for (gint k = i; k < steps->refining.n; k += n)
    {
      RefineSquare *square = &steps->refining.squares[k];

      if (square->is_used && ! square->is_held_out)
        add_up (steps, square);
    }
}

/* The small transform in pixels of A: around its middle. */
static void
to_pixels (const Steps *steps, const gdouble small[9], gdouble matrix[9])
{
  gdouble in[9], out[9];

  matrix_place (1.0 / steps->scale, -steps->middle_x / steps->scale, -steps->middle_y / steps->scale, in);
  matrix_place (steps->scale, steps->middle_x, steps->middle_y, out);
  matrix_multiply (small, in, in);
  matrix_multiply (out, in, matrix);
  matrix_normalize (matrix);
}

/* How far a transform moves the corners of A, at most. */
static gdouble
farthest (const Steps *steps, const gdouble matrix[9])
{
  gdouble most = 0.0;

  for (gint i = 0; i < 4; i++)
    {
      const gdouble x = (i & 1) * 2.0 * steps->middle_x, y = (i >> 1) * 2.0 * steps->middle_y;
      gdouble       u, v;

      matrix_map (matrix, x, y, &u, &v);
      most = MAX (most, sqrt ((u - x) * (u - x) + (v - y) * (v - y)));
    }
  return most;
}

/* One step of Gauss-Newton from the differences that are there; changes `matrix`.  Returns how far it went, negative: nowhere. */
static gdouble
step (Steps *steps, gdouble matrix[9])
{
  gdouble hessian[REFINE_MOST][REFINE_MOST] = { { 0 } }, answer[REFINE_MOST] = { 0 }, small[9];

  steps->most = OUTLIERS * PER_MEDIAN * median_of (&steps->refining, FALSE);
  gegl_parallel_distribute (-1, add_up_squares, steps);
  for (gint i = 0; i < steps->refining.n; i++)
    {
      const RefineSquare *square = &steps->refining.squares[i];

      for (gint k = 0; k < steps->parameters && square->is_used && ! square->is_held_out; k++)
        {
          answer[k] += square->steepest[k];
          for (gint j = 0; j <= k; j++)
            hessian[k][j] += square->hessian[k][j];
        }
    }
  if (! solve_positive (hessian[0], REFINE_MOST, steps->parameters, LEAST_PIVOT, answer))
    return -1.0;
  for (gint k = 0; k < steps->parameters; k++)
    answer[k] /= steps->scale;          /* differences are pixels */
  small_transform (steps->model, answer, small);
  to_pixels (steps, small, small);
  matrix_multiply (small, matrix, matrix);
  matrix_normalize (matrix);
  return farthest (steps, small);
}

/* The median difference of the half that is held out. */
static gdouble
compare (Steps *steps, const gdouble matrix[9])
{
  if (! matrix_invert (matrix, steps->refining.inverse))
    return G_MAXDOUBLE;
  gegl_parallel_distribute (-1, compare_squares, &steps->refining);
  return median_of (&steps->refining, TRUE);
}

/* From the middle of A to where the moved matrix has it. */
static gboolean
stays_near (Steps *steps, const gdouble matrix[9], const gdouble moved[9])
{
  gdouble inverse[9], u, v, x, y;

  if (! matrix_invert (matrix, inverse))
    return FALSE;
  matrix_map (inverse, steps->middle_x, steps->middle_y, &u, &v);
  matrix_map (moved, u, v, &x, &y);
  return fabs (x - steps->middle_x) <= FARTHEST && fabs (y - steps->middle_y) <= FARTHEST;
}

static gboolean
refine_steps (Steps *steps, gdouble still, gdouble matrix[9])
{
  gdouble moved[9], after, far = G_MAXDOUBLE;

  memcpy (moved, matrix, sizeof moved);
  for (gint i = 0; i < STEPS && far >= still; i++)
    if (compare (steps, moved) == G_MAXDOUBLE || ! ((far = step (steps, moved)) >= 0.0) || ! stays_near (steps, matrix, moved))
      return FALSE;
  after = compare (steps, moved);
  if (! (after < compare (steps, matrix)))      /* of the squares that both have */
    return FALSE;
  memcpy (matrix, moved, sizeof moved);
  return TRUE;
}

/* With pictures of that softness. */
static gboolean
refine_soft (const RefinePicture *a, const RefinePicture *b, ConsensusModel model, gdouble softness, gdouble still, gdouble matrix[9])
{
  Steps    steps = { .refining = { .a = a, .b = b, .softness = softness }, .model = model,
                     .scale = 0.5 * MAX (a->bounds.width, a->bounds.height),
                     .middle_x = 0.5 * (a->bounds.width - 1), .middle_y = 0.5 * (a->bounds.height - 1) };
  gdouble  along[REFINE_MOST], down[REFINE_MOST];
  gboolean done = FALSE;

  memcpy (steps.refining.matrix, matrix, sizeof steps.refining.matrix);
  if (! matrix_invert (matrix, steps.refining.inverse))
    return FALSE;
  steps.parameters = derive (model, 0.0, 0.0, along, down);
  if (refine_squares_read (&steps.refining))
    done = refine_steps (&steps, still, matrix);
  refine_squares_clear (&steps.refining);
  return done;
}

gboolean
refine (const RefinePicture *a, const RefinePicture *b, ConsensusModel model, gboolean is_near, gdouble matrix[9])
{
  const gboolean is_nearer = ! is_near && refine_soft (a, b, model, FAR_SOFTNESS, FAR_STILL, matrix);

  return refine_soft (a, b, model, NEAR_SOFTNESS, NEAR_STILL, matrix) || is_nearer;
}
