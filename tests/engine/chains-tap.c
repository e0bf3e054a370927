/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * test:tap hands its input on, as an operation of ours may, after something has been done to it. */
#define TESSERA_OPERATION_ITSELF
#include "tessera-op.h"
#include <gegl-buffer-backend.h>

#include <string.h>

#include "chains.h"

const gchar *const chain_danger_names[] = { "nothing", "read-pixel", "read-side-by-side", "sample", "iterate", "set-pixels", "set-all", "clear",
  "clear-tiles", "copy-tiles", "share-tile", "clear-copy", "hand-copy", "hand-part", "switch-off", "lose", "lose-later", "fail-next", "scale" };

typedef struct { TesseraOperation parent_instance; } Tap;
typedef struct { TesseraOperationClass parent_class; } TapClass;
static GType tap_get_type (void) G_GNUC_CONST;
G_DEFINE_TYPE (Tap, tap, tessera_operation_get_type ())

static gboolean is_on_device;           /* the run that loses devices */

static void
read_area (const GeglRectangle *area, gpointer data)
{
  gfloat *pixels = g_new (gfloat, 4 * (gsize) area->width * area->height);

  gegl_buffer_get (data, area, 1.0, babl_format ("RGBA float"), pixels, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
  g_free (pixels);
}

static void
darken (GeglBuffer *buffer)
{
  GeglBufferIterator *at = gegl_buffer_iterator_new (buffer, NULL, 0, babl_format ("RGBA float"), GEGL_ACCESS_READWRITE, GEGL_ABYSS_NONE, 1);

  while (gegl_buffer_iterator_next (at))
    for (gint i = 0; i < 4 * at->length; i++)
      ((gfloat *) at->items[0].data)[i] *= 0.5f;
}

static void
set_some (GeglBuffer *buffer, const GeglRectangle *rect)
{
  gfloat *pixels = g_new (gfloat, 4 * (gsize) rect->width * rect->height);

  for (gsize i = 0; i < 4 * (gsize) rect->width * rect->height; i++)
    pixels[i] = (i * 2654435761u >> 8 & 0xffff) / 65535.0f;
  gegl_buffer_set (buffer, rect, 0, babl_format ("RGBA float"), pixels, GEGL_AUTO_ROWSTRIDE);
  g_free (pixels);
}

/* Some whole tiles, which GEGL may replace without a look at them; if there are none, all. */
static GeglRectangle
whole_tiles (GeglBuffer *buffer)
{
  const GeglRectangle *extent = gegl_buffer_get_extent (buffer);
  GeglRectangle        tiles = { 0, 0, 0, 0 };
  gint                 width, height;

  g_object_get (buffer, "tile-width", &width, "tile-height", &height, NULL);
  while (tiles.x < extent->x)
    tiles.x += width;
  while (tiles.x - width >= extent->x)
    tiles.x -= width;
  while (tiles.y < extent->y)
    tiles.y += height;
  while (tiles.y - height >= extent->y)
    tiles.y -= height;
  tiles.width = (extent->x + extent->width - tiles.x) / width * width;
  tiles.height = (extent->y + extent->height - tiles.y) / height * height;
  return tiles.width > 0 && tiles.height > 0 ? tiles : *extent;
}

static void
copy_from_another (GeglBuffer *buffer, const GeglRectangle *rect)
{
  GeglBuffer *other = gegl_buffer_new (gegl_buffer_get_extent (buffer), gegl_buffer_get_format (buffer));

  set_some (other, rect);
  gegl_buffer_copy (other, rect, GEGL_ABYSS_NONE, buffer, NULL);
  g_object_unref (other);
}

/* Replaces the first of those tiles without a look at it, as gegl_buffer_copy may, and says so. */
static void
replace_tile (GeglBuffer *buffer, const GeglRectangle *tiles)
{
  GeglTileHandler *handler = GEGL_TILE_HANDLER (buffer);
  GeglBuffer      *other = gegl_buffer_new (gegl_buffer_get_extent (buffer), gegl_buffer_get_format (buffer));
  GeglTile        *tile;
  GeglRectangle    rect = *tiles;
  gint             x, y;

  g_object_get (buffer, "tile-width", &rect.width, "tile-height", &rect.height, NULL);
  x = rect.x / rect.width;
  y = rect.y / rect.height;
  set_some (other, gegl_buffer_get_extent (buffer));
  tile = gegl_tile_source_get_tile (GEGL_TILE_SOURCE (other), x, y, 0);
  gegl_tile_handler_lock (handler);
  gegl_tile_unref (gegl_tile_handler_dup_tile (handler, tile, x, y, 0));
  gegl_tile_handler_unlock (handler);
  gegl_tile_unref (tile);
  g_object_unref (other);
  g_signal_emit_by_name (buffer, "changed", &rect);
}

/* The device loses what it holds: the fetch of it fails. */
static void
lose (GeglBuffer *buffer, const GeglRectangle *extent)
{
  if (is_on_device)
    tessera_set_fault ("download:1");
  read_area (extent, buffer);
  tessera_set_fault (NULL);
}

static void
read_in_some_way (GeglBuffer *buffer, ChainDanger way, const GeglRectangle *some)
{
  const GeglRectangle half = { some->x / 2, some->y / 2, 1, 1 };
  gfloat              pixel[4];

  if (way == READ_PIXEL)
    read_area (GEGL_RECTANGLE (some->x, some->y, 1, 1), buffer);
  else if (way == READ_SIDE_BY_SIDE)
    gegl_parallel_distribute_area (gegl_buffer_get_extent (buffer), 1.0, GEGL_SPLIT_STRATEGY_AUTO, read_area, buffer);
  else if (way == SAMPLE)
    gegl_buffer_sample (buffer, some->x, some->y, NULL, pixel, babl_format ("RGBA float"), GEGL_SAMPLER_CUBIC, GEGL_ABYSS_NONE);
  else if (way == SCALE)
    gegl_buffer_get (buffer, &half, 0.5, babl_format ("RGBA float"), pixel, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
}

static void
write_in_some_way (GeglBuffer *buffer, ChainDanger way, const GeglRectangle *some)
{
  const GeglRectangle *extent = gegl_buffer_get_extent (buffer), tiles = whole_tiles (buffer);

  if (way == ITERATE)
    darken (buffer);
  else if (way == SET_PIXELS || way == SET_ALL)
    set_some (buffer, way == SET_ALL ? extent : some);
  else if (way == CLEAR || way == CLEAR_TILES)
    gegl_buffer_clear (buffer, way == CLEAR ? some : &tiles);
  else if (way == COPY_TILES)
    copy_from_another (buffer, &tiles);
  else if (way == SHARE_TILE && memcmp (&tiles, extent, sizeof tiles) != 0)     /* there is a whole one */
    replace_tile (buffer, &tiles);
}

/* After LOSE_LATER it is C that needs what cannot be fetched; after FAIL_NEXT the next request fails. */
static void
harm_device (GeglBuffer *buffer, ChainDanger way)
{
  if (way == LOSE)
    lose (buffer, gegl_buffer_get_extent (buffer));
  else if (is_on_device && (way == LOSE_LATER || way == FAIL_NEXT))
    tessera_set_fault (way == LOSE_LATER ? "download:1" : "enqueue:2");
  if (way == SWITCH_OFF || way == LOSE_LATER)
    tessera_set_opencl_mode (TESSERA_OPENCL_OFF);
}

/* Returns what is handed on, a reference. */
static GeglBuffer *
endanger (GeglBuffer *buffer, ChainDanger danger)
{
  const GeglRectangle *extent = gegl_buffer_get_extent (buffer);
  const GeglRectangle  some = { extent->x + extent->width / 3, extent->y + extent->height / 3, extent->width / 2 + 1, extent->height / 2 + 1 };
  GeglBuffer          *copy;

  read_in_some_way (buffer, danger, &some);
  write_in_some_way (buffer, danger, &some);
  harm_device (buffer, danger);
  if (danger == HAND_PART)
    return gegl_buffer_create_sub_buffer (buffer, extent);
  if (danger != HAND_COPY && danger != CLEAR_COPY)
    return g_object_ref (buffer);
  copy = gegl_buffer_dup (buffer);
  if (danger == HAND_COPY)
    return copy;
  gegl_buffer_clear (copy, extent);
  g_object_unref (copy);
  return g_object_ref (buffer);
}

static gboolean
tap_process (GeglOperation *operation, GeglOperationContext *context, const gchar *pad, const GeglRectangle *roi G_GNUC_UNUSED,
             gint level G_GNUC_UNUSED)
{
  const ChainDanger danger = GPOINTER_TO_INT (g_object_get_data (G_OBJECT (operation->node), "danger"));
  GeglBuffer  *buffer = (GeglBuffer *) gegl_operation_context_dup_object (context, "input");

  gegl_operation_context_take_object (context, pad, (GObject *) endanger (buffer, danger));
  g_object_unref (buffer);
  return TRUE;
}

static void
tap_prepare (GeglOperation *operation)
{
  const Babl *format = gegl_operation_get_source_format (operation, "input");

  gegl_operation_set_format (operation, "input", format);
  gegl_operation_set_format (operation, "output", format);
}

static void
tap_class_init (TapClass *klass)
{
  static const TesseraOperationInfo info = { .name = "test:tap", .title = "tap" };
  GeglOperationClass *operation_class = GEGL_OPERATION_CLASS (klass);

  ((TesseraOperationClass *) klass)->info = &info;
  operation_class->prepare = tap_prepare;
  operation_class->process = tap_process;
  gegl_operation_class_set_key (operation_class, "name", "test:tap");
}

static void
tap_init (Tap *self G_GNUC_UNUSED)
{
}

void
chain_tap_register (void)
{
  g_type_class_unref (g_type_class_ref (tap_get_type ()));
}

void
chain_tap_set (GeglNode *tap, ChainDanger danger)
{
  g_object_set_data (G_OBJECT (tap), "danger", GINT_TO_POINTER (danger));
}

void
chain_tap_fails (gboolean lost)
{
  is_on_device = lost;
}
