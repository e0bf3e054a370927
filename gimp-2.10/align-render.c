/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Align Visible Layers: the pixels of a node, and the progress bar while it computes.
 */
#include "align-layers.h"

GeglBuffer *
align_layers_render (GeglNode *graph, GeglNode *node, const Babl *format)
{
  const GeglRectangle box = gegl_node_get_bounding_box (node);
  GeglBuffer         *pixels = gegl_buffer_new (&box, format);
  GeglNode           *sink = gegl_node_new_child (graph, "operation", "gegl:write-buffer", "buffer", pixels, NULL);

  gegl_node_link (node, sink);
  gegl_node_process (sink);
  return pixels;
}

typedef struct
{
  gdouble from, to;             /* of the whole work */
} Part;

static void
show_part (GeglNode *node G_GNUC_UNUSED, gdouble done, gpointer data)
{
  const Part *part = data;

  gimp_progress_update (part->from + (part->to - part->from) * done);
}

static void
free_part (gpointer part, GClosure *closure G_GNUC_UNUSED)
{
  g_free (part);
}

void
align_layers_show_progress (GeglNode *node, gdouble from, gdouble to)
{
  Part *part = g_new (Part, 1);

  *part = (Part) { from, to };
  g_signal_connect_data (node, "progress", G_CALLBACK (show_part), part, free_part, 0);
}
