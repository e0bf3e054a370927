/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: OpenCL C.  The device's half of operations/shared/separable.c: pixels of 4 floats,
 * along x into a scratch image, then along y by a kernel of the filter's own
 * (or by separable_columns, where there is no finishing step):
 *
 *   kernel void NAME (SEPARABLE_COLUMNS, INPUT_ARGS (float4), float amount)
 *   {
 *     int x = get_global_id (0), y = get_global_id (1);
 *
 *     if (x >= width || y >= height)
 *       return;
 *     float4 sum = separable_column (rows, width, top, offsets, weights, n_taps, x, y);
 *     float4 in = separable_input (input, input_stride, input_left, input_top, x, y);
 *     output[y * width + x] = ...;
 *   }
 *
 * Each sum begins with 0 and adds product after product, as in C. */

#include "tessera-pass.h"

/* rows: width pixels a row, `top` rows above the output's first. */
#define SEPARABLE_COLUMNS \
  global const float4 *rows, int top, global const int *offsets, global const float *weights, int n_taps, \
  OUTPUT_ARGS (float4)

static inline float4
separable_column (global const float4 *rows, int width, int top, global const int *offsets,
                  global const float *weights, int n_taps, int x, int y)
{
  int    here = (y + top) * width + x;
  float4 sum = (float4) 0.0f;

  for (int i = 0; i < n_taps; i++)
    sum += weights[i] * rows[here + offsets[i] * width];
  return sum;
}

/* Light from a colour, and none where alpha is 0. */
static inline float4
separable_weighed (float4 pixel)
{
  float4 factors = (float4) (pixel.www, 1.0f);

  return select ((float4) 0.0f, pixel * factors, factors != 0.0f);
}

static inline float4
separable_input (INPUT_ARGS (float4), int x, int y)
{
  return input[(y + input_top) * input_stride + x + input_left];
}

/* One work-item makes one pixel of `rows`: n_taps reads, 1 write.  (left, top): the first
 * pixel of `rows` within the input. */
kernel void separable_rows (global const float4 *input, int input_stride, int left, int top,
                            global float4 *rows, int width, int height,
                            global const int *offsets, global const float *weights, int n_taps)
{
  int    x = get_global_id (0);
  int    y = get_global_id (1);
  int    here = (y + top) * input_stride + x + left;
  float4 sum = (float4) 0.0f;

  if (x >= width || y >= height)
    return;
  for (int i = 0; i < n_taps; i++)
    sum += weights[i] * input[here + offsets[i]];
  rows[y * width + x] = sum;
}

/* One work-item makes one pixel: n_taps reads, 1 write. */
kernel void separable_columns (SEPARABLE_COLUMNS)
{
  int x = get_global_id (0);
  int y = get_global_id (1);

  if (x < width && y < height)
    output[y * width + x] = separable_column (rows, width, top, offsets, weights, n_taps, x, y);
}
