/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Host memory for the tiles of a band, which the device knows: large pages, made by all
 * threads.  It comes back here when the last tile of the band is gone, and is used again.
 * What nobody used for half a minute is returned to the system; what is held that long (a
 * layer) is retired: the device forgets it, and each tile's memory goes with the tile.
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
  TesseraMemory       *known;           /* to the device, or NULL */
  guchar              *memory;
  gsize                bytes;
  gpointer             mapping;         /* `memory` lies in it, at a large page's start */
  gpointer             notes;           /* of tiles.c */
  gsize                notes_bytes;
  gsize                slot_bytes;
  guint                n_slots;
  gboolean            *is_held;         /* each slot, by a tile */
  guint                users;           /* the band, each tile, and who retires it */
  gint64               since;           /* that it is idle or held */
  gboolean             in_flight;       /* a band has it */
  gboolean             retired;         /* ordinary memory: the device does not know it */
};

static GMutex        lock;              /* guards what follows; no memory is given back under it, since */
                                        /* GEGL's threads leave with locks of their own held */
static TesseraTiles *all;               /* but the retired */
static gsize         all_bytes;
static gint64        refused_until;     /* the device did not want to know such memory */

#ifdef G_OS_UNIX

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

/* What is held becomes ordinary memory, and the rest goes: large pages would bring it all back in a minute or two. */
static void
be_ordinary (TesseraTiles *tiles)
{
#ifdef MADV_NOHUGEPAGE
  madvise (tiles->memory, tiles->bytes, MADV_NOHUGEPAGE);
#endif
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

/* The pages that lie in these bytes as a whole go back to the system. */
static void
discard (TesseraTiles *tiles, gsize start, gsize end)
{
  const gsize page = sysconf (_SC_PAGESIZE);

  start = (start + page - 1) / page * page;
  end = end / page * page;
  if (start < end)
    madvise (tiles->memory + start, end - start, MADV_DONTNEED);
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

gsize tessera_host_memory (void)                      { return G_MAXSIZE; }
gboolean tessera_has_forked (void)                    { return FALSE; }
static void be_ordinary (TesseraTiles *tiles G_GNUC_UNUSED) {}
static void unmap (TesseraTiles *tiles G_GNUC_UNUSED) {}
static void discard (TesseraTiles *tiles G_GNUC_UNUSED, gsize start G_GNUC_UNUSED, gsize end G_GNUC_UNUSED) {}
static gboolean map (TesseraTiles *tiles G_GNUC_UNUSED) { return FALSE; }

#endif

/* Only memory of map's: there is none on other systems. */
static gsize
most_bytes (void)
{
  return MIN (MOST_BYTES, tessera_host_memory () / MOST_SHARE);
}

static void
free_tiles (TesseraTiles *tiles)
{
  if (! tiles)
    return;
  unmap (tiles);
  g_free (tiles->notes);
  g_free (tiles->is_held);
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

/* Takes it, which is not in flight, out of the list; to be retired when the lock is off. */
static void
pick_locked (TesseraTiles *tiles, TesseraTiles **picked)
{
  unlink_locked (tiles);
  tiles->users++;
  tiles->next = *picked;
  *picked = tiles;
}

static void
discard_slot (TesseraTiles *tiles, guint slot)
{
  discard (tiles, slot * tiles->slot_bytes, (slot + 1) * tiles->slot_bytes);
}

/* Returns what is to be freed, or NULL. */
static TesseraTiles *
leave_locked (TesseraTiles *tiles)
{
  tiles->users--;
  return tiles->users == 0 && tiles->retired ? tiles : NULL;
}

/* Who has not left yet keeps the memory while its slot, or what has no tile, is given back. */
static void
leave (TesseraTiles *tiles)
{
  TesseraTiles *free;

  g_mutex_lock (&lock);
  free = leave_locked (tiles);
  g_mutex_unlock (&lock);
  free_tiles (free);
}

/* The device forgets it; from now on each slot goes with its tile, the rest at once. */
static void
retire (TesseraTiles *picked)
{
  while (picked)
    {
      TesseraTiles *tiles = picked;
      gboolean     *is_held;

      picked = tiles->next;
      tessera_memory_drop (g_steal_pointer (&tiles->known));
      g_mutex_lock (&lock);
      tiles->retired = TRUE;
      is_held = tiles->users > 1 ? g_memdup2 (tiles->is_held, tiles->n_slots * sizeof *is_held) : NULL;
      g_mutex_unlock (&lock);
      if (is_held)
        {
          be_ordinary (tiles);
          for (guint slot = 0; slot < tiles->n_slots; slot++)
            if (! is_held[slot])
              discard_slot (tiles, slot);
          discard (tiles, tiles->n_slots * tiles->slot_bytes, tiles->bytes);
          g_free (is_held);
        }
      leave (tiles);
    }
}

gboolean
tessera_tiles_trim (gint64 since)
{
  TesseraTiles *picked = NULL;
  gboolean      is_any;

  g_mutex_lock (&lock);
  for (TesseraTiles *tiles = all, *next; tiles; tiles = next)
    {
      next = tiles->next;
      if (! tiles->in_flight && tiles->since <= since)
        pick_locked (tiles, &picked);
    }
  is_any = all != NULL;
  g_mutex_unlock (&lock);
  retire (picked);
  return is_any;
}

void
tessera_tiles_retry (void)
{
  g_mutex_lock (&lock);
  refused_until = 0;
  g_mutex_unlock (&lock);
}

void
tessera_tiles_enter (TesseraTiles *tiles, guint slot)
{
  g_mutex_lock (&lock);
  tiles->users++;
  tiles->is_held[slot] = TRUE;
  g_mutex_unlock (&lock);
}

void
tessera_tiles_leave (TesseraTiles *tiles, guint slot)
{
  gboolean retired;

  g_mutex_lock (&lock);
  tiles->since = g_get_monotonic_time ();
  tiles->is_held[slot] = FALSE;
  retired = tiles->retired;
  if (! retired)
    leave_locked (tiles);
  g_mutex_unlock (&lock);
  if (! retired)
    return;
  discard_slot (tiles, slot);
  leave (tiles);
}

static gboolean
is_idle (const TesseraTiles *tiles)
{
  return tiles->users == 0;
}

static TesseraTiles *
find_idle_locked (const TesseraDevice *device, gsize bytes)
{
  TesseraTiles *best = NULL;

  for (TesseraTiles *tiles = all; tiles; tiles = tiles->next)
    if (is_idle (tiles) && tiles->device == device && tiles->bytes >= bytes && tiles->bytes <= 2 * bytes
        && (! best || tiles->bytes < best->bytes))
      best = tiles;
  return best;
}

/* Gives up idle memory of other sizes for it, and what has been held for long. */
static gboolean
make_room_locked (gsize bytes, TesseraTiles **picked)
{
  const gint64 now = g_get_monotonic_time ();
  const gsize  most = most_bytes ();

  for (TesseraTiles *tiles = all, *next; tiles && all_bytes + bytes > most; tiles = next)
    {
      next = tiles->next;
      if (is_idle (tiles) || (! tiles->in_flight && tiles->since <= now - TESSERA_IDLE))
        pick_locked (tiles, picked);
    }
  return refused_until <= now && all_bytes + bytes <= most;
}

static void
use_locked (TesseraTiles *tiles, const TesseraTileGrid *grid)
{
  tiles->users = 1;
  tiles->in_flight = TRUE;
  tiles->slot_bytes = grid->bytes;
  if (tiles->n_slots < (guint) grid->all)
    {
      g_free (tiles->is_held);
      tiles->is_held = g_new0 (gboolean, grid->all);
    }
  tiles->n_slots = grid->all;
}

TesseraTiles *
tessera_tiles_take (const TesseraDevice *device, const TesseraTileGrid *grid)
{
  const gsize   needed = (gsize) grid->all * grid->bytes;
  const gsize   bytes = (needed + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
  TesseraTiles *tiles, *picked = NULL;
  gboolean      fits;

  g_mutex_lock (&lock);
  tiles = find_idle_locked (device, bytes);
  if (tiles)
    use_locked (tiles, grid);
  fits = ! tiles && make_room_locked (bytes, &picked);
  if (fits)
    all_bytes += bytes;
  g_mutex_unlock (&lock);
  retire (picked);
  if (! fits)
    return tiles;
  tiles = new_tiles (device, bytes);
  g_mutex_lock (&lock);
  if (tiles)
    {
      use_locked (tiles, grid);
      tiles->next = all;
      all = tiles;
    }
  else
    {
      all_bytes -= bytes;
      refused_until = g_get_monotonic_time () + TESSERA_IDLE;
    }
  g_mutex_unlock (&lock);
  return tiles;
}

void
tessera_tiles_give (TesseraTiles *tiles, gboolean idle)
{
  g_mutex_lock (&lock);
  tiles->since = g_get_monotonic_time ();
  tiles->in_flight = FALSE;
  if (idle)
    leave_locked (tiles);
  else                          /* the device may still write to it: it stays mapped for good */
    unlink_locked (tiles);
  g_mutex_unlock (&lock);
  if (! idle)
    tessera_memory_abandon (g_steal_pointer (&tiles->known));
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
