/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Convolution: out(x, y) = sum over the kernel's rows of (sum over a row's columns of
 * weight * in(x + i, y + j)), then + offset.  Both sums begin with 0.  Weights of 0 are left out.
 * C does the same (operations/convolution/convolution-rows.c).
 *
 * PowerVR's case study of image convolution (2015) and its tutorial on local memory (2016) stage the
 * pixels of a work-group in local memory.  Here each pixel that is read serves CONVOLUTION_STEP
 * results.  Caches do the rest.
 *
 * If alpha is copied, the fourth sum adds the magnitudes of the weights in place of the weights.  If the
 * picture has alpha, separable_weigh first multiplies its pixels by it.  The colours are then divided by
 * the fourth sum.
 */
#pragma OPENCL FP_CONTRACT OFF

#include "tessera-convolution.h"
#include "tessera-separable.h"

/* The arguments with which each kernel finishes a pixel.  magnitudes: the sum of the weights' magnitudes, or 0
 * if no pixel is weighed by alpha. */
#define FINISH float4 offset, int copies_alpha, float magnitudes

/* Makes a result pixel of its sums.  `in` is the input pixel at the same place. */
static inline float4
finished (float4 sum, float4 in, FINISH)
{
  float4 result = sum + offset;

  if (magnitudes > 0.0f && sum.w != magnitudes)         /* opaque surroundings, the usual case, need no division */
    result = (float4) (convolution_colour (sum.x, sum.w, magnitudes, offset.x),
                       convolution_colour (sum.y, sum.w, magnitudes, offset.y),
                       convolution_colour (sum.z, sum.w, magnitudes, offset.z), in.w);
  if (copies_alpha)
    result.w = in.w;
  return result;
}

/* One work-item makes CONVOLUTION_STEP pixels below one another: rows * columns reads,
 * CONVOLUTION_STEP writes.  weights: one float4 for each column of a row of the input, with a component for each
 * result.  `rows` counts rows of the input: CONVOLUTION_STEP - 1 more than the kernel has.
 * (left, top) is the input pixel under the first weight of the first result.  The input pixel under the
 * kernel's centre lies `centre` pixels further on. */
kernel void convolution_direct (global const float4 *input, int stride, int left, int top, int centre,
                                OUTPUT_ARGS (float4),
                                global const float4 *weights, int rows, int columns,
                                FINISH)
{
  int    x = get_global_id (0);
  int    first = get_global_id (1) * CONVOLUTION_STEP;
  float4 total[CONVOLUTION_STEP] = { (float4) 0.0f, (float4) 0.0f, (float4) 0.0f, (float4) 0.0f };
  global const float4 *in = input + (first + top) * stride + x + left;

  if (x >= width || first >= height)
    return;
  /* The last results may lie below the output.  The rows that only they need are not in the input. */
  rows = min (rows, rows - CONVOLUTION_STEP + height - first);
  for (int y = 0; y < rows; y++)
    {
      global const float4 *from = in + y * stride;
      float4 a = (float4) 0.0f, b = a, c = a, d = a;

      for (int i = 0; i < columns; i++)
        {
          float4 w = weights[y * columns + i];
          float4 pixel = from[i];

          if (w.x != 0.0f)
            a += separable_weight (w.x, copies_alpha) * pixel;
          if (w.y != 0.0f)
            b += separable_weight (w.y, copies_alpha) * pixel;
          if (w.z != 0.0f)
            c += separable_weight (w.z, copies_alpha) * pixel;
          if (w.w != 0.0f)
            d += separable_weight (w.w, copies_alpha) * pixel;
        }
      total[0] += a;
      total[1] += b;
      total[2] += c;
      total[3] += d;
    }
  for (int k = 0; k < CONVOLUTION_STEP && first + k < height; k++)
    output[(first + k) * width + x] = finished (total[k], in[centre + k * stride], offset, copies_alpha,
                                              magnitudes);
}

/* The first of two passes.  It differs from separable_rows in the fourth sum. */
kernel void convolution_rows (SEPARABLE_ROWS)
{
  int x = get_global_id (0);
  int y = get_global_id (1);

  if (x < width && y < height)
    rows[y * width + x] = separable_sum (input, (y + top) * input_stride + x + left, 1, offsets, weights, n_taps, 1);
}

/* The second of two passes: the columns, and the finish. */
kernel void convolution_columns (SEPARABLE_COLUMNS, INPUT_ARGS (float4), FINISH)
{
  int    x = get_global_id (0);
  int    y = get_global_id (1);
  float4 sum;

  if (x >= width || y >= height)
    return;
  sum = separable_sum (rows, (y + top) * width + x, width, offsets, weights, n_taps, copies_alpha);
  output[y * width + x] = finished (sum, separable_input (input, input_stride, input_left, input_top, x, y),
                                    offset, copies_alpha, magnitudes);
}
