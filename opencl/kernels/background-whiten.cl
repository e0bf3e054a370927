/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Background and whitened frame.  The same operations in the same order as the C path (operations/shared/whiten.c): the sum over
 * all frames; where one of them has no value, it is NaN, and those that have one are added again.
 */
#pragma OPENCL FP_CONTRACT OFF

#include "tessera-dialect.h"
#include "tessera-pass.h"

#define LEAST_WEIGHT 0.5f
#define WHITENED     0          /* as WhitenResult in tessera-background-whiten.c */
#define BACKGROUND   1

/* A history frame's value under a pixel, less its mean; NaN where there is none.  `move`: (x, y) and the frame's first pixel. */
float frame_value (global const float *frames, int4 move, float mean, int x, int y, int frame_width, int frame_height)
{
  int from_x = x - move.x, from_y = y - move.y;

  if (from_x < 0 || from_x >= frame_width || from_y < 0 || from_y >= frame_height)
    return NAN;
  return frames[((long) move.z * frame_height + from_y) * frame_width + from_x] - mean;
}

/* Of the frames that have a value here; NaN: none has. */
float predict_from_some (global const float *frames, global const int4 *moves, global const float2 *weights, int n, float level,
                         int x, int y, int frame_width, int frame_height)
{
  float sum = 0.0f, weight = 0.0f, plain = 0.0f;
  int   known = 0;

  for (int k = 0; k < n; k++)
    {
      float value = frame_value (frames, moves[k], weights[k].y, x, y, frame_width, frame_height);

      if (! isnan (value))
        {
          sum += weights[k].x * value;
          weight += weights[k].x;
          plain += value;
          known++;
        }
    }
  if (known == 0)
    return NAN;
  return level + (weight >= LEAST_WEIGHT ? sum / weight : plain / (float) known);
}

/* One work-item makes one pixel; any group; no local memory; n + 1 reads, 1 write of a float.  (first_x, first_y) is the output's
 * first pixel in the frames. */
kernel void whiten_predict (INPUT_ARGS (float), OUTPUT_ARGS (float), global const float *frames, global const int4 *moves,
                            global const float2 *weights, int n, float level, int first_x, int first_y, int frame_width,
                            int frame_height, int result, float factor)
{
  int   x = get_global_id (0);
  int   y = get_global_id (1);
  float sum = 0.0f, background, value;

  if (x >= width || y >= height)
    return;
  for (int k = 0; k < n; k++)
    sum += weights[k].x * frame_value (frames, moves[k], weights[k].y, first_x + x, first_y + y, frame_width, frame_height);
  background = level + sum;
  if (isnan (background))
    background = predict_from_some (frames, moves, weights, n, level, first_x + x, first_y + y, frame_width, frame_height);
  value = result == WHITENED ? input[(long) (y + input_top) * input_stride + x + input_left] - background : background;
  output[(long) y * width + x] = result > BACKGROUND ? value : isnan (value) ? 0.0f : value * factor;
}
