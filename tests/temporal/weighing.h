/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Weights, and the backgrounds that they make. */
#ifndef TEMPORAL_WEIGHING_H
#define TEMPORAL_WEIGHING_H

void weighing (void);
void backgrounds (void);

#endif
