/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: OpenCL C.  Bilateral grid: the kernels of sparse cells, which are the hash tables of tessera-grid.h.  bilateral-grid.cl
 * includes this file last.
 */
/* One work-item fills the hash table of one cell for one lane.  Id 0 is (cell, lane), id 1 is the cell row.
 * Each pixel is read once for each lane. */
kernel void grid_sparse_build (CELL_ARGS, int capacity, int odd, global int *tables)
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

/* One work-item makes one component, or, by luminance, one pixel.  Id 0 is (x, lane), id 1 is y.  64 look-ups. */
kernel void grid_sparse_slice (SLICE_ARGS, int capacity, int odd, global const int *tables, global float *out, int width, int height)
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
    vstore4 (finish_luminance ((float4) (mean[0], mean[1], mean[2], mean[3]), pixel), 0, to);
  else if (mean[1] != 0.0f)
    to[lane] = component (pixel, lane) + range_sigma * (mean[0] / mean[1] - place.fraction);
  else
    to[lane] = component (pixel, lane);
}
