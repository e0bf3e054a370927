/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: the common part of C and OpenCL C with doubles; C needs math.h.
 */

/* Of so many pixels, whose sum that is; NaN: it is not known. */
static inline double
shift_mean (double sum, int pixels)
{
  return pixels > 0 && isfinite (sum) ? sum / pixels : NAN;
}
