/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Results that the device sends straight into the memory of tiles.
 *
 * Writing a result through gegl_buffer_set is the dearest stage of a request: a copy into
 * pages that the kernel has to make first.  Here the device puts a band's pixels in the
 * order of the output's tiles, the download goes to memory that becomes theirs
 * (tile-memory.c), and GEGL gets them by gegl_buffer_copy from a buffer whose back end
 * hands them out: it shares whole tiles instead of copying them.
 *
 * GEGL keeps the count of the tiles that share memory in the first of them (0.4.62; in
 * 0.4.42 beside it), and frees it with that one, too early.  So the first is kept until the
 * memory is free, and only gives up its part: locked for writing, it must leave shared
 * memory alone and take a copy, of a few bytes because it says that it has no more.
 */
#include "config.h"

#include "pump.h"

#include <gegl-buffer-backend.h>
#include <gegl-plugin.h>

#define MOST_TILE  (1 << 24)            /* bytes: larger ones are no tiles but images (linear buffers) */
#define LAST_MICRO 70                   /* of GEGL 0.4 */
#define FEW_BYTES  14                   /* no size that GEGL keeps blocks of */

typedef struct
{
  TesseraTiles *tiles;
  guint         index;                  /* of its memory in these */
  GeglTile     *first;                  /* that has this memory; the others share it */
} Slot;

/* ------------------------------------------------------------------ grid -- */

/* What happens in insert was read in, and tried with, GEGL up to this version. */
static gboolean
is_known_gegl (void)
{
  gint major, minor, micro;

  gegl_get_version (&major, &minor, &micro);
  return major == 0 && minor == 4 && micro <= LAST_MICRO;
}

gboolean
tessera_tiles_plan (GeglBuffer *output, const Babl *format, const GeglRectangle *roi, TesseraTileGrid *grid)
{
  const gint pixel = babl_format_get_bytes_per_pixel (format);
  gint       shift_x, shift_y, left, top, right, bottom;

  if (! is_known_gegl () || format != gegl_buffer_get_format (output)
      || g_object_get_data (G_OBJECT (output), "is-linear"))
    return FALSE;
  g_object_get (output, "tile-width", &grid->width, "tile-height", &grid->height,
                "shift-x", &shift_x, "shift-y", &shift_y, NULL);
  if ((guint64) grid->width * grid->height * pixel > MOST_TILE)
    return FALSE;
  grid->pixel = pixel;
  grid->bytes = grid->width * grid->height * pixel;
  grid->x = tessera_tile_start (roi->x, grid->width, shift_x);
  grid->y = tessera_tile_start (roi->y, grid->height, shift_y);
  grid->across = (roi->x + roi->width - 1 - grid->x) / grid->width + 1;
  grid->down = (roi->y + roi->height - 1 - grid->y) / grid->height + 1;
  grid->first = 0;
  grid->all = grid->across * grid->down;
  left = grid->x < roi->x;
  top = grid->y < roi->y;
  right = grid->across - (grid->x + grid->across * grid->width > roi->x + roi->width);
  bottom = grid->down - (grid->y + grid->down * grid->height > roi->y + roi->height);
  grid->whole = (GeglRectangle) { left, top, MAX (0, right - left), MAX (0, bottom - top) };
  return ! gegl_rectangle_is_empty (&grid->whole)
         && (guint64) grid->whole.width * grid->whole.height * grid->width * grid->height >= tessera_tile_pixels ();
}

TesseraTileGrid
tessera_tiles_part (const TesseraTileGrid *grid, gint top, gint bottom)
{
  const GeglRectangle *whole = &grid->whole;
  const gint           whole_top = CLAMP (whole->y, top, bottom);
  TesseraTileGrid      part = *grid;

  part.y += top * grid->height;
  part.down = bottom - top;
  part.first += top * grid->across;
  part.whole.height = CLAMP (whole->y + whole->height, top, bottom) - whole_top;
  part.whole.y = whole_top - top;
  return part;
}

/* --------------------------------------------------------------- back end -- */

typedef struct
{
  GeglTileBackend  parent_instance;
  TesseraTiles    *tiles;
  Slot            *slots;               /* of all tiles of the grid */
  TesseraTileGrid  grid;
} TesseraTileBackend;

typedef GeglTileBackendClass TesseraTileBackendClass;

static GType tessera_tile_backend_get_type (void);

G_DEFINE_TYPE (TesseraTileBackend, tessera_tile_backend, GEGL_TYPE_TILE_BACKEND)

/* The last tile with the memory of a slot is gone. */
static void
slot_is_free (gpointer data)
{
  Slot *slot = data;

  gegl_tile_unref (g_steal_pointer (&slot->first));
  tessera_tiles_leave (slot->tiles, slot->index);
}

static GeglTile *
hand_out (TesseraTileBackend *self, gint x, gint y)
{
  TesseraTiles *tiles = self->tiles;
  const guint   at = (guint) (self->grid.first + (y + self->grid.whole.y) * self->grid.across + x + self->grid.whole.x);
  Slot         *slot = &self->slots[at];
  GeglTile     *tile;

  if (slot->first)
    return gegl_tile_ref (slot->first);
  tile = gegl_tile_new_bare ();
  gegl_tile_set_data_full (tile, tessera_tiles_pointer (tiles) + (gsize) at * self->grid.bytes,
                           self->grid.bytes, slot_is_free, slot);
  gegl_tile_mark_as_stored (tile);
  *slot = (Slot) { tiles, at, gegl_tile_ref (tile) };
  tessera_tiles_enter (tiles, at);
  tessera_count (tiles, 1);
  return tile;
}

static gpointer
backend_command (GeglTileSource *source, GeglTileCommand command, gint x, gint y, gint z, gpointer data)
{
  TesseraTileBackend  *self = (TesseraTileBackend *) source;
  const GeglRectangle *whole = &self->grid.whole;
  const gboolean       is_there = z == 0 && x >= 0 && y >= 0 && x < whole->width && y < whole->height;

  if (command == GEGL_TILE_GET)
    return is_there ? hand_out (self, x, y) : NULL;
  if (command == GEGL_TILE_EXIST)
    return GINT_TO_POINTER (is_there);
  return gegl_tile_backend_command (GEGL_TILE_BACKEND (source), command, x, y, z, data);
}

static void
tessera_tile_backend_class_init (TesseraTileBackendClass *klass G_GNUC_UNUSED)
{
}

static void
tessera_tile_backend_init (TesseraTileBackend *self)
{
  GEGL_TILE_SOURCE (self)->command = backend_command;
}

/* ---------------------------------------------------------------- insert -- */

/* The first tile of a slot gives up its part of the memory (see above). */
static void
give_up_first (Slot *slot)
{
  GeglTile *first = gegl_tile_ref (slot->first);
  guchar   *memory = gegl_tile_get_data (first);

  gegl_tile_set_data (first, memory, FEW_BYTES);
  gegl_tile_lock (first);
  gegl_tile_unlock (first);
  if (gegl_tile_get_data (first) == memory)     /* GEGL has stored the tile elsewhere: nobody shares it */
    {
      gegl_tile_set_data_full (first, NULL, 0, NULL, NULL);
      slot_is_free (slot);
    }
  gegl_tile_unref (first);
}

void
tessera_tiles_insert (TesseraTiles *tiles, const TesseraTileGrid *grid, GeglBuffer *output)
{
  const GeglRectangle *whole = &grid->whole;
  const GeglRectangle  rect = { 0, 0, whole->width * grid->width, whole->height * grid->height };
  const GeglRectangle  place = { grid->x + whole->x * grid->width, grid->y + whole->y * grid->height,
                                 rect.width, rect.height };
  Slot                *slots = tessera_tiles_notes (tiles, grid->all * sizeof (Slot));
  TesseraTileBackend  *backend;
  GeglBuffer          *buffer;

  if (gegl_rectangle_is_empty (whole))
    return;
  backend = g_object_new (tessera_tile_backend_get_type (), "tile-width", grid->width, "tile-height", grid->height,
                          "format", gegl_buffer_get_format (output), NULL);
  backend->tiles = tiles;
  backend->slots = slots;
  backend->grid = *grid;
  gegl_tile_backend_set_extent (GEGL_TILE_BACKEND (backend), &rect);
  gegl_tile_backend_set_flush_on_destroy (GEGL_TILE_BACKEND (backend), FALSE);
  buffer = gegl_buffer_new_for_backend (&rect, GEGL_TILE_BACKEND (backend));
  gegl_buffer_copy (buffer, &rect, GEGL_ABYSS_NONE, output, &place);
  g_object_unref (buffer);
  g_object_unref (backend);
  for (gint y = whole->y; y < whole->y + whole->height; y++)
    for (gint x = whole->x; x < whole->x + whole->width; x++)
      {
        Slot *slot = &slots[grid->first + y * grid->across + x];

        if (slot->first)
          give_up_first (slot);
      }
}
