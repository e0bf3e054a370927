/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The template filter: a 3x3 binomial blur, mixed with the image.
 * TEMPLATE: say here what is computed.
 */
#pragma OPENCL FP_CONTRACT OFF

#include "tessera-pass.h"

/* TEMPLATE: the formula, [1 2 1]/4, as in C. */
static float4
binomial_3 (float4 before, float4 here, float4 after)
{
  return ((before + after) + 2.0f * here) * 0.25f;
}

/* TEMPLATE: head of a kernel: what one work-item makes, group, local bytes, reads and writes a pixel.
 * One work-item makes one pixel; any group; no local memory; 9 reads, 1 write. */
kernel void template_blur (INPUT_ARGS (float4), OUTPUT_ARGS (float4), float strength)
{
  int    x = get_global_id (0);
  int    y = get_global_id (1);
  float4 here, rows[3], blurred;

  if (x >= width || y >= height)        /* launches are rounded up */
    return;
  input += (y + input_top) * input_stride + x + input_left;
  here = input[0];
  for (int dy = -1; dy <= 1; dy++)
    rows[dy + 1] = binomial_3 (input[dy * input_stride - 1], input[dy * input_stride], input[dy * input_stride + 1]);
  blurred = binomial_3 (rows[0], rows[1], rows[2]);
  output[y * width + x] = strength == 0.0f ? here : here + strength * (blurred - here);
}
