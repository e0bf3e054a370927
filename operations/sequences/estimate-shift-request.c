/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Shifts of frames, on the device or in C: see estimate-shift.h. */
#include "config.h"

#include "estimate-shift.h"

#include <gegl-plugin.h>
#include <string.h>

#include "estimate-shift.cl.h"
#include "trial.h"

void
shift_key_init (ShiftKey *key, const CountPlane *plane, gboolean stays)
{
  *key = (ShiftKey) { .plane = plane };
  if (stays)
    {
      key->soft = tessera_new_serial ();
      key->touched = tessera_new_serial ();
    }
}

void
shift_key_clear (ShiftKey *key)
{
  tessera_drop_kept (key->soft);
  tessera_drop_kept (key->touched);
  g_clear_pointer (&key->in_c, shift_frame_free);
  g_clear_pointer (&key->columns, g_free);
  g_clear_pointer (&key->rows, g_free);
}

/* ------------------------------------------------------------------- the answers -- */

void
shift_to_words (const Shift *found, gint32 words[SHIFT_WORDS])
{
  memcpy (words, &found->x, sizeof found->x);
  memcpy (words + 2, &found->y, sizeof found->y);
  memcpy (words + 4, &found->error, sizeof found->error);
  words[6] = found->pixels;
  words[7] = found->steps << 2 | (found->converged ? 2 : 0) | (found->ok ? 1 : 0);
}

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
  const ShiftRequest *r = request->params;
  Shift               found[SHIFT_MOST_FRAMES];

  shift_compare_in_c (r, found);
  for (gint k = 0; k < r->n; k++)
    {
      gint32 words[SHIFT_WORDS];

      shift_to_words (&found[k], words);
      tessera_write (request->output, GEGL_RECTANGLE (0, k, 1, 1), request->output_format, (gfloat *) words, sizeof words);
    }
}

#define ESTIMATE .name = "estimate-shift", .source = tessera_estimate_shift_cl, .spread = find_in_c, .scratch_bytes = shift_scratch_bytes, \
                 .device = shift_device, .whole = TRUE, .answers = TRUE

static const TesseraFilter estimate_shift = { ESTIMATE }, estimate_resident = { ESTIMATE, .blind = TRUE };

static GeglBuffer *
buffer_of (gconstpointer pixels, gint width, gint height)
{
  return tessera_reached_buffer (pixels, babl_format ("Y float"), GEGL_RECTANGLE (0, 0, width, height));
}

/* With which a device is checked where frames stay on it. */
static GeglOperation *
trial (void)
{
  static gsize node;

  return trial_operation (&node, "tessera:background-whiten", "trial", TRUE, "history", 9, "shifts", SHIFT_TRIAL, NULL);
}

gint
shift_frames_at_once (GeglOperation *operation, gint width, gint height)
{
  const guint64 most = gegl_operation_use_opencl (operation) ? MIN (SHIFT_MOST_BYTES, tessera_device_memory () / SHIFT_ROOM) : 0;

  return (gint) CLAMP (most / (sizeof (gfloat) * width * height), 1, SHIFT_MOST_FRAMES);
}

/* The output is a column of pixels at the origin, one for each frame, which depend on all of the input.  The reference is the aux of
 * one frame whose reference nothing is known of.  Of several it comes as a table: an aux would become as high as the frames. */
gboolean
shift_request (GeglOperation *operation, const ShiftRequest *params, Shift *found)
{
  const CountPlane *reference = params->key->plane;
  const gint        width = reference->width, height = reference->height, n = params->n;
  g_autofree gint32 *words = g_new0 (gint32, SHIFT_WORDS * n);
  TesseraRequest    request = { .filter = params->planes ? &estimate_resident : &estimate_shift, .operation = operation, .params = params,
                                .cost_class = params->settings.method << 1 | params->settings.reject_hot,
                                .progress_to = params->planes ? SHIFT_PROGRESS : 0.0 };
  gboolean          done;

  request.checked_with = params->serials ? trial () : NULL;
  request.input = buffer_of (params->planes ? reference->pixels : params->frames, width, params->planes ? height : height * n);
  request.aux = params->key->columns || params->key->serial > 0 || n > 1 ? NULL : buffer_of (reference->pixels, width, height);
  request.input_format = request.aux_format = babl_format ("Y float");
  request.output_format = babl_format_n (babl_type ("float"), SHIFT_WORDS);
  request.output = gegl_buffer_linear_new_from_data (words, request.output_format, GEGL_RECTANGLE (0, 0, 1, n), 0, NULL, NULL);
  request.roi = (GeglRectangle) { 0, 0, 1, n };
  request.bounds = (GeglRectangle) { 0, 0, width, height * n };
  request.aux_bounds = (GeglRectangle) { 0, 0, width, height };
  request.halo = (TesseraHalo) { 0, 0, width - 1, (height - 1) * n };
  done = tessera_process (&request);
  for (gint k = 0; k < n; k++)
    found[k] = shift_of_words (words + k * SHIFT_WORDS);
  g_object_unref (request.output);
  g_clear_object (&request.aux);
  g_object_unref (request.input);
  return done;
}
