/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What the engine asks of the operating system: large pages, how much memory there is,
 * whether the process is a child of another.
 */
#ifndef TESSERA_PAGES_H
#define TESSERA_PAGES_H

#include <glib.h>

#define LARGE_PAGE ((gsize) 2 << 20)

/* `bytes`, a multiple of LARGE_PAGE, at the start of a large page; what lies around them is in `mapping`. */
typedef struct
{
  guchar  *memory;
  gsize    bytes;
  gpointer mapping;
} TesseraPages;

/* FALSE: there are none, or not on this system.  Nobody has touched them yet. */
gboolean tessera_pages_map     (TesseraPages *pages, gsize bytes);
void     tessera_pages_unmap   (TesseraPages *pages);
/* Makes the pages of part `part` of `n_parts`; for several threads at a time. */
void     tessera_pages_touch   (const TesseraPages *pages, gint part, gint n_parts);
/* The pages that lie in these bytes as a whole go back to the system. */
void     tessera_pages_discard (TesseraPages *pages, gsize start, gsize end);
/* They are large no more: else large pages would bring back in a minute or two what is discarded. */
void     tessera_pages_be_small (TesseraPages *pages);

/* Bytes that the host has in all. */
gsize    tessera_host_memory   (void);
/* Is this process a child of the one that asked first?  A driver's threads stay with that one. */
gboolean tessera_has_forked    (void);

#endif
