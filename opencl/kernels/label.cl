/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Connected components (operations/tessera-label.c) of a whole image.  Pixels are numbered row by row.
 * `labels` is a forest over them.  A pixel points to one of its component with a smaller number, a root points to
 * itself, and background is -1.  Two trees are joined at their roots, the larger number below the smaller.  So a
 * root is the first pixel of its component in raster order, whatever the order of the joins.  At the roots, `areas`
 * holds the numbers of pixels, later the ranks.
 *
 * S. Jaiganesh, M. Burtscher, A High-Performance Connected Components Implementation for
 * GPUs, HPDC 2018: joins without locks, and paths that are made shorter on the way.
 */
#pragma OPENCL FP_CONTRACT OFF

#include "tessera-dialect.h"
#include "tessera-convert.h"
#include "tessera-label.h"

/* Finds runs of foreground in rows `top` to `bottom`.  A run ends at its group's edge.  One work-item labels one
 * pixel with the pixel where its run begins.  There, areas gets the length of the run, elsewhere 0.
 *
 * Groups of at most SEGMENT x 4; local: their foreground, a bit for each pixel.  1 read of 16 bytes, 2 writes. */
kernel void label_find (global const float *image, int width, int top, int bottom, float4 weights, int by_alpha,
                        float threshold, global int *labels, global int *areas)
{
  local uint  bits[SEGMENT * 4];
  const int   x = get_global_id (0), y = top + get_global_id (1), column = get_local_id (0);
  const int   i = y * width + x;
  local uint *row = bits + get_local_id (1) * SEGMENT;
  int         is_on = 0, start;
  uint4       all = 0;
  uint        segment, below, above;

  if (x < width && y < bottom)
    {
      const float4 pixel = vload4 (i, image);

      is_on = label_is_foreground (by_alpha ? pixel.w : (weights.x * pixel.x + weights.y * pixel.y) + weights.z * pixel.z,
                                   pixel.w, threshold);
    }
  for (int k = column; k < SEGMENT; k += get_local_size (0))
    row[k] = k == column ? (uint) is_on << k : 0u;
  barrier (CLK_LOCAL_MEM_FENCE);
  if (x >= width || y >= bottom)
    return;
  for (int k = 0; k < SEGMENT / 4; k++)
    all |= vload4 (k, row);
  segment = all.x | all.y | all.z | all.w;
  below = ~segment & ((1u << column) - 1u);             /* the background before this pixel */
  above = ~(segment >> column);
  start = SEGMENT - clz (below);
  labels[i] = is_on ? i - column + start : -1;
  areas[i] = is_on && start == column ? popcount ((above & (0u - above)) - 1u) : 0;     /* if `above` is 0: all 32 */
}

/* The root above i.  The pixels on the way are made to point further up. */
static int
find_root (volatile global int *labels, int i)
{
  int here = labels[i], next;

  while (here != (next = labels[here]))
    {
      labels[i] = next;
      i = here;
      here = next;
    }
  return here;
}

static void
join (volatile global int *labels, int a, int b)
{
  a = find_root (labels, a);
  b = find_root (labels, b);
  while (a != b)
    {
      const int high = max (a, b), low = min (a, b);
      const int old = atomic_cmpxchg (labels + high, high, low);

      if (old == high)
        return;
      a = find_root (labels, old);      /* another work-item was first */
      b = find_root (labels, low);
    }
}

/* One work-item joins one pixel of rows `top` to `bottom` to its neighbours above.  At the start of a run that was
 * cut, it joins the pixel to its left neighbour too.  Joins that another pixel makes are left out.  6 reads, at most
 * 3 joins. */
kernel void label_join (volatile global int *labels, global const int *areas, int width, int top, int bottom,
                        int diagonals)
{
  const int x = get_global_id (0), y = top + get_global_id (1);
  const int i = y * width + x;
  int       left, up, up_left;

  if (x >= width || y >= bottom || labels[i] < 0)
    return;
  left = x > 0 && labels[i - 1] >= 0;
  up = y > 0 && labels[i - width] >= 0;
  up_left = x > 0 && y > 0 && labels[i - width - 1] >= 0;
  if (left && areas[i] > 0)
    join (labels, i, i - 1);
  if (! diagonals)
    {
      if (up && ! (left && up_left))
        join (labels, i, i - width);
    }
  else if (up)
    {
      if (! left)               /* else the left pixel joins it, as its diagonal */
        join (labels, i, i - width);
    }
  else
    {
      if (up_left && ! left)
        join (labels, i, i - width - 1);
      if (y > 0 && x + 1 < width && labels[i - width + 1] >= 0)
        join (labels, i, i - width + 1);
    }
}

/* One work-item shortens the way from one pixel of rows `top` to `bottom` to its root. */
kernel void label_shorten (volatile global int *labels, int width, int top, int bottom)
{
  const int x = get_global_id (0), y = top + get_global_id (1);
  const int i = y * width + x;

  if (x < width && y < bottom && labels[i] >= 0)
    find_root (labels, i);
}

/* One work-item gives one pixel its root, and adds the area of its run to the root's.  A large component would make
 * all work-items wait for one number.  So a group adds the areas of its first root in local memory, then once to the
 * root.  A work-item writes to no label but its own, so what is written stays.  local: 2 ints. */
kernel void label_flatten (volatile global int *labels, volatile global int *areas, int width, int height)
{
  local int common, sum;
  const int x = get_global_id (0), y = get_global_id (1);
  const int i = y * width + x;
  int       root = -1, area = 0;

  if (get_local_id (0) == 0 && get_local_id (1) == 0)
    {
      common = INT_MAX;
      sum = 0;
    }
  barrier (CLK_LOCAL_MEM_FENCE);
  if (x < width && y < height && labels[i] >= 0)
    {
      for (root = labels[i]; labels[root] != root; root = labels[root]);
      if (root != i && areas[i] > 0)
        {
          area = areas[i];
          atomic_min (&common, root);
        }
      labels[i] = root;
    }
  barrier (CLK_LOCAL_MEM_FENCE);
  if (area > 0 && root == common)
    atomic_add (&sum, area);
  else if (area > 0)
    atomic_add (areas + root, area);
  barrier (CLK_LOCAL_MEM_FENCE);
  if (sum > 0 && get_local_id (0) == 0 && get_local_id (1) == 0)
    atomic_add (areas + common, sum);
}

/* One work-item counts the components that begin in CHUNK pixels and are kept. */
kernel void label_count (global const int *labels, global const int *areas, int n, int min_area,
                         global int *counts)
{
  const int first = get_global_id (0) * CHUNK, end = min (first + CHUNK, n);
  int       count = 0;

  if (first >= n)
    return;
  for (int i = first; i < end; i++)
    count += labels[i] == i && areas[i] >= min_area ? 1 : 0;
  counts[get_global_id (0)] = count;
}

/* One work-item adds up CHUNK of the n numbers at `from`.  The sums go to `to`. */
kernel void label_sum (global int *counts, int from, int n, int to)
{
  const int first = get_global_id (0) * CHUNK, end = min (first + CHUNK, n);
  int       sum = 0;

  if (first >= n)
    return;
  for (int i = first; i < end; i++)
    sum += counts[from + i];
  counts[to + get_global_id (0)] = sum;
}

/* The way back: each number at `from` becomes the sum of all numbers before it.  At `to` are these sums for the
 * chunks.  If to < 0, there is one chunk, and its sum goes to `total`. */
kernel void label_offsets (global int *counts, int from, int n, int to, global int *total)
{
  const int first = get_global_id (0) * CHUNK, end = min (first + CHUNK, n);
  int       sum;

  if (first >= n)
    return;
  sum = to >= 0 ? counts[to + get_global_id (0)] : 0;
  for (int i = first; i < end; i++)
    {
      const int count = counts[from + i];

      counts[from + i] = sum;
      sum += count;
    }
  if (to < 0)
    total[0] = sum;
}

/* One work-item numbers the components that begin in CHUNK pixels.  Their areas become ranks, or 0 if they are
 * dropped. */
kernel void label_rank (global const int *labels, global int *areas, int n, int min_area,
                        global const int *offsets)
{
  const int first = get_global_id (0) * CHUNK, end = min (first + CHUNK, n);
  int       rank;

  if (first >= n)
    return;
  rank = offsets[get_global_id (0)];
  for (int i = first; i < end; i++)
    if (labels[i] == i)
      areas[i] = areas[i] >= min_area ? ++rank : 0;
}

static int
label_at (global const int *labels, global const int *ranks, int i)
{
  return labels[i] < 0 ? 0 : ranks[labels[i]];
}

/* One work-item makes one pixel of the result.  The result begins at (left, top) of the labelled image.  2 reads,
 * 1 write. */
kernel void label_values (global const int *labels, global const int *ranks, int image_width, int left, int top,
                          global float *out, int width, int height, int is_mask)
{
  const int x = get_global_id (0), y = get_global_id (1);
  int       label;

  if (x >= width || y >= height)
    return;
  label = label_at (labels, ranks, (y + top) * image_width + x + left);
  out[y * width + x] = is_mask ? (float) (label > 0) : (float) label;
}

/* The alpha of the labelled image. */
static float
alpha_at (global const float *image, int has_alpha, int i)
{
  return has_alpha ? image[4 * (long) i + 3] : 1.0f;
}

/* As label_values: the label's colour, as 4 bytes.  2 or 3 reads, 1 write. */
kernel void label_bytes (global const int *labels, global const int *ranks, int image_width, int left, int top,
                         global uchar *out, int width, int height, global const float *image, int has_alpha)
{
  const int x = get_global_id (0), y = get_global_id (1);
  int       label, color;
  float     alpha;

  if (x >= width || y >= height)
    return;
  label = label_at (labels, ranks, (y + top) * image_width + x + left);
  color = label > 0 ? label_color (label) : 0;
  alpha = alpha_at (image, has_alpha, (y + top) * image_width + x + left);
  vstore4 ((uchar4) (color & 255, color >> 8 & 255, color >> 16 & 255, quantised (alpha, 255.0f)), y * width + x, out);
}

/* The same as floats.  values: the 256 codes as floats.  is_associated: the colours are multiplied by alpha. */
kernel void label_colors (global const int *labels, global const int *ranks, int image_width, int left, int top,
                          global float *out, int width, int height, global const float *image, int has_alpha,
                          int is_associated, global const float *values)
{
  const int x = get_global_id (0), y = get_global_id (1);
  int       label, color;
  float     alpha, factor;

  if (x >= width || y >= height)
    return;
  label = label_at (labels, ranks, (y + top) * image_width + x + left);
  color = label > 0 ? label_color (label) : 0;
  alpha = alpha_at (image, has_alpha, (y + top) * image_width + x + left);
  factor = is_associated ? alpha_factor (alpha) : 1.0f;
  vstore4 ((float4) (values[color & 255] * factor, values[color >> 8 & 255] * factor, values[color >> 16 & 255] * factor,
                     alpha), y * width + x, out);
}
