/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tiles: results that the device sends straight into tiles are those that are written,
 * those that the edge cuts too, what lies beyond an output stays what it was,
 * and their memory lives exactly as long as somebody has a tile of it: held, copied,
 * painted on, evicted from GEGL's cache, freed by another thread, after tessera_trim. */
#include <gegl.h>
#include <gegl-plugin.h>
#include <malloc.h>
#include <string.h>

#include "tessera.h"
#include "verdict.h"

#define WIDTH   331
#define HEIGHT  207
#define SIDE    16              /* of tiles */
#define TILES   (21 * 13)       /* that the picture meets */
#define BEYOND  20
#define ROUNDS  200
#define HELD    20
#define AGAIN   60
#define THREADS 4
#define FEW_OF  30
#define MANY    700             /* results, each with 2 MiB of its own: more than may be held */

static const GeglRectangle whole = { 0, 0, WIDTH, HEIGHT };

static TesseraCounters
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

static gfloat *
pixels_of (GeglBuffer *buffer, const GeglRectangle *roi)
{
  gfloat *pixels = g_new (gfloat, 4 * (gsize) roi->width * roi->height);

  gegl_buffer_get (buffer, roi, 1.0, babl_format ("RaGaBaA float"), pixels, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
  return pixels;
}

static gboolean
has_pixels (GeglBuffer *buffer, const GeglRectangle *roi, const gfloat *expected)
{
  gfloat  *pixels = pixels_of (buffer, roi);
  gboolean same = memcmp (pixels, expected, 4 * sizeof (gfloat) * roi->width * roi->height) == 0;

  g_free (pixels);
  return same;
}

static void
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

/* The filter's result for `roi` into `output`; how many tiles were sent. */
static guint64
compute_into (GeglBuffer *input, GeglBuffer *output, const GeglRectangle *roi)
{
  GeglNode      *graph = gegl_node_new ();
  GeglNode      *source = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", input, NULL);
  GeglNode      *node = gegl_node_new_child (graph, "operation", "tessera:mean-blur", "radius", 2, NULL);
  GeglOperation *operation;
  guint64        before;
  gfloat         pixel[4];

  gegl_node_link (source, node);
  gegl_node_blit (node, 1.0, GEGL_RECTANGLE (0, 0, 1, 1), NULL, pixel, 0, GEGL_BLIT_DEFAULT);  /* prepares it */
  operation = gegl_node_get_gegl_operation (node);
  before = counters ().tiles;
  GEGL_OPERATION_FILTER_GET_CLASS (operation)->process (operation, input, output, roi, 0);
  g_object_unref (graph);
  return counters ().tiles - before;
}

static gboolean
is_zero (GeglBuffer *buffer, const GeglRectangle *rect)
{
  gfloat  *pixels = pixels_of (buffer, rect);
  gboolean zero = TRUE;

  for (gsize i = 0; i < (gsize) 4 * rect->width * rect->height; i++)
    zero = zero && pixels[i] == 0.0f;
  g_free (pixels);
  return zero;
}

static GeglBuffer *
new_output (const GeglRectangle *extent, gint shift)
{
  return g_object_new (GEGL_TYPE_BUFFER, "x", extent->x, "y", extent->y, "width", extent->width, "height", extent->height,
                       "shift-x", shift, "shift-y", shift, "format", babl_format ("RaGaBaA float"),
                       "tile-width", SIDE, "tile-height", SIDE, NULL);
}

/* Tiles that the picture's edge cuts are shared as well, with zeros beyond it, unless they are there
 * already; those that a region cuts are not. */
static void
cut (GeglBuffer *input, const gfloat *expected)
{
  static const struct { GeglRectangle roi; guint64 tiles; } regions[] = {
    { { 64, 32, WIDTH - 64, HEIGHT - 32 }, 17 * 11 }, { { 64, 32, WIDTH - 70, HEIGHT - 40 }, 16 * 10 }
  };
  const GeglRectangle right = { WIDTH, 0, BEYOND, HEIGHT }, below = { 0, HEIGHT, WIDTH + BEYOND, BEYOND };
  const GeglRectangle flat = { 0, 0, WIDTH, SIDE / 3 };
  const GeglRectangle small = { 0, 0, WIDTH - 3 * SIDE, HEIGHT }, beside = { small.width, 0, 3 * SIDE, HEIGHT };
  GeglBuffer         *output = new_output (&whole, 0);
  guint64             sent = compute_into (input, output, &whole);

  expect (sent == TILES, "%" G_GUINT64_FORMAT " tiles of a new output, there are %d", sent, TILES);
  expect (has_pixels (output, &whole, expected), "new output: other pixels");
  expect (gegl_rectangle_equal (gegl_buffer_get_extent (output), &whole), "the output has grown");
  sent = compute_into (input, output, &whole);
  expect (sent == 20 * 12, "%" G_GUINT64_FORMAT " tiles of an output that has all, %d are not cut", sent, 20 * 12);
  expect (has_pixels (output, &whole, expected), "the same output again: other pixels");
  gegl_buffer_set_extent (output, GEGL_RECTANGLE (0, 0, WIDTH + BEYOND, HEIGHT + BEYOND));
  expect (is_zero (output, &right) && is_zero (output, &below), "not zero beyond the edge");
  g_object_unref (output);
  for (guint i = 0; i < G_N_ELEMENTS (regions); i++)
    {
      output = new_output (&whole, 0);
      sent = compute_into (input, output, &regions[i].roi);
      expect (sent == regions[i].tiles, "%" G_GUINT64_FORMAT " tiles of region %u", sent, i);
      g_object_unref (output);
    }
  output = new_output (&flat, 0);
  expect (compute_into (input, output, &flat) == 0, "tiles although three times as many bytes come down");
  g_object_unref (output);
  output = new_output (&small, 0);
  compute_into (input, output, &whole);         /* more than it has */
  gegl_buffer_set_extent (output, &whole);
  expect (is_zero (output, &beside), "written where the output had nothing");
  g_object_unref (output);
}

static void
notes_change (GeglBuffer *buffer G_GNUC_UNUSED, const GeglRectangle *rect, GeglRectangle *all)
{
  gegl_rectangle_bounding_box (all, all, rect);
}

/* An output that is part of a larger picture, (shift, shift) from its origin: nothing of that but the part
 * changes, and those who listen hear of it. */
static void
part_of_picture (GeglBuffer *input, const gfloat *expected, gboolean painted, gint shift)
{
  const gint          start = shift - BEYOND;
  const GeglRectangle all = { start, start, WIDTH + 2 * BEYOND, HEIGHT + 2 * BEYOND };
  const GeglRectangle inside = { shift, shift, WIDTH, HEIGHT };
  const GeglRectangle around[] = { { start, start, BEYOND, all.height }, { shift + WIDTH, start, BEYOND, all.height },
                                   { shift, start, WIDTH, BEYOND }, { shift, shift + HEIGHT, WIDTH, BEYOND } };
  GeglBuffer    *picture = gegl_buffer_new (&all, babl_format ("RaGaBaA float")), *part;
  GeglRectangle  heard = { 0, 0, 0, 0 };
  guint64        sent;

  if (painted)
    black_out (picture, &all);
  part = g_object_new (GEGL_TYPE_BUFFER, "source", picture, "width", WIDTH, "height", HEIGHT,
                       "shift-x", shift, "shift-y", shift, NULL);
  gegl_buffer_signal_connect (part, "changed", G_CALLBACK (notes_change), &heard);
  sent = compute_into (input, part, &whole);
  expect (shift != 0 || sent == 20 * 12, "%" G_GUINT64_FORMAT " tiles of a part, %d are not cut", sent, 20 * 12);
  expect (gegl_rectangle_equal (&heard, &whole), "%d x %d pixels are said to have changed", heard.width, heard.height);
  expect (has_pixels (part, &whole, expected) && has_pixels (picture, &inside, expected),
          "part of a picture, moved by %d: other pixels", shift);
  for (guint i = 0; i < G_N_ELEMENTS (around); i++)
    {
      gfloat  *pixels = pixels_of (picture, &around[i]);
      gboolean kept = TRUE;

      for (gint k = 0; k < around[i].width * around[i].height; k++)
        kept = kept && pixels[4 * k] == 0.0f && pixels[4 * k + 3] == (painted ? 1.0f : 0.0f);
      expect (kept, "side %u of what is around a %s part has changed", i, painted ? "painted" : "new");
      g_free (pixels);
    }
  g_object_unref (part);
  g_object_unref (picture);
}

/* A smaller view of an output that has been looked at is made anew. */
static void
smaller (GeglBuffer *input, gint shift)
{
  const GeglRectangle half = { 0, 0, WIDTH / 2, HEIGHT / 2 };
  const gsize         bytes = 4 * sizeof (gfloat) * half.width * half.height;
  gfloat             *seen[2] = { g_malloc (bytes), g_malloc (bytes) };

  for (gint i = 0; i < 2; i++)
    {
      GeglBuffer *output = new_output (&whole, shift);

      black_out (output, &whole);
      if (i == 0)
        gegl_buffer_get (output, &half, 0.5, babl_format ("RaGaBaA float"), seen[i], 0, GEGL_ABYSS_NONE);
      compute_into (input, output, &whole);
      gegl_buffer_get (output, &half, 0.5, babl_format ("RaGaBaA float"), seen[i], 0, GEGL_ABYSS_NONE);
      g_object_unref (output);
    }
  expect (memcmp (seen[0], seen[1], bytes) == 0, "half the size, shifted by %d: other pixels", shift);
  g_free (seen[0]);
  g_free (seen[1]);
}

/* Who has frozen the signal of a change hears of it later, and once. */
static void
frozen (GeglBuffer *input)
{
  GeglBuffer   *output = new_output (&whole, 0);
  GeglRectangle heard = { 0, 0, 0, 0 };

  gegl_buffer_signal_connect (output, "changed", G_CALLBACK (notes_change), &heard);
  gegl_buffer_freeze_changed (output);
  expect (compute_into (input, output, &whole) > 0, "no tiles where somebody listens");
  expect (gegl_rectangle_is_empty (&heard), "a frozen signal was heard");
  gegl_buffer_thaw_changed (output);
  expect (gegl_rectangle_equal (&heard, &whole), "%d x %d pixels are said to have changed later", heard.width, heard.height);
  g_object_unref (output);
}

/* ------------------------------------------- others at the same output -- */

static gint complaints;                 /* of GLib, atomic */

static void
count_complaint (const gchar *domain G_GNUC_UNUSED, GLogLevelFlags level G_GNUC_UNUSED, const gchar *text G_GNUC_UNUSED,
                 gpointer data G_GNUC_UNUSED)
{
  g_atomic_int_inc (&complaints);
}

typedef struct
{
  GeglBuffer   *input, *output;
  GeglRectangle roi;
  gint          done;                   /* atomic */
} Visit;

static gpointer
read_meanwhile (gpointer data)
{
  Visit *visit = data;

  while (! g_atomic_int_get (&visit->done))
    g_free (pixels_of (visit->output, &visit->roi));
  return NULL;
}

static gpointer
compute_part (gpointer data)
{
  Visit *visit = data;

  compute_into (visit->input, visit->output, &visit->roi);
  return NULL;
}

/* One thread reads an output that is written again and again; others write each a part of a new one. */
static void
together (GeglBuffer *input, const gfloat *expected)
{
  GLogFunc usual = g_log_set_default_handler (count_complaint, NULL);
  Visit    reader = { input, new_output (&whole, 0), { 0, 0, WIDTH, HEIGHT }, FALSE };
  GThread *thread = g_thread_new ("reader", read_meanwhile, &reader);

  for (gint i = 0; i < ROUNDS; i++)
    compute_into (input, reader.output, &whole);
  g_atomic_int_set (&reader.done, TRUE);
  g_thread_join (thread);
  expect (has_pixels (reader.output, &whole, expected), "read meanwhile: other pixels");
  for (gint i = 0; i < ROUNDS / THREADS; i++)
    {
      GeglBuffer *output = new_output (&whole, 0);
      GThread    *threads[THREADS];
      Visit       visits[THREADS];

      for (gint k = 0; k < THREADS; k++)
        {
          const gint top = k * HEIGHT / THREADS, bottom = (k + 1) * HEIGHT / THREADS;

          visits[k] = (Visit) { input, output, { 0, top, WIDTH, bottom - top }, FALSE };
          threads[k] = g_thread_new ("part", compute_part, &visits[k]);
        }
      for (gint k = 0; k < THREADS; k++)
        g_thread_join (threads[k]);
      expect (has_pixels (output, &whole, expected), "written in parts by %d threads: other pixels", THREADS);
      g_object_unref (output);
    }
  g_object_unref (reader.output);
  g_log_set_default_handler (usual, NULL);
  expect (complaints == 0, "GLib complained %d times", complaints);
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
  g_object_set (gegl_config (), "tile-width", SIDE, "tile-height", SIDE, NULL);
  input = paint ("RaGaBaA float");
  first = compute (input, &whole, FALSE);
  expected = pixels_of (first, &whole);
  g_object_unref (first);
  same_pixels (input);
  linear = paint ("R'G'B'A u8");
  same_pixels (linear);
  g_object_unref (linear);
  cut (input, expected);
  smaller (input, 0);
  smaller (input, SIDE + 3);
  frozen (input);
  for (gint shift = -SIDE - 3; shift <= SIDE; shift += SIDE + 3)
    {
      part_of_picture (input, expected, FALSE, shift);
      part_of_picture (input, expected, TRUE, shift);
    }
  evicted (input, expected);
  held (input, expected);
  if (! few)
    {
      together (input, expected);
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
