/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Frames before a picture, for tests of tessera:background-whiten: PNGs of noise, in a folder that goes when the process ends. */
#ifndef HISTORY_H
#define HISTORY_H

#include <gegl.h>
#include <glib/gstdio.h>

static inline void
history_write_frame (const gchar *path, gint width, gint height, guint32 seed)
{
  g_autoptr (GeglBuffer) buffer = gegl_buffer_new (GEGL_RECTANGLE (0, 0, width, height), babl_format ("Y' u16"));
  g_autoptr (GeglNode)   graph = gegl_node_new ();
  g_autoptr (GRand)      dice = g_rand_new_with_seed (seed);
  g_autofree guint16    *pixels = g_new (guint16, (gsize) width * height);
  GeglNode              *source, *sink;

  for (gint i = 0; i < width * height; i++)
    pixels[i] = (guint16) g_rand_int_range (dice, 16000, 17000);
  gegl_buffer_set (buffer, NULL, 0, NULL, pixels, GEGL_AUTO_ROWSTRIDE);
  source = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", buffer, NULL);
  sink = gegl_node_new_child (graph, "operation", "gegl:png-save", "path", path, "bitdepth", 16, NULL);
  gegl_node_link (source, sink);
  gegl_node_process (sink);
}

static GPtrArray *history_paths;        /* the folders' too, behind their files */

static inline void
history_remove (void)
{
  for (guint i = 0; i < history_paths->len; i++)
    g_remove (g_ptr_array_index (history_paths, i));
}

/* Of a folder with n such frames, once for each size and number. */
static inline const gchar *
history_folder (gint width, gint height, gint n)
{
  static GHashTable *known;

  g_autofree gchar *name = g_strdup_printf ("%dx%dx%d", width, height, n);
  gchar            *folder;

  if (! known)
    {
      known = g_hash_table_new (g_str_hash, g_str_equal);
      history_paths = g_ptr_array_new ();
      atexit (history_remove);
    }
  if ((folder = g_hash_table_lookup (known, name)))
    return folder;
  folder = g_dir_make_tmp ("tessera-history-XXXXXX", NULL);
  for (gint k = 0; k < n; k++)
    {
      gchar *path = g_strdup_printf ("%s/%02d.png", folder, k);

      history_write_frame (path, width, height, k + 1);
      g_ptr_array_add (history_paths, path);
    }
  g_ptr_array_add (history_paths, folder);
  g_hash_table_insert (known, g_steal_pointer (&name), folder);
  return folder;
}

/* Frames of this size for an operation that has such a property, as many as its history is long, with parts of pixels between them. */
static inline void
history_give (GeglNode *node, gint width, gint height)
{
  g_autoptr (GString) shifts = g_string_new (NULL);
  gint                n;

  if (! gegl_node_find_property (node, "frames") || ! gegl_node_find_property (node, "history"))
    return;
  gegl_node_get (node, "history", &n, NULL);
  for (gint k = 0; k <= n; k++)
    g_string_append_printf (shifts, "%s%d.25 -%d.5", k > 0 ? " " : "", k, k / 2);
  gegl_node_set (node, "frames", history_folder (width, height, n), "shifts", shifts->str, NULL);
}

#endif
