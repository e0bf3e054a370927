/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * sRGB to CIELAB and back: L = 116 g(Y), a = 500 (g(X) - g(Y)), b = 200 (g(Y) - g(Z)),
 * each times the encoding's scale.  The C path (tessera-cielab.c) calls the same functions in
 * the same order.
 */
#pragma OPENCL FP_CONTRACT OFF

#include "tessera-dialect.h"
#include "tessera-convert.h"
#include "tessera-lab.h"
#include "tessera-pass.h"

/* One work-item makes one pixel; any group; no local memory; 1 read, 1 write.  `first` and `last` are the weights of
 * R and of B in the rows of the matrix.  `scales` are those of L, a and b, then the offset of a and b.  first.w is 1
 * if the input is linear light, last.w if L stands in place of a and b too. */
kernel void cielab_forward (INPUT_ARGS (float4), OUTPUT_ARGS (float4),
                            float4 first, float4 last, float4 scales)
{
  int    x = get_global_id (0);
  int    y = get_global_id (1);
  float4 c;
  float  gx, gy, gz;

  if (x >= width || y >= height)
    return;
  c = input[(y + input_top) * input_stride + x + input_left];
  if (first.w == 0.0f)
    c.xyz = (float3) (linear_from_perceptual (c.x), linear_from_perceptual (c.y), linear_from_perceptual (c.z));
  gx = lab_curve (lab_positive_mixed (c.y, c.x, c.z, first.x, last.x));
  gy = lab_curve (lab_positive_mixed (c.y, c.x, c.z, first.y, last.y));
  gz = lab_curve (lab_positive_mixed (c.y, c.x, c.z, first.z, last.z));
  output[y * width + x] = (float4) (scales.x * gy, scales.y * (gx - gy) + scales.w,
                                    scales.z * (gy - gz) + scales.w, c.w);
  if (last.w != 0.0f)
    output[y * width + x] = (float4) (scales.x * gy, scales.x * gy, scales.x * gy, c.w);
}

/* As cielab_forward, with the weights of X and of Z.  first.w is 1 if the output is linear light, last.w if a and
 * b are not read. */
kernel void cielab_inverse (INPUT_ARGS (float4), OUTPUT_ARGS (float4),
                            float4 first, float4 last, float4 scales)
{
  int    x = get_global_id (0);
  int    y = get_global_id (1);
  float4 c;
  float  g, tx, ty, tz;

  if (x >= width || y >= height)
    return;
  c = input[(y + input_top) * input_stride + x + input_left];
  if (last.w != 0.0f)
    c.y = c.z = scales.w;
  g = c.x * scales.x;
  tx = lab_curve_inverse (g + (c.y - scales.w) * scales.y);
  ty = lab_curve_inverse (g);
  tz = lab_curve_inverse (g - (c.z - scales.w) * scales.z);
  c.xyz = (float3) (lab_mixed (ty, tx, tz, first.x, last.x), lab_mixed (ty, tx, tz, first.y, last.y),
                    lab_mixed (ty, tx, tz, first.z, last.z));
  if (first.w == 0.0f)
    c.xyz = (float3) (perceptual_from_linear (c.x), perceptual_from_linear (c.y), perceptual_from_linear (c.z));
  output[y * width + x] = c;
}
