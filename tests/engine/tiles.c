/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tiles: results that the device sends straight into tiles are those that are written,
 * what lies beyond an output stays what it was (tiles-output.c), and their memory lives
 * exactly as long as somebody has a tile of it: held, copied, painted on, evicted from
 * GEGL's cache, freed by another thread, after tessera_trim. */
#include "tiles.h"

#include <malloc.h>

#define HELD    20
#define AGAIN   60
#define FEW_OF  30
#define MANY    700             /* results, each with 2 MiB of its own: more than may be held */

const GeglRectangle whole = { 0, 0, WIDTH, HEIGHT };

TesseraCounters
counters (void)
{
  TesseraCounters now;

  tessera_get_counters (&now);
  return now;
}

static GeglBuffer *
paint (const gchar *format)
{
  GeglBuffer *buffer = gegl_buffer_new (&whole, babl_format (format));
  gfloat     *pixels = g_new (gfloat, 4 * WIDTH * HEIGHT);

  for (gint i = 0; i < 4 * WIDTH * HEIGHT; i++)
    pixels[i] = i % 4 == 3 ? 1.0f : (gfloat) ((guint) i * 2654435761u >> 8) / (1 << 24);
  gegl_buffer_set (buffer, &whole, 0, babl_format ("RGBA float"), pixels, GEGL_AUTO_ROWSTRIDE);
  g_free (pixels);
  return buffer;
}

/* `roi` of the filtered picture, in a buffer with tiles like those of the filter's own result. */
static GeglBuffer *
compute (GeglBuffer *input, const GeglRectangle *roi, gboolean in_tiles)
{
  GeglNode   *graph = gegl_node_new ();
  GeglNode   *source = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", input, NULL);
  GeglNode   *node = gegl_node_new_child (graph, "operation", "tessera:mean-blur", "radius", 2, NULL);
  GeglBuffer *result = gegl_buffer_new (roi, babl_format ("RaGaBaA float"));

  tessera_set_tile_pixels (in_tiles ? 1 : G_MAXINT);
  gegl_node_link (source, node);
  gegl_node_blit_buffer (node, result, roi, 0, GEGL_ABYSS_NONE);
  g_object_unref (graph);
  return result;
}

gfloat *
pixels_of (GeglBuffer *buffer, const GeglRectangle *roi)
{
  gfloat *pixels = g_new (gfloat, 4 * (gsize) roi->width * roi->height);

  gegl_buffer_get (buffer, roi, 1.0, babl_format ("RaGaBaA float"), pixels, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
  return pixels;
}

gboolean
has_pixels (GeglBuffer *buffer, const GeglRectangle *roi, const gfloat *expected)
{
  gfloat  *pixels = pixels_of (buffer, roi);
  gboolean same = memcmp (pixels, expected, 4 * sizeof (gfloat) * roi->width * roi->height) == 0;

  g_free (pixels);
  return same;
}

void
black_out (GeglBuffer *buffer, const GeglRectangle *rect)
{
  GeglColor *black = gegl_color_new ("black");

  gegl_buffer_set_color (buffer, rect, black);
  g_object_unref (black);
}

/* ------------------------------------------------------------------ tests -- */

static void
same_pixels (GeglBuffer *input)
{
  static const GeglRectangle rois[] = { { 0, 0, WIDTH, HEIGHT }, { 5, 7, 300, 190 }, { 16, 32, 160, 64 }, { 3, 1, 31, 31 },
                                        { -20, -11, WIDTH + 40, HEIGHT + 30 }, { 1, 1, 14, 14 }, { 100, 0, 17, HEIGHT } };
  static const gint          bands[] = { 0, 1, 16, 40 };

  for (guint i = 0; i < G_N_ELEMENTS (rois); i++)
    for (guint k = 0; k < G_N_ELEMENTS (bands); k++)
      {
        const guint64 before = counters ().tiles;
        GeglBuffer   *written, *sent;
        gfloat       *expected;

        tessera_set_band_rows (bands[k]);
        written = compute (input, &rois[i], FALSE);
        expect (counters ().tiles == before, "region %u, bands of %d: tiles although they were not wanted", i, bands[k]);
        sent = compute (input, &rois[i], TRUE);
        expect (rois[i].width < 2 * SIDE || bands[k] == 1 || counters ().tiles > before,
                "region %u, bands of %d: no tiles", i, bands[k]);
        expected = pixels_of (written, &rois[i]);
        expect (has_pixels (sent, &rois[i], expected), "region %u, bands of %d: other pixels", i, bands[k]);
        g_free (expected);
        g_object_unref (written);
        g_object_unref (sent);
      }
  tessera_set_band_rows (0);
}

/* Results that are held, a copy of one, and one that is painted on, while others come and go. */
static void
held (GeglBuffer *input, const gfloat *expected)
{
  const GeglRectangle part = { 30, 40, 100, 50 };
  GeglBuffer         *results[HELD], *copy;
  gfloat             *painted;
  TesseraCounters     before;

  for (gint i = 0; i < HELD; i++)
    results[i] = compute (input, &whole, TRUE);
  copy = gegl_buffer_dup (results[3]);
  black_out (results[3], &part);
  black_out (results[4], &part);
  painted = pixels_of (results[4], &whole);
  expect (! has_pixels (results[4], &whole, expected), "painting does nothing");
  for (gint i = 0; i < AGAIN; i++)
    g_object_unref (compute (input, &whole, TRUE));
  for (gint i = 0; i < HELD; i++)
    expect (has_pixels (results[i], &whole, i == 3 || i == 4 ? painted : expected), "held result %d has other pixels", i);
  expect (has_pixels (copy, &whole, expected), "painting on a result changes its copy");

  before = counters ();
  tessera_trim ();
  expect (counters ().live_objects < before.live_objects && counters ().live_pinned_bytes == 0,
          "after tessera_trim the device still knows %" G_GUINT64_FORMAT " bytes", counters ().live_pinned_bytes);
  for (gint i = 0; i < HELD; i++)
    expect (has_pixels (results[i], &whole, i == 3 || i == 4 ? painted : expected), "trimmed, held result %d has other pixels", i);
  for (gint i = 0; i < HELD; i += 2)
    g_object_unref (results[i]);
  g_object_unref (compute (input, &whole, TRUE));
  for (gint i = 1; i < HELD; i += 2)
    {
      expect (has_pixels (results[i], &whole, i == 3 ? painted : expected), "held result %d has other pixels at the end", i);
      g_object_unref (results[i]);
    }
  expect (has_pixels (copy, &whole, expected), "the copy has other pixels at the end");
  g_object_unref (copy);
  g_free (painted);
}

/* What is given back is used again. */
static void
again (GeglBuffer *input)
{
  TesseraCounters before, after;

  for (gint i = 0; i < 5; i++)
    g_object_unref (compute (input, &whole, TRUE));
  before = counters ();
  for (gint i = 0; i < AGAIN; i++)
    g_object_unref (compute (input, &whole, TRUE));
  after = counters ();
  expect (after.tiles > before.tiles && after.allocations == before.allocations && after.live_objects == before.live_objects,
          "%d requests allocated %" G_GUINT64_FORMAT " times", AGAIN, after.allocations - before.allocations);
}

/* GEGL stores tiles elsewhere when its cache is full, even as they come. */
static void
evicted (GeglBuffer *input, const gfloat *expected)
{
  GeglBuffer *results[HELD];
  guint64     usual;

  g_object_get (gegl_config (), "tile-cache-size", &usual, NULL);
  g_object_set (gegl_config (), "tile-cache-size", (guint64) 200000, NULL);
  for (gint i = 0; i < HELD; i++)
    results[i] = compute (input, &whole, TRUE);
  for (gint i = 0; i < HELD; i++)
    {
      expect (has_pixels (results[i], &whole, expected), "evicted result %d has other pixels", i);
      g_object_unref (results[i]);
    }
  g_object_set (gegl_config (), "tile-cache-size", usual, NULL);
}

typedef struct
{
  GeglBuffer   *input;
  const gfloat *expected;
  GAsyncQueue  *to;             /* the next thread frees what this one computes */
  GAsyncQueue  *from;
  gint          wrong;
} Job;

static gpointer
compute_and_pass_on (gpointer data)
{
  Job *job = data;

  for (gint i = 0; i < AGAIN; i++)
    {
      GeglBuffer *result;

      g_async_queue_push (job->to, compute (job->input, &whole, TRUE));
      result = g_async_queue_pop (job->from);
      job->wrong += ! has_pixels (result, &whole, job->expected);
      g_object_unref (result);
    }
  return NULL;
}

static void
threads (GeglBuffer *input, const gfloat *expected)
{
  GAsyncQueue *queues[THREADS];
  GThread     *running[THREADS];
  Job          jobs[THREADS];

  for (gint i = 0; i < THREADS; i++)
    queues[i] = g_async_queue_new_full (g_object_unref);
  for (gint i = 0; i < THREADS; i++)
    {
      jobs[i] = (Job) { gegl_buffer_dup (input), expected, queues[i], queues[(i + 1) % THREADS], 0 };
      running[i] = g_thread_new ("tiles", compute_and_pass_on, &jobs[i]);
    }
  for (gint i = 0; i < THREADS; i++)
    {
      g_thread_join (running[i]);
      expect (jobs[i].wrong == 0, "thread %d got %d wrong results", i, jobs[i].wrong);
      g_object_unref (jobs[i].input);
    }
  for (gint i = 0; i < THREADS; i++)
    g_async_queue_unref (queues[i]);
}

/* More than may be held: the rest is written as usual. */
static void
too_many (GeglBuffer *input)
{
  const GeglRectangle roi = { 0, 0, 3 * SIDE, 3 * SIDE };
  GeglBuffer         *first = compute (input, &roi, FALSE), *results[MANY];
  gfloat             *expected = pixels_of (first, &roi);
  guint64             tiles = 0, before_last = 0;

  for (gint i = 0; i < MANY; i++)
    {
      before_last = counters ().tiles;
      results[i] = compute (input, &roi, TRUE);
      tiles += counters ().tiles > before_last;
    }
  expect (tiles > 10 && tiles < MANY, "%" G_GUINT64_FORMAT " of %d results have memory of the engine's", tiles, MANY);
  expect (counters ().live_pinned_bytes < (guint64) 2 << 30, "too much is known to the device");
  for (gint i = 0; i < MANY; i++)
    {
      expect (has_pixels (results[i], &roi, expected), "result %d of many has other pixels", i);
      g_object_unref (results[i]);
    }
  before_last = counters ().tiles;
  g_object_unref (compute (input, &whole, TRUE));
  expect (counters ().tiles > before_last, "idle memory of another size is not given up");
  g_object_unref (first);
  g_free (expected);
}

static gpointer
trim_always (gpointer goes_on)
{
  while (g_atomic_int_get ((gint *) goes_on))
    tessera_trim ();
  return NULL;
}

/* Memory that the device is writing to is nobody's to give back. */
static void
trimmed_meanwhile (GeglBuffer *input, const gfloat *expected)
{
  gint     goes_on = TRUE;
  GThread *thread = g_thread_new ("trim", trim_always, &goes_on);

  tessera_set_band_rows (32);
  for (gint i = 0; i < AGAIN; i++)
    {
      GeglBuffer *result = compute (input, &whole, TRUE);

      expect (has_pixels (result, &whole, expected), "result %d, while memory was given back, differs", i);
      g_object_unref (result);
    }
  tessera_set_band_rows (0);
  g_atomic_int_set (&goes_on, FALSE);
  g_thread_join (thread);
}

/* Resident memory of this process in MiB, without what malloc keeps of freed memory. */
static gdouble
resident (void)
{
  gchar  *text = NULL, *line;
  gdouble mib = 0;

  malloc_trim (0);
  if (g_file_get_contents ("/proc/self/status", &text, NULL, NULL) && (line = strstr (text, "VmRSS:")))
    mib = g_ascii_strtod (line + 6, NULL) / 1024;
  g_free (text);
  return mib;
}

/* Of each of many results a few tiles are kept: in time, only these have memory. */
static void
few_of_many (void)
{
  const GeglRectangle box = { 0, 0, 1024, 1024 }, corner = { 0, 0, 128, 128 };
  GeglBuffer         *input = gegl_buffer_new (&box, babl_format ("RaGaBaA float")), *kept[FEW_OF];
  gdouble             before, after;

  black_out (input, &box);
  g_object_unref (compute (input, &box, TRUE));
  tessera_trim ();
  before = resident ();
  for (gint i = 0; i < FEW_OF; i++)
    {
      GeglBuffer *result = compute (input, &box, TRUE);

      kept[i] = gegl_buffer_new (&corner, babl_format ("RaGaBaA float"));
      gegl_buffer_copy (result, &corner, GEGL_ABYSS_NONE, kept[i], &corner);
      if (i % 2)
        tessera_trim ();        /* as after half a minute: before and after the rest is freed */
      g_object_unref (result);
      tessera_trim ();
    }
  after = resident ();
  expect (after - before < FEW_OF * 2, "1/64 of %d results of 16 MiB holds %.0f MiB", FEW_OF, after - before);
  for (gint i = 0; i < FEW_OF; i++)
    g_object_unref (kept[i]);
  g_object_unref (input);
}

int
main (int argc, char **argv)
{
  const gboolean few = argc > 1 && strcmp (argv[1], "--few") == 0;      /* under valgrind */
  GeglBuffer    *input, *linear, *first;
  gfloat        *expected;
  gint           code;

  g_setenv ("GEGL_PATH", TEST_OPERATIONS_DIR G_SEARCHPATH_SEPARATOR_S TEST_PLUGINS_DIR, FALSE);
  gegl_init (&argc, &argv);
  if (! gegl_has_operation ("tessera:mean-blur"))
    g_error ("tessera:mean-blur is missing");
  tessera_set_opencl_mode (TESSERA_OPENCL_FORCE);
  tessera_set_proof (FALSE);            /* its tiles would be counted */
  g_object_set (gegl_config (), "tile-width", SIDE, "tile-height", SIDE, NULL);
  input = paint ("RaGaBaA float");
  first = compute (input, &whole, FALSE);
  expected = pixels_of (first, &whole);
  g_object_unref (first);
  same_pixels (input);
  linear = paint ("R'G'B'A u8");
  same_pixels (linear);
  g_object_unref (linear);
  test_output (input, expected, few);
  evicted (input, expected);
  held (input, expected);
  if (! few)
    {
      again (input);
      threads (input, expected);
      trimmed_meanwhile (input, expected);
      too_many (input);
      few_of_many ();
    }
  tessera_trim ();
  expect (counters ().live_objects == 0 && counters ().live_pinned_bytes == 0, "%" G_GUINT64_FORMAT " objects are left",
          counters ().live_objects);
  g_object_unref (input);
  g_free (expected);
  code = expect_told ();
  gegl_exit ();
  return code;
}
