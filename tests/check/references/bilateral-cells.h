/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The cells of the bilateral grid in double: samples are splatted into them, a slice gathers from the raw cells (bilateral-grid.c
 * has the formula).  Beside each sum stands what float may have counted elsewhere. */
#ifndef BILATERAL_CELLS_H
#define BILATERAL_CELLS_H

#include "reference.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#define LARGEST_POSITION  1e37             /* of g/r; beyond it a pixel passes through */
#define CELL_OVERFLOW     (FLT_MAX / 64.0) /* [1 2 1] along three axes may be summed before it is divided */

typedef struct
{
  double count, sum[4], largest[4];
  double magnitude;  /* of all that is added, whatever its weight: what a sum in float may reach */
  double steep; /* how fast count's weights change with the position, in all */
  double tied;  /* of samples of which it is unsure whether they belong to it: that much of count at most, before the range's weight */
} Sums;

/* The samples of one column of the grid that round to one plane. */
typedef struct
{
  size_t column;
  double plane;
  double may_drop, may_rise;  /* of ties with the plane below, above: their count */
  Sums   sums;
} Cell;

/* One pixel: its own cell and where it reads the grid. */
typedef struct
{
  int    valid;     /* else it does not contribute and passes through */
  double position;  /* g/r */
  double error;     /* of the position in float */
  double slack;
  Cell   cell;
} Sample;

typedef struct
{
  double spatial_sigma;
  int    columns, rows;
  size_t count;
  Cell  *cells;  /* those that hold samples, sorted by column and plane */
} Grid;

static inline void
add_sums (Sums *total, const Sums *sums, double weight)
{
  total->count += weight * sums->count;
  total->magnitude += sums->magnitude;
  for (int c = 0; c < 4; c++)
    {
      total->sum[c] += weight * sums->sum[c];
      total->largest[c] = fmax (total->largest[c], sums->largest[c]);
    }
}

/* Within tie_distance of half way between two planes float may take either. */
static inline void
place_sample (Sample *sample, double position, double tie_distance)
{
  double below = floor (position), fraction = position - below;
  int    tie = fabs (fraction - 0.5) <= tie_distance;

  sample->position = position;
  sample->valid = fabs (position) <= LARGEST_POSITION;  /* false for NaN */
  sample->cell.plane = fraction < 0.5 ? below : below + 1.0;
  sample->cell.may_rise = tie && fraction < 0.5 ? fabs (sample->cell.sums.count) : 0.0;
  sample->cell.may_drop = tie && fraction >= 0.5 ? fabs (sample->cell.sums.count) : 0.0;
}

static inline int
compare_cells (const void *first, const void *second)
{
  const Cell *a = first, *b = second;

  if (a->column != b->column)
    return a->column < b->column ? -1 : 1;
  return (a->plane > b->plane) - (a->plane < b->plane);
}

/* Sorts the cells and joins the equal ones; returns how many remain. */
static inline size_t
merge_cells (Cell *cells, size_t count)
{
  size_t merged = 0;

  qsort (cells, count, sizeof *cells, compare_cells);
  for (size_t i = 0; i < count; i++)
    if (merged > 0 && compare_cells (&cells[merged - 1], &cells[i]) == 0)
      {
        cells[merged - 1].may_drop += cells[i].may_drop;
        cells[merged - 1].may_rise += cells[i].may_rise;
        add_sums (&cells[merged - 1].sums, &cells[i].sums, 1.0);
      }
    else
      cells[merged++] = cells[i];
  return merged;
}

static inline Grid
build_grid (const Sample *samples, int width, int height, double s, Cell *cells)
{
  Grid grid = { .spatial_sigma = s, .cells = cells };

  grid.columns = (int) floor ((width - 1) / s + 0.5) + 1;
  grid.rows = (int) floor ((height - 1) / s + 0.5) + 1;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++, samples++)
      if (samples->valid)
        {
          size_t column = (size_t) floor (x / s + 0.5), row = (size_t) floor (y / s + 0.5);

          cells[grid.count] = samples->cell;
          cells[grid.count++].column = row * grid.columns + column;
        }
  grid.count = merge_cells (cells, grid.count);
  return grid;
}

/* [1 2 1]/4, then linear interpolation */
static inline double
axis_weight (double distance)
{
  return fmax (0.0, 2.0 - fabs (distance)) / 4.0;
}

/* Adds planes z-1 .. z+2, z = floor (position).  A tie matters if one of its two planes is in
 * z-2 .. z+3.  Planes are compared by their difference, which is exact: where z + 1 is no
 * double, that plane does not exist. */
static inline void
add_column (Sums *total, const Grid *grid, size_t column, double position, double column_weight, double foot)
{
  double z = floor (position);
  Cell   lowest = { .column = column, .plane = z - 3.0 };
  size_t low = 0, high = grid->count;

  while (low < high)
    {
      size_t middle = low + (high - low) / 2;

      if (compare_cells (&grid->cells[middle], &lowest) < 0)
        low = middle + 1;
      else
        high = middle;
    }
  for (const Cell *cell = grid->cells + low;
       cell < grid->cells + grid->count && cell->column == column && cell->plane - z <= 4.0; cell++)
    {
      double d = cell->plane - z, weight = column_weight * axis_weight (cell->plane - position);

      if (weight > 0.0)
        add_sums (total, &cell->sums, weight);
      else
        total->magnitude += cell->sums.magnitude;            /* 0 times a sum that overflowed */
      if (column_weight == 0.0)
        continue;
      total->tied += column_weight * ((d >= -2.0 ? cell->may_drop : 0.0) + (d >= -3.0 && d <= 3.0 ? cell->may_rise : 0.0));
      if (fabs (cell->plane - position) <= 2.0 + foot)     /* the tent's slope is 1/4 */
        total->steep += column_weight * 0.25 * fabs (cell->sums.count);
    }
}

/* foot: how far the position may be off at the tent's foot. */
static inline Sums
slice_grid (const Grid *grid, int x, int y, double position, double foot)
{
  Sums   total = { .count = 0.0 };
  double across = x / grid->spatial_sigma, down = y / grid->spatial_sigma;
  int    left = (int) floor (across) - 1, top = (int) floor (down) - 1;

  for (int row = top < 0 ? 0 : top; row < top + 4 && row < grid->rows; row++)
    for (int column = left < 0 ? 0 : left; column < left + 4 && column < grid->columns; column++)
      {
        double weight = axis_weight (column - across) * axis_weight (row - down);

        add_column (&total, grid, (size_t) row * grid->columns + column, position, weight, foot);
      }
  return total;
}

#endif
