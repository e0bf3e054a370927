/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What two pictures show at large, away from what the matches see: a second witness for a movement.  Dust on the sensor, a date or a logo
 * stand in each frame, and where the scene is soft, their points are the only ones.
 */
#ifndef ALIGN_COARSE_H
#define ALIGN_COARSE_H

#include "align.h"

typedef struct
{
  gint seen, agree;             /* blocks of both pictures that show something; of these, that show the same */
  gint wholly;                  /* ... and nothing else, but noise */
} CoarseVote;

/* `matrix`: places of B -> of A, of the pictures that are matched.  What lies around these places is left out. */
void coarse_vote (AlignPicture *a, const MatchPlaces *in_a, AlignPicture *b, const MatchPlaces *in_b, const gdouble matrix[9], CoarseVote *vote);

#endif
