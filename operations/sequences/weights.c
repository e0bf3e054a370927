/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Weights of history frames; see weights.h.
 */
#include "weights.h"

#include <math.h>
#include <string.h>

#include "solve.h"

#define MAX_CONDITION 1e12

typedef gdouble Matrix[WEIGHTS_MAX_TERMS][WEIGHTS_MAX_TERMS];

FrameShift
weights_round_shift (FrameShift shift)
{
  return (FrameShift) { floor (shift.x * 1024.0 + 0.5) / 1024.0, floor (shift.y * 1024.0 + 0.5) / 1024.0 };
}

/* What is left of a shift after the whole pixels. */
static FrameShift
find_move (FrameShift current, FrameShift shift, gboolean align, gint *move_x, gint *move_y)
{
  *move_x = align ? (gint) floor (current.x - shift.x + 0.5) : 0;
  *move_y = align ? (gint) floor (current.y - shift.y + 0.5) : 0;
  return (FrameShift) { shift.x + *move_x - current.x, shift.y + *move_y - current.y };
}

static gint
count_terms (gint degree)
{
  return (degree + 1) * (degree + 2) / 2;
}

/* All x^i y^j with i + j <= degree, the constant first. */
static void
find_terms (FrameShift d, gint degree, gdouble *terms)
{
  gint n = 0;

  for (gint sum = 0; sum <= degree; sum++)
    for (gint j = 0; j <= sum; j++)
      {
        gdouble term = 1.0;

        for (gint i = 0; i < sum; i++)
          term *= i < sum - j ? d.x : d.y;
        terms[n++] = term;
      }
}

/* One turn of Jacobi's method: makes element (p, q) of a symmetric matrix 0. */
static void
rotate (Matrix m, gint n, gint p, gint q)
{
  const gdouble theta = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
  const gdouble t = (theta < 0.0 ? -1.0 : 1.0) / (fabs (theta) + sqrt (theta * theta + 1.0));
  const gdouble c = 1.0 / sqrt (t * t + 1.0), s = t * c;

  for (gint i = 0; i < n; i++)
    {
      const gdouble a = m[i][p], b = m[i][q];

      m[i][p] = c * a - s * b;
      m[i][q] = s * a + c * b;
    }
  for (gint i = 0; i < n; i++)
    {
      const gdouble a = m[p][i], b = m[q][i];

      m[p][i] = c * a - s * b;
      m[q][i] = s * a + c * b;
    }
}

/* The largest eigenvalue by the smallest. */
static gdouble
find_condition (const Matrix matrix, gint n)
{
  Matrix  m;
  gdouble least, most;

  memcpy (m, matrix, sizeof m);
  for (gint sweep = 0; sweep < 30; sweep++)
    for (gint p = 0; p < n; p++)
      for (gint q = p + 1; q < n; q++)
        if (fabs (m[p][q]) > 1e-20 * sqrt (fabs (m[p][p] * m[q][q])))
          rotate (m, n, p, q);
  least = most = m[0][0];
  for (gint i = 1; i < n; i++)
    {
      least = MIN (least, m[i][i]);
      most = MAX (most, m[i][i]);
    }
  return least > 0.0 ? most / least : INFINITY;
}

/* FALSE: the polynomials are too many, or nearly the same at these shifts. */
static gboolean
predict_degree (const FrameShift *d, gint n, gint degree, const WeightsSettings *settings, Weights *weights)
{
  const gint n_terms = count_terms (degree);
  Matrix     gram = { { 0 } };
  gdouble    phi[WEIGHTS_MAX_FRAMES][WEIGHTS_MAX_TERMS], dense[WEIGHTS_MAX_TERMS * WEIGHTS_MAX_TERMS];
  gdouble    solution[WEIGHTS_MAX_TERMS] = { 1.0 };

  for (gint k = 0; k < n; k++)
    {
      find_terms (d[k], degree, phi[k]);
      for (gint i = 0; i < n_terms; i++)
        for (gint j = 0; j < n_terms; j++)
          gram[i][j] += phi[k][i] * phi[k][j];
    }
  for (gint i = settings->article_ridge ? 0 : 1; i < n_terms; i++)
    gram[i][i] += n * settings->gamma;
  if (degree > 0 && ! (find_condition (gram, n_terms) <= MAX_CONDITION))
    return FALSE;
  for (gint i = 0; i < n_terms; i++)
    for (gint j = 0; j < n_terms; j++)
      dense[i * n_terms + j] = gram[i][j];
  if (! solve_positive (dense, n_terms, n_terms, 0.0, solution))
    return FALSE;
  for (gint k = 0; k < n; k++)
    {
      weights->a[k] = 0.0;
      for (gint i = 0; i < n_terms; i++)
        weights->a[k] += phi[k][i] * solution[i];
    }
  return TRUE;
}

/* Degree 0 is never refused: its matrix is N, or more. */
static void
predict_from_shifts (const FrameShift *d, gint n, const WeightsSettings *settings, Weights *weights)
{
  for (weights->degree = settings->degree; weights->degree >= 0; weights->degree--)
    if (n < count_terms (weights->degree))
      weights->lowered = WEIGHTS_FEW_FRAMES;
    else if (predict_degree (d, n, weights->degree, settings, weights))
      return;
    else
      weights->lowered = WEIGHTS_ILL_CONDITIONED;
}

void
weights_find (const CountPlane *current, FrameShift current_shift, const CountPlane *const *history, const FrameShift *shifts,
              gint n, const WeightsSettings *settings, Weights *weights)
{
  const FrameShift at = weights_round_shift (current_shift);
  FrameShift       d[WEIGHTS_MAX_FRAMES];
  gdouble          squares = 0.0;

  memset (weights, 0, sizeof *weights);
  weights->n = n;
  for (gint k = 0; k < n; k++)
    d[k] = find_move (at, weights_round_shift (shifts[k]), settings->align, &weights->move_x[k], &weights->move_y[k]);
  if (settings->method == WEIGHTS_FROM_FRAMES)
    weights_from_frames (current, history, weights);
  else
    predict_from_shifts (d, n, settings, weights);
  for (gint k = 0; k < n; k++)
    squares += weights->a[k] * weights->a[k];
  weights->noise_gain = sqrt (1.0 + squares);
}
