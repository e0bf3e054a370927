/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: the common part of C and OpenCL C with doubles; C needs math.h.  exp, cos and sin from sums, products and
 * quotients alone.  IEEE 754 rounds these exactly, so every processor, device, compiler and C library gives the same bits.
 * Each is within a few units of the last place of a double (tests/engine/portable.c).
 */
#define PORTABLE_LN2_HIGH 0x1.62e42feep-1       /* has few digits, so n * PORTABLE_LN2_HIGH is exact */
#define PORTABLE_LN2_LOW  0x1.a39ef35793c76p-33
#define PORTABLE_PI       3.14159265358979323846

static inline double
portable_exp (double x)
{
  const double n = floor (x * 1.4426950408889634 + 0.5);
  const double rest = (x - n * PORTABLE_LN2_HIGH) - n * PORTABLE_LN2_LOW;       /* 0.35 at most */
  double       sum = 1.0;

  if (! (x > -1000.0))
    return 0.0;
  for (int i = 15; i > 0; i--)
    sum = 1.0 + sum * rest / i;
  return ldexp (sum, (int) n);
}

/* sin of 90 `quarters` + `degrees`, which is 45 at most: the series of cos or sin. */
static inline double
portable_sine (int quarters, double degrees)
{
  const int    is_odd = (quarters & 1) == 0;
  const double a = degrees * (PORTABLE_PI / 180.0);
  double       sum = 1.0;

  for (int i = is_odd ? 21 : 20; i > 1; i -= 2)
    sum = 1.0 - sum * (a * a) / (i * (i - 1));
  sum = is_odd ? a * sum : sum;
  return quarters & 2 ? -sum : sum;
}

/* The angle's rest beyond the nearest multiple of 90 degrees is exact. */
static inline double
portable_sin_degrees (double angle)
{
  const double quarters = floor (angle / 90.0 + 0.5);

  return portable_sine ((int) quarters, angle - 90.0 * quarters);
}

static inline double
portable_cos_degrees (double angle)
{
  const double quarters = floor (angle / 90.0 + 0.5);

  return portable_sine ((int) quarters + 1, angle - 90.0 * quarters);
}
