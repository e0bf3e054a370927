/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Shifts whose truth is known; whole pixels from projections. */
#ifndef TEMPORAL_SHIFTS_H
#define TEMPORAL_SHIFTS_H

void shifts (void);
void shift_lags (void);

#endif
