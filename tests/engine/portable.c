/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The engine's own exp, sin, cos and curve against libm's in long double; and whether a table that is made with
 * them could depend on their last bits: no entry may lie near the middle of two floats, no step near a float.
 */
#include <math.h>

#include "tessera.h"
#include "verdict.h"

#define POINTS     200000
#define MOST_UNITS 16           /* of 2^-53 */
#define LEAST_GAP  64           /* of the same, to where a rounding would change */

/* `scale` 0: that of the value. */
static gdouble
units (gdouble got, long double wanted, long double scale)
{
  return (gdouble) (fabsl (got - wanted) / (scale > 0 ? scale : wanted) * 0x1p53L);
}

static void
functions (void)
{
  const long double radian = acosl (-1.0L) / 180;
  gdouble           worst[5] = { 0 };

  for (gint i = 1; i <= POINTS; i++)
    {
      const gdouble t = (gdouble) i / POINTS, x = -600 * t * t, angle = 360 * t - 180;

      worst[0] = fmax (worst[0], units (tessera_exp (x), expl (x), 0));
      worst[1] = fmax (worst[1], units (tessera_sin_degrees (angle), sinl (angle * radian), 1));
      worst[2] = fmax (worst[2], units (tessera_cos_degrees (angle), cosl (angle * radian), 1));
      if (t > 0.0404500001)
        worst[3] = fmax (worst[3], units (tessera_linear (t), powl ((t + 0.055L) / 1.055L, 2.4L), 0));
      if (t > 0.0031308001)
        worst[4] = fmax (worst[4], units (tessera_perceptual (t), 1.055L * powl (t, 1 / 2.4L) - 0.055L, 0));
    }
  for (gint i = 0; i < 5; i++)
    expect (worst[i] <= MOST_UNITS, "%s within %.1f units of the last place (%d allowed)",
            ((const gchar *[]) { "exp", "sin", "cos", "to linear", "to perceptual" })[i], worst[i], MOST_UNITS);
  expect (tessera_exp (0) == 1 && tessera_exp (-800) == 0 && tessera_exp (-1e300) == 0, "the ends of exp");
  expect (tessera_cos_degrees (90) == 0 && tessera_sin_degrees (180) == 0 && tessera_sin_degrees (-90) == -1
          && tessera_cos_degrees (-180) == -1, "quarters of a circle");
}

/* How far `value` is from the nearest float, or from the nearest middle of two. */
static gdouble
gap (gdouble value, gboolean to_middle)
{
  const gfloat  near = (gfloat) value;
  const gdouble below = nextafterf (near, -1), above = nextafterf (near, 2);

  return to_middle ? fmin (fabs (value - (below + near) / 2), fabs (value - (near + above) / 2)) : fabs (value - near);
}

static void
tables (const gchar *name, gdouble (*curve) (gdouble), gint most)
{
  gdouble entry = INFINITY, step = INFINITY;

  for (gint k = 1; k < most; k++)
    {
      const gdouble value = curve ((gdouble) k / most), limit = curve ((k - 0.5) / most);

      entry = fmin (entry, gap (value, TRUE) / value * 0x1p53);
      step = fmin (step, gap (limit, FALSE) / limit * 0x1p53);
    }
  expect (entry >= LEAST_GAP && step >= LEAST_GAP, "%s, %d codes: %.0f and %.0f units to where a float would be another",
          name, most + 1, entry, step);
}

int
main (void)
{
  functions ();
  for (gint i = 0; i < 2; i++)
    {
      const gint most = i ? 65535 : 255;

      tables ("to linear", tessera_linear, most);
      tables ("to perceptual", tessera_perceptual, most);
    }
  return expect_told ();
}
