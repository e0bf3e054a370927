/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The points of a picture that can be found again in another one: SIFT, for the operations that draw, save or match
 * them.
 *
 * D. G. Lowe, Distinctive Image Features from Scale-Invariant Keypoints, International Journal of Computer Vision 60,
 * 2004.
 *
 * Places: the centre of pixel (0, 0) is (0, 0), x to the right, y downward, in pixels of the image, relative to GEGL's
 * origin.  Angles: degrees, 0 to 360, from +x towards +y.  All lists are the same with any number of threads, on any
 * device, on any processor.
 */
#ifndef SIFT_H
#define SIFT_H

#include "tessera.h"

#include "../../opencl/math/tessera-sift-point.h"

#define SIFT_MOST_INTERVALS 8

typedef struct
{
  gint     octaves;             /* 0: as many as fit */
  gint     intervals;           /* layers of an octave */
  gdouble  contrast_threshold, edge_threshold, sigma;
  gboolean upsample;            /* the first octave is twice as large as the image */
  gint     max_features;        /* 0: all */
  gboolean is_root;             /* descriptors: roots of their shares of the sum, not shares of the length */
} SiftSettings;                 /* the members in the order of sift-settings.h, and is_root */

#define SIFT_DEFAULTS { 0, 3, 0.04, 10.0, 1.6, TRUE, 0, FALSE }

typedef struct
{
  SiftPoint *points;            /* sorted */
  gsize      n;
} SiftList;

/* The points of request->input within request->bounds; descriptors only if `describes`.  Of the request's other members
 * `operation`, progress_from and progress_to count.  FALSE only if OpenCL is forced and could not run; the list is then
 * empty.  Free the points with g_free. */
gboolean sift_find (const TesseraRequest *request, const SiftSettings *settings, gboolean describes, SiftList *list);

/* Of a level of a strip on the device, at most.  A test makes it small. */
extern gint sift_device_pixels;

/* Which of the points are the `most` strongest, of equal ones the first; in the list's order.  Free them with g_free. */
gint *sift_strongest    (const SiftList *list, gsize most);
gint *sift_strongest_of (const gdouble *responses, gsize n, gsize most);

#endif
