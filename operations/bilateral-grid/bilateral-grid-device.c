/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:bilateral-grid on the device: the passes, and the choice between the dense grid and the sparse one.
 */
#include "config.h"

#include "bilateral-grid.h"

gsize
bilateral_grid_scratch_bytes (const TesseraRequest *request, gint width G_GNUC_UNUSED, gint height)
{
  return grid_scratch_bytes (request->params, height);
}

static TesseraMemory *
guides_of (const TesseraBand *band)
{
  return band->aux.memory ? band->aux.memory : band->input.memory;
}

#define MEASURE_ITEMS  256              /* that share a row ... */
#define MEASURE_GROUPS 256              /* ... and the rows */
#define FEW_PLANES     32

#define WEIGHTS_ARG(p) FLOAT4_ARG ((p)->weights[0], (p)->weights[1], (p)->weights[2], (p)->per_plane)

/* As on the device. */
#define CELL_ARGS(band, g)                                                                                              \
    ARG ((band)->input.memory), ARG (guides_of (band)), ARG ((band)->input.stride), ARG ((g)->from_x), ARG ((g)->from_y),    \
    WEIGHTS_ARG ((g)->params), ARG ((g)->params->by_luminance), GRID_STARTS_ARG ((g)->params->x),                            \
    GRID_STARTS_ARG ((g)->params->y), ARG ((g)->cell_row), ARG ((g)->params->x.n_cells), ARG ((g)->n_cell_rows)
#define SLICE_ARGS(band, g)                                                                                             \
    ARG ((band)->input.memory), ARG (guides_of (band)), ARG ((band)->input.stride), ARG ((band)->roi.x - (band)->input.x),   \
    ARG ((band)->roi.y - (band)->input.y), WEIGHTS_ARG ((g)->params), ARG ((g)->params->by_luminance),                  \
    ARG ((g)->params->range_sigma), GRID_PLACES_ARGS ((g)->params->x), GRID_PLACES_ARGS ((g)->params->y), ARG ((g)->row), ARG ((g)->cell_row), ARG ((g)->params->x.n_cells)

gint
bilateral_grid_measure (TesseraBand *band, TesseraMemory *result)
{
  const GridBand  g = grid_band (band, band->request->params);
  const gint     *x = g.params->x.starts, *y = g.params->y.starts + g.cell_row;
  const gint      width = x[g.params->x.n_cells] - x[0], height = y[g.n_cell_rows] - y[0];

  tessera_launch (band, &(TesseraLaunch) {
    .kernel = "grid_measure_begin", .size = { 1 }, .args = { ARG (result) }
  });
  return tessera_launch (band, &(TesseraLaunch) {
    .kernel = "grid_measure", .size = { MEASURE_ITEMS * MEASURE_GROUPS }, .group = { MEASURE_ITEMS },
    .cost = (gdouble) width * height / (MEASURE_ITEMS * MEASURE_GROUPS),
    .args = { ARG (band->input.memory), ARG (guides_of (band)), ARG (band->input.stride), ARG (x[0] - g.from_x),
              ARG (y[0] - g.from_y), ARG (width), ARG (height), WEIGHTS_ARG (g.params), ARG (g.params->by_luminance),
              ARG (result) }
  });
}

static TesseraMemory *
splat_and_blur (TesseraBand *band, const GridBand *g, gint low, gint n_planes)
{
  const GridParams *params = g->params;
  const gint        cells_x = params->x.n_cells, cells_y = g->n_cell_rows, parts = params->parts;
  const gsize       bytes = (gsize) cells_x * cells_y * n_planes * 8 * sizeof (gfloat);
  /* Work-items of their own sum the planes, if they are few.  A processor runs these one after another: PoCL took 15 times as
   * long (2026-11-23).  By channels the other kernel is as fast.  Price: 1.3 (by luminance, 24 Mpix u8; H200, 2026-11-23). */
  const gboolean    alone = params->by_luminance && n_planes <= FEW_PLANES && ! band->on_processor;
  TesseraMemory    *a, *b, *in_parts;

  tessera_scratch (band, bytes, &a);
  tessera_scratch (band, bytes, &b);
  in_parts = a;
  if (parts > 1)
    tessera_scratch (band, bytes * parts * parts, &in_parts);
  tessera_launch (band, &(TesseraLaunch) {
    .kernel = alone ? "grid_splat_plane" : "grid_splat",
    .size = { (gsize) cells_x * parts * (alone ? n_planes : params->lanes), (gsize) cells_y * parts },
    .group = { 16, 4 }, .cost = GRID_PART * GRID_PART + (alone ? 1 : 2 * n_planes),
    .args = { CELL_ARGS (band, g), ARG (parts), ARG (low), ARG (n_planes), ARG (in_parts) }
  });
  grid_join_and_blur (band, in_parts, parts, a, b, cells_x, cells_y, n_planes, params->by_luminance ? 0.0f : 1.0f);
  return a;
}

static TesseraMemory *
build_sparse (TesseraBand *band, const GridBand *g)
{
  const GridParams *params = g->params;
  TesseraMemory    *tables;

  tessera_scratch (band, grid_sparse_bytes (params, (gsize) params->x.n_cells * g->n_cell_rows), &tables);
  tessera_launch (band, &(TesseraLaunch) {
    .kernel = "grid_sparse_build", .size = { (gsize) params->x.n_cells * params->lanes, g->n_cell_rows },
    .cost = 4.0 * params->capacity,
    .args = { CELL_ARGS (band, g), ARG (params->capacity), ARG (params->odd), ARG (tables) }
  });
  return tables;
}

gint
bilateral_grid_device (TesseraBand *band)
{
  GridBand          g = grid_band (band, band->request->params);
  const GridParams *params = g.params;
  /* Else of 0 .. 1, and rounding. */
  const gint        known[2] = { -1, band->measured ? 0 : (gint) params->per_plane + 1 };
  const gint       *range = band->measured ? band->measured : known;
  const gint        low = range[0] <= range[1] ? range[0] : 0;
  const gint64      n_planes = range[0] <= range[1] ? (gint64) range[1] - range[0] + 2 : 2;
  const gboolean    is_dense = grid_dense_pays (params, (gsize) params->x.n_cells * g.n_cell_rows, n_planes);
  TesseraMemory    *grid = is_dense ? splat_and_blur (band, &g, low, n_planes) : build_sparse (band, &g);

  if (! is_dense)
    return tessera_launch (band, &(TesseraLaunch) {
      .kernel = "grid_sparse_slice", .size = { (gsize) band->output.width * params->lanes, band->output.height }, .cost = 256,
      .args = { SLICE_ARGS (band, &g), ARG (params->capacity), ARG (params->odd), ARG (grid), OUTPUT_ARGS (band) }
    });
  return tessera_launch (band, &(TesseraLaunch) {
    .kernel = "grid_slice", .size = OUTPUT_SIZE (band), .group = { 32, 4 }, .cost = 16,
    .args = { SLICE_ARGS (band, &g), ARG (low), ARG ((gint) n_planes), ARG (grid), OUTPUT_ARGS (band) }
  });
}
