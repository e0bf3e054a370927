/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The shift of a frame (operations/shared/shift.h): bad pixels, softening, projections, which pixels are used, their sums.  The same floats in the same
 * order as in C.  The host adds the sums of the tiles and decides on the next step (operations/estimate-shift-device.c).
 */
#pragma OPENCL FP_CONTRACT OFF

#include "tessera-dialect.h"
#include "tessera-median-networks.h"
#include "tessera-shift.h"

#define PER_ITEM 32             /* pixels that a work-item counts */

#define SWAP(a, b) \
  { \
    const float less = v[a] < v[b] ? v[a] : v[b], more = v[a] < v[b] ? v[b] : v[a]; \
    v[a] = less; \
    v[b] = more; \
  }

/* One work-item makes one number 0. */
kernel void shift_zero (global int *counts, int n)
{
  const int i = get_global_id (0);

  if (i < n)
    counts[i] = 0;
}

/* One work-item cleans one pixel; any group; 1 read, 1 write of a float, 1 of a byte. */
kernel void shift_clean (global const float *input, int stride, global float *clean, global uchar *bad, int width, int height, float saturation)
{
  const int   x = get_global_id (0), y = get_global_id (1);
  const long  here = (long) y * width + x;
  float       pixel;
  int         is_good;

  if (x >= width || y >= height)
    return;
  pixel = input[(long) y * stride + x];
  is_good = (fabs (pixel) <= FLT_MAX) & (pixel < saturation);
  clean[here] = is_good ? pixel : 0.0f;
  bad[here] = is_good ? 0 : SHIFT_BAD;
}

/* Sorts places c, c + 5 ... of 25. */
static void
sort_column (float *square, int c)
{
  float v[5];

  for (int k = 0; k < 5; k++)
    v[k] = square[5 * k + c];
  MEDIAN_SORT_5 (SWAP)
  for (int k = 0; k < 5; k++)
    square[5 * k + c] = v[k];
}

/* One work-item makes the median of 5x5; any group; 25 reads of a float, 1 write. */
kernel void shift_medians (global const float *clean, global float *medians, int width, int height)
{
  const int x = get_global_id (0), y = get_global_id (1);
  float     v[25];

  if (x >= width || y >= height)
    return;
  for (int j = 0; j < 5; j++)
    for (int i = 0; i < 5; i++)
      v[5 * j + i] = clean[(long) clamp (y + j - 2, 0, height - 1) * width + clamp (x + i - 2, 0, width - 1)];
  for (int c = 0; c < 5; c++)
    sort_column (v, c);
  MEDIAN_25 (SWAP)
  medians[(long) y * width + x] = v[MEDIAN_PLACE_25];
}

/* ---------------------------------------------------------------- histograms -- */

static void
count_value (local int *near, float value, int level_above, int low, int last, int prefix)
{
  const int bits = as_int (value) & 0x7fffffff;

  if (level_above < 0 || bits >> level_above == prefix)
    atomic_inc (near + (bits >> low & last));
}

static void
clear_counts (local int *near, int bins)
{
  for (int b = get_local_id (0); b < bins; b += get_local_size (0))
    near[b] = 0;
  barrier (CLK_LOCAL_MEM_FENCE);
}

static void
add_counts (local const int *near, int bins, global int *counts)
{
  barrier (CLK_LOCAL_MEM_FENCE);
  for (int b = get_local_id (0); b < bins; b += get_local_size (0))
    if (near[b])
      atomic_add (counts + b, near[b]);
}

/* The first pixel of a group; one group counts PER_ITEM pixels for each of its items. */
static long
first_of_group ()
{
  return ((long) get_global_id (0) - get_local_id (0)) * PER_ITEM;
}

/* Counts |pixel - median| of pixels that are not bad: bits from `low` on, of values whose bits from `level_above` on are `prefix` (< 0: all).  Any group;
 * last + 1 ints of local memory; 2 reads of a float and 1 of a byte for each pixel. */
kernel void shift_count_excesses (global const float *clean, global const float *medians, global const uchar *bad, int n, int level_above, int low,
                                  int last, int prefix, global int *counts, local int *near)
{
  clear_counts (near, last + 1);
  for (int k = 0; k < PER_ITEM; k++)
    {
      const long i = first_of_group () + (long) k * get_local_size (0) + get_local_id (0);

      if (i < n && ! bad[i])
        count_value (near, fabs (clean[i] - medians[i]), level_above, low, last, prefix);
    }
  add_counts (near, last + 1, counts);
}

/* The same of |h| and |g| of pixels that can be used. */
kernel void shift_count_slopes (global const float *soft, global const uchar *used, int width, int n, int level_above, int low, int last, int prefix,
                                global int *counts, local int *near)
{
  clear_counts (near, last + 1);
  for (int k = 0; k < PER_ITEM; k++)
    {
      const long i = first_of_group () + (long) k * get_local_size (0) + get_local_id (0);

      if (i < n && used[i])
        {
          count_value (near, fabs (shift_slope (soft[i - 1], soft[i + 1])), level_above, low, last, prefix);
          count_value (near, fabs (shift_slope (soft[i - width], soft[i + width])), level_above, low, last, prefix);
        }
    }
  add_counts (near, last + 1, counts);
}

/* ------------------------------------------------------------------ one frame -- */

/* Marks a hot pixel; any group; 6 reads of a float, 1 of a byte, 1 write of a byte.  Beyond the edge the neighbour across counts. */
kernel void shift_hot (global const float *clean, global const float *medians, global uchar *bad, int width, int height, float threshold)
{
  const int  x = get_global_id (0), y = get_global_id (1);
  const long here = (long) y * width + x;
  long       above, below;
  int        left, right;

  if (x >= width || y >= height || width < 2 || height < 2)
    return;
  above = y > 0 ? here - width : here + width;
  below = y + 1 < height ? here + width : here - width;
  left = x > 0 ? -1 : 1;
  right = x + 1 < width ? 1 : -1;
  if (shift_is_hot (clean[here], medians[here], threshold, clean[above], clean[here + left], clean[here + right], clean[below]))
    bad[here] = SHIFT_BAD;
}

/* Is a pixel bad within columns x + left .. x + right of a row? */
static int
is_any_bad (global const uchar *bad, int width, int height, int x, int y, int left, int right)
{
  int any = 0;

  for (int i = max (0, x + left); i <= min (width - 1, x + right) && y >= 0 && y < height; i++)
    any |= bad[(long) y * width + i];
  return any;
}

static float
good_pixel (global const float *clean, global const uchar *bad, int width, int x, int y)
{
  const long i = (long) y * width + x;

  return bad[i] ? 0.0f : clean[i];
}

/* Softens one pixel and says what bad pixels it touches; any group; 9 reads of a float, some 70 of a byte, 1 write of each. */
kernel void shift_soften_pixels (global const float *clean, global const uchar *bad, global float *soft, global uchar *flags, int width, int height)
{
  const int x = get_global_id (0), y = get_global_id (1);
  float     columns[3];
  int       what;

  if (x >= width || y >= height)
    return;
  for (int i = 0; i < 3; i++)
    {
      const int column = clamp (x + i - 1, 0, width - 1);

      columns[i] = shift_soften (good_pixel (clean, bad, width, column, max (y - 1, 0)), good_pixel (clean, bad, width, column, y),
                                 good_pixel (clean, bad, width, column, min (y + 1, height - 1)));
    }
  what = is_any_bad (bad, width, height, x, y, 0, 0) ? SHIFT_BAD : 0;
  for (int k = -2; k <= 3; k++)
    {
      if (is_any_bad (bad, width, height, x, y + k, -2, 3))
        what |= SHIFT_NEAR_TAPS;
      if (k <= 2 && is_any_bad (bad, width, height, x, y + k, k == -2 || k == 2 ? -1 : -2, k == -2 || k == 2 ? 1 : 2))
        what |= SHIFT_NEAR_REFERENCE;
      if (k >= -1 && k <= 1 && is_any_bad (bad, width, height, x, y + k, -1, 1))
        what |= SHIFT_NEAR_BAD;
    }
  soft[(long) y * width + x] = shift_soften (columns[0], columns[1], columns[2]);
  flags[(long) y * width + x] = what;
}

/* The sum of SHIFT_TILE_WIDTH floats that lie `step` apart, in the order of halving: pairs half the width apart first.  i counts from its upper bit
 * down: each pair is then complete when its second half is. */
static float
halved (global const float *values, int step)
{
  float waiting[7];
  int   n = 0;

  for (int k = 0, i = 0; k < SHIFT_TILE_WIDTH; k++)
    {
      float sum = values[i * step];
      int   bit = SHIFT_TILE_WIDTH / 2;

      for (int done = k; done & 1; done >>= 1)
        sum = waiting[--n] + sum;
      waiting[n++] = sum;
      for (; i & bit; bit >>= 1)
        i ^= bit;
      i |= bit;
    }
  return waiting[0];
}

/* One work-item sums one column of a tile; any group; 1 read of a float and of a byte for each of its SHIFT_TILE_HEIGHT pixels, 2 writes.  `n` sums come first,
 * then of how many pixels they are. */
kernel void shift_project_columns (global const float *soft, global const uchar *flags, global float *sums, int n, int width, int height)
{
  const int x = get_global_id (0), top = get_global_id (1) * SHIFT_TILE_HEIGHT;
  const int to = get_global_id (1) * width + x;
  float     sum = 0.0f;
  int       pixels = 0;

  if (x >= width || top >= height)
    return;
  for (int y = top; y < min (top + SHIFT_TILE_HEIGHT, height); y++)
    {
      const long i = (long) y * width + x;
      const int  is_good = ! (flags[i] & SHIFT_NEAR_BAD);

      sum += is_good ? soft[i] : 0.0f;
      pixels += is_good;
    }
  sums[to] = sum;
  sums[n + to] = pixels;
}

/* Copies what counts, with columns of 0 up to whole tiles; any group; 1 read of a float and of a byte, 1 write. */
kernel void shift_widen (global const float *soft, global const uchar *flags, global float *wide, int width, int height, int tiles)
{
  const int x = get_global_id (0), y = get_global_id (1);
  const int is_inside = x < width && y < height;

  if (x >= tiles * SHIFT_TILE_WIDTH || y >= height)
    return;
  wide[(long) y * tiles * SHIFT_TILE_WIDTH + x]
    = is_inside && ! (flags[(long) y * width + x] & SHIFT_NEAR_BAD) ? soft[(long) y * width + x] : 0.0f;
}

/* One work-item sums one row of a tile; any group; SHIFT_TILE_WIDTH reads of a float and of a byte, 2 writes.  The sums begin at `first`; `n` of them come
 * before their pixels. */
kernel void shift_project_rows (global const float *wide, global const uchar *flags, global float *sums, int first, int n, int width, int height,
                                int tiles)
{
  const int tile = get_global_id (0), y = get_global_id (1), left = tile * SHIFT_TILE_WIDTH;
  const int to = y * tiles + tile;
  int       pixels = 0;

  if (tile >= tiles || y >= height)
    return;
  for (int x = left; x < min (left + SHIFT_TILE_WIDTH, width); x++)
    pixels += ! (flags[(long) y * width + x] & SHIFT_NEAR_BAD);
  sums[first + to] = halved (wide + (long) to * SHIFT_TILE_WIDTH, 1);
  sums[first + n + to] = pixels;
}

/* ------------------------------------------------------------------- the steps -- */

/* Can the pixel be used, where the whole part of the shift is (shift_x, shift_y)?  Any group; 2 reads and 1 write of a byte. */
kernel void shift_choose (global const uchar *in_reference, global const uchar *in_frame, global uchar *used, int width, int height, int shift_x,
                          int shift_y)
{
  const int  x = get_global_id (0), y = get_global_id (1), u = x + shift_x, v = y + shift_y;
  const long here = (long) y * width + x;
  int        is_usable;

  if (x >= width || y >= height)
    return;
  is_usable = x >= SHIFT_RIM && y >= SHIFT_RIM && x < width - SHIFT_RIM && y < height - SHIFT_RIM && u >= 1 && v >= 1 && u < width - 2
              && v < height - 2;
  used[here] = is_usable && ! (in_reference[here] & SHIFT_NEAR_REFERENCE) && ! (in_frame[(long) v * width + u] & SHIFT_NEAR_TAPS) ? SHIFT_USABLE : 0;
}

/* Marks the steep ones, and counts them; any group; 4 reads of a float, 1 of a byte; where one is steep, 1 write and 1 atomic addition. */
kernel void shift_mark (global const float *soft, global uchar *used, int width, int height, float threshold, global int *n)
{
  const int  x = get_global_id (0), y = get_global_id (1);
  const long i = (long) y * width + x;

  if (x >= width || y >= height || ! used[i])
    return;
  if (shift_is_steep (shift_slope (soft[i - 1], soft[i + 1]), shift_slope (soft[i - width], soft[i + width]), threshold))
    {
      used[i] = SHIFT_USABLE | SHIFT_STEEP;
      atomic_inc (n);
    }
}

/* One work-item makes the sums of one column of a tile, of pixels that are `wanted`; any group; for each of SHIFT_TILE_HEIGHT pixels 1 read of a
 * byte, and 20 of a float where it is used; SHIFT_SUMS writes.  Columns of a tile beyond the frame have 0. */
kernel void shift_sum_columns (global const float *reference, global const float *frame, global const uchar *used, int wanted, int width, int height,
                               int shift_x, int shift_y, float4 wx, float4 wy, global float *columns, int across)
{
  const int x = get_global_id (0), top = get_global_id (1) * SHIFT_TILE_HEIGHT;
  float     p = 0.0f, q = 0.0f, u = 0.0f, v = 0.0f, w = 0.0f, squares = 0.0f, n = 0.0f;
  global float *to;

  if (x >= across * SHIFT_TILE_WIDTH || top >= height)
    return;
  for (int y = top; y < min (top + SHIFT_TILE_HEIGHT, height) && x < width; y++)
    if (used[(long) y * width + x] & wanted)
      {
        global const float *r = reference + (long) y * width + x;
        global const float *taps = frame + (long) (y + shift_y - 1) * width + x + shift_x - 1;
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
  to = columns + ((long) get_global_id (1) * across * SHIFT_TILE_WIDTH + x) * SHIFT_SUMS;
  to[SHIFT_P] = p;
  to[SHIFT_Q] = q;
  to[SHIFT_U] = u;
  to[SHIFT_V] = v;
  to[SHIFT_W] = w;
  to[SHIFT_E] = squares;
  to[SHIFT_N] = n;
}

/* One work-item makes one sum of one tile; any group; SHIFT_TILE_WIDTH reads of a float, 1 write. */
kernel void shift_sum_tiles (global const float *columns, global float *tiles, int n)
{
  const int i = get_global_id (0);

  if (i < n)
    tiles[i] = halved (columns + (long) (i / SHIFT_SUMS) * SHIFT_TILE_WIDTH * SHIFT_SUMS + i % SHIFT_SUMS, SHIFT_SUMS);
}

/* One work-item writes the answer. */
kernel void shift_answer (global int *output, int a, int b, int c, int d, int e, int f, int g, int h)
{
  if (get_global_id (0) > 0)
    return;
  output[0] = a;
  output[1] = b;
  output[2] = c;
  output[3] = d;
  output[4] = e;
  output[5] = f;
  output[6] = g;
  output[7] = h;
}
