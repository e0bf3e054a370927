/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Weighted sums of the floats around each of a row, for the filters that are lists of taps:
 *
 *   out[k] = sum over i of weights[i] * in[k + step * offsets[i]]
 *
 * in groups of `group` taps in the list's order, each from 0, then the groups in theirs: one
 * rounded product is added after the other.  NaN and Inf follow the arithmetic.
 */
#ifndef TAP_SUM_H
#define TAP_SUM_H

#include <glib.h>

/* The bits of weights that count where alpha weighs, for whole registers: the fourth has no sign. */
#define TAP_THREE_SIGNS -1, -1, -1, 0x7fffffff
#define TAP_SIGNS       { TAP_THREE_SIGNS, TAP_THREE_SIGNS, TAP_THREE_SIGNS, TAP_THREE_SIGNS }

#define TAP_SUM_BLOCK 16        /* pixels: `in` and `out` have room for whole blocks */

typedef struct
{
  gint          n, group;       /* group at least 1 */
  gint          step;           /* floats */
  const gint   *offsets;
  const gfloat *weights;
  gboolean      magnitudes;     /* every fourth sum is of their magnitudes; in one group */
} TapList;

/* For n_pixels of 4 floats and at most to the end of their last block; `out` may be a part of
 * `in` that no tap of a later pixel needs. */
void tap_sum (const gfloat *in, const TapList *taps, gfloat *out, gint n_pixels);

/* The same for n_rows rows, `step` floats from one to the next, of `out` out_step floats: a tap is a row.  `out` may be
 * rows of `in` that no tap of a later row needs. */
void tap_sum_rows (const gfloat *in, const TapList *taps, gfloat *out, gsize out_step, gint n_pixels, gint n_rows);

#endif
