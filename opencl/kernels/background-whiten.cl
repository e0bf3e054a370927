/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Background and whitened frame.  The same operations in the same order as the C path (operations/sequences/whiten.c): the sum over all frames; where one of
 * them has no value, those that have one are added again.
 *
 * A work-item makes four pixels, STEP apart: what it knows of a frame serves all of them, so that memory is what takes the time.
 */
#pragma OPENCL FP_CONTRACT OFF

#include "tessera-dialect.h"
#include "tessera-pass.h"

#define LEAST_WEIGHT 0.5f
#define WHITENED     0          /* as WhitenResult in background-whiten.h */
#define BACKGROUND   1
#define STEP         32         /* as in operations/sequences/background-whiten-predict.c */

/* The frames of the history, the oldest first; behind the last any of them again, and so in their tables. */
#define EIGHT_FRAMES(t) \
  global const float *f##t##0, global const float *f##t##1, global const float *f##t##2, global const float *f##t##3, \
  global const float *f##t##4, global const float *f##t##5, global const float *f##t##6, global const float *f##t##7
#define FRAMES_ARGS EIGHT_FRAMES (0), EIGHT_FRAMES (1), EIGHT_FRAMES (2), EIGHT_FRAMES (3), EIGHT_FRAMES (4), EIGHT_FRAMES (5), EIGHT_FRAMES (6), \
  EIGHT_FRAMES (7)

#define EACH_EIGHT(DO)       DO (0) DO (1) DO (2) DO (3) DO (4) DO (5) DO (6) DO (7)
#define EACH_OF_EIGHT(DO, t) DO (t, 0) DO (t, 1) DO (t, 2) DO (t, 3) DO (t, 4) DO (t, 5) DO (t, 6) DO (t, 7)

/* Eight frames at a time: all are read before the first is added, so that the reads do not wait for one another. */
#define READ(t, i) const float4 v##i = four_values (f##t##i - behind[8 * t + i], here) - weights[8 * t + i].y;
#define ADD(t, i)  sums = 8 * t + i < n_inside ? sums + weights[8 * t + i].x * v##i : sums;
#define ADD_EIGHT(t) \
  if (8 * t < n_inside) \
    { \
      EACH_OF_EIGHT (READ, t) \
      EACH_OF_EIGHT (ADD, t) \
    }

/* The same where one may have no value. */
#define READ_ANY(t, i)  const float v##i = frame_value (f##t##i, moves[8 * t + i], weights[8 * t + i].y, x, y, frame_width, frame_height);
#define ADD_KNOWN(t, i) known = 8 * t + i < n ? add_known (known, v##i, weights[8 * t + i].x) : known;
#define ADD_EIGHT_KNOWN(t) \
  if (8 * t < n) \
    { \
      EACH_OF_EIGHT (READ_ANY, t) \
      EACH_OF_EIGHT (ADD_KNOWN, t) \
    }

/* The place itself, or the nearest from `first` to before `end`. */
int inside (int at, int first, int end)
{
  return at < first ? first : at >= end ? end - 1 : at;
}

float4 four_values (global const float *frame, int4 here)
{
  return (float4) (frame[here.x], frame[here.y], frame[here.z], frame[here.w]);
}

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

/* One work-item makes four pixels: x = (item / STEP * 4 + k) * STEP + item % STEP; any group; no local memory; for each n + 1 reads, 1 write of a float, and
 * n reads more where the sum is NaN.  From (left, top) to before (right, bottom) all frames reach; n_inside: n, or 0 if that is nowhere.  behind: how many
 * pixels before a pixel the one lies that is moved there. */
kernel void whiten_pixels (INPUT_ARGS (float), OUTPUT_ARGS (float), FRAMES_ARGS, constant int2 *moves, constant float2 *weights, constant int *behind, int n,
                           int n_inside, int first_x, int first_y, int frame_width, int frame_height, int left, int top, int right, int bottom, float level,
                           int result, float factor)
{
  const int  item = get_global_id (0), row = get_global_id (1), y = first_y + row, inside_y = inside (y, top, bottom);
  const int4 columns = item / STEP * (4 * STEP) + item % STEP + (int4) (0, STEP, 2 * STEP, 3 * STEP), xs = first_x + columns;
  const int4 inside_xs = (int4) (inside (xs.x, left, right), inside (xs.y, left, right), inside (xs.z, left, right), inside (xs.w, left, right));
  const int4 here = inside_y * frame_width + inside_xs;
  float4     sums = (float4) (0.0f), backgrounds;
  int4       is_missing;

  if (columns.x >= width || row >= height)
    return;
  EACH_EIGHT (ADD_EIGHT)
  backgrounds = level + sums;
  is_missing = (columns < width) & ((xs != inside_xs) | (int4) (y == inside_y ? 0 : -1) | isnan (backgrounds));
#pragma unroll 1
  for (int k = 0; k < 4 && any (is_missing); k++)
    {
      const int4 is_here = (int4) (0, 1, 2, 3) == k;
      const int  x = xs.x + k * STEP;
      float4     known = (float4) (0.0f);

      if (any (is_here & is_missing))
        {
          EACH_EIGHT (ADD_EIGHT_KNOWN)
          backgrounds = select (backgrounds, (float4) (known.w == 0.0f ? NAN : level + (known.y >= LEAST_WEIGHT ? known.x / known.y : known.z / known.w)),
                                is_here);
        }
      is_missing &= ~is_here;
    }
#define WRITE(s) \
  if (columns.s < width) \
    { \
      const float value = result == WHITENED ? input[(long) (row + input_top) * input_stride + columns.s + input_left] - backgrounds.s : backgrounds.s; \
      output[(long) row * width + columns.s] = result > BACKGROUND ? value : isnan (value) ? 0.0f : value * factor; \
    }
  WRITE (x) WRITE (y) WRITE (z) WRITE (w)
}
