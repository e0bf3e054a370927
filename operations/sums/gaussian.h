/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The Gaussian of tessera:gaussian-blur and tessera:unsharp-mask: on each axis
 *
 *   g(i) = exp (-i^2 / 2 sigma^2) / sum, |i| <= ceil (3 sigma)
 *
 * Below sigma 12.5 these are the taps.  From there on the axis has cells of
 * step = floor (sigma / 6.25) pixels, counted from the origin of the image: the pixels of a
 * cell and of its two neighbours make the cell's value (weights: a quadratic B-spline),
 * a FIR filters cells (taps: the ones for which all of it is nearest to g, see gaussian.c),
 * and a pixel is interpolated between three cells (the same spline).  For every sigma and
 * every place of a pixel in its cell the sum of |effective kernel - g| is below 0.95e-3, so
 * an axis is at most that times half of max - min off.
 *
 * Order of the sums: three times from 0 over the pixels of a cell, (low + middle) + high;
 * the FIR as in separable.h; (low + middle) + high of the three cells.  Along y first where
 * cells are made, along x first in the FIR and between cells.
 */
#ifndef GAUSSIAN_H
#define GAUSSIAN_H

#include "separable.h"

#define GAUSSIAN_MAX_STEP 80

typedef struct
{
  gint   step;                          /* 1: no cells, the taps are for pixels */
  gfloat down[3 * GAUSSIAN_MAX_STEP];   /* [q step + j]: weight of pixel j of cell m - 1 + q in cell m */
  gfloat up[3 * GAUSSIAN_MAX_STEP];     /* [3 j + q]: weight of cell m - 1 + q in pixel j of cell m */
} GaussianAxis;

typedef struct
{
  Separable    fir;                     /* of cells, or of pixels; with the finishing step */
  GaussianAxis x, y;
  gfloat       ones[GAUSSIAN_MAX_STEP]; /* gaussian_ones */
} Gaussian;

/* `gaussian` is all zeros, but for the finishing step. */
void        gaussian_init   (Gaussian *gaussian, gdouble sigma_x, gdouble sigma_y);
/* For a filter that weighs pixels (fir.begin) and has one sigma: sets fir.whole and `ones`.  Sums over ones are not
 * exactly one.  Without cells ones[0] is such a sum.  With cells ones[j] is one after the pass to pixels along x, at
 * pixel j of a cell. */
void        gaussian_ones   (Gaussian *gaussian);
/* The halo: at most ceil (4 sigma). */
TesseraHalo gaussian_reach  (gdouble sigma_x, gdouble sigma_y);

/* TesseraFilter.area if neither axis has cells, else .spread; .scratch_bytes; and what .device calls.  The request's `params` begins
 * with its Gaussian.  `source` and `own` are as in separable.h.  A filter with a finishing step has the same sigma on both axes. */
void  gaussian_area          (const TesseraRequest *request, const GeglRectangle *area);
void  gaussian_whole         (const TesseraRequest *request);
gsize gaussian_scratch_bytes (const TesseraRequest *request, gint width, gint height);
gint  gaussian_device        (TesseraBand *band, TesseraMemory *source, const SeparableKernels *own);

/* ---------------------------------------------------------------- spans -- */

/* The part of an axis that a rectangle needs, in cells, or in pixels if step is 1. */
typedef struct
{
  gint step, origin;
  gint first, n;                /* after the FIR: those that its pixels lie between */
  gint low, high;               /* the FIR needs this many more */
  gint phase;                   /* of its first pixel, in cell first + 1 */
} GaussianSpan;

void gaussian_spans (const TesseraRequest *request, const GeglRectangle *rect, GaussianSpan *x, GaussianSpan *y);

/* The first pixel, and the number, that make n cells from cell `first` on. */
static inline gint
gaussian_pixel (const GaussianSpan *span, gint first)
{
  return span->step == 1 ? first : span->origin + (first - 1) * span->step;
}

static inline gint
gaussian_pixels (const GaussianSpan *span, gint n)
{
  return span->step == 1 ? n : (n + 2) * span->step;
}

#endif
