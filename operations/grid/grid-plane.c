/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A plane of values, smoothed in C by a bilateral grid of its own.
 */
#include "grid.h"

GeglRectangle
grid_plane_needs (const GridParams *params, const GeglRectangle *roi)
{
  GridTile tile = { .params = params, .roi = *roi };

  grid_tile_shape (&tile);
  return tile.around;
}

/* The least and the greatest value that counts, in planes. */
TESSERA_CLONES static void
find_range (const gfloat *restrict values, const gfloat *restrict weights, gint n, gfloat per_plane, gfloat *least, gfloat *most)
{
  gfloat low = *least, high = *most;

  for (gint i = 0; i < n; i++)
    {
      const gfloat p = values[i] * per_plane;
      const gint   counts = grid_counts (p) & (weights[i] != 0.0f);

      low = counts & (p < low) ? p : low;
      high = counts & (p > high) ? p : high;
    }
  *least = low;
  *most = high;
}

static gboolean
find_planes (GridTile *tile)
{
  gfloat least = G_MAXFLOAT, most = -G_MAXFLOAT;

  for (gint y = 0; y < tile->around.height; y++)
    find_range (tile->plane + (gsize) y * tile->row, tile->weights + (gsize) y * tile->row, tile->around.width,
                tile->params->per_plane, &least, &most);
  return grid_tile_planes (tile, least, most);
}

/* A part whose grid is too large is cut in four, down to one cell. */
static void
smooth_part (const GridParams *params, const GridPlane *plane, const GeglRectangle *roi, GridRoom *room, gfloat *smoothed, gint smoothed_row)
{
  const gint half_w = (roi->width + 1) / 2, half_h = (roi->height + 1) / 2;
  GridTile   tile = { .params = params, .roi = *roi, .row = plane->around.width, .room = room, .smoothed = smoothed,
                      .smoothed_row = smoothed_row };
  gsize      first;

  grid_tile_shape (&tile);
  first = (gsize) (tile.around.y - plane->around.y) * tile.row + tile.around.x - plane->around.x;
  tile.plane = plane->values + first;
  tile.weights = plane->weights + first;
  if (grid_tile_compute (&tile, find_planes (&tile), MAX (roi->width, roi->height) <= grid_smallest_tile (params)))
    return;
  for (gint y = 0; y < roi->height; y += half_h)
    for (gint x = 0; x < roi->width; x += half_w)
      smooth_part (params, plane, GEGL_RECTANGLE (roi->x + x, roi->y + y, MIN (half_w, roi->width - x), MIN (half_h, roi->height - y)),
                   room, smoothed + (gsize) y * smoothed_row + x, smoothed_row);
}

void
grid_plane_smooth (const GridParams *params, const GridPlane *plane, const GeglRectangle *roi, GridRoom *room, gfloat *smoothed)
{
  smooth_part (params, plane, roi, room, smoothed, roi->width);
}
