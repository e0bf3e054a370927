/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Linear motion blur: out(x, y) = sum over taps of weight * in(x + dx, y + dy).
 * The taps and their order are those of the C path (tessera-motion-blur.c).  Groups of
 * TAP_GROUP taps are summed first, then the groups.
 */
#pragma OPENCL FP_CONTRACT OFF

#include "tessera-pass.h"
#include "tessera-tap-group.h"

/* One work-item makes one pixel: n_taps reads, 1 write, no local memory. */
kernel void motion_blur_gather (INPUT_ARGS (float4), OUTPUT_ARGS (float4),
                                global const int2 *offsets, global const float *weights,
                                int n_taps)
{
  int    x = get_global_id (0);
  int    y = get_global_id (1);
  int    here = (y + input_top) * input_stride + x + input_left;
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
