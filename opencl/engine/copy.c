/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * This copy of Tessera in a process: whether it is the first one, and where its translations are. */
#include "config.h"
#include "places.h"

#include <libintl.h>

#define TESSERA_OPERATION_ITSELF
#include "tessera-op.h"
#include "beside.h"

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

  bindtextdomain (GETTEXT_PACKAGE, folder);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
}
