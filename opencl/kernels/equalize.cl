/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Histogram equalisation (operations/tessera-equalize.c).  One kernel counts the values of pixels.  The host makes
 * tables of the counts.  Another kernel looks the pixels up in the tables.  Images are R'G'B'A floats, or RGBA if
 * is_linear.
 */
#pragma OPENCL FP_CONTRACT OFF

#include "tessera-dialect.h"
#include "tessera-index.h"
#include "tessera-convert.h"
#include "tessera-equalize.h"

#define LANES 32                /* work-items of a unit along a row */
#define LINES 8                 /* rows that a unit takes at a time */

/* The value by which channel c of a pixel is counted and looked up. */
static float
value_of (float4 pixel, int channels, int c, float4 weights, int is_linear)
{
  float value;

  if (channels == 1)
    return equalize_luminance (pixel.x, pixel.y, pixel.z, weights.x, weights.y, weights.z, is_linear);
  value = c == 0 ? pixel.x : c == 1 ? pixel.y : pixel.z;
  return is_linear ? perceptual_from_linear (value) : value;
}

static void
add_pixels (local int *near, global int *far, int is_near, int bin, int n)
{
  if (n == 0)
    return;
  if (is_near)
    atomic_add (near + bin, n);
  else
    atomic_add (far + bin, n);
}

/* A unit of LANES x LINES work-items counts one channel of `piece` rows of one tile.  The first dimension holds
 * the tiles of a row and their channels, the second holds the pieces, the third holds the rows of tiles from
 * `tile_row` on.
 *
 * counts[tile][channel][bin] begins with tile first_column of row first_row and has `columns` tiles in a row.
 * edges_x and edges_y say where tiles begin.  Like (x0, y0), the band's first pixel, they count from the image's
 * origin.  is_near: `near` has room for the bins.
 *
 * Group: LANES x LINES, or as much of it as the device can take.  1 read of 16 bytes for each pixel and channel,
 * at most 1 atomic addition. */
kernel void equalize_count (global const float *image, int stride, int x0, int y0, int height,
                            global const int *edges_x, global const int *edges_y,
                            int first_column, int columns, int first_row, int tile_row, int tile_rows, int piece,
                            int channels, int bins, float4 weights, int is_linear,
                            global int *counts, local int *near, int is_near)
{
  const int   unit = get_global_id (0) / LANES;
  const int   column = unit / channels, c = unit % channels, row = tile_row + get_global_id (2);
  const int   items = get_local_size (0) * get_local_size (1);
  const int   item = get_local_id (1) * get_local_size (0) + get_local_id (0);
  const int   is_tile = column < columns && (int) get_global_id (2) < tile_rows;
  const float high = bins & ~31, low = bins & 31;
  const int   first = is_tile ? edges_y[row] + (int) (get_global_id (1) / LINES) * piece : 0;
  const int   end = is_tile ? min (min (edges_y[row + 1], first + piece), y0 + height) : 0;
  const int   right = is_tile ? edges_x[first_column + column + 1] : 0;
  global int *far = counts + (((long) (row - first_row) * columns + column) * channels + c) * bins;
  int         bin = 0, run = 0;

  for (int b = item; is_near && b < bins; b += items)
    near[b] = 0;
  barrier (CLK_LOCAL_MEM_FENCE);
  for (int y = first + (int) get_global_id (1) % LINES; y < end; y += LINES)
    for (int x = (is_tile ? edges_x[first_column + column] : 0) + (int) get_global_id (0) % LANES;
         x < right && y >= y0; x += LANES)
      {
        const float4 pixel = vload4 ((long) (y - y0) * stride + x - x0, image);
        const float  v = value_of (pixel, channels, c, weights, is_linear);
        const int    here = v == v && pixel.w != 0.0f ? equalize_bin (v, bins, high, low) : -1;

        if (here >= 0 && here != bin)
          {
            add_pixels (near, far, is_near, bin, run);
            bin = here;
            run = 0;
          }
        run += here >= 0 ? 1 : 0;
      }
  add_pixels (near, far, is_near, bin, run);
  barrier (CLK_LOCAL_MEM_FENCE);
  for (int b = item; is_near && is_tile && b < bins; b += items)
    if (near[b])
      atomic_add (far + b, near[b]);
}

/* Puts the pixels of a band where those of the image stay.  One work-item copies one pixel. */
kernel void equalize_keep (global const float *image, int stride, int width, int height, global float *kept, int y0)
{
  const int x = get_global_id (0), y = get_global_id (1);

  if (x < width && y < height)
    vstore4 (vload4 ((long) y * stride + x, image), (long) (y0 + y) * width + x, kept);
}

/* Interpolates between the tables of four tiles.  A place (`across`, `down`) is three ints: the tile, 1 if there is a
 * next tile, and the fraction of the way to it as a float's bits.  `offset` is that of channel and bin in a table. */
static float
mapped_between (global const float *tables, global const int *across, global const int *down,
                int first_row, long row_size, int tile_size, int offset)
{
  const long  above = (down[0] - first_row) * row_size + (long) across[0] * tile_size + offset;
  const long  below = above + down[1] * row_size;
  const int   next = across[1] * tile_size;
  const float fraction = as_float (across[2]);

  return equalize_mix (equalize_mix (tables[above], tables[above + next], fraction),
                       equalize_mix (tables[below], tables[below + next], fraction), as_float (down[2]));
}

/* One work-item makes one pixel.  (x0, y0) is the band's first pixel, counted from the image's origin; (left, top) is
 * the same in `image`.  is_local:
 * each tile has tables, and places_x and places_y say which a pixel uses; else the image has one set.  Bit c of
 * `mapped` is set if channel c has tables.  1 read, 1 write, 1 or 4 reads of tables for each channel. */
kernel void equalize_map (global const float *image, int stride, int left, int top, int x0, int y0,
                          global const int *places_x, global const int *places_y,
                          global const float *tables, int first_row, int columns, int is_local,
                          int channels, int bins, int mapped, float4 weights, int is_linear,
                          global float *out, int width, int height)
{
  const int   x = get_global_id (0), y = get_global_id (1);
  const int   tile_size = channels * bins;
  const float high = bins & ~31, low = bins & 31;
  float4      pixel;

  if (x >= width || y >= height)
    return;
  pixel = vload4 ((long) (top + y) * stride + left + x, image);
  for (int c = 0; c < channels; c++)
    {
      const float v = value_of (pixel, channels, c, weights, is_linear);
      const int   at = c * bins + equalize_bin (v, bins, high, low);
      float       m;

      if (v != v || (mapped & (1 << c)) == 0)
        continue;
      m = is_local ? mapped_between (tables, places_x + 3 * (x0 + x), places_y + 3 * (y0 + y), first_row,
                                     (long) columns * tile_size, tile_size, at)
                   : tables[at];
      if (channels == 1)
        {
          const float quotient = equalize_quotient (m, v);

          pixel.x = is_linear ? equalize_scaled_light (pixel.x, v, m, quotient)
                              : equalize_scaled (pixel.x, v, m, quotient);
          pixel.y = is_linear ? equalize_scaled_light (pixel.y, v, m, quotient)
                              : equalize_scaled (pixel.y, v, m, quotient);
          pixel.z = is_linear ? equalize_scaled_light (pixel.z, v, m, quotient)
                              : equalize_scaled (pixel.z, v, m, quotient);
          continue;
        }
      m = is_linear ? linear_from_perceptual (m) : m;
      if (c == 0)
        pixel.x = m;
      else if (c == 1)
        pixel.y = m;
      else
        pixel.z = m;
    }
  vstore4 (pixel, (long) y * width + x, out);
}
