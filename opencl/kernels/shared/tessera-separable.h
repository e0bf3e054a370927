/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: OpenCL C.  The device's half of operations/sums/separable.c.  Pixels have 4 floats.  The first
 * pass sums along x into a scratch image.  The second pass sums along y.  It is separable_columns, or, if the
 * filter has a finishing step, a kernel of its own:
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

/* rows: the first pass's result, `width` pixels in a row.  It begins `top` rows above the output. */
#define SEPARABLE_COLUMNS \
  global const float4 *rows, int top, global const int *offsets, global const float *weights, int n_taps, \
  OUTPUT_ARGS (float4)

/* One weight, as each of the four sums uses it.  magnitudes: the fourth is of the weights' magnitudes. */
static inline float4
separable_weight (float weight, const int magnitudes)
{
  return (float4) (weight, weight, weight, magnitudes ? fabs (weight) : weight);
}

/* The sum of pixels that are `step` times the offsets from `here`. */
static inline float4
separable_sum (global const float4 *pixels, int here, int step, global const int *offsets, global const float *weights, int n_taps,
               const int magnitudes)
{
  float4 sum = (float4) 0.0f;

  for (int i = 0; i < n_taps; i++)
    sum += separable_weight (weights[i], magnitudes) * pixels[here + step * offsets[i]];
  return sum;
}

static inline float4
separable_column (global const float4 *rows, int width, int top, global const int *offsets,
                  global const float *weights, int n_taps, int x, int y)
{
  return separable_sum (rows, (y + top) * width + x, width, offsets, weights, n_taps, 0);
}

/* The colours times alpha.  Where alpha is 0 they are 0, even if they were NaN or Inf. */
static inline float4
separable_weighed (float4 pixel)
{
  float4 factors = (float4) (pixel.www, 1.0f);

  return select ((float4) 0.0f, pixel * factors, factors != 0.0f);
}

/* Pixels times alpha; `weighed` may be the input.  One work-item makes one pixel: 1 read, 1 write. */
kernel void separable_weigh (global const float4 *input, int stride, global float4 *weighed, int width, int height)
{
  int x = get_global_id (0);
  int y = get_global_id (1);

  if (x < width && y < height)
    weighed[y * stride + x] = separable_weighed (input[y * stride + x]);
}

static inline float4
separable_input (INPUT_ARGS (float4), int x, int y)
{
  return input[(y + input_top) * input_stride + x + input_left];
}

/* The first pass.  (left, top) is the place of the first pixel of `rows` in the input. */
#define SEPARABLE_ROWS \
  global const float4 *input, int input_stride, int left, int top, global float4 *rows, int width, int height, \
  global const int *offsets, global const float *weights, int n_taps

/* One work-item makes one pixel of `rows`: n_taps reads, 1 write. */
kernel void separable_rows (SEPARABLE_ROWS)
{
  int x = get_global_id (0);
  int y = get_global_id (1);

  if (x < width && y < height)
    rows[y * width + x] = separable_sum (input, (y + top) * input_stride + x + left, 1, offsets, weights, n_taps, 0);
}

/* One work-item makes one pixel: n_taps reads, 1 write. */
kernel void separable_columns (SEPARABLE_COLUMNS)
{
  int x = get_global_id (0);
  int y = get_global_id (1);

  if (x < width && y < height)
    output[y * width + x] = separable_column (rows, width, top, offsets, weights, n_taps, x, y);
}
