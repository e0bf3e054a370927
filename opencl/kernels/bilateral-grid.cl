/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Bilateral grid: measure -> splat (gathered) -> blur x, y, z -> slice.
 *
 * The same sums in the same order as the C path.  A dense grid is
 * [cell row][cell][plane] of float8: four values, four counts; with luminance as
 * guide the values are premultiplied R, G, B, A and the counts all alike, else
 * each channel has its own value (its distance from the plane, in planes) and
 * count, R, G and B times alpha.  Sparse cells are the hash tables of tessera-grid.h.
 *
 * Pixels are addressed from the band's first uploaded one; `starts_x` and
 * `starts_y` hold, from the image's origin, the first pixel of each cell;
 * (from_x, from_y) is the uploaded image's origin in those coordinates;
 * first_cell_row and first_row say where the band begins in the request's tables.
 */
#pragma OPENCL FP_CONTRACT OFF

#include "tessera-dialect.h"
#include "tessera-index.h"
#include "tessera-grid.h"

/* What every kernel knows of the request. */
typedef struct
{
  float4 weights;               /* luminance of R, G, B; w: 1/r, planes per unit */
  int    by_luminance;
} Guide;

static float
component (float4 pixel, int lane)
{
  return lane == 0 ? pixel.x : lane == 1 ? pixel.y : lane == 2 ? pixel.z : pixel.w;
}

/* p of channel `lane`, or of the guide.  NAN where the pixel does not count. */
static float
position (float4 pixel, float4 guide, int lane, Guide g)
{
  float4 w = g.weights;
  float4 premultiplied = (float4) (pixel.xyz * pixel.w, pixel.w);

  if (! g.by_luminance)
    return lane == 3 || pixel.w == 1.0f || grid_weighs (component (pixel, lane), pixel.w) ? component (pixel, lane) * w.w : NAN;
  if (! all (fabs (premultiplied) <= (float4) FLT_MAX) || pixel.w == 0.0f || guide.w == 0.0f)
    return NAN;
  return ((w.x * guide.x + w.y * guide.y) + w.z * guide.z) * w.w;
}

/* What lane `lane` of a pixel weighs. */
static float
weight_of (float4 pixel, int lane)
{
  return lane < 3 ? pixel.w : 1.0f;
}

/* One work-item: the range sets out empty.  1 item. */
kernel void grid_measure_begin (global int *range)
{
  if (get_global_id (0) > 0)
    return;
  range[0] = INT_MAX;
  range[1] = INT_MIN;
}

/* Least and most plane of what counts, in range[0] and range[1].  One work-item
 * strides over the pixels from (left, top) on; local: 2 ints; 1 read a pixel. */
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

/* A part of a cell: its first pixel and, exclusive, its last. */
static int4
part_of (global const int *starts_x, global const int *starts_y, int parts, int column, int row)
{
  const int x = starts_x[column / parts] + column % parts * GRID_PART;
  const int y = starts_y[row / parts] + row % parts * GRID_PART;

  return (int4) (x, y, min (x + GRID_PART, starts_x[column / parts + 1]),
                 min (y + GRID_PART, starts_y[row / parts + 1]));
}

/* One work-item sums one part of one cell for one lane: id 0 is (cell, part
 * column, lane), id 1 (cell row, part row); `out` has one dense cell for each
 * part.  Each pixel is read once a lane; up to 1 read and 1 write of the grid a pixel. */
kernel void grid_splat (global const float4 *pixels, global const float4 *guides, int stride,
                        int from_x, int from_y, float4 weights, int by_luminance,
                        global const int *starts_x, global const int *starts_y, int first_cell_row,
                        int cells_x, int cells_y, int parts, int low, int n_planes,
                        global float *out)
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

/* The same sums, gathered in local memory, where the planes are few enough for it.  Each
 * work-item has one of four values and its count in all planes, also by luminance; they lie
 * `step`, the work-items of a group, apart.  No barrier.  local: for each work-item and plane
 * 2 floats; 1 read a pixel and lane, cached. */
kernel void grid_splat_local (global const float4 *pixels, global const float4 *guides, int stride,
                              int from_x, int from_y, float4 weights, int by_luminance,
                              global const int *starts_x, global const int *starts_y, int first_cell_row,
                              int cells_x, int cells_y, int parts, int low, int n_planes,
                              global float *out, local float *all_sums)
{
  const int    lane = get_global_id (0) % 4, column = get_global_id (0) / 4, row = get_global_id (1);
  const int    step = get_local_size (0) * get_local_size (1);
  const Guide  g = { weights, by_luminance };
  local float *sums = all_sums + get_local_id (1) * get_local_size (0) + get_local_id (0);
  int4         part;

  if (column >= cells_x * parts || row >= cells_y * parts)
    return;
  part = part_of (starts_x, starts_y + first_cell_row, parts, column, row);
  for (int k = 0; k < 2 * n_planes; k++)
    sums[k * step] = 0.0f;
  for (int py = part.y; py < part.w; py++)
    for (int px = part.x; px < part.z; px++)
      {
        const int       at = (py - from_y) * stride + px - from_x;
        const float4    pixel = pixels[at];
        const float     p = position (pixel, guides[at], lane, g);
        const GridPlace place = grid_place (grid_counts (p) ? p : 0.0f);
        local float    *here = sums + clamp (place.plane + place.up - low, 0, n_planes - 1) * 2 * step;

        if (! grid_counts (p))
          continue;
        here[0] += weight_of (pixel, lane) * (by_luminance ? component (pixel, lane) : place.fraction - place.up);
        here[step] += by_luminance ? 1.0f : weight_of (pixel, lane);
      }
  out += ((long) row * cells_x * parts + column) * n_planes * 8 + lane;
  for (int z = 0; z < n_planes; z++)
    {
      out[z * 8] = sums[2 * z * step];
      out[z * 8 + 4] = sums[(2 * z + 1) * step];
    }
}

/* One work-item adds the parts of one cell and plane, in raster order.  Ids:
 * (plane, cell, cell row).  parts x parts reads, 1 write of float8. */
kernel void grid_join (global const float8 *in, global float8 *out, int cells_x, int cells_y,
                       int parts, int n_planes)
{
  int    z = get_global_id (0), i = get_global_id (1), j = get_global_id (2);
  float8 sum = (float8) 0.0f;

  if (z >= n_planes || i >= cells_x || j >= cells_y)
    return;
  for (int y = 0; y < parts; y++)
    for (int x = 0; x < parts; x++)
      sum += in[((long) (j * parts + y) * cells_x * parts + i * parts + x) * n_planes + z];
  out[((long) j * cells_x + i) * n_planes + z] = sum;
}

static float8
at_cell (global const float8 *grid, int cells_x, int cells_y, int n_planes, int i, int j, int z)
{
  if (i < 0 || j < 0 || z < 0 || i >= cells_x || j >= cells_y || z >= n_planes)
    return (float8) 0.0f;
  return grid[((long) j * cells_x + i) * n_planes + z];
}

/* [1 2 1] along x, y.  One work-item makes one cell and plane, ids (plane, cell,
 * cell row); 9 reads, most of them cached, 1 write of float8. */
kernel void grid_blur_xy (global const float8 *in, global float8 *out,
                          int cells_x, int cells_y, int n_planes)
{
  int    z = get_global_id (0), i = get_global_id (1), j = get_global_id (2);
  float8 rows[3];

  if (z >= n_planes || i >= cells_x || j >= cells_y)
    return;
  for (int y = 0; y < 3; y++)
    {
      float8 before = at_cell (in, cells_x, cells_y, n_planes, i - 1, j + y - 1, z);
      float8 here   = at_cell (in, cells_x, cells_y, n_planes, i,     j + y - 1, z);
      float8 after  = at_cell (in, cells_x, cells_y, n_planes, i + 1, j + y - 1, z);

      rows[y] = (before + after) + 2.0f * here;
    }
  out[((long) j * cells_x + i) * n_planes + z] = (rows[0] + rows[2]) + 2.0f * rows[1];
}

/* [1 2 1] along z; `moving` is 1 where values are relative to their plane.  As
 * above; 3 reads, 1 write of float8. */
kernel void grid_blur_z (global const float8 *in, global float8 *out,
                         int cells_x, int cells_y, int n_planes, float moving)
{
  int    z = get_global_id (0), i = get_global_id (1), j = get_global_id (2);
  float8 before = at_cell (in, cells_x, cells_y, n_planes, i, j, z - 1);
  float8 here   = at_cell (in, cells_x, cells_y, n_planes, i, j, z);
  float8 after  = at_cell (in, cells_x, cells_y, n_planes, i, j, z + 1);

  if (z >= n_planes || i >= cells_x || j >= cells_y)
    return;
  before.lo = before.lo - moving * before.hi;
  after.lo = after.lo + moving * after.hi;
  out[((long) j * cells_x + i) * n_planes + z] = (before + after) + 2.0f * here;
}

static float4
finish_luminance (float4 sums, float count, float4 pixel)
{
  float4 result;

  result.xyz = sums.w != 0.0f ? sums.xyz / sums.w : pixel.xyz;
  result.w = sums.w / count;
  return result;
}

/* `p`: the value's position. */
static float
slice_channel (global const float *grid, int next_x, long next_y, int lane, float value, float p,
               float fx, float fy, int low, float range_sigma)
{
  GridPlace place = grid_place (p);
  float     sums[4];            /* value and count, below and above */
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

/* One work-item makes one pixel.  A plane outside the grid is what only a device that
 * measured wrongly, or a host that knew wrongly, meets: clamped.  No local memory; 16 reads
 * of float8 (4 times 16 floats by channels), cached, 1 read and 1 write of the image.
 * (left, top): the output's first pixel within the uploaded image. */
kernel void grid_slice (global const float4 *pixels, global const float4 *guides, int stride,
                        int left, int top, float4 weights, int by_luminance, float range_sigma,
                        global const int *cells, global const float *fractions,
                        global const int *cells_down, global const float *fractions_down,
                        int first_row, int first_cell_row, int cells_x, int low, int n_planes,
                        global const float *grid, global float4 *out, int width, int height)
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
          result = finish_luminance (mean.lo, mean.s4, pixel);
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

/* One work-item fills the hash table of one cell for one lane: id 0 is (cell,
 * lane), id 1 the cell row.  Each pixel is read once a lane. */
kernel void grid_sparse_build (global const float4 *pixels, global const float4 *guides, int stride,
                               int from_x, int from_y, float4 weights, int by_luminance,
                               global const int *starts_x, global const int *starts_y,
                               int first_cell_row, int cells_x, int cells_y, int capacity,
                               int odd, global int *tables)
{
  int   lanes = by_luminance ? 1 : 4, values = by_luminance ? 4 : 1;
  int   lane = get_global_id (0) % lanes, i = get_global_id (0) / lanes, j = get_global_id (1);
  int   x0, y0, x1, y1;
  int   part = 0;
  Guide g = { weights, by_luminance };
  global int *table = tables + (((long) j * cells_x + i) * lanes + lane) * capacity * GRID_ENTRY (values);

  if (i >= cells_x || j >= cells_y)
    return;
  x0 = starts_x[i];
  x1 = starts_x[i + 1];
  y0 = starts_y[first_cell_row + j];
  y1 = starts_y[first_cell_row + j + 1];
  grid_clear_table (table, capacity, values);
  for (int part_y = y0; part_y < y1; part_y += GRID_PART)
    for (int part_x = x0; part_x < x1; part_x += GRID_PART, part++)
      for (int y = part_y; y < min (part_y + GRID_PART, y1); y++)
        for (int x = part_x; x < min (part_x + GRID_PART, x1); x++)
          {
            int       at = (y - from_y) * stride + x - from_x;
            float4    pixel = pixels[at];
            float     p = position (pixel, guides[at], lane, g);
            GridPlace place = grid_place (p);
            global int *sums;

            if (! grid_counts (p))
              continue;
            sums = table + grid_enter (table, capacity, odd, values, place.plane + place.up, part);
            if (by_luminance)
              {
                grid_add (sums, pixel.x * pixel.w);
                grid_add (sums + 1, pixel.y * pixel.w);
                grid_add (sums + 2, pixel.z * pixel.w);
                grid_add (sums + 3, pixel.w);
              }
            else
              grid_add (sums, weight_of (pixel, lane) * (place.fraction - place.up));
            grid_add (sums + values, by_luminance ? 1.0f : weight_of (pixel, lane));
          }
  grid_finish_table (table, capacity, values);
}

/* One work-item makes one component (by luminance: one pixel): id 0 is (x, lane).
 * 64 look-ups. */
kernel void grid_sparse_slice (global const float4 *pixels, global const float4 *guides, int stride,
                               int left, int top, float4 weights, int by_luminance, float range_sigma,
                               global const int *cells, global const float *fractions,
                               global const int *cells_down, global const float *fractions_down,
                               int first_row, int first_cell_row, int cells_x, int capacity,
                               int odd, global const int *tables, global float *out, int width, int height)
{
  int       lanes = by_luminance ? 1 : 4, values = by_luminance ? 4 : 1;
  int       lane = get_global_id (0) % lanes, x = get_global_id (0) / lanes, y = get_global_id (1);
  int       at = (y + top) * stride + x + left;
  Guide     g = { weights, by_luminance };
  float4    pixel;
  float     p;
  GridPlace place;
  long      found[64];
  float     sums[5][2], mean[5];
  global float *to = out + 4 * (y * width + x);

  if (x >= width || y >= height)
    return;
  pixel = pixels[at];
  p = position (pixel, guides[at], lane, g);
  place = grid_place (p);
  if (! grid_counts (p) || pixel.w == 0.0f)
    {
      if (by_luminance)
        vstore4 (pixel, 0, to);
      else
        to[lane] = component (pixel, lane);
      return;
    }
  for (int k = 0; k < 64; k++)
    {
      int  cell_x = cells[x] - 1 + k % 4, cell_y = cells_down[first_row + y] - first_cell_row - 1 + k / 4 % 4;
      long table = (((long) cell_y * cells_x + cell_x) * lanes + lane) * capacity * GRID_ENTRY (values);
      long entry = table + grid_find (tables + table, capacity, odd, values, place.plane + k / 16 - 1);

      found[k] = tables[entry + 1] == -1 ? -1 : entry;
    }
  for (int k = 0; k <= values; k++)
    grid_gather (tables, found, k, ! by_luminance && k == 0 ? 1 : -1, fractions[x],
                 fractions_down[first_row + y], sums[k]);
  if (! by_luminance)
    sums[0][1] += sums[1][1];
  for (int k = 0; k <= values; k++)
    mean[k] = grid_lerp (sums[k][0], sums[k][1], place.fraction);
  if (by_luminance)
    vstore4 (finish_luminance ((float4) (mean[0], mean[1], mean[2], mean[3]), mean[4], pixel), 0, to);
  else if (mean[1] != 0.0f)
    to[lane] = component (pixel, lane) + range_sigma * (mean[0] / mean[1] - place.fraction);
  else
    to[lane] = component (pixel, lane);
}
