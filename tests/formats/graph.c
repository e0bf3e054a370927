/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Pixels through a real graph: buffer-source -> tessera:copy -> write-buffer. */
#include "formats.h"

#include <string.h>

static TesseraCounters
difference (const TesseraCounters *after, const TesseraCounters *before)
{
  TesseraCounters did = *after;

  did.requests -= before->requests;
  did.device_requests -= before->device_requests;
  did.c_requests -= before->c_requests;
  did.fallbacks -= before->fallbacks;
  did.uploaded_bytes -= before->uploaded_bytes;
  did.downloaded_bytes -= before->downloaded_bytes;
  did.tiles -= before->tiles;
  return did;
}

/* FORMATS_WIDTH pixels a row, the last row's rest black. */
static GeglBuffer *
buffer_of (const Babl *format, const guint8 *pixels, gsize n)
{
  const gsize    bytes = babl_format_get_bytes_per_pixel (format);
  GeglRectangle  box = { 0, 0, FORMATS_WIDTH, (gint) ((n + FORMATS_WIDTH - 1) / FORMATS_WIDTH) };
  GeglBuffer    *buffer = gegl_buffer_new (&box, format);
  guint8        *padded = g_malloc0 (bytes * box.width * box.height);

  memcpy (padded, pixels, n * bytes);
  gegl_buffer_set (buffer, &box, 0, format, padded, GEGL_AUTO_ROWSTRIDE);
  g_free (padded);
  return buffer;
}

FormatsRun
formats_run (const Babl *from, const guint8 *pixels, gsize n, const gchar *working, const Babl *to,
             gboolean on_device)
{
  GeglBuffer          *input = buffer_of (from, pixels, n);
  const GeglRectangle *box = gegl_buffer_get_extent (input);
  GeglBuffer          *output = gegl_buffer_new (box, to);
  GeglNode            *graph = gegl_node_new ();
  GeglNode            *source, *copy, *sink;
  TesseraCounters      before, after;
  FormatsRun           run;

  source = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", input, NULL);
  copy = gegl_node_new_child (graph, "operation", "tessera:copy", "format", working, NULL);
  sink = gegl_node_new_child (graph, "operation", "gegl:write-buffer", "buffer", output, NULL);
  gegl_node_link_many (source, copy, sink, NULL);
  tessera_set_opencl_mode (on_device ? TESSERA_OPENCL_FORCE : TESSERA_OPENCL_OFF);
  tessera_trim ();              /* with it the tables that are still on the device */
  tessera_get_counters (&before);
  gegl_node_process (sink);
  tessera_get_counters (&after);
  run.did = difference (&after, &before);
  run.pixels = g_malloc ((gsize) box->width * box->height * babl_format_get_bytes_per_pixel (to));
  gegl_buffer_get (output, box, 1.0, to, run.pixels, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
  g_object_unref (graph);
  g_object_unref (output);
  g_object_unref (input);
  return run;
}
