/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Bilateral grid: measure -> splat (gathered) -> blur x, y, z -> slice.
 *
 * The sums are those of the C path, in the same order.  A dense grid is [cell row][cell][plane] of float8:
 * four values, then four counts.  By luminance, the values are premultiplied R, G, B, A, and the four counts
 * are the same.  By channels, each channel has a value and a count of its own.  The value is the channel's
 * distance from the plane, in planes.  Value and count of R, G and B are multiplied by alpha.  bilateral-grid-sparse.h
 * has the kernels of sparse cells.
 *
 * Pixels are addressed from the band's first uploaded one.  `starts_x` and `starts_y` hold the first pixel of
 * each cell, counted from the image's origin.  (from_x, from_y) is the first uploaded pixel, counted so too.
 * first_cell_row and first_row say where the band begins in the request's tables.
 */
#pragma OPENCL FP_CONTRACT OFF

#include "tessera-dialect.h"
#include "tessera-index.h"
#include "tessera-grid.h"
#include "bilateral-grid-guide.h"

#define GRID_CELL float8

#include "tessera-grid-cells.h"

/* Makes the range empty.  1 work-item. */
kernel void grid_measure_begin (global int *range)
{
  if (get_global_id (0) > 0)
    return;
  range[0] = INT_MAX;
  range[1] = INT_MIN;
}

/* The least and the greatest plane of the pixels that count, in range[0] and range[1].  A group takes every
 * n-th row from (left, top) on, n the number of groups.  local: 2 ints; 1 read a pixel. */
kernel void grid_measure (global const float4 *pixels, global const float4 *guides, int stride,
                          int left, int top, int width, int height, float4 weights,
                          int by_luminance, global int *range)
{
  local int least, most;
  Guide     g = { weights, by_luminance };
  int       low = INT_MAX, high = INT_MIN;

  if (get_local_id (0) == 0)
    {
      least = INT_MAX;
      most = INT_MIN;
    }
  barrier (CLK_LOCAL_MEM_FENCE);
  for (int y = get_group_id (0); y < height; y += get_num_groups (0))
    for (int x = get_local_id (0); x < width; x += get_local_size (0))
      for (int lane = 0; lane < (by_luminance ? 1 : 4); lane++)
        {
          int   at = (y + top) * stride + x + left;
          float p = position (pixels[at], guides[at], lane, g);

          if (grid_counts (p))
            {
              int plane = grid_place (p).plane;

              low = min (low, plane);
              high = max (high, plane);
            }
        }
  atomic_min (&least, low);
  atomic_max (&most, high);
  barrier (CLK_LOCAL_MEM_FENCE);
  if (get_local_id (0) == 0)
    {
      atomic_min (range, least);
      atomic_max (range + 1, most);
    }
}

/* One work-item sums one part of one cell for one lane.  Id 0 is (cell, part column, lane), id 1 is
 * (cell row, part row).  `out` has one dense cell for each part.  Each pixel is read once for each lane, and
 * costs up to 1 read and 1 write of the grid. */
kernel void grid_splat (CELL_ARGS, int parts, int low, int n_planes, global float *out)
{
  int   lanes = by_luminance ? 1 : 4;
  int   lane = get_global_id (0) % lanes;
  int   column = get_global_id (0) / lanes, row = get_global_id (1);
  int4  part;
  Guide g = { weights, by_luminance };
  global float *cell = out + ((long) row * cells_x * parts + column) * n_planes * 8;

  if (column >= cells_x * parts || row >= cells_y * parts)
    return;
  part = part_of (starts_x, starts_y + first_cell_row, parts, column, row);
  for (int z = 0; z < n_planes; z++)
    for (int c = 0; c < (by_luminance ? 8 : 1); c++)
      {
        cell[z * 8 + lane + c] = 0.0f;
        if (! by_luminance)
          cell[z * 8 + lane + 4] = 0.0f;
      }
  for (int py = part.y; py < part.w; py++)
    for (int px = part.x; px < part.z; px++)
      {
        int       at = (py - from_y) * stride + px - from_x;
        float4    pixel = pixels[at];
        float     p = position (pixel, guides[at], lane, g);
        GridPlace place = grid_place (grid_counts (p) ? p : 0.0f);
        global float *sums = cell + clamp (place.plane + place.up - low, 0, n_planes - 1) * 8;

        if (! grid_counts (p))
          continue;
        if (by_luminance)
          vstore8 (vload8 (0, sums) + (float8) (pixel.xyz * pixel.w, pixel.w, (float4) 1.0f), 0, sums);
        else
          {
            sums[lane] += weight_of (pixel, lane) * (place.fraction - place.up);
            sums[lane + 4] += weight_of (pixel, lane);
          }
      }
}

/* The same by luminance where planes are few: one work-item sums one part of one cell for one plane, in private memory.
 * Id 0 is (cell, part column, plane).  Neighbours read the same pixels.  Each is read once for each plane. */
kernel void grid_splat_plane (CELL_ARGS, int parts, int low, int n_planes, global float *out)
{
  const int z = get_global_id (0) % n_planes, column = get_global_id (0) / n_planes, row = get_global_id (1);
  int4      part;
  Guide     g = { weights, by_luminance };
  float8    sum = (float8) 0.0f;

  if (column >= cells_x * parts || row >= cells_y * parts)
    return;
  part = part_of (starts_x, starts_y + first_cell_row, parts, column, row);
  for (int py = part.y; py < part.w; py++)
    for (int px = part.x; px < part.z; px++)
      {
        int       at = (py - from_y) * stride + px - from_x;
        float4    pixel = pixels[at];
        float     p = position (pixel, guides[at], 0, g);
        GridPlace place = grid_place (grid_counts (p) ? p : 0.0f);

        if (grid_counts (p) && clamp (place.plane + place.up - low, 0, n_planes - 1) == z)
          sum += (float8) (pixel.xyz * pixel.w, pixel.w, (float4) 1.0f);
      }
  vstore8 (sum, ((long) row * cells_x * parts + column) * n_planes + z, out);
}

/* `p`: the value's position. */
static float
slice_channel (global const float *grid, int next_x, long next_y, int lane, float value, float p,
               float fx, float fy, int low, float range_sigma)
{
  GridPlace place = grid_place (p);
  float     sums[4];            /* value and count of the plane below, then of the one above */
  float     count;

  if (! grid_counts (p))
    return value;
  grid += clamp (place.plane - low, 0, next_x / 8 - 2) * 8 + lane;
  for (int k = 0; k < 4; k++)
    {
      global const float *g = grid + 4 * k;

      sums[k] = grid_lerp (grid_lerp (g[0], g[next_y], fy),
                           grid_lerp (g[next_x], g[next_x + next_y], fy), fx);
    }
  count = grid_lerp (sums[1], sums[3], place.fraction);
  return count != 0.0f ? value + range_sigma * (grid_lerp (sums[0], sums[2] + sums[3], place.fraction) / count
                                                - place.fraction) : value;
}

/* One work-item makes one pixel.  A plane outside the grid is clamped.  It occurs only if the range was measured
 * wrongly.  No local memory; 16 reads of float8 (4 times 16 floats by channels), cached, 1 read and 1 write of
 * the image.  (left, top) is the place of the output's first pixel in the uploaded image. */
kernel void grid_slice (SLICE_ARGS, int low, int n_planes, global const float *grid, global float4 *out, int width, int height)
{
  int    x = get_global_id (0), y = get_global_id (1);
  int    at = (y + top) * stride + x + left;
  int    next_x = n_planes * 8;
  long   next_y = (long) next_x * cells_x;
  Guide  g = { weights, by_luminance };
  float4 pixel, result;
  float  fx, fy;

  if (x >= width || y >= height)
    return;
  pixel = pixels[at];
  fx = fractions[x];
  fy = fractions_down[first_row + y];
  grid += (cells_down[first_row + y] - first_cell_row) * next_y + (long) cells[x] * next_x;
  if (by_luminance)
    {
      float     p = position (pixel, guides[at], 0, g);
      GridPlace place = grid_place (p);
      float8    sums[2], mean;

      result = pixel;
      if (grid_counts (p))
        {
          grid += clamp (place.plane - low, 0, n_planes - 2) * 8;
          for (int z = 0; z < 2; z++)
            {
              float8 a = vload8 (0, grid + z * 8), b = vload8 (0, grid + z * 8 + next_x);

              a = a + fy * (vload8 (0, grid + z * 8 + next_y) - a);
              b = b + fy * (vload8 (0, grid + z * 8 + next_x + next_y) - b);
              sums[z] = a + fx * (b - a);
            }
          mean = sums[0] + place.fraction * (sums[1] - sums[0]);
          result = finish_luminance (mean.lo, pixel);
        }
    }
  else if (pixel.w == 0.0f)
    {
      result = pixel;
    }
  else
    {
      result.x = slice_channel (grid, next_x, next_y, 0, pixel.x, position (pixel, pixel, 0, g), fx, fy, low, range_sigma);
      result.y = slice_channel (grid, next_x, next_y, 1, pixel.y, position (pixel, pixel, 1, g), fx, fy, low, range_sigma);
      result.z = slice_channel (grid, next_x, next_y, 2, pixel.z, position (pixel, pixel, 2, g), fx, fy, low, range_sigma);
      result.w = slice_channel (grid, next_x, next_y, 3, pixel.w, position (pixel, pixel, 3, g), fx, fy, low, range_sigma);
    }
  out[y * width + x] = result;
}

#include "bilateral-grid-sparse.h"
