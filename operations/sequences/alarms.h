/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Thresholds from a wanted number of false alarms, and from the noise as it is.
 *
 * Of the values so many are above t
 *
 *   n (t) = n (u) exp (-(t^1.5 - u^1.5) / w)
 *
 * u is the value that a few of them are above (its rank), w comes from it and from the value that eight times as many are above.  So what stars, the
 * camera and the history leave counts as it is.  Of normal noise the power is 2, and 1 of tails that are heavy on both sides: between them is an
 * error on the safe side for the one (0.15 too high in a frame), and a small one for the other.  The few beyond u do not tell: they may be objects, or
 * the ghosts that these have left in the history.  No threshold is below that of normal noise.
 *
 * Thresholds are whole 1/1024: what a library's last digit says does not show. */
#ifndef ALARMS_H
#define ALARMS_H

#include <glib.h>

/* The value that the part of normal noise is above. */
gdouble alarms_normal    (gdouble part);

/* `values` (n of them; they are sorted) of `trials`: the threshold that noise passes `expected` times in
 * so many trials.  `highest`: the rank of u, which is less where there are few values. */
gfloat  alarms_threshold (gfloat *values, guint n, guint highest, gdouble trials, gdouble expected);

#endif
