/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Memory of ours as that of GEGL's tiles.
 */
#ifndef TESSERA_TILE_SHARE_H
#define TESSERA_TILE_SHARE_H

#include <gegl.h>
#include <gegl-buffer-backend.h>

/* The output, which is locked, gets a tile that shares the memory of `first`, which gives up its part of it; the tile comes back,
 * to be unreferenced.  `first` must live until the memory is free. */
GeglTile    *tessera_tile_share (GeglTile *first, GeglBuffer *output, gint column, gint row);

/* What this GEGL does otherwise than tiles.c needs, or NULL: tried at the first call. */
const gchar *tessera_tile_sharing_obstacle (void);

#endif
