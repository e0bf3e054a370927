/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: C and OpenCL C; needs a dialect before it.
 *
 * log2 and exp2 with the same bits everywhere: polynomials whose relative error is least (E. Ya. Remez 1934), 4e-9 and 1e-8, and the
 * roundings; in all at most 2e-7 (tests/check/log-table.c looks at all mantissas).
 */

/* x is normal and positive.  The mantissa less 1 lies in sqrt(1/2) - 1 .. sqrt(2) - 1 and is exact. */
static inline float
tessera_log2 (float x)
{
  const int   exponent = (tessera_as_int (x) - 0x3f3504f3) >> 23;
  const float m = tessera_as_float (tessera_as_int (x) - exponent * 0x800000) - 1.0f;
  float       p = -0.109949574f;

  p = p * m + 0.186174974f;
  p = p * m - 0.191062748f;
  p = p * m + 0.204600617f;
  p = p * m - 0.239617407f;
  p = p * m + 0.288567394f;
  p = p * m - 0.360696644f;
  p = p * m + 0.480898231f;
  p = p * m - 0.721347332f;
  p = p * m + 0.44269502f;              /* less 1, which is added without loss */
  return (float) exponent + (m + m * p);
}

/* x beyond -126 .. 126 counts as these; NaN gives some number. */
static inline float
tessera_exp2 (float x)
{
  const float inside = x > -126.0f ? (x < 126.0f ? x : 126.0f) : -126.0f, whole = tessera_floor (inside + 0.5f), f = inside - whole;
  float       p = 0.000154035122f;

  p = p * f + 0.00133907353f;
  p = p * f + 0.00961823761f;
  p = p * f + 0.0555035733f;
  p = p * f + 0.240226492f;
  p = p * f + 0.693147182f;
  return (1.0f + f * p) * tessera_as_float (((int) whole + 127) * 0x800000);
}
