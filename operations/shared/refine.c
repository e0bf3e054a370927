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
#define BINS        (1 << 16)
#define FIRST_BIN   ((127 - 20) << (23 - BITS))         /* magnitudes below 2^-20 are 0 to it */
#define LANES       16          /* sums side by side, in vectors */

/* The transform of A by these parameters, for places (u, v) from its middle in halves of its larger side. */
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
  guint32        counts[BINS];
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
median_of (Steps *steps, gboolean is_held_out)
{
  const Refining *refining = &steps->refining;
  gint64          n = 0, below = 0;
  gint            bin = 0;

  memset (steps->counts, 0, sizeof steps->counts);
  for (gint k = 0; k < refining->n; k++)
    {
      const RefineSquare *square = &refining->squares[k];

      for (gint i = 0; i < REFINE_N && square->is_used && square->is_held_out == is_held_out; i++, n++)
        steps->counts[CLAMP ((tessera_as_int (tessera_abs (square->difference[i])) >> BITS) - FIRST_BIN, 0, BINS - 1)]++;
    }
  for (; bin < BINS - 1 && 2 * (below + steps->counts[bin]) < n; bin++)
    below += steps->counts[bin];
  return n == 0 ? G_MAXDOUBLE : bin == 0 ? 0.0 : tessera_as_float ((bin + FIRST_BIN) << BITS);
}

/* What a change of each parameter adds to the square's pixels; see small_transform. */
TESSERA_CLONES static void
fill_columns (const Steps *steps, const RefineSquare *square, gdouble (*restrict columns)[REFINE_N])
{
  const gboolean is_similar = steps->model == MODEL_SIMILARITY, has_more = steps->model >= MODEL_AFFINE;

  for (gint y = 0; y < SIDE; y++)
    for (gint x = 0; x < SIDE; x++)
      {
        const gint    i = y * SIDE + x;
        const gdouble across = square->weight * square->gradient_x[i], down = square->weight * square->gradient_y[i];
        const gdouble u = (square->x + x - steps->middle_x) / steps->scale, v = (square->y + y - steps->middle_y) / steps->scale;
        const gdouble away = across * u + down * v;

        columns[0][i] = across;
        columns[1][i] = down;
        columns[2][i] = is_similar ? away : across * u;
        columns[3][i] = is_similar ? down * u - across * v : across * v;
        if (has_more)
          {
            columns[4][i] = down * u;
            columns[5][i] = down * v;
            columns[6][i] = -u * away;
            columns[7][i] = -v * away;
          }
      }
}

/* The mean goes with the square's; what is left out becomes 0. */
TESSERA_CLONES static void
center (const gfloat *restrict difference, gdouble most, gdouble *restrict column)
{
  gdouble sums[LANES] = { 0.0 }, mean = 0.0;

  for (gint i = 0; i < REFINE_N; i += LANES)
    for (gint k = 0; k < LANES; k++)
      sums[k] += column[i + k];
  for (gint k = 0; k < LANES; k++)
    mean += sums[k] / REFINE_N;
  for (gint i = 0; i < REFINE_N; i++)
    column[i] = fabs (difference[i]) <= most ? column[i] - mean : 0.0;
}

TESSERA_CLONES static gdouble
product (const gdouble *restrict a, const gdouble *restrict b)
{
  gdouble sums[LANES] = { 0.0 }, sum = 0.0;

  for (gint i = 0; i < REFINE_N; i += LANES)
    for (gint k = 0; k < LANES; k++)
      sums[k] += a[i + k] * b[i + k];
  for (gint k = 0; k < LANES; k++)
    sum += sums[k];
  return sum;
}

/* The square's part of the normal equations.  `columns`: room for the parameters' and one more. */
static void
add_up (const Steps *steps, RefineSquare *square, gdouble (*columns)[REFINE_N])
{
  const gint n = steps->parameters;

  fill_columns (steps, square, columns);
  for (gint i = 0; i < REFINE_N; i++)
    columns[REFINE_MOST][i] = square->difference[i];
  for (gint k = 0; k < n; k++)
    {
      center (square->difference, steps->most, columns[k]);
      square->steepest[k] = product (columns[k], columns[REFINE_MOST]);
      for (gint j = 0; j <= k; j++)
        square->hessian[k][j] = product (columns[k], columns[j]);
    }
}

static void
add_up_squares (gint i, gint n, gpointer data)
{
  const Steps *steps = data;
  gdouble    (*columns)[REFINE_N] = g_malloc ((REFINE_MOST + 1) * sizeof *columns);

  for (gint k = i; k < steps->refining.n; k += n)
    {
      RefineSquare *square = &steps->refining.squares[k];

      if (square->is_used && ! square->is_held_out)
        add_up (steps, square, columns);
    }
  g_free (columns);
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

  steps->most = OUTLIERS * PER_MEDIAN * median_of (steps, FALSE);
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
  return median_of (steps, TRUE);
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
  g_autofree Steps *steps = g_new (Steps, 1);
  gboolean done = FALSE;

  steps->refining = (Refining) { .a = a, .b = b, .softness = softness };
  steps->model = model;
  steps->parameters = model == MODEL_TRANSLATION ? 2 : model == MODEL_SIMILARITY ? 4 : model == MODEL_AFFINE ? 6 : 8;
  steps->scale = 0.5 * MAX (a->bounds.width, a->bounds.height);
  steps->middle_x = 0.5 * (a->bounds.width - 1);
  steps->middle_y = 0.5 * (a->bounds.height - 1);
  memcpy (steps->refining.matrix, matrix, sizeof steps->refining.matrix);
  if (matrix_invert (matrix, steps->refining.inverse))
    {
      done = refine_squares_read (&steps->refining) && refine_steps (steps, still, matrix);
      refine_squares_clear (&steps->refining);
    }
  return done;
}

gboolean
refine_far (const RefinePicture *a, const RefinePicture *b, ConsensusModel model, gdouble matrix[9])
{
  return refine_soft (a, b, model, FAR_SOFTNESS, FAR_STILL, matrix);
}

gboolean
refine_near (const RefinePicture *a, const RefinePicture *b, ConsensusModel model, gdouble matrix[9])
{
  return refine_soft (a, b, model, NEAR_SOFTNESS, NEAR_STILL, matrix);
}
