/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Many values of all frames become one, in vectors.
 *
 * The values of a frame are a row; infinity stands where a frame has none, and is sorted behind the others.  Rows are sorted against one another by a network (K. E. Batcher, Sorting Networks and Their
 * Applications, AFIPS 32, 1968; D. E. Knuth, The Art of Computer Programming 3, 5.2.2, Algorithm M), which compares the
 * same rows whatever they hold, so that loops run in vectors.
 * Price: 2.1, against one pixel at a time (tessera-stack, eight frames of 12 Mpix, clipped, transforms known; processor time; EPYC, 2 cores, 2026-11-23).
 */
#include "combine.h"

#include <math.h>
#include <string.h>

#include "tessera.h"

#define FEWEST 5

/* The smaller values to a, the larger ones to b. */
TESSERA_CLONES static void
exchange (gfloat *restrict a, gfloat *restrict b)
{
  for (gint i = 0; i < COMBINE_VALUES; i++)
    {
      const gfloat x = a[i], y = b[i];

      a[i] = y < x ? y : x;
      b[i] = y < x ? x : y;
    }
}

static void
sort_rows (gfloat (*rows)[COMBINE_VALUES], gint n)
{
  gint top = 1;

  while (2 * top < n)
    top *= 2;
  for (gint p = top; p > 0 && n > 1; p /= 2)
    for (gint q = top, r = 0, d = p;; d = q - p, q /= 2, r = p)
      {
        for (gint i = 0; i < n - d; i++)
          if ((i & p) == r)
            exchange (rows[i], rows[i + d]);
        if (q == p)
          break;
      }
}

/* How many frames have a value.  FALSE: not all, somewhere. */
TESSERA_CLONES static gboolean
count_values (gfloat (*rows)[COMBINE_VALUES], gint n, gfloat *restrict counts)
{
  gint whole = TRUE;

  memset (counts, 0, COMBINE_VALUES * sizeof *counts);
  for (gint k = 0; k < n; k++)
    for (gint i = 0; i < COMBINE_VALUES; i++)
      counts[i] += rows[k][i] < INFINITY ? 1.0f : 0.0f;
  for (gint i = 0; i < COMBINE_VALUES; i++)
    whole &= counts[i] == n;
  return whole;
}

/* The sum of two large values may be none. */
static inline gfloat
between (gfloat a, gfloat b)
{
  const gfloat sum = a + b;

  return fabsf (sum) <= G_MAXFLOAT ? 0.5f * sum : 0.5f * a + 0.5f * b;
}

/* Of n sorted rows, of which counts[i] have a value in column i; 0 of none. */
static void
middle_row (gfloat (*sorted)[COMBINE_VALUES], gint n, gboolean whole, const gfloat *counts, gfloat *restrict out)
{
  const gfloat *restrict a = sorted[(n - 1) / 2], *restrict b = sorted[n / 2];

  for (gint i = 0; i < COMBINE_VALUES && whole; i++)
    out[i] = n % 2 ? a[i] : between (a[i], b[i]);
  for (gint i = 0; i < COMBINE_VALUES && ! whole; i++)
    {
      const gint m = (gint) counts[i];

      out[i] = m == 0 ? 0.0f : m % 2 ? sorted[m / 2][i] : between (sorted[m / 2 - 1][i], sorted[m / 2][i]);
    }
}

TESSERA_CLONES static void
distance_row (const gfloat *restrict row, const gfloat *restrict from, gfloat *restrict out)
{
  for (gint i = 0; i < COMBINE_VALUES; i++)
    out[i] = fabsf (row[i] - from[i]);
}

/* What is not farther from `from` than `most`, which is finite. */
TESSERA_CLONES static void
add_near (const gfloat *restrict row, const gfloat *restrict from, const gfloat *restrict most, gdouble *restrict sums,
          gfloat *restrict counts)
{
  for (gint i = 0; i < COMBINE_VALUES; i++)
    {
      const gboolean is_near = fabsf (row[i] - from[i]) <= most[i];

      sums[i] += is_near ? row[i] : 0.0f;
      counts[i] += is_near ? 1.0f : 0.0f;
    }
}

TESSERA_CLONES static void
divide_row (const gdouble *restrict sums, const gfloat *restrict counts, gfloat *restrict out)
{
  for (gint i = 0; i < COMBINE_VALUES; i++)
    out[i] = counts[i] > 0.0f ? (gfloat) (sums[i] / counts[i]) : 0.0f;
}

/* The median of the distances of a few values is a rough scale: often it is half of what it should be, and with 2.5 standard deviations, 3.7 of it, the mean
 * of 5 to 16 clean values of a Gaussian has 10 to 15 % more noise than that of all.  With these factors it has 2.2 % more, and 2.4 % of 5
 * values.  They were found by halving, on 600,000 draws of n values each, with the variance of both means of the same draws (numpy's PCG64, seed 11; the
 * third digit differs with the seed).  The scale of an even number is steadier, because two of its distances are averaged, so its factor is less.  Beyond
 * 16 the factor comes down to 2.8 standard deviations: 1.7, 1.7 and 2.0 % more noise of 20, 32 and 64 values.  Fewer than 5 values tell no scale; they keep
 * the plain 2.5.
 * What is left of outliers sets the limit: of 5 values, one of them 20 standard deviations off, it is left in 6 %, 30 off in 0.6 %; of 7 in 0.1 % and none. */
gfloat
combine_clip (gint n)
{
  static const gfloat factors[] = { 12.0f, 8.3f, 8.7f, 7.1f, 7.2f, 6.4f, 6.5f, 6.0f, 6.1f, 5.7f, 5.8f, 5.5f };

  if (n < FEWEST)
    return (gfloat) (2.5 * 1.4826);
  return n < FEWEST + (gint) G_N_ELEMENTS (factors) ? factors[n - FEWEST] : 4.2f + 26.0f / (gfloat) n;
}

/* Turns medians of distances into how far a value may be.  Of values that are rounded they are rounded too: where more
 * than half of the values are the same their median is 0, and one step stands for up to 1.5.  With what is at least
 * allowed the mean of 5 to 64 values whose noise is 0.2 to 2 steps has at most 3 % more noise than that of all
 * (align/values.c); without it the noise was up to 4.5 times that.  Four steps of 8 bits hardly show in a mean of 5. */
static void
limit_row (const gfloat *restrict factors, const gfloat *restrict median, const CombineSteps *steps,
           gfloat *restrict most)
{
  for (gint i = 0; i < COMBINE_VALUES; i++)
    {
      gfloat limit = factors[i] * most[i];

      if (steps)
        limit = MAX (limit, COMBINE_LEAST * most[i] + COMBINE_STEPS * combine_step (steps, median[i]));
      most[i] = MIN (limit, G_MAXFLOAT);
    }
}

/* Some are always near: those in the middle. */
void
combine_values (CombineMethod method, gfloat (*rows)[COMBINE_VALUES], gint n, const CombineSteps *steps,
                gfloat (*room)[COMBINE_VALUES], gfloat *out)
{
  gfloat   median[COMBINE_VALUES] = { 0 }, most[COMBINE_VALUES], all[COMBINE_VALUES], factors[COMBINE_VALUES];
  gfloat   counts[COMBINE_VALUES] = { 0 };
  gdouble  sums[COMBINE_VALUES] = { 0 };
  const gfloat of_all = combine_clip (n);
  gboolean whole = TRUE;

  if (method != COMBINE_MEAN)
    {
      whole = count_values (rows, n, all);
      memcpy (room, rows, n * sizeof *rows);
      sort_rows (room, n);
      middle_row (room, n, whole, all, method == COMBINE_MEDIAN ? out : median);
      if (method == COMBINE_MEDIAN)
        return;
      for (gint k = 0; k < n; k++)
        distance_row (rows[k], median, room[k]);
      sort_rows (room, n);
      middle_row (room, n, whole, all, most);
    }
  for (gint i = 0; i < COMBINE_VALUES && method == COMBINE_MEAN; i++)
    most[i] = G_MAXFLOAT;
  for (gint i = 0; i < COMBINE_VALUES && method == COMBINE_CLIPPED; i++)
    factors[i] = whole ? of_all : combine_clip ((gint) all[i]);
  if (method == COMBINE_CLIPPED)
    limit_row (factors, median, steps, most);
  for (gint k = 0; k < n; k++)
    add_near (rows[k], median, most, sums, counts);
  divide_row (sums, counts, out);
}
