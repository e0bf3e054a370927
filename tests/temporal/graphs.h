/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The operations of sequences in graphs, and the star fields that all are tried on. */
#ifndef TEMPORAL_GRAPHS_H
#define TEMPORAL_GRAPHS_H

void background_whiten        (void);
void background_whiten_faults (void);
void estimate_shift           (void);
void sequence_laws            (void);
void stars                    (void);

#endif
