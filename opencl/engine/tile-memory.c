/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Host memory for the tiles of a band, which the device knows: large pages, made by all threads.  It comes
 * back here when the last tile of the band is gone, and is used again.  Memory that is idle for half a
 * minute is returned to the system.  Memory that is held for so long (by a layer) is retired: the device
 * forgets it, and each tile's memory goes with the tile.
 *
 * H200, 2026-11, 24 Mpix RGBA float.  Download: 7.1 ms, the same as into memory from the driver.
 * Allocation: 20 ms here, 150 ms by the driver.
 */
#include "config.h"

#include "tile-memory.h"

#include <gegl-plugin.h>

#include "memory.h"
#include "system.h"

#define MOST_BYTES ((gsize) 1 << 30)    /* known to the device, ... */
#define MOST_SHARE 16                   /* ... and at most this fraction (1/n) of the host's memory */
#define FEW        4                    /* a block of which at most 1/n is held makes room for another one */

struct _TesseraTiles
{
  TesseraTiles        *next;
  const TesseraDevice *device;
  TesseraMemory       *known;           /* to the device, or NULL */
  TesseraPages         pages;
  gpointer             notes;           /* of tiles.c */
  gsize                notes_bytes;
  gsize                slot_bytes;
  guint                n_slots;
  gboolean            *is_held;         /* for each slot: a tile has it */
  guint                users;           /* the band, each tile, and a thread that retires it */
  gint64               since;           /* when it became idle or held */
  gboolean             in_flight;       /* a band has it */
  gboolean             retired;         /* ordinary memory: the device does not know it */
};

static GMutex        lock;              /* guards what follows; no memory is given back under it, because */
                                        /* GEGL's threads hold locks of their own when they leave a slot */
static TesseraTiles *all;               /* all but the retired */
static gsize         all_bytes;
static gint64        refused_until;     /* until when, after the device did not accept such memory */

static gsize
most_bytes (void)
{
  return MIN (MOST_BYTES, tessera_host_memory () / MOST_SHARE);
}

/* All threads make the pages; the driver would use one.  Price: 1.1 (CIE Lab, 24 Mpix; H200, 2026-11-22). */
static void
touch (gint part, gint n_parts, gpointer data)
{
  tessera_pages_touch (data, part, n_parts);
}

static void
free_tiles (TesseraTiles *tiles)
{
  if (! tiles)
    return;
  tessera_pages_unmap (&tiles->pages);
  g_free (tiles->notes);
  g_free (tiles->is_held);
  g_free (tiles);
}

static TesseraTiles *
new_tiles (const TesseraDevice *device, gsize bytes)
{
  TesseraTiles *tiles = g_new0 (TesseraTiles, 1);

  tiles->device = device;
  if (! tessera_pages_map (&tiles->pages, bytes))
    {
      g_free (tiles);
      return NULL;
    }
  gegl_parallel_distribute (CLAMP (bytes / LARGE_PAGE, 1, 256), touch, &tiles->pages);
  if (tessera_memory_make_known (device, tiles->pages.memory, bytes, &tiles->known) == 0)
    return tiles;
  free_tiles (tiles);
  return NULL;
}

static void
unlink_locked (TesseraTiles *tiles)
{
  TesseraTiles **link = &all;

  while (*link != tiles)
    link = &(*link)->next;
  *link = tiles->next;
  all_bytes -= tiles->pages.bytes;
}

/* Takes memory that is not in flight out of the list.  It is retired when the lock is released. */
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
  tessera_pages_discard (&tiles->pages, slot * tiles->slot_bytes, (slot + 1) * tiles->slot_bytes);
}

/* Returns the memory that has to be freed, or NULL. */
static TesseraTiles *
leave_locked (TesseraTiles *tiles)
{
  tiles->users--;
  return tiles->users == 0 && tiles->retired ? tiles : NULL;
}

/* A user that has not left yet keeps the memory while a slot, or the part without a tile, is given back. */
static void
leave (TesseraTiles *tiles)
{
  TesseraTiles *free;

  g_mutex_lock (&lock);
  free = leave_locked (tiles);
  g_mutex_unlock (&lock);
  free_tiles (free);
}

/* The device forgets it.  From now on each slot goes with its tile, and the rest goes at once. */
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
          tessera_pages_be_small (&tiles->pages);
          for (guint slot = 0; slot < tiles->n_slots; slot++)
            if (! is_held[slot])
              discard_slot (tiles, slot);
          tessera_pages_discard (&tiles->pages, tiles->n_slots * tiles->slot_bytes, tiles->pages.bytes);
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

/* Price: 3.0 (CIE Lab, 24 Mpix; H200, 2026-11-22). */
static TesseraTiles *
find_idle_locked (const TesseraDevice *device, gsize bytes)
{
  TesseraTiles *best = NULL;

  for (TesseraTiles *tiles = all; tiles; tiles = tiles->next)
    if (is_idle (tiles) && tiles->device == device && tiles->pages.bytes >= bytes && tiles->pages.bytes <= 2 * bytes
        && (! best || tiles->pages.bytes < best->pages.bytes))
      best = tiles;
  return best;
}

/* A few tiles hold all of it: a node's cache keeps the edge tiles of its first result, and takes only pixels for
 * them from the next ones.  Price: 1.5 (label as colors, 24 Mpix float, a preview; H200, 2026-11-23). */
static gboolean
is_hardly_held (const TesseraTiles *tiles)
{
  return tiles->users <= tiles->n_slots / FEW;
}

/* Gives up idle memory of other sizes for it, and memory that has been held for long, or by few tiles. */
static gboolean
make_room_locked (gsize bytes, TesseraTiles **picked)
{
  const gint64 now = g_get_monotonic_time ();
  const gsize  most = most_bytes ();

  for (TesseraTiles *tiles = all, *next; tiles && all_bytes + bytes > most; tiles = next)
    {
      next = tiles->next;
      if (is_idle (tiles)
          || (! tiles->in_flight && (is_hardly_held (tiles) || tiles->since <= now - TESSERA_IDLE)))
        pick_locked (tiles, picked);
    }
  return refused_until <= now && all_bytes + bytes <= most;
}

static void
use_locked (TesseraTiles *tiles, guint n, gsize tile_bytes)
{
  tiles->users = 1;
  tiles->in_flight = TRUE;
  tiles->slot_bytes = tile_bytes;
  if (tiles->n_slots < n)
    {
      g_free (tiles->is_held);
      tiles->is_held = g_new0 (gboolean, n);
    }
  tiles->n_slots = n;
}

TesseraTiles *
tessera_tiles_take (const TesseraDevice *device, guint n, gsize tile_bytes)
{
  const gsize   bytes = (n * tile_bytes + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
  TesseraTiles *tiles, *picked = NULL;
  gboolean      fits;

  g_mutex_lock (&lock);
  tiles = find_idle_locked (device, bytes);
  if (tiles)
    use_locked (tiles, n, tile_bytes);
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
      use_locked (tiles, n, tile_bytes);
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
  else                          /* the device may still write to it, so it stays mapped for good */
    unlink_locked (tiles);
  g_mutex_unlock (&lock);
  if (! idle)
    tessera_memory_abandon (g_steal_pointer (&tiles->known));
}

guchar *
tessera_tiles_pointer (TesseraTiles *tiles)
{
  return tiles->pages.memory;
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
