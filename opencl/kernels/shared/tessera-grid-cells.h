/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: OpenCL C.  The cells of a dense bilateral grid, [cell row][cell][plane] of GRID_CELL: as many values, then as many counts.
 */
/* A part of a cell: its first pixel, and the pixel after its last. */
static int4
part_of (global const int *starts_x, global const int *starts_y, int parts, int column, int row)
{
  const int x = starts_x[column / parts] + column % parts * GRID_PART;
  const int y = starts_y[row / parts] + row % parts * GRID_PART;

  return (int4) (x, y, min (x + GRID_PART, starts_x[column / parts + 1]),
                 min (y + GRID_PART, starts_y[row / parts + 1]));
}

/* One work-item adds up the parts of one cell and plane, in raster order.  The ids are
 * (plane, cell, cell row).  parts x parts reads, 1 write of GRID_CELL. */
kernel void grid_join (global const GRID_CELL *in, global GRID_CELL *out, int cells_x, int cells_y,
                       int parts, int n_planes)
{
  int    z = get_global_id (0), i = get_global_id (1), j = get_global_id (2);
  GRID_CELL sum = (GRID_CELL) 0.0f;

  if (z >= n_planes || i >= cells_x || j >= cells_y)
    return;
  for (int y = 0; y < parts; y++)
    for (int x = 0; x < parts; x++)
      sum += in[((long) (j * parts + y) * cells_x * parts + i * parts + x) * n_planes + z];
  out[((long) j * cells_x + i) * n_planes + z] = sum;
}

static GRID_CELL
at_cell (global const GRID_CELL *grid, int cells_x, int cells_y, int n_planes, int i, int j, int z)
{
  if (i < 0 || j < 0 || z < 0 || i >= cells_x || j >= cells_y || z >= n_planes)
    return (GRID_CELL) 0.0f;
  return grid[((long) j * cells_x + i) * n_planes + z];
}

/* [1 2 1] along x, then along y.  One work-item makes one cell and plane.  The ids are (plane, cell, cell row).
 * 9 reads, most of them cached, 1 write of GRID_CELL. */
kernel void grid_blur_xy (global const GRID_CELL *in, global GRID_CELL *out,
                          int cells_x, int cells_y, int n_planes)
{
  int    z = get_global_id (0), i = get_global_id (1), j = get_global_id (2);
  GRID_CELL rows[3];

  if (z >= n_planes || i >= cells_x || j >= cells_y)
    return;
  for (int y = 0; y < 3; y++)
    {
      GRID_CELL before = at_cell (in, cells_x, cells_y, n_planes, i - 1, j + y - 1, z);
      GRID_CELL here   = at_cell (in, cells_x, cells_y, n_planes, i,     j + y - 1, z);
      GRID_CELL after  = at_cell (in, cells_x, cells_y, n_planes, i + 1, j + y - 1, z);

      rows[y] = (before + after) + 2.0f * here;
    }
  out[((long) j * cells_x + i) * n_planes + z] = (rows[0] + rows[2]) + 2.0f * rows[1];
}

/* [1 2 1] along z, with the same ids.  `moving` is 1 if values are relative to their plane: those of the
 * neighbours are then moved to this one.  3 reads, 1 write of GRID_CELL. */
kernel void grid_blur_z (global const GRID_CELL *in, global GRID_CELL *out,
                         int cells_x, int cells_y, int n_planes, float moving)
{
  int    z = get_global_id (0), i = get_global_id (1), j = get_global_id (2);
  GRID_CELL before = at_cell (in, cells_x, cells_y, n_planes, i, j, z - 1);
  GRID_CELL here   = at_cell (in, cells_x, cells_y, n_planes, i, j, z);
  GRID_CELL after  = at_cell (in, cells_x, cells_y, n_planes, i, j, z + 1);

  if (z >= n_planes || i >= cells_x || j >= cells_y)
    return;
  before.lo = before.lo - moving * before.hi;
  after.lo = after.lo + moving * after.hi;
  out[((long) j * cells_x + i) * n_planes + z] = (before + after) + 2.0f * here;
}
