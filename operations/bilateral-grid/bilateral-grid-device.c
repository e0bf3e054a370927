/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:bilateral-grid on the device: the passes, and the choice between the dense grid and the sparse one.
 */
#include "config.h"

#include "bilateral-grid.h"

static gsize
dense_bytes (const GridParams *params, gsize cells, gint n_planes)
{
  gsize parts = params->parts == 1 ? 0 : (gsize) params->parts * params->parts;

  return cells * (2 + parts) * n_planes * 8 * sizeof (gfloat);
}

static gsize
sparse_bytes (const GridParams *params, gsize cells)
{
  return cells * params->lanes * params->capacity * GRID_ENTRY (params->values) * sizeof (gint);
}

/* The planes that values 0..2 touch.  Memory is planned for these. */
static gint
usual_planes (const GridParams *params)
{
  return (gint) (2 * params->per_plane) + 4;
}

/* Whether to take the dense grid.  It is faster as long as its planes are few, but with many parts a cell (a
 * large sigma) its memory explodes.  Price: 5.1 (by channels, 24 Mpix; H200, 2026-11-22). */
static gboolean
dense_pays (const GridParams *params, gsize cells, gint64 n_planes)
{
  return n_planes <= params->most_planes
         && (n_planes <= usual_planes (params)
             || dense_bytes (params, cells, n_planes) <= 2 * sparse_bytes (params, cells));
}

gsize
bilateral_grid_scratch_bytes (const TesseraRequest *request, gint width G_GNUC_UNUSED, gint height)
{
  const GridParams *params = request->params;
  const gint        rows = params->y.n_cells * (gint64) height / params->y.size + 5;     /* of cells, at most */
  const gsize       cells = (gsize) params->x.n_cells * MIN (rows, params->y.n_cells);

  return dense_pays (params, cells, usual_planes (params)) ? dense_bytes (params, cells, usual_planes (params))
                                                           : sparse_bytes (params, cells);
}

/* A band's place in the request's tables, and the first arguments of most kernels. */
typedef struct
{
  const GridParams *params;
  gint              row, cell_row, n_cell_rows;
  gint              from_x, from_y;     /* of the uploaded image */
  TesseraMemory    *guides;
} GridBand;

static GridBand
grid_band (const TesseraBand *band)
{
  const GridParams *params = band->request->params;
  const gint        row = band->roi.y - params->origin_y - params->y.from;
  const gint        cell_row = params->y.cells[row] - 1;

  return (GridBand) { .params = params, .row = row, .cell_row = cell_row,
                      .n_cell_rows = params->y.cells[row + band->roi.height - 1] + 3 - cell_row,
                      .from_x = band->input.x - params->origin_x, .from_y = band->input.y - params->origin_y,
                      .guides = band->aux.memory ? band->aux.memory : band->input.memory };
}

#define MEASURE_ITEMS  256              /* that share a row ... */
#define MEASURE_GROUPS 256              /* ... and the rows */
#define FEW_PLANES     32

#define STARTS_ARG(axis)    TABLE_ARG ((axis).starts, ((axis).n_cells + 1) * sizeof (gint))
#define PLACES_ARGS(axis)   TABLE_ARG ((axis).cells, (axis).size * sizeof (gint)), \
                            TABLE_ARG ((axis).fractions, (axis).size * sizeof (gfloat))
#define WEIGHTS_ARG(p) FLOAT4_ARG ((p)->weights[0], (p)->weights[1], (p)->weights[2], (p)->per_plane)

/* As on the device. */
#define CELL_ARGS(band, g)                                                                                              \
    ARG ((band)->input.memory), ARG ((g)->guides), ARG ((band)->input.stride), ARG ((g)->from_x), ARG ((g)->from_y),    \
    WEIGHTS_ARG ((g)->params), ARG ((g)->params->by_luminance), STARTS_ARG ((g)->params->x),                            \
    STARTS_ARG ((g)->params->y), ARG ((g)->cell_row), ARG ((g)->params->x.n_cells), ARG ((g)->n_cell_rows)
#define SLICE_ARGS(band, g)                                                                                             \
    ARG ((band)->input.memory), ARG ((g)->guides), ARG ((band)->input.stride), ARG ((band)->roi.x - (band)->input.x),   \
    ARG ((band)->roi.y - (band)->input.y), WEIGHTS_ARG ((g)->params), ARG ((g)->params->by_luminance),                  \
    ARG ((g)->params->range_sigma), PLACES_ARGS ((g)->params->x), PLACES_ARGS ((g)->params->y), ARG ((g)->row), ARG ((g)->cell_row), ARG ((g)->params->x.n_cells)

gint
bilateral_grid_measure (TesseraBand *band, TesseraMemory *result)
{
  const GridBand  g = grid_band (band);
  const gint     *x = g.params->x.starts, *y = g.params->y.starts + g.cell_row;
  const gint      width = x[g.params->x.n_cells] - x[0], height = y[g.n_cell_rows] - y[0];

  tessera_launch (band, &(TesseraLaunch) {
    .kernel = "grid_measure_begin", .size = { 1 }, .args = { ARG (result) }
  });
  return tessera_launch (band, &(TesseraLaunch) {
    .kernel = "grid_measure", .size = { MEASURE_ITEMS * MEASURE_GROUPS }, .group = { MEASURE_ITEMS },
    .cost = (gdouble) width * height / (MEASURE_ITEMS * MEASURE_GROUPS),
    .args = { ARG (band->input.memory), ARG (g.guides), ARG (band->input.stride), ARG (x[0] - g.from_x),
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
  if (parts > 1)
    tessera_launch (band, &(TesseraLaunch) {
      .kernel = "grid_join", .size = { n_planes, cells_x, cells_y }, .cost = parts * parts,
      .args = { ARG (in_parts), ARG (a), ARG (cells_x), ARG (cells_y), ARG (parts), ARG (n_planes) }
    });
  tessera_launch (band, &(TesseraLaunch) {
    .kernel = "grid_blur_xy", .size = { n_planes, cells_x, cells_y }, .cost = 9,
    .args = { ARG (a), ARG (b), ARG (cells_x), ARG (cells_y), ARG (n_planes) }
  });
  tessera_launch (band, &(TesseraLaunch) {
    .kernel = "grid_blur_z", .size = { n_planes, cells_x, cells_y }, .cost = 3,
    .args = { ARG (b), ARG (a), ARG (cells_x), ARG (cells_y), ARG (n_planes), ARG (params->by_luminance ? 0.0f : 1.0f) }
  });
  return a;
}

static TesseraMemory *
build_sparse (TesseraBand *band, const GridBand *g)
{
  const GridParams *params = g->params;
  TesseraMemory    *tables;

  tessera_scratch (band, sparse_bytes (params, (gsize) params->x.n_cells * g->n_cell_rows), &tables);
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
  GridBand          g = grid_band (band);
  const GridParams *params = g.params;
  /* Else of 0 .. 1, and rounding. */
  const gint        known[2] = { -1, band->measured ? 0 : (gint) params->per_plane + 1 };
  const gint       *range = band->measured ? band->measured : known;
  const gint        low = range[0] <= range[1] ? range[0] : 0;
  const gint64      n_planes = range[0] <= range[1] ? (gint64) range[1] - range[0] + 2 : 2;
  const gboolean    is_dense = dense_pays (params, (gsize) params->x.n_cells * g.n_cell_rows, n_planes);
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
