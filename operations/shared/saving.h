/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A file that is written whole or not at all.
 *
 * What is written lies beside the file until it is complete, and then takes its place, with its permissions.  A link stays: the file
 * that it leads to is the one that is written.  A device or a pipe is written as it is.
 */
#ifndef SAVING_H
#define SAVING_H

#include <glib.h>
#include <stdio.h>

typedef struct
{
  gchar    *target;             /* what the path leads to */
  gchar    *beside;             /* what is written; NULL: the target itself */
  gboolean  replaces;           /* a file that must not be lost if the machine stops now */
  FILE     *stream;
} Saving;

/* FALSE, and an error: nothing has been made, and nothing has to be ended.  `ending` is that of the file beside. */
gboolean saving_begin (Saving *saving, const gchar *path, const gchar *ending, GError **error);

/* In its place, if all that was written has arrived; else nothing is left of it.  Not good: it has failed already, whoever has set
 * the error. */
gboolean saving_end   (Saving *saving, gboolean good, GError **error);

/* For files that many runs may write, each whole: the file beside has a name (PATH.part) that the next try takes again.  Another process that
 * writes it is waited for.  NULL: errno says why. */
FILE    *saving_open_part  (const gchar *path);
/* In its place, if all that was written has arrived on the disk; else nothing is left of it, and an error.  `part` may be NULL. */
gboolean saving_close_part (FILE *part, const gchar *path, gboolean good, GError **error);

#endif
