/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Does what two pictures (direct-planes.h) show the same lie over and over in them: tiles, a chessboard, a front of equal windows?
 *
 * Only blocks that agree are looked at.  So what moves before the tiles neither hides them nor tells which of them is which.
 */
#ifndef DIRECT_REPEATS_H
#define DIRECT_REPEATS_H

#include "direct-planes.h"

/* `matrix`: places of B -> of A, of level 0. */
gboolean direct_repeats (const DirectPicture *a, const DirectPicture *b, const gdouble matrix[9]);

#endif
