/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What the engine's own passes call, beside what filters do (tessera.h).
 */
#ifndef TESSERA_PASSES_H
#define TESSERA_PASSES_H

#include "job.h"

/* Pooled memory that the band keeps until it is freed. */
gint tessera_band_keep   (BandState *state, gsize bytes, gboolean pinned, TesseraMemory **memory);
/* Sets `bytes` bytes of it to zero. */
gint tessera_band_clear  (BandState *state, TesseraMemory *memory, gsize bytes);
/* tessera_table of what stays the same for the process: it may still be on the device. */
gint tessera_constant_table (BandState *state, gconstpointer data, gsize bytes, TesseraMemory **memory);
/* Pixels of this layout are converted. */
void tessera_note_layout    (BandState *state, const TesseraTravel *travel, gboolean encodes);
/* tessera_launch with a kernel of the engine's own. */
gint tessera_engine_launch (BandState *state, const TesseraLaunch *launch);
GArray *tessera_commands_new (void);
/* Waits for what has been enqueued of tables, launches and clears; an error if one of them did not happen. */
gint tessera_commands_wait  (BandState *state);
void tessera_commands_free  (BandState *state);
/* `whole`: they are on the device as they should be.  `idle`: the device is done with them. */
void tessera_tables_free    (Job *job, gboolean whole, gboolean idle);

#endif
