/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What the files of weights.h share.
 */
#ifndef WEIGHTS_PARTS_H
#define WEIGHTS_PARTS_H

#include "weights.h"

/* Cholesky: x, the right side, becomes the solution.  `matrix` is symmetric, n x n, and overwritten.  FALSE: it is not positive
 * definite. */
gboolean weights_solve       (gdouble *matrix, gint n, gdouble *x);

/* Moves are set.  Sets the weights, means and level. */
void     weights_from_frames (const CountPlane *current, const CountPlane *const *history, Weights *weights);

#endif
