/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * chains [--cases N] [--seed S]: filters of ours one behind another, whose results stay on the device.  Between two of them comes a
 * node that hands the buffer on, as an operation of ours does, after something has been done to it: read, written into, copied, its
 * device lost, OpenCL switched off.  The picture has C's bits, and each result is fetched at most once. */
#define TESSERA_OPERATION_ITSELF
#include "tessera-op.h"
#include <gegl-buffer-backend.h>

#include <stdlib.h>
#include <string.h>

#include "tessera-control.h"
#include "verdict.h"

#define MOST_STEPS 4

typedef enum { NOTHING, READ_PIXEL, READ_SIDE_BY_SIDE, SAMPLE, ITERATE, SET_PIXELS, SET_ALL, CLEAR, CLEAR_TILES, COPY_TILES, SHARE_TILE, CLEAR_COPY, HAND_COPY, HAND_PART,
               SWITCH_OFF, LOSE, LOSE_LATER, FAIL_NEXT, SCALE, N_DANGERS } Danger;

static const gchar *const danger_names[] = { "nothing", "read-pixel", "read-side-by-side", "sample", "iterate", "set-pixels", "set-all", "clear", "clear-tiles",
  "copy-tiles", "share-tile", "clear-copy", "hand-copy", "hand-part", "switch-off", "lose", "lose-later", "fail-next", "scale" };

/* A filter, its settings, and what they are drawn from. */
typedef struct
{
  const gchar *operation, *number;
  gdouble      least, most;
} Step;

static const Step steps[] = {
  { "tessera:gaussian-blur", "std-dev-x", 0.3, 6 }, { "tessera:mean-blur", "radius", 1, 9 }, { "tessera:unsharp-mask", "amount", 0.1, 3 },
  { "tessera:median-blur", "radius", 1, 5 }, { "tessera:motion-blur", "length", 1, 20 }, { "tessera:bilateral-filter", "range-sigma", 0.05, 0.5 },
  { "tessera:detail", "texture", 0.1, 1 }, { "tessera:convolution", "offset", -0.2, 0.2 }, { "tessera:equalize", "clip-limit", 1, 4 },
  { "tessera:cielab", NULL, 0, 0 }, { "tessera:sobel", NULL, 0, 0 }, { "tessera:template", NULL, 0, 0 }
};

typedef struct
{
  guint         seed;
  const gchar  *format;
  GeglRectangle extent, roi;
  guint         n;
  const Step   *steps[MOST_STEPS];
  gdouble       numbers[MOST_STEPS];
  Danger        dangers[MOST_STEPS];    /* behind each but the last */
  gboolean      has_nop, has_second, joins, proves, remembers, evicts;
  guint         memory;                 /* MiB, or 0 */
} Case;

/* ------------------------------------------------------------------ danger -- */

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
read_in_some_way (GeglBuffer *buffer, Danger way, const GeglRectangle *some)
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
write_in_some_way (GeglBuffer *buffer, Danger way, const GeglRectangle *some)
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
harm_device (GeglBuffer *buffer, Danger way)
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
endanger (GeglBuffer *buffer, Danger danger)
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
  const Danger danger = GPOINTER_TO_INT (g_object_get_data (G_OBJECT (operation->node), "danger"));
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

/* ------------------------------------------------------------------- cases -- */

static gint
draw (GRand *rand, gint from, gint to)
{
  return g_rand_int_range (rand, from, to + 1);
}

static Case
case_drawn (guint seed)
{
  static const gchar *const formats[] = { "RGBA float", "R'G'B'A float", "RaGaBaA float", "R'G'B'A u8", "R'G'B' u8", "Y' u8", "RGBA half", "Y float",
                                          "RGB u16", "R'G'B'A u16" };
  GRand *rand = g_rand_new_with_seed (seed);
  Case   c = { .seed = seed, .format = formats[draw (rand, 0, G_N_ELEMENTS (formats) - 1)], .n = draw (rand, 2, MOST_STEPS) };

  c.extent = (GeglRectangle) { draw (rand, -200, 200), draw (rand, -200, 200), draw (rand, 1, 300), draw (rand, 1, 300) };
  c.roi = c.extent;
  if (draw (rand, 0, 2) == 0)
    c.roi = (GeglRectangle) { c.extent.x + c.extent.width / 3, c.extent.y + c.extent.height / 4, (c.extent.width + 1) / 2, (c.extent.height + 1) / 2 };
  for (guint i = 0; i < c.n; i++)
    {
      c.steps[i] = &steps[draw (rand, 0, G_N_ELEMENTS (steps) - 1)];
      c.numbers[i] = g_rand_double_range (rand, c.steps[i]->least, MAX (c.steps[i]->most, 1));
      c.dangers[i] = draw (rand, 0, 1) ? NOTHING : draw (rand, 0, N_DANGERS - 1);
    }
  c.has_nop = draw (rand, 0, 3) == 0;
  c.has_second = draw (rand, 0, 3) == 0;
  c.joins = draw (rand, 0, 1);
  c.proves = draw (rand, 0, 7) == 0;
  c.remembers = draw (rand, 0, 1);
  c.evicts = draw (rand, 0, 3) == 0;
  c.memory = draw (rand, 0, 3) == 0 ? draw (rand, 1, 6) : 0;
  g_rand_free (rand);
  return c;
}

static gchar *
name_of (const Case *c)
{
  GString *name = g_string_new (NULL);

  g_string_printf (name, "--cases 1 --seed %u: %s %dx%d%+d%+d, of it %dx%d%+d%+d%s%s%s%s%s, %u MiB:", c->seed, c->format, c->extent.width, c->extent.height,
                   c->extent.x, c->extent.y, c->roi.width, c->roi.height, c->roi.x, c->roi.y, c->has_nop ? ", nop" : "",
                   c->has_second ? c->joins ? ", second of ours" : ", second of GEGL's" : "", c->proves ? ", proven" : "", c->remembers ? ", remembered" : "", c->evicts ? ", tiles evicted" : "", c->memory);
  for (guint i = 0; i < c->n; i++)
    {
      g_string_append_printf (name, " %s", c->steps[i]->operation + strlen ("tessera:"));
      if (c->steps[i]->number)
        g_string_append_printf (name, " %s=%.3f", c->steps[i]->number, c->numbers[i]);
      if (i + 1 < c->n)
        g_string_append_printf (name, " | %s |", danger_names[c->dangers[i]]);
    }
  return g_string_free (name, FALSE);
}

static GeglBuffer *
picture (const Case *c)
{
  GRand       *rand = g_rand_new_with_seed (c->seed + 1);
  const gsize  n = 4 * (gsize) c->extent.width * c->extent.height;
  gfloat      *pixels = g_new (gfloat, n);
  GeglBuffer  *buffer = gegl_buffer_new (&c->extent, babl_format (c->format));

  for (gsize i = 0; i < n; i++)
    pixels[i] = g_rand_int_range (rand, 0, 65536) / 65535.0f;
  gegl_buffer_set (buffer, NULL, 0, babl_format ("RGBA float"), pixels, GEGL_AUTO_ROWSTRIDE);
  g_free (pixels);
  g_rand_free (rand);
  return buffer;
}

/* --------------------------------------------------------------------- run -- */

static GeglNode *
behind (GeglNode *graph, GeglNode *before, const gchar *operation)
{
  GeglNode *node = gegl_node_new_child (graph, "operation", operation, NULL);

  gegl_node_link (before, node);
  return node;
}

static GeglNode *
step_behind (const Case *c, guint i, GeglNode *graph, GeglNode *before)
{
  GeglNode   *node = behind (graph, before, c->steps[i]->operation);
  GParamSpec *spec = c->steps[i]->number ? gegl_node_find_property (node, c->steps[i]->number) : NULL;

  if (c->steps[i]->number && ! spec)
    g_error ("%s has no %s", c->steps[i]->operation, c->steps[i]->number);
  if (spec && spec->value_type == G_TYPE_INT)
    gegl_node_set (node, spec->name, (gint) (c->numbers[i] + 0.5), NULL);
  else if (spec)
    gegl_node_set (node, spec->name, c->numbers[i], NULL);
  return node;
}

static GeglNode *
chain (const Case *c, GeglNode *graph, GeglBuffer *input)
{
  GeglNode *at = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", input, NULL), *fork = NULL;

  for (guint i = 0; i < c->n; i++)
    {
      at = step_behind (c, i, graph, at);
      if (i + 1 == c->n)
        break;
      if (i == 0)
        fork = at;
      if (c->dangers[i] != NOTHING || c->has_nop)
        {
          at = behind (graph, at, "test:tap");
          g_object_set_data (G_OBJECT (at), "danger", GINT_TO_POINTER (c->dangers[i]));
        }
      if (c->has_nop)
        at = behind (graph, at, "gegl:nop");
    }
  if (c->has_second && fork)
    {
      GeglNode *join = behind (graph, at, "gegl:add");

      gegl_node_connect_to (behind (graph, fork, c->joins ? "tessera:mean-blur" : "gegl:invert-linear"), "output", join, "aux");
      at = join;
    }
  return at;
}

/* Where the second one comes before what is done to the buffer, or behind it, is GEGL's choice, but the same each time. */
static gfloat *
run (const Case *c, GeglBuffer *input, TesseraOpenclMode mode)
{
  GeglNode *graph = gegl_node_new ();
  gfloat   *pixels = g_new0 (gfloat, 4 * (gsize) c->roi.width * c->roi.height);

  is_on_device = mode != TESSERA_OPENCL_OFF;
  tessera_set_opencl_mode (mode);
  tessera_set_memory (is_on_device ? c->memory : 0);
  tessera_set_proof (is_on_device && c->proves);
  tessera_set_remembering (c->remembers);
  g_object_set (gegl_config (), "tile-cache-size", c->evicts ? G_GUINT64_CONSTANT (200000) : G_GUINT64_CONSTANT (1) << 30, NULL);
  gegl_node_blit (chain (c, graph, input), 1.0, &c->roi, babl_format ("RGBA float"), pixels, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
  g_object_unref (graph);
  tessera_set_fault (NULL);
  tessera_set_memory (0);
  tessera_set_opencl_mode (TESSERA_OPENCL_OFF);
  return pixels;
}

/* Nobody asks for what stays: an operation that remembers looks at all pixels, and so does the proof of a count. */
static gboolean
is_quiet (const Case *c)
{
  for (guint i = 0; i < c->n; i++)
    if ((i + 1 < c->n && c->dangers[i] != NOTHING) || (c->proves && strcmp (c->steps[i]->operation, "tessera:equalize") == 0))
      return FALSE;
  return ! c->memory && ! c->remembers;
}

static gboolean
try_case (const Case *c, guint64 *stays, guint64 *quiet_stays)
{
  GeglBuffer      *input = picture (c);
  gfloat          *in_c = run (c, input, TESSERA_OPENCL_OFF), *on_device;
  TesseraCounters  before, after;
  gboolean         good = TRUE;
  g_autofree gchar *name = name_of (c);

  tessera_get_counters (&before);
  on_device = run (c, input, TESSERA_OPENCL_TRY);
  tessera_get_counters (&after);
  for (gsize i = 0; i < 4 * (gsize) c->roi.width * c->roi.height && good; i++)
    if (memcmp (&in_c[i], &on_device[i], sizeof *in_c) != 0)
      {
        g_print ("%s\n  value %zu is %.9g on the device, %.9g in C\n", name, i, on_device[i], in_c[i]);
        good = FALSE;
      }
  *stays += after.stays - before.stays;
  if (is_quiet (c))
    *quiet_stays += after.stays - before.stays;
  if (after.fetches - before.fetches > after.stays - before.stays || (is_quiet (c) && after.fetches != before.fetches))
    {
      g_print ("%s\n  %d results stayed, and %d were fetched\n", name, (gint) (after.stays - before.stays), (gint) (after.fetches - before.fetches));
      good = FALSE;
    }
  g_free (in_c);
  g_free (on_device);
  g_object_unref (input);
  return good;
}

/* What travels for four filters, on the device's way and back: one picture each, and a word of each result that stays. */
static void
count_bytes (gboolean resident)
{
  Case            c = { .seed = 7, .format = "RGBA float", .extent = { 0, 0, 400, 300 }, .roi = { 0, 0, 400, 300 }, .n = 4,
                        .steps = { &steps[4], &steps[1], &steps[3], &steps[0] }, .numbers = { 10, 3, 2, 1.5 } };
  const guint64   picture_bytes = 400 * 300 * 16, most = picture_bytes + 4096;
  GeglBuffer     *input = picture (&c);
  TesseraCounters before, after;
  guint64         up, down;

  tessera_set_residence (resident);
  tessera_get_counters (&before);
  g_free (run (&c, input, TESSERA_OPENCL_FORCE));
  tessera_get_counters (&after);
  tessera_set_residence (TRUE);
  up = after.uploaded_bytes - before.uploaded_bytes;
  down = after.downloaded_bytes - before.downloaded_bytes;
  g_print ("four filters%s: %" G_GUINT64_FORMAT " launches, %" G_GUINT64_FORMAT " bytes up, %" G_GUINT64_FORMAT " down, of a picture of %" G_GUINT64_FORMAT
           "\n", resident ? "" : ", each result sent home", after.launches - before.launches, up, down, picture_bytes);
  expect (after.stays - before.stays == (resident ? 3 : 0) && after.fetches == before.fetches, "%d of 3 results stayed",
          (gint) (after.stays - before.stays));
  expect (resident ? up <= most && down <= most : up >= 4 * picture_bytes && down >= 4 * picture_bytes, "bytes travelled %s", resident ? "home" : "elsewhere");
  g_object_unref (input);
}

int
main (int argc, char **argv)
{
  gint            cases = 150, seed = 1;
  gint            failures = 0;
  guint64         stays = 0, quiet_stays = 0;
  TesseraCounters counters;

  for (gint i = 1; i + 1 < argc; i += 2)
    *(strcmp (argv[i], "--seed") == 0 ? &seed : &cases) = atoi (argv[i + 1]);
  g_setenv ("GEGL_PATH", TEST_PLUGINS_DIR ":" TEST_OPERATIONS_DIR, FALSE);
  gegl_init (NULL, NULL);
  g_type_class_unref (g_type_class_ref (tap_get_type ()));
  count_bytes (FALSE);
  count_bytes (TRUE);
  for (gint i = 0; i < cases; i++)
    {
      const Case c = case_drawn (seed + i);

      failures += ! try_case (&c, &stays, &quiet_stays);
    }
  tessera_trim ();
  tessera_get_counters (&counters);
  g_print ("%d chains; %d results stayed on the device, %d where nobody asked for one\n", cases, (gint) stays, (gint) quiet_stays);
  expect (failures == 0, "%d chains have other pixels than in C", failures);
  expect (counters.live_objects == 0 && counters.live_bytes == 0, "%d objects and %d bytes of the device are left", (gint) counters.live_objects,
          (gint) counters.live_bytes);
  expect (cases < 100 || (stays > (guint64) cases / 2 && quiet_stays > (guint64) cases / 10), "too few results stayed");
  gegl_exit ();
  return expect_told ();
}
