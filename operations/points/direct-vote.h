/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Which blocks of two pictures (direct-planes.h) show the same after a transform, of those that show more than noise.
 */
#ifndef DIRECT_VOTE_H
#define DIRECT_VOTE_H

#include "direct-planes.h"

#define DIRECT_BLOCK  16        /* pixels of a level: those that agree or not */
#define DIRECT_AROUND 64        /* pixels of level 0: the mean that blocks are less */

enum { DIRECT_HIDDEN, DIRECT_DIFFERENT, DIRECT_SAME };  /* what is said of a block */

gint     direct_blocks_across (const DirectPicture *picture, gint level);
gint     direct_blocks_of     (const DirectPicture *picture, gint level);
/* Says it of each block of A.  `matrix`: of this level.  Returns the sum of the correlations of those that show something. */
gdouble  direct_compare       (const DirectPicture *a, const DirectPicture *b, gint level, const gdouble matrix[9], guint8 *says);
/* Counts them.  Returns how well they agree, all together: their mean correlation, and as much more as there are more of them. */
gdouble  direct_vote          (const DirectPicture *a, const DirectPicture *b, gint level, const gdouble matrix[9], gint *seen, gint *agree);
/* How many blocks that differ show a thing that moves as `other`: it lies there in A, or in B. */
gint     direct_excused       (const DirectPicture *a, const DirectPicture *b, gint level, const gdouble matrix[9], const gdouble other[9]);

#endif
