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
} AlignSettings;

/* A picture and its points. */
typedef struct
{
  RefinePicture full, small;    /* `small` may be `full` */
  gint          factor;         /* of their sizes */
  gint          n;
  MatchPlace   *places;         /* in pixels of `small`, from its bounds' first */
  guint8       *descriptors;
} AlignPicture;

/* Finds the points of request->input within its bounds, which are neither empty nor endless; its format is RaGaBaA float of
 * linear light.  The picture keeps the buffer.  `factor`: of its size, 0: what its size asks for; a transform that does not
 * scale needs that of the reference.  FALSE: OpenCL is forced and could not run. */
gboolean align_picture_init  (AlignPicture *picture, const TesseraRequest *request, gdouble contrast_threshold, gint factor);
void     align_picture_clear (AlignPicture *picture);

/* found->matrix: GEGL's places of the moving picture -> of the reference; found->error in pixels of the reference.  Of `like` its operation
 * and its part of the progress count (matches.h).  FALSE: OpenCL is forced and could not run. */
gboolean align_find (const TesseraRequest *like, const AlignPicture *reference, const AlignPicture *moving,
                     const AlignSettings *settings, Consensus *found);

#endif
