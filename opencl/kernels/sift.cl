/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * SIFT's Gaussian levels and the extremes of their differences, on some rows of an octave.  A sum begins with 0 and adds
 * tap after tap, as in C (operations/shared/tap-sum.c).
 */
#pragma OPENCL FP_CONTRACT OFF

#include "tessera-dialect.h"
#include "tessera-extreme.h"

/* Along x; groups that lie away from the edges need no clamp.  One work-item makes one pixel of rows `first` to `end`; any group; no local memory; 2 radius + 1 reads, 1 write. */
kernel void sift_along (global const float *from, int level, int plane, global float *rows, int width, int first, int end,
                        global const float *weights, int radius)
{
  int   x = get_global_id (0);
  int   y = get_global_id (1) + first;
  int   left = get_group_id (0) * get_local_size (0);
  float sum = 0.0f;

  if (x >= width || y >= end)
    return;
  from += (long) level * plane + (long) y * width;
  if (left >= radius && left + (int) get_local_size (0) + radius <= width)
    for (int i = -radius; i <= radius; i++)
      sum += weights[i + radius] * from[x + i];
  else
    for (int i = -radius; i <= radius; i++)
      sum += weights[i + radius] * from[clamp (x + i, 0, width - 1)];
  rows[y * width + x] = sum;
}

/* Along y; rows from `first` to `end` are the octave's.  One work-item makes one pixel; any group; no local memory;
 * 2 radius + 1 reads, 1 write. */
kernel void sift_down (global const float *rows, global float *to, int level, int plane, int width, int first, int end,
                       global const float *weights, int radius)
{
  int   x = get_global_id (0);
  int   y = get_global_id (1) + first;
  float sum = 0.0f;

  if (x >= width || y >= end)
    return;
  for (int i = -radius; i <= radius; i++)
    sum += weights[i + radius] * rows[clamp (y + i, first, end - 1) * width + x];
  to[(long) level * plane + (long) y * width + x] = sum;
}

/* One work-item copies one float. */
kernel void sift_copy (global const float *from, global float *to, int n)
{
  int i = get_global_id (0);

  if (i < n)
    to[i] = from[i];
}

/* D of layer l and the eight around it. */
static void
read_nine (global const float *levels, int plane, int l, int width, int x, int y, float *nine)
{
  global const float *low = levels + (long) l * plane + (y - 1) * width + x - 1;
  global const float *high = low + plane;

  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      nine[3 * i + k] = high[i * width + k] - low[i * width + k];
}

/* The output has n levels a pixel, and a number whose bit l - 1 says that the pixel is a candidate of layer l.  The
 * band's first row is `top` of the levels and `y_0` of the octave.  One work-item makes one pixel; any group; no local
 * memory; n reads and up to 18 n more, n + 1 writes. */
kernel void sift_scan (global const float *levels, int plane, int n, int top, global float *output, int width, int height,
                       int y_0, int octave_height, float least)
{
  int   x = get_global_id (0);
  int   y = get_global_id (1);
  int   bits = 0;
  float nine[27];
  global float *to = output + (long) (n + 1) * (y * width + x);

  if (x >= width || y >= height)
    return;
  for (int l = 0; l < n; l++)
    to[l] = levels[(long) l * plane + (y + top) * width + x];
  for (int l = 1; l < n - 2; l++)
    {
      float here = to[l + 1] - to[l];

      if (extreme_is_far (here, least) && extreme_is_inside (x, y + y_0, width, octave_height))
        {
          for (int i = 0; i < 3; i++)
            read_nine (levels, plane, l - 1 + i, width, x, y + top, nine + 9 * i);
          bits |= extreme_is_one (nine, here, least) << (l - 1);
        }
    }
  to[n] = bits;
}
