/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The transform that lays a picture on a reference: points, matches, consensus, pixels.  For tessera:align and
 * tessera-stack.
 *
 * Pictures of more than 6 megapixels are matched at half their size, or half of that, until they have fewer; the pixels that
 * refine the transform are those of the full size.
 */
#ifndef ALIGN_H
#define ALIGN_H

#include "consensus.h"
#include "refine.h"
#include "sift.h"

typedef struct
{
  ConsensusModel model;
  gboolean       refines;
  gdouble        ratio;
  gdouble        contrast_threshold;    /* of points; lowered where there are few */
  gint           max_features;          /* of a picture */
} AlignSettings;

#define ALIGN_DEFAULTS { MODEL_AUTO, TRUE, 0.8, 0.04, 5000 }

typedef struct
{
  gint        n;
  MatchPlace *places;           /* in pixels of the smaller picture, from its bounds' first */
  guint8     *descriptors;
} AlignPoints;

#define ALIGN_COARSE 3           /* sizes below the one that is matched: a half, a quarter, an eighth */

/* A picture and its points. */
typedef struct
{
  RefinePicture full, small;    /* `small` may be `full` */
  RefinePicture coarse[ALIGN_COARSE];   /* once they have been asked for */
  gint          factor;         /* of their sizes */
  AlignPoints   points, more;   /* `more`: of less contrast, once they have been asked for */
  gboolean      has_all;        /* there are no more */
} AlignPicture;

/* Finds the points of request->input within its bounds, which are neither empty nor endless; its format is RaGaBaA float of
 * linear light.  The picture keeps the buffer.  `factor`: of its size, 0: what its size asks for; a transform that does not
 * scale needs that of the reference.  FALSE: OpenCL is forced and could not run. */
gboolean align_picture_init  (AlignPicture *picture, const TesseraRequest *request, const AlignSettings *settings, gint factor);
/* Fills `more`, unless it is, or there are none.   */
gboolean align_picture_find_more (AlignPicture *picture, const TesseraErrand *errand, const AlignSettings *settings);
/* The picture whose sides are small's, halved level times; level 0 is small. */
const RefinePicture *align_picture_coarse (AlignPicture *picture, gint level);
void     align_picture_clear (AlignPicture *picture);

/* found->matrix: GEGL's places of the moving picture -> of the reference; found->error in pixels of the reference.  FALSE: OpenCL is forced and could not run. */
gboolean align_find (const TesseraErrand *errand, AlignPicture *reference, AlignPicture *moving, const AlignSettings *settings, Consensus *found);

#endif
