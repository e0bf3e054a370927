/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tiles-foreign.c: an output in another's back end. */
#include "tiles.h"

#include <gegl-buffer-backend.h>

#define ROOM 8                          /* tiles that it has each way, all of them full of HALF */
#define HALF 0.5f

typedef struct
{
  GeglTileBackend parent_instance;
  gfloat        (*tiles)[4 * SIDE * SIDE];
} Store;

typedef GeglTileBackendClass StoreClass;

static GType store_get_type (void);

G_DEFINE_TYPE (Store, store, GEGL_TYPE_TILE_BACKEND)

/* As GIMP's for plug-ins it gives and takes tiles, and does not say which it has. */
static gpointer
store_command (GeglTileSource *source, GeglTileCommand command, gint x, gint y, gint z, gpointer data)
{
  Store   *store = (Store *) source;
  gfloat  *pixels = z == 0 && x >= 0 && y >= 0 && x < ROOM && y < ROOM ? store->tiles[y * ROOM + x] : NULL;
  GeglTile *tile;

  if (! pixels || (command != GEGL_TILE_GET && command != GEGL_TILE_SET))
    return NULL;
  tile = command == GEGL_TILE_GET ? gegl_tile_new (sizeof *store->tiles) : data;
  if (command == GEGL_TILE_GET)
    memcpy (gegl_tile_get_data (tile), pixels, sizeof *store->tiles);
  else
    memcpy (pixels, gegl_tile_get_data (tile), sizeof *store->tiles);
  gegl_tile_mark_as_stored (tile);
  return tile;
}

static void
store_finalize (GObject *object)
{
  g_free (((Store *) object)->tiles);
  G_OBJECT_CLASS (store_parent_class)->finalize (object);
}

static void
store_class_init (StoreClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = store_finalize;
}

static void
store_init (Store *store)
{
  GEGL_TILE_SOURCE (store)->command = store_command;
  store->tiles = g_malloc (ROOM * ROOM * sizeof *store->tiles);
  for (gint tile = 0; tile < ROOM * ROOM; tile++)
    for (gint i = 0; i < 4 * SIDE * SIDE; i++)
      store->tiles[tile][i] = HALF;
}

/* What a back end of somebody else's has beyond the edge of the output stays there. */
void
foreign (GeglBuffer *input, const gfloat *expected)
{
  const GeglRectangle small = { 0, 0, ROOM * SIDE - 5, ROOM * SIDE - 9 };
  Store              *store = g_object_new (store_get_type (), "tile-width", SIDE, "tile-height", SIDE,
                                            "format", babl_format ("RaGaBaA float"), NULL);
  GeglBuffer         *output;
  gint                kept = 0, right = 0;

  gegl_tile_backend_set_extent (GEGL_TILE_BACKEND (store), &small);
  output = gegl_buffer_new_for_backend (&small, GEGL_TILE_BACKEND (store));
  expect (compute_into (input, output, &small) == (ROOM - 1) * (ROOM - 1),
          "not the whole tiles alone are sent to a back end");
  gegl_buffer_flush (output);
  for (gint y = 0; y < ROOM * SIDE; y++)
    for (gint x = 0; x < ROOM * SIDE; x++)
      {
        const gfloat *pixel = store->tiles[y / SIDE * ROOM + x / SIDE] + 4 * (y % SIDE * SIDE + x % SIDE);

        if (x >= small.width || y >= small.height)
          kept += pixel[0] == HALF;
        else
          right += pixel[0] == expected[4 * (y * WIDTH + x)];
      }
  expect (kept == ROOM * SIDE * ROOM * SIDE - small.width * small.height,
          "%d pixels of a back end are kept beyond the edge", kept);
  expect (right == small.width * small.height, "%d pixels in a back end are right", right);
  g_object_unref (output);
  g_object_unref (store);
}
