/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Large memory, and memory that goes with its variable.
 */
#include "system.h"
#include "tessera.h"

#define HEADER 64               /* before the memory: how it was mapped */

gpointer
tessera_large_new (gsize bytes)
{
  TesseraPages pages;

  /* Less than a large page would have a whole one cleared: a night of small frames spends a sixth of its time so (2 cores, 2026-11-30). */
  if (bytes + HEADER < LARGE_PAGE || ! tessera_pages_map (&pages, (bytes + HEADER + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE))
    pages = (TesseraPages) { .memory = g_malloc (bytes + HEADER) };
  *(TesseraPages *) pages.memory = pages;
  return pages.memory + HEADER;
}

void
tessera_large_free (gpointer memory)
{
  TesseraPages pages;

  if (! memory)
    return;
  pages = *(const TesseraPages *) ((guchar *) memory - HEADER);
  if (pages.mapping)
    tessera_pages_unmap (&pages);
  else
    g_free (pages.memory);
}

void
tessera_autoscratch_free (gpointer pointer)
{
  if (*(gpointer *) pointer)
    gegl_scratch_free (*(gpointer *) pointer);
}
