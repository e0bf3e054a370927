/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Shifts and backgrounds by the code of tessera:estimate-shift and tessera:background-whiten: on the device where that is faster, or in C, with the same
 * bits.  A device is checked with these operations, so it is used only where GEGL has them. */
#include "sequence.h"

#include <gegl-plugin.h>

#include "../progress.h"
#include "tessera-control.h"

static GeglOperation *
operation_of (Sequence *sequence, const gchar *name)
{
  if (! sequence->graph)
    sequence->graph = gegl_node_new ();
  return gegl_node_get_gegl_operation (gegl_node_new_child (sequence->graph, "operation", name, NULL));
}

void
sequence_device_begin (Sequence *sequence)
{
  if (! gegl_has_operation ("tessera:estimate-shift") || ! gegl_has_operation ("tessera:background-whiten"))
    return;
  sequence->shifting = operation_of (sequence, "tessera:estimate-shift");
  sequence->whitening = operation_of (sequence, "tessera:background-whiten");
  g_object_set (sequence->whitening, "trial", TRUE, "history", 9, NULL);
}

void
sequence_device_end (Sequence *sequence)
{
  g_clear_object (&sequence->graph);
}

static void
tell_device (Sequence *sequence)
{
  TesseraCounters counters;

  if (sequence->has_told)
    return;
  tessera_get_counters (&counters);
  sequence->has_told = counters.device_requests > 0;
  if (sequence->has_told)
    progress_say ("computing on %s", tessera_device_name ());
}

void
sequence_shift (Sequence *sequence, ShiftKey *key, const CountPlane *frame, guint64 serial, Shift *found)
{
  const ShiftRequest request = { key, 1, frame->pixels, serial > 0 ? &serial : NULL, sequence->settings.shift };

  if (! sequence->shifting)
    shift_compare_in_c (&request, found);
  else if (! shift_request (sequence->shifting, &request, found))
    sequence->is_refused = TRUE;
  tell_device (sequence);
}

void
sequence_whiten (Sequence *sequence, const WhitenFrames *frames, const Weights *weights, WhitenPlanes *planes)
{
  const GeglRectangle  box = { 0, 0, sequence->width, sequence->height };
  const TesseraRequest request = { .operation = sequence->whitening, .roi = box, .bounds = box, .output_format = babl_format ("Y float") };

  if (! sequence->whitening)
    whiten_predict (frames->current, frames->history, weights, planes);
  else if (! background_whiten_predict (&request, frames, weights, WHITEN_BOTH, 1.0f, planes))
    sequence->is_refused = TRUE;
  tell_device (sequence);
}
