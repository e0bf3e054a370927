/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: OpenCL C.  The device's half of operations/sums/gaussian.h.  A wide Gaussian makes cells of the
 * pixels, blurs the cells (tessera-separable.h), and makes pixels of the cells again.  The last pass runs along
 * y.  It is gaussian_up_rows, or, if the filter has a finishing step, a kernel of its own:
 *
 *   kernel void NAME (GAUSSIAN_UP_ROWS, INPUT_ARGS (float4), float amount)
 */
#include "tessera-separable.h"

/* cells: `width` in a row.  The output's first row is row `phase` of cell 1. */
#define GAUSSIAN_UP_ROWS \
  global const float4 *cells, int phase, int step, global const float *weights, \
  OUTPUT_ARGS (float4)

#define GAUSSIAN_DOWN \
  global const float4 *input, int first, int column, int row, int along, int step, global const float *weights, \
  global float4 *cells, int width, int height

/* Makes cells of pixels along one axis.  One work-item makes one cell: 3 step reads, 1 write.  `first` is the
 * first pixel of the cell before cell (0, 0).  `column` and `row` are the distances to the next cells, `along`
 * is the distance to the next pixel of a cell.  weighs: 0 or 1. */
static inline void
gaussian_make_cell (GAUSSIAN_DOWN, const int weighs)
{
  int    x = get_global_id (0);
  int    y = get_global_id (1);
  int    here = first + y * row + x * column;
  float4 sums[3];

  if (x >= width || y >= height)
    return;
  for (int q = 0; q < 3; q++)
    {
      float4 sum = (float4) 0.0f;

      for (int j = 0; j < step; j++)
        {
          float4 pixel = input[here + (q * step + j) * along];

          sum += weights[q * step + j] * (weighs ? separable_weighed (pixel) : pixel);
        }
      sums[q] = sum;
    }
  cells[y * width + x] = (sums[0] + sums[1]) + sums[2];
}

kernel void gaussian_down (GAUSSIAN_DOWN)
{
  gaussian_make_cell (input, first, column, row, along, step, weights, cells, width, height, 0);
}

static inline float4
gaussian_between (global const float4 *cells, int first, int along, global const float *weights)
{
  return (weights[0] * cells[first] + weights[1] * cells[first + along]) + weights[2] * cells[first + 2 * along];
}

/* Makes pixels of cells along x.  One work-item makes one pixel: 3 reads, 1 write. */
kernel void gaussian_up_columns (global const float4 *cells, int stride, int phase, int step,
                                 global const float *weights, OUTPUT_ARGS (float4))
{
  int x = get_global_id (0);
  int y = get_global_id (1);
  int cell = (x + phase) / step;

  if (x < width && y < height)
    output[y * width + x] = gaussian_between (cells, y * stride + cell, 1, weights + 3 * (x + phase - cell * step));
}

static inline float4
gaussian_up_row (global const float4 *cells, int phase, int step, global const float *weights, int width,
                 int x, int y)
{
  int cell = (y + phase) / step;

  return gaussian_between (cells, cell * width + x, width, weights + 3 * (y + phase - cell * step));
}

/* Makes pixels of cells along y.  One work-item makes one pixel: 3 reads, 1 write. */
kernel void gaussian_up_rows (GAUSSIAN_UP_ROWS)
{
  int x = get_global_id (0);
  int y = get_global_id (1);

  if (x < width && y < height)
    output[y * width + x] = gaussian_up_row (cells, phase, step, weights, width, x, y);
}
