/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What a compiler has made, kept in files of the user's cache folder, a program each.  A file has a head of three lines:
 * what it is, its key, and the checksum of the rest.  Whatever is not as it was written counts as not there.
 *
 * The folder is ours alone, or it is not used: what somebody else puts there would run in our process.  At most
 * MOST_FILES and MOST_BYTES are kept; those go first that have not been used for longest.
 */
#include "binaries.h"

#include <glib/gstdio.h>
#include <string.h>

#include "system.h"
#include "settings.h"

#define FOLDER     "tessera"
#define ENDING     ".kernels"
#define TITLE      "tessera kernels 1\n"
#define HEAD_BYTES (sizeof TITLE - 1 + 2 * 65)          /* two checksums, in 64 characters each, and their lines' ends */
#define MOST_FILES 64
#define MOST_BYTES ((guint64) 64 << 20)

/* ------------------------------------------------------------------ names -- */

gchar *
tessera_binary_key (const TesseraDevice *device, const gchar *source, const gchar *options)
{
  g_autofree gchar *what = NULL;

  if (! tessera_keeps_kernels (device->is_processor))
    return NULL;
  what = g_strdup_printf ("%s\n%s\n%s\n%zu\n%s", device->name, device->driver, options, sizeof (gpointer), source);
  return g_compute_checksum_for_string (G_CHECKSUM_SHA256, what, -1);
}

static gchar *
folder_path (void)
{
  return g_build_filename (g_get_user_cache_dir (), FOLDER, NULL);
}

static gchar *
path_of (const gchar *folder, const gchar *key)
{
  g_autofree gchar *name = g_strconcat (key, ENDING, NULL);

  return g_build_filename (folder, name, NULL);
}

static gchar *
head_of (const gchar *key, gconstpointer data, gsize bytes)
{
  g_autofree gchar *sum = g_compute_checksum_for_data (G_CHECKSUM_SHA256, data, bytes);

  return g_strconcat (TITLE, key, "\n", sum, "\n", NULL);
}

/* ---------------------------------------------------------------- reading -- */

static GBytes *
checked (const gchar *key, gchar *text, gsize bytes)
{
  g_autoptr (GBytes) all = g_bytes_new_take (text, bytes);
  const gsize        rest = bytes > HEAD_BYTES ? bytes - HEAD_BYTES : 0;
  g_autofree gchar  *head = rest ? head_of (key, text + HEAD_BYTES, rest) : NULL;

  return head && memcmp (head, text, HEAD_BYTES) == 0 ? g_bytes_new_from_bytes (all, HEAD_BYTES, rest) : NULL;
}

gboolean
tessera_binary_is_kept (const gchar *key)
{
  g_autofree gchar *folder = folder_path (), *path = path_of (folder, key);

  return tessera_is_private (folder, TRUE) && tessera_is_private (path, FALSE);
}

GBytes *
tessera_binary_read (const gchar *key)
{
  g_autofree gchar *folder = folder_path (), *path = path_of (folder, key);
  gchar *text;
  gsize  bytes;

  if (! tessera_binary_is_kept (key) || ! g_file_get_contents (path, &text, &bytes, NULL))
    return NULL;
  tessera_touch (path);
  return checked (key, text, bytes);
}

/* ---------------------------------------------------------------- writing -- */

typedef struct
{
  gchar   *path;
  guint64  bytes;
  gint64   used;
} Kept;

static void
kept_free (gpointer kept)
{
  g_free (((Kept *) kept)->path);
  g_free (kept);
}

static gint
last_used_first (gconstpointer a, gconstpointer b)
{
  const Kept *first = *(Kept *const *) a, *second = *(Kept *const *) b;

  return (first->used < second->used) - (first->used > second->used);
}

/* Also what is left of a file whose writer was ended. */
static GPtrArray *
list (const gchar *folder)
{
  GPtrArray   *all = g_ptr_array_new_with_free_func (kept_free);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const gchar *name;
  GStatBuf     about;

  while (dir && (name = g_dir_read_name (dir)))
    {
      g_autofree gchar *path = g_build_filename (folder, name, NULL);

      if (strstr (name, ENDING) && g_lstat (path, &about) == 0)
        {
          Kept *kept = g_new (Kept, 1);

          *kept = (Kept) { g_steal_pointer (&path), about.st_size, about.st_mtime };
          g_ptr_array_add (all, kept);
        }
    }
  g_ptr_array_sort (all, last_used_first);
  return all;
}

static void
drop_old (const gchar *folder)
{
  g_autoptr (GPtrArray) all = list (folder);
  guint64 bytes = 0;

  for (guint i = 0; i < all->len; i++)
    {
      const Kept *kept = g_ptr_array_index (all, i);

      bytes += kept->bytes;
      if (i >= MOST_FILES || bytes > MOST_BYTES)
        g_unlink (kept->path);
    }
}

void
tessera_binary_write (const gchar *key, gconstpointer data, gsize bytes)
{
  g_autofree gchar      *folder = folder_path (), *path = path_of (folder, key);
  g_autofree gchar      *head = head_of (key, data, bytes);
  g_autoptr (GByteArray) text = g_byte_array_new ();

  if (bytes > MOST_BYTES || g_mkdir_with_parents (folder, 0700) != 0 || ! tessera_is_private (folder, TRUE))
    return;
  g_byte_array_append (text, (const guint8 *) head, HEAD_BYTES);
  g_byte_array_append (text, data, bytes);
  if (g_file_set_contents_full (path, (const gchar *) text->data, text->len, G_FILE_SET_CONTENTS_CONSISTENT, 0600, NULL))
    drop_old (folder);
}

void
tessera_binary_drop (const gchar *key)
{
  g_autofree gchar *folder = folder_path (), *path = path_of (folder, key);

  if (tessera_is_private (folder, TRUE))
    g_unlink (path);
}
