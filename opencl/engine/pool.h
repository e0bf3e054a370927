/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Pools of device memory and of pinned host memory.
 */
#ifndef TESSERA_POOL_H
#define TESSERA_POOL_H

#include "memory.h"

/* `exact`: not one byte more, because another band needs the usual spare room. */
gint tessera_pool_take (const TesseraDevice *device, gsize bytes, gboolean pinned, gboolean exact,
                        TesseraMemory **memory);
/* Device memory that holds `constant` for good once it has been uploaded. is_there: it has been, and others may read it at the same time. */
gint tessera_pool_take_constant (const TesseraDevice *device, gsize bytes, gconstpointer constant,
                                 TesseraMemory **memory, gboolean *is_there);
/* What memory holds for good is not wanted any more; whoever reads it goes on.  NULL: whatever it is. */
void tessera_pool_drop_constant (gconstpointer constant);
gboolean tessera_pool_has_constant (gconstpointer constant);
void tessera_pool_give (TesseraMemory *memory);
/* It may not hold what it should. */
void tessera_pool_lose (TesseraMemory *memory);
/* Gives back all idle memory, including that of tiles. */
void tessera_pool_trim (void);

#endif
