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
#include "tessera-pass.h"

#define LANES 32                /* work-items of a unit along a row */
#define LINES 8                 /* rows that a unit takes at a time */

/* How pixels become values, and values bins: VALUE_ARGS of tessera-equalize.c.  bins = high + low: equalize_bin. */
#define VALUE_ARGS int channels, int bins, float4 weights, int is_linear
#define VALUES     { channels, bins, is_linear, bins & ~31, bins & 31, weights }

typedef struct
{
  int    channels, bins, is_linear;
  float  high, low;
  float4 weights;
} Values;

/* The value by which channel c of a pixel is counted and looked up. */
static float
value_of (const Values *v, float4 pixel, int c)
{
  const float4 weights = v->weights;
  float        value;

  if (v->channels == 1)
    return equalize_luminance (pixel.x, pixel.y, pixel.z, weights.x, weights.y, weights.z, v->is_linear);
  value = c == 0 ? pixel.x : c == 1 ? pixel.y : pixel.z;
  return v->is_linear ? perceptual_from_linear (value) : value;
}

static int
bin_of (const Values *v, float value)
{
  return equalize_bin (value, v->bins, v->high, v->low);
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

/* Which tiles a launch counts: tile_rows rows of them from tile_row on, in each `columns` from first_column on, `piece`
 * rows of pixels at a time.  edges_x and edges_y say where tiles begin; they count from the image's origin. */
#define TILES_ARGS global const int *edges_x, global const int *edges_y, int first_column, int columns, int first_row, \
                   int tile_row, int tile_rows, int piece

/* A unit of LANES x LINES work-items counts one channel of `piece` rows of one tile.  The first dimension holds the tiles
 * of a row and their channels, the second holds the pieces, the third holds the rows of tiles.
 *
 * counts[tile][channel][bin] begins with tile first_column of row first_row.  (x0, y0), the band's first pixel, counts
 * from the image's origin.  is_near: `near` has room for the bins.
 *
 * Group: LANES x LINES, or as much of it as the device can take.  1 read of 16 bytes for each pixel and channel,
 * at most 1 atomic addition. */
kernel void equalize_count (global const float *image, int stride, int x0, int y0, int height, TILES_ARGS, VALUE_ARGS,
                            global int *counts, local int *near, int is_near)
{
  const Values values = VALUES;
  const int    unit = get_global_id (0) / LANES;
  const int    column = unit / channels, c = unit % channels, row = tile_row + get_global_id (2);
  const int    items = get_local_size (0) * get_local_size (1);
  const int    item = get_local_id (1) * get_local_size (0) + get_local_id (0);
  const int    is_tile = column < columns && (int) get_global_id (2) < tile_rows;
  const int    first = is_tile ? edges_y[row] + (int) (get_global_id (1) / LINES) * piece : 0;
  const int    end = is_tile ? min (min (edges_y[row + 1], first + piece), y0 + height) : 0;
  const int    left = is_tile ? edges_x[first_column + column] : 0;
  const int    right = is_tile ? edges_x[first_column + column + 1] : 0;
  global int  *far = counts + (((long) (row - first_row) * columns + column) * channels + c) * bins;
  int          bin = 0, run = 0;        /* pixels of one bin, one after another, are added together */

  for (int b = item; is_near && b < bins; b += items)
    near[b] = 0;
  barrier (CLK_LOCAL_MEM_FENCE);
  for (int y = first + (int) get_global_id (1) % LINES; y < end; y += LINES)
    for (int x = left + (int) get_global_id (0) % LANES; x < right && y >= y0; x += LANES)
      {
        const float4 pixel = vload4 ((long) (y - y0) * stride + x - x0, image);
        const float  v = value_of (&values, pixel, c);
        const int    here = v == v && pixel.w != 0.0f ? bin_of (&values, v) : -1;

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

/* A component of a pixel whose luminance v becomes m. */
static float
scaled (const Values *v, float component, float luminance, float m, float quotient)
{
  return v->is_linear ? equalize_scaled_light (component, luminance, m, quotient)
                      : equalize_scaled (component, luminance, m, quotient);
}

static float4
with_luminance (const Values *v, float4 pixel, float luminance, float m)
{
  const float quotient = equalize_quotient (m, luminance);

  pixel.x = scaled (v, pixel.x, luminance, m, quotient);
  pixel.y = scaled (v, pixel.y, luminance, m, quotient);
  pixel.z = scaled (v, pixel.z, luminance, m, quotient);
  return pixel;
}

static float4
with_channel (const Values *v, float4 pixel, int c, float m)
{
  const float component = v->is_linear ? linear_from_perceptual (m) : m;

  return c == 0 ? (float4) (component, pixel.yzw)
         : c == 1 ? (float4) (pixel.x, component, pixel.zw) : (float4) (pixel.xy, component, pixel.w);
}

/* Bit c of `mapped` is set if channel c has tables.  is_local: each tile has, and places_x and places_y say which a
 * pixel uses; else the image has one set. */
#define TABLES_ARGS global const int *places_x, global const int *places_y, global const float *tables, \
                    int first_row, int columns, int is_local, int mapped

/* One work-item makes one pixel.  (x0, y0) is the band's first pixel, counted from the image's origin.  1 read, 1 write,
 * 1 or 4 reads of tables for each channel. */
kernel void equalize_map (INPUT_ARGS (float), int x0, int y0, TABLES_ARGS, VALUE_ARGS, OUTPUT_ARGS (float))
{
  const Values values = VALUES;
  const int    x = get_global_id (0), y = get_global_id (1);
  const int    tile_size = channels * bins;
  float4       pixel;

  if (x >= width || y >= height)
    return;
  pixel = vload4 ((long) (input_top + y) * input_stride + input_left + x, input);
  for (int c = 0; c < channels; c++)
    {
      const float v = value_of (&values, pixel, c);
      const int   at = c * bins + bin_of (&values, v);
      float       m;

      if (v != v || (mapped & (1 << c)) == 0)
        continue;
      m = is_local ? mapped_between (tables, places_x + 3 * (x0 + x), places_y + 3 * (y0 + y), first_row,
                                     (long) columns * tile_size, tile_size, at)
                   : tables[at];
      pixel = channels == 1 ? with_luminance (&values, pixel, v, m) : with_channel (&values, pixel, c, m);
    }
  vstore4 (pixel, (long) y * width + x, output);
}
