/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The stages of one band, in their order.  An error leaves the band to be freed.
 */
#ifndef TESSERA_BANDS_H
#define TESSERA_BANDS_H

#include "copies.h"
#include "job.h"

/* Takes its memory, and adds its reads to `copies`. */
gint tessera_band_prepare    (Job *job, gint y, gint rows, BandState **state, TesseraCopy *copies, guint *n);
/* Uploads the ready rows of a band that is being read. */
gint tessera_band_send_ready (BandState *state);
/* Everything has been read: uploads, decodes, extends, measures or surveys. */
gint tessera_band_send       (BandState *state);
/* Runs the filter's passes and asks for the result. */
gint tessera_band_run        (BandState *state);
/* Waits for one of its slices, and adds its writes to `copies`; of a survey, adds its part to the result. */
gint tessera_band_wait       (BandState *state, guint slice, TesseraCopy *copies, guint *n);
/* Everything has been written. */
void tessera_band_written    (BandState *state);
/* `idle`: the device is done with it, so its memory may be used again. */
void tessera_band_free       (BandState *state, gboolean idle);

#endif
