/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Results that are sent straight into tiles.
 */
#ifndef TESSERA_TILES_H
#define TESSERA_TILES_H

#include "plan.h"
#include "tile-memory.h"

/* FALSE if the output cannot take pixels of `format` as they are, or would get too few of our tiles. */
gboolean tessera_tiles_plan   (GeglBuffer *output, const Babl *format, const GeglRectangle *roi,
                               TesseraTileGrid *grid);
/* The tiles `ours` become the output's.  `rect`: the request's pixels in these rows of tiles. */
void     tessera_tiles_insert (TesseraTiles *tiles, const TesseraTileGrid *grid, const GeglRectangle *rect,
                               GeglBuffer *output);
/* Writes the pixels of `part`, which lies in one tile. */
void     tessera_tiles_write  (TesseraTiles *tiles, const TesseraTileGrid *grid, const GeglRectangle *part,
                               GeglBuffer *output);

#endif
