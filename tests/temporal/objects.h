/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Objects whose place is known, found again. */
#ifndef TEMPORAL_OBJECTS_H
#define TEMPORAL_OBJECTS_H

void objects_detection (void);
void objects_tracks    (void);
void objects_trails    (void);         /* trails.c */

#endif
