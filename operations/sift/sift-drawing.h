/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What is drawn of SIFT's points.
 */
#ifndef SIFT_DRAWING_H
#define SIFT_DRAWING_H

#include "sift.h"

typedef enum { SIFT_OVERLAY, SIFT_MARKS, SIFT_MASK } SiftPicture;

#define SIFT_COLORS 8

typedef struct
{
  const SiftList *list;
  SiftPicture     picture;
  gdouble         scale;                        /* radius of a circle, in sigmas */
  gint            most;                         /* of the strongest that are drawn; 0: all */
  gboolean        by_octave;
  gfloat          colors[SIFT_COLORS][4];       /* by octave, or the first for all; as the result's pixels */
} SiftDrawing;

#endif
