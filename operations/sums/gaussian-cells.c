/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The C path of gaussian.h for an axis with cells.  Threads share one grid of cells, and go over it three
 * times: rows of cells from pixels, filtered along x; columns, filtered along y in place; rows of
 * pixels from cells.
 */
#include "config.h"

#include "gaussian.h"
#include "planes.h"

#include <string.h>

#define BLOCK       16          /* pixels: rows have room for whole blocks */
#define READ_ROWS   16          /* read at once, or one cell's */
#define READ_PIXELS 256         /* of each of them */
#define WRITE_ROWS  16
#define COLUMNS     64          /* of cells, filtered along y together */

typedef struct
{
  const TesseraRequest *request;
  const Gaussian       *gaussian;
  GaussianSpan          x, y;
  gint                  x0, x1, y0, y1; /* computed cells (x1, y1 exclusive); beyond, the nearest counts */
  gint                  stride;         /* floats */
  gfloat               *cells;          /* y.low + y.n + y.high rows of x.n cells, then y.n of them */
} Grid;

#define LANES_LOOPS "gaussian-cells-loops.h"
#include "lanes.h"

/* Row m of the cells. */
static gfloat *
grid_row (const Grid *grid, gint m)
{
  return grid->cells + (gsize) (m - (grid->y.first - grid->y.low)) * grid->stride;
}

/* ------------------------------------------------------- pixels to cells -- */

/* The same as sum_rows along a row: n cells from (n + 2) step pixels. */
TESSERA_CLONES static void
sum_columns (const gfloat *in, const gfloat *weights, gint step, gfloat *out, gint n)
{
  Pixel next = { 0.0f }, own = { 0.0f };

  for (gint m = -2; m < n; m++)
    {
      const Pixel *cell = (const Pixel *) in + (gsize) (m + 2) * step;
      Pixel        low = { 0.0f }, middle = { 0.0f }, high = { 0.0f };

      for (gint j = 0; j < step; j++)
        {
          low += weights[j] * cell[j];
          middle += weights[step + j] * cell[j];
          high += weights[2 * step + j] * cell[j];
        }
      if (m >= 0)
        ((Pixel *) out)[m] = own + high;
      own = next + middle;
      next = low;
    }
}

/* The first and the last of n computed pixels, repeated on either side. */
static void
extend_row (gfloat *row, gint before, gint n, gint after)
{
  Pixel *pixels = (Pixel *) row;

  for (gint i = 0; i < before; i++)
    pixels[i] = pixels[before];
  for (gint i = before + n; i < before + n + after; i++)
    pixels[i] = pixels[before + n - 1];
}

/* The memory of one thread. */
typedef struct
{
  gint    first_pixel, n_pixels;        /* columns that are read */
  gint    stride;                       /* of the rows below, floats */
  gint    n_rows;                       /* cells whose rows are made at once */
  gfloat *in;                           /* n_rows times step rows of READ_PIXELS, or of n_pixels */
  gfloat *next, *own;                   /* sums that are continued */
  gfloat *done;                         /* n_rows rows: cells along y, pixels along x */
  gfloat *cells;                        /* a row of cells before its FIR */
} Rows;

/* Returns what is to be freed. */
static gfloat *
rows_init (Rows *rows, const Grid *grid)
{
  const gint step = grid->y.step;
  gsize      n_in, n_rows;

  rows->first_pixel = gaussian_pixel (&grid->x, grid->x0);
  rows->n_pixels = gaussian_pixels (&grid->x, grid->x1 - grid->x0);
  rows->stride = 4 * BLOCK * ((rows->n_pixels + 2 * BLOCK - 1) / BLOCK | 1);
  rows->n_rows = MAX (1, READ_ROWS / step);
  n_in = 4 * ((gsize) rows->n_rows * step * (step == 1 ? rows->n_pixels : READ_PIXELS) + BLOCK);
  n_rows = (2 + (gsize) rows->n_rows) * rows->stride;
  rows->next = gegl_scratch_new0 (gfloat, n_rows + n_in + 4 * ((gsize) grid->x.low + grid->x.n + grid->x.high + 2 * BLOCK));
  rows->own = rows->next + rows->stride;
  rows->done = rows->own + rows->stride;
  rows->in = rows->next + n_rows;
  rows->cells = rows->in + n_in;
  return rows->next;
}

/* Reads n cells' rows of pixels from cell m on.  `done` then has the rows of the cells before. */
static void
read_cell_rows (const Grid *grid, Rows *rows, gint m, gint n)
{
  const gint step = grid->y.step, y = grid->y.origin + m * step;

  for (gint x = 0; x < rows->n_pixels; x += READ_PIXELS)
    {
      gint width = MIN (READ_PIXELS, rows->n_pixels - x);

      tessera_read_input (grid->request, GEGL_RECTANGLE (rows->first_pixel + x, y, width, n * step), rows->in);
      if (grid->gaussian->fir.begin)
        grid->gaussian->fir.begin (rows->in, rows->in, width * n * step);
      for (gint i = 0; i < n; i++)
        LANES_BEST (sum_rows) (rows->in + 4 * (gsize) i * step * width, 4 * width, grid->gaussian->y.down, step,
                               rows->next + 4 * x, rows->own + 4 * x,
                               rows->done + (gsize) i * rows->stride + 4 * x, width);
    }
}

/* `row` has the pixels of the computed columns.  Their cells, filtered along x, go to the grid. */
static void
filter_row (const Grid *grid, Rows *rows, const gfloat *row, gint m)
{
  const GaussianSpan *x = &grid->x;
  const TapList       along = separable_list (&grid->gaussian->fir.x, 4);
  const gint          before = grid->x0 - (x->first - x->low);
  const gfloat       *cells = row;

  if (x->step > 1)
    {
      sum_columns (row, grid->gaussian->x.down, x->step, rows->cells + 4 * before, grid->x1 - grid->x0);
      extend_row (rows->cells, before, grid->x1 - grid->x0, x->first + x->n + x->high - grid->x1);
      cells = rows->cells;
    }
  tap_sum (cells + 4 * x->low, &along, grid_row (grid, m), x->n);
}

static void
make_cells (gsize offset, gsize size, gpointer data)
{
  const Grid *grid = data;
  const gint  first = grid->y0 + offset, end = first + size;
  Rows        rows;
  tessera_autoscratch gfloat *memory G_GNUC_UNUSED = rows_init (&rows, grid);

  if (grid->y.step == 1)
    for (gint m = first; m < end; m += rows.n_rows)
      {
        gint n = MIN (rows.n_rows, end - m);

        tessera_read_input (grid->request, GEGL_RECTANGLE (rows.first_pixel, m, rows.n_pixels, n), rows.in);
        for (gint i = 0; i < n; i++)
          filter_row (grid, &rows, rows.in + 4 * (gsize) i * rows.n_pixels, m + i);
      }
  else
    for (gint m = first - 1; m <= end; m += rows.n_rows)
      {
        gint n = MIN (rows.n_rows, end + 1 - m);

        read_cell_rows (grid, &rows, m, n);
        for (gint i = 0; i < n; i++)
          if (m - 1 + i >= first && m - 1 + i < end)
            filter_row (grid, &rows, rows.done + (gsize) i * rows.stride, m - 1 + i);
      }
}

/* ------------------------------------------------------------ the grid -- */

/* In place.  A row is no longer needed when its result replaces it. */
static void
filter_columns (gsize offset, gsize size, gpointer data)
{
  const Grid   *grid = data;
  const TapList down = separable_list (&grid->gaussian->fir.y, grid->stride);
  const gint    end = MIN ((gint) (offset + size) * BLOCK, grid->x.n);

  for (gint x = offset * BLOCK; x < end; x += COLUMNS)
    {
      gfloat *cells = grid->cells + 4 * x;

      tap_sum_rows (cells + (gsize) grid->y.low * grid->stride, &down, cells, grid->stride, MIN (COLUMNS, end - x), grid->y.n);
    }
}

/* The computed part of the cells first .. end - 1. */
static void
computed_part (const GaussianSpan *span, const TesseraRequest *request, gint size, gint *low, gint *high)
{
  *low = span->first - span->low;
  *high = span->first + span->n + span->high;
  if (span->step > 1 && request->border != TESSERA_BORDER_LOOP
      && ! gegl_rectangle_is_infinite_plane (&request->bounds))
    {
      const gint beyond = (size - 1) / span->step + 2;

      *low = CLAMP (*low, -2, beyond);
      *high = CLAMP (*high - 1, -2, beyond) + 1;
    }
}

static void
grid_init (Grid *grid, const TesseraRequest *request)
{
  grid->request = request;
  grid->gaussian = request->params;
  gaussian_spans (request, &request->roi, &grid->x, &grid->y);
  computed_part (&grid->x, request, request->bounds.width, &grid->x0, &grid->x1);
  computed_part (&grid->y, request, request->bounds.height, &grid->y0, &grid->y1);
  grid->stride = 4 * BLOCK * ((grid->x.n + BLOCK - 1) / BLOCK | 1);
  grid->cells = gegl_scratch_new (gfloat, (gsize) (grid->y.low + grid->y.n + grid->y.high) * grid->stride);
}

static void
extend_rows (const Grid *grid)
{
  for (gint m = grid->y.first - grid->y.low; m < grid->y0; m++)
    memcpy (grid_row (grid, m), grid_row (grid, grid->y0), grid->stride * sizeof (gfloat));
  for (gint m = grid->y1; m < grid->y.first + grid->y.n + grid->y.high; m++)
    memcpy (grid_row (grid, m), grid_row (grid, grid->y1 - 1), grid->stride * sizeof (gfloat));
}

/* ------------------------------------------------------- cells to pixels -- */

/* n_pixels from pixel `phase` of cell 1 on. */
TESSERA_CLONES static void
spread_row (const gfloat *cells, const gfloat *weights, gint step, gint phase, gfloat *out, gint n_pixels)
{
  const Pixel *cell = (const Pixel *) cells;
  Pixel       *to = (Pixel *) out, *end = to + n_pixels;

  for (gint j = phase; to < end; j = 0, cell++)
    for (; j < step && to < end; j++)
      *to++ = (weights[3 * j] * cell[0] + weights[3 * j + 1] * cell[1]) + weights[3 * j + 2] * cell[2];
}

/* Row i of the grid at full width. */
static void
spread (const Grid *grid, gint i, gfloat *out)
{
  spread_row (grid->cells + (gsize) i * grid->stride, grid->gaussian->x.up, grid->x.step, grid->x.phase,
              out, grid->request->roi.width);
}

/* Rows y .. y + n - 1 of the request, counted from 0.  `room` has the last three rows that were spread, up
 * to *have. */
static void
make_rows (const Grid *grid, gint y, gint n, gfloat *room, gint *have, gfloat *out, gint stride)
{
  const gint width = grid->request->roi.width, step = grid->y.step;

  for (gint i = 0; i < n; i++)
    {
      const gint    cell = (y + i + grid->y.phase) / step, j = (y + i + grid->y.phase) % step;
      const gfloat *rows[3];

      if (step == 1)
        {
          spread (grid, y + i, out + (gsize) i * stride);
          continue;
        }
      for (; grid->x.step > 1 && *have < cell + 3; (*have)++)
        spread (grid, *have, room + (gsize) (*have % 3) * stride);
      for (gint k = 0; k < 3; k++)
        rows[k] = grid->x.step == 1 ? grid->cells + (gsize) (cell + k) * grid->stride
                                    : room + (gsize) ((cell + k) % 3) * stride;
      LANES_BEST (mix_rows) (rows, grid->gaussian->y.up + 3 * j, out + (gsize) i * stride, width);
    }
}

/* wholes[x]: the fourth sum of pixel x in row y if all that is summed is 1; ones[x]: what it was before the pass along
 * y. */
TESSERA_CLONES static void
sum_ones (const gfloat *restrict weights, const gfloat *restrict ones, gint n, gfloat *restrict wholes)
{
  const gfloat low = weights[0], middle = weights[1], high = weights[2];

  for (gint x = 0; x < n; x++)
    wholes[x] = (low * ones[x] + middle * ones[x]) + high * ones[x];
}

static void
make_pixels (gsize offset, gsize size, gpointer data)
{
  const Grid           *grid = data;
  const TesseraRequest *request = grid->request;
  const Separable      *fir = &grid->gaussian->fir;
  const GeglRectangle  *roi = &request->roi;
  const gint            end = offset + size;
  const gint            stride = 4 * BLOCK * ((roi->width + BLOCK - 1) / BLOCK | 1);
  tessera_autoscratch gfloat *room = gegl_scratch_new (gfloat, (3 + WRITE_ROWS) * (gsize) stride);
  tessera_autoscratch gfloat *in = fir->finish ? gegl_scratch_new (gfloat, 4 * (gsize) WRITE_ROWS * (roi->width + BLOCK)) : NULL;
  tessera_autoscratch gfloat *ones = fir->divide ? gegl_scratch_new (gfloat, 2 * (gsize) roi->width) : NULL;
  gfloat               *out = room + 3 * (gsize) stride, *wholes = ones ? ones + roi->width : NULL;
  gint                  have = ((gint) offset + grid->y.phase) / grid->y.step;

  for (gint x = 0; x < roi->width && ones; x++)
    ones[x] = grid->gaussian->ones[(x + grid->x.phase) % grid->x.step];
  for (gint y = offset; y < end; y += WRITE_ROWS)
    {
      gint n = MIN (WRITE_ROWS, end - y);

      make_rows (grid, y, n, room, &have, out, stride);
      if (in)
        tessera_read_input (request, GEGL_RECTANGLE (roi->x, roi->y + y, roi->width, n), in);
      for (gint i = 0; in && i < n; i++)
        {
          const gfloat *row = in + 4 * (gsize) i * roi->width;

          if (ones)
            {
              sum_ones (grid->gaussian->y.up + 3 * ((y + i + grid->y.phase) % grid->y.step), ones, roi->width, wholes);
              separable_divide (fir, out + (gsize) i * stride, row, wholes, roi->width);
            }
          fir->finish (out + (gsize) i * stride, row, roi->width, fir->finish_data);
        }
      tessera_write_output (request, GEGL_RECTANGLE (roi->x, roi->y + y, roi->width, n), out, stride * sizeof (gfloat));
    }
}

void
gaussian_whole (const TesseraRequest *request)
{
  const gdouble row_cost = 64.0 * 64.0 / request->roi.width;
  Grid          grid;

  grid_init (&grid, request);
  gegl_parallel_distribute_range (grid.y1 - grid.y0, row_cost / grid.y.step, make_cells, &grid);
  extend_rows (&grid);
  gegl_parallel_distribute_range ((grid.x.n + BLOCK - 1) / BLOCK, 64.0 * 64.0 / BLOCK / grid.y.n,
                                  filter_columns, &grid);
  gegl_parallel_distribute_range (request->roi.height, row_cost, make_pixels, &grid);
  gegl_scratch_free (grid.cells);
}
