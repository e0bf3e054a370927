/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The kernel of example:relief.  tessera-pass.h comes with Tessera, relief.h lies beside this file.
 */
#pragma OPENCL FP_CONTRACT OFF

#include "tessera-pass.h"
#include "relief.h"

/* One work-item makes one pixel: 3 reads, 1 write. */
kernel void example_relief (INPUT_ARGS (float4), OUTPUT_ARGS (float4), float strength)
{
  int    x = get_global_id (0);
  int    y = get_global_id (1);
  float4 before, here, after;

  if (x >= width || y >= height)        /* launches are rounded up */
    return;
  input += (y + input_top) * input_stride + x + input_left;
  before = input[-input_stride - 1];
  here = input[0];
  after = input[input_stride + 1];
  output[y * width + x] = (float4) (relief (before.x, after.x, here.w, strength), relief (before.y, after.y, here.w, strength),
                                    relief (before.z, after.z, here.w, strength), here.w);
}
