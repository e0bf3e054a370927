/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Bilateral grids in C: the sparse grid of a tile.  Only the planes that
 * occur in a cell are stored, so memory is bounded by the number of pixels,
 * whatever the values.
 */
#include "grid.h"

#include <math.h>

/* The place of lane `lane` of a pixel; FALSE if the pixel does not count. */
static gboolean
sparse_place (const GridTile *tile, gint x, gint y, gint lane, GridPlace *place)
{
  const gboolean of_plane = tile->params->of_plane;
  const gfloat  *pixel = of_plane ? NULL : tile_pixel (tile, tile->pixels, x, y);
  const gfloat  *guide = tile->guide ? tile_pixel (tile, tile->guide, x, y) : pixel;
  gboolean       counts = TRUE;
  gfloat         p;

  if (of_plane)
    {
      const gsize at = tile_place (tile, x, y);

      p = tile->plane[at] * tile->params->per_plane;
      counts = grid_weighs (tile->plane[at], tile->weights[at]);
    }
  else if (tile->params->by_luminance)
    {
      p = grid_luminance_planes (tile->params, guide);
      counts = pixel[3] != 0.0f && guide[3] != 0.0f;
      for (gint c = 0; c < 4; c++)
        counts = counts && fabsf (c < 3 ? pixel[c] * pixel[3] : pixel[3]) <= G_MAXFLOAT;
    }
  else
    {
      p = pixel[lane] * tile->params->per_plane;
      counts = lane == 3 || grid_weighs (pixel[lane], pixel[3]);
    }
  if (! counts || ! grid_counts (p))
    return FALSE;
  *place = grid_place (p);
  return TRUE;
}

static void
sparse_build_cell (const GridTile *tile, gint i, gint j, gint lane, gint *table)
{
  const GridParams *params = tile->params;
  const gint        values = params->values;
  const gint        x0 = params->x.starts[i], y0 = params->y.starts[j];
  gint              part = 0;

  grid_clear_table (table, params->capacity, values);
  for (gint py = y0; py < params->y.starts[j + 1]; py += GRID_PART)
    for (gint px = x0; px < params->x.starts[i + 1]; px += GRID_PART, part++)
      for (gint y = py; y < MIN (py + GRID_PART, params->y.starts[j + 1]); y++)
        for (gint x = px; x < MIN (px + GRID_PART, params->x.starts[i + 1]); x++)
          {
            const gfloat *pixel = params->of_plane ? NULL : tile_pixel (tile, tile->pixels, x, y);
            const gfloat  weight = params->of_plane ? tile->weights[tile_place (tile, x, y)]
                                   : params->by_luminance || lane == 3 ? 1.0f : pixel[3];
            GridPlace     place;
            gint         *sums;

            if (! sparse_place (tile, x, y, lane, &place))
              continue;
            sums = table + grid_enter (table, params->capacity, params->odd, values, place.plane + place.up, part);
            if (params->by_luminance)
              for (gint c = 0; c < 4; c++)
                grid_add (sums + c, c < 3 ? pixel[c] * pixel[3] : pixel[3]);
            else
              grid_add (sums, weight * (place.fraction - place.up));
            grid_add (sums + values, weight);
          }
  grid_finish_table (table, params->capacity, values);
}

/* The entries that a pixel needs, relative to `tables`. */
static void
sparse_lookup (const GridTile *tile, const gint *tables, gint ci, gint cj, gint plane, gint64 *found)
{
  const GridParams *params = tile->params;
  const gsize       table = (gsize) params->capacity * GRID_ENTRY (params->values);

  for (gint z = 0; z < 4; z++)
    for (gint y = 0; y < 4; y++)
      for (gint x = 0; x < 4; x++)
        {
          gsize cell = ((gsize) (cj + y - tile->cy0) * tile->cells_x + ci + x - tile->cx0) * table;
          gsize entry = cell + grid_find (tables + cell, params->capacity, params->odd, params->values,
                                          plane + z - 1);

          found[(z * 4 + y) * 4 + x] = tables[entry + 1] == -1 ? -1 : (gint64) entry;
        }
}

/* In place of the pixel: nobody else reads this lane of it any more. */
static void
sparse_put (const GridTile *tile, gint x, gint y, gint lane, const gfloat *mean, gfloat fraction)
{
  const GridParams *params = tile->params;
  gfloat           *pixel = tile_pixel (tile, tile->pixels, x, y);

  for (gint c = 0; params->by_luminance && c < 3 && mean[3] != 0.0f; c++)
    pixel[c] = mean[c] / mean[3];
  if (! params->by_luminance && mean[1] != 0.0f)
    pixel[lane] += params->range_sigma * (mean[0] / mean[1] - fraction);
}

/* `out` has the value. */
static void
sparse_put_plane (const GridParams *params, const gfloat *mean, gfloat fraction, gfloat *out)
{
  if (mean[1] != 0.0f)
    *out += params->range_sigma * (mean[0] / mean[1] - fraction);
}

static void
sparse_slice (const GridTile *tile, const gint *tables, gint x, gint y, gint lane)
{
  const GridParams *params = tile->params;
  const gint        column = x - params->x.from, row = y - params->y.from;
  const gfloat      fx = params->x.fractions[column], fy = params->y.fractions[row];
  gfloat           *out = NULL;
  gint64            found[64];
  gfloat            sums[5][2] = { { 0.0f } }, mean[5];
  GridPlace         place;

  if (params->of_plane)
    {
      out = tile->smoothed + (gsize) (y - tile->roi.y) * tile->smoothed_row + x - tile->roi.x;
      *out = tile->plane[tile_place (tile, x, y)];
    }
  else if (tile_pixel (tile, tile->pixels, x, y)[3] == 0.0f)
    return;
  if (! sparse_place (tile, x, y, lane, &place))
    return;
  sparse_lookup (tile, tables, params->x.cells[column] - 1, params->y.cells[row] - 1,
                 place.plane, found);
  for (gint k = 0; k <= params->values; k++)
    grid_gather (tables, found, k, ! params->by_luminance && k == 0 ? 1 : -1, fx, fy, sums[k]);
  if (! params->by_luminance)
    sums[0][1] += sums[1][1];
  for (gint k = 0; k <= params->values; k++)
    mean[k] = grid_lerp (sums[k][0], sums[k][1], place.fraction);
  if (params->of_plane)
    sparse_put_plane (params, mean, place.fraction, out);
  else
    sparse_put (tile, x, y, lane, mean, place.fraction);
}

void
grid_sparse (GridTile *tile)
{
  const GridParams *params = tile->params;
  const gsize       table = (gsize) params->capacity * GRID_ENTRY (params->values);
  g_autofree gint  *tables = g_new (gint, sparse_words (tile));

  for (gint lane = 0; lane < params->lanes; lane++)
    {
      gint *next = tables;

      for (gint j = tile->cy0; j < tile->cy1; j++)
        for (gint i = tile->cx0; i < tile->cx1; i++, next += table)
          sparse_build_cell (tile, i, j, lane, next);
      for (gint y = tile->roi.y; y < tile->roi.y + tile->roi.height; y++)
        for (gint x = tile->roi.x; x < tile->roi.x + tile->roi.width; x++)
          sparse_slice (tile, tables, x, y, lane);
    }
}
