/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Texture and clarity (operations/tessera-detail.c): luminance and alpha of each pixel -> two bilateral grids (tessera-grid-plane.h)
 * -> the colours.  Pixels are R', G', B', A.
 */
#pragma OPENCL FP_CONTRACT OFF

#include "tessera-dialect.h"
#include "tessera-index.h"
#include "tessera-convert.h"
#include "tessera-equalize.h"
#include "tessera-grid.h"
#include "tessera-detail.h"
#include "tessera-pass.h"
#include "tessera-grid-plane.h"

/* One work-item makes one pair, of a pixel of the input.  1 read, 1 write of half as much. */
kernel void grid_pairs (global const float4 *image, int stride, int width, int height, float4 weights, global float2 *pairs)
{
  int    x = get_global_id (0), y = get_global_id (1);
  float4 pixel;

  if (x >= width || y >= height)
    return;
  pixel = image[y * stride + x];
  pairs[y * stride + x] = (float2) (equalize_luminance (pixel.x, pixel.y, pixel.z, weights.x, weights.y, weights.z, 0), pixel.w);
}

/* One work-item makes one pixel, of the input, its pair and both smoothed luminances.  A pixel that gives the grids nothing stays. */
kernel void detail_apply (INPUT_ARGS (float4), global const float2 *pairs, global const float *fine, global const float *coarse,
                          float texture, float clarity, float protect, OUTPUT_ARGS (float4))
{
  int    x = get_global_id (0), y = get_global_id (1);
  int    at = (y + input_top) * input_stride + x + input_left;
  float  l, raised, quotient;
  float4 pixel;

  if (x >= width || y >= height)
    return;
  pixel = input[at];
  l = pairs[at].x;
  raised = detail_raised (l, fine[y * width + x], coarse[y * width + x], texture, clarity, protect);
  quotient = equalize_quotient (raised, l);
  if (grid_weighs (l, pixel.w))
    pixel.xyz = (float3) (detail_scaled (pixel.x, l, raised, quotient), detail_scaled (pixel.y, l, raised, quotient),
                          detail_scaled (pixel.z, l, raised, quotient));
  output[y * width + x] = pixel;
}
