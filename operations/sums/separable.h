/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Separable FIR filters, for the filters that are one (gaussian-blur, unsharp-mask,
 * convolution): along x, then along y,
 *
 *   row (x, y) = sum over i of x.weights[i] * in  (x + x.offsets[i], y)
 *   sum (x, y) = sum over i of y.weights[i] * row (x, y + y.offsets[i])
 *
 * of pixels of 4 floats.  Order: each sum begins with 0 and adds one rounded product
 * after the other in the order of the list; so it is at most (n + 1) 2^-24 of
 * sum |w| |in| off.  C and OpenCL (opencl/kernels/shared/tessera-separable.h) give the same bits.
 *
 * Then an optional finishing step turns the sums of a row into the result while they
 * are in the cache (in registers on the device): it sees the pixel of the input too.
 */
#ifndef SEPARABLE_H
#define SEPARABLE_H

#include "tap-sum.h"
#include "tessera.h"

#define SEPARABLE_MAX_TAPS 128

/* Any offsets; the order of the list is the order of the sum. */
typedef struct
{
  gint     n;
  gboolean magnitudes;          /* the fourth sum is of the weights' magnitudes; on the device the filter's kernels see to that */
  gint     offsets[SEPARABLE_MAX_TAPS];
  gfloat   weights[SEPARABLE_MAX_TAPS];
} SeparableTaps;

/* In place, n_pixels of one row; `in` is the input at the same pixels.  Not aligned; each
 * row has room for whole blocks of 16 pixels.  Give it TESSERA_CLONES, and take the
 * arithmetic from a header of opencl/math that the kernel includes too. */
typedef void (*SeparableFinish) (gfloat *sums, const gfloat *in, gint n_pixels, gconstpointer data);

/* What is summed in place of n_pixels of the input: `in` itself, or `room`, which has been filled and may be the same. */
typedef const gfloat *(*SeparableBegin) (const gfloat *in, gfloat *room, gint n_pixels);

/* Weighed sums become means, in place, before they are finished; not asked for where the fourth sums are `wholes`, which they
 * are if all that is summed is 1. */
typedef void (*SeparableDivide) (gfloat *sums, const gfloat *in, const gfloat *wholes, gint n_pixels);

typedef struct
{
  SeparableTaps   x, y;
  SeparableBegin  begin;        /* or NULL, and so with the next.  C only; on the device the sums' input is given */
  SeparableDivide divide;
  gfloat          whole;
  SeparableFinish finish;       /* or NULL */
  gconstpointer   finish_data;
} Separable;

/* Is alpha 1 in all of these pixels? */
gboolean separable_is_opaque (const gfloat *pixels, gsize n_pixels);
/* A SeparableBegin for filters that alpha weighs: light, and none where alpha is 0. */
const gfloat *separable_weigh (const gfloat *in, gfloat *room, gint n_pixels);

/* Appends a tap, unless its weight is 0 as a float. */
void separable_tap (SeparableTaps *taps, gint offset, gdouble weight);

/* The reach of the taps.  A request's halo must be at least that. */
TesseraHalo separable_halo (const Separable *separable);

/* The list for tap_sum and tap_sum_rows, in one group. */
static inline TapList
separable_list (const SeparableTaps *taps, gint step)
{
  return (TapList) { taps->n, SEPARABLE_MAX_TAPS, step, taps->offsets, taps->weights, taps->magnitudes };
}

/* The C path: TesseraFilter.area calls it. */
void separable_area (const TesseraRequest *request, const GeglRectangle *area, const Separable *separable);

/* The means of n_pixels in one row. */
void separable_divide (const Separable *separable, gfloat *sums, const gfloat *in, const gfloat *wholes, gint n_pixels);

/* ---------------------------------------------------------------- device -- */

/* An image between two passes; `first` leads to the first pixel that is needed. */
typedef struct
{
  TesseraMemory *memory;
  gint           first, stride;
} SeparableStage;

/* Kernels of the filter's own: for the first pass (NULL: separable_rows, gaussian_down), and for the last one, which finishes
 * (tessera-separable.h and tessera-gaussian.h say how they begin), with the arguments that follow INPUT_ARGS there. */
typedef struct
{
  const gchar *first;
  const gchar *columns, *up_rows;       /* sums along y; pixels of cells along y */
  TesseraArg   args[4];
} SeparableKernels;

/* A list as kernels take it. */
#define SEPARABLE_TAPS(taps) \
  TABLE_ARG ((taps)->offsets, MAX ((taps)->n, 1) * sizeof (gint)), \
  TABLE_ARG ((taps)->weights, MAX ((taps)->n, 1) * sizeof (gfloat)), ARG ((taps)->n)

/* TesseraFilter.scratch_bytes calls it. */
gsize separable_scratch_bytes (const Separable *separable, gint width, gint height);

/* The band's input times alpha, to `weighed`, which has the same places and may be the same memory. */
gint  separable_weigh_band    (TesseraBand *band, TesseraMemory *weighed);

/* Both passes, for width x height sums from the stage's first pixel on, to `to`.  `own` or NULL.  `separable` must live as long
 * as the request. */
gint  separable_filter        (TesseraBand *band, const SeparableStage *from, const Separable *separable,
                               TesseraMemory *to, gint width, gint height, const SeparableKernels *own);

/* What TesseraFilter.device calls.  `source`: what is summed, of the size of band->input, mostly its memory. */
gint  separable_device        (TesseraBand *band, TesseraMemory *source, const Separable *separable, const SeparableKernels *own);

/* The last pass, after whose n_args those of `own` follow. */
gint  separable_last          (TesseraBand *band, TesseraLaunch *launch, gint n_args, const SeparableKernels *own);

#endif
