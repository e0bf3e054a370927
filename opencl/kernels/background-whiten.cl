/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Background and whitened frame.  The same operations in the same order as the C path (operations/shared/whiten.c): the sum over
 * all frames; where one of them has no value, it is NaN, and those that have one are added again.  Each frame is read once.
 */
#pragma OPENCL FP_CONTRACT OFF

#include "tessera-dialect.h"
#include "tessera-pass.h"

#define LEAST_WEIGHT 0.5f
#define WHITENED     0          /* as WhitenResult in background-whiten.h */
#define BACKGROUND   1

/* The frames of the history, the oldest first; behind the last any of them again. */
#define EIGHT_FRAMES(t) \
  global const float *f##t##0, global const float *f##t##1, global const float *f##t##2, global const float *f##t##3, \
  global const float *f##t##4, global const float *f##t##5, global const float *f##t##6, global const float *f##t##7
#define FRAMES_ARGS EIGHT_FRAMES (0), EIGHT_FRAMES (1), EIGHT_FRAMES (2), EIGHT_FRAMES (3), EIGHT_FRAMES (4), EIGHT_FRAMES (5), EIGHT_FRAMES (6), \
  EIGHT_FRAMES (7)

/* For eight frames at a time: all are read before the first is added, so that the reads do not wait for one another. */
#define EACH_EIGHT(DO) DO (0) DO (1) DO (2) DO (3) DO (4) DO (5) DO (6) DO (7)
#define VALUE(t, i)    frame_value (f##t##i, moves[min (8 * t + i, n - 1)], weights[min (8 * t + i, n - 1)].y, x, y, frame_width, frame_height)
#define READ_EIGHT(t)  const float v0 = VALUE (t, 0), v1 = VALUE (t, 1), v2 = VALUE (t, 2), v3 = VALUE (t, 3), v4 = VALUE (t, 4), v5 = VALUE (t, 5), \
                                   v6 = VALUE (t, 6), v7 = VALUE (t, 7);
#define EACH_OF_EIGHT(DO, t) DO (t, 0) DO (t, 1) DO (t, 2) DO (t, 3) DO (t, 4) DO (t, 5) DO (t, 6) DO (t, 7)

/* A history frame's value under a pixel, less its mean; NaN where there is none.  Without a branch. */
float frame_value (global const float *frame, int2 move, float mean, int x, int y, int frame_width, int frame_height)
{
  const int   from_x = x - move.x, from_y = y - move.y, inside_x = clamp (from_x, 0, frame_width - 1), inside_y = clamp (from_y, 0, frame_height - 1);
  const float value = frame[(long) inside_y * frame_width + inside_x] - mean;

  return from_x == inside_x && from_y == inside_y ? value : NAN;
}

/* (sum, weight, plain sum, number) with one frame more. */
float4 add_known (float4 known, float value, float weight)
{
  return isnan (value) ? known : known + (float4) (weight * value, weight, value, 1.0f);
}

/* One work-item makes one pixel; any group; no local memory; n + 1 reads, 1 write of a float; where the sum is NaN, n reads more. */
kernel void whiten_pixels (INPUT_ARGS (float), OUTPUT_ARGS (float), FRAMES_ARGS, constant int2 *moves, constant float2 *weights, int n,
                           int first_x, int first_y, int frame_width, int frame_height, float level, int result, float factor)
{
  const int x = first_x + (int) get_global_id (0), y = first_y + (int) get_global_id (1);
  float     sum = 0.0f, background, value;

  if ((int) get_global_id (0) >= width || (int) get_global_id (1) >= height)
    return;
#define ADD(t, i) sum = 8 * t + i < n ? sum + weights[min (8 * t + i, n - 1)].x * v##i : sum;
#define ADD_EIGHT(t) \
  if (8 * t < n) \
    { \
      READ_EIGHT (t) \
      EACH_OF_EIGHT (ADD, t) \
    }
  EACH_EIGHT (ADD_EIGHT)
  background = level + sum;
  if (isnan (background))
    {
      float4 known = (float4) (0.0f);

#define ADD_KNOWN(t, i) known = 8 * t + i < n ? add_known (known, v##i, weights[min (8 * t + i, n - 1)].x) : known;
#define ADD_EIGHT_KNOWN(t) \
  if (8 * t < n) \
    { \
      READ_EIGHT (t) \
      EACH_OF_EIGHT (ADD_KNOWN, t) \
    }
      EACH_EIGHT (ADD_EIGHT_KNOWN)
      background = known.w == 0.0f ? NAN : level + (known.y >= LEAST_WEIGHT ? known.x / known.y : known.z / known.w);
    }
  value = result == WHITENED ? input[(long) (get_global_id (1) + input_top) * input_stride + get_global_id (0) + input_left] - background : background;
  output[(long) get_global_id (1) * width + get_global_id (0)] = result > BACKGROUND ? value : isnan (value) ? 0.0f : value * factor;
}
