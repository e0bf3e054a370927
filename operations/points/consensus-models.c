/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Transforms through pairs of places.  Each kind of transform is written once, as two linear equations in its
 * parameters for a pair: solved for as many pairs as there are unknowns they fix it (of a homography this is the direct
 * linear transform), and with predicted places in place of measured ones they are the derivatives that
 * Levenberg-Marquardt needs.
 *
 * Places are first moved to their mean and scaled (Hartley, 1997), with one scale for both pictures, which leaves a
 * translation a translation.
 */
#include "consensus-models.h"

#include "matrix.h"
#include "solve.h"

#include <math.h>
#include <string.h>

#define LEAST_AREA 1.0          /* px^2, of three pairs: below it they are nearly on a line */
/* px: errors beyond it weigh in only linearly.  In units of sigma, by which large places would count less, corners came out
 * worse: median 0.30 px for 0.27, 95 % 1.4 px for 0.9 (60 warped photographs, without refinement, 2026-11-23). */
#define HUBER      1.0
#define MOST_STEPS 30
#define LEAST_GAIN 1e-10        /* of a step, as a part of what is left */
#define LARGEST_DETERMINANT 25.0

gint
models_sample_size (ConsensusModel model)
{
  return (gint) model + 1;      /* in the order of the enum */
}

/* ---------------------------------------------------------------- samples -- */

static gboolean
is_flat (const Pair *p, const Pair *q, const Pair *r)
{
  const gdouble in_b = (q->x - p->x) * (r->y - p->y) - (q->y - p->y) * (r->x - p->x);
  const gdouble in_a = (q->u - p->u) * (r->v - p->v) - (q->v - p->v) * (r->u - p->u);

  return ! (fabs (in_b) >= 2 * LEAST_AREA && fabs (in_a) >= 2 * LEAST_AREA);
}

static gboolean
is_near (const Pair *p, const Pair *q)
{
  const gdouble x = q->x - p->x, y = q->y - p->y, u = q->u - p->u, v = q->v - p->v;

  return ! (x * x + y * y >= 1.0 && u * u + v * v >= 1.0);
}

gboolean
models_may_fix (ConsensusModel model, const Pair *sample)
{
  const gint n = models_sample_size (model);

  if (n == 2)
    return ! is_near (&sample[0], &sample[1]);
  for (gint i = 0; i < n; i++)
    for (gint j = i + 1; j < n; j++)
      for (gint k = j + 1; k < n; k++)
        if (is_flat (&sample[i], &sample[j], &sample[k]))
          return FALSE;
  return TRUE;
}

/* -------------------------------------------------------------- equations -- */

/* The two equations row . parameters = u, v of a pair. */
static void
write_rows (ConsensusModel model, gdouble x, gdouble y, gdouble u, gdouble v, gdouble *for_u, gdouble *for_v)
{
  const gdouble rows[4][2][MOST_PARAMETERS] = {
    [MODEL_TRANSLATION] = { { 1 }, { 0, 1 } },
    [MODEL_SIMILARITY]  = { { x, -y, 1 }, { y, x, 0, 1 } },
    [MODEL_AFFINE]      = { { x, y, 1 }, { 0, 0, 0, x, y, 1 } },
    [MODEL_HOMOGRAPHY]  = { { x, y, 1, 0, 0, 0, -x * u, -y * u }, { 0, 0, 0, x, y, 1, -x * v, -y * v } },
  };

  memcpy (for_u, rows[model][0], sizeof rows[model][0]);
  memcpy (for_v, rows[model][1], sizeof rows[model][1]);
}

static void
write_matrix (ConsensusModel model, const gdouble *p, gdouble *matrix)
{
  const gdouble matrices[4][9] = {
    [MODEL_TRANSLATION] = { 1, 0, p[0], 0, 1, p[1], 0, 0, 1 },
    [MODEL_SIMILARITY]  = { p[0], -p[1], p[2], p[1], p[0], p[3], 0, 0, 1 },
    [MODEL_AFFINE]      = { p[0], p[1], p[2], p[3], p[4], p[5], 0, 0, 1 },
    [MODEL_HOMOGRAPHY]  = { p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], 1 },
  };

  memcpy (matrix, matrices[model], sizeof matrices[model]);
}

static void
read_matrix (ConsensusModel model, const gdouble *m, gdouble *p)
{
  const gdouble parameters[4][MOST_PARAMETERS] = {
    [MODEL_TRANSLATION] = { m[2], m[5] },
    [MODEL_SIMILARITY]  = { m[0], m[3], m[2], m[5] },
    [MODEL_AFFINE]      = { m[0], m[1], m[2], m[3], m[4], m[5] },
    [MODEL_HOMOGRAPHY]  = { m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7] },
  };

  memcpy (p, parameters[model], sizeof parameters[model]);
}

/* ---------------------------------------------------------- normalisation -- */

typedef struct
{
  gdouble x, y, u, v;           /* means */
  gdouble scale;                /* so that places of A are sqrt 2 from their mean, in the mean */
} Norm;

static Norm
find_norm (const Pair *pairs, const gint *chosen, gint n)
{
  Norm    norm = { 0, 0, 0, 0, 0 };
  gdouble distance = 0;

  for (gint i = 0; i < n; i++)
    {
      const Pair *pair = &pairs[chosen[i]];

      norm.x += pair->x;
      norm.y += pair->y;
      norm.u += pair->u;
      norm.v += pair->v;
    }
  norm.x /= n;
  norm.y /= n;
  norm.u /= n;
  norm.v /= n;
  for (gint i = 0; i < n; i++)
    {
      const gdouble u = pairs[chosen[i]].u - norm.u, v = pairs[chosen[i]].v - norm.v;

      distance += sqrt (u * u + v * v);
    }
  norm.scale = distance > 0 ? sqrt (2.0) * n / distance : 1.0;
  return norm;
}

static Pair
normal_pair (const Norm *norm, const Pair *pair)
{
  Pair normal = *pair;

  normal.x = (pair->x - norm->x) * norm->scale;
  normal.y = (pair->y - norm->y) * norm->scale;
  normal.u = (pair->u - norm->u) * norm->scale;
  normal.v = (pair->v - norm->v) * norm->scale;
  return normal;
}

/* FALSE where the last number cannot be 1. */
static gboolean
divide_by_last (gdouble *matrix)
{
  const gdouble last = matrix[8];

  if (! (last > 1e-9))
    return FALSE;
  for (gint k = 0; k < 9; k++)
    {
      matrix[k] /= last;
      if (! isfinite (matrix[k]))
        return FALSE;
    }
  return TRUE;
}

/* product = left middle right, with 1 as its last number. */
static gboolean
multiply_three (const gdouble *left, const gdouble *middle, const gdouble *right, gdouble *product)
{
  gdouble half[9];

  matrix_multiply (middle, right, half);
  matrix_multiply (left, half, product);
  return divide_by_last (product);
}

static gboolean
from_normal (const Norm *norm, const gdouble *normal, gdouble *matrix)
{
  const gdouble s = norm->scale;
  gdouble       into[9], back[9];

  matrix_place (s, -s * norm->x, -s * norm->y, into);
  matrix_place (1 / s, norm->u, norm->v, back);
  return multiply_three (back, normal, into, matrix);
}

static gboolean
to_normal (const Norm *norm, const gdouble *matrix, gdouble *normal)
{
  const gdouble s = norm->scale;
  gdouble       into[9], back[9];

  matrix_place (s, -s * norm->u, -s * norm->v, into);
  matrix_place (1 / s, norm->x, norm->y, back);
  return multiply_three (into, matrix, back, normal);
}

gboolean
models_fix (ConsensusModel model, const Pair *sample, gdouble *matrix)
{
  static const gint all[MOST_SAMPLE] = { 0, 1, 2, 3 };
  const gint        n = models_sample_size (model);
  const Norm        norm = find_norm (sample, all, n);
  gdouble           rows[MOST_PARAMETERS][MOST_PARAMETERS + 1] = { { 0 } }, parameters[MOST_PARAMETERS] = { 0 }, normal[9];

  for (gint i = 0; i < n; i++)
    {
      const Pair pair = normal_pair (&norm, &sample[i]);

      write_rows (model, pair.x, pair.y, pair.u, pair.v, rows[2 * i], rows[2 * i + 1]);
      rows[2 * i][MOST_PARAMETERS] = pair.u;
      rows[2 * i + 1][MOST_PARAMETERS] = pair.v;
    }
  if (! solve_any (rows[0], MOST_PARAMETERS + 1, 2 * n, parameters))
    return FALSE;
  write_matrix (model, parameters, normal);
  return from_normal (&norm, normal, matrix);
}

/* ------------------------------------------------------------ improvement -- */

gdouble
models_error2 (const gdouble *m, const Pair *pair)
{
  const gdouble w = m[6] * pair->x + m[7] * pair->y + m[8];
  const gdouble u = (m[0] * pair->x + m[1] * pair->y + m[2]) / w - pair->u;
  const gdouble v = (m[3] * pair->x + m[4] * pair->y + m[5]) / w - pair->v;

  return w > 0 ? u * u + v * v : INFINITY;
}

/* Huber's loss of all errors, which are bent to lines at `bend`. */
static gdouble
loss_of (const Pair *pairs, gint n, const gdouble *matrix, gdouble bend)
{
  gdouble loss = 0;

  for (gint i = 0; i < n; i++)
    {
      const gdouble error2 = models_error2 (matrix, &pairs[i]);

      loss += error2 <= bend * bend ? error2 / 2 : bend * (sqrt (error2) - bend / 2);
    }
  return loss;
}

/* The normal equations of one step: derivatives by the parameters, weighed as Huber's loss has it. */
static void
gather (ConsensusModel model, const Pair *pairs, gint n, const gdouble *m, gdouble bend,
        gdouble equations[MOST_PARAMETERS][MOST_PARAMETERS + 1])
{
  const gint unknowns = 2 * models_sample_size (model);

  memset (equations, 0, MOST_PARAMETERS * (MOST_PARAMETERS + 1) * sizeof (gdouble));
  for (gint i = 0; i < n; i++)
    {
      const Pair   *pair = &pairs[i];
      const gdouble w = m[6] * pair->x + m[7] * pair->y + m[8];
      const gdouble u = (m[0] * pair->x + m[1] * pair->y + m[2]) / w, v = (m[3] * pair->x + m[4] * pair->y + m[5]) / w;
      const gdouble error_u = pair->u - u, error_v = pair->v - v, error = sqrt (error_u * error_u + error_v * error_v);
      const gdouble weight = (error <= bend ? 1.0 : bend / error) / w;      /* one w of each derivative is left out of the rows */
      gdouble       for_u[MOST_PARAMETERS], for_v[MOST_PARAMETERS];

      write_rows (model, pair->x, pair->y, u, v, for_u, for_v);
      for (gint j = 0; j < unknowns; j++)
        {
          const gdouble by_u = weight * for_u[j], by_v = weight * for_v[j];

          for (gint k = 0; k <= j; k++)
            equations[j][k] += (by_u * for_u[k] + by_v * for_v[k]) / w;
          equations[j][MOST_PARAMETERS] += by_u * error_u + by_v * error_v;
        }
    }
  for (gint j = 0; j < unknowns; j++)
    for (gint k = j + 1; k < unknowns; k++)
      equations[j][k] = equations[k][j];
}

/* TRUE if the step made the loss smaller; then `matrix` and *loss are the new ones. */
static gboolean
try_step (ConsensusModel model, const Pair *pairs, gint n, gdouble bend,
          gdouble equations[MOST_PARAMETERS][MOST_PARAMETERS + 1], gdouble damping, gdouble *matrix, gdouble *loss)
{
  const gint unknowns = 2 * models_sample_size (model);
  gdouble    damped[MOST_PARAMETERS][MOST_PARAMETERS + 1], step[MOST_PARAMETERS], parameters[MOST_PARAMETERS], next[9], next_loss;

  memcpy (damped, equations, sizeof damped);
  for (gint k = 0; k < unknowns; k++)
    damped[k][k] *= 1.0 + damping;
  if (! solve_any (damped[0], MOST_PARAMETERS + 1, unknowns, step))
    return FALSE;
  read_matrix (model, matrix, parameters);
  for (gint k = 0; k < unknowns; k++)
    parameters[k] += step[k];
  write_matrix (model, parameters, next);
  next_loss = loss_of (pairs, n, next, bend);
  if (! (next_loss < *loss))
    return FALSE;
  memcpy (matrix, next, sizeof next);
  *loss = next_loss;
  return TRUE;
}

void
models_improve (ConsensusModel model, const Pair *pairs, const gint *chosen, gint n, gdouble *matrix)
{
  const Norm norm = find_norm (pairs, chosen, n);
  g_autofree Pair *normals = g_new (Pair, MAX (n, 1));
  gdouble    normal[9], parameters[MOST_PARAMETERS], improved[9], bend = HUBER * norm.scale, damping = 1e-3, loss;

  for (gint i = 0; i < n; i++)
    normals[i] = normal_pair (&norm, &pairs[chosen[i]]);
  if (n >= models_sample_size (model) && to_normal (&norm, matrix, normal))
    {
      read_matrix (model, normal, parameters);
      write_matrix (model, parameters, normal);         /* of another kind it may have been */
      loss = loss_of (normals, n, normal, bend);
      for (gint i = 0; i < MOST_STEPS && damping < 1e6; i++)
        {
          const gdouble before = loss;
          gdouble       equations[MOST_PARAMETERS][MOST_PARAMETERS + 1];

          gather (model, normals, n, normal, bend, equations);
          while (! try_step (model, normals, n, bend, equations, damping, normal, &loss) && damping < 1e6)
            damping *= 10;
          if (! (before - loss > LEAST_GAIN * before))
            break;
          damping /= 10;
        }
      if (from_normal (&norm, normal, improved))
        memcpy (matrix, improved, sizeof improved);
    }
}

/* ------------------------------------------------------------------ shape -- */

/* The determinant of the derivative is det M / w^3, and w is linear: its ends are at corners. */
gboolean
models_is_upright (const gdouble *m, const Frames *frames, gdouble *least, gdouble *most)
{
  const gdouble determinant = matrix_determinant (m);

  *least = INFINITY;
  *most = -INFINITY;
  for (gint corner = 0; corner < 4; corner++)
    {
      const gdouble x = corner & 1 ? frames->width - 0.5 : -0.5, y = corner & 2 ? frames->height - 0.5 : -0.5;
      const gdouble w = m[6] * x + m[7] * y + m[8];
      const gdouble local = w > 0 ? determinant / (w * w * w) : -INFINITY;

      *least = MIN (*least, local);
      *most = MAX (*most, local);
    }
  return *least >= 1 / LARGEST_DETERMINANT && *most <= LARGEST_DETERMINANT;
}
