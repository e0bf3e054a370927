/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Declarations that the C files of tessera:median-blur share: keys, and two ways to an order statistic.
 *
 * Floats are compared as keys, integers in the same order: -0 is 0, every NaN is one key
 * after +Inf, and, only where border none leaves it out, what lies outside comes last.  Keys
 * are exact, so each way gives the same answer.
 */
#ifndef MEDIAN_BLUR_H
#define MEDIAN_BLUR_H

#include "tessera.h"

#include "../opencl/math/tessera-median.h"

typedef struct
{
  gint     radius;
  gboolean is_circle;
  gdouble  percentile;
  gint     channels;            /* 3, or 4 with alpha */
  gint     count;               /* samples of a whole neighbourhood */
  gint     rank;                /* ... and the rank wanted of them, from 1 */
  gboolean leaves_out;          /* outside pixels are no samples */
  gint    *half_widths;         /* of the neighbourhood's rows, 0 .. radius */
  gint    *ranks;               /* leaves_out: of 0 .. count samples, else NULL */
} MedianParams;

/* Pixels in the block's rectangle and the radius around it, rows contiguous, already with the
 * border; on return the result is in the middle of it. */
typedef struct
{
  const MedianParams *params;
  GeglRectangle       around;   /* of the pixels, in GEGL's coordinates */
  GeglRectangle       bounds;   /* what counts where params->leaves_out */
  gfloat             *pixels;
} MedianBlock;

/* Is a network there for this radius, and is it the median that is wanted? */
gboolean median_has_network  (const MedianParams *params);
/* Networks of minima and maxima; every sample counts. */
void     median_by_network   (const MedianBlock *block);
/* Any radius, rank and shape. */
void     median_by_rank      (const MedianBlock *block);

#endif
