/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Linear motion blur: out(x, y) = sum over taps of weight * in(x + dx, y + dy).
 * The taps are those of the C path (tessera-motion-blur.c), summed in the same
 * order: groups of TAP_GROUP, then the groups.
 */
#pragma OPENCL FP_CONTRACT OFF

#include "tessera-tap-group.h"

/* One work-item makes one pixel: n_taps reads, 1 write, no local memory.
 * (left, top): the output's first pixel within the input image. */
kernel void motion_blur_gather (global const float4 *input, int input_stride, int left, int top,
                                global float4 *output, int width, int height,
                                global const int2 *offsets, global const float *weights,
                                int n_taps)
{
  int    x = get_global_id (0);
  int    y = get_global_id (1);
  int    here = (y + top) * input_stride + x + left;
  float4 total = (float4) 0.0f;

  if (x >= width || y >= height)
    return;
  for (int first = 0; first < n_taps; first += TAP_GROUP)
    {
      int    end = min (first + TAP_GROUP, n_taps);
      float4 sum = (float4) 0.0f;

      for (int i = first; i < end; i++)
        sum += weights[i] * input[here + offsets[i].y * input_stride + offsets[i].x];
      total += sum;
    }
  output[y * width + x] = total;
}
