/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tiles-trial: a GEGL that does otherwise with shared tiles is noticed (opencl/engine/tile-share.c), and results are then
 * written as before.  This program exports some of GEGL's functions, which stand before the library's; each way to behave is
 * a process of its own, since the engine tries once. */
#include <dlfcn.h>
#include <gegl.h>
#include <gegl-buffer-backend.h>
#include <gegl-plugin.h>
#include <string.h>

#include "tessera-control.h"
#include "verdict.h"

#define SIDE  200               /* of the picture */
#define TILES 169               /* that it meets, of 16 x 16 */

/* How GEGL behaves, and what the engine says of it; NULL: it shares. */
static const struct { const gchar *name, *verdict; } ways[] = {
  { "as it is", NULL },
  { "copies when it should share", "copies the memory of a tile that is to be shared" },
  { "shows another tile", "does not show the pixels of a tile that is shared" },
  { "paints through", "paints on all tiles that share memory" },
  { "frees at once", "says that memory is free while a tile has it" },
  { "frees with the first duplicate", "says that memory is free while a tile has it" },
  { "frees late", "does not say when memory is free" },
  { "never frees", "does not say when memory is free" },
  { "frees twice", "says more than once that memory is free" },
};

enum { AS_IT_IS, COPIES, SHOWS_ANOTHER, PAINTS_THROUGH, FREES_AT_ONCE, FREES_EARLY, FREES_LATE, NEVER_FREES, FREES_TWICE };

static gint way;

/* ------------------------------------------------- GEGL's functions, changed -- */

typedef struct
{
  GeglTile      *tile;
  gpointer       memory;
  gint           bytes;
  GDestroyNotify notify;
  gpointer       data;
  gboolean       is_told;
} Known;

static Known known[4];          /* the trial's tiles; the pictures' come later and are left alone */
static gint  n_known, n_duplicates;

/* The function that this one stands before. */
#define REAL(name) static gpointer real; if (! real) real = dlsym (RTLD_NEXT, name)

static Known *
known_with (gconstpointer memory)
{
  for (gint i = 0; i < n_known; i++)
    if (memory && known[i].memory == memory)
      return &known[i];
  return NULL;
}

static void
is_free (gpointer data)
{
  Known *tile = data;

  if (tile->is_told || (way == FREES_LATE && tile == known) || (way == NEVER_FREES && tile == &known[1]))
    return;
  tile->notify (tile->data);
  if (way == FREES_TWICE)
    tile->notify (tile->data);
}

G_MODULE_EXPORT void
gegl_tile_set_data_full (GeglTile *tile, gpointer memory, gint bytes, GDestroyNotify notify, gpointer data)
{
  REAL ("gegl_tile_set_data_full");
  if (way != AS_IT_IS && n_known < (gint) G_N_ELEMENTS (known))
    {
      Known *mine = &known[n_known++];

      *mine = (Known) { tile, memory, bytes, notify, data, FALSE };
      notify = is_free;
      data = mine;
    }
  ((void (*) (GeglTile *, gpointer, gint, GDestroyNotify, gpointer)) real) (tile, memory, bytes, notify, data);
}

static void
tell_too_early (Known *tile)
{
  tile->notify (tile->data);
  tile->is_told = TRUE;
}

G_MODULE_EXPORT void
gegl_tile_unlock (GeglTile *tile)
{
  REAL ("gegl_tile_unlock");
  ((void (*) (GeglTile *)) real) (tile);
  for (gint i = 0; i < n_known && way == FREES_AT_ONCE; i++)
    if (known[i].tile == tile && ! known[i].is_told)
      tell_too_early (&known[i]);
}

G_MODULE_EXPORT GeglTile *
gegl_tile_handler_dup_tile (GeglTileHandler *handler, GeglTile *tile, gint x, gint y, gint z)
{
  Known    *mine = known_with (gegl_tile_get_data (tile));
  GeglTile *other = NULL, *duplicate;

  REAL ("gegl_tile_handler_dup_tile");
  if (mine && way == COPIES)
    {
      other = gegl_tile_new (mine->bytes);
      memcpy (gegl_tile_get_data (other), mine->memory, mine->bytes);
    }
  else if (mine && way == PAINTS_THROUGH && tile != mine->tile)         /* the copy's: nobody knows that it shares */
    {
      other = gegl_tile_new_bare ();
      gegl_tile_set_data (other, mine->memory, mine->bytes);
    }
  if (mine && way == SHOWS_ANOTHER)
    x += 5;
  duplicate = ((GeglTile *(*) (GeglTileHandler *, GeglTile *, gint, gint, gint)) real) (handler, other ? other : tile, x, y, z);
  if (mine && way == FREES_EARLY && ++n_duplicates == 3)
    tell_too_early (mine);
  return duplicate;             /* `other` is left: the process ends soon */
}

/* ------------------------------------------------------------------- test -- */

/* The filter's result, and how many of its tiles were sent. */
static gfloat *
compute (GeglBuffer *input, gboolean in_tiles, guint64 *tiles)
{
  GeglNode       *graph = gegl_node_new ();
  GeglNode       *source = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", input, NULL);
  GeglNode       *node = gegl_node_new_child (graph, "operation", "tessera:mean-blur", "radius", 2, NULL);
  GeglBuffer     *result = gegl_buffer_new (gegl_buffer_get_extent (input), babl_format ("RaGaBaA float"));
  gfloat         *pixels = g_new (gfloat, 4 * SIDE * SIDE);
  TesseraCounters before, after;

  tessera_get_counters (&before);
  tessera_set_tile_pixels (in_tiles ? 1 : G_MAXINT);
  gegl_node_link (source, node);
  gegl_node_blit_buffer (node, result, NULL, 0, GEGL_ABYSS_NONE);
  gegl_buffer_get (result, NULL, 1.0, babl_format ("RaGaBaA float"), pixels, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
  tessera_get_counters (&after);
  *tiles = after.tiles - before.tiles;
  g_object_unref (result);
  g_object_unref (graph);
  return pixels;
}

static void
try_way (void)
{
  GeglBuffer    *input = gegl_buffer_new (GEGL_RECTANGLE (0, 0, SIDE, SIDE), babl_format ("RaGaBaA float"));
  GeglRectangle  part = { SIDE / 4, SIDE / 3, SIDE / 2, SIDE / 3 };
  GeglColor     *color = gegl_color_new ("rgb(0.2, 0.4, 0.9)");
  const gchar   *name = ways[way].name, *verdict;
  gfloat        *written, *sent;
  guint64        tiles;

  gegl_buffer_set_color (input, &part, color);
  g_object_unref (color);
  written = compute (input, FALSE, &tiles);
  expect (tiles == 0, "GEGL %s: tiles although they were not wanted", name);
  sent = compute (input, TRUE, &tiles);
  expect (tiles == (ways[way].verdict ? 0 : TILES), "GEGL %s: %" G_GUINT64_FORMAT " tiles were sent", name, tiles);
  expect (memcmp (written, sent, 4 * SIDE * SIDE * sizeof (gfloat)) == 0, "GEGL %s: other pixels", name);
  verdict = tessera_tiles_refused ();
  expect (g_strcmp0 (verdict, ways[way].verdict) == 0, "GEGL %s: the engine says that it %s", name,
          verdict ? verdict : "shares");
  g_free (written);
  g_free (sent);
  g_object_unref (input);
  tessera_trim ();
}

/* Runs this program again for each way. */
static void
try_all (const gchar *program)
{
  for (guint i = 0; i < G_N_ELEMENTS (ways); i++)
    {
      const gchar *words[] = { program, ways[i].name, NULL };
      gchar       *said = NULL, *complaints = NULL;
      gint         status = 1;
      gboolean     ran = g_spawn_sync (NULL, (gchar **) words, NULL, G_SPAWN_DEFAULT, NULL, NULL, &said, &complaints, &status, NULL);

      expect (ran && status == 0, "GEGL %s: status %d, %s", ways[i].name, status, said);
      expect (complaints && ! *complaints, "GEGL %s: %s", ways[i].name, complaints);
      g_free (complaints);
      g_free (said);
    }
}

int
main (int argc, char **argv)
{
  gint code;

  if (argc < 2)
    {
      try_all (argv[0]);
      return expect_told ();
    }
  while (way < (gint) G_N_ELEMENTS (ways) - 1 && strcmp (argv[1], ways[way].name) != 0)
    way++;
  g_setenv ("GEGL_PATH", TEST_OPERATIONS_DIR G_SEARCHPATH_SEPARATOR_S TEST_PLUGINS_DIR, FALSE);
  gegl_init (NULL, NULL);
  if (! gegl_has_operation ("tessera:mean-blur"))
    g_error ("tessera:mean-blur is missing");
  tessera_set_opencl_mode (TESSERA_OPENCL_FORCE);
  tessera_set_proof (FALSE);            /* its tiles would be counted */
  g_object_set (gegl_config (), "tile-width", 16, "tile-height", 16, NULL);
  try_way ();
  code = expect_told ();
  gegl_exit ();
  return code;
}
