/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * --version of a command, among its options. */
#ifndef VERSION_H
#define VERSION_H

#include "config.h"

#include <glib.h>
#include <stdlib.h>

static inline gboolean
version_tell (const gchar *name G_GNUC_UNUSED, const gchar *value G_GNUC_UNUSED, gpointer data G_GNUC_UNUSED, GError **error G_GNUC_UNUSED)
{
  g_print ("%s " TESSERA_VERSION "\n", g_get_prgname ());
  exit (0);
}

#define VERSION_OPTION { "version", 0, G_OPTION_FLAG_NO_ARG, G_OPTION_ARG_CALLBACK, version_tell, "Print the version", NULL }

#endif
