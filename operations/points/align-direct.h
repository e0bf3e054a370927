/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The transform between two pictures by all of their pixels at once, where points fail: soft, dark and noisy ones.
 *
 * M. Irani, P. Anandan, About Direct Methods, Vision Algorithms 1999; S. Benhimane, E. Malis, Real-time image-based tracking of planes using efficient
 * second-order minimization, IROS 2004 (the gradients of both pictures); D. Padfield, Masked object registration in the Fourier domain, 2012 (correlation
 * of what both pictures know, computed here place by place).
 *
 * Pictures of some 600 pixels a side and of a half, a quarter and so on; of each colour the root of light, less the mean around it.  The shifts that
 * correlate best, no shift, turned ones and what points found are starts; each is refined from the small sizes to the large ones.  What counts is how many blocks of the pictures that show
 * more than noise show the same.
 */
#ifndef ALIGN_DIRECT_H
#define ALIGN_DIRECT_H

#include "refine.h"

typedef struct
{
  gint    seen[2], agree[2];    /* blocks that show more than noise, and those that show the same: large ones, small ones */
  gint    excused[2];           /* ... that show a thing that moves by itself */
} DirectVote;

#define DIRECT_HINTS 8

/* Movements that points have found and nobody believes: places of B -> of A, from their bounds' first pixel.  The search begins there, too. */
typedef struct
{
  gdouble  matrices[DIRECT_HINTS][9];
  gboolean is_likely[DIRECT_HINTS];     /* something moves so, be it the scene or a thing in it */
  gint     n;
} DirectHints;

/* `matrix`: places of B -> of A, from their bounds' first pixel; if `before` is not NULL, it is some pixels off, and that is its vote.  *model: as refine_near's.  The verdict's error is in pixels of A; its agreement is the share of
 * the blocks that agree.  FALSE: nothing was found that could be refined. */
gboolean align_direct (const RefinePicture *a, const RefinePicture *b, const DirectHints *hints, gboolean is_free, ConsensusModel *model, gdouble matrix[9],
                       DirectVote *before, DirectVote *vote, RefineVerdict *verdict);

/* As many parts of what both show agree after another shift, too: which of them is right, nobody knows. */
gboolean align_repeats (const RefinePicture *a, const RefinePicture *b, const gdouble matrix[9]);

#endif
