/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A filter behind one of GEGL's whose result is kept by nobody: a filter that says so may write into that.  Ours read
 * around a pixel, or more than once, while they write. */
#include "check.h"

static GeglNode *
exposed (GeglNode *graph, const CheckSource *source)
{
  GeglNode *from = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", source->buffer, NULL);
  GeglNode *node = gegl_node_new_child (graph, "operation", "gegl:exposure", "exposure", 0.25, NULL);

  g_object_set (node, "dont-cache", TRUE, NULL);
  gegl_node_link (from, node);
  return node;
}

/* What `node` makes, as GEGL hands it on. */
static GeglBuffer *
made_by (GeglNode *node)
{
  GeglBuffer *buffer = NULL;
  GeglNode   *sink = gegl_node_new_child (gegl_node_get_parent (node), "operation", "gegl:buffer-sink", "buffer", &buffer, NULL);

  gegl_node_link (node, sink);
  gegl_node_process (sink);
  return buffer;
}

static void
take (const CheckFilter *filter, const CheckCase *c, GeglBuffer *buffer, const Babl *format, const GeglRectangle *roi,
      CheckPixels *pixels)
{
  pixels->roi = *roi;
  pixels->pixels = g_new0 (gfloat, (gsize) roi->width * roi->height * 4);
  gegl_buffer_get (buffer, roi, 1.0, format, pixels->pixels, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
  check_pixels_spread (filter, c, format, pixels);
}

/* The same pixels as of that result, kept in a buffer. */
gboolean
check_chain (const CheckFilter *filter, const CheckCase *c, CheckLeg leg, GString *why)
{
  CheckSource  *source = check_source_draw (filter, c);
  GeglNode     *graph = gegl_node_new (), *node = check_operation_node (filter, c, graph), *from;
  GeglNode     *kept_graph = gegl_node_new (), *kept_node = check_operation_node (filter, c, kept_graph);
  GeglBuffer   *input = made_by (exposed (kept_graph, source)), *result, *kept;
  GeglRectangle roi = check_roi (filter, c);
  CheckPixels   one = { 0 }, other = { 0 };
  const Babl   *format;
  gboolean      good;

  tessera_set_opencl_mode (leg == CHECK_LEG_C ? TESSERA_OPENCL_OFF : TESSERA_OPENCL_FORCE);
  check_set_engine (c);
  from = gegl_node_new_child (kept_graph, "operation", "gegl:buffer-source", "buffer", input, NULL);
  gegl_node_link (from, kept_node);
  kept = made_by (kept_node);
  gegl_node_link (exposed (graph, source), node);
  result = made_by (node);
  tessera_set_band_rows (0);
  format = check_read_format (filter, c, kept_node);
  take (filter, c, result, format, &roi, &one);
  take (filter, c, kept, format, &roi, &other);
  good = check_same_bits (&one, &other, "behind a filter of GEGL's vs of its result", why);
  check_pixels_clear (&one);
  check_pixels_clear (&other);
  g_object_unref (graph);
  g_object_unref (kept_graph);
  g_object_unref (input);
  g_object_unref (result);
  g_object_unref (kept);
  check_source_free (source);
  return good;
}
