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

#include "../math/tessera-portable.h"

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
  return portable_exp (x);
}

gdouble
tessera_sin_degrees (gdouble angle)
{
  return portable_sin_degrees (angle);
}

gdouble
tessera_cos_degrees (gdouble angle)
{
  return portable_cos_degrees (angle);
}
