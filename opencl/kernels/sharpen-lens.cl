/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Deconvolution (operations/tessera-sharpen-lens.c): luminance and weight of each pixel -> blurs and corrections, again and again
 * -> the colours.  Planes have one float a pixel of the input.  A launch makes a part of them, which is smaller each time by a
 * blur's radius: it begins at column `left` and row `top`.
 */
#pragma OPENCL FP_CONTRACT OFF

#include "tessera-dialect.h"
#include "tessera-sharpen-lens.h"
#include "tessera-pass.h"

#define PART int stride, int left, int top, int width, int height

/* One work-item makes one pixel of three planes.  1 read of four floats, 3 writes. */
kernel void lens_prepare (global const float4 *image, int image_stride, float4 luminance, global float *weights, global float *lights,
                          global float *sums, int stride, int width, int height)
{
  int    x = get_global_id (0), y = get_global_id (1);
  int    at = y * stride + x;
  float4 pixel;
  float  here, weight;

  if (x >= width || y >= height)
    return;
  pixel = image[y * image_stride + x];
  here = (luminance.x * pixel.x + luminance.y * pixel.y) + luminance.z * pixel.z;
  weight = lens_weight (here, pixel.w);
  here = lens_light (here, weight);
  weights[at] = weight;
  lights[at] = here;
  sums[at] = weight * here;
}

/* The weighted sum of `n` floats, `step` apart, from `from` on. */
static inline float
lens_sum (global const float *from, int step, global const float *taps, int n)
{
  float sum = 0.0f;

  for (int i = 0; i < n; i++)
    sum += taps[i] * from[i * step];
  return sum;
}

/* The sums along y.  One work-item makes one: n reads, 1 write. */
kernel void lens_columns (global const float *from, global float *to, global const float *taps, int radius, PART)
{
  int x = get_global_id (0), y = get_global_id (1);
  int at = (y + top) * stride + x + left;

  if (x < width && y < height)
    to[at] = lens_sum (from + at - radius * stride, stride, taps, 2 * radius + 1);
}

/* Of the blurred weights: 1 / cover.  This and the next two make the sums along x.  One work-item makes one pixel: n + 1 reads, 1 write. */
kernel void lens_cover (global const float *columns, global const float *weights, global float *shares, global const float *taps,
                        int radius, PART)
{
  int x = get_global_id (0), y = get_global_id (1);
  int at = (y + top) * stride + x + left;

  if (x < width && y < height)
    shares[at] = lens_share (lens_sum (columns + at - radius, 1, taps, 2 * radius + 1), weights[at]);
}

/* One work-item makes one ratio: n + 3 reads, 1 write. */
kernel void lens_divide (global const float *columns, global const float *shares, global const float *weights,
                         global const float *lights, global float *ratios, global const float *taps, int radius, PART)
{
  int x = get_global_id (0), y = get_global_id (1);
  int at = (y + top) * stride + x + left;

  if (x < width && y < height)
    ratios[at] = lens_ratio (lights[at], lens_sum (columns + at - radius, 1, taps, 2 * radius + 1) * shares[at], weights[at]);
}

/* The next guess: `results` and `guesses` are what they were, and `results_to` and `guesses_to`, which may be the same, what they are
 * then.  sums: the guess times weight.  One work-item makes one pixel: n + 4 reads, 3 writes. */
kernel void lens_correct (global const float *columns, global const float *shares, global const float *weights,
                          global const float *guesses, global const float *results, global float *guesses_to, global float *results_to,
                          global float *sums, global const float *taps, int radius, PART)
{
  int   x = get_global_id (0), y = get_global_id (1);
  int   at = (y + top) * stride + x + left;
  float now, ahead;

  if (x >= width || y >= height)
    return;
  now = lens_corrected (guesses[at], lens_sum (columns + at - radius, 1, taps, 2 * radius + 1) * shares[at]);
  ahead = lens_ahead (now, results[at]);
  results_to[at] = now;
  guesses_to[at] = ahead;
  sums[at] = weights[at] * ahead;
}

/* The last correction, and the colours.  One work-item makes one pixel: n + 4 reads and the input's pixel, 1 write. */
kernel void lens_finish (global const float *columns, global const float *shares, global const float *weights, global const float *lights,
                         global const float *guesses, global const float *taps, int radius, int stride, float protect,
                         INPUT_ARGS (float4), OUTPUT_ARGS (float4))
{
  int    x = get_global_id (0), y = get_global_id (1);
  int    at = (y + input_top) * stride + x + input_left;
  float  result;
  float4 pixel;

  if (x >= width || y >= height)
    return;
  pixel = input[(y + input_top) * input_stride + x + input_left];
  result = lens_corrected (guesses[at], lens_sum (columns + at - radius, 1, taps, 2 * radius + 1) * shares[at]);
  if (weights[at] > 0.0f)
    pixel.xyz *= lens_factor (result, lights[at], protect);
  output[y * width + x] = pixel;
}
