/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What has been computed, on its way to the host.
 */
#ifndef TESSERA_RESULTS_H
#define TESSERA_RESULTS_H

#include "copies.h"
#include "job.h"

/* Encodes, puts in tiles, asks for it. */
gint tessera_result_send  (BandState *state);
/* What is to be done when a slice has come. */
void tessera_result_write (BandState *state, const Slice *slice, TesseraCopy *copy);

#endif
