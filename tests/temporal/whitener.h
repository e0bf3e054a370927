/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Shifts and whitened frames by the code of the operations, in C or on the device, which is then forced: what tests of whole sequences call. */
#ifndef WHITENER_H
#define WHITENER_H

#include "estimate-shift.h"
#include "tracks.h"
#include "whiten-request.h"

/* GEGL must have been initialised. */
void whitener_begin  (gboolean on_device);
void whitener_end    (void);
/* Of n frames against the first, some at once. */
void whitener_shifts (const CountPlane *frames, gint n, ShiftMethod method, FrameShift *shifts);
/* Background and whitened frame of frame t, from the n before it (or those there are); nothing is judged yet. */
void whitener_whiten (const CountPlane *frames, const FrameShift *shifts, gint t, gint n, gint degree, WhitenPlanes *planes);
/* Tracks of n frames from the last one on. */
void whitener_tracks (const TrackFrame *frames, gint n, const TrackGrid *grid, gfloat limit, TrackPlanes *planes);

#endif
