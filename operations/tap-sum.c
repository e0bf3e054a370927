/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Sums of taps: see tap-sum.h.
 */
#include "config.h"

#include "tap-sum.h"

#define LANES_LOOPS "tap-sum-loops.h"
#include "lanes.h"

void
tap_sum (const gfloat *in, const TapList *taps, gfloat *out, gint n_pixels)
{
  LANES_BEST (sum_taps) (in, taps, out, 4 * n_pixels);
}
