/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The device's passes of gaussian.h: cells along y, along x; the FIR along x, along y; pixels along
 * x, along y.  An axis without cells has neither the first pass nor the last.
 */
#include "config.h"

#include "gaussian.h"

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
  const TesseraHalo halo = separable_halo (&gaussian->fir);
  const gsize wide = (gsize) width + request->halo.left + request->halo.right;
  const gsize columns = most_cells (gaussian->x.step, 0, width), rows = most_cells (gaussian->y.step, 0, height);
  const gsize more_columns = most_cells (gaussian->x.step, halo.left + halo.right, width);
  const gsize more_rows = most_cells (gaussian->y.step, halo.top + halo.bottom, height);

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
            gint width, gint height, SeparableStage *stage)
{
  TesseraMemory *cells;

  scratch (band, width, height, &cells);
  tessera_launch (band, &(TesseraLaunch) {
    .kernel = kernel ? kernel : "gaussian_down", .size = { width, height }, .group = { 32, 4 }, .cost = 3 * axis->step,
    .args = { ARG (stage->memory), ARG (stage->first), ARG (column), ARG (row), ARG (along), ARG (axis->step),
              TABLE_ARG (axis->down, 3 * axis->step * sizeof (gfloat)), ARG (cells), ARG (width), ARG (height) }
  });
  *stage = (SeparableStage) { cells, 0, width };
}

#define UP_ARGS(axis, phase) ARG (phase), ARG ((axis)->step), TABLE_ARG ((axis)->up, 3 * (axis)->step * sizeof (gfloat))

/* Pixels along x, of all rows of cells; into the output if there are no cells along y. */
static gint
spread_columns (TesseraBand *band, const GaussianAxis *axis, gint phase, gint n_rows, gboolean last, SeparableStage *stage)
{
  const SeparableStage cells = *stage;
  const gint           width = band->output.width;

  *stage = (SeparableStage) { band->output.memory, 0, width };
  if (! last)
    scratch (band, width, n_rows, &stage->memory);
  return tessera_launch (band, &(TesseraLaunch) {
    .kernel = "gaussian_up_columns", .size = { width, n_rows }, .group = { 32, 4 }, .cost = 3,
    .args = { ARG (cells.memory), ARG (cells.stride), UP_ARGS (axis, phase), ARG (stage->memory), ARG (width), ARG (n_rows) }
  });
}

gint
gaussian_device (TesseraBand *band, TesseraMemory *source, const SeparableKernels *own)
{
  const Gaussian *gaussian = band->request->params;
  const gint      stride = band->input.stride;
  SeparableStage  stage = { source, 0, stride };
  GaussianSpan    x, y;
  TesseraMemory  *cells;
  gint            n_columns, n_rows, status;

  if (is_fir (gaussian))
    return separable_device (band, source, &gaussian->fir, own);
  gaussian_spans (band->request, &band->roi, &x, &y);
  n_columns = x.low + x.n + x.high;
  n_rows = y.low + y.n + y.high;
  stage.first = (gaussian_pixel (&y, y.first - y.low) - band->input.y) * stride
                + gaussian_pixel (&x, x.first - x.low) - band->input.x;
  if (y.step > 1)
    make_cells (band, own ? own->first : NULL, &gaussian->y, 1, y.step * stride, stride,
                gaussian_pixels (&x, n_columns), n_rows, &stage);
  if (x.step > 1)
    make_cells (band, NULL, &gaussian->x, x.step, stage.stride, 1, n_columns, n_rows, &stage);
  scratch (band, x.n, y.n, &cells);
  stage.first += y.low * stage.stride + x.low;
  status = separable_filter (band, &stage, &gaussian->fir, cells, x.n, y.n, NULL);
  stage = (SeparableStage) { cells, 0, x.n };
  if (x.step > 1)
    status = spread_columns (band, &gaussian->x, x.phase, y.n, y.step == 1, &stage);
  if (y.step > 1)
    status = separable_last (band, &(TesseraLaunch) {
      .kernel = own ? own->up_rows : "gaussian_up_rows", .size = OUTPUT_SIZE (band), .group = { 32, 4 }, .cost = 3,
      .args = { ARG (stage.memory), UP_ARGS (&gaussian->y, y.phase), OUTPUT_ARGS (band) }
    }, 7, own);
  return status;
}
