/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Unsharp mask: the passes of the Gaussian (tessera-separable.h, tessera-gaussian.h).  The last pass
 * compares the blurred picture with the image and sharpens.  Alpha is copied.
 *
 * If the input has alpha, its pixels are first multiplied by it.  The last pass then divides by the
 * blurred alpha.
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

/* The same for a wide blur: one work-item reads three rows of cells in place of the taps. */
kernel void unsharp_up_rows (GAUSSIAN_UP_ROWS, INPUT_ARGS (float4), float amount, float threshold)
{
  int x = get_global_id (0);
  int y = get_global_id (1);

  if (x < width && y < height)
    output[y * width + x] = sharpened (separable_input (input, input_stride, input_left, input_top, x, y),
                                       gaussian_up_row (cells, phase, step, weights, width, x, y),
                                       amount, threshold);
}

/* gaussian_down of weighed pixels. */
kernel void unsharp_down (GAUSSIAN_DOWN)
{
  gaussian_make_cell (input, first, column, row, along, step, weights, cells, width, height, 1);
}

/* sums: the blurred colours times alpha, and the blurred alpha.  `whole`: what sums.w is if all pixels are opaque. */
static inline float4
sharpened_over (float4 in, float4 sums, float whole, float amount, float threshold)
{
  float part = sums.w / whole;

  return sharpened (in, (float4) (unsharp_blurred (sums.x, part, in.x), unsharp_blurred (sums.y, part, in.y),
                                  unsharp_blurred (sums.z, part, in.z), part), amount, threshold);
}

/* As unsharp_columns, of weighed pixels.  ones[0]: what this blur makes of a picture of ones. */
kernel void unsharp_weighed_columns (SEPARABLE_COLUMNS, INPUT_ARGS (float4), float amount, float threshold,
                                     global const float *ones)
{
  int x = get_global_id (0);
  int y = get_global_id (1);

  if (x < width && y < height)
    output[y * width + x] = sharpened_over (separable_input (input, input_stride, input_left, input_top, x, y),
                                            separable_column (rows, width, top, offsets, weights, n_taps, x, y),
                                            ones[0], amount, threshold);
}

/* As unsharp_up_rows, of weighed pixels.  ones[j]: what the passes before this one make of a picture of ones, at
 * column j of a cell.  phase_x: the column of its cell at which the output begins. */
kernel void unsharp_weighed_up_rows (GAUSSIAN_UP_ROWS, INPUT_ARGS (float4), float amount, float threshold,
                                     global const float *ones, int phase_x)
{
  int   x = get_global_id (0);
  int   y = get_global_id (1);
  float one = ones[(x + phase_x) % step];
  global const float *up = weights + 3 * ((y + phase) % step);

  if (x < width && y < height)
    output[y * width + x] = sharpened_over (separable_input (input, input_stride, input_left, input_top, x, y),
                                            gaussian_up_row (cells, phase, step, weights, width, x, y),
                                            (up[0] * one + up[1] * one) + up[2] * one, amount, threshold);
}
