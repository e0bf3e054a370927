/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The result of a band, on its way to the host.
 */
#ifndef TESSERA_RESULTS_H
#define TESSERA_RESULTS_H

#include "copies.h"
#include "job.h"

/* Encodes it, puts it in the order of tiles, enqueues its download. */
gint tessera_result_send  (BandState *state);
/* The work that remains when a slice has come. */
void tessera_result_write (BandState *state, const Slice *slice, TesseraCopy *copy);

#endif
