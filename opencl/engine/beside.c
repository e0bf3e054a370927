/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Where this copy of Tessera lies, what came with it, and whether it is the first one in the process.  A bundle is copied into a folder, whichever: what belongs to it lies in the
 * folder `tessera` beside it.  Its commands lie elsewhere, and look where a user's modules are. */
#include "config.h"
#include "places.h"

#define TESSERA_OPERATION_ITSELF
#include "tessera-op.h"
#include "beside.h"
#include "system.h"

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

static GQuark
copy_quark (void)
{
  return g_quark_from_static_string ("tessera-copy");
}

void
tessera_mark_copy (gsize type)
{
  g_type_set_qdata (type, copy_quark (), tessera_file_of (copy_quark));         /* for good */
}

gboolean
tessera_is_first_copy (void)
{
  const GType       known = g_type_from_name ("TesseraOperation");
  const gchar      *first = g_type_get_qdata (known ? known : tessera_operation_get_type (), copy_quark ());
  g_autofree gchar *here = tessera_file_of (copy_quark);

  if (g_strcmp0 (first, here) == 0)
    return TRUE;
  tessera_say_once ("Tessera is here twice: %s is used, %s is not. Remove one of them", first, here);
  return FALSE;
}

/* GEGL translates the labels of an operation when it registers the operation's class, so the domain is bound when this file
 * is loaded, which is before that.  The locale itself is the program's to set, never ours. */
static void __attribute__ ((constructor))
bind_text_domain (void)
{
  g_autofree gchar *folder = tessera_find_part (bind_text_domain, "locale", TESSERA_LOCALE_DIR);

  tessera_bind_texts (GETTEXT_PACKAGE, folder);
}
