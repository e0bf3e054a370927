/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * whole-aligned MODEL REFERENCE X Y MOVING X Y RESULT: what tessera:align makes of a picture at a place, laid on another one, all of it, as a
 * PNG of 8 bits.  Its place and size are printed. */
#include <gegl.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../tools/connect.h"

static GeglNode *
add_picture (GeglNode *graph, gchar **words)
{
  GeglNode *load = gegl_node_new_child (graph, "operation", "gegl:load", "path", words[0], NULL);
  GeglNode *placed = gegl_node_new_child (graph, "operation", "gegl:translate", "x", g_ascii_strtod (words[1], NULL), "y", g_ascii_strtod (words[2], NULL), NULL);

  gegl_node_link (load, placed);
  return placed;
}

int
main (int argc, char **argv)
{
  GeglNode     *graph, *moving, *align, *whole, *save;
  GeglRectangle box;
  gboolean      is_aligned;
  gchar        *matrix;
  gfloat        pixel[4];

  if (argc != 9)
    return 2;
  gegl_init (NULL, NULL);
  graph = gegl_node_new ();
  moving = add_picture (graph, argv + 5);
  align = gegl_node_new_child (graph, "operation", "tessera:align", NULL);
  gegl_node_set (align, "model", atoi (argv[1]), NULL);
  gegl_node_link (moving, align);
  gegl_node_connect_to (add_picture (graph, argv + 2), "output", align, "aux");
  box = gegl_node_get_bounding_box (align);
  gegl_node_blit (align, 1.0, GEGL_RECTANGLE (box.x, box.y, 1, 1), babl_format ("RGBA float"), pixel, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
  gegl_node_get (align, "aligned", &is_aligned, "matrix", &matrix, NULL);
  whole = gegl_node_new_child (graph, "operation", "tessera:align", "known-matrix", matrix, NULL);
  save = gegl_node_new_child (graph, "operation", "gegl:png-save", "path", argv[8], "bitdepth", 8, NULL);
  gegl_node_link_many (moving, whole, save, NULL);
  gegl_node_process (save);
  box = gegl_node_get_bounding_box (whole);
  printf ("%d %d %d %d\n", box.x, box.y, box.width, box.height);
  g_free (matrix);
  g_object_unref (graph);
  gegl_exit ();
  return ! is_aligned;
}
