/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A plane of values, smoothed in C by bilateral grids of its own, and the pictures of operations that do so, tile by tile.
 */
#include "grid.h"

/* The least and the greatest value that counts, in planes. */
TESSERA_CLONES static void
find_range (const gfloat *restrict values, const gfloat *restrict weights, gint n, gfloat per_plane, gfloat *least, gfloat *most)
{
  gfloat low = *least, high = *most;

  for (gint i = 0; i < n; i++)
    {
      const gfloat p = values[i] * per_plane;
      const gint   counts = grid_counts (p) & (weights[i] != 0.0f);

      low = (counts & (p < low)) ? p : low;
      high = (counts & (p > high)) ? p : high;
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

/* ----------------------------------------------------------------- tiles -- */

#define TILE 256                        /* pixels on a side, at least */

/* The pixels that all grids need for `roi`. */
static GeglRectangle
pixels_around (const GridJob *job, const GeglRectangle *roi)
{
  GeglRectangle around = *roi;

  for (gint k = 0; k < GRID_PLANES; k++)
    if (job->grids[k])
      {
        GridTile tile = { .params = job->grids[k], .roi = *roi };

        grid_tile_shape (&tile);
        gegl_rectangle_bounding_box (&around, &around, &tile.around);
      }
  return around;
}

static void
make_plane (const GridJob *job, const gfloat *pixels, gsize n, gfloat *values, gfloat *weights)
{
  for (gsize i = 0; i < n; i += GRID_CHUNK)
    job->make (job->data, pixels + 4 * i, MIN (GRID_CHUNK, n - i), values + i, weights + i);
}

/* A row of n pixels; the smoothed planes are at the same place. */
static void
apply_row (const GridJob *job, gfloat *pixels, gint n, const gfloat *values, const gfloat *const smoothed[GRID_PLANES])
{
  for (gint i = 0; i < n; i += GRID_CHUNK)
    {
      const gfloat *const here[GRID_PLANES] = { smoothed[0] + i, smoothed[1] + i };

      job->apply (job->data, pixels + 4 * i, MIN (GRID_CHUNK, n - i), values + i, here);
    }
}

static void
compute_tile (const TesseraRequest *request, const GridJob *job, const GeglRectangle *roi, GridRoom *rooms)
{
  const gint          x0 = job->grids[0]->origin_x, y0 = job->grids[0]->origin_y;
  const GeglRectangle around = pixels_around (job, roi);
  const gsize         n = (gsize) around.width * around.height, n_roi = (gsize) roi->width * roi->height;
  const gsize         first = (gsize) (roi->y - around.y) * around.width + roi->x - around.x;
  gfloat             *pixels = grid_room (&rooms[0], 6 * n + GRID_PLANES * n_roi), *values = pixels + 4 * n, *weights = values + n;
  gfloat             *smoothed = weights + n;
  const GridPlane     plane = { around, values, weights };

  tessera_read (request->input, GEGL_RECTANGLE (x0 + around.x, y0 + around.y, around.width, around.height), &request->bounds,
                TESSERA_BORDER_CLAMP, request->input_format, pixels);
  make_plane (job, pixels, n, values, weights);
  for (gint k = 0; k < GRID_PLANES; k++)
    if (job->grids[k])
      smooth_part (job->grids[k], &plane, roi, &rooms[1], smoothed + k * n_roi, roi->width);
  for (gint y = 0; y < roi->height; y++)
    {
      const gfloat       *row = smoothed + (gsize) y * roi->width;
      const gfloat *const rows[GRID_PLANES] = { row, job->grids[1] ? row + n_roi : row };
      const gsize         at = first + (gsize) y * around.width;

      apply_row (job, pixels + 4 * at, roi->width, values + at, rows);
    }
  tessera_write_output (request, GEGL_RECTANGLE (x0 + roi->x, y0 + roi->y, roi->width, roi->height), pixels + 4 * first,
                        4 * around.width * sizeof (gfloat));
}

void
grid_plane_area (const TesseraRequest *request, const GeglRectangle *area, const GridJob *job)
{
  const gint side = MAX (TILE, 4 * grid_smallest_tile (job->grids[1] ? job->grids[1] : job->grids[0]));
  const gint x0 = area->x - job->grids[0]->origin_x, y0 = area->y - job->grids[0]->origin_y;
  GridRoom   rooms[2] = { { NULL, 0 }, { NULL, 0 } };           /* of tiles, and of their grids */

  for (gint y = 0; y < area->height; y += side)
    for (gint x = 0; x < area->width; x += side)
      compute_tile (request, job, GEGL_RECTANGLE (x0 + x, y0 + y, MIN (side, area->width - x), MIN (side, area->height - y)), rooms);
  g_free (rooms[0].memory);
  g_free (rooms[1].memory);
}
