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
#include "tessera.h"

#define SIDE        REFINE_SIDE
#define BLURRED_SOFTNESS 6.0    /* pixels: where the transform may be a dozen pixels off */
#define BLURRED_SLACK 16        /* pixels of B that a square may move */
#define SLACK         5
#define FAR_SOFTNESS  2.5       /* pixels: first, where the transform may be some pixels off */
#define NEAR_SOFTNESS 1.0
#define STEPS       12
#define ROUNDS      6         /* of all squares together */
#define FAR_STILL   0.02        /* pixels: a step that moves no corner by more is the last; another softness follows */
#define NEAR_STILL  0.002
#define FARTHEST    0.8         /* of the slack, that all steps together may move the middle of A */
#define OUTLIERS    3.0         /* standard deviations */
#define EQUAL       1e-3        /* pixels: a smaller deviation is rounding */
#define PER_MEDIAN  1.4826      /* standard deviation of a Gaussian / median of the magnitudes */
#define LEAST_PIVOT 1e-9        /* of a number of the diagonal: below it there is no one answer */
#define BITS        12          /* of a float that the histogram for the median leaves out */
#define BINS        (1 << 16)
#define FIRST_BIN   ((127 - 20) << (23 - BITS))         /* magnitudes below 2^-20 are 0 to it */
#define LANES       16          /* sums side by side, in vectors */
#define STEEP       4.0         /* a square that agrees by a quarter agrees */

/* ------------------------------------------------------------------- steps -- */

typedef struct
{
  Refining       refining;
  ConsensusModel model;
  gboolean       takes_all;                     /* squares that are held out too */
  Tangent        tangent;
  gdouble        most;                          /* differences beyond it are left out */
  guint32        counts[BINS];
} RefineSteps;

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
median_difference (RefineSteps *steps, gboolean is_held_out)
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

/* What a change of each parameter adds to the square's pixels: tangent_rows, with the gradient. */
TESSERA_CLONES static void
fill_columns (const RefineSteps *steps, const RefineSquare *square, const gfloat *gradient_x, const gfloat *gradient_y,
              gdouble (*restrict columns)[REFINE_N])
{
  const gboolean is_similar = steps->model == MODEL_SIMILARITY, has_more = steps->model >= MODEL_AFFINE;

  for (gint y = 0; y < SIDE; y++)
    for (gint x = 0; x < SIDE; x++)
      {
        const gint    i = y * SIDE + x;
        const gdouble across = square->weight * gradient_x[i], down = square->weight * gradient_y[i];
        const gdouble u = (square->x + x - steps->tangent.x) / steps->tangent.scale, v = (square->y + y - steps->tangent.y) / steps->tangent.scale;
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
add_up (const RefineSteps *steps, RefineSquare *square, gdouble (*columns)[REFINE_N])
{
  const gint n = tangent_size (steps->model);

  fill_columns (steps, square, square->gradient_x, square->gradient_y, columns);
  for (gint i = 0; i < REFINE_N; i++)
    columns[REFINE_MOST][i] = square->difference[i];
  for (gint k = 0; k < n; k++)
    {
      center (square->difference, steps->most, columns[k]);
      square->sums.steepest[k] = product (columns[k], columns[REFINE_MOST]);
      for (gint j = 0; j <= k; j++)
        square->sums.hessian[k][j] = product (columns[k], columns[j]);
    }
}

/* As add_up, for all numbers of a homography, from the gradients of both pictures: what is noise in one is not in the other.  The square of one
 * gradient has the noise's in it, and where there is little else a step would seem shorter, and surer, than it is.  And what a change of contrast
 * would do counts for nothing: noise makes a square seem stronger than what both pictures show.  The square's rim is left out. */
static void
add_up_both (const RefineSteps *steps, RefineSquare *square, gdouble (*columns)[REFINE_N])
{
  gdouble (*of_b)[REFINE_N] = columns + REFINE_MOST + 1, *own = columns[2 * REFINE_MOST + 1], aa;
  gfloat    b[REFINE_N], across[REFINE_N] = { 0.0f }, down[REFINE_N] = { 0.0f }, kept[REFINE_N];

  for (gint i = 0; i < REFINE_N; i++)
    {
      const gint x = i % SIDE, y = i / SIDE;

      b[i] = square->a[i] + square->difference[i] / square->weight;
      kept[i] = x > 0 && y > 0 && x < SIDE - 1 && y < SIDE - 1 ? square->difference[i] : 2.0f * (gfloat) steps->most + 1.0f;
      columns[REFINE_MOST][i] = square->difference[i];
      own[i] = square->a[i];
    }
  for (gint y = 1; y < SIDE - 1; y++)
    for (gint x = 1; x < SIDE - 1; x++)
      {
        const gfloat *here = b + y * SIDE + x;

        across[y * SIDE + x] = 0.5f * (here[1] - here[-1]);
        down[y * SIDE + x] = 0.5f * (here[SIDE] - here[-SIDE]);
      }
  fill_columns (steps, square, square->gradient_x, square->gradient_y, columns);
  fill_columns (steps, square, across, down, of_b);
  center (kept, steps->most, own);
  aa = product (own, own);
  for (gint k = 0; k < REFINE_MOST; k++)
    {
      gdouble part;

      center (kept, steps->most, columns[k]);
      center (kept, steps->most, of_b[k]);
      part = aa > 0.0 ? product (columns[k], own) / aa : 0.0;
      for (gint i = 0; i < REFINE_N; i++)
        columns[k][i] -= part * own[i];
      square->sums.steepest[k] = product (columns[k], columns[REFINE_MOST]);
      for (gint j = 0; j <= k; j++)
        square->sums.hessian[k][j] = 0.5 * (product (columns[k], of_b[j]) + product (columns[j], of_b[k]));
    }
}

static void
add_up_squares (gint i, gint n, gpointer data)
{
  const RefineSteps *steps = data;
  gdouble           (*columns)[REFINE_N] = g_malloc ((2 * REFINE_MOST + 2) * sizeof *columns);

  for (gint k = i; k < steps->refining.n; k += n)
    {
      RefineSquare *square = &steps->refining.squares[k];

      if (square->is_used && steps->takes_all)
        add_up_both (steps, square, columns);
      else if (square->is_used && ! square->is_held_out)
        add_up (steps, square, columns);
    }
  g_free (columns);
}

/* One step of Gauss-Newton from the differences that are there; changes `matrix`.  Returns how far it went, negative: nowhere. */
static gdouble
step (RefineSteps *steps, gdouble matrix[9])
{
  const gint n = tangent_size (steps->model);
  gdouble    hessian[REFINE_MOST][REFINE_MOST] = { { 0 } }, answer[REFINE_MOST] = { 0 };

  steps->most = OUTLIERS * MAX (PER_MEDIAN * median_difference (steps, FALSE), EQUAL);
  gegl_parallel_distribute (-1, add_up_squares, steps);
  for (gint i = 0; i < steps->refining.n; i++)
    {
      const RefineSquare *square = &steps->refining.squares[i];

      for (gint k = 0; k < n && square->is_used && ! square->is_held_out; k++)
        {
          answer[k] += square->sums.steepest[k];
          for (gint j = 0; j <= k; j++)
            hessian[k][j] += square->sums.hessian[k][j];
        }
    }
  if (! solve_positive (hessian[0], REFINE_MOST, n, LEAST_PIVOT, answer))
    return -1.0;
  return tangent_apply (&steps->tangent, steps->model, answer, matrix);
}

/* The median difference of the half that is held out. */
static gdouble
compare (RefineSteps *steps, const gdouble matrix[9])
{
  if (! matrix_invert (matrix, steps->refining.inverse))
    return G_MAXDOUBLE;
  gegl_parallel_distribute (-1, compare_squares, &steps->refining);
  return median_difference (steps, TRUE);
}

/* From the middle of A to where the moved matrix has it. */
static gboolean
stays_near (RefineSteps *steps, const gdouble matrix[9], const gdouble moved[9])
{
  gdouble inverse[9], u, v, x, y;

  if (! matrix_invert (matrix, inverse))
    return FALSE;
  matrix_map (inverse, steps->tangent.x, steps->tangent.y, &u, &v);
  matrix_map (moved, u, v, &x, &y);
  return fabs (x - steps->tangent.x) <= FARTHEST * steps->refining.slack && fabs (y - steps->tangent.y) <= FARTHEST * steps->refining.slack;
}

static gboolean
refine_steps (RefineSteps *steps, gdouble still, gdouble matrix[9])
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

static gdouble
agreement_of (const Refining *refining)
{
  gdouble sum = 0, weight = 0;

  for (gint i = 0; i < refining->n; i++)
    if (refining->squares[i].is_used)
      {
        sum += refining->squares[i].weight * CLAMP (STEEP * refine_square_agrees (&refining->squares[i]), -1.0, 1.0);
        weight += refining->squares[i].weight;
      }
  return weight > 0 ? sum / weight : 0;
}

/* Moves the matrix to where the pixels of all squares have it, of the least kind if that is free, and tells how well that is known.  FALSE: it
 * is there already, or they do not know. */
static gboolean
settle (RefineSteps *steps, const RefineKnown *known, gboolean is_free, ConsensusModel *model, gdouble matrix[9], RefineVerdict *verdict)
{
  const Refining              *refining = &steps->refining;
  g_autofree const RefineSums **squares = g_new (const RefineSums *, refining->n);
  gint                         n = 0;
  gdouble                      went;

  if (compare (steps, matrix) == G_MAXDOUBLE)
    return FALSE;
  steps->model = MODEL_HOMOGRAPHY;
  steps->takes_all = TRUE;
  steps->most = OUTLIERS * MAX (PER_MEDIAN * median_difference (steps, TRUE), EQUAL);
  gegl_parallel_distribute (-1, add_up_squares, steps);
  for (gint i = 0; i < refining->n; i++)
    if (refining->squares[i].is_used)
      squares[n++] = &refining->squares[i].sums;
  verdict->agreement = agreement_of (refining);
  went = refine_judge (squares, n, &refining->a->bounds, &refining->b->bounds, &steps->tangent, known, is_free, model, matrix, verdict);
  steps->takes_all = FALSE;
  return went > NEAR_STILL;
}

static gboolean
steps_begin (RefineSteps *steps, const RefinePicture *a, const RefinePicture *b, ConsensusModel model, gdouble softness, gint slack,
             const gdouble matrix[9])
{
  steps->refining = (Refining) { .a = a, .b = b, .softness = softness, .slack = slack };
  steps->model = model;
  steps->takes_all = FALSE;
  tangent_init (&steps->tangent, a->bounds.width, a->bounds.height);
  memcpy (steps->refining.matrix, matrix, sizeof steps->refining.matrix);
  return matrix_invert (matrix, steps->refining.inverse) && refine_squares_read (&steps->refining);
}

/* With pictures of that softness. */
static gboolean
refine_soft (const RefinePicture *a, const RefinePicture *b, ConsensusModel model, gdouble softness, gint slack, gdouble matrix[9])
{
  g_autofree RefineSteps *steps = g_new (RefineSteps, 1);
  const gboolean          done = steps_begin (steps, a, b, model, softness, slack, matrix) && refine_steps (steps, FAR_STILL, matrix);

  refine_squares_clear (&steps->refining);
  return done;
}

gboolean
refine_blurred (const RefinePicture *a, const RefinePicture *b, ConsensusModel model, gdouble matrix[9])
{
  return refine_soft (a, b, model, BLURRED_SOFTNESS, BLURRED_SLACK, matrix);
}

gboolean
refine_far (const RefinePicture *a, const RefinePicture *b, ConsensusModel model, gdouble matrix[9])
{
  return refine_soft (a, b, model, FAR_SOFTNESS, SLACK, matrix);
}

gboolean
refine_near (const RefinePicture *a, const RefinePicture *b, const RefineKnown *known, gboolean is_free, ConsensusModel *model, gdouble matrix[9],
             RefineVerdict *verdict)
{
  g_autofree RefineSteps *steps = g_new (RefineSteps, 1);
  gboolean                done = FALSE;

  *verdict = (RefineVerdict) { .is_known = FALSE };
  if (steps_begin (steps, a, b, *model, NEAR_SOFTNESS, SLACK, matrix))
    {
      done = refine_steps (steps, NEAR_STILL, matrix);
      for (gint i = 0; i < ROUNDS && settle (steps, known, is_free, model, matrix, verdict); i++)
        done = TRUE;
    }
  refine_squares_clear (&steps->refining);
  return done;
}
