/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Bilateral grids on the device: a band's place among the cells, the choice between dense and sparse cells, and the passes that smooth
 * a plane.
 */
#include "config.h"

#include "grid.h"

static gsize
dense_bytes (const GridParams *params, gsize cells, gint n_planes)
{
  const gsize parts = params->parts == 1 ? 0 : (gsize) params->parts * params->parts;

  return cells * (2 + parts) * n_planes * (params->of_plane ? 2 : 8) * sizeof (gfloat);
}

gsize
grid_sparse_bytes (const GridParams *params, gsize cells)
{
  return cells * params->lanes * params->capacity * GRID_ENTRY (params->values) * sizeof (gint);
}

/* It is faster as long as its planes are few, but with many parts a cell (a large sigma) its memory explodes.  Price: 5.1 (by
 * channels, 24 Mpix; H200, 2026-11-22). */
gboolean
grid_dense_pays (const GridParams *params, gsize cells, gint64 n_planes)
{
  return n_planes <= params->most_planes
         && (n_planes <= params->usual_planes
             || dense_bytes (params, cells, n_planes) <= 2 * grid_sparse_bytes (params, cells));
}

gsize
grid_scratch_bytes (const GridParams *params, gint height)
{
  const gint  rows = params->y.n_cells * (gint64) height / params->y.size + 5;   /* of cells, at most */
  const gsize cells = (gsize) params->x.n_cells * MIN (rows, params->y.n_cells);

  return grid_dense_pays (params, cells, params->usual_planes) ? dense_bytes (params, cells, params->usual_planes)
                                                               : grid_sparse_bytes (params, cells);
}

GridBand
grid_band (const TesseraBand *band, const GridParams *params)
{
  const gint row = band->roi.y - params->origin_y - params->y.from;
  const gint cell_row = params->y.cells[row] - 1;

  return (GridBand) { .params = params, .row = row, .cell_row = cell_row,
                      .n_cell_rows = params->y.cells[row + band->roi.height - 1] + 3 - cell_row,
                      .from_x = band->input.x - params->origin_x, .from_y = band->input.y - params->origin_y };
}

/* --------------------------------------------------------------- a plane -- */

#define MEASURE_ITEMS  256              /* that share a row ... */
#define MEASURE_GROUPS 256              /* ... and the rows */

/* As on the device. */
#define CELL_ARGS(band, g, pairs)                                                                                       \
    ARG (pairs), ARG ((band)->input.stride), ARG ((g)->from_x), ARG ((g)->from_y), ARG ((g)->params->per_plane),        \
    GRID_STARTS_ARG ((g)->params->x), GRID_STARTS_ARG ((g)->params->y), ARG ((g)->cell_row), ARG ((g)->params->x.n_cells), \
    ARG ((g)->n_cell_rows)
#define SLICE_ARGS(band, g, pairs)                                                                                      \
    ARG (pairs), ARG ((band)->input.stride), ARG ((band)->roi.x - (band)->input.x), ARG ((band)->roi.y - (band)->input.y), \
    ARG ((g)->params->per_plane), ARG ((g)->params->range_sigma), GRID_PLACES_ARGS ((g)->params->x),                    \
    GRID_PLACES_ARGS ((g)->params->y), ARG ((g)->row), ARG ((g)->cell_row), ARG ((g)->params->x.n_cells)

TesseraMemory *
grid_pairs (TesseraBand *band, const gfloat weights[3])
{
  TesseraMemory *pairs;

  tessera_scratch (band, (gsize) band->input.stride * band->input.height * 2 * sizeof (gfloat), &pairs);
  tessera_launch (band, &(TesseraLaunch) {
    .kernel = "grid_pairs", .size = { band->input.width, band->input.height }, .cost = 2,
    .args = { ARG (band->input.memory), ARG (band->input.stride), ARG (band->input.width), ARG (band->input.height),
              FLOAT4_ARG (weights[0], weights[1], weights[2], 0.0f), ARG (pairs) }
  });
  return pairs;
}

void
grid_join_and_blur (TesseraBand *band, TesseraMemory *in_parts, gint parts, TesseraMemory *a, TesseraMemory *b, gint cells_x, gint cells_y,
                    gint n_planes, gfloat moving)
{
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
    .args = { ARG (b), ARG (a), ARG (cells_x), ARG (cells_y), ARG (n_planes), ARG (moving) }
  });
}

gint
grid_plane_measure (TesseraBand *band, TesseraMemory *pairs, TesseraMemory *result)
{
  tessera_launch (band, &(TesseraLaunch) {
    .kernel = "grid_plane_measure_begin", .size = { 1 }, .args = { ARG (result) }
  });
  return tessera_launch (band, &(TesseraLaunch) {
    .kernel = "grid_plane_measure", .size = { MEASURE_ITEMS * MEASURE_GROUPS }, .group = { MEASURE_ITEMS },
    .cost = (gdouble) band->input.width * band->input.height / (MEASURE_ITEMS * MEASURE_GROUPS),
    .args = { ARG (pairs), ARG (band->input.stride), ARG (band->input.width), ARG (band->input.height), ARG (result) }
  });
}

/* Of ordered bits. */
static gfloat
measured_value (gint ordered)
{
  return tessera_as_float (ordered < 0 ? ordered ^ 0x7fffffff : ordered);
}

static gint
plane_of (const GridParams *params, gfloat value)
{
  return grid_place (CLAMP (value * params->per_plane, - GRID_FARTHEST, GRID_FARTHEST)).plane;
}

/* The planes from low on, of both ends.  A known range has rounding beyond. */
static gint64
find_planes (const GridParams *params, const gint *measured, const gfloat known[2], gint *low)
{
  *low = measured ? measured[0] <= measured[1] ? plane_of (params, measured_value (measured[0])) : 0
                  : plane_of (params, known[0]) - 1;
  return measured ? measured[0] <= measured[1] ? (gint64) plane_of (params, measured_value (measured[1])) - *low + 2 : 2
                  : (gint64) plane_of (params, known[1]) + 1 - *low + 2;
}

static TesseraMemory *
build_dense (TesseraBand *band, const GridBand *g, TesseraMemory *pairs, gint low, gint n_planes)
{
  const GridParams *params = g->params;
  const gint        cells_x = params->x.n_cells, cells_y = g->n_cell_rows, parts = params->parts;
  const gsize       bytes = (gsize) cells_x * cells_y * n_planes * 2 * sizeof (gfloat);
  TesseraMemory    *a, *b, *in_parts;

  tessera_scratch (band, bytes, &a);
  tessera_scratch (band, bytes, &b);
  in_parts = a;
  if (parts > 1)
    tessera_scratch (band, bytes * parts * parts, &in_parts);
  tessera_launch (band, &(TesseraLaunch) {
    .kernel = "grid_plane_splat", .size = { (gsize) cells_x * parts, (gsize) cells_y * parts }, .group = { 16, 4 },
    .cost = GRID_PART * GRID_PART + n_planes,
    .args = { CELL_ARGS (band, g, pairs), ARG (parts), ARG (low), ARG (n_planes), ARG (in_parts) }
  });
  grid_join_and_blur (band, in_parts, parts, a, b, cells_x, cells_y, n_planes, 1.0f);
  return a;
}

static TesseraMemory *
build_sparse (TesseraBand *band, const GridBand *g, TesseraMemory *pairs)
{
  const GridParams *params = g->params;
  TesseraMemory    *tables;

  tessera_scratch (band, grid_sparse_bytes (params, (gsize) params->x.n_cells * g->n_cell_rows), &tables);
  tessera_launch (band, &(TesseraLaunch) {
    .kernel = "grid_plane_sparse_build", .size = { params->x.n_cells, g->n_cell_rows }, .cost = 4.0 * params->capacity,
    .args = { CELL_ARGS (band, g, pairs), ARG (params->capacity), ARG (params->odd), ARG (tables) }
  });
  return tables;
}

gint
grid_plane_band (TesseraBand *band, const GridParams *params, TesseraMemory *pairs, const gint *measured, const gfloat known[2],
                 TesseraMemory *smoothed)
{
  const GridBand g = grid_band (band, params);
  gint           low;
  const gint64   n_planes = find_planes (params, measured, known, &low);
  TesseraMemory *cells;

  if (! grid_dense_pays (params, (gsize) params->x.n_cells * g.n_cell_rows, n_planes))
    {
      cells = build_sparse (band, &g, pairs);
      return tessera_launch (band, &(TesseraLaunch) {
        .kernel = "grid_plane_sparse_slice", .size = OUTPUT_SIZE (band), .cost = 64,
        .args = { SLICE_ARGS (band, &g, pairs), ARG (params->capacity), ARG (params->odd), ARG (cells), ARG (smoothed),
                  ARG (band->output.width), ARG (band->output.height) }
      });
    }
  cells = build_dense (band, &g, pairs, low, n_planes);
  return tessera_launch (band, &(TesseraLaunch) {
    .kernel = "grid_plane_slice", .size = OUTPUT_SIZE (band), .group = { 32, 4 }, .cost = 10,
    .args = { SLICE_ARGS (band, &g, pairs), ARG (low), ARG ((gint) n_planes), ARG (cells), ARG (smoothed),
              ARG (band->output.width), ARG (band->output.height) }
  });
}
