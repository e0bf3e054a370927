/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Aligned frames become one picture, a square of all of them at a time.  For tessera:combine and tessera-stack.
 *
 * Per pixel and channel, of the frames whose alpha there is above 0 and whose values are numbers, in linear light:
 * mean; median (of an even number the mean of the two in the middle); clipped, the mean of what lies within a robust
 * bound of the median (combine_clip).  Sums are in the frames' order.
 *
 * Or by pyramids, in the values of the sRGB curve: each frame where it is well exposed, or where it is sharp (fuse.h).
 */
#ifndef COMBINE_H
#define COMBINE_H

#include <gegl.h>
#include <math.h>

typedef enum { COMBINE_MEAN, COMBINE_MEDIAN, COMBINE_CLIPPED, COMBINE_EXPOSURE, COMBINE_FOCUS } CombineMethod;

/* The light between two neighbouring values of the coarsest of some formats, by the square root of the light there:
 * where noise is less than such a step, values of 8 bits are all the same but few, and how far they are from their
 * median tells nothing. */
#define COMBINE_ROOTS 1024
typedef struct { gfloat of[COMBINE_ROOTS + 1]; } CombineSteps;

static inline gfloat
combine_step (const CombineSteps *steps, gfloat light)
{
  return steps->of[(gint) (COMBINE_ROOTS * sqrtf (CLAMP (light, 0.0f, 1.0f)))];
}

/* combine-steps.c: FALSE: none of the formats is of 8 bits; steps of more bits are less than any noise.  `space`: a
 * format of the result's. */
gboolean combine_steps (const Babl *const *formats, gint n, const Babl *space, CombineSteps *steps);

/* What alpha tells.  COVERAGE: the part of all frames that cover the pixel.  LARGEST: as opaque as the frame that is most so;
 * that is what a layer needs, which should not fade where fewer frames cover it. */
typedef enum { ALPHA_COVERAGE, ALPHA_LARGEST } CombineAlpha;

typedef struct
{
  gint          n;              /* frames */
  void        (*read) (gint k, const GeglRectangle *square, gfloat *pixels, gpointer data);     /* frame k's; several threads call it */
  const Babl   *format;         /* of these pixels: RaGaBaA float */
  const CombineSteps *steps;    /* of the frames; NULL: none of them is of 8 bits */
  CombineMethod method;
  CombineAlpha  alpha;
  guint64       memory;         /* bytes for squares */
  void        (*told) (gint rows, gint all, gpointer data);     /* so many rows more are done; may be NULL */
  gpointer      data;           /* of both */
} Combine;

/* Writes the area of `result`, whatever its format.  Of the last two methods it is the whole box. */
void combine_frames (const Combine *combine, const GeglRectangle *area, GeglBuffer *result);

/* fuse.c: one frame after another, each of them twice; so many bytes a pixel are held, however many frames there are. */
#define COMBINE_FUSE_BYTES 55
void combine_fuse (const Combine *combine, const GeglRectangle *box, GeglBuffer *result);

static inline gboolean
combine_is_whole (CombineMethod method)
{
  return method == COMBINE_EXPOSURE || method == COMBINE_FOCUS;
}

/* combine-values.c: `rows` of n frames, finite values or infinity where there is none; 0 where no frame has one.  `room` has place for n
 * rows.  `steps` may be NULL. */
#define COMBINE_VALUES 192
/* How far from their median n values may lie that go into the clipped mean, in medians of their distances from it;
 * where they have steps, at least COMBINE_LEAST of them and COMBINE_STEPS steps. */
gfloat combine_clip (gint n);
#define COMBINE_LEAST 4.2f
#define COMBINE_STEPS 4.25f
void combine_values (CombineMethod method, gfloat (*rows)[COMBINE_VALUES], gint n, const CombineSteps *steps,
                     gfloat (*room)[COMBINE_VALUES], gfloat *out);

#endif
