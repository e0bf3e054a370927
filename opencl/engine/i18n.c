/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The text domain.  GEGL translates the labels of an operation when it registers
 * the operation's class, so the domain is bound when libtessera is loaded, which
 * is before that.  The locale itself is the program's to set, never ours.
 */
#include "config.h"
#include "places.h"

#include <glib.h>
#include <libintl.h>

static void __attribute__ ((constructor))
bind_text_domain (void)
{
  bindtextdomain (GETTEXT_PACKAGE, TESSERA_LOCALE_DIR);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
}
