/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Convolution: out(x, y) = sum over the kernel's rows of (sum over a row's columns of
 * weight * in(x + i, y + j)), then + offset.  Both sums begin with 0.  Weights of 0 are left out.
 * C does the same (operations/convolution-rows.c).
 *
 * PowerVR's case study of image convolution (2015) and its tutorial on local memory (2016) stage the
 * pixels of a work-group in local memory.  There one work-item loads them, or some do.  Here all
 * work-items load.  Each pixel that is read serves CONVOLUTION_STEP results.
 *
 * If alpha is copied, the fourth sum adds the magnitudes of the weights in place of the weights.  If the
 * picture has alpha, convolution_weigh first multiplies its pixels by it.  The colours are then divided by
 * the fourth sum.
 */
#pragma OPENCL FP_CONTRACT OFF

#include "tessera-convolution.h"
#include "tessera-separable.h"

/* The arguments with which each kernel finishes a pixel.  magnitudes: the sum of the weights' magnitudes, or 0
 * if no pixel is weighed by alpha. */
#define FINISH float4 offset, int copies_alpha, float magnitudes

/* One weight, as each of the four sums uses it. */
static inline float4
weight_of (float weight, int copies_alpha)
{
  return (float4) (weight, weight, weight, copies_alpha ? fabs (weight) : weight);
}

/* Makes a result pixel of its sums.  `in` is the input pixel at the same place. */
static inline float4
finished (float4 sum, float4 in, FINISH)
{
  float4 result = sum + offset;

  if (magnitudes > 0.0f)
    result = (float4) (convolution_colour (sum.x, sum.w, magnitudes, offset.x),
                       convolution_colour (sum.y, sum.w, magnitudes, offset.y),
                       convolution_colour (sum.z, sum.w, magnitudes, offset.z), in.w);
  if (copies_alpha)
    result.w = in.w;
  return result;
}

/* Multiplies the colours by alpha, in place.  Where alpha is 0 they become 0, even NaN and Inf.  One work-item
 * makes one pixel: 1 read, and 1 write where the pixel is not opaque. */
kernel void convolution_weigh (global float4 *input, int stride, int width, int height)
{
  int    x = get_global_id (0);
  int    y = get_global_id (1);
  float4 pixel;

  if (x >= width || y >= height)
    return;
  pixel = input[y * stride + x];
  if (pixel.w != 1.0f)
    input[y * stride + x] = separable_weighed (pixel);
}

/* Adds one row of the input to the sums of four results, one below the other.  `from` is the row's first
 * pixel.  weights: one float4 for each column, with a component for each of the four results.  MAYBE (w)
 * stands before each term and may leave it out. */
#define SUM_ROW(from, MAYBE)                                            \
  for (int i = 0; i < columns; i++)                                     \
    {                                                                   \
      float4 w = weights[y * columns + i];                              \
      float4 pixel = (from)[i];                                         \
                                                                        \
      MAYBE (w.x)                                                       \
        a += weight_of (w.x, copies_alpha) * pixel;                                               \
      MAYBE (w.y)                                                       \
        b += weight_of (w.y, copies_alpha) * pixel;                                               \
      MAYBE (w.z)                                                       \
        c += weight_of (w.z, copies_alpha) * pixel;                                               \
      MAYBE (w.w)                                                       \
        d += weight_of (w.w, copies_alpha) * pixel;                                               \
    }

#define ALWAYS(w)
#define UNLESS_0(w) if (w != 0.0f)

/* Adds the sums of one row to total[0] .. total[3].  full[y]: no weight of the row is 0.  Most rows of most
 * kernels are full, and on PoCL the loop without a test takes half the time. */
#define ADD_ROW(from)                                                   \
  {                                                                     \
    float4 a = (float4) 0.0f, b = a, c = a, d = a;                      \
                                                                        \
    if (full[y])                                                        \
      SUM_ROW (from, ALWAYS)                                            \
    else                                                                \
      SUM_ROW (from, UNLESS_0)                                          \
    total[0] += a;                                                      \
    total[1] += b;                                                      \
    total[2] += c;                                                      \
    total[3] += d;                                                      \
  }

/* One work-item makes CONVOLUTION_STEP pixels below one another: rows * columns reads,
 * CONVOLUTION_STEP writes, no local memory.  `rows` counts rows of the input: CONVOLUTION_STEP - 1 more
 * than the kernel has.  (left, top) is the input pixel under the first weight of the first result.  The
 * input pixel under the kernel's centre lies `centre` pixels further on. */
kernel void convolution_global (global const float4 *input, int stride, int left, int top, int centre,
                                OUTPUT_ARGS (float4),
                                global const float4 *weights, global const int *full,
                                int rows, int columns,
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
    ADD_ROW (in + y * stride)
  for (int k = 0; k < CONVOLUTION_STEP && first + k < height; k++)
    output[(first + k) * width + x] = finished (total[k], in[centre + k * stride], offset, copies_alpha,
                                              magnitudes);
}

/* The same by way of local memory.  A group is one row of work-items.  All of them load `batch` rows of the
 * input at a time.  local: batch * (group + columns - 1) pixels. */
kernel void convolution_staged (global const float4 *input, int stride, int left, int top, int centre,
                                OUTPUT_ARGS (float4),
                                global const float4 *weights, global const int *full,
                                int rows, int columns,
                                FINISH,
                                local float4 *staged, int batch)
{
  int    group = get_local_size (0);
  int    here = get_local_id (0);
  int    x = get_global_id (0);
  int    x0 = x - here;
  int    first = get_global_id (1) * CONVOLUTION_STEP;
  int    across = group + columns - 1;
  int    there = min (across, width - x0 + columns - 1);        /* of them, what the input has */
  float4 total[CONVOLUTION_STEP] = { (float4) 0.0f, (float4) 0.0f, (float4) 0.0f, (float4) 0.0f };
  global const float4 *in = input + (first + top) * stride + x0 + left;

  if (first >= height)
    return;                     /* the whole group */
  rows = min (rows, rows - CONVOLUTION_STEP + height - first);
  for (int begin = 0; begin < rows; begin += batch)
    {
      int end = min (begin + batch, rows);

      barrier (CLK_LOCAL_MEM_FENCE);
      for (int y = begin; y < end; y++)
        for (int i = here; i < there; i += group)
          staged[(y - begin) * across + i] = in[y * stride + i];
      barrier (CLK_LOCAL_MEM_FENCE);
      if (x < width)
        for (int y = begin; y < end; y++)
          ADD_ROW (staged + (y - begin) * across + here)
    }
  if (x < width)
    for (int k = 0; k < CONVOLUTION_STEP && first + k < height; k++)
      output[(first + k) * width + x] = finished (total[k], in[here + centre + k * stride], offset,
                                                  copies_alpha, magnitudes);
}

/* The first of two passes.  It differs from separable_rows in the fourth sum. */
kernel void convolution_rows (global const float4 *input, int input_stride, int left, int top,
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
    sum += weight_of (weights[i], 1) * input[here + offsets[i]];
  rows[y * width + x] = sum;
}

/* The second of two passes: the columns, and the finish. */
kernel void convolution_columns (SEPARABLE_COLUMNS, INPUT_ARGS (float4), FINISH)
{
  int    x = get_global_id (0);
  int    y = get_global_id (1);
  int    here = (y + top) * width + x;
  float4 sum = (float4) 0.0f;

  if (x >= width || y >= height)
    return;
  for (int i = 0; i < n_taps; i++)
    sum += weight_of (weights[i], copies_alpha) * rows[here + offsets[i] * width];
  output[y * width + x] = finished (sum, separable_input (input, input_stride, input_left, input_top, x, y),
                                    offset, copies_alpha, magnitudes);
}
