/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * SIFT: the luminance, the doubled picture, Gaussian levels, the extremes of their differences (here), their places, angles
 * and descriptors (sift-points.h).  The same sums in the same order as in C: a sum of floats begins with 0 and adds tap after
 * tap (operations/shared/tap-sum.c).
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

/* Along x; groups that lie away from the edges need no clamp.  One work-item makes one pixel of rows `first` to `end`, which are
 * those of `from` from row `from_row` on; any group; no local memory; 2 radius + 1 reads, 1 write. */
kernel void sift_along (global const float *from, int from_row, global float *sums, int width, int first, int end,
                        global const float *weights, int radius)
{
  int   x = get_global_id (0);
  int   y = get_global_id (1) + first;
  int   left = get_group_id (0) * get_local_size (0);
  float sum = 0.0f;

  if (x >= width || y >= end)
    return;
  from += (long) (from_row + y) * width;
  if (left >= radius && left + (int) get_local_size (0) + radius <= width)
    for (int i = -radius; i <= radius; i++)
      sum += weights[i + radius] * from[x + i];
  else
    for (int i = -radius; i <= radius; i++)
      sum += weights[i + radius] * from[clamp (x + i, 0, width - 1)];
  sums[(long) y * width + x] = sum;
}

/* Along y; row 0 and the last one of the strip's `rows` count beyond it, which matters at the octave's edges alone.  One
 * work-item makes one pixel; any group; no local memory; 2 radius + 1 reads, 1 write. */
kernel void sift_down (global const float *sums, int rows, global float *to, int to_row, int width, int first, int end,
                       global const float *weights, int radius)
{
  int   x = get_global_id (0);
  int   y = get_global_id (1) + first;
  float sum = 0.0f;

  if (x >= width || y >= end)
    return;
  for (int i = -radius; i <= radius; i++)
    sum += weights[i + radius] * sums[(long) clamp (y + i, 0, rows - 1) * width + x];
  to[(long) (to_row + y) * width + x] = sum;
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

  if (y >= end || ! extreme_is_inside (x, y + top, width, height))
    return;
  levels += (long) y * width + x;
  low = levels[plane];
  for (int l = 1; l < n - 2; l++, low = high)
    {
      high = levels[(l + 1) * plane];
      if (extreme_is_far (high - low, least))
        {
          for (int i = 0; i < 3; i++)
            read_nine (levels + (l - 1 + i) * plane, plane, width, nine + 9 * i);
          if (extreme_is_one (nine, nine[13], least))
            sift_note (counts, candidates, most, l, y + top, x);
        }
    }
}
