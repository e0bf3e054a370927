/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The angle of a vector in double, from sums, products and a quotient alone: the same bits everywhere, unlike libm's
 * atan2, and in vectors.
 * Dialect: the common part of C and OpenCL C with doubles.
 */

/* In degrees, 0 to 360, from +x towards +y; within 4e-16 of itself.  0 for the vector (0, 0); of what is not finite it
 * is an angle too, or NaN.  Needs math.h.  The series is a polynomial
 * through Chebyshev's points of [0, tan (pi/8)^2]. */
static inline double
angle_of (double x, double y)
{
  const double ax = x < 0.0 ? -x : x, ay = y < 0.0 ? -y : y;
  const double low = ax < ay ? ax : ay, high = ax < ay ? ay : ax;
  const int    is_steep = low > 0.41421356237309503 * high;
  const double above = is_steep ? low - high : low, below = is_steep ? low + high : high;
  const double u = above / (below > 0.0 ? below : HUGE_VAL), z = u * u;       /* 0 for (0, 0), and beside a NaN */
  double       sum = 0x1.bb499715f6e36p-1;

  sum = sum * z - 0x1.e9aed85efcea0p+0;
  sum = sum * z + 0x1.49fa778dd587bp+1;
  sum = sum * z - 0x1.7ea0d43dfa298p+1;
  sum = sum * z + 0x1.aeff9904688b1p+1;
  sum = sum * z - 0x1.e8e3de592f90dp+1;
  sum = sum * z + 0x1.1a120fcce3e00p+2;
  sum = sum * z - 0x1.4d5b731472d44p+2;
  sum = sum * z + 0x1.976fc883df7d6p+2;
  sum = sum * z - 0x1.05ec6ea804044p+3;
  sum = sum * z + 0x1.6eb167b82fdcep+3;
  sum = sum * z - 0x1.3193d66ed2bf9p+4;
  sum = sum * z + 0x1.ca5dc1a63c1f8p+5;
  sum = sum * u + (is_steep ? 45.0 : 0.0);
  sum = ax < ay ? 90.0 - sum : sum;
  sum = x < 0.0 ? 180.0 - sum : sum;
  return y < 0.0 ? 360.0 - sum : sum;
}
