/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * How the frames before are weighted, from where they lie (from-shifts) or from what they show (from-frames). */
#include "reference.h"

#include <math.h>
#include <string.h>

#define MOST_MONOMIALS  10      /* degree 3 */
#define MOST_CONDITION  1e12
#define RIDGE           1e-6
#define SHIFT_STEPS     1024.0

typedef gdouble Square[MOST_MONOMIALS][MOST_MONOMIALS];

/* Open: how ties are rounded.  Here up, as m is. */
static gdouble
rounded (gdouble shift)
{
  return floor (shift * SHIFT_STEPS + 0.5) / SHIFT_STEPS;
}

void
reference_moves (gint n, const Vector *shifts, Vector target, gboolean align, ReferenceWeights *weights)
{
  memset (weights, 0, sizeof *weights);
  weights->n = n;
  for (gint k = 0; k < n && align; k++)
    {
      weights->move_x[k] = (gint) floor (rounded (target.x) - rounded (shifts[k].x) + 0.5);
      weights->move_y[k] = (gint) floor (rounded (target.y) - rounded (shifts[k].y) + 0.5);
    }
}

/* 1; dx, dy; dx^2, dx dy, dy^2; ... */
static gint
monomials (Vector d, gint degree, gdouble phi[MOST_MONOMIALS])
{
  gint n = 0;

  for (gint sum = 0; sum <= degree; sum++)
    for (gint j = 0; j <= sum; j++)
      phi[n++] = pow (d.x, sum - j) * pow (d.y, j);
  return n;
}

/* The largest eigenvalue of a symmetric matrix by the smallest: Jacobi's rotations. */
static gdouble
condition_number (gint n, Square matrix)
{
  gdouble largest = 0, smallest = INFINITY;
  Square  a;

  memcpy (a, matrix, sizeof a);
  for (gint sweep = 0; sweep < 60; sweep++)
    for (gint p = 0; p < n; p++)
      for (gint q = p + 1; q < n; q++)
        {
          const gdouble theta = a[p][q] != 0 ? (a[q][q] - a[p][p]) / (2 * a[p][q]) : 0;
          const gdouble t = a[p][q] != 0 ? (theta >= 0 ? 1 : -1) / (fabs (theta) + sqrt (theta * theta + 1)) : 0;
          const gdouble c = 1 / sqrt (t * t + 1), s = t * c;

          for (gint k = 0; k < n; k++)
            {
              const gdouble kp = a[k][p], kq = a[k][q];

              a[k][p] = c * kp - s * kq;
              a[k][q] = s * kp + c * kq;
            }
          for (gint k = 0; k < n; k++)
            {
              const gdouble pk = a[p][k], qk = a[q][k];

              a[p][k] = c * pk - s * qk;
              a[q][k] = s * pk + c * qk;
            }
        }
  for (gint k = 0; k < n; k++)
    {
      largest = MAX (largest, fabs (a[k][k]));
      smallest = MIN (smallest, fabs (a[k][k]));
    }
  return smallest > 0 ? largest / smallest : INFINITY;
}

/* The first column of the inverse, by Gauss with the largest pivot. */
static void
first_of_inverse (gint n, Square matrix, gdouble x[MOST_MONOMIALS])
{
  Square a;

  memcpy (a, matrix, sizeof a);
  for (gint i = 0; i < n; i++)
    x[i] = i == 0;
  for (gint column = 0; column < n; column++)
    {
      gint pivot = column;

      for (gint i = column + 1; i < n; i++)
        if (fabs (a[i][column]) > fabs (a[pivot][column]))
          pivot = i;
      for (gint j = 0; j < n; j++)
        {
          const gdouble kept = a[column][j];

          a[column][j] = a[pivot][j];
          a[pivot][j] = kept;
        }
      {
        const gdouble kept = x[column];

        x[column] = x[pivot];
        x[pivot] = kept;
      }
      for (gint i = 0; i < n; i++)
        if (i != column)
          {
            const gdouble factor = a[i][column] / a[column][column];

            for (gint j = column; j < n; j++)
              a[i][j] -= factor * a[column][j];
            x[i] -= factor * x[column];
          }
    }
  for (gint i = 0; i < n; i++)
    x[i] /= a[i][i];
}

static void
set_noise_gain (ReferenceWeights *weights)
{
  gdouble squares = 0;

  for (gint k = 0; k < weights->n; k++)
    squares += weights->weights[k] * weights->weights[k];
  weights->noise_gain = sqrt (1 + squares);
}

/* a = Phi^T (Phi Phi^T + N gamma D)^-1 e1.  FALSE: too few frames or a condition number above 1e12.
 * Open: which condition number.  Here that of the 2-norm.  Open: the article's ridge is written as gamma E; here it is
 * N gamma E, so that it differs from the other in D alone. */
static gboolean
of_degree (gint degree, const Vector *d, gdouble gamma, gboolean article_ridge, ReferenceWeights *weights)
{
  const gint n = weights->n;
  gdouble    phi[REFERENCE_MOST_FRAMES][MOST_MONOMIALS], solution[MOST_MONOMIALS];
  Square     a = { { 0 } };
  gint       m = 0;

  for (gint k = 0; k < n; k++)
    {
      m = monomials (d[k], degree, phi[k]);
      for (gint i = 0; i < m; i++)
        for (gint j = 0; j < m; j++)
          a[i][j] += phi[k][i] * phi[k][j];
    }
  for (gint i = article_ridge ? 0 : 1; i < m; i++)
    a[i][i] += n * gamma;
  weights->condition = condition_number (m, a);
  weights->nearest_limit = MIN (weights->nearest_limit, exp (fabs (log (weights->condition / MOST_CONDITION))));
  if (degree > 0 && (n < m || ! (weights->condition <= MOST_CONDITION)))
    return FALSE;
  first_of_inverse (m, a, solution);
  for (gint k = 0; k < n; k++)
    {
      weights->weights[k] = 0;
      for (gint i = 0; i < m; i++)
        weights->weights[k] += phi[k][i] * solution[i];
    }
  weights->degree = degree;
  return TRUE;
}

void
reference_from_shifts (gint n, const Vector *shifts, Vector target, gint degree, gdouble gamma, gboolean article_ridge, gboolean align,
                       ReferenceWeights *weights)
{
  Vector d[REFERENCE_MOST_FRAMES];
  gint   used = degree;

  reference_moves (n, shifts, target, align, weights);
  for (gint k = 0; k < n; k++)
    d[k] = (Vector) { rounded (shifts[k].x) + weights->move_x[k] - rounded (target.x),
                      rounded (shifts[k].y) + weights->move_y[k] - rounded (target.y) };
  weights->nearest_limit = INFINITY;
  while (! of_degree (used, d, gamma, article_ridge, weights))
    used--;
  weights->is_lowered = used < degree;
  set_noise_gain (weights);
}

/* Pixel i of each moved frame, and of the current one last.  FALSE: one is missing. */
static gboolean
column_at (gint n, const Plane *frames, const Plane *current, const ReferenceWeights *weights, gint x, gint y, gdouble *column)
{
  for (gint k = 0; k < n; k++)
    {
      const gint u = x - weights->move_x[k], v = y - weights->move_y[k];

      if (u < 0 || u >= current->width || v < 0 || v >= current->height)
        return FALSE;
      column[k] = frames[k].values[(gsize) v * current->width + u];
      if (! isfinite (column[k]))
        return FALSE;
    }
  column[n] = current->values[(gsize) y * current->width + x];
  return isfinite (column[n]);
}

/* a x = b by Cholesky; a is overwritten. */
static void
solve (gint n, gdouble a[][REFERENCE_MOST_FRAMES + 1], gdouble *x)
{
  for (gint i = 0; i < n; i++)
    for (gint j = 0; j <= i; j++)
      {
        gdouble sum = a[i][j];

        for (gint k = 0; k < j; k++)
          sum -= a[i][k] * a[j][k];
        a[i][j] = i == j ? sqrt (sum) : sum / a[j][j];
      }
  for (gint i = 0; i < n; i++)
    {
      for (gint k = 0; k < i; k++)
        x[i] -= a[i][k] * x[k];
      x[i] /= a[i][i];
    }
  for (gint i = n - 1; i >= 0; i--)
    {
      for (gint k = i + 1; k < n; k++)
        x[i] -= a[k][i] * x[k];
      x[i] /= a[i][i];
    }
}

/* Open: no pixel is known in all frames, or all are the same (the ridge is 0 then).  Here each frame weighs 1/N. */
void
reference_from_frames (gint n, const Plane *frames, const Plane *current, const Vector *shifts, Vector target, gboolean align,
                       ReferenceWeights *weights)
{
  gdouble column[REFERENCE_MOST_FRAMES + 1], means[REFERENCE_MOST_FRAMES + 1] = { 0 }, trace = 0;
  gdouble r[REFERENCE_MOST_FRAMES + 1][REFERENCE_MOST_FRAMES + 1] = { { 0 } };
  gint    count = 0;

  reference_moves (n, shifts, target, align, weights);
  for (gint pass = 0; pass < 2; pass++)
    {
      for (gint y = 0; y < current->height; y++)
        for (gint x = 0; x < current->width; x++)
          if (column_at (n, frames, current, weights, x, y, column))
            {
              count += pass == 0;
              for (gint k = 0; k <= n; k++)
                {
                  means[k] += pass == 0 ? column[k] : 0;
                  for (gint l = 0; l <= k && pass == 1; l++)
                    r[k][l] += (column[k] - means[k]) * (column[l] - means[l]);
                }
            }
      for (gint k = 0; k <= n && pass == 0; k++)
        means[k] /= MAX (count, 1);
    }
  for (gint k = 0; k < n; k++)
    trace += r[k][k];
  for (gint k = 0; k < n; k++)
    {
      r[k][k] += RIDGE * trace / n;
      for (gint l = 0; l < n; l++)
        weights->normal[k][l] = l <= k ? r[k][l] : r[l][k];
      weights->weights[k] = trace > 0 ? r[n][k] : 1.0 / n;
      weights->means[k] = means[k];
    }
  if (trace > 0)
    solve (n, r, weights->weights);
  weights->mean = means[n];
  weights->offset = means[n];
  for (gint k = 0; k < n; k++)
    weights->offset -= weights->weights[k] * means[k];
  set_noise_gain (weights);
}
