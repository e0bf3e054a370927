/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Writing pictures: see saves.h. */
#include "saves.h"

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <math.h>
#include <operation/gegl-operation-handlers.h>
#include <stdio.h>
#include <string.h>

#include "loads.h"
#include "saving.h"

#define NEAR 0.05f              /* of values between 0 and 1 that were stored somehow */

/* Few conversions are babl's here.  It would begin with all that other programs have kept, and measure tables of 256 MiB where some are of
 * bytes: 0.25 to 1 s on one thread.  It is begun once more than GEGL ends it, for at its end it would keep those of this process alone.
 * Price: 2.8 (tessera-sequence, 12 frames of 512 x 512; by the clock; EPYC, 2 cores, 2026-11-27). */
void
saves_start_gegl (void)
{
  g_setenv ("BABL_INHIBIT_CACHE", "1", FALSE);
  babl_init ();
  gegl_init (NULL, NULL);
  loads_listen ();
}

gboolean
saves_ending (const gchar *path)
{
  const gchar *dot = strrchr (path, '.');

  return dot && ! strchr (dot, '/')
         && (g_ascii_strcasecmp (dot, ".png") == 0 || g_strcmp0 (gegl_operation_handlers_get_saver (dot), "gegl:png-save") != 0);
}

/* Does the file end with these bytes? */
static gboolean
ends_with (const gchar *path, const gchar *end, gsize n)
{
  FILE    *file = fopen (path, "rb");
  gchar    last[16];
  gboolean does = file && fseek (file, -(glong) n, SEEK_END) == 0 && fread (last, 1, n, file) == n && memcmp (last, end, n) == 0;

  if (file)
    fclose (file);
  return does;
}

static gint
different (const gfloat *a, const gfloat *b, gint n)
{
  gint count = 0;

  for (gint i = 0; i < n; i++)
    count += fabsf (CLAMP (a[i], 0.0f, 1.0f) - CLAMP (b[i], 0.0f, 1.0f)) > NEAR;
  return count;
}

/* Are these the same bytes? */
static gboolean
is_row (GeglBuffer *buffer, const GeglRectangle *row, GeglBuffer *other, const GeglRectangle *its_row)
{
  const Babl *format = gegl_buffer_get_format (buffer);
  const gsize bytes = (gsize) row->width * babl_format_get_bytes_per_pixel (format);
  g_autofree guint8 *ours = NULL;

  if (gegl_buffer_get_format (other) != format)
    return FALSE;
  ours = g_malloc (2 * bytes);
  gegl_buffer_get (buffer, row, 1.0, format, ours, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
  gegl_buffer_get (other, its_row, 1.0, format, ours + bytes, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
  return memcmp (ours, ours + bytes, bytes) == 0;
}

/* Is each row there?  Some pixels may be others: what a format cannot store. */
static gboolean
reads_back (GeglBuffer *buffer, const gchar *path)
{
  const Babl         *format = babl_format_with_space ("R'aG'aB'aA float", gegl_buffer_get_format (buffer));
  const GeglRectangle box = *gegl_buffer_get_extent (buffer);
  g_autofree gfloat  *ours = g_new (gfloat, 8 * (gsize) box.width);
  gfloat             *theirs = ours + 4 * (gsize) box.width;
  g_autoptr (GeglBuffer) read = loads_picture (path);
  const GeglRectangle size = read ? *gegl_buffer_get_extent (read) : (GeglRectangle) { 0 };
  gboolean            good = read && size.width == box.width && size.height == box.height;

  for (gint y = 0; y < box.height && good; y++)
    {
      const GeglRectangle row = { box.x, box.y + y, box.width, 1 }, its_row = { size.x, size.y + y, box.width, 1 };

      if (is_row (buffer, &row, read, &its_row))
        continue;
      gegl_buffer_get (buffer, &row, 1.0, format, ours, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
      gegl_buffer_get (read, &its_row, 1.0, format, theirs, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
      good = different (ours, theirs, 4 * box.width) <= box.width / 2;
    }
  return good;
}

/* A full disk ends a file early, and GEGL does not tell: is all of the buffer in it? */
static gboolean
is_complete (GeglBuffer *buffer, const gchar *path)
{
  g_autofree gchar *lower = g_ascii_strdown (path, -1);

  if (g_str_has_suffix (lower, ".png"))
    return ends_with (path, "IEND\xae\x42\x60\x82", 8);
  if (g_str_has_suffix (lower, ".jpg") || g_str_has_suffix (lower, ".jpeg"))
    return ends_with (path, "\xff\xd9", 2);
  return reads_back (buffer, path);
}

static const gchar *wanted;              /* what is being written is to become this */

/* libjpeg ends the process where it cannot write. */
static void
say_unwritten (const gchar *beside)
{
  g_unlink (beside);
  fprintf (stderr, "%s: %s cannot be written: the disk is full, or GEGL does not write such a picture\n", g_get_prgname (), wanted);
}

/* Ends what was begun. */
static gboolean
write_begun (Saving *saving, GeglBuffer *buffer, GeglNode *save, const gchar *path, GError **error)
{
  GeglNode *source, *graph;
  gboolean  good = saving->beside != NULL;      /* a device takes no picture */

  if (good)
    {
      graph = gegl_node_new ();
      source = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", buffer, NULL);
      gegl_node_add_child (graph, save);
      gegl_node_set (save, "path", saving->beside, NULL);
      gegl_node_link (source, save);
      wanted = path;
      loads_begin (saving->beside, say_unwritten);
      gegl_node_process (save);
      loads_end ();
      gegl_node_remove_child (graph, save);
      g_object_unref (graph);
      good = is_complete (buffer, saving->beside);
    }
  if (! good)
    {
      g_autofree gchar *name = g_filename_display_name (path);

      g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "%s cannot be written: the disk is full, or GEGL does not write such a picture", name);
    }
  return saving_end (saving, good, error);
}

gboolean
saves_picture (GeglBuffer *buffer, GeglNode *save, const gchar *path, GError **error)
{
  Saving saving;

  return saving_begin (&saving, path, strrchr (path, '.'), error) && write_begun (&saving, buffer, save, path, error);
}

gboolean
saves_picture_ours (GeglBuffer *buffer, GeglNode *save, const gchar *path, GError **error)
{
  Saving saving;

  return saving_begin_ours (&saving, path, strrchr (path, '.'), error) && write_begun (&saving, buffer, save, path, error);
}
