/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The grid of tiles that a rectangle of a buffer meets: only arithmetic.
 */
#ifndef TESSERA_TILE_GRID_H
#define TESSERA_TILE_GRID_H

#include <gegl.h>

typedef struct
{
  gint          width, height;  /* of a tile */
  gint          pixel, bytes;   /* bytes of a pixel, and of a tile */
  gint          x, y;           /* the first tile's first pixel ... */
  gint          column, row;    /* ... and its place as GEGL counts it */
  gint          across, down;   /* how many tiles */
  gint          first, all;     /* of a part: its first tile among all */
  GeglRectangle whole;          /* the tiles that lie entirely in the rectangle */
  GeglRectangle ours;           /* those, and the tiles that the buffer's edge cuts, if they may be ours */
} TesseraTileGrid;

/* The begin of the tile with `position`, along one axis: `shift` before a multiple of its size. */
static inline gint
tessera_tile_start (gint position, gint size, gint shift)
{
  const gint past = (position + shift) % size;

  return position - (past < 0 ? past + size : past);
}

/* The tiles of this size that `rect` meets; `whole` and `ours` are still to be found. */
TesseraTileGrid tessera_tile_grid (const GeglRectangle *rect, gint width, gint height, gint shift_x, gint shift_y,
                                   gint pixel);
/* The pixels of these tiles of the grid. */
GeglRectangle   tessera_tiles_area (const TesseraTileGrid *grid, const GeglRectangle *tiles);
/* Is the tile at (x, y) of the grid one of these? */
gboolean        tessera_is_tile    (const GeglRectangle *tiles, gint x, gint y);
/* The tiles whose pixels in `outside` all lie in `inside`. */
GeglRectangle   tessera_tiles_full (const TesseraTileGrid *grid, const GeglRectangle *inside,
                                    const GeglRectangle *outside);
/* Rows `top` to `bottom` of its tiles. */
TesseraTileGrid tessera_tiles_part (const TesseraTileGrid *grid, gint top, gint bottom);

#endif
