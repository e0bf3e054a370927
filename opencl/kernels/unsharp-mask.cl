/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Unsharp mask: the passes of the Gaussian (tessera-separable.h, tessera-gaussian.h), the last of
 * which compares with the image and sharpens.  Alpha is copied.
 */
#pragma OPENCL FP_CONTRACT OFF

#include "tessera-dialect.h"
#include "tessera-gaussian.h"
#include "tessera-unsharp.h"

static inline float4
sharpened (float4 in, float4 blurred, float amount, float threshold)
{
  return (float4) (unsharp_sharpened (in.x, blurred.x, amount, threshold),
                   unsharp_sharpened (in.y, blurred.y, amount, threshold),
                   unsharp_sharpened (in.z, blurred.z, amount, threshold), in.w);
}

/* One work-item makes one pixel: n_taps reads and the image's pixel, 1 write. */
kernel void unsharp_columns (SEPARABLE_COLUMNS, INPUT_ARGS (float4), float amount, float threshold)
{
  int x = get_global_id (0);
  int y = get_global_id (1);

  if (x < width && y < height)
    output[y * width + x] = sharpened (separable_input (input, input_stride, input_left, input_top, x, y),
                                       separable_column (rows, width, top, offsets, weights, n_taps, x, y),
                                       amount, threshold);
}

/* The same from three rows of cells. */
kernel void unsharp_up_rows (GAUSSIAN_UP_ROWS, INPUT_ARGS (float4), float amount, float threshold)
{
  int x = get_global_id (0);
  int y = get_global_id (1);

  if (x < width && y < height)
    output[y * width + x] = sharpened (separable_input (input, input_stride, input_left, input_top, x, y),
                                       gaussian_up_row (cells, phase, step, weights, width, x, y),
                                       amount, threshold);
}
