/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The device's passes of gaussian.h: cells along y, along x; the FIR along x, along y; pixels along
 * x, along y.  An axis without cells has neither the first pass nor the last.
 */
#include "config.h"

#include "gaussian.h"

#include <string.h>

/* An image between two passes; `first` leads to its first pixel. */
typedef struct
{
  TesseraMemory *memory;
  gint           first, stride;
} Stage;

static gboolean
is_fir (const Gaussian *gaussian)
{
  return gaussian->x.step == 1 && gaussian->y.step == 1;
}

/* The greatest number of cells for this number of pixels, including the cells around them. */
static gsize
most_cells (gint step, gint reach, gint size)
{
  return step == 1 ? size + reach : size / step + 4 + reach;
}

gsize
gaussian_scratch_bytes (const TesseraRequest *request, gint width, gint height)
{
  const Gaussian   *gaussian = request->params;
  const TesseraHalo reach = separable_halo (&gaussian->fir);
  const gsize wide = (gsize) width + request->halo.left + request->halo.right;
  const gsize columns = most_cells (gaussian->x.step, 0, width), rows = most_cells (gaussian->y.step, 0, height);
  const gsize more_columns = most_cells (gaussian->x.step, reach.left + reach.right, width);
  const gsize more_rows = most_cells (gaussian->y.step, reach.top + reach.bottom, height);

  if (is_fir (gaussian))
    return separable_scratch_bytes (&gaussian->fir, width, height);
  return ((wide + more_columns + columns) * more_rows + (columns + width) * rows) * 4 * sizeof (gfloat) + sizeof (Gaussian);
}

static void
scratch (TesseraBand *band, gint width, gint height, TesseraMemory **memory)
{
  tessera_scratch (band, (gsize) width * height * 4 * sizeof (gfloat), memory);
}

/* Cells of one axis; (column, row, along) as in gaussian_down, or in `kernel`, which takes its place. */
static void
make_cells (TesseraBand *band, const gchar *kernel, const GaussianAxis *axis, gint column, gint row, gint along,
            gint width, gint height, Stage *stage)
{
  TesseraMemory *weights, *cells;

  tessera_table (band, axis->down, 3 * axis->step * sizeof (gfloat), &weights);
  scratch (band, width, height, &cells);
  tessera_launch (band, &(TesseraLaunch) {
    .kernel = kernel ? kernel : "gaussian_down", .size = { width, height }, .group = { 32, 4 }, .cost = 3 * axis->step,
    .args = { ARG (stage->memory), ARG (stage->first), ARG (column), ARG (row), ARG (along), ARG (axis->step),
              ARG (weights), ARG (cells), ARG (width), ARG (height) }
  });
  *stage = (Stage) { cells, 0, width };
}

/* Both passes of the FIR; n columns and rows remain. */
static gint
filter_cells (TesseraBand *band, const Separable *fir, const GaussianSpan *x, const GaussianSpan *y, Stage *stage)
{
  const gint     n_rows = y->low + y->n + y->high;
  TesseraMemory *rows, *cells, *x_offsets, *x_weights, *y_offsets, *y_weights;
  gint           status;

  separable_upload (band, &fir->x, &x_offsets, &x_weights);
  separable_upload (band, &fir->y, &y_offsets, &y_weights);
  scratch (band, x->n, n_rows, &rows);
  scratch (band, x->n, y->n, &cells);
  tessera_launch (band, &(TesseraLaunch) {
    .kernel = "separable_rows", .size = { x->n, n_rows }, .group = { 32, 4 }, .cost = fir->x.n,
    .args = { ARG (stage->memory), ARG (stage->stride), ARG (stage->first % stage->stride + x->low),
              ARG (stage->first / stage->stride), ARG (rows), ARG (x->n), ARG (n_rows), ARG (x_offsets),
              ARG (x_weights), ARG (fir->x.n) }
  });
  status = tessera_launch (band, &(TesseraLaunch) {
    .kernel = "separable_columns", .size = { x->n, y->n }, .group = { 32, 4 }, .cost = fir->y.n,
    .args = { ARG (rows), ARG (y->low), ARG (y_offsets), ARG (y_weights), ARG (fir->y.n), ARG (cells), ARG (x->n),
              ARG (y->n) }
  });
  *stage = (Stage) { cells, 0, x->n };
  return status;
}

/* Pixels along x, of all rows of cells; into the output if there are no cells along y. */
static gint
spread_columns (TesseraBand *band, const GaussianAxis *axis, gint phase, gint n_rows, gboolean last, Stage *stage)
{
  const gint     width = band->output.width;
  TesseraMemory *weights, *pixels = band->output.memory;
  gint           status;

  tessera_table (band, axis->up, 3 * axis->step * sizeof (gfloat), &weights);
  if (! last)
    scratch (band, width, n_rows, &pixels);
  status = tessera_launch (band, &(TesseraLaunch) {
    .kernel = "gaussian_up_columns", .size = { width, n_rows }, .group = { 32, 4 }, .cost = 3,
    .args = { ARG (stage->memory), ARG (stage->stride), ARG (phase), ARG (axis->step), ARG (weights), ARG (pixels),
              ARG (width), ARG (n_rows) }
  });
  *stage = (Stage) { pixels, 0, width };
  return status;
}

/* Pixels along y, finished. */
static gint
spread_rows (TesseraBand *band, const GaussianAxis *axis, gint phase, const Stage *stage, const gchar *kernel,
             const TesseraArg *more, gint n_more)
{
  const gint     width = band->output.width, height = band->output.height;
  TesseraMemory *weights;

  tessera_table (band, axis->up, 3 * axis->step * sizeof (gfloat), &weights);

  TesseraLaunch launch = {
    .kernel = kernel ? kernel : "gaussian_up_rows", .size = { width, height }, .group = { 32, 4 }, .cost = 3,
    .args = { ARG (stage->memory), ARG (phase), ARG (axis->step), ARG (weights), OUTPUT_ARGS (band) }
  };

  if (kernel)
    separable_more_args (band, more, n_more, &launch.args[7]);
  return tessera_launch (band, &launch);
}

gint
gaussian_device (TesseraBand *band, TesseraMemory *source, const gchar *columns, const gchar *up, const TesseraArg *more,
                 gint n_more)
{
  const Gaussian    *gaussian = band->request->params;
  const gint         stride = band->input.stride;
  Stage              stage = { source, 0, stride };
  GaussianSpan       x, y;
  gint               n_columns, n_rows, status;

  if (is_fir (gaussian))
    return separable_device (band, source, &gaussian->fir, columns, more, n_more);
  gaussian_spans (band->request, &band->roi, &x, &y);
  n_columns = x.low + x.n + x.high;
  n_rows = y.low + y.n + y.high;
  stage.first = (gaussian_pixel (&y, y.first - y.low) - band->input.y) * stride
                + gaussian_pixel (&x, x.first - x.low) - band->input.x;
  if (y.step > 1)
    make_cells (band, gaussian->fir.rows, &gaussian->y, 1, y.step * stride, stride,
                gaussian_pixels (&x, n_columns), n_rows, &stage);
  if (x.step > 1)
    make_cells (band, NULL, &gaussian->x, x.step, stage.stride, 1, n_columns, n_rows, &stage);
  status = filter_cells (band, &gaussian->fir, &x, &y, &stage);
  if (x.step > 1)
    status = spread_columns (band, &gaussian->x, x.phase, y.n, y.step == 1, &stage);
  if (y.step > 1)
    status = spread_rows (band, &gaussian->y, y.phase, &stage, up, more, n_more);
  return status;
}
