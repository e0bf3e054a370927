/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The squares of two pictures that refine.c compares.
 */
#ifndef REFINE_SQUARES_H
#define REFINE_SQUARES_H

#include "refine-picture.h"
#include "tangent.h"

#define REFINE_SIDE 32                  /* of a square, in pixels of A */
#define REFINE_N    (REFINE_SIDE * REFINE_SIDE)
#define REFINE_MOST TANGENT_MOST        /* parameters */

/* A square's part of the normal equations. */
typedef struct
{
  gdouble hessian[REFINE_MOST][REFINE_MOST], steepest[REFINE_MOST];     /* of the hessian what is not above its diagonal */
} RefineSums;

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
  RefineSums sums;
} RefineSquare;

typedef struct
{
  const RefinePicture *a, *b;
  gdouble       softness;               /* standard deviation of the Gaussian of A, in its pixels */
  gdouble       matrix[9];              /* at which the squares of B were read */
  gdouble       inverse[9];             /* A -> B, of the differences that are computed now */
  gint          slack;                  /* pixels of B that a square may move */
  RefineSquare *squares;
  gint          n;
} Refining;

/* Reads both pictures.  FALSE: too little of them overlaps. */
gboolean refine_squares_read    (Refining *refining);
void     refine_squares_clear   (Refining *refining);
/* Computes `difference` and `is_used` of the square.  FALSE: it has left B. */
gboolean refine_square_compare  (const Refining *refining, RefineSquare *square);
/* After that, -1 to 1: how far what the square shows, less a slope, is the same in both. */
gdouble  refine_square_agrees   (const RefineSquare *square);

/* refine-judge.c.  What n squares say of a matrix, from the sums of a homography at it; `a` and `b`: the bounds of the pictures.  Moves `matrix` to the
 * nearest one of the kind *model, or, if `is_free`, of the least kind, which *model becomes.  Returns how far A's corners went; the verdict is of where it
 * was, less that move.  Its agreement stays.  Negative: they do not know. */
gdouble  refine_judge           (const RefineSums *const *squares, gint n, const GeglRectangle *a, const GeglRectangle *b, const Tangent *tangent,
                                 const RefineKnown *known, gboolean is_free, ConsensusModel *model, gdouble matrix[9], RefineVerdict *verdict);

#endif
