/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The squares of two pictures that refine.c compares.
 */
#ifndef REFINE_SQUARES_H
#define REFINE_SQUARES_H

#include "refine.h"

#define REFINE_SIDE 32                  /* of a square, in pixels of A */
#define REFINE_N    (REFINE_SIDE * REFINE_SIDE)
#define REFINE_MOST 8                   /* parameters */

typedef struct
{
  gint     x, y;                        /* its first pixel in A */
  gboolean is_held_out, is_used;
  gfloat   a[REFINE_N];                 /* of A, normalised */
  gfloat   gradient_x[REFINE_N], gradient_y[REFINE_N];  /* divided by `strength` */
  gfloat   strength;                    /* the root mean square of A's gradient */
  gfloat   weight;
  GeglRectangle b_rect;                 /* the part of B around it, from its bounds' first pixel */
  gfloat  *b;
  gfloat   difference[REFINE_N];        /* B's - A's, weighed; all 0 if it is not used */
  gdouble  hessian[REFINE_MOST][REFINE_MOST], steepest[REFINE_MOST];
} RefineSquare;

typedef struct
{
  const RefinePicture *a, *b;
  gdouble       softness;               /* standard deviation of the Gaussian of A, in its pixels */
  gdouble       matrix[9];              /* at which the squares of B were read */
  gdouble       inverse[9];             /* A -> B, of the differences that are computed now */
  RefineSquare *squares;
  gint          n;
} Refining;

/* Reads both pictures.  FALSE: too little of them overlaps. */
gboolean refine_squares_read    (Refining *refining);
void     refine_squares_clear   (Refining *refining);
/* Computes `difference` and `is_used` of the square.  FALSE: it has left B. */
gboolean refine_square_compare  (const Refining *refining, RefineSquare *square);

#endif
