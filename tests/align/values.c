/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * values: many values are combined at once as the plain definition combines one: mean, median and clipped mean of 1 to 40 frames,
 * with ties, zeros, values that are far off and values whose sum is no float, the same bits; so are they where frames have no value. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "combine.h"
#include "../engine/verdict.h"

#define MOST 40

static gint
by_size (gconstpointer a, gconstpointer b)
{
  return *(const gfloat *) a < *(const gfloat *) b ? -1 : *(const gfloat *) a > *(const gfloat *) b;
}

static gfloat
median_of (const gfloat *values, gint n)
{
  gfloat sorted[MOST];

  memcpy (sorted, values, n * sizeof *sorted);
  qsort (sorted, n, sizeof *sorted, by_size);
  return n % 2 ? sorted[n / 2] : (gfloat) (0.5 * ((gdouble) sorted[n / 2 - 1] + sorted[n / 2]));
}

static gfloat
expected (CombineMethod method, const gfloat *values, gint n)
{
  gfloat  median = median_of (values, n), away[MOST];
  gdouble sum = 0;
  gint    kept = 0;

  for (gint k = 0; k < n; k++)
    away[k] = fabsf (values[k] - median);
  for (gint k = 0; k < n; k++)
    if (method == COMBINE_MEAN || away[k] <= combine_clip (n) * median_of (away, n))
      {
        sum += values[k];
        kept++;
      }
  return method == COMBINE_MEDIAN ? median : (gfloat) (sum / kept);
}

static gfloat
draw (CheckRandom *random, gdouble holes, gboolean is_huge)
{
  const gboolean is_hole = check_uniform (random) < holes;
  const gdouble  kind = check_uniform (random), value = check_uniform (random);

  if (is_huge && ! is_hole)
    return (gfloat) (G_MAXFLOAT * (kind < 0.4 ? 1.0 : value));
  return is_hole ? INFINITY : kind < 0.1 ? 0.0f : kind < 0.4 ? (gfloat) floor (4 * value) / 4 : kind < 0.5 ? (gfloat) (1e4 * value - 2e3) : (gfloat) value;
}

static gdouble
gaussian (CheckRandom *random)
{
  const gdouble u = check_uniform (random), v = check_uniform (random);

  return sqrt (-2 * log (1 - u)) * cos (2 * G_PI * v);
}

/* Of n clean values the clipped mean has at most 3 % more noise than the mean: both are of the same draws, whose own variance is known.  Of some that
 * are 30 standard deviations off, as many as are not half of all, none is left. */
static void
judge_clip (gint n)
{
  static gfloat rows[MOST][COMBINE_VALUES], room[MOST][COMBINE_VALUES], out[2][COMBINE_VALUES];
  CheckRandom   random = { 20261129 + (guint64) n };
  const gint    off = n < 7 ? 1 : n / 4;
  const gfloat  most = MAX (1.5f, 5 / sqrtf ((gfloat) (n - off)));        /* of what is left of the clean ones; one more makes at least 30 / 13 */
  gdouble       more = 0;
  gint          left = 0;

  for (gint turn = 0; turn < 400; turn++)
    {
      for (gint i = 0; i < n * COMBINE_VALUES; i++)
        rows[i / COMBINE_VALUES][i % COMBINE_VALUES] = (gfloat) gaussian (&random);
      combine_values (COMBINE_MEAN, rows, n, room, out[0]);
      combine_values (COMBINE_CLIPPED, rows, n, room, out[1]);
      for (gint i = 0; i < COMBINE_VALUES; i++)
        more += ((gdouble) out[1][i] * out[1][i] - (gdouble) out[0][i] * out[0][i]) / (400 * COMBINE_VALUES);
      for (gint k = 0; k < off; k++)
        for (gint i = 0; i < COMBINE_VALUES; i++)
          rows[(k + i) % n][i] = 30;
      combine_values (COMBINE_CLIPPED, rows, n, room, out[1]);
      for (gint i = 0; i < COMBINE_VALUES; i++)
        left += fabsf (out[1][i]) > most;
    }
  more = sqrt (1 + more * n) - 1;
  expect (more < 0.03, "%d clean values: %.1f %% more noise than the mean's", n, 100 * more);
  expect (n > 16 || left < 8e-3 * 400 * COMBINE_VALUES, "%d values, %d far off: these are left in %d of %d", n, off, left, 400 * COMBINE_VALUES);
}

gint
main (void)
{
  static gfloat rows[MOST][COMBINE_VALUES], room[MOST][COMBINE_VALUES], out[COMBINE_VALUES];
  CheckRandom   random = { 20261123 };

  for (gint n = 1; n <= MOST; n++)
    for (gdouble holes = 0.0; holes < 1.0; holes += 0.3)
      {
        const gboolean is_huge = n % 3 == 0;
        gint           wrong = 0;

        for (gint i = 0; i < n * COMBINE_VALUES; i++)
          rows[i / COMBINE_VALUES][i % COMBINE_VALUES] = draw (&random, holes, is_huge);
        for (CombineMethod method = COMBINE_MEAN; method <= COMBINE_CLIPPED; method++)
          {
            combine_values (method, rows, n, room, out);
            for (gint i = 0; i < COMBINE_VALUES; i++)
              {
                gfloat values[MOST];
                gint   there = 0;

                for (gint k = 0; k < n; k++)
                  if (isfinite (rows[k][i]))
                    values[there++] = rows[k][i];
                wrong += (there ? expected (method, values, there) : 0.0f) != out[i];
              }
          }
        expect (wrong == 0, "%d frames, %g without a value: %d values are others", n, holes, wrong);
      }
  for (gint n = 5; n <= MOST; n += n < 16 ? 1 : 8)
    judge_clip (n);
  return expect_told ();
}
