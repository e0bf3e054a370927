/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Messages on stderr.
 */
#ifndef TESSERA_MESSAGES_H
#define TESSERA_MESSAGES_H

#include <glib.h>

/* One line, "tessera: ...", every time. */
void     tessera_log        (const gchar *format, ...) G_GNUC_PRINTF (1, 2);
/* tessera.h's, for files without GEGL's headers. */
void     tessera_say_once   (const gchar *format, ...) G_GNUC_PRINTF (1, 2);
/* TRUE the first time that it is asked about `key`. */
gboolean tessera_first_time (const gchar *key);
/* Forgets what has been said, so it may be said again. */
void     tessera_messages_forget (void);

#endif
