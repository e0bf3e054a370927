/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Declarations that the C files of tessera:median-blur share: keys, and three ways to an order statistic.
 *
 * Floats are compared as keys, integers in the same order: -0 is 0, every NaN is one key
 * after +Inf, and what is left out comes last: colours of alpha 0, and with border none what lies outside, which has
 * alpha 0.  Keys are exact, so each way gives the same answer.
 */
#ifndef MEDIAN_BLUR_H
#define MEDIAN_BLUR_H

#include "tessera.h"

#include "../../opencl/math/tessera-median.h"

#define MEDIAN_SIDE 7           /* of the largest square that has a network */

/* Before a loop over a network's columns: no two rows overlap. */
#ifdef __clang__
#define MEDIAN_INDEPENDENT _Pragma ("clang loop vectorize (assume_safety)")
#else
#define MEDIAN_INDEPENDENT _Pragma ("GCC ivdep")
#endif
/* Of a constant number of steps, so that places are registers. */
#define MEDIAN_UNROLL _Pragma ("GCC unroll 7")

typedef struct
{
  gint     radius;
  gboolean is_circle;
  gdouble  percentile;
  gint     channels;            /* 3, or 4 with alpha */
  gint     count;               /* samples of a whole neighbourhood */
  gint     rank;                /* ... and the rank wanted of them, from 1 */
  gboolean leaves_out;          /* outside pixels are no samples */
  gboolean may_lack;            /* samples may be left out */
  gint    *half_widths;         /* of the neighbourhood's rows, 0 .. radius */
  gint    *ranks;               /* may_lack: of 0 .. count samples, else NULL */
} MedianParams;

/* Pixels in the block's rectangle and the radius around it, rows contiguous, already with the
 * border; on return the result is in the middle of it. */
typedef struct
{
  const MedianParams *params;
  GeglRectangle       around;   /* of the pixels, in GEGL's coordinates */
  GeglRectangle       bounds;   /* what counts where params->leaves_out */
  gboolean            lacks;    /* some samples are left out */
  gfloat             *pixels;
} MedianBlock;

/* The same as they are stored, `values` bytes a pixel. */
typedef struct
{
  const MedianParams *params;
  gint                width, height;    /* of the pixels, the radius included */
  gint                values;
  const guint8       *bytes;
  guint8             *out;              /* the result's rows, without gaps */
} MedianBytes;

/* Is the pixel no sample of this channel? */
static inline gboolean
median_is_left_out (const MedianBlock *block, gint x, gint y, gint channel, gfloat alpha)
{
  const GeglRectangle *bounds = &block->bounds;

  return channel < 3 ? alpha == 0.0f
         : block->params->leaves_out && (x < bounds->x || y < bounds->y || x >= bounds->x + bounds->width
                                         || y >= bounds->y + bounds->height);
}

/* Does the alpha of these pixels stay?  Then median_keep_alphas copies it. */
static inline gboolean
median_keeps_alpha (const MedianBytes *block)
{
  return block->params->channels == 3 && block->values % 2 == 0;
}

void     median_keep_alphas  (const MedianBytes *block);

/* Is a network there for this radius, and is it the median that is wanted?  With samples left out only if it is the
 * median of any number. */
gboolean median_has_network  (const MedianParams *params, gboolean lacks);
/* Networks of minima and maxima. */
void     median_by_network   (const MedianBlock *block);
/* The same on bytes, if none are left out: no pixel of an even number of values, the last of which is alpha, has
 * alpha 0. */
gboolean median_bytes_are_whole (const guint8 *bytes, gsize n_pixels, gint values);
void     median_by_bytes     (const MedianBytes *block);
/* Bytes, any rank and any radius whose squares have no more samples than 16 bits count. */
gboolean median_has_histogram (const MedianParams *params);
void     median_by_histogram (const MedianBytes *block);
/* Any radius, rank and shape. */
void     median_by_rank      (const MedianBlock *block);

#endif
