/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The functions for the engine's own passes.  Those for filters are in tessera.h.
 */
#ifndef TESSERA_PASSES_H
#define TESSERA_PASSES_H

#include "job.h"

/* Pooled memory that the band keeps until the band is freed. */
gint tessera_band_keep   (BandState *state, gsize bytes, gboolean pinned, TesseraMemory **memory);
/* Sets `bytes` bytes of it to zero. */
gint tessera_band_clear  (BandState *state, TesseraMemory *memory, gsize bytes);
/* tessera_table for a table that stays the same for the whole process: it may still be on the device. */
gint tessera_constant_table (BandState *state, gconstpointer data, gsize bytes, TesseraMemory **memory);
/* tessera_launch with a kernel of the engine's own. */
gint tessera_engine_launch (BandState *state, guint variant, const TesseraLaunch *launch);
GArray *tessera_commands_new (void);
/* Of all enqueued tables, launches and clears, when a later command has happened: an error if one of them did not. */
gint tessera_commands_see   (BandState *state);
void tessera_commands_free  (BandState *state);
/* `whole`: the tables are on the device as they should be.  `idle`: the device is done with them. */
void tessera_tables_free    (Job *job, gboolean whole, gboolean idle);

#endif
