/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Presets: settings under a name, in tessera-presets.ini of GIMP's profile.  A group for each operation, a line for each
 * preset, with the text that settings.c reads and writes.
 */
#include "plug-in.h"

static gchar *
presets_path (void)
{
  return g_build_filename (gimp_directory (), "tessera-presets.ini", NULL);
}

static GKeyFile *
presets_load (void)
{
  GKeyFile *file = g_key_file_new ();
  g_autofree gchar *path = presets_path ();

  g_key_file_load_from_file (file, path, G_KEY_FILE_KEEP_COMMENTS, NULL);       /* there may be none yet */
  return file;
}

static void
presets_write (GKeyFile *file)
{
  g_autofree gchar *path = presets_path ();
  g_autoptr (GError) error = NULL;

  if (! g_key_file_save_to_file (file, path, &error))
    g_message ("%s", error->message);
}

/* A key cannot have = and brackets. */
static gchar *
key_of (const gchar *name)
{
  return g_uri_escape_string (name, " ", TRUE);
}

gchar **
presets_names (const gchar *operation)
{
  g_autoptr (GKeyFile) file = presets_load ();
  gchar   **names = g_key_file_get_keys (file, operation, NULL, NULL);

  if (! names)
    names = g_new0 (gchar *, 1);
  for (gint i = 0; names[i]; i++)
    {
      gchar *name = g_uri_unescape_string (names[i], NULL);

      if (name)
        {
          g_free (names[i]);
          names[i] = name;
        }
    }
  return names;
}

gchar *
presets_get (const gchar *operation, const gchar *name)
{
  g_autoptr (GKeyFile) file = presets_load ();
  g_autofree gchar *key = key_of (name);

  return g_key_file_get_string (file, operation, key, NULL);
}

void
presets_set (const gchar *operation, const gchar *name, const gchar *settings)
{
  g_autoptr (GKeyFile) file = presets_load ();
  g_autofree gchar *key = key_of (name);

  g_key_file_set_string (file, operation, key, settings);
  presets_write (file);
}

void
presets_delete (const gchar *operation, const gchar *name)
{
  g_autoptr (GKeyFile) file = presets_load ();
  g_autofree gchar *key = key_of (name);

  if (g_key_file_remove_key (file, operation, key, NULL))
    presets_write (file);
}
