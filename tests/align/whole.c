/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * For run-whole.py, a line of each file.  whole FILE...: what loads_judge says of it, `whole` or what
 * is wrong; and the orientation.  whole --pixels FILE...: the size and a checksum of what loads_picture reads.
 * whole --alike FILE...: is what we decode what GEGL's loader makes of the file, bit by bit? */
#include <gegl.h>
#include <stdio.h>

#include "loads.h"
#include "loads-judge.h"

static void
say_pixels (const gchar *path)
{
  g_autoptr (GeglBuffer) buffer = loads_picture (path);
  g_autofree guint8 *pixels = NULL;
  g_autofree gchar  *sum = NULL;
  gsize              n;

  if (! buffer)
    {
      printf ("%s\n", loads_reason ());
      return;
    }
  n = 3 * (gsize) gegl_buffer_get_width (buffer) * (gsize) gegl_buffer_get_height (buffer);
  pixels = g_malloc (n);
  gegl_buffer_get (buffer, NULL, 1.0, babl_format ("R'G'B' u8"), pixels, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
  sum = g_compute_checksum_for_data (G_CHECKSUM_SHA256, pixels, n);
  printf ("%d x %d %s\n", gegl_buffer_get_width (buffer), gegl_buffer_get_height (buffer), sum);
}

static GeglBuffer *
by_gegl (const gchar *path)
{
  g_autoptr (GeglNode) graph = gegl_node_new ();
  GeglNode   *load = gegl_node_new_child (graph, "operation", "gegl:load", "path", path, NULL);
  GeglBuffer *buffer = NULL;
  GeglNode   *sink = gegl_node_new_child (graph, "operation", "gegl:buffer-sink", "buffer", &buffer, NULL);

  gegl_node_link (load, sink);
  gegl_node_process (sink);
  return buffer;
}

static GBytes *
bytes_of (GeglBuffer *buffer)
{
  const Babl   *format = gegl_buffer_get_format (buffer);
  const gsize   n = (gsize) gegl_buffer_get_width (buffer) * (gsize) gegl_buffer_get_height (buffer);
  const gsize   bytes = n * (gsize) babl_format_get_bytes_per_pixel (format);
  guint8       *pixels = g_malloc (bytes);

  gegl_buffer_get (buffer, NULL, 1.0, format, pixels, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
  return g_bytes_new_take (pixels, bytes);
}

static void
say_alike (const gchar *path)
{
  Judged                 judged = loads_judge (path);
  g_autoptr (GeglBuffer) ours = judged.picture, theirs = by_gegl (path);

  if (! ours || ! theirs)
    printf ("%s\n", judged.wrong ? judged.wrong : "not decoded");
  else if (gegl_buffer_get_format (ours) != gegl_buffer_get_format (theirs))
    printf ("%s, not %s\n", babl_get_name (gegl_buffer_get_format (ours)),
            babl_get_name (gegl_buffer_get_format (theirs)));
  else
    {
      g_autoptr (GBytes) pixels = bytes_of (ours), others = bytes_of (theirs);

      printf (g_bytes_equal (pixels, others) ? "alike\n" : "other pixels\n");
    }
  g_free (judged.wrong);
}

static void
say_verdict (const gchar *path)
{
  Judged judged = loads_judge (path);

  printf ("%s; %d\n", judged.wrong ? judged.wrong : "whole", judged.orientation);
  g_clear_object (&judged.picture);
  g_free (judged.wrong);
}

gint
main (gint argc, gchar **argv)
{
  const gboolean of_pixels = argc > 1 && g_str_equal (argv[1], "--pixels");
  const gboolean is_alike = argc > 1 && g_str_equal (argv[1], "--alike");

  gegl_init (NULL, NULL);
  for (gint i = of_pixels || is_alike ? 2 : 1; i < argc; i++)
    (of_pixels ? say_pixels : is_alike ? say_alike : say_verdict) (argv[i]);
  return 0;
}
