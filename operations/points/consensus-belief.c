/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * How well the pairs that agree fix a transform.  The normal equations of their errors give the covariance of its numbers, and that the error
 * at each place.  The area in which they lie would say less: a homography bends to take in one pair far away from all others.
 *
 * Many points of one spot, of other sizes and angles, are off together: they weigh as much as one.
 */
#include "consensus-models.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "matrix.h"
#include "solve.h"

#define SPOT       8.0          /* pixels of A, a side: what lies in it is one spot */
#define CROWD      16.0         /* pixels: in squares of it the places of all matches are counted */
#define COVER      16           /* squares along A's larger side, of which the covered ones are counted */
#define BEND       1.0          /* pixels: errors beyond it weigh in only linearly */
#define LEAST_NOISE 0.25        /* px^2: places are not better */
#define MOST_CROWDED 8.0        /* times as many: right pairs lie together too */
#define CARE       4.0          /* pairs by chance are so much more than places drawn anywhere would be */
#define CHANCE     1e-4         /* false successes for a pair of pictures */
#define MOST_STEPS 10
#define STILL      1e-3         /* pixels */
#define PIVOT      1e-12

/* ---------------------------------------------------------------- squares -- */

typedef struct
{
  gint64 key;
  gint   index;
} Cell;

static gint
compare_cells (const void *a, const void *b)
{
  const Cell *p = a, *q = b;

  return p->key != q->key ? (p->key > q->key) - (p->key < q->key) : p->index - q->index;
}

/* How many of the chosen pairs lie in the same square as each, in A or in B; `counts` may be NULL.  Returns the number of squares that have one. */
static gint
count_squares (const Pair *pairs, const gint *chosen, gint n, gdouble side, gboolean is_in_b, gint *counts)
{
  g_autofree Cell *cells = g_new (Cell, n + 1);
  gint    squares = 0;

  for (gint i = 0; i < n; i++)
    {
      const Pair  *pair = &pairs[chosen[i]];
      const gint64 column = floor ((is_in_b ? pair->x : pair->u) / side), row = floor ((is_in_b ? pair->y : pair->v) / side);

      cells[i] = (Cell) { row * (G_GINT64_CONSTANT (1) << 32) + column, i };
    }
  qsort (cells, n, sizeof *cells, compare_cells);
  for (gint i = 0, end; i < n; i = end, squares++)
    {
      for (end = i + 1; end < n && cells[end].key == cells[i].key; end++)
        ;
      for (gint k = i; k < end && counts; k++)
        counts[cells[k].index] = end - i;
    }
  return squares;
}

gint
belief_spots (const Pair *pairs, const gint *chosen, gint n)
{
  return MIN (count_squares (pairs, chosen, n, SPOT, FALSE, NULL), count_squares (pairs, chosen, n, SPOT, TRUE, NULL));
}

gint
belief_cover (const Pair *pairs, const gint *chosen, gint n, const Frames *frames)
{
  return count_squares (pairs, chosen, n, MAX (frames->a_width, frames->a_height) / COVER, FALSE, NULL);
}

/* ----------------------------------------------------------------- chance -- */

gint
belief_needed (const Pairs *pairs, gint sample, const Frames *frames)
{
  const gint    n = pairs->n_first;
  g_autofree gint *counts = g_new (gint, n + 1);
  gdouble       together = 0, reach2 = 0, alpha, often;
  gint          k;

  count_squares (pairs->pairs, pairs->first, n, CROWD, FALSE, counts);
  for (gint i = 0; i < n; i++)
    {
      together += (gdouble) (counts[i] - 1) / n / MAX (n - 1, 1);
      reach2 += pairs->pairs[pairs->first[i]].reach2 / n;
    }
  alpha = 1 / (frames->a_width * frames->a_height);     /* that another place is one pixel */
  alpha = CLAMP (together / (CROWD * CROWD), alpha, MOST_CROWDED * alpha);
  alpha = MIN (CARE * G_PI * reach2 * alpha, 0.5);
  /* How often k of n agree by chance, if each sample of each k is tried: n - k, n over k, k over sample, alpha^(k - sample). */
  often = n;
  for (k = 1; k <= sample; k++)
    often *= (gdouble) MAX (n - k + 1, 1) / k;
  for (; k <= n; k++)
    {
      often *= alpha * MAX (n - k + 1, 1) / (k - sample);
      if (often <= CHANCE && alpha * (n - k) < k - sample + 1)
        break;
    }
  return k;
}

/* ------------------------------------------------------------------ error -- */

typedef struct
{
  gdouble equations[TANGENT_MOST][TANGENT_MOST], right[TANGENT_MOST];
  gdouble loss, squares, weight;
} Normal;

gdouble
belief_weights (const Pair *pairs, const gint *chosen, gint n, gdouble *weights)
{
  g_autofree gint *counts = g_new (gint, n + 1);
  const gint squares = count_squares (pairs, chosen, n, SPOT, FALSE, counts);

  for (gint i = 0; i < n; i++)
    weights[i] = 1.0 / counts[i];
  return squares;
}

static void
gather (const Tangent *tangent, ConsensusModel model, const Inliers *in, const gdouble *matrix, Normal *normal)
{
  const gint size = tangent_size (model);

  memset (normal, 0, sizeof *normal);
  for (gint i = 0; i < in->n; i++)
    {
      const Pair *pair = &in->pairs[in->chosen[i]];
      gdouble     u, v, error_u, error_v, error, weight = in->weights[i], along[TANGENT_MOST], down[TANGENT_MOST];

      if (! (matrix_map (matrix, pair->x, pair->y, &u, &v) > 0))
        continue;
      error_u = pair->u - u;
      error_v = pair->v - v;
      error = sqrt (error_u * error_u + error_v * error_v);
      normal->loss += weight * (error <= BEND ? error * error / 2 : BEND * (error - BEND / 2));
      weight *= error <= BEND ? 1 : BEND / error;
      normal->squares += weight * error * error;
      normal->weight += weight;
      tangent_rows (tangent, model, u, v, along, down);
      for (gint j = 0; j < size; j++)
        {
          normal->right[j] += weight * (along[j] * error_u + down[j] * error_v);
          for (gint k = 0; k < size; k++)
            normal->equations[j][k] += weight * (along[j] * along[k] + down[j] * down[k]);
        }
    }
}

gdouble
belief_loss (const Inliers *in, const gdouble *matrix)
{
  const Tangent tangent = { 1, 0, 0 };
  Normal        normal;

  gather (&tangent, MODEL_TRANSLATION, in, matrix, &normal);
  return normal.loss;
}

void
belief_bend (const Inliers *in, const Frames *frames, gdouble *matrix)
{
  Tangent tangent;
  gdouble went = 2 * STILL;

  tangent_init (&tangent, frames->a_width, frames->a_height);
  for (gint i = 0; i < MOST_STEPS && went > STILL; i++)
    {
      gdouble before[9];
      Normal  normal;

      memcpy (before, matrix, sizeof before);
      gather (&tangent, MODEL_HOMOGRAPHY, in, matrix, &normal);
      tangent_expect (&tangent, LEAST_NOISE, normal.equations);
      if (! solve_positive (normal.equations[0], TANGENT_MOST, TANGENT_MOST, PIVOT, normal.right))
        return;
      went = tangent_apply (&tangent, MODEL_HOMOGRAPHY, normal.right, matrix);
      if (! isfinite (went) || ! (matrix[8] > 0))
        {
          memcpy (matrix, before, sizeof before);
          return;
        }
    }
}

void
belief_precision (const Inliers *in, const Frames *frames, const gdouble *matrix, gdouble precision[TANGENT_MOST][TANGENT_MOST])
{
  Tangent tangent;
  Normal  normal;
  gdouble noise;

  tangent_init (&tangent, frames->a_width, frames->a_height);
  gather (&tangent, MODEL_HOMOGRAPHY, in, matrix, &normal);
  noise = MAX (LEAST_NOISE, normal.squares / MAX (2 * normal.weight - TANGENT_MOST, 1));
  tangent_expect (&tangent, noise, normal.equations);
  for (gint k = 0; k < TANGENT_MOST * TANGENT_MOST; k++)
    precision[k / TANGENT_MOST][k % TANGENT_MOST] = normal.equations[k / TANGENT_MOST][k % TANGENT_MOST] / noise;
}

gdouble
belief_error (const Inliers *in, ConsensusModel model, gboolean is_expected, const Frames *frames, const gdouble *matrix)
{
  const ConsensusModel asked = is_expected ? MODEL_HOMOGRAPHY : model;
  const gint size = tangent_size (asked);
  gdouble    covariance[TANGENT_MOST][TANGENT_MOST], corners[TANGENT_CORNERS][2], noise;
  gint       n_corners = tangent_overlap (matrix, frames->width, frames->height, frames->a_width, frames->a_height, corners);
  Tangent    tangent;
  Normal     normal;

  tangent_init (&tangent, frames->a_width, frames->a_height);
  gather (&tangent, asked, in, matrix, &normal);
  noise = MAX (LEAST_NOISE, normal.squares / MAX (2 * normal.weight - tangent_size (model), 1));
  if (is_expected)
    tangent_expect (&tangent, noise, normal.equations);
  if (n_corners == 0 || ! solve_inverse (normal.equations[0], TANGENT_MOST, size, PIVOT, covariance[0]))
    return INFINITY;
  for (gint j = 0; j < size; j++)
    for (gint k = 0; k < size; k++)
      covariance[j][k] *= noise;
  return tangent_worst (&tangent, asked, NULL, (const gdouble (*)[TANGENT_MOST]) covariance, (const gdouble (*)[2]) corners, n_corners);
}
