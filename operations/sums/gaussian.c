/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The weights of gaussian.h: built in double, rounded once.
 *
 * With cells of h pixels, B(x) the quadratic B-spline and t(n) the taps, pixel a gets of pixel y
 *
 *   K(a, y) = sum over m, n of B(a/h - m) t(n) B(y/h - m - n)/h
 *
 * (m, n: cells, a and y from a cell's centre).  The taps minimise the sum over all a of a cell
 * and all y of (K(a, y) - g(y - a))^2, with sum t = 1.  That is a linear system with a banded
 * matrix that depends on n - n' only.
 *
 * M. Unser, A. Aldroubi, M. Eden, B-Spline Signal Processing, IEEE Trans. Signal Processing 41,
 * 1993, for the projection.
 */
#include "config.h"

#include "gaussian.h"

#include <math.h>

#define CELLS_FROM 12.5         /* sigma */
#define PER_CELL   6.25         /* sigma / step, at least */
#define BAND       4            /* of the matrix */
#define MAX_REACH  32

static gint
step_of (gdouble sigma)
{
  return sigma < CELLS_FROM ? 1 : (gint) floor (sigma / PER_CELL);
}

/* Radius of the FIR: enough for three sigma and a cell, but not beyond four sigma. */
static gint
tap_reach (gdouble sigma, gint step)
{
  gint most = ((gint) ceil (4.0 * sigma) + 1) / step - 3;

  return MIN ((gint) ceil (3.0 * sigma / step) + 1, most);
}

static gint
axis_reach (gdouble sigma)
{
  const gint step = step_of (sigma);

  return step == 1 ? (gint) ceil (3.0 * sigma) : (tap_reach (sigma, step) + 3) * step - 1;
}

TesseraHalo
gaussian_reach (gdouble sigma_x, gdouble sigma_y)
{
  const gint x = axis_reach (sigma_x), y = axis_reach (sigma_y);

  return (TesseraHalo) { x, y, x, y };
}

/* g(0) .. g(r). */
static gdouble *
truncated_gaussian (gdouble sigma, gint r)
{
  gdouble *g = g_new (gdouble, r + 1);
  gdouble  sum = 1.0;

  g[0] = 1.0;
  for (gint i = 1; i <= r; i++)
    {
      g[i] = tessera_exp (-0.5 * (i / sigma) * (i / sigma));
      sum += 2.0 * g[i];
    }
  for (gint i = 0; i <= r; i++)
    g[i] /= sum;
  return g;
}

static gdouble
quadratic_spline (gdouble x)
{
  x = fabs (x);
  return x < 0.5 ? 0.75 - x * x : x < 1.5 ? 0.5 * (1.5 - x) * (1.5 - x) : 0.0;
}

/* ----------------------------------------------------- taps of the cells -- */

/* Solves matrix(|i - j|) x(j) = b(j) for both right sides, in place. */
static void
solve_banded (const gdouble matrix[BAND + 1], gint n, gdouble *b, gdouble *c)
{
  g_autofree gdouble *rows = g_new0 (gdouble, (gsize) n * (BAND + 1));  /* [i][k]: column i + k, k >= 0 */

  for (gint i = 0; i < n; i++)
    for (gint k = 0; k <= BAND; k++)
      rows[i * (BAND + 1) + k] = matrix[k];
  for (gint i = 0; i < n; i++)
    for (gint k = 1; k <= BAND && i + k < n; k++)
      {
        const gdouble *row = rows + i * (BAND + 1);
        gdouble        factor = row[k] / row[0];

        for (gint l = k; l <= BAND; l++)
          rows[(i + k) * (BAND + 1) + l - k] -= factor * row[l];
        b[i + k] -= factor * b[i];
        c[i + k] -= factor * c[i];
      }
  for (gint i = n - 1; i >= 0; i--)
    {
      for (gint k = 1; k <= BAND && i + k < n; k++)
        {
          b[i] -= rows[i * (BAND + 1) + k] * b[i + k];
          c[i] -= rows[i * (BAND + 1) + k] * c[i + k];
        }
      b[i] /= rows[i * (BAND + 1)];
      c[i] /= rows[i * (BAND + 1)];
    }
}

/* The sum over x of spline[x] spline[x + lag]. */
static gdouble
correlation (const gdouble *spline, gint n, gint lag)
{
  gdouble sum = 0.0;

  for (gint x = MAX (0, -lag); x < n && x + lag < n; x++)
    sum += spline[x] * spline[x + lag];
  return sum;
}

static void
normal_matrix (const gdouble *spline, gint step, gdouble matrix[BAND + 1])
{
  for (gint k = 0; k <= BAND; k++)
    {
      matrix[k] = 0.0;
      for (gint lag = -2; lag <= 2; lag++)
        matrix[k] += correlation (spline, 3 * step, lag * step)
                     * correlation (spline, 3 * step, (k + lag) * step) / ((gdouble) step * step);
    }
}

/* The correlation of K and g for tap n: the sum of both splines' correlation times g. */
static gdouble
common_part (const gdouble *correlations, gint step, gint n, const gdouble *g, gint r)
{
  gdouble sum = 0.0;

  for (gint lag = -(3 * step - 1); lag < 3 * step; lag++)
    {
      gint y = ABS (n * step + lag);

      if (y <= r)
        sum += correlations[ABS (lag)] * g[y];
    }
  return sum / step;
}

static void
cell_taps (SeparableTaps *taps, const gdouble *spline, gint step, gdouble sigma)
{
  const gint r = (gint) ceil (3.0 * sigma), reach = tap_reach (sigma, step), n = 2 * reach + 1;
  g_autofree gdouble *g = truncated_gaussian (sigma, r);
  gdouble    correlations[3 * GAUSSIAN_MAX_STEP], matrix[BAND + 1];
  gdouble    nearest[2 * MAX_REACH + 1], even[2 * MAX_REACH + 1], sum = 0.0, sum_even = 0.0;

  for (gint lag = 0; lag < 3 * step; lag++)
    correlations[lag] = correlation (spline, 3 * step, lag);
  for (gint i = 0; i < n; i++)
    {
      nearest[i] = common_part (correlations, step, i - reach, g, r);
      even[i] = 1.0;
    }
  normal_matrix (spline, step, matrix);
  solve_banded (matrix, n, nearest, even);
  for (gint i = 0; i < n; i++)
    {
      sum += nearest[i];
      sum_even += even[i];
    }
  for (gint i = 0; i < n; i++)
    separable_tap (taps, i - reach, nearest[i] + (1.0 - sum) / sum_even * even[i]);
}

/* ---------------------------------------------------------------- axes -- */

static void
init_axis (GaussianAxis *axis, SeparableTaps *taps, gdouble sigma)
{
  gdouble spline[3 * GAUSSIAN_MAX_STEP];

  axis->step = step_of (sigma);
  taps->n = 0;
  if (axis->step == 1)
    {
      const gint r = (gint) ceil (3.0 * sigma);
      g_autofree gdouble *g = truncated_gaussian (sigma, r);

      for (gint i = -r; i <= r; i++)
        separable_tap (taps, i, g[ABS (i)]);
      return;
    }
  for (gint i = 0; i < 3 * axis->step; i++)
    {
      spline[i] = quadratic_spline ((i + 0.5) / axis->step - 1.5);
      axis->down[i] = (gfloat) (spline[i] / axis->step);
      axis->up[3 * (i % axis->step) + 2 - i / axis->step] = (gfloat) spline[i];
    }
  cell_taps (taps, spline, axis->step, sigma);
}

void
gaussian_init (Gaussian *gaussian, gdouble sigma_x, gdouble sigma_y)
{
  init_axis (&gaussian->x, &gaussian->fir.x, sigma_x);
  init_axis (&gaussian->y, &gaussian->fir.y, sigma_y);
}

void
gaussian_area (const TesseraRequest *request, const GeglRectangle *area)
{
  const Gaussian *gaussian = request->params;

  separable_area (request, area, &gaussian->fir);
}

/* --------------------------------------------------------- sums of ones -- */

/* `value` times each of n weights, in the order of all sums here. */
static gfloat
sum_of (const gfloat *weights, gint n, gfloat value)
{
  gfloat sum = 0.0f;

  for (gint i = 0; i < n; i++)
    sum += weights[i] * value;
  return sum;
}

void
gaussian_ones (Gaussian *gaussian)
{
  const GaussianAxis *axis = &gaussian->x;
  const gint          step = axis->step;
  gfloat              value = 1.0f;

  for (gint pass = 0; pass < 2 && step > 1; pass++)
    value = (sum_of (axis->down, step, value) + sum_of (axis->down + step, step, value))
            + sum_of (axis->down + 2 * step, step, value);
  value = sum_of (gaussian->fir.x.weights, gaussian->fir.x.n, value);
  value = sum_of (gaussian->fir.y.weights, gaussian->fir.y.n, value);
  gaussian->ones[0] = gaussian->fir.whole = value;
  for (gint j = 0; j < step && step > 1; j++)
    gaussian->ones[j] = (axis->up[3 * j] * value + axis->up[3 * j + 1] * value) + axis->up[3 * j + 2] * value;
}

/* ---------------------------------------------------------------- spans -- */

static gint
cell_of (gint pixel, gint step)
{
  return pixel >= 0 ? pixel / step : -((step - 1 - pixel) / step);
}

static GaussianSpan
span_of (gint origin, gint step, gint low, gint high, gint from, gint size)
{
  GaussianSpan span = { step, origin, from, size, low, high, 0 };

  if (step > 1)
    {
      gint first = cell_of (from - origin, step);

      span.first = first - 1;
      span.n = cell_of (from + size - 1 - origin, step) + 1 - span.first + 1;
      span.phase = from - origin - first * step;
    }
  return span;
}

void
gaussian_spans (const TesseraRequest *request, const GeglRectangle *rect, GaussianSpan *x, GaussianSpan *y)
{
  const Gaussian      *gaussian = request->params;
  const TesseraHalo    halo = separable_halo (&gaussian->fir);
  const gboolean       is_endless = gegl_rectangle_is_infinite_plane (&request->bounds);
  const GeglRectangle *bounds = is_endless ? GEGL_RECTANGLE (0, 0, 0, 0) : &request->bounds;

  *x = span_of (bounds->x, gaussian->x.step, halo.left, halo.right, rect->x, rect->width);
  *y = span_of (bounds->y, gaussian->y.step, halo.top, halo.bottom, rect->y, rect->height);
}
