/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The two paths of tessera:harris-corners.  Both take these steps, over as much as the next one needs: the luminance;
 * the products of its derivatives; their means, along x, then along y, and R; the corners; what is shown of them.
 */
#ifndef HARRIS_CORNERS_H
#define HARRIS_CORNERS_H

#include "gaussian.h"
#include "perceived.h"

#define HARRIS_ARM 3            /* of a cross, in pixels beside its middle */

typedef enum
{
  HARRIS_OVERLAY, HARRIS_CORNERS, HARRIS_STRENGTHS, HARRIS_RESPONSE     /* as TesseraHarrisResult */
} HarrisResult;

typedef struct
{
  gint         result;          /* a HarrisResult */
  gint         margin;          /* around the result, where R counts too */
  gint         halo;            /* that, the Gaussian's, and 1 for the derivatives */
  Perceived    input;
  gint         components;      /* of the input */
  gfloat       k, threshold;    /* of R */
  gfloat       weights[3];      /* luminance of linear R, G, B */
  gfloat       color[4];        /* of a cross, as the result has it */
  Gaussian     gaussian;
} Harris;

/* The image, in pixels of a rectangle whose first one is (x, y); clipped to its size. */
typedef struct
{
  gint left, top, right, bottom;
} HarrisInside;

HarrisInside harris_inside (const TesseraRequest *request, gint x, gint y, gint width, gint height);

void  harris_area          (const TesseraRequest *request, const GeglRectangle *area);
gsize harris_scratch_bytes (const TesseraRequest *request, gint width, gint height);
gint  harris_device        (TesseraBand *band);

#endif
