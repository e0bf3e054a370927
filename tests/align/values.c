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
    if (method == COMBINE_MEAN || away[k] <= (gfloat) (2.5 * 1.4826) * median_of (away, n))
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
  return expect_told ();
}
