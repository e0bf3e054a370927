/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * fits.h and loads-judge.h for operations.  With the libraries linked to them, GEGL would load 41 more whenever it
 * starts. */
#include "readers.h"

#include <gmodule.h>

#include "frames-file.h"
#include "loads-upright.h"
#include "places.h"
#include "system.h"
#include "tessera.h"

static gchar *why;              /* nothing can be read; in words that end a sentence */

/* In the build folder it lies below the operations, else beside the bundle or where it is installed. */
static gchar *
path_of_module (void)
{
  g_autofree gchar *operation = tessera_file_of (&why), *folder = g_path_get_dirname (operation);
  gchar            *built = g_build_filename (folder, "files", READERS_MODULE, NULL);

  if (g_file_test (built, G_FILE_TEST_EXISTS))
    return built;
  g_free (built);
  return tessera_find_part (&why, READERS_MODULE, TESSERA_MODULES_DIR G_DIR_SEPARATOR_S READERS_MODULE);
}

static gpointer
open_module (gpointer data G_GNUC_UNUSED)
{
  g_autofree gchar *path = path_of_module ();
  GModule          *module = g_module_open (path, G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL);
  gpointer          table;

  if (module && g_module_symbol (module, READERS, &table))
    return table;
  why = g_strconcat ("a part of Tessera cannot be opened: ", g_module_error (), NULL);
  return NULL;
}

/* NULL, and `why`. */
static const Readers *
readers (void)
{
  static GOnce once = G_ONCE_INIT;

  return g_once (&once, open_module, NULL);
}

gboolean
fits_read_header (const gchar *path, FitsHeader *header, GError **error)
{
  g_autofree gchar *words = NULL;

  if (readers ())
    return readers ()->read_header (path, header, error);
  *header = (FitsHeader) { 0 };
  words = g_strconcat ("cannot be read: ", why, NULL);
  return frames_refuse (path, words, error);
}

gboolean
fits_read_shares (const gchar *path, gint index, gdouble full, CountPlane *plane, FitsHeader *header, GError **error)
{
  if (readers ())
    return readers ()->read_shares (path, index, full, plane, header, error);
  *plane = (CountPlane) { 0 };
  return fits_read_header (path, header, error);
}

Judged
loads_judge (const gchar *path)
{
  if (readers ())
    return readers ()->judge (path);
  return (Judged) { .wrong = g_strdup (why), .orientation = UPRIGHT, .place = -1 };
}
