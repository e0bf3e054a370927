/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What tessera:align tells when there is nothing to find: not what was found before. */
#include "align.h"

#include <string.h>

#include "../engine/verdict.h"

/* What was found before is not what a computation that failed has found. */
void
check_forced (const Photo *photograph)
{
  GeglBuffer         *buffer = photo_buffer (photograph, 0, 0);
  const GeglRectangle box = *gegl_buffer_get_extent (buffer);
  GeglNode           *graph = gegl_node_new (), *align = gegl_node_new_child (graph, "operation", "tessera:align", NULL);
  GeglNode           *source = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", buffer, NULL);
  gfloat             *pixels = g_new (gfloat, 4 * (gsize) box.width * box.height);
  gboolean            aligned, uses_opencl;
  gint                inliers;
  gchar              *reason;

  g_object_get (gegl_config (), "use-opencl", &uses_opencl, NULL);
  gegl_node_link (source, align);
  gegl_node_connect_to (source, "output", align, "aux");
  for (gint is_forced = 0; is_forced < 2; is_forced++)
    {
      g_object_set (gegl_config (), "use-opencl", FALSE, NULL);
      tessera_set_opencl_mode (is_forced ? TESSERA_OPENCL_FORCE : TESSERA_OPENCL_OFF);
      gegl_node_set (align, "ratio", is_forced ? 0.7 : 0.8, NULL);
      gegl_node_blit (align, 1.0, &box, babl_format ("RaGaBaA float"), pixels, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
      gegl_node_get (align, "aligned", &aligned, "inliers", &inliers, "reason", &reason, NULL);
      expect (aligned == ! is_forced && (inliers > 0) == ! is_forced && (strstr (reason, "OpenCL") != NULL) == is_forced,
              "%s: aligned %d by %d points, \"%s\"", is_forced ? "OpenCL forced, where there is none" : "C", aligned, inliers, reason);
      g_free (reason);
    }
  tessera_set_opencl_mode (TESSERA_OPENCL_AUTO);
  g_object_set (gegl_config (), "use-opencl", uses_opencl, NULL);
  g_free (pixels);
  g_object_unref (graph);
  g_object_unref (buffer);
}

/* What was found before is not said of an input without pixels or without end. */
void
check_emptied (const Photo *photograph)
{
  GeglBuffer *buffers[] = { photo_buffer (photograph, 0, 0), gegl_buffer_new (GEGL_RECTANGLE (0, 0, 0, 0), babl_format ("R'G'B' u8")) };
  const gchar *const words[] = { "", "empty", "no end" };
  GeglNode    *graph = gegl_node_new (), *align = gegl_node_new_child (graph, "operation", "tessera:align", NULL);
  GeglNode    *source = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", buffers[0], NULL);
  gfloat       pixel[4];

  gegl_node_link (source, align);
  gegl_node_connect_to (gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", buffers[0], NULL), "output", align, "aux");
  for (gint i = 0; i < 3; i++)
    {
      gboolean aligned;
      gchar   *reason;

      if (i == 2)
        gegl_node_connect_to (gegl_node_new_child (graph, "operation", "gegl:color", NULL), "output", align, "aux");
      gegl_node_set (source, "buffer", buffers[i % 2], NULL);
      gegl_node_blit (align, 1.0, GEGL_RECTANGLE (9, 9, 1, 1), babl_format ("RGBA float"), pixel, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
      gegl_node_get (align, "aligned", &aligned, "reason", &reason, NULL);
      expect (aligned == (i == 0) && strstr (reason, words[i]), "emptied %d: aligned %d, \"%s\"", i, aligned, reason);
      g_free (reason);
    }
  g_object_unref (graph);
  g_object_unref (buffers[0]);
  g_object_unref (buffers[1]);
}
