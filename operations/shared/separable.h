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
  gboolean magnitudes;          /* the fourth sum is of the weights' magnitudes; on the device Separable.rows sees to that */
  gint     offsets[SEPARABLE_MAX_TAPS];
  gfloat   weights[SEPARABLE_MAX_TAPS];
} SeparableTaps;

/* In place, n_pixels of one row; `in` is the input at the same pixels.  Not aligned; each
 * row has room for whole blocks of 16 pixels.  Give it TESSERA_CLONES, and take the
 * arithmetic from a header of opencl/math that the kernel includes too. */
typedef void (*SeparableFinish) (gfloat *sums, const gfloat *in, gint n_pixels, gconstpointer data);

/* What is summed in place of n_pixels of the input: `in` itself, or `room`, which has been filled and may be the same. */
typedef const gfloat *(*SeparableBegin) (const gfloat *in, gfloat *room, gint n_pixels);

/* Weighed sums become means, in place, before they are finished; not asked for where `begin` has replaced nothing.
 * `wholes`: the fourth sum of each pixel if all that is summed is 1. */
typedef void (*SeparableDivide) (gfloat *sums, const gfloat *in, const gfloat *wholes, gint n_pixels);

typedef struct
{
  SeparableTaps   x, y;
  SeparableBegin  begin;        /* or NULL, and so with the next.  C only; on the device the sums' input is given */
  SeparableDivide divide;
  gfloat          whole;
  SeparableFinish finish;       /* or NULL */
  gconstpointer   finish_data;
  const gchar    *rows;         /* the device's first pass, a kernel of the filter's; NULL: separable_rows, gaussian_down */
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

/* The device's: TesseraFilter.scratch_bytes and .device call them.  `columns` names the
 * filter's own kernel of the second pass, which finishes (tessera-separable.h says how it
 * begins), and `more` the n_more arguments (at most 11) that follow there; NULL, NULL, 0
 * without a finishing step.  `source`: what is summed, of the size of band->input, mostly its memory.  `separable`
 * must live as long as the request. */
gsize separable_scratch_bytes (const Separable *separable, gint width, gint height);
gint  separable_device       (TesseraBand *band, TesseraMemory *source, const Separable *separable,
                              const gchar *columns, const TesseraArg *more, gint n_more);

/* For other kernels that finish: INPUT_ARGS and `more`, to be put among a launch's arguments. */
void  separable_more_args    (const TesseraBand *band, const TesseraArg *more, gint n_more, TesseraArg *args);

/* A list's tables on the device. */
gint  separable_upload       (TesseraBand *band, const SeparableTaps *taps,
                              TesseraMemory **offsets, TesseraMemory **weights);

#endif
