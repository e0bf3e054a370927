/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: the common part of C and OpenCL C on float scalars: arithmetic,
 * comparisons, ?:, no library calls.  Whoever includes this picks the dialect
 * first; it includes nothing itself.
 */

/* Three neighbours, weighted [1 2 1]/4, in this order. */
static inline float
binomial_3 (float before, float here, float after)
{
  return ((before + after) + 2.0f * here) * 0.25f;
}

/* out = image + strength (blurred - image); at strength 0 the image, whatever is
 * beside it. */
static inline float
mix_towards (float image, float blurred, float strength)
{
  return strength == 0.0f ? image : image + strength * (blurred - image);
}
