/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Results that the device sends straight into the memory of GEGL's tiles.
 *
 * Writing a result through gegl_buffer_set is the most expensive stage of a request: it copies into pages
 * that the kernel has to make first.  Here the device puts a band's pixels in the order of the output's
 * tiles.  The download goes to memory that becomes the memory of those tiles (tile-memory.c).  GEGL gets
 * the tiles as if they came from another buffer: duplicates that share memory, in the output's cache.
 *
 * Two kinds of tiles are still copied: those only partly covered by the region, and edge tiles that the
 * output already has, or that may hold somebody's pixels beyond the edge (the output is a part of another
 * buffer, or is stored by somebody else).  Other edge tiles are ours: they hold the image's pixels, and
 * zeros beyond, like GEGL's own new tiles.
 *
 * tile-share.c tries whether GEGL behaves as this needs.
 *
 * Price: 2.4 (CIE Lab, 24 Mpix; H200, 2026-11-22).
 */
#include "config.h"

#include "tiles.h"

#include <gegl-plugin.h>
#include <gegl-buffer-backend.h>

#include "counters.h"
#include "settings.h"
#include "tile-share.h"

#define MOST_TILE (1 << 24)            /* bytes; a larger "tile" is a whole image (linear buffers) */

typedef struct
{
  TesseraTiles *tiles;
  guint         index;                  /* of its memory among these */
  GeglTile     *first;                  /* the first with this memory; the others share it */
} Slot;

/* ------------------------------------------------------------------ grid -- */

/* The output is locked, because GEGL's cache notes each question. */
static gboolean
is_there (GeglBuffer *output, const TesseraTileGrid *grid, gint x, gint y)
{
  return gegl_tile_source_exist (GEGL_TILE_SOURCE (output), grid->column + x, grid->row + y, 0);
}

/* Does the output, or the buffer of which it is a part, lie in its owner's memory?  Then it has to be written. */
static gboolean
is_linear (GeglBuffer *output)
{
  GObject *buffer = G_OBJECT (output);

  while (GEGL_IS_BUFFER (buffer) && ! g_object_get_data (buffer, "is-linear"))
    buffer = (GObject *) gegl_tile_handler_get_source (buffer);
  return GEGL_IS_BUFFER (buffer);
}

/* Is the output stored by GEGL's own back end, and is nothing else stored there?  Plug-in back ends may hold
 * pixels beyond the edge, and need not tell which tiles they have. */
static gboolean
is_stored_alone (GeglBuffer *output)
{
  g_autoptr (GObject) backend = NULL;
  const gchar *name;

  if (GEGL_IS_BUFFER (gegl_tile_handler_get_source (output)))
    return FALSE;
  g_object_get (output, "backend", &backend, NULL);
  name = backend ? G_OBJECT_TYPE_NAME (backend) : NULL;
  return g_strcmp0 (name, "GeglTileBackendRam") == 0 || g_strcmp0 (name, "GeglTileBackendSwap") == 0;
}

/* Whole tiles, and tiles that the edge cuts, unless somebody's pixels may lie beyond the edge or the output has
 * one of these tiles.  Price: 1.6 for those that the edge cuts (motion blur, 24 Mpix u8; H200, 2026-11-22). */
static GeglRectangle
our_tiles (const TesseraTileGrid *grid, const GeglRectangle *roi, GeglBuffer *output)
{
  const GeglRectangle all = tessera_tiles_full (grid, roi, gegl_buffer_get_abyss (output));
  gboolean            is_new = is_stored_alone (output);

  gegl_tile_handler_lock (GEGL_TILE_HANDLER (output));
  for (gint y = all.y; y < all.y + all.height && is_new; y++)
    for (gint x = all.x; x < all.x + all.width && is_new; x++)
      is_new = tessera_is_tile (&grid->whole, x, y) || ! is_there (output, grid, x, y);
  gegl_tile_handler_unlock (GEGL_TILE_HANDLER (output));
  return is_new ? all : grid->whole;
}

gboolean
tessera_tiles_plan (GeglBuffer *output, const Babl *format, const GeglRectangle *roi, TesseraTileGrid *grid)
{
  const gint    pixel = babl_format_get_bytes_per_pixel (format);
  GeglRectangle area;
  guint64       pixels;
  gint          width, height, shift_x, shift_y;

  if (format != gegl_buffer_get_format (output) || is_linear (output)
      || ! gegl_rectangle_contains (gegl_buffer_get_abyss (output), roi))
    return FALSE;
  g_object_get (output, "tile-width", &width, "tile-height", &height,
                "shift-x", &shift_x, "shift-y", &shift_y, NULL);
  if ((guint64) width * height * pixel > MOST_TILE)
    return FALSE;
  *grid = tessera_tile_grid (roi, width, height, shift_x, shift_y, pixel);
  area = tessera_tiles_area (grid, &(GeglRectangle) { 0, 0, grid->across, grid->down });
  grid->whole = tessera_tiles_full (grid, roi, &area);
  grid->ours = our_tiles (grid, roi, output);
  area = tessera_tiles_area (grid, &grid->ours);
  pixels = gegl_rectangle_intersect (&area, &area, roi) ? (guint64) area.width * area.height : 0;
  return pixels >= MAX (1, tessera_tile_pixels ()) && ! tessera_tile_sharing_obstacle ();
}

/* ---------------------------------------------------------------- insert -- */

/* The last tile with a slot's memory is gone. */
static void
slot_is_free (gpointer data)
{
  Slot *slot = data;

  gegl_tile_unref (g_steal_pointer (&slot->first));
  tessera_tiles_leave (slot->tiles, slot->index);
}

/* A tile of the grid becomes the output's.  The output is locked, so that nobody trims its cache meanwhile. */
static void
insert (TesseraTiles *tiles, const TesseraTileGrid *grid, gint x, gint y, GeglBuffer *output)
{
  const guint index = (guint) (grid->first + y * grid->across + x);
  Slot       *slot = (Slot *) tessera_tiles_notes (tiles, grid->all * sizeof (Slot)) + index;
  GeglTile   *first = gegl_tile_new_bare ();

  gegl_tile_set_data_full (first, tessera_tiles_pointer (tiles) + (gsize) index * grid->bytes,
                           grid->bytes, slot_is_free, slot);
  *slot = (Slot) { tiles, index, first };
  tessera_tiles_enter (tiles, index);
  tessera_count (tiles, 1);
  gegl_tile_unref (tessera_tile_share (first, output, grid->column + x, grid->row + y));
}

void
tessera_tiles_write (TesseraTiles *tiles, const TesseraTileGrid *grid, const GeglRectangle *part, GeglBuffer *output)
{
  const gint  left = part->x - grid->x, top = part->y - grid->y;
  const gsize index = grid->first + top / grid->height * grid->across + left / grid->width;
  const gsize pixel = (gsize) (top % grid->height) * grid->width + left % grid->width;

  gegl_buffer_set (output, part, 0, gegl_buffer_get_format (output),
                   tessera_tiles_pointer (tiles) + index * grid->bytes + pixel * grid->pixel,
                   grid->width * grid->pixel);
}

/* Tells listeners that pixels have changed, as GEGL does after an iterator. */
static void
tell (GeglBuffer *output, const GeglRectangle *changed)
{
  GeglBufferIterator *touch;

  if (! g_signal_has_handler_pending (output, g_signal_lookup ("changed", GEGL_TYPE_BUFFER), 0, TRUE))
    return;
  touch = gegl_buffer_iterator_new (output, changed, 0, NULL, GEGL_ACCESS_READWRITE, GEGL_ABYSS_NONE, 1);
  gegl_buffer_iterator_next (touch);
  gegl_buffer_iterator_stop (touch);
}

void
tessera_tiles_insert (TesseraTiles *tiles, const TesseraTileGrid *grid, const GeglRectangle *rect, GeglBuffer *output)
{
  const GeglRectangle *ours = &grid->ours;
  GeglTileHandler     *handler = GEGL_TILE_HANDLER (output);
  GeglRectangle        changed = tessera_tiles_area (grid, ours), stored = changed;

  if (gegl_rectangle_is_empty (ours))
    return;
  gegl_tile_handler_lock (handler);
  for (gint y = ours->y; y < ours->y + ours->height; y++)
    for (gint x = ours->x; x < ours->x + ours->width; x++)
      if (tessera_is_tile (&grid->whole, x, y) || ! is_there (output, grid, x, y))
        insert (tiles, grid, x, y, output);
      else                      /* the output has got this tile meanwhile */
        {
          GeglRectangle part = tessera_tiles_area (grid, &(GeglRectangle) { x, y, 1, 1 });

          gegl_tile_handler_unlock (handler);
          gegl_rectangle_intersect (&part, &part, rect);
          tessera_tiles_write (tiles, grid, &part, output);
          gegl_tile_handler_lock (handler);
        }
  stored.x += grid->column * grid->width - grid->x;
  stored.y += grid->row * grid->height - grid->y;
  gegl_tile_handler_damage_rect (handler, &stored);
  gegl_tile_handler_unlock (handler);
  gegl_rectangle_intersect (&changed, &changed, rect);
  tell (output, &changed);
}
