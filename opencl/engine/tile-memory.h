/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Host memory for the tiles of results, known to the device.
 */
#ifndef TESSERA_TILE_MEMORY_H
#define TESSERA_TILE_MEMORY_H

#include "device.h"

#define TESSERA_IDLE (30 * G_USEC_PER_SEC)      /* after which unused memory is given back */

typedef struct _TesseraTiles TesseraTiles;

/* Memory for `n` tiles, one after the other; NULL: there is none now. */
TesseraTiles *tessera_tiles_take    (const TesseraDevice *device, guint n, gsize tile_bytes);
/* `idle`: the device is done with it.  A slot is the place of a tile.  The memory is free when the band and all
 * tiles have left. */
void          tessera_tiles_give    (TesseraTiles *tiles, gboolean idle);
void          tessera_tiles_enter   (TesseraTiles *tiles, guint slot);
/* May be called from any thread, with any lock of GEGL held: it does not call OpenCL. */
void          tessera_tiles_leave   (TesseraTiles *tiles, guint slot);
guchar       *tessera_tiles_pointer (TesseraTiles *tiles);
/* Scratch memory that belongs to these tiles: zeroed when it is made, grown when more bytes are asked for. */
gpointer      tessera_tiles_notes   (TesseraTiles *tiles, gsize bytes);

/* Returns memory that has been idle since `since`; the device forgets memory that is held since then.  Is
 * there more? */
gboolean      tessera_tiles_trim    (gint64 since);
/* If until when, after the device did not accept such memory, it is asked again. */
void          tessera_tiles_retry   (void);

#endif
