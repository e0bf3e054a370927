/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * frames PHOTOGRAPH FOLDER N SD TURNED: N hand-held frames of a photograph, with noise of their own, as PNG.  TURNED 0: they are
 * only shifted, by whole pixels.  TURNED 1: they are turned, and half as large as the photograph, which is sharper than they are. */
#include "align.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* At a part of the photograph's size. */
static Photo
moved_frame (const Photo *photo, const gdouble matrix[9], gint part)
{
  const gdouble m[9] = { matrix[0] * part, matrix[1] * part, matrix[2] * part, matrix[3] * part, matrix[4] * part, matrix[5] * part, 0, 0, 1 };
  Photo         whole = photo_moved (photo, m), frame = { photo->width / part, photo->height / part, NULL };

  frame.values = g_new (gfloat, 3 * frame.width * frame.height);
  for (gint y = 0; y < frame.height; y++)
    memcpy (frame.values + 3 * y * frame.width, whole.values + 3 * y * whole.width, 3 * frame.width * sizeof (gfloat));
  photo_free (&whole);
  return frame;
}

gint
main (gint argc, gchar **argv)
{
  CheckRandom random = { 20261123 };
  Photo       photo;

  if (argc != 6)
    return 2;
  gegl_init (NULL, NULL);
  photo = photo_load (argv[1]);
  for (gint i = 0; i < atoi (argv[3]); i++)
    {
      const gboolean is_turned = i > 0 && atoi (argv[5]);
      const gdouble  angle = is_turned ? (check_uniform (&random) - 0.5) * 0.06 : 0, c = cos (angle), s = sin (angle);
      const gdouble  x = i ? 20 * check_uniform (&random) : 0, y = i ? 20 * check_uniform (&random) - 20 : 0;
      const gdouble  matrix[9] = { c, -s, is_turned ? x : floor (x), s, c, is_turned ? y : floor (y), 0, 0, 1 };
      Photo         moved = moved_frame (&photo, matrix, atoi (argv[5]) ? 2 : 1);
      gchar        *path = g_strdup_printf ("%s/frame-%d.png", argv[2], i);
      GeglNode     *graph = gegl_node_new (), *source, *save;
      GeglBuffer   *buffer;

      photo_spoil (&moved, 1.0, g_ascii_strtod (argv[4], NULL), &random);
      buffer = photo_buffer (&moved, 0, 0);
      source = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", buffer, NULL);
      save = gegl_node_new_child (graph, "operation", "gegl:png-save", "path", path, "bitdepth", 8, NULL);
      gegl_node_link (source, save);
      gegl_node_process (save);
      g_object_unref (graph);
      g_object_unref (buffer);
      photo_free (&moved);
      g_free (path);
    }
  photo_free (&photo);
  gegl_exit ();
  return 0;
}
