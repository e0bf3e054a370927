/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Star fields on one another: see align-stars.c. */
#ifndef ALIGN_STARS_H
#define ALIGN_STARS_H

#include "refine.h"

/* Of pictures that begin at their bounds' first pixel; what is beyond the smaller one's size is not looked at.  FALSE: they are no star fields, or do
 * not lie on one another within a shift and a little turn. */
gboolean align_stars (const RefinePicture *reference, const RefinePicture *moving, ConsensusModel model, Consensus *consensus);

#endif
