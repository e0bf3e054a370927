/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Which blocks of two pictures (direct-planes.h) show the same after a transform, of those that show more than noise.
 */
#ifndef DIRECT_VOTE_H
#define DIRECT_VOTE_H

#include "direct-planes.h"

#define DIRECT_AROUND 64        /* pixels of level 0: the mean that blocks are less */

#define DIRECT_MOVEMENTS 8

/* A movement that points have found, and these points. */
typedef struct
{
  gdouble     matrix[9];        /* places of B -> of A */
  MatchPlaces of_a, of_b;       /* none: a movement that is hardly one */
} DirectMovement;

/* `matrix`: of this level.  Returns how well they agree, all together: their mean correlation, and as much more as there are more of them. */
gdouble  direct_vote      (const DirectPicture *a, const DirectPicture *b, gint level, const gdouble matrix[9], gint *seen, gint *agree);
/* The vote without blocks that differ because something moved otherwise: in A or in B they agree on another movement, as far as that hangs together with its
 * points, or are next to such ones.  *explained: how many agree on it alone.  The movements are of pictures that are `side` times level 0. */
void     direct_vote_rest (const DirectPicture *a, const DirectPicture *b, gint level, gint side, const gdouble matrix[9], const DirectMovement *movements,
                           gint n, gint *seen, gint *agree, gint *explained);

#endif
