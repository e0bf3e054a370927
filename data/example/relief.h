/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The formula, once.  The C compiler and the OpenCL compiler both compile it, so both paths compute the same.
 */
static inline float
relief (float upper_left, float lower_right, float strength)
{
  return 0.5f + strength * (lower_right - upper_left);
}
