/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Memory of ours as that of GEGL's tiles.
 */
#ifndef TESSERA_TILE_SHARE_H
#define TESSERA_TILE_SHARE_H

#include <gegl.h>
#include <gegl-buffer-backend.h>

/* Puts a tile into the output, which is locked.  The tile shares the memory of `first`, and `first` gives up its
 * part of it.  Returns the tile, to be unreferenced.  `first` must live until the memory is free. */
GeglTile    *tessera_tile_share (GeglTile *first, GeglBuffer *output, gint column, gint row);

/* Why this GEGL does not treat tiles as tiles.c needs, or NULL.  Tried at the first call. */
const gchar *tessera_tile_sharing_obstacle (void);

#endif
