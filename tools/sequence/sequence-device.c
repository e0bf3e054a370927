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

/* NULL: GEGL has both. */
static const gchar *
missing_operation (void)
{
  static const gchar *const names[] = { "tessera:estimate-shift", "tessera:background-whiten" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (! gegl_has_operation (names[i]))
      return names[i];
  return NULL;
}

gboolean
sequence_device_begin (Sequence *sequence, GError **error)
{
  const gchar   *missing = missing_operation ();
  const gboolean is_forced = g_strcmp0 (g_getenv ("TESSERA_OPENCL"), "force") == 0;

  if (missing && is_forced)
    g_set_error (error, FRAMES_ERROR, FRAMES_ERROR_UNREADABLE,
                 "TESSERA_OPENCL=force, but GEGL has no %s, by which a device is checked", missing);
  if (missing)
    return ! is_forced;
  sequence->shifting = operation_of (sequence, "tessera:estimate-shift");
  sequence->whitening = operation_of (sequence, "tessera:background-whiten");
  return TRUE;
}

void
sequence_device_end (Sequence *sequence)
{
  g_clear_object (&sequence->graph);
}

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
  return sequence->shifting ? shift_frames_at_once (sequence->shifting, sequence->width, sequence->height) : 1;
}

void
sequence_shifts (Sequence *sequence, ShiftKey *key, gint n, const gfloat *frames, TesseraKept *const *kept, Shift *found)
{
  const ShiftRequest request = { .key = key, .n = n, .frames = frames, .kept = kept, .settings = sequence->settings.shift };

  if (! sequence->shifting)
    shift_compare_in_c (&request, found);
  else if (! shift_request (sequence->shifting, &request, found))
    g_atomic_int_set (&sequence->is_refused, TRUE);
}

void
sequence_whiten (Sequence *sequence, const WhitenFrames *frames, const Weights *weights, WhitenPlanes *planes)
{
  const GeglRectangle  box = { 0, 0, sequence->width, sequence->height };
  const TesseraRequest request = { .operation = sequence->whitening, .roi = box, .bounds = box, .output_format = babl_format ("Y float") };

  if (! sequence->whitening)
    whiten_predict (frames->current, frames->history, weights, planes);
  else if (! background_whiten_predict (&request, frames, weights, WHITEN_BOTH, 1.0f, planes))
    g_atomic_int_set (&sequence->is_refused, TRUE);
}
