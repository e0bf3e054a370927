/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * How two planes (direct-planes.h) correlate at all shifts of whole pixels.
 */
#ifndef DIRECT_SHIFT_H
#define DIRECT_SHIFT_H

#include "direct-planes.h"

#define DIRECT_PEAKS  3
#define DIRECT_OTHERS 6

/* The best shifts of what both planes are less their means as far as `reach`, in their pixels, which lay B on A, with how well;
 * returns how many. */
gint direct_shifts (const DirectPlane *a, const DirectPlane *b, gint reach, gint shifts[DIRECT_PEAKS][2], gdouble scores[DIRECT_PEAKS]);
/* Shifts, up to `most` pixels along each axis, that might lay B on A as well as the matrix (places of B -> of A) does: the best others, after it. */
gint direct_others (const DirectPlane *a, const DirectPlane *b, const gdouble matrix[9], gint reach, gint most, gint shifts[DIRECT_OTHERS][2]);

#endif
