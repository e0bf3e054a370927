/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Where the search by all pixels begins: transforms of the smallest planes (direct-planes.h) after which they correlate best.
 */
#ifndef DIRECT_STARTS_H
#define DIRECT_STARTS_H

#include "direct-shift.h"

#define DIRECT_STARTS 10
#define DIRECT_TURNED 6

/* Places of B -> of A: no shift, and the best shifts; the best of some turns and sizes.  Returns how many. */
gint direct_starts (const DirectPlane *a, const DirectPlane *b, gdouble starts[DIRECT_STARTS][9]);
gint direct_turned (const DirectPlane *a, const DirectPlane *b, gdouble starts[DIRECT_TURNED][9]);

#endif
