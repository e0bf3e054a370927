/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "whitener.h"

#include <string.h>

#include <gegl-plugin.h>

#include "../engine/verdict.h"
#include "tessera-control.h"

static GeglNode      *graph;
static GeglOperation *shifting, *whitening;

void
whitener_begin (gboolean on_device)
{
  graph = gegl_node_new ();
  shifting = gegl_node_get_gegl_operation (gegl_node_new_child (graph, "operation", "tessera:estimate-shift", NULL));
  whitening = gegl_node_get_gegl_operation (gegl_node_new_child (graph, "operation", "tessera:background-whiten", NULL));
  tessera_set_opencl_mode (on_device ? TESSERA_OPENCL_FORCE : TESSERA_OPENCL_OFF);
  g_print ("%s\n", on_device ? tessera_device_name () : "C");
}

void
whitener_end (void)
{
  g_object_unref (graph);
}

void
whitener_shifts (const CountPlane *frames, gint n, ShiftMethod method, FrameShift *shifts)
{
  const gsize pixels = (gsize) frames[0].width * frames[0].height;
  gfloat     *row = g_new (gfloat, SHIFT_MOST_FRAMES * pixels);
  ShiftKey    key;

  shift_key_init (&key, &frames[0], TRUE);
  shifts[0] = (FrameShift) { 0 };
  for (gint first = 1; first < n; first += SHIFT_MOST_FRAMES)
    {
      const gint count = MIN (SHIFT_MOST_FRAMES, n - first);
      Shift      found[SHIFT_MOST_FRAMES];

      for (gint k = 0; k < count; k++)
        memcpy (row + k * pixels, frames[first + k].pixels, pixels * sizeof (gfloat));
      if (! shift_request (shifting, &(ShiftRequest) { .key = &key, .n = count, .frames = row, .settings = { method, 64, INFINITY, TRUE } }, found))
        expect (FALSE, "the device did not find the shifts");
      for (gint k = 0; k < count; k++)
        shifts[first + k] = (FrameShift) { found[k].x, found[k].y };
    }
  shift_key_clear (&key);
  g_free (row);
}

void
whitener_whiten (const CountPlane *frames, const FrameShift *shifts, gint t, gint n, gint degree, WhitenPlanes *planes)
{
  const WeightsSettings settings = { WEIGHTS_FROM_SHIFTS, degree, 1e-3, FALSE, TRUE };
  const GeglRectangle   box = { 0, 0, frames[t].width, frames[t].height };
  const TesseraRequest  request = { .errand = { .operation = whitening }, .roi = box, .bounds = box, .output_format = babl_format ("Y float") };
  WhitenFrames          history = { .n = MIN (n, t) };
  Weights               weights;

  for (gint k = 0; k <= history.n; k++)
    history.all[k] = (WhitenFrame) { frames[t - history.n + k], shifts[t - history.n + k], NULL };
  if (! background_whiten_predict (&request, &history, &settings, WHITEN_BOTH, 1.0f, planes, &weights))
    expect (FALSE, "the device did not whiten");
}

void
whitener_tracks (const TrackFrame *frames, gint n, const TrackGrid *grid, gfloat limit, TrackPlanes *planes)
{
  if (! tracks_stack_for (&(TesseraErrand) { .operation = whitening }, frames, n, n - 1, grid, limit, planes))
    expect (FALSE, "the device did not add the frames");
}
