/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What the engine itself runs: pixels from and to the formats in which buffers
 * store them, and the border around an uploaded band.
 */
#pragma OPENCL FP_CONTRACT OFF

#include "tessera-dialect.h"
#include "tessera-convert.h"

/* A component as it is stored: an integer's code is looked up. */
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

/* `stored`: about what `value` becomes, for the guess. */
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

/* One work-item makes one pixel of `image` (layout `to`: RGBA floats), `stride`
 * pixels a row, at (left, top), from one of `raw` (layout `from`, `width` pixels a
 * row).  `values`: what the codes of an integer colour mean, in the curve of `to` where
 * they are not premultiplied, then, from `alphas` on, those of alpha.  1 read of 1 to 16 bytes, table
 * reads, 1 write of 16. */
kernel void decode_pixels (global const uchar *raw, int from, global float *image, int to,
                           global const float *values, int alphas,
                           int stride, int left, int top, int width, int height)
{
  const int  x = get_global_id (0), y = get_global_id (1);
  const int  type = from & LAYOUT_TYPE;
  const int  colours = from & LAYOUT_GREY ? 1 : 3;
  const int  components = colours + (from & LAYOUT_ALPHA ? 1 : 0);
  const long place = ((long) y * width + x) * components;
  float      pixel[4];

  if (x >= width || y >= height)
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

/* The way back: one pixel of `raw` (layout `to`) from one of `image` (layout
 * `from`, both `width` pixels a row).  `steps`: from which value on a colour, in the
 * curve of `from`, becomes an integer code; then, from `alphas` on, those of alpha.
 * `weights`: of R, G, B in luminance, which is a sum of linear light. */
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
  for (int c = 0; c < colours; c++)     /* premultiplied, a step is one of the stored value itself */
    store_component (to & LAYOUT_PREMULTIPLIED ? stored[c] : pixel[c], stored[c], raw, place + c, type, steps);
  if (components > colours)
    store_component (pixel[3], stored[3], raw, place + colours, type, steps + alphas);
}

/* One work-item makes one pixel of the rim rectangle (x0, y0) to (x1, y1).
 * (left, top) to (right, bottom) is what was uploaded; all ends exclusive.
 * border 0: the nearest uploaded pixel; 1: zero.  1 read, 1 write. */
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

/* Pixels that lie row by row (`width` units of the named bytes a row) put in the order of tiles, of
 * tile_width x tile_height units, `across` in a row of them and `down` rows; the first unit lies at (left, top) of
 * the first tile.  Zeros where a tile has no pixels.  One work-item writes one unit: 1 read, 1 write. */
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
