/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: the common part of C and OpenCL C.
 *
 * An extreme of the differences of Gaussians lies strictly beyond the 13 neighbours before it in the order of layers, rows
 * and columns, and not below (above) the 13 behind it: a plateau has one, and no two touch.
 */
#define EXTREME_FRAME 5

/* all: 3 layers of 3 x 3; here: all[13] */
static inline int
extreme_is_one (const float *all, float here, float least)
{
  int is_highest = here > least, is_lowest = here < -least;

  for (int i = 0; i < 13; i++)
    {
      is_highest &= here > all[i];
      is_lowest &= here < all[i];
    }
  for (int i = 14; i < 27; i++)
    {
      is_highest &= here >= all[i];
      is_lowest &= here <= all[i];
    }
  return is_highest | is_lowest;
}
