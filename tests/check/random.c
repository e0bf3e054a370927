/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Random numbers of the parity driver: splitmix64 (Steele, Lea, Flood, Fast
 * Splittable Pseudorandom Number Generators, OOPSLA 2014), the same on every
 * machine. */
#include "check.h"

guint64
check_hash (guint64 value)
{
  value += G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  value = (value ^ (value >> 30)) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  value = (value ^ (value >> 27)) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return value ^ (value >> 31);
}

guint64
check_next (CheckRandom *random)
{
  guint64 result = check_hash (random->state);

  random->state += G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  return result;
}

gdouble
check_uniform (CheckRandom *random)
{
  return (check_next (random) >> 11) * (1.0 / 9007199254740992.0);
}

gint
check_below (CheckRandom *random, gint count)
{
  return (gint) (check_uniform (random) * count);
}

gboolean
check_chance (CheckRandom *random, gint percent)
{
  return check_below (random, 100) < percent;
}

/* By the binary digits of the exponent; sqrt is exact, pow is not. */
gdouble
check_power (gdouble base, gdouble exponent)
{
  gdouble result = 1.0;

  for (gint i = 0; i < 52; i++)
    {
      base = sqrt (base);
      exponent *= 2;
      if (exponent >= 1)
        {
          result *= base;
          exponent -= 1;
        }
    }
  return result;
}
