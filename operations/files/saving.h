/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A file that is written whole or not at all.
 *
 * What is written lies beside the file until it is complete, and then takes its place, with its permissions.  A link that a user has named stays: the
 * file that it leads to is the one that is written.  Where we choose the name, a link is replaced: somebody else may have put it there.  For that reason
 * a link of another user is never followed.  A device or a pipe is written as it is.
 */
#ifndef SAVING_H
#define SAVING_H

#include <glib.h>
#include <stdio.h>

typedef struct
{
  gchar    *target;             /* what the path leads to */
  gchar    *beside;             /* what is written, from before it is made until it is no more; NULL: the target itself */
  gboolean  replaces;           /* a file that must not be lost if the machine stops now */
  FILE     *stream;
} Saving;

/* FALSE, and an error: nothing has been made, and nothing has to be ended.  `ending` is that of the file beside. */
gboolean saving_begin (Saving *saving, const gchar *path, const gchar *ending, GError **error);

/* The same for a file whose name we have chosen: a link there is replaced. */
gboolean saving_begin_ours (Saving *saving, const gchar *path, const gchar *ending, GError **error);

/* In its place, if all that was written has arrived; else nothing is left of it.  Not good: it has failed already, whoever has set
 * the error. */
gboolean saving_end   (Saving *saving, gboolean good, GError **error);

/* A folder, with those above it, if it is not there.  FALSE, and an error: it cannot be, or is a link of another user. */
gboolean saving_folder (const gchar *path, GError **error);

/* For files that many runs may write, each whole: the file beside has a name (PATH.part) that the next try takes again.  Another process that
 * writes it is waited for.  A link there, or a file that is not ours alone, is taken away, not written.  NULL: errno says why. */
FILE    *saving_open_part  (const gchar *path);
/* In its place, if all that was written has arrived on the disk; else nothing is left of it, and an error.  `part` may be NULL. */
gboolean saving_close_part (FILE *part, const gchar *path, gboolean good, GError **error);

#endif
