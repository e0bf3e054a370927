/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The grid of tiles that a rectangle of a buffer meets.
 */
#include "config.h"

#include "tile-grid.h"

TesseraTileGrid
tessera_tile_grid (const GeglRectangle *rect, gint width, gint height, gint shift_x, gint shift_y, gint pixel)
{
  TesseraTileGrid grid = { .width = width, .height = height, .pixel = pixel, .bytes = width * height * pixel };

  grid.x = tessera_tile_start (rect->x, width, shift_x);
  grid.y = tessera_tile_start (rect->y, height, shift_y);
  grid.column = (grid.x + shift_x) / width;
  grid.row = (grid.y + shift_y) / height;
  grid.across = (rect->x + rect->width - 1 - grid.x) / width + 1;
  grid.down = (rect->y + rect->height - 1 - grid.y) / height + 1;
  grid.all = grid.across * grid.down;
  return grid;
}

GeglRectangle
tessera_tiles_area (const TesseraTileGrid *grid, const GeglRectangle *tiles)
{
  return (GeglRectangle) { grid->x + tiles->x * grid->width, grid->y + tiles->y * grid->height,
                           tiles->width * grid->width, tiles->height * grid->height };
}

gboolean
tessera_is_tile (const GeglRectangle *tiles, gint x, gint y)
{
  return x >= tiles->x && x < tiles->x + tiles->width && y >= tiles->y && y < tiles->y + tiles->height;
}

GeglRectangle
tessera_tiles_full (const TesseraTileGrid *grid, const GeglRectangle *inside, const GeglRectangle *outside)
{
  const gint inside_x = inside->x + inside->width, inside_y = inside->y + inside->height;
  const gint left = grid->x < inside->x && outside->x < inside->x;
  const gint top = grid->y < inside->y && outside->y < inside->y;
  const gint right = grid->across - (grid->x + grid->across * grid->width > inside_x
                                     && outside->x + outside->width > inside_x);
  const gint bottom = grid->down - (grid->y + grid->down * grid->height > inside_y
                                    && outside->y + outside->height > inside_y);

  return (GeglRectangle) { left, top, MAX (0, right - left), MAX (0, bottom - top) };
}

static GeglRectangle
rows_of (const GeglRectangle *tiles, gint top, gint bottom)
{
  const gint first = CLAMP (tiles->y, top, bottom), end = CLAMP (tiles->y + tiles->height, top, bottom);

  return (GeglRectangle) { tiles->x, first - top, tiles->width, end - first };
}

TesseraTileGrid
tessera_tiles_part (const TesseraTileGrid *grid, gint top, gint bottom)
{
  TesseraTileGrid part = *grid;

  part.y += top * grid->height;
  part.row += top;
  part.down = bottom - top;
  part.first += top * grid->across;
  part.whole = rows_of (&grid->whole, top, bottom);
  part.ours = rows_of (&grid->ours, top, bottom);
  return part;
}
