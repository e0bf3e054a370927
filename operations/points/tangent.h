/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Small transforms of the reference's plane: what a step from one transform to a better one is made of, and what is not known of a transform.
 *
 * Their numbers are pixels: places are taken from the middle of A in halves of its larger side, so that each number is how far the edge moves.
 *   translation (0, 1); similarity (0 to 3: x, y, size, turn); affine (0 to 5: x, y, and the four of the linear part, row by row);
 *   homography (0 to 7: and the perspective along x and y).
 * Both pictures begin at (0, 0), pixel centres are at integers.
 */
#ifndef TANGENT_H
#define TANGENT_H

#include "consensus.h"

#define TANGENT_MOST    8
#define TANGENT_CORNERS 16      /* of what two pictures have in common, at most */

typedef struct
{
  gdouble scale, x, y;          /* half of A's larger side; its middle */
} Tangent;

void     tangent_init    (Tangent *tangent, gint a_width, gint a_height);

/* How many numbers. */
gint     tangent_size    (ConsensusModel model);

/* How a place of A, in its pixels, moves along x and y with each number. */
void     tangent_rows    (const Tangent *tangent, ConsensusModel model, gdouble x, gdouble y, gdouble along[TANGENT_MOST],
                          gdouble down[TANGENT_MOST]);

/* `matrix`, and after it the small transform of these numbers.  Returns how far a corner of A went, at most. */
gdouble  tangent_apply   (const Tangent *tangent, ConsensusModel model, const gdouble numbers[TANGENT_MOST], gdouble matrix[9]);

/* What cameras do, added to normal equations of a homography whose errors have this variance: the view is hardly sheared, and its
 * perspective is that of some degrees.  It counts where the equations say nothing. */
void     tangent_expect  (const Tangent *tangent, gdouble variance, gdouble equations[TANGENT_MOST][TANGENT_MOST]);

/* The corners, in A, of what A shows of B; returns how many.  B lies before the horizon. */
gint     tangent_overlap (const gdouble matrix[9], gint width, gint height, gint a_width, gint a_height, gdouble corners[TANGENT_CORNERS][2]);

/* How far the other matrix takes those corners of `matrix` from where that has them, at most. */
gdouble  tangent_apart   (const gdouble matrix[9], const gdouble other[9], gint width, gint height, gint a_width, gint a_height);

/* The largest error at these places: of the move that is left, `numbers` or NULL, and one standard deviation of it, of the covariance. */
gdouble  tangent_worst   (const Tangent *tangent, ConsensusModel model, const gdouble *numbers,
                          const gdouble covariance[TANGENT_MOST][TANGENT_MOST], const gdouble corners[][2], gint n);

/* What F of `more` numbers of a larger kind of transform, and of `left` degrees of freedom, reaches once in 1,000 times. */
gdouble  tangent_rare_f  (gint more, gdouble left);

#endif
