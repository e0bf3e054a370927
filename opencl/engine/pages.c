/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The one file of the engine that knows POSIX.
 */
#include "pages.h"

#include "tessera.h"

#ifdef G_OS_UNIX

#include <glib/gstdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

#define SMALL_PAGE 4096

gsize
tessera_host_memory (void)
{
  return MIN ((guint64) sysconf (_SC_PHYS_PAGES) * (guint64) sysconf (_SC_PAGESIZE), G_MAXSIZE);
}

gboolean
tessera_has_forked (void)
{
  static gsize first;

  if (g_once_init_enter (&first))
    g_once_init_leave (&first, (gsize) getpid ());
  return (gsize) getpid () != first;
}

/* A process that has only loaded GEGL may fork, too: GEGL's and the driver's threads are there from then on. */
static void __attribute__ ((constructor))
note_process (void)
{
  tessera_has_forked ();
}

gboolean
tessera_is_private (const gchar *path, gboolean is_folder)
{
  GStatBuf about;

  return g_lstat (path, &about) == 0 && (is_folder ? S_ISDIR (about.st_mode) : S_ISREG (about.st_mode))
         && about.st_uid == geteuid () && (about.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

void
tessera_touch (const gchar *path)
{
  utime (path, NULL);
}

gboolean
tessera_pages_map (TesseraPages *pages, gsize bytes)
{
  pages->mapping = mmap (NULL, bytes + LARGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages->mapping == MAP_FAILED)
    return FALSE;
  pages->bytes = bytes;
  pages->memory = (guchar *) (((gsize) pages->mapping + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE);
#ifdef MADV_HUGEPAGE                    /* Price: 1.4 (CIELAB, 24 Mpix u8; H200, 2026-11-23) */
  madvise (pages->memory, bytes, MADV_HUGEPAGE);
#endif
  return TRUE;
}

void
tessera_pages_unmap (TesseraPages *pages)
{
  munmap (pages->mapping, pages->bytes + LARGE_PAGE);
}

void
tessera_pages_touch (const TesseraPages *pages, gint part, gint n_parts)
{
  const gsize n = pages->bytes / LARGE_PAGE;

  for (gsize page = part; page < n; page += n_parts)
    for (gsize at = 0; at < LARGE_PAGE; at += SMALL_PAGE)
      ((volatile guchar *) pages->memory)[page * LARGE_PAGE + at] = 0;
}

void
tessera_pages_discard (TesseraPages *pages, gsize start, gsize end)
{
  const gsize page = sysconf (_SC_PAGESIZE);

  start = (start + page - 1) / page * page;
  end = end / page * page;
  if (start < end)
    madvise (pages->memory + start, end - start, MADV_DONTNEED);
}

void
tessera_pages_be_small (TesseraPages *pages)
{
#ifdef MADV_NOHUGEPAGE
  madvise (pages->memory, pages->bytes, MADV_NOHUGEPAGE);
#endif
}

#else

gsize    tessera_host_memory (void) { return G_MAXSIZE; }
gboolean tessera_has_forked  (void) { return FALSE; }
void     tessera_touch       (const gchar *path G_GNUC_UNUSED) {}

gboolean
tessera_is_private (const gchar *path, gboolean is_folder)
{
  return g_file_test (path, is_folder ? G_FILE_TEST_IS_DIR : G_FILE_TEST_IS_REGULAR);
}

gboolean tessera_pages_map   (TesseraPages *pages G_GNUC_UNUSED, gsize bytes G_GNUC_UNUSED) { return FALSE; }
void     tessera_pages_unmap (TesseraPages *pages G_GNUC_UNUSED) {}
void     tessera_pages_touch (const TesseraPages *pages G_GNUC_UNUSED, gint part G_GNUC_UNUSED, gint n_parts G_GNUC_UNUSED) {}
void     tessera_pages_discard (TesseraPages *pages G_GNUC_UNUSED, gsize start G_GNUC_UNUSED, gsize end G_GNUC_UNUSED) {}
void     tessera_pages_be_small (TesseraPages *pages G_GNUC_UNUSED) {}

#endif

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
