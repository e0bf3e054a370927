/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tiles-output.c: which tiles of an output are sent, also of those that its edge cuts;
 * what is left alone beyond it, who hears of the change, who may be at it meanwhile. */
#include "tiles.h"

#define TILES  (21 * 13)        /* that the picture meets */
#define INNER  (20 * 12)        /* of these that its edge does not cut */
#define BEYOND 20
#define ROUNDS 200

static GCallback meanwhile;             /* (node, fraction, output): called as the next result gets on */

/* The filter's result for `roi` into `output`; how many tiles were sent. */
guint64
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
  if (meanwhile)
    g_signal_connect (node, "progress", meanwhile, output);
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
  return g_object_new (GEGL_TYPE_BUFFER, "x", extent->x, "y", extent->y,
                       "width", extent->width, "height", extent->height, "shift-x", shift, "shift-y", shift, "format", babl_format ("RaGaBaA float"),
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
  expect (sent == INNER, "%" G_GUINT64_FORMAT " tiles of an output that has all, %d are not cut", sent, INNER);
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

/* An output that is part of a larger picture, (shift, shift) from its origin: nothing of that but the part
 * changes. */
static void
part_of_picture (GeglBuffer *input, const gfloat *expected, gboolean painted, gint shift)
{
  const gint          start = shift - BEYOND;
  const GeglRectangle all = { start, start, WIDTH + 2 * BEYOND, HEIGHT + 2 * BEYOND };
  const GeglRectangle inside = { shift, shift, WIDTH, HEIGHT };
  const GeglRectangle around[] = { { start, start, BEYOND, all.height }, { shift + WIDTH, start, BEYOND, all.height },
                                   { shift, start, WIDTH, BEYOND }, { shift, shift + HEIGHT, WIDTH, BEYOND } };
  GeglBuffer    *picture = gegl_buffer_new (&all, babl_format ("RaGaBaA float")), *part;
  guint64        sent;

  if (painted)
    black_out (picture, &all);
  part = g_object_new (GEGL_TYPE_BUFFER, "source", picture, "width", WIDTH, "height", HEIGHT,
                       "shift-x", shift, "shift-y", shift, NULL);
  sent = compute_into (input, part, &whole);
  expect (shift != 0 || sent == INNER, "%" G_GUINT64_FORMAT " tiles of a part, %d are not cut", sent, INNER);
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

typedef struct
{
  GeglRectangle all;
  gint          pixels, calls;
} Heard;

static void
notes_change (GeglBuffer *buffer G_GNUC_UNUSED, const GeglRectangle *rect, Heard *heard)
{
  gegl_rectangle_bounding_box (&heard->all, &heard->all, rect);
  heard->pixels += rect->width * rect->height;
  heard->calls++;
}

/* Who listens hears of each pixel once; who has frozen the signal, later.  All tiles are sent: what several threads
 * write at a time GEGL tells with gaps. */
static void
told (GeglBuffer *input, gboolean frozen)
{
  GeglBuffer *output = new_output (&whole, 0);
  Heard       heard = { { 0, 0, 0, 0 }, 0, 0 };

  gegl_buffer_signal_connect (output, "changed", G_CALLBACK (notes_change), &heard);
  if (frozen)
    gegl_buffer_freeze_changed (output);
  expect (compute_into (input, output, &whole) == TILES, "not all tiles are sent where somebody listens");
  if (frozen)
    {
      expect (heard.calls == 0, "a frozen signal was heard");
      gegl_buffer_thaw_changed (output);
    }
  expect (gegl_rectangle_equal (&heard.all, &whole) && heard.pixels == WIDTH * HEIGHT,
          "%d pixels are said to have changed", heard.pixels);
  g_object_unref (output);
}

/* ------------------------------------------- others at the same output -- */

static gint complaints;                 /* of GLib, atomic */

static void
count_complaint (const gchar *domain G_GNUC_UNUSED, GLogLevelFlags level, const gchar *text G_GNUC_UNUSED,
                 gpointer data G_GNUC_UNUSED)
{
  if (level & (G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING))
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

static gint painted;

/* Beyond the picture's right edge, in tiles of bands that are on their way. */
static void
paint_beyond (GeglNode *node G_GNUC_UNUSED, gdouble fraction, GeglBuffer *output)
{
  const GeglRectangle beyond = { WIDTH, 0, BEYOND, HEIGHT };

  if (fraction <= 0.0 || fraction >= 1.0 || painted++ > 0)
    return;
  gegl_buffer_set_extent (output, GEGL_RECTANGLE (0, 0, WIDTH + BEYOND, HEIGHT));
  black_out (output, &beyond);
  gegl_buffer_set_extent (output, &whole);
}

/* A cut tile that somebody has made since the band was planned keeps what he put there. */
static void
made_meanwhile (GeglBuffer *input, const gfloat *expected)
{
  const GeglRectangle beyond = { WIDTH, 0, BEYOND, HEIGHT };
  GeglBuffer         *output = new_output (&whole, 0);
  gfloat             *pixels;
  gboolean            kept = TRUE;

  meanwhile = G_CALLBACK (paint_beyond);
  tessera_set_eager_progress (TRUE);
  tessera_set_band_rows (2 * SIDE);
  compute_into (input, output, &whole);
  tessera_set_band_rows (0);
  tessera_set_eager_progress (FALSE);
  meanwhile = NULL;
  expect (painted > 0, "nothing was painted while the result was made");
  expect (has_pixels (output, &whole, expected), "painted beyond the edge meanwhile: other pixels");
  gegl_buffer_set_extent (output, GEGL_RECTANGLE (0, 0, WIDTH + BEYOND, HEIGHT));
  pixels = pixels_of (output, &beyond);
  for (gint i = 0; i < BEYOND * HEIGHT; i++)
    kept = kept && pixels[4 * i + 3] == 1.0f;
  expect (kept, "what was painted beyond the edge meanwhile is lost");
  g_free (pixels);
  g_object_unref (output);
}

void
test_output (GeglBuffer *input, const gfloat *expected, gboolean few)
{
  cut (input, expected);
  for (gint shift = -SIDE - 3; shift <= SIDE + 3; shift += SIDE + 3)
    {
      part_of_picture (input, expected, FALSE, shift);
      part_of_picture (input, expected, TRUE, shift);
      smaller (input, shift);
    }
  made_meanwhile (input, expected);
  told (input, FALSE);
  told (input, TRUE);
  foreign (input, expected);
  if (! few)
    together (input, expected);
}
