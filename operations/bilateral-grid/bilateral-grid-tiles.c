/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The C path of tessera:bilateral-grid.  An area is cut into tiles; each tile
 * builds its own part of the grid from its pixels and those around it, so that
 * memory does not grow with the image and the result does not depend on the cut.
 *
 * The grid is dense (an array of planes) if the values of a tile span few planes.  It is sparse (a hash table a
 * cell) if they span many: HDR, or a tiny range sigma.  Both give the same bits.
 */
#include "bilateral-grid.h"

#define TILE 256                        /* pixels on a side, at least */

static gfloat *
tile_read (const GridTile *tile, GeglBuffer *buffer, const GeglRectangle *bounds, const Babl *format)
{
  GeglRectangle rect = tile->around;
  gfloat       *pixels = g_new (gfloat, 4 * (gsize) rect.width * rect.height);

  rect.x += tile->params->origin_x;
  rect.y += tile->params->origin_y;
  tessera_read (buffer, &rect, bounds, TESSERA_BORDER_CLAMP, format, pixels);
  return pixels;
}

static void
tile_write (const GridTile *tile)
{
  GeglRectangle rect = tile->roi;

  rect.x += tile->params->origin_x;
  rect.y += tile->params->origin_y;
  tessera_write_output (tile->request, &rect, tile_pixel (tile, tile->pixels, tile->roi.x, tile->roi.y),
                        4 * tile->around.width * sizeof (gfloat));
}

/* The least and the greatest p of a row of values that count, kept apart by lane so that the loop vectorises.  Colours
 * of alpha 0 are among them; they only cost memory. */
#define MEASURE_LANES 16

TESSERA_CLONES static void
measure_channels (const gfloat *restrict pixels, gsize n, gfloat per_plane,
                  gfloat *restrict least, gfloat *restrict most)
{
  for (gsize first = 0; first < n; first += MEASURE_LANES)
    {
      gsize end = MIN (MEASURE_LANES, n - first);

      for (gsize k = 0; k < end; k++)
        {
          gfloat p = pixels[first + k] * per_plane;
          gint   counts = grid_counts (p);

          least[k] = (counts & (p < least[k])) ? p : least[k];
          most[k] = (counts & (p > most[k])) ? p : most[k];
        }
    }
}

/* Sets low and n_planes so that they span every plane that the tile's pixels touch.  FALSE if these are too many
 * for a dense grid. */
static gboolean
measure_planes (GridTile *tile)
{
  const GridParams *params = tile->params;
  const gsize       n = (gsize) tile->around.width * tile->around.height;
  gfloat            least[MEASURE_LANES], most[MEASURE_LANES];

  for (gint k = 0; k < MEASURE_LANES; k++)
    {
      least[k] = G_MAXFLOAT;
      most[k] = -G_MAXFLOAT;
    }
  if (params->by_luminance)
    for (gsize i = 0; i < n; i++)
      {
        const gfloat *guide = (tile->guide ? tile->guide : tile->pixels) + 4 * i;
        const gfloat  p = grid_luminance_planes (params, guide);

        if (grid_counts (p) && guide[3] != 0.0f && tile->pixels[4 * i + 3] != 0.0f)
          {
            least[0] = MIN (least[0], p);
            most[0] = MAX (most[0], p);
          }
      }
  else
    measure_channels (tile->pixels, 4 * n, params->per_plane, least, most);
  for (gint k = 1; k < MEASURE_LANES; k++)
    {
      least[0] = MIN (least[0], least[k]);
      most[0] = MAX (most[0], most[k]);
    }
  return grid_tile_planes (tile, least[0], most[0]);
}

/* FALSE if the grid would be too large; nothing is done then. */
static gboolean
try_tile (const TesseraRequest *request, const GeglRectangle *roi, gboolean is_smallest, GridRoom *room)
{
  GridTile tile = { .request = request, .params = request->params, .roi = *roi, .room = room };
  gboolean done;

  grid_tile_shape (&tile);
  tile.row = tile.around.width;
  tile.pixels = tile_read (&tile, request->input, &request->bounds, request->input_format);
  if (request->aux)
    tile.guide = tile_read (&tile, request->aux, &request->aux_bounds, request->aux_format);
  done = grid_tile_compute (&tile, measure_planes (&tile), is_smallest);
  if (done)
    tile_write (&tile);
  g_free (tile.guide);
  g_free (tile.pixels);
  return done;
}

/* A tile whose grid is too large is cut in four, down to one cell. */
static void
compute_tile (const TesseraRequest *request, const GeglRectangle *roi, gint smallest, GridRoom *room)
{
  gint half_w = (roi->width + 1) / 2, half_h = (roi->height + 1) / 2;

  if (try_tile (request, roi, MAX (roi->width, roi->height) <= smallest, room))
    return;
  for (gint y = 0; y < roi->height; y += half_h)
    for (gint x = 0; x < roi->width; x += half_w)
      compute_tile (request, GEGL_RECTANGLE (roi->x + x, roi->y + y, MIN (half_w, roi->width - x),
                                             MIN (half_h, roi->height - y)), smallest, room);
}

void
bilateral_grid_area (const TesseraRequest *request, const GeglRectangle *area)
{
  const GridParams *params = request->params;
  const gint        cell = grid_smallest_tile (params);
  const gint        side = MAX (TILE, 4 * cell);
  const gint        x0 = area->x - params->origin_x, y0 = area->y - params->origin_y;
  GridRoom          room = { NULL, 0 };

  for (gint y = 0; y < area->height; y += side)
    for (gint x = 0; x < area->width; x += side)
      compute_tile (request, GEGL_RECTANGLE (x0 + x, y0 + y, MIN (side, area->width - x),
                                             MIN (side, area->height - y)), cell, &room);
  g_free (room.memory);
}
