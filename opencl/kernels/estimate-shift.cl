/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The shifts of some frames (operations/shared/shift.h): bad pixels, softening, projections, which pixels are used, their sums.  The same floats in the
 * same order as in C.  The host adds the sums of the tiles and decides on the next steps (operations/estimate-shift-device.c).
 *
 * The third dimension of a launch is the frame, or what is asked of one.  What is made of frames lies one frame behind the other, `pixels` apart.
 */
#pragma OPENCL FP_CONTRACT OFF

#include "tessera-dialect.h"
#include "tessera-median-networks.h"
#include "tessera-shift.h"
#include "estimate-shift-middle.h"

#define SOFTENED 4              /* pixels of a work-item: operations/estimate-shift-prepare.c */
#define CHOSEN   4              /* likewise, of simpler ones: operations/estimate-shift-parts.h */

/* What is asked of a frame: ShiftQuery in operations/estimate-shift-device.c. */
typedef struct
{
  int    frame, x, y, is_fresh;
  float4 taps_x, taps_y;
  float  threshold;
  int    spare[3];
} Query;

#include "estimate-shift-medians.h"

/* A work-item cleans CHOSEN pixels, one below another; any group; for each 1 read, 1 write of a float, 1 of a byte.  The first frame of the input is frame
 * `first`. */
kernel void shift_clean (global const float *input, int stride, global float *clean, global uchar *bad, int width, int height, int first, float saturation)
{
  const int  x = get_global_id (0), top = get_global_id (1) * CHOSEN;
  const long row = (long) get_global_id (2) * height + top, here = (row + (long) first * height) * width + x;
  float      pixels[CHOSEN];

  if (x >= width || top >= height)
    return;
  for (int k = 0; k < CHOSEN; k++)
    pixels[k] = input[(row + min (k, height - 1 - top)) * stride + x];
  for (int k = 0; k < CHOSEN; k++)
    if (top + k < height)
      {
        const int is_good = (fabs (pixels[k]) <= FLT_MAX) & (pixels[k] < saturation);

        clean[here + (long) k * width] = is_good ? pixels[k] : 0.0f;
        bad[here + (long) k * width] = is_good ? 0 : SHIFT_BAD;
      }
}

/* ------------------------------------------------------------------ one frame -- */

/* Is it hot?  Beyond the edge the neighbour across counts. */
static int
is_hot (global const float *clean, float median, float threshold, int x, int y, int width, int height)
{
  const long above = (long) (y > 0 ? y - 1 : 1) * width + x, here = (long) y * width, below = (long) (y + 1 < height ? y + 1 : y - 1) * width + x;
  const int  left = x > 0 ? x - 1 : 1, right = x + 1 < width ? x + 1 : x - 1;

  return shift_is_hot (clean[here + x], median, threshold, clean[above], clean[here + left], clean[here + right], clean[below]);
}

/* Marks hot pixels.  A work-item looks at CHOSEN, one below another; any group; for each 1 read of a float; where it is above the threshold 6 more, and 1
 * write of a byte. */
kernel void shift_hot (global const float *clean, global const float *medians, global const float *excesses, global uchar *bad, int width, int height,
                       global const float *thresholds)
{
  const int   x = get_global_id (0), top = get_global_id (1) * CHOSEN;
  const long  first = (long) get_global_id (2) * width * height;
  const float threshold = thresholds[get_global_id (2)];
  float       above[CHOSEN];

  if (x >= width || width < 2 || height < 2)
    return;
  for (int k = 0; k < CHOSEN; k++)
    above[k] = excesses[first + (long) min (top + k, height - 1) * width + x];
  for (int k = 0; k < CHOSEN; k++)
    {
      const long here = first + (long) (top + k) * width + x;

      if (top + k < height && above[k] > threshold && is_hot (clean + first, medians[here], threshold, x, top + k, width, height))
        bad[here] = SHIFT_BAD;
    }
}

/* Where the pixels are bad that a group's pixels could touch: for each column from two before the group's first one to three behind its last one a bit for
 * each row, likewise, counted from `top`.  All items of a group, each of which has SOFTENED pixels one below another. */
static void
find_bad (global const uchar *bad, int width, int height, int left, int top, local uint *columns)
{
  const int across = get_local_size (0) + 5, down = get_local_size (1) * SOFTENED + 5;

  for (int i = get_local_id (1) * get_local_size (0) + get_local_id (0); i < across; i += get_local_size (0) * get_local_size (1))
    columns[i] = 0;
  barrier (CLK_LOCAL_MEM_FENCE);
  for (int i = get_local_id (0); i < across; i += get_local_size (0))
    for (int k = get_local_id (1); k < down; k += get_local_size (1))
      if (left + i >= 0 && left + i < width && top + k >= 0 && top + k < height && bad[(long) (top + k) * width + left + i])
        atomic_or (columns + i, 1u << k);
  barrier (CLK_LOCAL_MEM_FENCE);
}

/* What bad pixels a pixel touches: `columns` begin two before its own, and their bits from `row` on two above it. */
static int
touched (local const uint *columns, int row)
{
  const uint near = columns[1] | columns[2] | columns[3], beside = columns[0] | columns[4], all = near | beside | columns[5];

  return (columns[2] >> row & 4 ? SHIFT_BAD : 0) | (all >> row & 63 ? SHIFT_NEAR_TAPS : 0)
         | ((near >> row & 31) | (beside >> row & 14) ? SHIFT_NEAR_REFERENCE : 0) | (near >> row & 14 ? SHIFT_NEAR_BAD : 0);
}

/* Softens SOFTENED pixels, one below another, says what bad pixels they touch, and `keeps` them for others, NaN where one is bad; a group has at most 27
 * rows of pixels; 1 uint of local memory for each item along x and for five more; for each pixel some 4.5 reads of a float, 1.5 of a byte, 1 write of
 * each, and 1 of a float that is kept.  The first frame of the launch is frame `from`. */
kernel void shift_soften_pixels (global const float *clean, global const uchar *bad, global float *soft, global uchar *flags, int width, int height,
                                 int from, int keeps, global float *kept, local uint *columns)
{
  const int  x = get_global_id (0), y = get_global_id (1) * SOFTENED;
  const int  left = x - (int) get_local_id (0) - 2, top = y - (int) get_local_id (1) * SOFTENED - 2;
  const long first = (from + (long) get_global_id (2)) * width * height;
  float      pixels[3][SOFTENED + 2];

  find_bad (bad + first, width, height, left, top, columns);
  if (x >= width)
    return;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < SOFTENED + 2; k++)
      {
        const int   column = clamp (x + i - 1, 0, width - 1), row = clamp (y + k - 1, 0, height - 1);
        const float pixel = clean[first + (long) row * width + column];

        pixels[i][k] = columns[column - left] >> (row - top) & 1 ? 0.0f : pixel;
      }
  for (int k = 0; k < SOFTENED && y + k < height; k++)
    {
      const long at = (long) (y + k) * width + x, here = first + at;
      float      three[3];

      for (int i = 0; i < 3; i++)
        three[i] = shift_soften (pixels[i][k], pixels[i][k + 1], pixels[i][k + 2]);
      soft[here] = shift_soften (three[0], three[1], three[2]);
      flags[here] = touched (columns + get_local_id (0), y + k - top - 2);
      if (keeps)
        kept[at] = columns[x - left] >> (y + k - top) & 1 ? NAN : pixels[1][k + 1];
    }
}

/* Halves sums that lie SHIFT_TILE_WIDTH apart, `n` of them, until the first of each is its sum: the left half gets the right half.  All items of a group. */
static void
halve (local float *sums, int n)
{
  for (int bits = SHIFT_TILE_BITS - 1; bits >= 0; bits--)
    {
      barrier (CLK_LOCAL_MEM_FENCE);
      for (int i = get_local_id (0); i < n << bits; i += get_local_size (0))
        {
          const int at = (i >> bits) * SHIFT_TILE_WIDTH + (i & ((1 << bits) - 1));

          sums[at] += sums[at + (1 << bits)];
        }
    }
  barrier (CLK_LOCAL_MEM_FENCE);
}

/* One group makes the projections of one tile: the sums of its columns, behind those of all tiles the sums of rows; any group; SHIFT_TILE_HEIGHT times
 * SHIFT_TILE_WIDTH floats of local memory; 1 read of a float and of a byte for each pixel.  How many pixels a column and a row lack is counted from
 * `missing_at` on, where 0 stands: columns, behind them rows. */
kernel void shift_project (global const float *soft, global const uchar *flags, global float *sums, int missing_at, int width, int height, int across,
                           int down, local float *values)
{
  const int  tile = get_global_id (0) / get_local_size (0), left = tile % across * SHIFT_TILE_WIDTH, top = tile / across * SHIFT_TILE_HEIGHT;
  const int  n_columns = down * width;
  const long first = (long) get_global_id (2) * width * height;
  global int *missing = (global int *) sums + missing_at + get_global_id (2) * (width + height);

  if (tile >= across * down)
    return;
  sums += (long) get_global_id (2) * (n_columns + height * across);
  for (int column = get_local_id (0); column < SHIFT_TILE_WIDTH; column += get_local_size (0))
    {
      float sum = 0.0f;
      uint  bad_rows = 0;

      for (int row = 0; row < SHIFT_TILE_HEIGHT; row++)
        {
          const long i = first + (long) (top + row) * width + left + column;
          const int   is_inside = left + column < width && top + row < height;
          const float pixel = is_inside ? soft[i] : 0.0f;               /* these reads do not wait for one another */
          const int   is_bad = is_inside && (flags[i] & SHIFT_NEAR_BAD);
          const float value = is_bad ? 0.0f : pixel;

          values[row * SHIFT_TILE_WIDTH + column] = value;
          sum += value;
          bad_rows |= is_bad ? 1u << row : 0;
        }
      if (left + column < width)
        sums[tile / across * width + left + column] = sum;
      if (bad_rows)
        atomic_add (missing + left + column, popcount (bad_rows));
      for (; bad_rows; bad_rows &= bad_rows - 1)
        atomic_inc (missing + width + top + 31 - (int) clz (bad_rows & -bad_rows));
    }
  halve (values, SHIFT_TILE_HEIGHT);
  for (int row = get_local_id (0); row < min (SHIFT_TILE_HEIGHT, height - top); row += get_local_size (0))
    sums[n_columns + (top + row) * across + tile % across] = values[row * SHIFT_TILE_WIDTH];
}

/* ------------------------------------------------------------------- the steps -- */

/* Can pixels be used, where the whole part of the shift is (x, y)?  A work-item looks at CHOSEN pixels, one below another; any group; for each 2 reads and
 * 1 write of a byte. */
kernel void shift_choose (global const uchar *in_reference, global const uchar *in_frames, global uchar *used, int width, int height,
                          global const Query *queries, global int *n_steep)
{
  const Query query = queries[get_global_id (2)];
  const int   x = get_global_id (0), top = get_global_id (1) * CHOSEN, u = x + query.x;
  const long  first = (long) query.frame * width * height;
  const int   is_column = x >= SHIFT_RIM && x < width - SHIFT_RIM && u >= 1 && u < width - 2;
  int         is_usable[CHOSEN];

  if (x == 0 && top == 0)
    n_steep[query.frame] = 0;
  for (int k = 0; k < CHOSEN; k++)
    {
      const int y = top + k, v = y + query.y;
      const int is_inside = is_column && y >= SHIFT_RIM && y < height - SHIFT_RIM && v >= 1 && v < height - 2;
      const int reference = in_reference[is_inside ? (long) y * width + x : 0], frame = in_frames[first + (is_inside ? (long) v * width + u : 0)];

      is_usable[k] = is_inside && ! (reference & SHIFT_NEAR_REFERENCE) && ! (frame & SHIFT_NEAR_TAPS);
    }
  for (int k = 0; k < CHOSEN; k++)
    if (x < width && top + k < height)
      used[first + (long) (top + k) * width + x] = is_usable[k] ? SHIFT_USABLE : 0;
}

/* Of CHOSEN pixels, one below another: their slopes, and whether they are steep.  As bits. */
static int
find_steep (global const float *soft, global const uchar *used, int width, int height, int x, int top, float threshold)
{
  const int left = clamp (x - 1, 0, width - 1), here = min (x, width - 1), right = min (x + 1, width - 1);
  float     column[CHOSEN + 2], h[CHOSEN];
  int       is_used[CHOSEN], steep = 0;

  for (int k = 0; k < CHOSEN + 2; k++)
    column[k] = soft[(long) clamp (top + k - 1, 0, height - 1) * width + here];
  for (int k = 0; k < CHOSEN; k++)
    {
      const long row = (long) min (top + k, height - 1) * width;

      h[k] = shift_slope (soft[row + left], soft[row + right]);
      is_used[k] = used[row + here];
    }
  for (int k = 0; k < CHOSEN; k++)
    if (x < width && top + k < height && is_used[k] && shift_is_steep (h[k], shift_slope (column[k], column[k + 2]), threshold))
      steep |= 1 << k;
  return steep;
}

/* Marks the steep ones, and counts them; a work-item looks at CHOSEN pixels, one below another; any group; 1 int of local memory; for each pixel some 3.5
 * reads of a float, 1 of a byte; where one is steep, 1 write. */
kernel void shift_mark (global const float *soft, global uchar *used, int width, int height, global const Query *queries, global int *n_steep,
                        local int *near)
{
  const int  x = get_global_id (0), top = get_global_id (1) * CHOSEN, is_first = get_local_id (0) + get_local_id (1) == 0;
  const int  frame = queries[get_global_id (2)].frame;
  const long first = (long) frame * width * height;

  if (is_first)
    *near = 0;
  barrier (CLK_LOCAL_MEM_FENCE);
  if (queries[get_global_id (2)].is_fresh)
    {
      const int steep = find_steep (soft, used + first, width, height, x, top, queries[get_global_id (2)].threshold);

      for (int k = 0; k < CHOSEN; k++)
        if (steep >> k & 1)
          used[first + (long) (top + k) * width + x] = SHIFT_USABLE | SHIFT_STEEP;
      if (steep)
        atomic_add (near, popcount (steep));
    }
  barrier (CLK_LOCAL_MEM_FENCE);
  if (is_first && *near > 0)
    atomic_add (n_steep + frame, *near);
}

/* What one column of a tile adds to its sums.  H200, 2026-11-24: which pixels count read at once beforehand, 1.2 times as long; all pixels read whether they
 * count or not, 1.5 times. */
static void
sum_column (global const float *reference, global const float *frame, global const uchar *used, int wanted, int width, int height, int x, int top,
            const Query *query, local float *to)
{
  const float4 wx = query->taps_x, wy = query->taps_y;
  float        p = 0.0f, q = 0.0f, u = 0.0f, v = 0.0f, w = 0.0f, squares = 0.0f, n = 0.0f;

  for (int y = top; y < min (top + SHIFT_TILE_HEIGHT, height) && x < width; y++)
    if (used[(long) y * width + x] & wanted)
      {
        global const float *r = reference + (long) y * width + x;
        global const float *taps = frame + (long) (y + query->y - 1) * width + x + query->x - 1;
        const float         h = shift_slope (r[-1], r[1]), g = shift_slope (r[-width], r[width]);
        float               rows[4], e;

        for (int k = 0; k < 4; k++, taps += width)
          rows[k] = shift_tap (taps[0], taps[1], taps[2], taps[3], wx.x, wx.y, wx.z, wx.w);
        e = shift_tap (rows[0], rows[1], rows[2], rows[3], wy.x, wy.y, wy.z, wy.w) - r[0];
        p += g * e;
        q += h * e;
        u += h * h;
        v += h * g;
        w += g * g;
        squares += e * e;
        n += 1.0f;
      }
  to[SHIFT_P * SHIFT_TILE_WIDTH] = p;
  to[SHIFT_Q * SHIFT_TILE_WIDTH] = q;
  to[SHIFT_U * SHIFT_TILE_WIDTH] = u;
  to[SHIFT_V * SHIFT_TILE_WIDTH] = v;
  to[SHIFT_W * SHIFT_TILE_WIDTH] = w;
  to[SHIFT_E * SHIFT_TILE_WIDTH] = squares;
  to[SHIFT_N * SHIFT_TILE_WIDTH] = n;
}

/* One group makes the sums of one tile, of its steep pixels if the frame has enough of them, else of all that can be used; any group; SHIFT_SUMS times
 * SHIFT_TILE_WIDTH floats of local memory; for each pixel 1 read of a byte, and 21 of a float where it counts; SHIFT_SUMS writes. */
kernel void shift_sum_tiles (global const float *reference, global const float *frames, global const uchar *used, int width, int height,
                             global const Query *queries, global const int *n_steep, int fewest, global float *tiles, int across, int down,
                             local float *sums)
{
  const int   tile = get_global_id (0) / get_local_size (0), left = tile % across * SHIFT_TILE_WIDTH, top = tile / across * SHIFT_TILE_HEIGHT;
  const Query query = queries[get_global_id (2)];
  const long  first = (long) query.frame * width * height;
  const int   wanted = n_steep[query.frame] >= fewest ? SHIFT_STEEP : SHIFT_USABLE;

  if (tile >= across * down)
    return;
  for (int column = get_local_id (0); column < SHIFT_TILE_WIDTH; column += get_local_size (0))
    sum_column (reference, frames + first, used + first, wanted, width, height, left + column, top, &query, sums + column);
  halve (sums, SHIFT_SUMS);
  for (int k = get_local_id (0); k < SHIFT_SUMS; k += get_local_size (0))
    tiles[((long) get_global_id (2) * across * down + tile) * SHIFT_SUMS + k] = sums[k * SHIFT_TILE_WIDTH];
}
