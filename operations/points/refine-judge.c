/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What the pixels say of a transform: whether both pictures show the same, how far it may be off, and which is the least kind of
 * transform that explains them.
 *
 * The step of a homography that is left is what the transform misses, be it that its kind is too small or that it has not been found.  How far
 * the squares disagree on that step is its covariance (the sandwich of P. J. Huber, 1967): neighbouring pixels are off together, squares are not.
 * A smaller kind of transform is taken where the best one of it lies within chance of where that step leads.
 */
#include "refine-squares.h"

#include <math.h>
#include <string.h>

#include "matrix.h"
#include "solve.h"

#define N           TANGENT_MOST
#define LEAST       16          /* squares */
#define PIVOT       1e-12
#define UNSEEN      0.03        /* pixels: nobody sees the difference to the smaller kind */
#define GRID        5           /* places along a side, at which transforms are compared */
#define ROUNDS      4
#define SURE        1e-3        /* pixels: nothing is known better, even where no pixel differs */
#define TRUSTED     1e-6        /* of the pixels' word: what was known before has at least as much */

typedef struct
{
  const RefineSums *const *squares;
  gint            n;
  const Tangent  *tangent;
  gdouble         hessian[N][N], right[N];
  gdouble         step[N];      /* of a homography, that is left */
  gdouble         covariance[N][N];     /* of it */
} Judging;

/* The homography's numbers that lead from one matrix to the other, by places all over A.  They are near one another. */
static gboolean
find_difference (const Tangent *tangent, const gdouble from[9], const gdouble to[9], gdouble numbers[N])
{
  gdouble inverse[9], equations[N][N] = { { 0 } };

  memset (numbers, 0, N * sizeof *numbers);
  if (! matrix_invert (from, inverse))
    return FALSE;
  for (gint i = 0; i < GRID * GRID; i++)
    {
      const gdouble a_x = (i % GRID) * 2 * tangent->x / (GRID - 1), a_y = (i / GRID) * 2 * tangent->y / (GRID - 1);
      gdouble       x, y, u, v, along[N], down[N];

      matrix_map (inverse, a_x, a_y, &x, &y);
      matrix_map (to, x, y, &u, &v);
      tangent_rows (tangent, MODEL_HOMOGRAPHY, a_x, a_y, along, down);
      for (gint k = 0; k < N; k++)
        {
          numbers[k] += along[k] * (u - a_x) + down[k] * (v - a_y);
          for (gint l = 0; l < N; l++)
            equations[k][l] += along[k] * along[l] + down[k] * down[l];
        }
    }
  return solve_positive (equations[0], N, N, PIVOT, numbers);
}

/* ------------------------------------------------------------------ error -- */

static void
add_squares (Judging *j)
{
  for (gint i = 0; i < j->n; i++)
    for (gint k = 0; k < N; k++)
      {
        j->right[k] += j->squares[i]->steepest[k];
        for (gint l = 0; l < N; l++)
          j->hessian[k][l] += j->squares[i]->hessian[MAX (k, l)][MIN (k, l)];
      }
}

/* How far each square's sums are from what the step leaves of them. */
static void
add_scatter (const Judging *j, gdouble scatter[N][N])
{
  for (gint i = 0; i < j->n; i++)
    {
      gdouble left[N];

      for (gint k = 0; k < N; k++)
        {
          left[k] = j->squares[i]->steepest[k];
          for (gint l = 0; l < N; l++)
            left[k] -= j->squares[i]->hessian[MAX (k, l)][MIN (k, l)] * j->step[l];
        }
      for (gint k = 0; k < N; k++)
        for (gint l = 0; l < N; l++)
          scatter[k][l] += left[k] * left[l] * j->n / (j->n - N);
    }
}

static void
multiply (const gdouble a[N][N], const gdouble b[N][N], gdouble product[N][N])
{
  for (gint i = 0; i < N; i++)
    for (gint k = 0; k < N; k++)
      {
        product[i][k] = 0;
        for (gint l = 0; l < N; l++)
          product[i][k] += a[i][l] * b[l][k];
      }
}

/* What was known before counts where the pixels say little.  For how much, the scatter of the first round tells: it is the variance of their word. */
static gboolean
solve (Judging *j, const RefineKnown *known, const gdouble matrix[9])
{
  gdouble variance = 0, sum = 0, away[N];

  if (! find_difference (j->tangent, matrix, known->matrix, away))
    return FALSE;
  for (gint round = 0; round < 2; round++)
    {
      const gdouble trust = MAX (TRUSTED * j->hessian[0][0] / known->precision[0][0], variance);
      gdouble       equations[N][N], inverse[N][N], half[N][N], scatter[N][N] = { { 0 } }, right[N];

      for (gint k = 0; k < N; k++)
        {
          right[k] = j->right[k];
          for (gint l = 0; l < N; l++)
            {
              equations[k][l] = j->hessian[k][l] + trust * known->precision[k][l];
              right[k] += trust * known->precision[k][l] * away[l];
            }
        }
      if (! solve_inverse (equations[0], N, N, PIVOT, inverse[0]))
        return FALSE;
      for (gint k = 0; k < N; k++)
        {
          j->step[k] = 0;
          for (gint l = 0; l < N; l++)
            j->step[k] += inverse[k][l] * right[l];
        }
      add_scatter (j, scatter);
      for (gint k = 0; k < N && round == 0; k++)
        {
          variance += scatter[k][k];
          sum += j->hessian[k][k];
        }
      if (round == 0)
        variance /= sum;
      for (gint k = 0; k < N * N; k++)
        scatter[k / N][k % N] += trust * variance * known->precision[k / N][k % N];
      multiply (inverse, scatter, half);
      multiply (half, inverse, j->covariance);
    }
  for (gint k = 0; k < N; k++)
    j->covariance[k][k] += SURE * SURE;
  return TRUE;
}

/* ------------------------------------------------------------------- kinds -- */

/* The numbers of a kind of transform, as those of a homography. */
static const gdouble bases[3][6][N] = {
  [MODEL_TRANSLATION] = { { 1 }, { 0, 1 } },
  [MODEL_SIMILARITY]  = { { 1 }, { 0, 1 }, { 0, 0, 1, 0, 0, 1 }, { 0, 0, 0, -1, 1 } },
  [MODEL_AFFINE]      = { { 1 }, { 0, 1 }, { 0, 0, 1 }, { 0, 0, 0, 1 }, { 0, 0, 0, 0, 1 }, { 0, 0, 0, 0, 0, 1 } },
};

/* Without turn, size, shear or perspective as the kind has it, near the middle of A. */
static void
simplify (const Tangent *tangent, ConsensusModel model, gdouble matrix[9])
{
  gdouble inverse[9], x, y, u[3], v[3], a, b, c, d;

  if (! matrix_invert (matrix, inverse))
    return;
  matrix_map (inverse, tangent->x, tangent->y, &x, &y);
  for (gint i = 0; i < 3; i++)
    matrix_map (matrix, x + (i == 1), y + (i == 2), &u[i], &v[i]);
  a = u[1] - u[0], b = u[2] - u[0], c = v[1] - v[0], d = v[2] - v[0];
  if (model == MODEL_TRANSLATION)
    a = d = 1, b = c = 0;
  else if (model == MODEL_SIMILARITY)
    {
      a = d = 0.5 * (a + d);
      c = 0.5 * (c - b);
      b = -c;
    }
  memcpy (matrix, ((gdouble[9]) { a, b, u[0] - a * x - b * y, c, d, v[0] - c * x - d * y, 0, 0, 1 }), 9 * sizeof *matrix);
}

/* Moves `matrix`, of this kind, to where it is nearest to `best` in standard deviations.  Returns their squares; `left` is what it misses. */
static gdouble
approach (const Judging *j, ConsensusModel model, const gdouble precision[N][N], const gdouble best[9], gdouble matrix[9], gdouble left[N])
{
  const gint size = tangent_size (model);
  gdouble    distance = INFINITY;

  for (gint round = 0; round < ROUNDS; round++)
    {
      gdouble equations[N][N] = { { 0 } }, numbers[N] = { 0 };

      if (! find_difference (j->tangent, matrix, best, left))
        return INFINITY;
      distance = 0;
      for (gint k = 0; k < N * N; k++)
        distance += left[k / N] * precision[k / N][k % N] * left[k % N];
      for (gint m = 0; m < size; m++)
        for (gint k = 0; k < N * N; k++)
          {
            numbers[m] += bases[model][m][k / N] * precision[k / N][k % N] * left[k % N];
            for (gint l = 0; l < size; l++)
              equations[m][l] += bases[model][m][k / N] * precision[k / N][k % N] * bases[model][l][k % N];
          }
      if (round == ROUNDS - 1)
        break;
      if (! solve_positive (equations[0], N, size, PIVOT, numbers) || ! (tangent_apply (j->tangent, model, numbers, matrix) < INFINITY))
        return INFINITY;
    }
  return distance;
}

/* The nearest transform to `best` of the kind *model, or of the least that explains it.  Returns FALSE if there is none. */
static gboolean
find_kind (const Judging *j, gboolean is_free, const gdouble corners[][2], gint n_corners, const gdouble best[9], ConsensusModel *model,
           gdouble matrix[9], gdouble left[N])
{
  static const gdouble none[N][N] = { { 0 } };
  gdouble              precision[N][N];

  if (! solve_inverse (j->covariance[0], N, N, PIVOT, precision[0]))
    return FALSE;
  for (ConsensusModel kind = is_free ? MODEL_TRANSLATION : *model; kind < MODEL_HOMOGRAPHY; kind++)
    {
      const gint more = N - tangent_size (kind);
      gdouble    distance;

      memcpy (matrix, best, 9 * sizeof *matrix);
      simplify (j->tangent, kind, matrix);
      distance = approach (j, kind, precision, best, matrix, left);
      if (! is_free || distance < more * tangent_rare_f (more, j->n - N)
          || tangent_worst (j->tangent, MODEL_HOMOGRAPHY, left, none, corners, n_corners) < UNSEEN)
        {
          *model = kind;
          return isfinite (distance);
        }
    }
  *model = MODEL_HOMOGRAPHY;
  memcpy (matrix, best, 9 * sizeof *matrix);
  memset (left, 0, N * sizeof *left);
  return TRUE;
}

gdouble
refine_judge (const RefineSums *const *squares, gint n, const GeglRectangle *a, const GeglRectangle *b, const Tangent *tangent, const RefineKnown *known,
              gboolean is_free, ConsensusModel *model, gdouble matrix[9], RefineVerdict *verdict)
{
  Judging    j = { .squares = squares, .n = n, .tangent = tangent };
  gdouble    corners[TANGENT_CORNERS][2], best[9], next[9], left[N], moved[N], went;
  const gint n_corners = tangent_overlap (matrix, b->width, b->height, a->width, a->height, corners);

  verdict->is_known = n >= LEAST && n_corners > 0;
  verdict->error = INFINITY;
  if (! verdict->is_known)
    return -1;
  add_squares (&j);
  if (! solve (&j, known, matrix))
    return -1;
  memcpy (best, matrix, sizeof best);
  tangent_apply (tangent, MODEL_HOMOGRAPHY, j.step, best);
  if (! find_kind (&j, is_free, (const gdouble (*)[2]) corners, n_corners, best, model, next, left)
      || ! find_difference (tangent, matrix, next, moved))
    return -1;
  verdict->error = tangent_worst (tangent, MODEL_HOMOGRAPHY, left, (const gdouble (*)[N]) j.covariance, (const gdouble (*)[2]) corners, n_corners);
  went = tangent_worst (tangent, MODEL_HOMOGRAPHY, moved, (const gdouble[N][N]) { { 0 } }, (const gdouble (*)[2]) corners, n_corners);
  memcpy (matrix, next, sizeof next);
  return went;
}
