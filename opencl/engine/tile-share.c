/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Memory of ours in GEGL's tiles, and a trial whether this GEGL treats it as tiles.c needs it.  GEGL does not
 * promise that, so no version number is asked.  Instead two tiles are shared, duplicated, painted on and
 * freed, once a process, in a fifth of a millisecond.  If a GEGL behaves differently, results are copied
 * into its tiles.
 *
 * GEGL 0.4.62 keeps the count of the tiles that share memory in the first of them (0.4.42 beside it), and
 * frees the count with that tile, too early.  So the first tile is kept until the memory is free.  It only
 * gives up its part: it is locked for writing, so it must leave the shared memory and take a copy.  The copy
 * is small, because the tile says that it has only a few bytes.
 */
#include "config.h"

#include "tile-share.h"
#include "messages.h"

#include <gegl-plugin.h>
#include <string.h>

#include "settings.h"

#define FEW_BYTES 14                    /* GEGL keeps no blocks of this size, nor of SIDE * SIDE */
#define SIDE      11                    /* of the tiles in the trial */
#define OURS      0x5a                  /* their content, ... */
#define PAINTED   0xa5                  /* ... and the paint on one of them */

GeglTile *
tessera_tile_share (GeglTile *first, GeglBuffer *output, gint column, gint row)
{
  GeglTile *shared = gegl_tile_handler_dup_tile (GEGL_TILE_HANDLER (output), first, column, row, 0);

  gegl_tile_set_data (first, gegl_tile_get_data (first), FEW_BYTES);
  gegl_tile_lock (first);
  gegl_tile_unlock (first);
  return shared;
}

/* ----------------------------------------------------------------- trial -- */

typedef struct
{
  GeglTile *first;
  gboolean  in_earnest;         /* `first` goes when GEGL says that the memory is free, as in tiles.c; the other */
                                /* goes at the end, so that nothing breaks if GEGL says so too early */
  gint      freed;              /* how often GEGL has said so */
  guchar    memory[SIDE * SIDE];
} TriedTile;

typedef struct
{
  GeglBuffer *buffer, *copy;
  GeglTile   *shared[2], *duplicate;
  TriedTile   tiles[2];
} Trial;

static void
is_free (gpointer data)
{
  TriedTile *tile = data;

  tile->freed++;
  if (tile->in_earnest && tile->first)
    gegl_tile_unref (g_steal_pointer (&tile->first));
}

static GeglBuffer *
new_buffer (void)
{
  return g_object_new (GEGL_TYPE_BUFFER, "width", 2 * SIDE, "height", SIDE, "tile-width", SIDE, "tile-height", SIDE,
                       "format", babl_format ("Y u8"), NULL);
}

static void
share (Trial *trial, gint column)
{
  TriedTile *tile = &trial->tiles[column];

  memset (tile->memory, OURS, sizeof tile->memory);
  tile->first = gegl_tile_new_bare ();
  gegl_tile_set_data_full (tile->first, tile->memory, sizeof tile->memory, is_free, tile);
  gegl_tile_handler_lock (GEGL_TILE_HANDLER (trial->buffer));
  trial->shared[column] = tessera_tile_share (tile->first, trial->buffer, column, 0);
  gegl_tile_handler_unlock (GEGL_TILE_HANDLER (trial->buffer));
}

static gboolean
is_full_of (const guchar *pixels, guchar value)
{
  for (gint i = 0; i < SIDE * SIDE; i++)
    if (pixels[i] != value)
      return FALSE;
  return TRUE;
}

static gboolean
shows (GeglBuffer *buffer, gint column, guchar value)
{
  guchar pixels[SIDE * SIDE];

  gegl_buffer_get (buffer, GEGL_RECTANGLE (column * SIDE, 0, SIDE, SIDE), 1.0, babl_format ("Y u8"), pixels,
                   GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
  return is_full_of (pixels, value);
}

static void
paint (GeglBuffer *buffer)
{
  guchar pixels[SIDE * SIDE];

  memset (pixels, PAINTED, sizeof pixels);
  gegl_buffer_set (buffer, GEGL_RECTANGLE (0, 0, SIDE, SIDE), 0, babl_format ("Y u8"), pixels, GEGL_AUTO_ROWSTRIDE);
}

/* Two tiles of `buffer` share our memory, and one of `copy` shares the first of these.  Then the first of
 * `buffer` is painted on.  Returns what GEGL does differently, or NULL. */
static const gchar *
share_and_paint (Trial *trial)
{
  TriedTile *tiles = trial->tiles;

  share (trial, 0);
  share (trial, 1);
  for (gint i = 0; i < 2; i++)
    if (! trial->shared[i] || gegl_tile_get_data (trial->shared[i]) != tiles[i].memory)
      return "copies the memory of a tile that is to be shared";
  if (! shows (trial->buffer, 0, OURS) || ! shows (trial->buffer, 1, OURS))
    return "does not show the pixels of a tile that is shared";
  gegl_tile_handler_lock (GEGL_TILE_HANDLER (trial->copy));
  trial->duplicate = gegl_tile_handler_dup_tile (GEGL_TILE_HANDLER (trial->copy), trial->shared[0], 0, 0, 0);
  gegl_tile_handler_unlock (GEGL_TILE_HANDLER (trial->copy));
  paint (trial->buffer);
  if (! shows (trial->buffer, 0, PAINTED) || ! shows (trial->copy, 0, OURS) || ! is_full_of (tiles[0].memory, OURS))
    return "paints on all tiles that share memory";
  return tiles[0].freed || tiles[1].freed ? "says that memory is free while a tile has it" : NULL;
}

/* GEGL's cache lets go of a tile first, and leaves tiles alone that somebody else has.  So none goes to the swap
 * meanwhile. */
static void
let_go (GeglBuffer **buffer, GeglTile **tile)
{
  g_clear_object (buffer);
  g_clear_pointer (tile, gegl_tile_unref);
}

static const gchar *
told_once (const TriedTile *tile)
{
  return tile->freed == 1 ? NULL : tile->freed ? "says more than once that memory is free"
                                               : "does not say when memory is free";
}

static const gchar *
try_sharing (Trial *trial)
{
  const gchar *otherwise = share_and_paint (trial);

  let_go (&trial->copy, &trial->duplicate);
  if (! otherwise)
    otherwise = told_once (&trial->tiles[0]);
  let_go (&trial->buffer, &trial->shared[0]);
  g_clear_pointer (&trial->shared[1], gegl_tile_unref);
  return otherwise ? otherwise : told_once (&trial->tiles[1]);
}

static const gchar *
hold_trial (void)
{
  Trial       *trial = g_new0 (Trial, 1);
  const gchar *otherwise;
  gint         major, minor, micro;

  trial->buffer = new_buffer ();
  trial->copy = new_buffer ();
  trial->tiles[1].in_earnest = TRUE;
  otherwise = try_sharing (trial);
  gegl_get_version (&major, &minor, &micro);
  if (tessera_debug () & DEBUG_PATHS)
    tessera_log ("tiles: GEGL %d.%d.%d %s: large results are %s", major, minor, micro,
                 otherwise ? otherwise : "shares our memory", otherwise ? "written, which takes longer" : "not written");
  if (! otherwise)              /* else this GEGL may still have some of the trial's memory, so it stays */
    {
      gegl_tile_unref (trial->tiles[0].first);
      g_free (trial);
    }
  return otherwise;
}

const gchar *
tessera_tile_sharing_obstacle (void)
{
  static gsize        is_tried;
  static const gchar *otherwise;

  if (g_once_init_enter (&is_tried))
    {
      otherwise = hold_trial ();
      g_once_init_leave (&is_tried, 1);
    }
  return otherwise;
}
