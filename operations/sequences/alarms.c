/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * See alarms.h.
 */
#include "alarms.h"

#include <math.h>
#include <stdlib.h>

#define RANKS   8               /* the one is so many times the other, ... */
#define FEWEST  4               /* ... or less where there are few values, ... */
#define POWER   1.5             /* of t, in the exponent: alarms.h */
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

/* Where only exp (-rarer) times as many are above as above u; RANKS times as many are above v. */
static gdouble
extrapolate (gdouble u, gdouble v, gdouble rarer)
{
  const gdouble high = pow (u, POWER), low = pow (v, POWER);

  return pow (MAX (high + (high - low) / log (RANKS) * rarer, 0.0), 1.0 / POWER);
}

gfloat
alarms_threshold (gfloat *values, guint n, guint highest, gdouble trials, gdouble expected)
{
  const guint rank = MIN (n / RANKS, highest);
  gdouble     threshold = alarms_normal (MIN (expected / trials, 0.5));

  if (rank >= FEWEST)
    {
      qsort (values, n, sizeof *values, higher_first);
      threshold = MAX (threshold, extrapolate (values[rank - 1], values[RANKS * rank - 1], log (rank / expected)));
    }
  return (gfloat) (ceil (1024.0 * threshold) / 1024.0);
}
