/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The formula, once.  Colours are premultiplied: what is stored under alpha 0 does not show, and grey counts by the alpha.  The C compiler and the OpenCL compiler both compile it, so both paths compute the same.
 */
#define RELIEF_GREY 0.2140f     /* light of the middle between black and white as seen */

static inline float
relief (float upper_left, float lower_right, float alpha, float strength)
{
  return RELIEF_GREY * alpha + strength * (lower_right - upper_left);
}
