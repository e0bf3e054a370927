/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Aligned frames become one picture, some rows of all of them at a time.  For tessera:combine and tessera-stack.
 *
 * Per pixel and channel, of the frames whose alpha there is above 0 and whose values are numbers, in linear light:
 * mean; median (of an even number the mean of the two in the middle); clipped, the mean of what lies within 2.5 robust
 * standard deviations of the median.  Sums are in the frames' order.
 */
#ifndef COMBINE_H
#define COMBINE_H

#include <gegl.h>

typedef enum { COMBINE_MEAN, COMBINE_MEDIAN, COMBINE_CLIPPED } CombineMethod;

/* What alpha tells.  COVERAGE: the part of all frames that cover the pixel.  LARGEST: as opaque as the frame that is most so;
 * that is what a layer needs, which should not fade where fewer frames cover it. */
typedef enum { ALPHA_COVERAGE, ALPHA_LARGEST } CombineAlpha;

typedef struct
{
  GeglBuffer  **frames;
  gint          n;
  const Babl   *format;         /* in which they are read: RaGaBaA float */
  CombineMethod method;
  CombineAlpha  alpha;
  guint64       memory;         /* bytes for rows */
  void        (*told) (gint rows, gint all, gpointer data);     /* so many rows more are done; may be NULL */
  gpointer      data;
} Combine;

/* Writes the area of `result` in RGBA float. */
void combine_frames (const Combine *combine, const GeglRectangle *area, GeglBuffer *result);

#endif
