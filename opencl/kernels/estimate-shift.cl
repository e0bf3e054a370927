/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The shifts of some frames (operations/sequences/shift.h): bad pixels, softening, projections, which pixels are used, their sums.  The same floats in the
 * same order as in C.  The host adds the sums of the tiles and decides on the next steps (operations/sequences/estimate-shift-device.c).
 *
 * The third dimension of a launch is the frame, or what is asked of one.  What is made of frames lies one frame behind the other, `pixels` apart.
 */
#pragma OPENCL FP_CONTRACT OFF

#include "tessera-dialect.h"
#include "tessera-median-networks.h"
#include "tessera-shift.h"
#include "estimate-shift-middle.h"

#define HOT 4                   /* pixels that a work-item looks at: operations/sequences/estimate-shift-prepare.c */

/* What is asked of a frame: ShiftQuery in operations/sequences/estimate-shift-device.c. */
typedef struct
{
  int    frame, x, y, is_fresh;
  float4 taps_x, taps_y;
  float  threshold;
  int    spare[3];
} Query;

#include "estimate-shift-medians.h"

/* ------------------------------------------------------------------ one frame -- */

/* Is it hot?  Beyond the edge the neighbour across counts. */
static int
is_hot (global const float *input, int stride, float saturation, float median, float threshold, int x, int y, int width, int height)
{
  const long above = (long) (y > 0 ? y - 1 : 1) * stride + x, here = (long) y * stride, below = (long) (y + 1 < height ? y + 1 : y - 1) * stride + x;
  const int  left = x > 0 ? x - 1 : 1, right = x + 1 < width ? x + 1 : x - 1;

  return shift_is_hot (input[here + x], median, threshold, clean_pixel (input[above], saturation), clean_pixel (input[here + left], saturation),
                       clean_pixel (input[here + right], saturation), clean_pixel (input[below], saturation));
}

/* Makes the excess of hot pixels NaN, as that of other bad ones is.  A work-item looks at HOT of them, one below another; any group; for each 1 read of a
 * float; where it is above the threshold 6 more.  The first frame of the input is frame `from`. */
kernel void shift_hot (global const float *input, int stride, float saturation, global const float *medians, global float *excesses, int from, int width,
                       int height, global const float *thresholds)
{
  const int   x = get_global_id (0), top = get_global_id (1) * HOT, frame = from + get_global_id (2);
  const long  first = (long) frame * width * height;
  const float threshold = thresholds[frame];
  float       above[HOT];

  if (x >= width || top >= height || width < 2 || height < 2)   /* below it would read what others write */
    return;
  input += (long) get_global_id (2) * height * stride;
  for (int k = 0; k < HOT; k++)
    above[k] = excesses[first + (long) min (top + k, height - 1) * width + x];
  for (int k = 0; k < HOT; k++)
    {
      const long here = first + (long) (top + k) * width + x;

      if (top + k < height && above[k] > threshold && is_hot (input, stride, saturation, medians[here], threshold, x, top + k, width, height))
        excesses[here] = NAN;
    }
}

/* A tile with what its pixels touch around it. */
#define AROUND     5
#define ALL_WIDTH  (SHIFT_TILE_WIDTH + AROUND)
#define ALL_HEIGHT (SHIFT_TILE_HEIGHT + AROUND)
#define BEFORE     2            /* of AROUND, to the left and above */
#define ROWS       ((1u << SHIFT_TILE_HEIGHT) - 1)      /* a bit for each row of a tile */

/* Reads a tile and what lies around it, where beyond the edge the nearest pixel counts: 0 where one is bad, and for each column a bit for each row where
 * one is, if it is no repeated one.  `judged`: bad ones have an excess of NaN; else they are no numbers, or saturated.  All items of a group. */
static void
read_tile (global const float *input, int stride, float saturation, global const float *excesses, int judged, int left, int top, int width, int height,
           local float *pixels, local uint *bad)
{
  for (int i = get_local_id (0); i < ALL_WIDTH; i += get_local_size (0))
    bad[i] = 0;
  barrier (CLK_LOCAL_MEM_FENCE);
  for (int i = get_local_id (0); i < ALL_WIDTH * ALL_HEIGHT; i += get_local_size (0))
    {
      const int   row = i / ALL_WIDTH, column = i - row * ALL_WIDTH, x = left + column - BEFORE, y = top + row - BEFORE;
      const int   at_x = clamp (x, 0, width - 1), at_y = clamp (y, 0, height - 1);
      const long  here = (long) at_y * width + at_x;
      const float pixel = input[(long) at_y * stride + at_x];
      const int   is_usable = judged ? ! isnan (excesses[here]) : is_good (pixel, saturation);

      pixels[i] = is_usable ? pixel : 0.0f;
      if (! is_usable && x == at_x && y == at_y)
        atomic_or (bad + column, 1u << row);
    }
  barrier (CLK_LOCAL_MEM_FENCE);
}

/* For each row of a tile's column a bit: does a bad pixel lie within 3x3?  `bad` begins BEFORE columns before it. */
static uint
near_bad (local const uint *bad)
{
  const uint near = bad[1] | bad[2] | bad[3];

  return (near >> 1 | near >> 2 | near >> 3) & ROWS;
}

/* ... within 3x3 of the pixel or of its four neighbours? */
static uint
near_reference (local const uint *bad)
{
  const uint near = bad[1] | bad[2] | bad[3], beside = bad[0] | bad[4] | near;

  return (near | near >> 4 | beside >> 1 | beside >> 2 | beside >> 3) & ROWS;
}

/* ... within 3x3 of the 16 taps behind a place that begins here? */
static uint
near_taps (local const uint *bad)
{
  const uint all = bad[0] | bad[1] | bad[2] | bad[3] | bad[4] | bad[5];

  return (all | all >> 1 | all >> 2 | all >> 3 | all >> 4 | all >> 5) & ROWS;
}

/* Halves sums that lie SHIFT_TILE_WIDTH apart, `n` of them, until the first of each is its sum: the left half gets the right half.  All items of a group.
 * Twice at a time, with half the barriers, it makes the sums of tiles take 1.1 times as long (H100, 2026-11-27). */
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

/* What a tile adds to the projections: sums of columns, behind those of all tiles the sums of rows; and how many pixels of each column and row are not
 * counted.  `values` is lost.  All items of a group. */
static void
project_tile (local float *values, local const uint *near, global float *sums, global int *missing, int tile, int width, int height, int across, int down)
{
  const int left = tile % across * SHIFT_TILE_WIDTH, top = tile / across * SHIFT_TILE_HEIGHT, rows = min (SHIFT_TILE_HEIGHT, height - top);

  for (int column = get_local_id (0); column < min (SHIFT_TILE_WIDTH, width - left); column += get_local_size (0))
    {
      const uint touched = near[column];
      float      sum = 0.0f;

      for (int row = 0; row < SHIFT_TILE_HEIGHT; row++)
        sum += values[row * SHIFT_TILE_WIDTH + column];
      sums[tile / across * width + left + column] = sum;
      for (int row = 0; touched && row < rows; row++)
        if (touched >> row & 1)
          {
            atomic_inc (missing + left + column);
            atomic_inc (missing + width + top + row);
          }
    }
  halve (values, SHIFT_TILE_HEIGHT);
  for (int row = get_local_id (0); row < rows; row += get_local_size (0))
    sums[down * width + (top + row) * across + tile % across] = values[row * SHIFT_TILE_WIDTH];
}

/* What bad pixels a tile touches: a bit for each row, column by column, `near` of the tile's own and `touched` of what is asked of
 * a reference or of other frames; `touched` begins with the tile's first column, of which there are `columns`.  All items. */
static void
touch_tile (local const uint *bad, local uint *near, global ushort *touched, int columns, int is_reference)
{
  for (int column = get_local_id (0); column < SHIFT_TILE_WIDTH; column += get_local_size (0))
    {
      near[column] = near_bad (bad + column);
      if (column < columns)
        touched[column] = is_reference ? near_reference (bad + column) : near_taps (bad + column);
    }
  barrier (CLK_LOCAL_MEM_FENCE);
}

/* The 3x3 pixels from `p` on, softened. */
static float
soften (local const float *p)
{
  float three[3];

  for (int k = 0; k < 3; k++)
    three[k] = shift_soften (p[k], p[k + ALL_WIDTH], p[k + 2 * ALL_WIDTH]);
  return shift_soften (three[0], three[1], three[2]);
}

/* One group softens one tile of a frame and says what bad pixels it touches (touch_tile).  Its parameters, a line each: frames as
 * they came, of which the first of the launch is frame `at`, and what is bad there (read_tile); what is made of them, from frame
 * `from` on; `keeps`: the pixels too, for others, NaN where one is bad; `projects`: sums for the projections too, and how many
 * pixels they lack, from `missing_at` on, where 0 stands; pixels and tiles of a frame; ALL_WIDTH times ALL_HEIGHT floats, a tile
 * of floats, and uints for both widths.  Any group; for each pixel 3 reads of a float, 1 write, and 1 of one that is kept. */
kernel void shift_soften_tiles (global const float *input, int stride, int at, global const float *excesses, int judged, float saturation,
                                global float *soft, global ushort *touched, int is_reference, int from,
                                global float *kept, int keeps,
                                global float *sums, int missing_at, int projects,
                                int width, int height, int across, int down,
                                local float *pixels, local float *values, local uint *bad, local uint *near)
{
  const int  tile = get_global_id (0) / get_local_size (0), left = tile % across * SHIFT_TILE_WIDTH, top = tile / across * SHIFT_TILE_HEIGHT;
  const int  frame = from + get_global_id (2);
  const long first = (long) frame * width * height;

  if (tile >= across * down)
    return;
  read_tile (input + (at + (long) get_global_id (2)) * height * stride, stride, saturation, excesses + first, judged, left, top, width, height, pixels,
             bad);
  touch_tile (bad, near, touched + ((long) frame * down + tile / across) * width + left, width - left, is_reference);
  for (int i = get_local_id (0); i < SHIFT_TILE_WIDTH * SHIFT_TILE_HEIGHT; i += get_local_size (0))
    {
      const int          column = i % SHIFT_TILE_WIDTH, row = i / SHIFT_TILE_WIDTH, x = left + column, y = top + row;
      local const float *p = pixels + row * ALL_WIDTH + column + (BEFORE - 1) * (ALL_WIDTH + 1);
      const long         here = (long) y * width + x;
      const float        value = soften (p);

      values[i] = x < width && y < height && ! (near[column] >> row & 1) ? value : 0.0f;
      if (x >= width || y >= height)
        continue;
      soft[first + here] = value;
      if (keeps)
        kept[here] = bad[column + BEFORE] >> (row + BEFORE) & 1 ? NAN : p[ALL_WIDTH + 1];
    }
  barrier (CLK_LOCAL_MEM_FENCE);
  if (projects)
    project_tile (values, near, sums + (long) frame * (down * width + height * across), (global int *) sums + missing_at + frame * (width + height), tile,
                  width, height, across, down);
}

#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#include "tessera-shift-mean.h"

/* The means of columns, then of rows, of a frame for each item of the third dimension, from what project_tile left: its sums in the order of the tiles, in double.
 * A work-item makes one mean; any group; a read of a float for each tile along it, of an int; a write of a double. */
kernel void shift_add_projections (global const float *sums, int missing_at, int width, int height, int across, int down, global double *means)
{
  const int           i = get_global_id (0), frame = get_global_id (2), is_row = i >= width;
  const int           n = is_row ? across : down, step = is_row ? 1 : width, all = is_row ? width : height;
  global const float *from = sums + (long) frame * (down * width + height * across) + (is_row ? down * width + (i - width) * across : i);
  double              sum = 0.0;

  if (i >= width + height)
    return;
  for (int k = 0; k < n; k++)
    sum += from[k * step];
  means[(long) frame * (width + height) + i] = shift_mean (sum, all - ((global const int *) sums)[missing_at + frame * (width + height) + i]);
}
#endif

/* ------------------------------------------------------------------- the steps -- */

/* The rows of a tile, as bits, from row `from` of the frame to the one before `to`. */
static uint
rows_between (int from, int to, int top)
{
  const int first = clamp (from - top, 0, SHIFT_TILE_HEIGHT), end = clamp (to - top, first, SHIFT_TILE_HEIGHT);

  return (1u << end) - (1u << first);
}

/* Which pixels can be used, where the whole part of the shift is (x, y), as bits.  A work-item looks at one column of a tile; any group; 3 reads and 1
 * write of a ushort. */
kernel void shift_choose (global const ushort *in_reference, global const ushort *in_frames, global ushort *usable, int width, int height, int down,
                          global const Query *queries, global int *n_steep)
{
  const Query query = queries[get_global_id (2)];
  const int   x = get_global_id (0), tile = get_global_id (1), u = x + query.x, v = tile * SHIFT_TILE_HEIGHT + query.y;
  const long  first = (long) query.frame * down * width;
  uint        bits = 0;

  if (x >= width || tile >= down)
    return;
  if (x == 0 && tile == 0)
    n_steep[query.frame] = 0;
  if (x >= SHIFT_RIM && x < width - SHIFT_RIM && u >= 1 && u < width - 2)
    {
      const int  above = v >> SHIFT_TILE_ROW_BITS;              /* v may be negative */
      const uint here = above >= 0 && above < down ? in_frames[first + above * width + u] : 0;
      const uint below = above >= -1 && above + 1 < down ? in_frames[first + (above + 1) * width + u] : 0;
      const uint touched = (here | below << SHIFT_TILE_HEIGHT) >> (v & (SHIFT_TILE_HEIGHT - 1));

      bits = rows_between (max (SHIFT_RIM, 1 - query.y), min (height - SHIFT_RIM, height - 2 - query.y), tile * SHIFT_TILE_HEIGHT)
             & ~touched & ~(uint) in_reference[tile * width + x];
    }
  usable[first + tile * width + x] = bits;
}

/* Says which are steep, and counts them; a work-item looks at one column of a tile; any group; 1 int of local memory; for each pixel some 3.5 reads of a
 * float; 1 read and 1 write of a ushort. */
kernel void shift_mark (global const float *soft, global const ushort *usable, global ushort *steep, int width, int height, int down,
                        global const Query *queries, global int *n_steep, local int *near)
{
  const int  x = get_global_id (0), tile = get_global_id (1), is_first = get_local_id (0) + get_local_id (1) == 0;
  const int  frame = queries[get_global_id (2)].frame, is_inside = x < width && tile < down;
  const long at = ((long) frame * down + tile) * width + x;

  if (is_first)
    *near = 0;
  barrier (CLK_LOCAL_MEM_FENCE);
  if (is_inside && queries[get_global_id (2)].is_fresh)
    {
      const float threshold = queries[get_global_id (2)].threshold;
      const uint  bits = usable[at];
      uint        found = 0;

      for (int top = 0; bits && top < SHIFT_TILE_HEIGHT; top += SLOPES)
        {
          float h[SLOPES], g[SLOPES];

          find_slopes (soft, width, height, x, tile * SHIFT_TILE_HEIGHT + top, h, g);
          for (int k = 0; k < SLOPES; k++)
            found |= shift_is_steep (h[k], g[k], threshold) ? 1u << (top + k) : 0;
        }
      steep[at] = found & bits;
      if (found & bits)
        atomic_add (near, popcount (found & bits));
    }
  barrier (CLK_LOCAL_MEM_FENCE);
  if (is_first && *near > 0)
    atomic_add (n_steep + frame, *near);
}

/* What the pixels of one column of a tile add to its sums, those whose bits are set. */
static void
sum_column (global const float *reference, global const float *frame, uint bits, int width, int x, int top, const Query *query, local float *to)
{
  const float4 wx = query->taps_x, wy = query->taps_y;
  float        p = 0.0f, q = 0.0f, u = 0.0f, v = 0.0f, w = 0.0f, squares = 0.0f, n = 0.0f;

  for (; bits; bits &= bits - 1)
    {
      const int           y = top + 31 - (int) clz (bits & -bits);
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
 * SHIFT_TILE_WIDTH floats of local memory; for each column 1 read of a ushort, for each pixel that counts 21 of a float; SHIFT_SUMS writes. */
kernel void shift_sum_tiles (global const float *reference, global const float *frames, global const ushort *usable, global const ushort *steep, int width,
                             int height, global const Query *queries, global const int *n_steep, int fewest, global float *tiles, int across, int down,
                             local float *sums)
{
  const int   tile = get_global_id (0) / get_local_size (0), left = tile % across * SHIFT_TILE_WIDTH, row = tile / across;
  const Query query = queries[get_global_id (2)];
  global const ushort *wanted = (n_steep[query.frame] >= fewest ? steep : usable) + ((long) query.frame * down + row) * width + left;

  if (tile >= across * down)
    return;
  for (int column = get_local_id (0); column < SHIFT_TILE_WIDTH; column += get_local_size (0))
    sum_column (reference, frames + (long) query.frame * width * height, left + column < width ? wanted[column] : 0, width, left + column,
                row * SHIFT_TILE_HEIGHT, &query, sums + column);
  halve (sums, SHIFT_SUMS);
  for (int k = get_local_id (0); k < SHIFT_SUMS; k += get_local_size (0))
    tiles[((long) get_global_id (2) * across * down + tile) * SHIFT_SUMS + k] = sums[k * SHIFT_TILE_WIDTH];
}
