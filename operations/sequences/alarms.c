/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * See alarms.h.
 */
#include "alarms.h"

#include <math.h>
#include <stdlib.h>

#define RANKS   8               /* the one is so many times the other, ... */
#define FEWEST  4               /* ... or less where there are few values, ... */
#define HIGH    38.0            /* of normal noise: none is above */

/* The part of normal noise above z. */
static gdouble
tail (gdouble z)
{
  return 0.5 * erfc (z / sqrt (2.0));
}

gdouble
alarms_normal (gdouble part)
{
  gdouble low = 0.0, high = HIGH;

  for (gint i = 0; i < 60; i++)
    {
      const gdouble middle = 0.5 * (low + high);

      if (tail (middle) > part)
        low = middle;
      else
        high = middle;
    }
  return high;
}

static gint
higher_first (gconstpointer a, gconstpointer b)
{
  const gfloat p = *(const gfloat *) a, q = *(const gfloat *) b;

  return (p < q) - (p > q);
}

gfloat
alarms_threshold (gfloat *values, guint n, guint highest, gdouble trials, gdouble expected)
{
  const guint rank = MIN (n / RANKS, highest);
  gdouble     threshold = alarms_normal (MIN (expected / trials, 0.5));

  if (rank >= FEWEST)
    {
      qsort (values, n, sizeof *values, higher_first);
      const gdouble u = values[rank - 1], v = values[RANKS * rank - 1], square = u * u + (u * u - v * v) / log (RANKS) * log (rank / expected);

      threshold = MAX (threshold, sqrt (MAX (square, 0.0)));
    }
  return (gfloat) (ceil (1024.0 * threshold) / 1024.0);
}
