/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * exp, cos, sin and sRGB's curve in double, from sums, products, quotients and square roots alone.
 * IEEE 754 rounds these exactly, so every processor, compiler and C library gives the same bits.
 * libm's own functions differ in the last bit from one version and instruction set to the next.
 * Each is within a few units of the last place of a double (tests/engine/portable.c).
 */
#include "config.h"

#include "tessera.h"

#include <math.h>

#define LN2_HIGH   0x1.62e42feep-1      /* has few digits, so n * LN2_HIGH is exact */
#define LN2_LOW    0x1.a39ef35793c76p-33
#define ROOT_STEPS 12                   /* of Newton's method; 9 are enough from 0.05 on */

/* x to the power 1/n, 0.05 <= x <= 1. */
static gdouble
root (gdouble x, gint n)
{
  gdouble z = 1.0;

  for (gint step = 0; step < ROOT_STEPS; step++)
    {
      gdouble power = z;

      for (gint i = 2; i < n; i++)
        power *= z;
      z += (x / power - z) / n;
    }
  return z;
}

gdouble
tessera_linear (gdouble perceptual)
{
  const gdouble x = (perceptual + 0.055) / 1.055;
  const gdouble fifth = root (x, 5);

  return perceptual <= 0.04045 ? perceptual / 12.92 : (x * x) * (fifth * fifth);
}

gdouble
tessera_perceptual (gdouble linear)
{
  const gdouble half = sqrt (linear);

  return linear <= 0.0031308 ? 12.92 * linear : 1.055 * (sqrt (half) * root (half, 3)) - 0.055;
}

gdouble
tessera_exp (gdouble x)
{
  const gdouble n = floor (x * 1.4426950408889634 + 0.5);
  const gdouble rest = (x - n * LN2_HIGH) - n * LN2_LOW;        /* 0.35 at most */
  gdouble       sum = 1.0;

  if (! (x > -1000.0))
    return 0.0;
  for (gint i = 15; i > 0; i--)
    sum = 1.0 + sum * rest / i;
  return ldexp (sum, (gint) n);
}

/* sin of 90 `quarters` + `degrees`, which is 45 at most: the series of cos or sin. */
static gdouble
sine (gint quarters, gdouble degrees)
{
  const gboolean is_odd = (quarters & 1) == 0;
  const gdouble  a = degrees * (G_PI / 180.0);
  gdouble        sum = 1.0;

  for (gint i = is_odd ? 21 : 20; i > 1; i -= 2)
    sum = 1.0 - sum * (a * a) / (i * (i - 1));
  sum = is_odd ? a * sum : sum;
  return quarters & 2 ? -sum : sum;
}

/* The angle's rest beyond the nearest multiple of 90 degrees is exact. */
gdouble
tessera_sin_degrees (gdouble angle)
{
  const gdouble quarters = floor (angle / 90.0 + 0.5);

  return sine ((gint) quarters, angle - 90.0 * quarters);
}

gdouble
tessera_cos_degrees (gdouble angle)
{
  const gdouble quarters = floor (angle / 90.0 + 0.5);

  return sine ((gint) quarters + 1, angle - 90.0 * quarters);
}
