/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: C and OpenCL C.
 *
 * The one way from a float to an index.  A cast of what does not fit is undefined in C and
 * the device's choice in OpenCL.  So the float is clamped, then cast.  NaN becomes `low`. */
static inline int
bin_index (float position, float low, float high)
{
  position = position > low ? position : low;
  return (int) (position < high ? position : high);
}
