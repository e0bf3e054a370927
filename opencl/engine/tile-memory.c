/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Host memory for the tiles of a band, which the device knows: large pages, made by all
 * threads.  It comes back here when the last tile of the band is gone, and is used again.
 * What nobody used for half a minute is returned to the system; what is held that long (a
 * layer) is no longer known to the device, becomes ordinary memory and goes with its last tile.
 *
 * H200, 2026-11, 24 Mpix RGBA float: such a download takes 7.1 ms, as to memory that the driver
 * allocates, which takes it 150 ms, and this 20.
 */
#include "config.h"

#include "pump.h"

#include <gegl-plugin.h>
#ifdef G_OS_UNIX
#include <sys/mman.h>
#include <unistd.h>
#endif

#define MOST_BYTES ((gsize) 1 << 30)    /* known to the device, ... */
#define MOST_SHARE 16                   /* ... and of the host's memory one part in so many */
#define LARGE_PAGE ((gsize) 2 << 20)
#define SMALL_PAGE 4096

struct _TesseraTiles
{
  TesseraTiles        *next;
  const TesseraDevice *device;
  TesseraMemory       *known;           /* to the device; NULL: no longer */
  guchar              *memory;
  gsize                bytes;
  gpointer             mapping;         /* `memory` lies in it, at a large page's start */
  gpointer             notes;           /* of tiles.c */
  gsize                notes_bytes;
  guint                users;           /* the band, and each tile */
  gint64               since;           /* that it is idle or held */
  gboolean             in_flight;       /* a band has it */
};

static GMutex        lock;              /* guards what follows */
static TesseraTiles *all;               /* that the device knows */
static gsize         all_bytes;
static gboolean      refused;           /* the device does not want to know such memory */

#ifdef G_OS_UNIX

static gsize
most_bytes (void)
{
  const guint64 host = (guint64) sysconf (_SC_PHYS_PAGES) * (guint64) sysconf (_SC_PAGESIZE);

  return MIN (MOST_BYTES, host / MOST_SHARE);
}

static void
touch (gint part, gint n_parts, gpointer data)
{
  const TesseraTiles *tiles = data;
  const gsize         pages = tiles->bytes / LARGE_PAGE;

  for (gsize page = part; page < pages; page += n_parts)
    for (gsize at = 0; at < LARGE_PAGE; at += SMALL_PAGE)
      ((volatile guchar *) tiles->memory)[page * LARGE_PAGE + at] = 0;
}

static void
unmap (TesseraTiles *tiles)
{
  munmap (tiles->mapping, tiles->bytes + LARGE_PAGE);
}

/* Its pages are made by all threads, before the driver would by one. */
static gboolean
map (TesseraTiles *tiles)
{
  tiles->mapping = mmap (NULL, tiles->bytes + LARGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                         -1, 0);
  if (tiles->mapping == MAP_FAILED)
    return FALSE;
  tiles->memory = (guchar *) (((gsize) tiles->mapping + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE);
#ifdef MADV_HUGEPAGE
  madvise (tiles->memory, tiles->bytes, MADV_HUGEPAGE);
#endif
  gegl_parallel_distribute (CLAMP (tiles->bytes / LARGE_PAGE, 1, 256), touch, tiles);
  return TRUE;
}

#else

static gsize most_bytes (void)                        { return 0; }
static void unmap (TesseraTiles *tiles G_GNUC_UNUSED) {}
static gboolean map (TesseraTiles *tiles G_GNUC_UNUSED) { return FALSE; }

#endif

static void
free_tiles (TesseraTiles *tiles)
{
  unmap (tiles);
  g_free (tiles->notes);
  g_free (tiles);
}

static TesseraTiles *
new_tiles (const TesseraDevice *device, gsize bytes)
{
  TesseraTiles *tiles = g_new0 (TesseraTiles, 1);

  tiles->device = device;
  tiles->bytes = bytes;
  if (! map (tiles))
    g_free (tiles);
  else if (tessera_memory_make_known (device, tiles->memory, bytes, &tiles->known) != 0)
    free_tiles (tiles);
  else
    return tiles;
  return NULL;
}

static void
unlink_locked (TesseraTiles *tiles)
{
  TesseraTiles **link = &all;

  while (*link != tiles)
    link = &(*link)->next;
  *link = tiles->next;
  all_bytes -= tiles->bytes;
}

/* The device need not know it any longer; it goes with its last tile. */
static void
retire_locked (TesseraTiles *tiles)
{
  unlink_locked (tiles);
  tessera_memory_drop (g_steal_pointer (&tiles->known));
  if (tiles->users == 0)
    free_tiles (tiles);
}

gboolean
tessera_tiles_trim (gint64 since)
{
  gboolean is_any;

  g_mutex_lock (&lock);
  for (TesseraTiles *tiles = all, *next; tiles; tiles = next)
    {
      next = tiles->next;
      if (! tiles->in_flight && tiles->since <= since)
        retire_locked (tiles);
    }
  is_any = all != NULL;
  g_mutex_unlock (&lock);
  return is_any;
}

void
tessera_tiles_retry (void)
{
  g_mutex_lock (&lock);
  refused = FALSE;
  g_mutex_unlock (&lock);
}

void
tessera_tiles_leave (TesseraTiles *tiles)
{
  g_mutex_lock (&lock);
  tiles->since = g_get_monotonic_time ();
  tiles->users--;
  if (tiles->users == 0 && ! tiles->known)
    free_tiles (tiles);
  g_mutex_unlock (&lock);
}

void
tessera_tiles_enter (TesseraTiles *tiles)
{
  g_mutex_lock (&lock);
  tiles->users++;
  g_mutex_unlock (&lock);
}

static gboolean
is_idle (const TesseraTiles *tiles)
{
  return tiles->users == 0;
}

static TesseraTiles *
take_idle_locked (const TesseraDevice *device, gsize bytes)
{
  TesseraTiles *best = NULL;

  for (TesseraTiles *tiles = all; tiles; tiles = tiles->next)
    if (is_idle (tiles) && tiles->device == device && tiles->bytes >= bytes && tiles->bytes <= 2 * bytes
        && (! best || tiles->bytes < best->bytes))
      best = tiles;
  return best;
}

/* Gives up idle memory of other sizes for it. */
static gboolean
make_room_locked (gsize bytes)
{
  for (TesseraTiles *tiles = all, *next; tiles && all_bytes + bytes > most_bytes (); tiles = next)
    {
      next = tiles->next;
      if (is_idle (tiles))
        retire_locked (tiles);
    }
  return ! refused && all_bytes + bytes <= most_bytes ();
}

static void
use_locked (TesseraTiles *tiles)
{
  tiles->users = 1;
  tiles->in_flight = TRUE;
}

TesseraTiles *
tessera_tiles_take (const TesseraDevice *device, const TesseraTileGrid *grid)
{
  const gsize   needed = (gsize) grid->across * grid->down * grid->bytes;
  const gsize   bytes = (needed + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
  TesseraTiles *tiles;
  gboolean      fits;

  g_mutex_lock (&lock);
  tiles = take_idle_locked (device, bytes);
  if (tiles)
    use_locked (tiles);
  fits = ! tiles && make_room_locked (bytes);
  if (fits)
    all_bytes += bytes;
  g_mutex_unlock (&lock);
  if (! fits)
    return tiles;
  tiles = new_tiles (device, bytes);    /* not locked: takes a while, on all threads */
  g_mutex_lock (&lock);
  if (tiles)
    {
      use_locked (tiles);
      tiles->next = all;
      all = tiles;
    }
  else
    {
      all_bytes -= bytes;
      refused = TRUE;
    }
  g_mutex_unlock (&lock);
  return tiles;
}

void
tessera_tiles_give (TesseraTiles *tiles, gboolean idle)
{
  if (! idle)
    return;                     /* the device may still write to it: it stays in flight for good */
  g_mutex_lock (&lock);
  tiles->in_flight = FALSE;
  g_mutex_unlock (&lock);
  tessera_tiles_leave (tiles);
}

guchar *
tessera_tiles_pointer (TesseraTiles *tiles)
{
  return tiles->memory;
}

gpointer
tessera_tiles_notes (TesseraTiles *tiles, gsize bytes)
{
  if (tiles->notes_bytes < bytes)
    {
      g_free (tiles->notes);
      tiles->notes = g_malloc0 (bytes);
      tiles->notes_bytes = bytes;
    }
  return tiles->notes;
}
