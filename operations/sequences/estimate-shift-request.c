/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Shifts of frames, on the device or in C: see estimate-shift.h. */
#include "config.h"

#include "estimate-shift.h"

#include <gegl-plugin.h>
#include <string.h>

#include "estimate-shift.cl.h"

void
shift_key_init (ShiftKey *key, const CountPlane *plane, gboolean stays)
{
  *key = (ShiftKey) { .plane = plane };
  if (stays)
    {
      key->soft = tessera_kept_new ();
      key->touched = tessera_kept_new ();
    }
}

void
shift_key_clear (ShiftKey *key)
{
  tessera_kept_unref (key->soft);
  tessera_kept_unref (key->touched);
  g_clear_pointer (&key->in_c, shift_frame_free);
  g_clear_pointer (&key->columns, g_free);
  g_clear_pointer (&key->rows, g_free);
}

/* ------------------------------------------------------------------- the answers -- */

static Shift
shift_of_words (const gint32 words[SHIFT_WORDS])
{
  Shift found = { .ok = words[7] & 1, .converged = (words[7] & 2) != 0, .pixels = words[6], .steps = words[7] >> 2 };

  memcpy (&found.x, words, sizeof found.x);
  memcpy (&found.y, words + 2, sizeof found.y);
  memcpy (&found.error, words + 4, sizeof found.error);
  return found;
}

/* ------------------------------------------------------------------- the request -- */

void
shift_compare_in_c (const ShiftRequest *r, Shift *found)
{
  CountPlane plane = *r->key->plane;

  if (! r->key->in_c)
    r->key->in_c = shift_frame_new (r->key->plane, &r->settings);
  for (gint k = 0; k < r->n; k++)
    {
      ShiftFrame *known = r->in_c ? g_atomic_pointer_get (r->in_c[k]) : NULL, *frame = known;

      plane.pixels = r->planes ? r->planes[k]->pixels : (gfloat *) r->frames + (gsize) k * plane.width * plane.height;
      if (! frame)
        frame = shift_frame_new (&plane, &r->settings);
      shift_between (r->key->in_c, frame, &r->settings, &found[k]);
      if (! known && (! r->in_c || ! g_atomic_pointer_compare_and_exchange (r->in_c[k], NULL, frame)))
        shift_frame_free (frame);
    }
}

static void
find_in_c (const TesseraRequest *request)
{
  Shift found[SHIFT_MOST_FRAMES];

  shift_compare_in_c (request->params, found);
  shift_answer (request, found);
}

static const TesseraFilter estimate_shift = {
  .name = "estimate-shift", .source = tessera_estimate_shift_cl, .spread = find_in_c, .scratch_bytes = shift_scratch_bytes, .device = shift_device,
  .whole = TRUE
};

static GeglBuffer *
buffer_of (gconstpointer pixels, gint width, gint height)
{
  return tessera_reached_buffer (pixels, babl_format ("Y float"), GEGL_RECTANGLE (0, 0, width, height));
}

gint
shift_frames_at_once (GeglOperation *operation, gint width, gint height)
{
  const guint64 most = tessera_uses_opencl (operation) ? MIN (SHIFT_MOST_BYTES, tessera_device_memory () / SHIFT_ROOM) : 0;

  return (gint) CLAMP (most / (sizeof (gfloat) * width * height), 1, SHIFT_MOST_FRAMES);
}

/* What all requests have in common.  The frames are the input, one below another, unless they stay on the device.  The reference travels until
 * something is known of it: as an aux beside a single frame, else as a table. */
static void
describe (TesseraRequest *request, const ShiftRequest *params)
{
  const CountPlane *reference = params->key->plane;
  const gint        width = reference->width, height = reference->height, n = params->n;

  request->filter = &estimate_shift;
  request->params = params;
  request->cost_class = params->settings.method << 1 | params->settings.reject_hot;
  request->is_blind = params->planes != NULL;
  request->input_format = request->aux_format = babl_format ("Y float");
  request->roi = request->bounds = (GeglRectangle) { 0, 0, width, height * n };
  request->aux_bounds = (GeglRectangle) { 0, 0, width, height };
  if (! request->is_blind)
    request->input = buffer_of (params->frames, width, height * n);
  if (! params->key->columns && ! params->key->kept && n == 1)
    request->aux = buffer_of (reference->pixels, width, height);
}

gboolean
shift_request (GeglOperation *operation, const ShiftRequest *params, Shift *found)
{
  TesseraAnswer  answer = { NULL, 0 };
  TesseraRequest request = { .errand = { operation, 0.0, params->planes ? SHIFT_PROGRESS : 0.0 }, .answer = &answer };
  gboolean       done;

  describe (&request, params);
  done = tessera_process (&request);
  for (gint k = 0; k < params->n; k++)
    found[k] = done ? shift_of_words ((const gint32 *) answer.data + k * SHIFT_WORDS) : (Shift) { 0 };
  g_free (answer.data);
  g_clear_object (&request.aux);
  g_clear_object (&request.input);
  return done;
}
