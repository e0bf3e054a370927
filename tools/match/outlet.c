/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What tessera-match writes, piece by piece: see match.h. */
#include "match.h"

#include <errno.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>

#include "system.h"

#define MOST 4                  /* files at a time */

static const Saving *volatile written[MOST];            /* from before the file beside is made until it is no more; NULL: none */

static void
end_by_signal (gint number)
{
  for (gint i = 0; i < MOST; i++)
    if (written[i] && written[i]->beside)
      g_unlink (written[i]->beside);
  signal (number, SIG_DFL);
  raise (number);
}

/* In place of `old`. */
static void
remember (const Saving *old, const Saving *saving)
{
  for (gint i = 0; i < MOST; i++)
    if (written[i] == old)
      {
        written[i] = saving;
        return;
      }
}

gboolean
outlet_open (Outlet *outlet, GError **error)
{
  const gboolean is_output = outlet->path && strcmp (outlet->path, "-") == 0;

  outlet->stream = is_output ? stdout : NULL;
  if (! outlet->path || is_output)
    return TRUE;
  tessera_when_ended (end_by_signal);           /* many pictures take minutes: whoever does not wait for them leaves no file */
  remember (NULL, &outlet->saving);
  if (! saving_begin (&outlet->saving, outlet->path, "", error))
    {
      remember (&outlet->saving, NULL);
      return FALSE;
    }
  outlet->stream = outlet->saving.stream;
  return TRUE;
}

void
outlet_put (Outlet *outlet, GString *text)
{
  if (outlet->stream && ! outlet->wrong && fwrite (text->str, 1, text->len, outlet->stream) != text->len)
    outlet->wrong = errno ? errno : EIO;
  g_string_truncate (text, 0);
}

gboolean
outlet_close (Outlet *outlet, gboolean good, GError **error)
{
  FILE *stream = outlet->stream;

  outlet->stream = NULL;
  if (! stream)
    return good;
  errno = outlet->wrong;                /* the words of the error */
  if (stream != stdout)
    {
      const gboolean ended = saving_end (&outlet->saving, good, good ? error : NULL);

      remember (&outlet->saving, NULL);
      return ended && good;
    }
  if (good && (fflush (stdout) != 0 || ferror (stdout)))
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "the standard output cannot be written");
      return FALSE;
    }
  return good;
}
