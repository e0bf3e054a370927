/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Background and whitened frame.  The same operations in the same order as the C path (operations/shared/whiten.c): the sum over
 * all frames; where one of them has no value, it is NaN, and those that have one are added again.
 */
#pragma OPENCL FP_CONTRACT OFF

#include "tessera-dialect.h"
#include "tessera-pass.h"

#define LEAST_WEIGHT 0.5f
#define WHITENED     0          /* as WhitenResult in background-whiten.h */
#define BACKGROUND   1

/* Some frames of the history, `first` and the n - 1 after it, and where the output's first pixel lies in them. */
#define FRAMES_ARGS global float *sums, int width, int height, \
  global const float *f0, global const float *f1, global const float *f2, global const float *f3, \
  global const float *f4, global const float *f5, global const float *f6, global const float *f7, \
  global const int2 *moves, global const float2 *weights, int first, int n, int first_x, int first_y, \
  int frame_width, int frame_height

#define EACH_FRAME(DO) DO (0) DO (1) DO (2) DO (3) DO (4) DO (5) DO (6) DO (7)
#define VALUE(i)       frame_value (f##i, moves[first + i], weights[first + i].y, first_x + x, first_y + y, frame_width, frame_height)

/* A history frame's value under a pixel, less its mean; NaN where there is none. */
float frame_value (global const float *frame, int2 move, float mean, int x, int y, int frame_width, int frame_height)
{
  int from_x = x - move.x, from_y = y - move.y;

  if (from_x < 0 || from_x >= frame_width || from_y < 0 || from_y >= frame_height)
    return NAN;
  return frame[(long) from_y * frame_width + from_x] - mean;
}

/* (sum, weight, plain sum, number) with one frame more. */
float4 add_known (float4 known, float value, float weight)
{
  return isnan (value) ? known : known + (float4) (weight * value, weight, value, 1.0f);
}

/* One work-item adds to one pixel's sum; any group; no local memory; n + 1 reads, 1 write of a float. */
kernel void whiten_add (FRAMES_ARGS)
{
  int   x = get_global_id (0);
  int   y = get_global_id (1);
  long  here = (long) y * width + x;
  float sum;

  if (x >= width || y >= height)
    return;
  sum = first > 0 ? sums[here] : 0.0f;
#define ADD(i) \
  if (i < n) \
    sum += weights[first + i].x * VALUE (i);
  EACH_FRAME (ADD)
#undef ADD
  sums[here] = sum;
}

/* The same for pixels whose sum is NaN, of the frames that have a value there; the others: 1 read of a float. */
kernel void whiten_add_some (FRAMES_ARGS, global float4 *some, float level)
{
  int    x = get_global_id (0);
  int    y = get_global_id (1);
  long   here = (long) y * width + x;
  float4 known;

  if (x >= width || y >= height || ! isnan (level + sums[here]))
    return;
  known = first > 0 ? some[here] : (float4) (0.0f);
#define ADD(i) \
  if (i < n) \
    known = add_known (known, VALUE (i), weights[first + i].x);
  EACH_FRAME (ADD)
#undef ADD
  some[here] = known;
}

/* One work-item makes one pixel; any group; no local memory; 2 reads, 1 write of a float; where the sum is NaN, 4 reads more. */
kernel void whiten_finish (INPUT_ARGS (float), OUTPUT_ARGS (float), global const float *sums, global const float4 *some, float level,
                           int result, float factor)
{
  int   x = get_global_id (0);
  int   y = get_global_id (1);
  long  here = (long) y * width + x;
  float background, value;

  if (x >= width || y >= height)
    return;
  background = level + sums[here];
  if (isnan (background))
    {
      float4 known = some[here];

      background = known.w == 0.0f ? NAN
                   : level + (known.y >= LEAST_WEIGHT ? known.x / known.y : known.z / known.w);
    }
  value = result == WHITENED ? input[(long) (y + input_top) * input_stride + x + input_left] - background : background;
  output[here] = result > BACKGROUND ? value : isnan (value) ? 0.0f : value * factor;
}
