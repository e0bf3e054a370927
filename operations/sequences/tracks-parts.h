/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What tracks.c and tracks-device.c share. */
#ifndef TRACKS_PARTS_H
#define TRACKS_PARTS_H

#include <math.h>

#include "tracks.h"

/* How far frame j lies from frame r for this velocity.  What lies beyond the picture altogether is as far away as what just does. */
void track_offset (const TrackFrame *frames, gint j, gint r, const TrackGrid *grid, gint velocity, gint *x, gint *y);

/* What a value counts in a sum (tracks.h).  The host alone computes it: a device may round a quotient otherwise. */
static inline gfloat
track_limited (gfloat value, gfloat limit)
{
  return value <= limit ? value : isnan (value) ? 0.0f : limit * (2.0f - limit / value);
}

/* What a plane has at a place; 0 beyond it, and for NaN. */
static inline gfloat
track_value (const CountPlane *plane, gint x, gint y)
{
  return x >= 0 && x < plane->width && y >= 0 && y < plane->height ? track_limited (plane->pixels[(gsize) y * plane->width + x], INFINITY) : 0.0f;
}

/* Of the values along a path, which are then sorted: what tracks_find judges. */
gfloat track_robust_sum (gfloat *values, gint n);

/* For tracks_tried. */
void tracks_count (const TrackFrame *frames, const TrackGrid *grid);

#endif
