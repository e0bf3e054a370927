/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: C and OpenCL C.
 *
 * The one way from float to an index: clamped in float, then cast, because the
 * cast of what does not fit is undefined (C) or the device's choice (OpenCL).
 * NaN gives `low`. */
static inline int
bin_index (float position, float low, float high)
{
  position = position > low ? position : low;
  return (int) (position < high ? position : high);
}
