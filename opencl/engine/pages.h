/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Questions to the operating system: large pages, the amount of memory, whether the process is a
 * child of another, whose a file is, and when it was used.
 */
#ifndef TESSERA_PAGES_H
#define TESSERA_PAGES_H

#include <glib.h>

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
gsize    tessera_host_memory   (void);
/* Is this process a child of the one that asked first?  A driver's threads exist only in that one. */
gboolean tessera_has_forked    (void);
/* Is it a folder, or a file, that this user alone can write?  A link is neither. */
gboolean tessera_is_private    (const gchar *path, gboolean is_folder);
/* The file has been used now. */
void     tessera_touch         (const gchar *path);

#endif
