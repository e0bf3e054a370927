/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What the files of weights.h share.
 */
#ifndef WEIGHTS_PARTS_H
#define WEIGHTS_PARTS_H

#include "weights.h"

/* Moves are set.  Sets the weights, means and level. */
void weights_from_frames (const CountPlane *current, const CountPlane *const *history, Weights *weights);

#endif
