/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * For run-whole.py, a line of each file.  whole FILE...: what loads_judge says of it, `whole` or what
 * is wrong; and the orientation.  whole --pixels FILE...: the size and a checksum of what loads_picture reads. */
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

gint
main (gint argc, gchar **argv)
{
  const gboolean of_pixels = argc > 1 && g_str_equal (argv[1], "--pixels");

  gegl_init (NULL, NULL);
  for (gint i = of_pixels ? 2 : 1; i < argc; i++)
    if (of_pixels)
      say_pixels (argv[i]);
    else
      {
        Judged judged = loads_judge (argv[i]);

        printf ("%s; %d\n", judged.wrong ? judged.wrong : "whole", judged.orientation);
        g_clear_object (&judged.picture);
        g_free (judged.wrong);
      }
  return 0;
}
