/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The messages of the engine and its filters on stderr.
 */
#include "config.h"

#include "messages.h"

#include "tessera.h"

#define MOST_MESSAGES 256       /* that are remembered; some contain a user's own text */

static GMutex      lock;        /* guards what follows */
static GHashTable *messages;

void
tessera_log (const gchar *format, ...)
{
  va_list arguments;
  g_autofree gchar *text = NULL;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_printerr ("tessera: %s\n", text);
}

gboolean
tessera_first_time (const gchar *key)
{
  gboolean is_new;

  g_mutex_lock (&lock);
  if (! messages)
    messages = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  is_new = ! g_hash_table_contains (messages, key);
  if (is_new && g_hash_table_size (messages) >= MOST_MESSAGES)
    g_hash_table_remove_all (messages);         /* saying it twice is better than keeping it for good */
  if (is_new)
    g_hash_table_add (messages, g_strdup (key));
  g_mutex_unlock (&lock);
  return is_new;
}

void
tessera_messages_forget (void)
{
  g_mutex_lock (&lock);
  g_clear_pointer (&messages, g_hash_table_unref);
  g_mutex_unlock (&lock);
}

void
tessera_say_once (const gchar *format, ...)
{
  va_list arguments;
  g_autofree gchar *text = NULL;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  if (tessera_first_time (text))
    tessera_log ("%s", text);
}
