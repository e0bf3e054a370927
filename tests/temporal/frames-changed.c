/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Frames that are kept in memory: a file that is written again at once, of one size, in place or by a file that takes its place with the old times, is
 * another one.  The clock of a file system may not have moved on meanwhile. */
#include <glib/gstdio.h>
#include <stdio.h>
#include <utime.h>

#include "../engine/verdict.h"
#include "files-test.h"
#include "files.h"
#include "frames.h"

#define SIZE  4
#define TIMES 40

/* The first count of the one frame that is there; -1: there is none. */
static gdouble
first_count (const gchar *path)
{
  FrameList    list;
  FramePixels *pixels = NULL;
  gdouble      count = -1.0;

  if (! frames_list (path, &list, NULL))
    return -1.0;
  if ((pixels = frame_cache_get (frame_cache_shared (), &list.frames[0], SIZE, SIZE, NULL)))
    {
      count = pixels->plane.pixels[0];
      frame_pixels_unref (pixels);
    }
  frame_list_clear (&list);
  return count;
}

/* As quick as can be, with an old time. */
static void
write_again (const gchar *path, const gchar *bytes, gsize length, gboolean replaces)
{
  g_autofree gchar *beside = g_strconcat (path, ".new", NULL);
  FILE             *file = g_fopen (replaces ? beside : path, replaces ? "wb" : "r+b");

  fwrite (bytes, 1, length, file);
  fclose (file);
  g_utime (replaces ? beside : path, &(struct utimbuf) { 1000000000, 1000000000 });
  if (replaces)
    g_rename (beside, path);
}

/* What the files of two numbers have in common is made before. */
static gint
count_old_frames (const gchar *folder, gboolean replaces)
{
  g_autofree gchar *path = g_build_filename (folder, "frame.fits", NULL);
  gchar *bytes[2];
  gsize  length;
  gint   wrong = 0;

  for (gint i = 0; i < 2; i++)
    {
      const gdouble values[SIZE * SIZE] = { i + 1 };

      files_fits_of (path, 16, SIZE, SIZE, 1, values, NULL);
      g_file_get_contents (path, &bytes[i], &length, NULL);
    }
  for (gint i = 0; i < TIMES; i++)
    {
      write_again (path, bytes[i % 2], length, replaces);
      wrong += first_count (path) != i % 2 + 1;
    }
  g_free (bytes[0]);
  g_free (bytes[1]);
  return wrong;
}

int
frames_changed_test (int argc, char **argv)
{
  g_autofree gchar *folder = NULL;

  gegl_init (&argc, &argv);
  folder = files_folder ();
  for (gint replaces = 0; replaces < 2; replaces++)
    {
      const gint wrong = count_old_frames (folder, replaces);

      expect (wrong == 0, "a file that is %s: %d of %d times its old frame", replaces ? "replaced" : "written again", wrong, TIMES);
    }
  files_remove (folder);
  gegl_exit ();
  return expect_told ();
}
