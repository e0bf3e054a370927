/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Medians against sorting. */
#ifndef TEMPORAL_MEDIANS_H
#define TEMPORAL_MEDIANS_H

void medians (void);

#endif
