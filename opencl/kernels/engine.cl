/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The engine's own kernels.  They convert pixels from and to the formats in which buffers store them, extend the
 * border of an uploaded band, and put pixels in the order of tiles.
 */
#pragma OPENCL FP_CONTRACT OFF

#include "tessera-dialect.h"
#include "tessera-convert.h"

/* A stored component as a float.  The code of an integer is looked up in `values`. */
static float
load_component (global const uchar *raw, long index, int type, global const float *values)
{
  switch (type)
    {
    case LAYOUT_U8:   return values[raw[index]];
    case LAYOUT_U16:  return values[((global const ushort *) raw)[index]];
    case LAYOUT_HALF: return half_value (((global const ushort *) raw)[index]);
    default:          return ((global const float *) raw)[index];
    }
}

/* Stores a component.  `stored` is near the value that is stored for `value`: the search for the code begins there. */
static void
store_component (float value, float stored, global uchar *raw, long index, int type,
                 global const float *steps)
{
  switch (type)
    {
    case LAYOUT_U8:
      raw[index] = step_index (value, quantised (stored, 255.0f), steps, 255);
      break;
    case LAYOUT_U16:
      ((global ushort *) raw)[index] = step_index (value, quantised (stored, 65535.0f), steps, 65535);
      break;
    case LAYOUT_HALF:
      ((global ushort *) raw)[index] = half_code (stored);
      break;
    default:
      ((global float *) raw)[index] = stored;
    }
}

/* One work-item makes one pixel of `image` from one pixel of `raw`, in the rows `first` to `end` of `raw`.  `image` has
 * layout `to`, RGBA floats, and `stride` pixels in a row; the pixels go to (left, top) and on.  `raw` has layout `from`
 * and `width` pixels in a row.
 *
 * `values` says what the codes of an integer colour mean, and from `alphas` on, what those of alpha mean.  Colours
 * that are not premultiplied are there in the curve of `to` already.  1 read of 1 to 16 bytes, reads of the tables,
 * 1 write of 16 bytes. */
kernel void decode_pixels (global const uchar *raw, int from, global float *image, int to,
                           global const float *values, int alphas,
                           int stride, int left, int top, int width, int first, int end)
{
  const int  x = get_global_id (0), y = first + get_global_id (1);
  const int  type = from & LAYOUT_TYPE;
  const int  colours = from & LAYOUT_GREY ? 1 : 3;
  const int  components = colours + (from & LAYOUT_ALPHA ? 1 : 0);
  const long place = ((long) y * width + x) * components;
  float      pixel[4];

  if (x >= width || y >= end)
    return;
  if (alphas > 0 && (from & LAYOUT_PREMULTIPLIED) == 0)         /* the table has changed the curve */
    from = (from & ~LAYOUT_PERCEPTUAL) | (to & LAYOUT_PERCEPTUAL);
  pixel[0] = load_component (raw, place, type, values);
  pixel[1] = colours == 3 ? load_component (raw, place + 1, type, values) : pixel[0];
  pixel[2] = colours == 3 ? load_component (raw, place + 2, type, values) : pixel[0];
  pixel[3] = components > colours ? load_component (raw, place + colours, type, values + alphas) : 1.0f;
  convert_pixel (pixel, from, to);
  vstore4 ((float4) (pixel[0], pixel[1], pixel[2], pixel[3]),
           (long) (y + top) * stride + x + left, image);
}

/* The way back: one work-item makes one pixel of `raw` (layout `to`) from one of `image` (layout `from`).  Both have
 * `width` pixels in a row.  steps[k] is the least value, in the curve of `from`, that becomes code k; from `alphas` on
 * it is that of alpha.  `weights` are those of R, G, B in luminance, which is a sum of linear light. */
kernel void encode_pixels (global const float *image, int from, global uchar *raw, int to,
                           global const float *steps, int alphas, float4 weights,
                           int width, int height)
{
  const int  x = get_global_id (0), y = get_global_id (1);
  const int  type = to & LAYOUT_TYPE;
  const int  colours = to & LAYOUT_GREY ? 1 : 3;
  const int  components = colours + (to & LAYOUT_ALPHA ? 1 : 0);
  const long place = ((long) y * width + x) * components;
  const int  straight = from & LAYOUT_PERCEPTUAL;
  float      pixel[4], stored[4];
  float4     in;

  if (x >= width || y >= height)
    return;
  in = vload4 ((long) y * width + x, image);
  pixel[0] = in.x;
  pixel[1] = in.y;
  pixel[2] = in.z;
  pixel[3] = in.w;
  if (to & LAYOUT_GREY && ! is_grey (pixel))
    {
      convert_pixel (pixel, from, 0);
      pixel[0] = (weights.x * pixel[0] + weights.y * pixel[1]) + weights.z * pixel[2];
      from = 0;
      if (type == LAYOUT_U8 || type == LAYOUT_U16)      /* the steps are in this curve */
        {
          convert_pixel (pixel, 0, straight);
          from = straight;
        }
    }
  else if ((to & LAYOUT_PREMULTIPLIED) == 0)
    {
      convert_pixel (pixel, from, straight);
      from = straight;
    }
  for (int c = 0; c < 4; c++)
    stored[c] = pixel[c];
  convert_pixel (stored, from, to);
  for (int c = 0; c < colours; c++)     /* of premultiplied colours, steps are those of the stored value */
    store_component (to & LAYOUT_PREMULTIPLIED ? stored[c] : pixel[c], stored[c], raw, place + c, type, steps);
  if (components > colours)
    store_component (pixel[3], stored[3], raw, place + colours, type, steps + alphas);
}

/* One work-item makes one pixel of the rectangle (x0, y0) to (x1, y1), a part of the rim.  (left, top) to
 * (right, bottom) was uploaded.  All ends are exclusive.  border 0: the nearest uploaded pixel; 1: zeros.
 * 1 read, 1 write. */
kernel void extend_pixels (global float *image, int components, int stride,
                           int x0, int y0, int x1, int y1,
                           int left, int top, int right, int bottom, int border)
{
  int  x = x0 + get_global_id (0);
  int  y = y0 + get_global_id (1);
  long to = ((long) y * stride + x) * components;
  long from = ((long) clamp (y, top, bottom - 1) * stride + clamp (x, left, right - 1)) * components;

  if (x >= x1 || y >= y1)
    return;
  for (int c = 0; c < components; c++)
    image[to + c] = border == 0 ? image[from + c] : 0.0f;
}

/* Puts pixels that lie row by row in the order of tiles.  A unit is a pixel or a part of one, of as many bytes as the
 * name says.  A row has `width` units.  A tile has tile_width x tile_height units; there are `down` rows of `across`
 * tiles.  The first unit goes to (left, top) of the first tile.  What has no pixels becomes zeros.  One work-item
 * writes one unit: 1 read, 1 write. */
#define DEFINE_TILE(name, unit)                                                                 \
kernel void name (global const unit *rows, global unit *tiles, int width, int height,           \
                  int tile_width, int tile_height, int left, int top, int across, int down)     \
{                                                                                               \
  const int at_x = get_global_id (0), at_y = get_global_id (1);                                 \
  const int x = at_x - left, y = at_y - top;                                                    \
  const int column = at_x / tile_width, row = at_y / tile_height;                               \
                                                                                                \
  if (column < across && row < down)                                                            \
    tiles[(((long) row * across + column) * tile_height + (at_y - row * tile_height)) * tile_width \
          + (at_x - column * tile_width)]                                                       \
      = x >= 0 && x < width && y >= 0 && y < height ? rows[(long) y * width + x] : (unit) (0);    \
}

DEFINE_TILE (tile_1, uchar)
DEFINE_TILE (tile_4, uint)
DEFINE_TILE (tile_16, uint4)

/* Copies width x height units of one picture into another, both row by row.  Units are as above.  1 read, 1 write. */
#define DEFINE_COPY(name, unit)                                                                 \
kernel void name (global const unit *from, int from_x, int from_y, int from_width,              \
                  global unit *to, int to_x, int to_y, int to_width, int width, int height)     \
{                                                                                               \
  const int x = get_global_id (0), y = get_global_id (1);                                       \
                                                                                                \
  if (x < width && y < height)                                                                  \
    to[(long) (to_y + y) * to_width + to_x + x] = from[(long) (from_y + y) * from_width + from_x + x]; \
}

DEFINE_COPY (copy_1, uchar)
DEFINE_COPY (copy_4, uint)
DEFINE_COPY (copy_16, uint4)

/* For opencl/engine/exact.c: eight results of each pair of n numbers, one work-item a pair.  3 reads and 8 writes of 4 bytes. */
kernel void compute_hard (global const float *numbers, int n, global int *results)
{
  const int i = get_global_id (0);

  if (i < n * n)
    {
      const float a = numbers[i % n], b = numbers[i / n], c = numbers[(i + i / n + 5) % n];
      const float product = a * b;
      global int *to = results + 8 * i;

      to[0] = as_int (a + b);
      to[1] = as_int (a - b);
      to[2] = as_int (product);
      to[3] = as_int (product + c);
      to[4] = as_int (floor (a));
      to[5] = as_int (a > b ? a : b);
      to[6] = as_int (fabs (b - c));
      to[7] = (a < b) | (a <= b) << 1 | (a == b) << 2 | (a != a) << 3;
    }
}
