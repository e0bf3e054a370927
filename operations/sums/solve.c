/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Linear equations: see solve.h.
 */
#include "solve.h"

#include <math.h>
#include <string.h>

#define LEAST_PIVOT 1e-12

gboolean
solve_positive (gdouble *matrix, gint stride, gint n, gdouble least, gdouble *x)
{
  for (gint i = 0; i < n; i++)
    for (gint j = 0; j <= i; j++)
      {
        gdouble sum = matrix[i * stride + j];

        for (gint k = 0; k < j; k++)
          sum -= matrix[i * stride + k] * matrix[j * stride + k];
        if (i == j && ! (sum > least * matrix[i * stride + i]))
          return FALSE;
        matrix[i * stride + j] = i == j ? sqrt (sum) : sum / matrix[j * stride + j];
      }
  for (gint i = 0; i < n; i++)
    {
      for (gint k = 0; k < i; k++)
        x[i] -= matrix[i * stride + k] * x[k];
      x[i] /= matrix[i * stride + i];
    }
  for (gint i = n - 1; i >= 0; i--)
    {
      for (gint k = i + 1; k < n; k++)
        x[i] -= matrix[k * stride + i] * x[k];
      x[i] /= matrix[i * stride + i];
    }
  return TRUE;
}

gboolean
solve_inverse (const gdouble *matrix, gint stride, gint n, gdouble least, gdouble *inverse)
{
  g_autofree gdouble *copy = g_new (gdouble, (gsize) n * stride), *column = g_new (gdouble, n);

  for (gint k = 0; k < n; k++)
    {
      memcpy (copy, matrix, (gsize) n * stride * sizeof *copy);
      for (gint i = 0; i < n; i++)
        column[i] = i == k;
      if (! solve_positive (copy, stride, n, least, column))
        return FALSE;
      for (gint i = 0; i < n; i++)
        inverse[i * stride + k] = column[i];
    }
  return TRUE;
}

gboolean
solve_any (gdouble *rows, gint stride, gint n, gdouble *x)
{
  const gint right = stride - 1;

  for (gint k = 0; k < n; k++)
    {
      gdouble *row = rows + k * stride;
      gint     pivot = k;

      for (gint i = k + 1; i < n; i++)
        if (fabs (rows[i * stride + k]) > fabs (rows[pivot * stride + k]))
          pivot = i;
      if (! (fabs (rows[pivot * stride + k]) > LEAST_PIVOT))
        return FALSE;
      for (gint j = 0; j < stride; j++)
        {
          const gdouble kept = row[j];

          row[j] = rows[pivot * stride + j];
          rows[pivot * stride + j] = kept;
        }
      for (gint i = k + 1; i < n; i++)
        {
          gdouble      *below = rows + i * stride;
          const gdouble part = below[k] / row[k];

          for (gint j = k; j < n; j++)
            below[j] -= part * row[j];
          below[right] -= part * row[right];
        }
    }
  for (gint k = n - 1; k >= 0; k--)
    {
      const gdouble *row = rows + k * stride;
      gdouble        sum = row[right];

      for (gint j = k + 1; j < n; j++)
        sum -= row[j] * x[j];
      x[k] = sum / row[k];
    }
  return TRUE;
}
