/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What refine.h compares, what was known before, and what the pixels say.
 */
#ifndef REFINE_PICTURE_H
#define REFINE_PICTURE_H

#include <gegl.h>

typedef struct
{
  GeglBuffer   *buffer;
  GeglRectangle bounds;
  const Babl   *format;         /* RaGaBaA float of linear light */
} RefinePicture;

/* What was known of a matrix before the pixels were looked at: their word counts by what they know better. */
typedef struct
{
  gdouble matrix[9];
  gdouble precision[8][8];      /* of the numbers of a homography (tangent.h): the inverse of their covariance */
} RefineKnown;

/* What the pixels say of a matrix. */
typedef struct
{
  gboolean is_known;            /* FALSE: too little could be compared, and the others are 0 */
  gdouble  error;               /* at the worst corner of what both pictures show, in pixels of A: what is left to move, and one standard deviation */
  gdouble  agreement;           /* -1 to 1: how far the squares show the same; 0: they have nothing in common */
} RefineVerdict;

#endif
