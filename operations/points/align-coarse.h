/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What two pictures show at large, away from what the matches see: a second witness for a movement.  Dust on the sensor, a date or a logo
 * stand in each frame, and where the scene is soft, their points are the only ones.
 */
#ifndef ALIGN_COARSE_H
#define ALIGN_COARSE_H

#include "align.h"

/* Places of one picture that are left out: around each point that agrees. */
typedef struct
{
  const MatchPlace *places;
  gint              n;
} CoarseSpots;

typedef struct
{
  gint seen, agree;             /* blocks of both pictures that show something; of these, that show the same */
  gint wholly;                  /* ... and nothing else, but noise */
} CoarseVote;

/* `matrix`: places of B -> of A, of the pictures that are matched. */
void coarse_vote (AlignPicture *a, const CoarseSpots *in_a, AlignPicture *b, const CoarseSpots *in_b, const gdouble matrix[9], CoarseVote *vote);

#endif
