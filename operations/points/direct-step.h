/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Steps of Gauss-Newton between two planes (direct-planes.h): what is left of B, laid on A, less A, of all colours at once.
 *
 * Each square of A is less its mean.  Differences count less the larger they are, and nothing beyond 4.6 robust standard deviations (Tukey's biweight).
 */
#ifndef DIRECT_STEP_H
#define DIRECT_STEP_H

#include "direct-planes.h"
#include "refine-squares.h"

/* Moves the matrix until it stands still.  `is_far`: steps are shorter and surer.  FALSE: the pixels do not know; it is spoiled. */
gboolean    direct_step_all  (const DirectPlane *a, const DirectPlane *b, ConsensusModel model, gboolean is_far, gdouble matrix[9]);
/* The sums of all squares that know something, for a homography; *n of them.  Free them with g_free. */
RefineSums *direct_step_sums (const DirectPlane *a, const DirectPlane *b, const gdouble matrix[9], gint *n);

#endif
