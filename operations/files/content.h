/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What is in a file, for results that are remembered: they hold for the same bytes, whatever the file is called and when it was written.
 *
 * The file's state tells whether it changes while it is read.  It does not tell whether it has changed since another time: a program that writes through a
 * map of the file leaves no time.
 */
#ifndef CONTENT_H
#define CONTENT_H

#include "system.h"

#define CONTENT_LENGTH 65       /* of a hash as text, with its end */

typedef TesseraFileState FileState;

/* FALSE: there is no such file.  It waits until a later change gets another time, at most two seconds after the last one. */
gboolean file_state       (const gchar *path, FileState *state);
gboolean file_state_same  (const FileState *a, const FileState *b);
/* Four numbers with spaces between them. */
gchar   *file_state_text  (const FileState *state);
/* FALSE: the words are no such numbers. */
gboolean file_state_parse (gchar *const *words, FileState *state);

/* SHA-256 of the SHA-256 of each 64 KiB, so that all threads can help; as text.  `hash` has CONTENT_LENGTH. */
void     content_of_bytes (gconstpointer bytes, gsize n, gchar *hash);
/* FALSE: it cannot be read to its end. */
gboolean content_of_file  (const gchar *path, gchar *hash);

#endif
