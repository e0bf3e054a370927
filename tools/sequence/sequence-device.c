/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Shifts and backgrounds by the code of tessera:estimate-shift and tessera:background-whiten: on the device where that is faster, or in C, with the same
 * bits.  GEGL need not have these operations. */
#include "sequence.h"

#include <gegl-plugin.h>

#include "../progress.h"
#include "tessera-control.h"

void
sequence_tell (Sequence *sequence)
{
  TesseraCounters counters;

  if (sequence->has_told)
    return;
  tessera_get_counters (&counters);
  sequence->has_told = counters.device_requests > 0;
  if (sequence->has_told)
    progress_say ("computing on %s", tessera_device_name ());
}

gint
sequence_batch (const Sequence *sequence)
{
  return shift_frames_at_once (NULL, sequence->width, sequence->height);
}

void
sequence_shifts (Sequence *sequence, ShiftKey *key, gint n, const gfloat *frames, TesseraKept *const *kept, Shift *found)
{
  const ShiftRequest request = { .key = key, .n = n, .frames = frames, .kept = kept, .settings = sequence->settings.shift };

  if (! shift_request (NULL, &request, found))
    g_atomic_int_set (&sequence->is_refused, TRUE);
}

void
sequence_shifts_near (Sequence *sequence, ShiftKey *key, const gfloat *frame, Shift *found)
{
  ShiftRequest request = { .key = key, .n = 1, .frames = frame, .settings = sequence->settings.shift };

  request.settings.method = SHIFT_ITERATED;
  if (! shift_request (NULL, &request, found))
    g_atomic_int_set (&sequence->is_refused, TRUE);
}

void
sequence_whiten (Sequence *sequence, const WhitenFrames *frames, WeightsMethod method, WhitenPlanes *planes, Weights *weights)
{
  const GeglRectangle  box = { 0, 0, sequence->width, sequence->height };
  const TesseraRequest request = { .roi = box, .bounds = box, .output_format = babl_format ("Y float") };
  WeightsSettings      settings = sequence->settings.weights;

  settings.method = method;
  if (! background_whiten_predict (&request, frames, &settings, WHITEN_BOTH, 1.0f, planes, weights))
    g_atomic_int_set (&sequence->is_refused, TRUE);
}
