/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * See estimate-shift-graph.h. */
#include "estimate-shift-graph.h"

#include <string.h>

#include "../engine/verdict.h"

const Settings defaults = { "pyramid", 64, 0, TRUE };

GeglNode *
node_of (GeglNode *graph, const Settings *settings)
{
  GeglNode   *node = gegl_node_new_child (graph, "operation", "tessera:estimate-shift", "max-shift", settings->max_shift, "saturation",
                                          settings->saturation, "reject-hot", settings->reject_hot, NULL);
  GParamSpec *spec = gegl_node_find_property (node, "method");

  gegl_node_set (node, "method", g_enum_get_value_by_nick (g_type_class_peek (spec->value_type), settings->method)->value, NULL);
  return node;
}

Answer
answer_of (GeglNode *node)
{
  Answer a;

  gegl_node_get (node, "shift-x", &a.x, "shift-y", &a.y, "error", &a.error, "converged", &a.converged, "pixels", &a.pixels, "steps", &a.steps,
                 "reason", &a.reason, NULL);
  return a;
}

GeglNode *
source_of (GeglNode *graph, GeglBuffer *buffer)
{
  return gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", buffer, NULL);
}

Answer
ask (GeglBuffer *input, GeglBuffer *aux, const Settings *settings, TesseraOpenclMode mode, guchar **through)
{
  const GeglRectangle *box = gegl_buffer_get_extent (input);
  const Babl          *format = gegl_buffer_get_format (input);
  GeglNode            *graph = gegl_node_new (), *node = node_of (graph, settings);
  guchar              *pixels = g_malloc0 ((gsize) box->width * box->height * babl_format_get_bytes_per_pixel (format) + 1);
  Answer               a;

  tessera_set_opencl_mode (mode);
  gegl_node_link (source_of (graph, input), node);
  if (aux)
    gegl_node_connect_to (source_of (graph, aux), "output", node, "aux");
  gegl_node_blit (node, 1.0, box, format, pixels, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
  a = answer_of (node);
  if (through)
    *through = g_steal_pointer (&pixels);
  g_free (pixels);
  g_object_unref (graph);
  return a;
}

gboolean
same (const Answer *a, const Answer *b)
{
  return memcmp (&a->x, &b->x, sizeof a->x) == 0 && memcmp (&a->y, &b->y, sizeof a->y) == 0 && memcmp (&a->error, &b->error, sizeof a->error) == 0
         && a->converged == b->converged && a->pixels == b->pixels && a->steps == b->steps && strcmp (a->reason, b->reason) == 0;
}

void
expect_same (Answer *a, Answer *b, const gchar *what)
{
  expect (same (a, b), "%s: (%.9g, %.9g), error %g, %d pixels in %d steps (%s) and (%.9g, %.9g), error %g, %d pixels in %d steps (%s)", what, a->x, a->y,
          a->error, a->pixels, a->steps, a->reason, b->x, b->y, b->error, b->pixels, b->steps, b->reason);
  g_clear_pointer (&b->reason, g_free);
}

/* ---------------------------------------------------------------------- frames -- */

StarsField *
field_of (gchar preset, guint64 seed, gint width, gint height)
{
  return stars_field_empty (preset, seed, width, height, 0);
}

GeglBuffer *
buffer_of (const StarsField *field, gint frame, const gchar *format, gint x, gint y)
{
  const GeglRectangle box = { x, y, field->settings.width, field->settings.height };
  GeglBuffer         *buffer = gegl_buffer_new (&box, babl_format (format));
  guint16            *adu = g_new (guint16, box.width * box.height);

  stars_frame (field, frame, adu);
  gegl_buffer_set (buffer, &box, 0, babl_format (strstr (format, "Y' ") ? "Y' u16" : "Y u16"), adu, GEGL_AUTO_ROWSTRIDE);
  g_free (adu);
  return buffer;
}
