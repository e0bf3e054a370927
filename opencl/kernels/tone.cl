/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Shadows, highlights and HDR (operations/tessera-tone.c): light in stops and alpha of each pixel -> a bilateral grid
 * (tessera-grid-plane.h) -> the colours.  Pixels are linear R, G, B, A.  A survey counts the stops of the whole image.
 */
#pragma OPENCL FP_CONTRACT OFF

#include "tessera-dialect.h"
#include "tessera-index.h"
#include "tessera-convert.h"
#include "tessera-equalize.h"
#include "tessera-log.h"
#include "tessera-grid.h"
#include "tessera-tone.h"
#include "tessera-pass.h"
#include "tessera-grid-plane.h"

static float
light_of (float4 pixel, float4 weights)
{
  return tone_light (pixel.x, pixel.y, pixel.z, weights.x, weights.y, weights.z);
}

/* Counts the stops of width x height pixels, from (left, top) on.  A group takes every n-th row, n the number of groups of `items` in all:
 * the engine may launch them in parts, and no pixel is counted twice.  local: TONE_BINS ints; 1 read a pixel, 1 atomic addition. */
kernel void tone_count (global const float4 *image, int stride, int left, int top, int width, int height, float4 weights,
                        global int *counts, int items)
{
  local int near[TONE_BINS];

  for (int b = get_local_id (0); b < TONE_BINS; b += get_local_size (0))
    near[b] = 0;
  barrier (CLK_LOCAL_MEM_FENCE);
  for (int y = get_global_id (0) / get_local_size (0); y < height; y += items / get_local_size (0))
    for (int x = get_local_id (0); x < width; x += get_local_size (0))
      {
        float4 pixel = image[(y + top) * stride + x + left];
        float  light = light_of (pixel, weights);

        if (tone_counts (light, pixel.w) && pixel.w > 0.0f)
          atomic_add (near + tone_bin (tone_stops (light)), 1);
      }
  barrier (CLK_LOCAL_MEM_FENCE);
  for (int b = get_local_id (0); b < TONE_BINS; b += get_local_size (0))
    if (near[b])
      atomic_add (counts + b, near[b]);
}

/* One work-item makes one pair, of a pixel of the input.  1 read, 1 write of half as much. */
kernel void grid_pairs (global const float4 *image, int stride, int width, int height, float4 weights, global float2 *pairs)
{
  int    x = get_global_id (0), y = get_global_id (1);
  float4 pixel;
  float  light;

  if (x >= width || y >= height)
    return;
  pixel = image[y * stride + x];
  light = light_of (pixel, weights);
  pairs[y * stride + x] = (float2) (tone_stops (light), tone_counts (light, pixel.w) ? pixel.w : 0.0f);
}

/* One work-item makes one pixel, of the input, its pair and its base.  A pixel that gives the grid nothing stays. */
kernel void tone_apply (INPUT_ARGS (float4), global const float2 *pairs, global const float *bases, float4 weights, float slope,
                        float offset, float compression, float shadows, float highlights, float detail, OUTPUT_ARGS (float4))
{
  int    x = get_global_id (0), y = get_global_id (1);
  int    at = (y + input_top) * input_stride + x + input_left;
  float4 pixel;

  if (x >= width || y >= height)
    return;
  pixel = input[at];
  if (pairs[at].y != 0.0f)
    pixel.xyz *= tone_factor (light_of (pixel, weights), pairs[at].x, bases[y * width + x], slope, offset, compression, shadows,
                              highlights, detail);
  output[y * width + x] = pixel;
}
