/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * frames PHOTOGRAPH FOLDER N SD TURNED SOFT: N hand-held frames of a photograph, with noise of their own, as PNG.  TURNED 0: they are
 * only shifted, by whole pixels.  TURNED 1: they are turned, and half as large as the photograph, which is sharper than they are.
 * SOFT: before all that, by a Gaussian of so many pixels. */
#include "align.h"

#include <math.h>
#include <stdlib.h>

/* At a part of the photograph's size. */
static Photo
moved_frame (const Photo *photo, const gdouble matrix[9], gint part)
{
  const gdouble m[9] = { matrix[0] * part, matrix[1] * part, matrix[2] * part, matrix[3] * part, matrix[4] * part, matrix[5] * part, 0, 0, 1 };

  return photo_moved_to (photo, m, photo->width / part, photo->height / part);
}

gint
main (gint argc, gchar **argv)
{
  CheckRandom random = { 20261123 };
  Photo       photo, sharp;

  if (argc != 7)
    return 2;
  gegl_init (NULL, NULL);
  sharp = photo_load (argv[1]);
  photo = photo_softened (&sharp, g_ascii_strtod (argv[6], NULL));
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
  photo_free (&sharp);
  gegl_exit ();
  return 0;
}
