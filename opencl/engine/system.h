/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What Tessera asks of the operating system beyond C and GLib: large pages, whether the process is a child of another, whose a
 * file is, locks, the console, libraries.  system.c is the only file that knows a system.
 *
 * A folder or file that is not there, or cannot be had, is FALSE or NULL; errno says why.
 */
#ifndef TESSERA_SYSTEM_H
#define TESSERA_SYSTEM_H

#include <glib/gstdio.h>
#include <stdio.h>

#include "tessera.h"

/* ---------------------------------------------------------------- memory -- */

#define LARGE_PAGE ((gsize) 2 << 20)

/* `bytes`, a multiple of LARGE_PAGE, at the start of a large page.  `mapping` has all that was mapped around them. */
typedef struct
{
  guchar  *memory;
  gsize    bytes;
  gpointer mapping;
} TesseraPages;

/* FALSE: there is no such memory.  Its pages have not been touched yet. */
gboolean tessera_pages_map     (TesseraPages *pages, gsize bytes);
void     tessera_pages_unmap   (TesseraPages *pages);
/* Makes the pages of part `part` of `n_parts`.  Several threads may do so at the same time. */
void     tessera_pages_touch   (const TesseraPages *pages, gint part, gint n_parts);
/* Gives the pages that lie entirely in these bytes back to the system. */
void     tessera_pages_discard (TesseraPages *pages, gsize start, gsize end);
/* Makes them ordinary pages.  Large pages would bring discarded memory back in a minute or two. */
void     tessera_pages_be_small (TesseraPages *pages);

/* Bytes that the host has in all. */
TESSERA_API gsize tessera_host_memory (void);
/* malloc keeps what is freed for the next, in every thread. */
TESSERA_API void  tessera_keep_freed  (void);

/* --------------------------------------------------------------- process -- */

/* Is this process a child of the one that asked first?  A driver's threads exist only in that one. */
gboolean tessera_has_forked    (void);
/* The file of the program, library or module that has `code` in it. */
TESSERA_API gchar *tessera_file_of (gconstpointer code);
/* Names of OpenCL's loader, the best first; NULL ends them. */
TESSERA_API const gchar *const *tessera_opencl_names (void);
/* In which /proc counts processor time, a second. */
TESSERA_API gint tessera_ticks (void);
/* The translations lie there, in UTF-8. */
void     tessera_bind_texts    (const gchar *domain, const gchar *folder);

/* For the first line of a command.  The arguments, to be freed with g_strfreev: UTF-8 where names of files are.  What it writes are bytes, and a
 * full disk ends no process. */
TESSERA_API gchar  **tessera_command_begins (gchar **argv);
/* Is it a terminal that understands escapes? */
TESSERA_API gboolean tessera_is_terminal    (FILE *stream);
/* `end` is called with the signal's number when somebody wants the command to end.  What the caller ignores stays ignored. */
TESSERA_API void     tessera_when_ended     (void (*end) (gint number));
/* `leave` is called when this thread calls exit, before what others have registered, as a driver that another thread still uses. */
TESSERA_API void     tessera_when_leaving   (void (*leave) (void));

/* ----------------------------------------------------------------- files -- */

/* What tells that a file is another one than before.  Times in nanoseconds, the second of any change of the file or what is known of it. */
typedef struct
{
  gint64  size, time, changed;
  guint64 number;               /* of the file in its file system */
} TesseraFileState;

/* FALSE: there is no such file, or it is a folder or a pipe. */
TESSERA_API gboolean tessera_file_state (const gchar *path, TesseraFileState *state);

/* Is it a folder, or a file, that this user alone can write?  A link is neither. */
gboolean tessera_is_private    (const gchar *path, gboolean is_folder);
/* The file has been used now. */
void     tessera_touch         (const gchar *path);
/* A link of another user, who may not be trusted with where it leads. */
TESSERA_API gboolean tessera_is_foreign_link (const gchar *path);

/* To be written; others may rename and remove them meanwhile.  New, with a name in place of XXXXXX; with the permissions of a file there, or NULL. */
TESSERA_API FILE *tessera_file_new   (gchar *pattern, const gchar *like);
/* What is there, as a pipe. */
TESSERA_API FILE *tessera_file_there (const gchar *path);
/* Made anew, or what is there; nothing that a link leads to: EAGAIN says that it may be worth another try. */
TESSERA_API FILE *tessera_file_part  (const gchar *path, gboolean *is_new);
/* Waits until no other process has it locked; the lock goes when the file is closed. */
TESSERA_API void     tessera_file_lock     (FILE *file);
/* Nothing is in it any more. */
TESSERA_API gboolean tessera_file_empty    (FILE *file);
/* Is the open file what has that name? */
TESSERA_API gboolean tessera_file_has_name (FILE *file, const gchar *name);
/* A file that has another name too, or is somebody else's, is not. */
TESSERA_API gboolean tessera_file_is_ours  (FILE *file);
/* All that was written has arrived on the disk. */
TESSERA_API gboolean tessera_file_flush    (FILE *file);
/* It takes the place of what is there; both in one folder. */
TESSERA_API gboolean tessera_file_move     (const gchar *from, const gchar *to);

#endif
