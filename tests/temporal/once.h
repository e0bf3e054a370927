/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Steps of the product that it takes one by one, and tests together. */
#ifndef ONCE_H
#define ONCE_H

#include "shift.h"
#include "whiten.h"

/* Of two frames that are compared once. */
static inline void
shift_find (const CountPlane *reference, const CountPlane *frame, const ShiftSettings *settings, Shift *found)
{
  ShiftFrame *r = shift_frame_new (reference, settings), *i = shift_frame_new (frame, settings);

  shift_between (r, i, settings, found);
  shift_frame_free (i);
  shift_frame_free (r);
}

static inline void
whiten_frame (const CountPlane *current, FrameShift current_shift, const CountPlane *const *history, const FrameShift *shifts,
              gint n, const WeightsSettings *settings, gdouble gain, Weights *weights, WhitenPlanes *planes)
{
  weights_find (current, current_shift, history, shifts, n, settings, weights);
  whiten_predict (current, history, weights, planes);
  whiten_judge (planes, gain);
}

/* What is added to the sum of a_k I_k: level - sum a_k mean_k. */
static inline gdouble
weights_offset (const Weights *weights)
{
  gdouble offset = weights->level;

  for (gint k = 0; k < weights->n; k++)
    offset -= weights->a[k] * weights->mean[k];
  return offset;
}

#endif
