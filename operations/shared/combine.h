/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Aligned frames become one picture, a square of all of them at a time.  For tessera:combine and tessera-stack.
 *
 * Per pixel and channel, of the frames whose alpha there is above 0 and whose values are numbers, in linear light:
 * mean; median (of an even number the mean of the two in the middle); clipped, the mean of what lies within a robust
 * bound of the median (combine_clip).  Sums are in the frames' order.
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
  gint          n;              /* frames */
  void        (*read) (gint k, const GeglRectangle *square, gfloat *pixels, gpointer data);     /* frame k's; several threads call it */
  const Babl   *format;         /* of these pixels: RaGaBaA float */
  CombineMethod method;
  CombineAlpha  alpha;
  guint64       memory;         /* bytes for squares */
  void        (*told) (gint rows, gint all, gpointer data);     /* so many rows more are done; may be NULL */
  gpointer      data;           /* of both */
} Combine;

/* Writes the area of `result`, whatever its format. */
void combine_frames (const Combine *combine, const GeglRectangle *area, GeglBuffer *result);

/* combine-values.c: `rows` of n frames, finite values or infinity where there is none; 0 where no frame has one.  `room` has place for n
 * rows. */
#define COMBINE_VALUES 192
/* How far from their median n values may lie that go into the clipped mean, in medians of their distances from it. */
gfloat combine_clip (gint n);
void combine_values (CombineMethod method, gfloat (*rows)[COMBINE_VALUES], gint n, gfloat (*room)[COMBINE_VALUES], gfloat *out);

#endif
