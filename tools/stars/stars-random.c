/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "stars-random.h"

#include "tessera.h"

#include <math.h>

#define LN2             0.69314718055994530942
#define ROOT_HALF       0.70710678118654752440
#define ROOT_TWO_PI     2.50662827463100050242
#define LOG_ROOT_TWO_PI 0.91893853320467274178
#define STEPS_OF_PHI    256               /* of its table, for each unit */
#define END_OF_PHI      7

static guint64
next (guint64 *state)
{
  guint64 z = *state += 0x9e3779b97f4a7c15u;

  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* Each of the three passes through the generator, so neighbouring names have unlike streams. */
StarsRandom
stars_random (guint64 seed, guint purpose, guint number)
{
  StarsRandom random = { seed, FALSE, 0 };

  random.state = next (&random.state) ^ purpose;
  random.state = next (&random.state) ^ number;
  random.state = next (&random.state);
  return random;
}

/* 53 bits, in the middle of their step: never 0 and never 1. */
gdouble
stars_uniform (StarsRandom *random)
{
  return ((gdouble) (next (&random->state) >> 12) + 0.5) * 0x1p-52;
}

/* Twice the series of artanh.  The fraction lies within 0.71 .. 1.42, so its argument within 0.172. */
gdouble
stars_log (gdouble x)
{
  gint    exponent;
  gdouble fraction = frexp (x, &exponent), z, sum = 0;

  if (fraction < ROOT_HALF)
    {
      fraction *= 2;
      exponent--;
    }
  z = (fraction - 1) / (fraction + 1);
  for (gint i = 23; i > 0; i -= 2)
    sum = sum * (z * z) + 1.0 / i;
  return 2 * z * sum + exponent * LN2;
}

/* Marsaglia's polar method. */
gdouble
stars_normal (StarsRandom *random)
{
  gdouble x, y, square;

  random->has_spare = ! random->has_spare;
  if (! random->has_spare)
    return random->spare;
  do
    {
      x = 2 * stars_uniform (random) - 1;
      y = 2 * stars_uniform (random) - 1;
      square = x * x + y * y;
    }
  while (square >= 1);
  square = sqrt (-2 * stars_log (square) / square);
  random->spare = y * square;
  return x * square;
}

/* Few: uniform numbers are multiplied until the product is below exp (-mean). */
static gdouble
poisson_few (StarsRandom *random, gdouble mean)
{
  const gdouble end = tessera_exp (-mean);
  gdouble       product = stars_uniform (random), count = 0;

  for (; product > end; count++)
    product *= stars_uniform (random);
  return count;
}

/* The logarithm of k!, by Stirling's series from 10 on. */
static gdouble
log_factorial (gdouble k)
{
  const gdouble x = k + 1;
  gdouble       product = 1;

  if (k >= 10)
    return (x - 0.5) * stars_log (x) - x + LOG_ROOT_TWO_PI
           + (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / (x * x)) / (x * x)) / x;
  for (gint i = 2; i <= (gint) k; i++)
    product *= i;
  return stars_log (product);
}

/* Many: W. Hoermann, The transformed rejection method for generating Poisson random variables, 1993 (PTRS). */
static gdouble
poisson_many (StarsRandom *random, gdouble mean)
{
  const gdouble b = 0.931 + 2.53 * sqrt (mean), a = -0.059 + 0.02483 * b;
  const gdouble inverse = 1.1239 + 1.1328 / (b - 3.4), quick = 0.9277 - 3.6224 / (b - 2);

  for (;;)
    {
      const gdouble u = stars_uniform (random) - 0.5, v = stars_uniform (random);
      const gdouble rest = 0.5 - fabs (u), k = floor ((2 * a / rest + b) * u + mean + 0.43);

      if (rest >= 0.07 && v <= quick)
        return k;
      if (k < 0 || (rest < 0.013 && v > rest))
        continue;
      if (stars_log (v * inverse / (a / (rest * rest) + b)) <= k * stars_log (mean) - mean - log_factorial (k))
        return k;
    }
}

gdouble
stars_poisson (StarsRandom *random, gdouble mean)
{
  if (! (mean > 0))
    return 0;
  return mean < 10 ? poisson_few (random, mean) : poisson_many (random, mean);
}

/* What is below z, and the slope for one step. */
typedef struct
{
  gdouble below, slope;
} Phi;

/* At z = i / STEPS_OF_PHI: a series of positive terms, so nothing is lost. */
static gpointer
phi_table (gpointer none G_GNUC_UNUSED)
{
  const gint n = END_OF_PHI * STEPS_OF_PHI + 1;
  Phi       *table = g_new (Phi, n);

  for (gint i = 0; i < n; i++)
    {
      const gdouble z = (gdouble) i / STEPS_OF_PHI, density = tessera_exp (-z * z / 2) / ROOT_TWO_PI;
      gdouble       term = z, sum = z;

      for (gint k = 3; term > 1e-18 * sum; k += 2)
        {
          term *= z * z / k;
          sum += term;
        }
      table[i] = (Phi) { 0.5 + density * sum, density / STEPS_OF_PHI };
    }
  return table;
}

/* Hermite's cubic between two entries.  Its error is below 1e-11. */
gdouble
stars_phi (gdouble z)
{
  static GOnce  once = G_ONCE_INIT;
  const Phi    *table = g_once (&once, phi_table, NULL);
  const gdouble at = fabs (z) * STEPS_OF_PHI;
  const Phi    *left, *right;
  gdouble       t, rise, value;

  if (! (at < END_OF_PHI * STEPS_OF_PHI))
    return z < 0 ? 0 : 1;
  left = table + (gint) at;
  right = left + 1;
  t = at - (gint) at;
  rise = right->below - left->below;
  value = left->below + t * (left->slope + t * (3 * rise - 2 * left->slope - right->slope
                                                + t * (left->slope + right->slope - 2 * rise)));
  return z < 0 ? 1 - value : value;
}
