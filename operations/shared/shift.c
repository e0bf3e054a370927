/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The shift of a frame: see shift.h. */
#include "config.h"

#include "shift-parts.h"

#include <math.h>

void
shift_between (const ShiftFrame *reference, const ShiftFrame *frame, const ShiftSettings *settings, Shift *found)
{
  *found = (Shift) { .error = INFINITY };
  if (reference->width != frame->width || reference->height != frame->height)
    return;
  shift_find_in_c (reference, frame, settings, found);
}

void
shift_find (const CountPlane *reference, const CountPlane *frame, const ShiftSettings *settings, Shift *found)
{
  ShiftFrame *r = shift_frame_new (reference, settings), *i = shift_frame_new (frame, settings);

  shift_between (r, i, settings, found);
  shift_frame_free (i);
  shift_frame_free (r);
}
