/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The template filter: a 3x3 binomial blur, mixed with the image.
 * TEMPLATE: say here what is computed.
 */
#pragma OPENCL FP_CONTRACT OFF

#include "tessera-pass.h"

/* TEMPLATE: the formula, [1 2 1]/4, word for word as in C. */
static float
binomial_3 (float before, float here, float after)
{
  return ((before + after) + 2.0f * here) * 0.25f;
}

static float
blurred (global const float *above, int stride)
{
  float top    = binomial_3 (above[0], above[4], above[8]);
  float middle = binomial_3 (above[4 * stride], above[4 * stride + 4], above[4 * stride + 8]);
  float bottom = binomial_3 (above[8 * stride], above[8 * stride + 4], above[8 * stride + 8]);

  return binomial_3 (top, middle, bottom);
}

/* TEMPLATE: head of a kernel: what one work-item makes, group, local bytes,
 * reads and writes a pixel.
 * One work-item makes one pixel; any group; no local memory; 9 reads, 1 write. */
kernel void template_blur (INPUT_ARGS (float), OUTPUT_ARGS (float), float strength)
{
  int x = get_global_id (0);
  int y = get_global_id (1);

  if (x >= width || y >= height)
    return;
  for (int c = 0; c < 4; c++)
    {
      global const float *above = input + 4 * ((y + input_top - 1) * input_stride + x + input_left - 1) + c;
      float               here = above[4 * input_stride + 4];

      output[4 * (y * width + x) + c] = strength == 0.0f ? here : here + strength * (blurred (above, input_stride) - here);
    }
}
