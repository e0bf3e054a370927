/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * PowerVR's case study of image convolution (Imagination Technologies, 2015): a blur by a
 * box of n x n pixels, one work-item a pixel.  With n = 3 and groups of 8 x 4 a group reads
 * 288 pixels from global memory; staged in local memory it reads 10 x 6 = 60 once.
 *
 * input: n - 1 pixels wider and higher than the output, whose size is a multiple of the
 * group's.
 */
#pragma OPENCL FP_CONTRACT OFF

kernel void blur_global (global const float4 *input, int stride, global float4 *output, int width, int n,
                         float scale)
{
  int    x = get_global_id (0);
  int    y = get_global_id (1);
  float4 sum = (float4) 0.0f;

  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      sum += input[(y + j) * stride + x + i];
  output[y * width + x] = sum * scale;
}

/* The first `loaders` work-items of the group load its pixels: 1, or 30 of 32 that load
 * two each, or all. */
kernel void blur_staged (global const float4 *input, int stride, global float4 *output, int width, int n,
                         float scale, local float4 *staged, int loaders)
{
  int    here = get_local_id (1) * get_local_size (0) + get_local_id (0);
  int    across = get_local_size (0) + n - 1;
  int    down = get_local_size (1) + n - 1;
  int    corner = get_group_id (1) * get_local_size (1) * stride + get_group_id (0) * get_local_size (0);
  float4 sum = (float4) 0.0f;

  if (here < loaders)
    for (int i = here; i < across * down; i += loaders)
      staged[i] = input[corner + i / across * stride + i % across];
  barrier (CLK_LOCAL_MEM_FENCE);

  local const float4 *from = staged + get_local_id (1) * across + get_local_id (0);

  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      sum += from[j * across + i];
  output[get_global_id (1) * width + get_global_id (0)] = sum * scale;
}
