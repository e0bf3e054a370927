/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Results that the device sends straight into the memory of tiles.
 *
 * Writing a result through gegl_buffer_set is the dearest stage of a request: a copy into
 * pages that the kernel has to make first.  Here the device puts a band's pixels in the
 * order of the output's tiles, the download goes to memory that becomes theirs
 * (tile-memory.c), and GEGL gets them as it gets those of another buffer that it shares
 * instead of copying them: duplicates, put into the output's cache.
 *
 * Tiles that the edge of the image cuts hold all of its pixels there, and zeros beyond, as
 * GEGL's own do when they are new.  Where the output has such a tile already, what lies
 * beyond the edge is not ours (a buffer may be part of another), and the pixels are written.
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

/* Where these tiles of the grid lie, in pixels. */
static GeglRectangle
area_of (const TesseraTileGrid *grid, const GeglRectangle *tiles)
{
  return (GeglRectangle) { grid->x + tiles->x * grid->width, grid->y + tiles->y * grid->height,
                           tiles->width * grid->width, tiles->height * grid->height };
}

static GeglRectangle
place_of (const TesseraTileGrid *grid, gint x, gint y)
{
  return area_of (grid, &(GeglRectangle) { x, y, 1, 1 });
}

static gboolean
is_there (GeglBuffer *output, const TesseraTileGrid *grid, gint x, gint y)
{
  return gegl_tile_source_exist (GEGL_TILE_SOURCE (output), grid->column + x, grid->row + y, 0);
}

/* The tiles of which `inside` has all pixels that lie in `outside`. */
static GeglRectangle
full_tiles (const TesseraTileGrid *grid, const GeglRectangle *inside, const GeglRectangle *outside)
{
  const gint inside_x = inside->x + inside->width, inside_y = inside->y + inside->height;
  const gint left = grid->x < inside->x && outside->x < inside->x;
  const gint top = grid->y < inside->y && outside->y < inside->y;
  const gint right = grid->across - (grid->x + grid->across * grid->width > inside_x
                                     && outside->x + outside->width > inside_x);
  const gint bottom = grid->down - (grid->y + grid->down * grid->height > inside_y
                                    && outside->y + outside->height > inside_y);

  return (GeglRectangle) { left, top, MAX (0, right - left), MAX (0, bottom - top) };
}

static gboolean
contains_tile (const GeglRectangle *tiles, gint x, gint y)
{
  return x >= tiles->x && x < tiles->x + tiles->width && y >= tiles->y && y < tiles->y + tiles->height;
}

/* Those that are the output's when the result is there: the whole ones, and those that the edge cuts, unless one
 * of these is there already. */
static GeglRectangle
our_tiles (const TesseraTileGrid *grid, const GeglRectangle *roi, GeglBuffer *output)
{
  const GeglRectangle everywhere = { G_MININT / 2, G_MININT / 2, G_MAXINT, G_MAXINT };
  const GeglRectangle whole = full_tiles (grid, roi, &everywhere);
  const GeglRectangle all = full_tiles (grid, roi, gegl_buffer_get_abyss (output));

  for (gint y = all.y; y < all.y + all.height; y++)
    for (gint x = all.x; x < all.x + all.width; x++)
      if (! contains_tile (&whole, x, y) && is_there (output, grid, x, y))
        return whole;
  return all;
}

gboolean
tessera_tiles_plan (GeglBuffer *output, const Babl *format, const GeglRectangle *roi, TesseraTileGrid *grid)
{
  const gint    pixel = babl_format_get_bytes_per_pixel (format);
  GeglRectangle area;
  guint64       pixels;
  gint          shift_x, shift_y;

  if (! is_known_gegl () || format != gegl_buffer_get_format (output)
      || g_object_get_data (G_OBJECT (output), "is-linear")
      || ! gegl_rectangle_contains (gegl_buffer_get_abyss (output), roi))
    return FALSE;
  g_object_get (output, "tile-width", &grid->width, "tile-height", &grid->height,
                "shift-x", &shift_x, "shift-y", &shift_y, NULL);
  if ((guint64) grid->width * grid->height * pixel > MOST_TILE)
    return FALSE;
  grid->pixel = pixel;
  grid->bytes = grid->width * grid->height * pixel;
  grid->x = tessera_tile_start (roi->x, grid->width, shift_x);
  grid->y = tessera_tile_start (roi->y, grid->height, shift_y);
  grid->column = (grid->x + shift_x) / grid->width;
  grid->row = (grid->y + shift_y) / grid->height;
  grid->across = (roi->x + roi->width - 1 - grid->x) / grid->width + 1;
  grid->down = (roi->y + roi->height - 1 - grid->y) / grid->height + 1;
  grid->first = 0;
  grid->all = grid->across * grid->down;
  grid->ours = our_tiles (grid, roi, output);
  area = area_of (grid, &grid->ours);
  pixels = gegl_rectangle_intersect (&area, &area, roi) ? (guint64) area.width * area.height : 0;
  return pixels >= MAX (1, tessera_tile_pixels ());
}

TesseraTileGrid
tessera_tiles_part (const TesseraTileGrid *grid, gint top, gint bottom)
{
  const GeglRectangle *ours = &grid->ours;
  const gint           ours_top = CLAMP (ours->y, top, bottom);
  TesseraTileGrid      part = *grid;

  part.y += top * grid->height;
  part.row += top;
  part.down = bottom - top;
  part.first += top * grid->across;
  part.ours.height = CLAMP (ours->y + ours->height, top, bottom) - ours_top;
  part.ours.y = ours_top - top;
  return part;
}

/* ---------------------------------------------------------------- insert -- */

/* The last tile with the memory of a slot is gone. */
static void
slot_is_free (gpointer data)
{
  Slot *slot = data;

  gegl_tile_unref (g_steal_pointer (&slot->first));
  tessera_tiles_leave (slot->tiles, slot->index);
}

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

/* A tile of the grid becomes the output's. */
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
  gegl_tile_unref (gegl_tile_handler_dup_tile (GEGL_TILE_HANDLER (output), first, grid->column + x, grid->row + y, 0));
  give_up_first (slot);
}

void
tessera_tiles_write (TesseraTiles *tiles, const TesseraTileGrid *grid, gint x, gint y, const GeglRectangle *part,
                     GeglBuffer *output)
{
  const GeglRectangle place = place_of (grid, x, y);
  const gsize         index = grid->first + y * grid->across + x;
  const gsize         pixel = (gsize) (part->y - place.y) * grid->width + part->x - place.x;

  gegl_buffer_set (output, part, 0, gegl_buffer_get_format (output),
                   tessera_tiles_pointer (tiles) + index * grid->bytes + pixel * grid->pixel,
                   grid->width * grid->pixel);
}

void
tessera_tiles_insert (TesseraTiles *tiles, const TesseraTileGrid *grid, GeglBuffer *output)
{
  const GeglRectangle *ours = &grid->ours, *abyss = gegl_buffer_get_abyss (output);
  GeglTileHandler     *handler = GEGL_TILE_HANDLER (output);
  GeglRectangle        changed = area_of (grid, ours), stored = changed;

  if (gegl_rectangle_is_empty (ours))
    return;
  gegl_tile_handler_lock (handler);
  for (gint y = ours->y; y < ours->y + ours->height; y++)
    for (gint x = ours->x; x < ours->x + ours->width; x++)
      {
        const GeglRectangle place = place_of (grid, x, y);
        GeglRectangle       part;

        gegl_rectangle_intersect (&part, &place, abyss);
        if (gegl_rectangle_equal (&part, &place) || ! is_there (output, grid, x, y))
          insert (tiles, grid, x, y, output);
        else                    /* it has come meanwhile */
          tessera_tiles_write (tiles, grid, x, y, &part, output);
      }
  stored.x += grid->column * grid->width - grid->x;
  stored.y += grid->row * grid->height - grid->y;
  gegl_tile_handler_damage_rect (handler, &stored);
  gegl_tile_handler_unlock (handler);
  gegl_rectangle_intersect (&changed, &changed, abyss);
  g_signal_emit_by_name (output, "changed", &changed, NULL);
}
