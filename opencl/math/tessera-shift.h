/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: the common part of C and OpenCL C.
 *
 * The shift of a frame: what is done to a pixel, and the order of the sums.
 *
 * Sums are made tile by tile.  In a tile each column is summed from top to bottom, then the columns are halved: the left half gets the
 * right half, until one is left.  What is left out counts as 0.  The sums of the tiles are added in double, row by row.
 */
#define SHIFT_TILE_BITS   6
#define SHIFT_TILE_WIDTH  (1 << SHIFT_TILE_BITS)
#define SHIFT_TILE_ROW_BITS 4
#define SHIFT_TILE_HEIGHT (1 << SHIFT_TILE_ROW_BITS)

/* The sums of a tile, in this order in memory; the last one is how many pixels they are of. */
#define SHIFT_P    0
#define SHIFT_Q    1
#define SHIFT_U    2
#define SHIFT_V    3
#define SHIFT_W    4
#define SHIFT_E    5
#define SHIFT_N    6
#define SHIFT_SUMS 7

/* How far from the border a pixel is used. */
#define SHIFT_RIM 2

/* [1 2 1] / 4. */
static inline float
shift_soften (float before, float here, float after)
{
  return ((before + after) + (here + here)) * 0.25f;
}

static inline float
shift_slope (float before, float after)
{
  return (after - before) * 0.5f;
}

static inline float
shift_tap (float a, float b, float c, float d, float wa, float wb, float wc, float wd)
{
  return (wa * a + wb * b) + (wc * c + wd * d);
}

/* A pixel with neighbours above and below, left and right, and the median of its 5x5: an excess that a star would share with them? */
static inline int
shift_is_hot (float pixel, float median, float threshold, float above, float left, float right, float below)
{
  const float excess = pixel - median, quarter = excess * 0.25f;

  return (excess > threshold) & (above - median < quarter) & (left - median < quarter) & (right - median < quarter)
         & (below - median < quarter);
}

/* As an int, 0 or 1. */
static inline int
shift_is_steep (float h, float g, float threshold)
{
  return h * h + g * g > threshold;
}
