/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * SIFT: the luminance, the doubled picture, Gaussian levels, the extremes of their differences (here), their places, angles
 * and descriptors (sift-points.h).  The same sums in the same order as in C: a sum of floats begins with 0 and adds tap after
 * tap (operations/sums/tap-sum.c).
 *
 * Levels are of a strip, the rows of an octave from `top` on: `rows` rows of `width` floats for each level, one level behind
 * another.
 */
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#include "tessera-dialect.h"
#include "tessera-convert.h"
#include "tessera-seen.h"
#include "tessera-see.h"
#include "tessera-extreme.h"
#include "tessera-portable.h"
#include "tessera-angle.h"
#include "tessera-sift.h"
#include "tessera-sift-window.h"
#include "tessera-sift-point.h"
#include "sift-points.h"

/* One work-item makes the luminance of one pixel; any group; no local memory; 1 read, 1 write of a float. */
kernel void sift_see (global const float *input, int input_stride, global float *seen, int width, int height, int components,
                      float4 weights, int is_encoded)
{
  int x = get_global_id (0);
  int y = get_global_id (1);

  if (x < width && y < height)
    seen[(long) y * width + x] = see_pixel (input, y * input_stride + x, components, weights, is_encoded);
}

/* A row twice as wide. */
static inline float
widened (global const float *row, int width, int x)
{
  int near = x >> 1;
  int far = x & 1 ? min (near + 1, width - 1) : max (near - 1, 0);

  return 0.75f * row[near] + 0.25f * row[far];
}

/* Rows of the doubled picture, from row `top` of it on.  One work-item makes one pixel; any group; no local memory; 4 reads,
 * 1 write. */
kernel void sift_double (global const float *seen, int width, int height, global float *doubled, int top, int rows)
{
  int x = get_global_id (0);
  int y = get_global_id (1);
  int near = (y + top) >> 1;
  int far = (y + top) & 1 ? min (near + 1, height - 1) : max (near - 1, 0);

  if (x < 2 * width && y < rows)
    doubled[(long) y * 2 * width + x] = 0.75f * widened (seen + (long) near * width, width, x)
                                        + 0.25f * widened (seen + (long) far * width, width, x);
}

/* Along x; groups that lie away from the edges need no clamp.  One work-item makes four pixels, one above another, with one look at
 * each weight, Price: 1.1 (points, 24 Mpix u8; H200, 2026-11-28).  They are of rows `first` to `end`, which are those of `from` from
 * row `from_row` on; any group; no local memory; 8 radius + 4 reads, 4 writes. */
kernel void sift_along (global const float *from, int from_row, global float *sums, int width, int first, int end,
                        constant float *weights, int radius)
{
  int    x = get_global_id (0);
  int    y = 4 * get_global_id (1) + first;
  int    left = x - (int) get_local_id (0), n = 2 * radius + 1;        /* a wide row is cut: the number of the group would not do */
  int    b = min (1, end - 1 - y) * width, c = min (2, end - 1 - y) * width, d = min (3, end - 1 - y) * width;
  float4 four = (float4) 0.0f;

  if (x >= width || y >= end)
    return;
  from += (long) (from_row + y) * width;
  if (left >= radius && left + (int) get_local_size (0) + radius <= width)
    for (int i = x - radius; i <= x + radius; i++)
      four += weights[i - x + radius] * (float4) (from[i], from[i + b], from[i + c], from[i + d]);
  else
    for (int i = 0; i < n; i++)
      {
        const int at = clamp (x + i - radius, 0, width - 1);

        four += weights[i] * (float4) (from[at], from[at + b], from[at + c], from[at + d]);
      }
  sums += (long) y * width + x;
  sums[0] = four.x;
  if (y + 1 < end)
    sums[width] = four.y;
  if (y + 2 < end)
    sums[2 * width] = four.z;
  if (y + 3 < end)
    sums[3 * width] = four.w;
}

/* Four sums along y of n taps each, from `at` and the rows below it on: what is read counts for all four. */
static inline float4
sift_four_sums (global const float *at, int width, constant float *weights, int n)
{
  float4 sums = (float4) 0.0f;
  float  v;

  sums.x += weights[0] * at[0];
  v = *(at += width);
  sums.x += weights[1] * v;
  sums.y += weights[0] * v;
  v = *(at += width);
  sums.x += weights[2] * v;
  sums.y += weights[1] * v;
  sums.z += weights[0] * v;
  for (int i = 3; i < n; i++)
    {
      v = *(at += width);
      sums += (float4) (weights[i], weights[i - 1], weights[i - 2], weights[i - 3]) * v;
    }
  v = *(at += width);
  sums.y += weights[n - 1] * v;
  sums.z += weights[n - 2] * v;
  sums.w += weights[n - 3] * v;
  v = *(at += width);
  sums.z += weights[n - 1] * v;
  sums.w += weights[n - 2] * v;
  v = *(at += width);
  sums.w += weights[n - 1] * v;
  return sums;
}

/* Along y; row 0 and the last one of the strip's `rows` count beyond it, which matters at the octave's edges alone.  One
 * work-item makes four pixels, one above another; any group; no local memory; 2 radius + 4 reads, 4 writes. */
kernel void sift_down (global const float *sums, int rows, global float *to, int to_row, int width, int first, int end,
                       constant float *weights, int radius)
{
  int   x = get_global_id (0);
  int   y = 4 * get_global_id (1) + first;
  int   n = 2 * radius + 1;
  float four[4];

  if (x >= width || y >= end)
    return;
  if (y >= radius && y + 3 + radius < rows)
    vstore4 (sift_four_sums (sums + (long) (y - radius) * width + x, width, weights, n), 0, four);
  else
    for (int k = 0; k < 4; k++)
      {
        four[k] = 0.0f;
        for (int i = 0; i < n; i++)
          four[k] += weights[i] * sums[(long) clamp (y + k + i - radius, 0, rows - 1) * width + x];
      }
  to += (long) (to_row + y) * width + x;
  for (int k = 0; k < 4 && y + k < end; k++)
    to[(long) k * width] = four[k];
}

/* Rows `first` to `end`.  One work-item copies one float. */
kernel void sift_copy (global const float *from, int from_row, global float *to, int width, int first, int end)
{
  int x = get_global_id (0);
  int y = get_global_id (1) + first;

  if (x < width && y < end)
    to[(long) y * width + x] = from[(long) (from_row + y) * width + x];
}

/* Every second pixel: rows of the next octave, whose row y is row 2 y + from_row of the levels.  One work-item copies one
 * float. */
kernel void sift_halve (global const float *levels, int from_row, int width, global float *next, int first, int end)
{
  int x = get_global_id (0);
  int y = get_global_id (1) + first;

  if (x < width / 2 && y < end)
    next[(long) y * (width / 2) + x] = levels[(long) (from_row + 2 * y) * width + 2 * x];
}

/* D of layer l and the eight around it. */
static void
read_nine (global const float *at, long plane, int width, float *nine)
{
  global const float *low = at - width - 1;
  global const float *high = low + plane;

  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      nine[3 * i + k] = high[i * width + k] - low[i * width + k];
}

/* Appends the candidates of rows `first` to `end` of the strip.  One work-item looks at one pixel; any group; no local memory;
 * n reads and up to 18 n more. */
kernel void sift_scan (SIFT_LEVELS, int n, int first, int end, float least, global int *counts,
                       global SiftCandidate *candidates, int most)
{
  const long plane = (long) rows * width;
  int        x = get_global_id (0);
  int        y = get_global_id (1) + first;
  float      nine[27], low, high;

  if (y >= end || x < EXTREME_FRAME || y + top < EXTREME_FRAME || x >= width - EXTREME_FRAME || y + top >= height - EXTREME_FRAME)
    return;
  levels += (long) y * width + x;
  low = levels[plane];
  for (int l = 1; l < n - 2; l++, low = high)
    {
      high = levels[(l + 1) * plane];
      if (high - low > least || high - low < -least)
        {
          for (int i = 0; i < 3; i++)
            read_nine (levels + (l - 1 + i) * plane, plane, width, nine + 9 * i);
          if (extreme_is_one (nine, nine[13], least))
            sift_note (counts, candidates, most, l, y + top, x);
        }
    }
}
