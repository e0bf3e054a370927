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

/* For some frames at a time: all are read before the first is added, so that the reads do not wait for one another. */
#define EACH_EIGHT(DO) DO (0) DO (1) DO (2) DO (3) DO (4) DO (5) DO (6) DO (7)
#define EACH_HALF(DO, t) DO (t, 0, 1, 2, 3) DO (t, 4, 5, 6, 7)
#define PART(t, i)     parts[min (8 * t + i, n - 1)]
#define VALUE(t, i)    frame_value (f##t##i, PART (t, i), x, y, frame_width, frame_height)
#define READ_EIGHT(t)  const float v0 = VALUE (t, 0), v1 = VALUE (t, 1), v2 = VALUE (t, 2), v3 = VALUE (t, 3), v4 = VALUE (t, 4), v5 = VALUE (t, 5), \
                                   v6 = VALUE (t, 6), v7 = VALUE (t, 7);
#define EACH_OF_EIGHT(DO, t) DO (t, 0) DO (t, 1) DO (t, 2) DO (t, 3) DO (t, 4) DO (t, 5) DO (t, 6) DO (t, 7)

/* How a frame of the history is moved and counts: Part in operations/background-whiten-predict.c. */
typedef struct
{
  int   x, y, behind;           /* behind: so many pixels before a pixel's own place in memory is the one that is moved there */
  float weight, mean;
  int   spare[3];
} Part;

/* A history frame's value under a pixel, less its mean; NaN where there is none.  Without a branch. */
float frame_value (global const float *frame, Part part, int x, int y, int frame_width, int frame_height)
{
  const int   from_x = x - part.x, from_y = y - part.y, inside_x = clamp (from_x, 0, frame_width - 1), inside_y = clamp (from_y, 0, frame_height - 1);
  const float value = frame[(long) inside_y * frame_width + inside_x] - part.mean;

  return from_x == inside_x && from_y == inside_y ? value : NAN;
}

/* The same of four pixels, `step` apart, where all frames have them. */
float4 four_values (global const float *frame, Part part, int step)
{
  return (float4) (frame[0], frame[step], frame[2 * step], frame[3 * step]) - part.mean;
}

/* (sum, weight, plain sum, number) with one frame more. */
float4 add_known (float4 known, float value, float weight)
{
  return isnan (value) ? known : known + (float4) (weight * value, weight, value, 1.0f);
}

/* Of four pixels. */
#define ADD_FOUR(t, i, v) sums = 8 * t + i < n ? sums + PART (t, i).weight * v : sums;
#define ADD_HALF(t, a, b, c, d) \
  if (8 * t + a < n) \
    { \
      const float4 va = four_values (f##t##a + here - PART (t, a).behind, PART (t, a), step); \
      const float4 vb = four_values (f##t##b + here - PART (t, b).behind, PART (t, b), step); \
      const float4 vc = four_values (f##t##c + here - PART (t, c).behind, PART (t, c), step); \
      const float4 vd = four_values (f##t##d + here - PART (t, d).behind, PART (t, d), step); \
      ADD_FOUR (t, a, va) \
      ADD_FOUR (t, b, vb) \
      ADD_FOUR (t, c, vc) \
      ADD_FOUR (t, d, vd) \
    }
#define ADD_BOTH(t) EACH_HALF (ADD_HALF, t)

/* Of one. */
#define ADD(t, i) sum = 8 * t + i < n ? sum + PART (t, i).weight * v##i : sum;
#define ADD_EIGHT(t) \
  if (8 * t < n) \
    { \
      READ_EIGHT (t) \
      EACH_OF_EIGHT (ADD, t) \
    }
#define ADD_KNOWN(t, i) known = 8 * t + i < n ? add_known (known, v##i, PART (t, i).weight) : known;
#define ADD_EIGHT_KNOWN(t) \
  if (8 * t < n) \
    { \
      READ_EIGHT (t) \
      EACH_OF_EIGHT (ADD_KNOWN, t) \
    }

/* One work-item makes four pixels, which lie a group's width apart; any group; no local memory; for each pixel n + 1 reads, 1 write of a float; where the sum
 * is NaN, n reads more.  From (left, top) to before (right, bottom) all moved frames have a pixel.  What is the same for all pixels is read once for four. */
kernel void whiten_pixels (INPUT_ARGS (float), OUTPUT_ARGS (float), FRAMES_ARGS, constant Part *parts, int n, int first_x, int first_y, int frame_width,
                           int frame_height, int left, int top, int right, int bottom, float level, int result, float factor)
{
  const int step = get_local_size (0), column = ((int) get_global_id (0) - (int) get_local_id (0)) * 4 + get_local_id (0), row = get_global_id (1);
  const int y = first_y + row, here = y * frame_width + first_x + column;
  const int is_inside = first_x + column >= left && first_x + column + 3 * step < right && y >= top && y < bottom;
  float4    sums = (float4) (0.0f);

  if (row >= height)
    return;
  if (is_inside)
    {
      EACH_EIGHT (ADD_BOTH)
    }
#pragma unroll 1
  for (int k = 0; k < 4 && column + k * step < width; k++)
    {
      const int x = first_x + column + k * step;
      float     sum = 0.0f, background, value;

      if (is_inside)
        sum = k == 0 ? sums.x : k == 1 ? sums.y : k == 2 ? sums.z : sums.w;
      else
        {
          EACH_EIGHT (ADD_EIGHT)
        }
      background = level + sum;
      if (isnan (background))
        {
          float4 known = (float4) (0.0f);

          EACH_EIGHT (ADD_EIGHT_KNOWN)
          background = known.w == 0.0f ? NAN : level + (known.y >= LEAST_WEIGHT ? known.x / known.y : known.z / known.w);
        }
      value = result == WHITENED ? input[(long) (row + input_top) * input_stride + column + k * step + input_left] - background : background;
      output[(long) row * width + column + k * step] = result > BACKGROUND ? value : isnan (value) ? 0.0f : value * factor;
    }
}
