/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A transform between two pictures, moved until the pixels agree.
 *
 * S. Baker, I. Matthews, Lucas-Kanade 20 Years On, International Journal of Computer Vision 56, 2004 (inverse
 * compositional, Gauss-Newton).
 *
 * What is compared: the root of the luminance, softened so that both pictures are equally sharp, in squares of 32 x 32
 * pixels of A spread over the overlap.  Of each square its mean is taken away, and the rest is divided by the root
 * mean square of its gradient: then neither the exposure nor the contrast counts, and a difference is a distance in pixels.
 * Squares with little gradient have little weight.  Differences of more than three robust standard deviations are left
 * out.  Every second square is held out: the new transform is kept only if it makes the median of their differences smaller.
 *
 * Every sum is in one order, for each square by itself.  The result does not depend on the threads.
 */
#ifndef REFINE_H
#define REFINE_H

#include "consensus.h"
#include "refine-picture.h"

/* `matrix`: places of B -> of A, both from their bounds' first pixel.  It may be off by a dozen pixels where the pictures have large things in common
 * (refine_blurred), by some (refine_far), and is then off by a part of one; or is so already, and is then as exact as the pixels allow.
 * FALSE: it stays as it is.  The verdict is that of the matrix in the end.
 * refine_near: if `is_free`, *model becomes the least that explains what the pixels show. */
gboolean refine_blurred (const RefinePicture *a, const RefinePicture *b, ConsensusModel model, gdouble matrix[9]);
gboolean refine_far     (const RefinePicture *a, const RefinePicture *b, ConsensusModel model, gdouble matrix[9]);
gboolean refine_near    (const RefinePicture *a, const RefinePicture *b, const RefineKnown *known, gboolean is_free,
                         ConsensusModel *model, gdouble matrix[9], RefineVerdict *verdict);

#endif
