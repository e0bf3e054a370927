/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: C and OpenCL C; needs tessera-index.h, tessera-convert.h, tessera-equalize.h and a dialect before it.
 *
 * What texture and clarity make of a luminance, smoothed at two scales.
 */
#define DETAIL_FINE_RANGE   0.05f       /* of the grid of texture, and the amplitude that is raised most */
#define DETAIL_COARSE_RANGE 0.08f       /* of clarity */

/* h (d; t) = d max (0, 1 - (d/2t)^2)^2, and 0 from |d| = 2t on: edges are left as they are. */
static inline float
detail_limited (float d, float t)
{
  const float part = d * (0.5f / t), left = 1.0f - part * part;

  return tessera_abs (d) < 2.0f * t ? d * (left * left) : 0.0f;
}

/* l', of l and of what both grids make of it.  protect: the square of the amplitude below which texture is taken for noise. */
static inline float
detail_raised (float l, float fine, float coarse, float texture, float clarity, float protect)
{
  const float d = l - fine, square = d * d;
  const float share = protect > 0.0f ? equalize_quotient (square, square + protect) : 1.0f;

  return (l + texture * (detail_limited (d, DETAIL_FINE_RANGE) * share)) + clarity * detail_limited (fine - coarse, DETAIL_COARSE_RANGE);
}

/* A component of a pixel whose luminance l becomes `raised`; quotient = raised / l. */
static inline float
detail_scaled (float value, float l, float raised, float quotient)
{
  return raised == l && l >= EQUALIZE_LEAST ? value : equalize_scaled (value, l, raised, quotient);
}
