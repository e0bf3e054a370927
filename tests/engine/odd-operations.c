/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * odd-operations: what operations may be that no filter of ours is.  One that looks along one axis alone asks for that much and
 * passes changes on so far.  One that was built with other headers is left out, and a line says so. */
#include <gegl.h>
#include <gegl-plugin.h>
#include <string.h>

#include "captured.h"
#include "verdict.h"

static const struct { const gchar *operation; gint x, y; } along[] = { { "tessera:along-x", 1, 0 }, { "tessera:along-y", 0, 1 } };
static const struct { const gchar *operation, *type; } left_out[] = {
  { "tessera:other-headers", "tessera_other_headers" }, { "tessera:older-headers", "tessera_older_headers" }
};

static void
looks_along (const gchar *name, gint x, gint y)
{
  const GeglRectangle roi = { 20, 30, 10, 10 }, around = { 20 - x, 30 - y, 10 + 2 * x, 10 + 2 * y };
  GeglBuffer         *input = gegl_buffer_new (GEGL_RECTANGLE (0, 0, 100, 100), babl_format ("RGBA float"));
  GeglNode           *graph = gegl_node_new ();
  GeglNode           *source = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", input, NULL);
  GeglNode           *node = gegl_node_new_child (graph, "operation", name, NULL);
  GeglOperation      *operation = gegl_node_get_gegl_operation (node);
  GeglRectangle       required, changed;

  gegl_node_link (source, node);
  gegl_node_get_bounding_box (node);
  required = gegl_operation_get_required_for_output (operation, "input", &roi);
  changed = gegl_operation_get_invalidated_by_change (operation, "input", &roi);
  expect (gegl_rectangle_equal (&required, &around), "%s asks for %dx%d of 10x10", name, required.width, required.height);
  expect (gegl_rectangle_equal (&changed, &around), "%s passes on a change of 10x10 as %dx%d", name, changed.width, changed.height);
  g_object_unref (graph);
  g_object_unref (input);
}

int
main (int argc, char **argv)
{
  GString  *text = g_string_new (NULL);
  Captured  capture;
  gint      n_lines;
  gboolean  are_there[2], is_there[2];

  captured_begin (&capture);
  gegl_init (&argc, &argv);
  for (guint i = 0; i < 2; i++)
    {
      are_there[i] = gegl_has_operation (along[i].operation);
      is_there[i] = gegl_has_operation (left_out[i].operation);
    }
  g_strfreev (captured_end (&capture, text, &n_lines));
  g_strdelimit (text->str, "-", '_');           /* GEGL names types of the operation, or of its file */
  for (guint i = 0; i < 2; i++)
    {
      expect (are_there[i], "%s is not there", along[i].operation);
      if (are_there[i])
        looks_along (along[i].operation, along[i].x, along[i].y);
      expect (! is_there[i], "%s is there", left_out[i].operation);
      expect (strstr (text->str, left_out[i].type) != NULL, "nothing is said of %s: %s", left_out[i].operation, text->str);
    }
  expect (n_lines == 2, "%d lines are said, not 2: %s", n_lines, text->str);
  g_string_free (text, TRUE);
  gegl_exit ();
  return expect_told ();
}
