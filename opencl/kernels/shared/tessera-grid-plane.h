/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: OpenCL C.  A plane that is smoothed by a bilateral grid of its own (operations/grid/grid-plane.c; grid-device.c launches
 * these kernels).  Its pixels are pairs: a value, and its weight.  Values are stored as their distance from the plane of the grid, in
 * planes, times the weight.  The sums are those of the C path, in the same order.
 *
 * Pixels are addressed as in bilateral-grid.cl.
 */
#define GRID_CELL float2

#include "tessera-grid-cells.h"

/* As an int that grows with the float; and back. */
static int
ordered_bits (int bits)
{
  return bits < 0 ? bits ^ 0x7fffffff : bits;
}

/* The place on the range axis, in planes; NAN if the pixel does not count. */
static float
plane_position (float2 pair, float per_plane)
{
  return grid_weighs (pair.x, pair.y) ? pair.x * per_plane : NAN;
}

/* Makes the range empty.  1 work-item. */
kernel void grid_plane_measure_begin (global int *range)
{
  if (get_global_id (0) > 0)
    return;
  range[0] = INT_MAX;
  range[1] = INT_MIN;
}

/* The least and the greatest value that has a weight, as ordered bits.  A group takes every n-th row, n the number of groups.
 * local: 2 ints; 1 read a pixel. */
kernel void grid_plane_measure (global const float2 *pairs, int stride, int width, int height, global int *range)
{
  local int least, most;
  int       low = INT_MAX, high = INT_MIN;

  if (get_local_id (0) == 0)
    {
      least = INT_MAX;
      most = INT_MIN;
    }
  barrier (CLK_LOCAL_MEM_FENCE);
  for (int y = get_group_id (0); y < height; y += get_num_groups (0))
    for (int x = get_local_id (0); x < width; x += get_local_size (0))
      {
        float2 pair = pairs[y * stride + x];
        int    bits = ordered_bits (as_int (pair.x));

        if (grid_weighs (pair.x, pair.y))
          {
            low = min (low, bits);
            high = max (high, bits);
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

/* The arguments with which kernels begin that fill cells, and those that make pixels of cells. */
#define PLANE_CELL_ARGS \
  global const float2 *pairs, int stride, int from_x, int from_y, float per_plane, \
  global const int *starts_x, global const int *starts_y, int first_cell_row, int cells_x, int cells_y
#define PLANE_SLICE_ARGS \
  global const float2 *pairs, int stride, int left, int top, float per_plane, float range_sigma, global const int *cells, \
  global const float *fractions, global const int *cells_down, global const float *fractions_down, int first_row, \
  int first_cell_row, int cells_x

/* One work-item sums one part of one cell.  Id 0 is (cell, part column), id 1 is (cell row, part row).  `out` has one dense cell
 * for each part.  Each pixel is read once, and costs up to 1 read and 1 write of the grid. */
kernel void grid_plane_splat (PLANE_CELL_ARGS, int parts, int low, int n_planes, global float2 *out)
{
  int  column = get_global_id (0), row = get_global_id (1);
  int4 part;
  global float2 *cell = out + ((long) row * cells_x * parts + column) * n_planes;

  if (column >= cells_x * parts || row >= cells_y * parts)
    return;
  part = part_of (starts_x, starts_y + first_cell_row, parts, column, row);
  for (int z = 0; z < n_planes; z++)
    cell[z] = (float2) 0.0f;
  for (int y = part.y; y < part.w; y++)
    for (int x = part.x; x < part.z; x++)
      {
        float2    pair = pairs[(y - from_y) * stride + x - from_x];
        float     p = plane_position (pair, per_plane);
        GridPlace place = grid_place (grid_counts (p) ? p : 0.0f);

        if (grid_counts (p))
          cell[clamp (place.plane + place.up - low, 0, n_planes - 1)]
            += (float2) (pair.y * (place.fraction - place.up), pair.y);
      }
}

/* One work-item makes one pixel.  A plane outside the grid is clamped.  It occurs only if the range was measured wrongly.  1 read of
 * the plane, 8 of the grid, cached, 1 write. */
kernel void grid_plane_slice (PLANE_SLICE_ARGS, int low, int n_planes, global const float2 *grid, global float *out,
                              int width, int height)
{
  int       x = get_global_id (0), y = get_global_id (1);
  float2    pair, sums[2];
  float     p, fx, fy, count;
  GridPlace place;

  if (x >= width || y >= height)
    return;
  pair = pairs[(y + top) * stride + x + left];
  p = plane_position (pair, per_plane);
  out += y * width + x;
  if (! grid_counts (p))
    {
      *out = pair.x;
      return;
    }
  place = grid_place (p);
  fx = fractions[x];
  fy = fractions_down[first_row + y];
  grid += ((long) (cells_down[first_row + y] - first_cell_row) * cells_x + cells[x]) * n_planes
          + clamp (place.plane - low, 0, n_planes - 2);
  for (int z = 0; z < 2; z++)
    {
      global const float2 *g = grid + z, *below = g + (long) cells_x * n_planes;
      float2 a = g[0] + fy * (below[0] - g[0]);
      float2 b = g[n_planes] + fy * (below[n_planes] - g[n_planes]);

      sums[z] = a + fx * (b - a);
    }
  count = grid_lerp (sums[0].y, sums[1].y, place.fraction);
  *out = count != 0.0f ? pair.x + range_sigma * (grid_lerp (sums[0].x, sums[1].x + sums[1].y, place.fraction) / count
                                                 - place.fraction) : pair.x;
}

/* One work-item fills the hash table of one cell.  Id 0 is the cell, id 1 is the cell row. */
kernel void grid_plane_sparse_build (PLANE_CELL_ARGS, int capacity, int odd, global int *tables)
{
  int i = get_global_id (0), j = get_global_id (1);
  int x0, y0, x1, y1;
  int part = 0;
  global int *table = tables + ((long) j * cells_x + i) * capacity * GRID_ENTRY (1);

  if (i >= cells_x || j >= cells_y)
    return;
  x0 = starts_x[i];
  x1 = starts_x[i + 1];
  y0 = starts_y[first_cell_row + j];
  y1 = starts_y[first_cell_row + j + 1];
  grid_clear_table (table, capacity, 1);
  for (int part_y = y0; part_y < y1; part_y += GRID_PART)
    for (int part_x = x0; part_x < x1; part_x += GRID_PART, part++)
      for (int y = part_y; y < min (part_y + GRID_PART, y1); y++)
        for (int x = part_x; x < min (part_x + GRID_PART, x1); x++)
          {
            float2    pair = pairs[(y - from_y) * stride + x - from_x];
            float     p = plane_position (pair, per_plane);
            GridPlace place = grid_place (p);
            global int *sums;

            if (! grid_counts (p))
              continue;
            sums = table + grid_enter (table, capacity, odd, 1, place.plane + place.up, part);
            grid_add (sums, pair.y * (place.fraction - place.up));
            grid_add (sums + 1, pair.y);
          }
  grid_finish_table (table, capacity, 1);
}

/* One work-item makes one pixel.  64 look-ups. */
kernel void grid_plane_sparse_slice (PLANE_SLICE_ARGS, int capacity, int odd, global const int *tables, global float *out,
                                     int width, int height)
{
  int       x = get_global_id (0), y = get_global_id (1);
  float2    pair;
  float     p, count;
  GridPlace place;
  long      found[64];
  float     sums[2][2];

  if (x >= width || y >= height)
    return;
  pair = pairs[(y + top) * stride + x + left];
  p = plane_position (pair, per_plane);
  out += y * width + x;
  if (! grid_counts (p))
    {
      *out = pair.x;
      return;
    }
  place = grid_place (p);
  for (int k = 0; k < 64; k++)
    {
      int  cell_x = cells[x] - 1 + k % 4, cell_y = cells_down[first_row + y] - first_cell_row - 1 + k / 4 % 4;
      long table = ((long) cell_y * cells_x + cell_x) * capacity * GRID_ENTRY (1);
      long entry = table + grid_find (tables + table, capacity, odd, 1, place.plane + k / 16 - 1);

      found[k] = tables[entry + 1] == -1 ? -1 : entry;
    }
  for (int k = 0; k < 2; k++)
    grid_gather (tables, found, k, k == 0 ? 1 : -1, fractions[x], fractions_down[first_row + y], sums[k]);
  count = grid_lerp (sums[1][0], sums[1][1], place.fraction);
  *out = count != 0.0f ? pair.x + range_sigma * (grid_lerp (sums[0][0], sums[0][1] + sums[1][1], place.fraction) / count
                                                 - place.fraction) : pair.x;
}
