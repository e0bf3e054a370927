/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Where this copy of Tessera lies, and what came with it.  A bundle is copied into a folder, whichever: what belongs to it lies in the
 * folder `tessera` beside it.  Its commands lie elsewhere, and look where a user's modules are. */
#define _GNU_SOURCE             /* dladdr */
#include "beside.h"

#include <dlfcn.h>

#include "tessera.h"

gchar *
tessera_file_of (gconstpointer code)
{
  Dl_info info;

  return g_strdup (dladdr (code, &info) && info.dli_fname ? info.dli_fname : "tessera");
}

/* `path`, which is freed, if there is such a file. */
static gchar *
if_there (gchar *path)
{
  if (g_file_test (path, G_FILE_TEST_EXISTS))
    return path;
  g_free (path);
  return NULL;
}

gchar *
tessera_find_part (gconstpointer code, const gchar *name, const gchar *installed)
{
  g_autofree gchar *file = tessera_file_of (code);
  g_autofree gchar *folder = g_path_get_dirname (file);
  gchar            *found = if_there (g_build_filename (folder, "tessera", name, NULL));

  if (! found)
    found = if_there (g_strdup (installed));
  if (! found)
    found = if_there (g_build_filename (g_get_user_data_dir (), "gegl-0.4", "plug-ins", "tessera", name, NULL));
  return found ? found : g_strdup (installed);
}
