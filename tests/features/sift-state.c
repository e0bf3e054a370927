/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * sift-state: tessera:sift in a graph that lives on.  Its points depend on the whole picture: a change anywhere is seen
 * everywhere.  What alpha hides changes nothing.  An empty picture, and one without an end, have no points. */
#include "sift-points.h"

#include "../engine/verdict.h"
#include "sift-test.h"

#define SIZE 160

typedef struct
{
  GeglNode *graph, *source, *node;
} Graph;

static Graph
graph_of (GeglBuffer *buffer, gint result, TesseraOpenclMode mode)
{
  Graph       g = { .graph = gegl_node_new () };
  GParamSpec *spec;

  tessera_set_opencl_mode (mode);
  g.source = gegl_node_new_child (g.graph, "operation", buffer ? "gegl:buffer-source" : "gegl:color", NULL);
  if (buffer)
    gegl_node_set (g.source, "buffer", buffer, NULL);
  g.node = gegl_node_new_child (g.graph, "operation", "tessera:sift", NULL);
  spec = gegl_node_find_property (g.node, "result");
  gegl_node_set (g.node, "result", g_enum_get_value (g_type_class_peek (spec->value_type), result)->value, NULL);
  gegl_node_link (g.source, g.node);
  return g;
}

static gint
count_of (const Graph *g)
{
  gint count = -1;

  gegl_node_get (g->node, "count", &count, NULL);
  return count;
}

/* The result in `roi`, as RGBA; what GEGL remembers of it counts. */
static gfloat *
seen (const Graph *g, const GeglRectangle *roi)
{
  gfloat *pixels = g_new0 (gfloat, 4 * (gsize) roi->width * roi->height);

  gegl_node_blit (g->node, 1.0, roi, babl_format ("RGBA float"), pixels, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_CACHE);
  return pixels;
}

/* Blobs off the grid; those of another `which` are elsewhere. */
static void
paint (GeglBuffer *buffer, gint which)
{
  const GeglRectangle *box = gegl_buffer_get_extent (buffer);
  gfloat              *pixels = g_new0 (gfloat, (gsize) box->width * box->height);

  for (gint blob = 0; blob < 40; blob++)
    {
      CheckRandom   random = { check_hash (1000 * which + blob) };
      const gdouble x0 = check_uniform (&random) * box->width, y0 = check_uniform (&random) * box->height;
      const gdouble sigma = 1.5 + 3 * check_uniform (&random);

      for (gint y = 0; y < box->height; y++)
        for (gint x = 0; x < box->width; x++)
          pixels[y * box->width + x] += 0.5 * exp (-((x - x0) * (x - x0) + (y - y0) * (y - y0)) / (2 * sigma * sigma));
    }
  gegl_buffer_set (buffer, NULL, 0, babl_format ("Y~ float"), pixels, GEGL_AUTO_ROWSTRIDE);
  g_free (pixels);
}

/* What is said of the new picture is what a new graph says, of a part far from the change too. */
static void
check_changes (gint result, TesseraOpenclMode mode)
{
  GeglBuffer         *buffer = gegl_buffer_new (GEGL_RECTANGLE (0, 0, SIZE, SIZE), babl_format ("Y~ float"));
  const GeglRectangle all = { 0, 0, SIZE, SIZE }, bright = { 150, 150, 1, 1 }, far = { 0, 0, 70, 70 };
  const gfloat        huge = 1e6f;
  Graph               old, new;
  gfloat             *first, *part, *expected;
  gint                count;

  paint (buffer, 1);
  old = graph_of (buffer, result, mode);
  first = seen (&old, &all);
  count = count_of (&old);
  expect (count > 5, "%d points", count);
  paint (buffer, 2);
  gegl_buffer_set (buffer, &bright, 0, babl_format ("Y~ float"), &huge, GEGL_AUTO_ROWSTRIDE);
  part = seen (&old, &far);
  new = graph_of (buffer, result, mode);
  expected = seen (&new, &far);
  expect (! memcmp (part, expected, 16 * 70 * 70), "result %d of a changed picture is stale (mode %d)", result, mode);
  expect (count_of (&old) == count_of (&new), "count %d of a changed picture, not %d", count_of (&old), count_of (&new));
  g_free (first);
  g_free (part);
  g_free (expected);
  g_object_unref (old.graph);
  g_object_unref (new.graph);
  g_object_unref (buffer);
}

/* max-features makes each point depend on all others: a stronger one, far away, takes its place. */
static void
check_far_change (TesseraOpenclMode mode)
{
  GeglBuffer         *buffer = gegl_buffer_new (GEGL_RECTANGLE (0, 0, SIZE, SIZE), babl_format ("Y~ float"));
  const GeglRectangle near = { 0, 0, 60, 60 }, far = { 90, 90, 70, 70 };
  gfloat             *pixels = g_new0 (gfloat, SIZE * SIZE), *before, *after;
  gdouble             marks[2] = { 0, 0 };
  Graph               g;

  for (gint i = 0; i < SIZE * SIZE; i++)
    pixels[i] = 0.3 * exp (-(pow (i % SIZE - 30.3, 2) + pow (i / SIZE - 30.2, 2)) / 18);
  gegl_buffer_set (buffer, NULL, 0, babl_format ("Y~ float"), pixels, GEGL_AUTO_ROWSTRIDE);
  g = graph_of (buffer, 2, mode);
  gegl_node_set (g.node, "max-features", 1, NULL);
  before = seen (&g, &near);
  for (gint i = 0; i < far.width * far.height; i++)
    pixels[i] = 0.9 * exp (-(pow (i % far.width - 35.3, 2) + pow (i / far.width - 35.2, 2)) / 18);
  gegl_buffer_set (buffer, &far, 0, babl_format ("Y~ float"), pixels, GEGL_AUTO_ROWSTRIDE);
  after = seen (&g, &near);
  for (gint i = 0; i < near.width * near.height; i++)
    {
      marks[0] += before[4 * i];
      marks[1] += after[4 * i];
    }
  expect (marks[0] == 1 && marks[1] == 0, "%g and %g points before and after a stronger one elsewhere (mode %d)", marks[0],
          marks[1], mode);
  g_free (pixels);
  g_free (before);
  g_free (after);
  g_object_unref (g.graph);
  g_object_unref (buffer);
}

/* Two pictures that differ where alpha is 0. */
static void
check_hidden (const gchar *format, TesseraOpenclMode mode)
{
  const GeglRectangle all = { 0, 0, SIZE, SIZE };
  gfloat             *masks[2], *pixels = g_new (gfloat, 4 * SIZE * SIZE);
  gint                counts[2];

  for (gint which = 0; which < 2; which++)
    {
      GeglBuffer *grey = gegl_buffer_new (&all, babl_format ("Y~ float")), *buffer = gegl_buffer_new (&all, babl_format (format));
      Graph       g;

      paint (grey, 3);
      gegl_buffer_get (grey, NULL, 1.0, babl_format ("R'G'B'A float"), pixels, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
      for (gint i = 0; i < SIZE * SIZE; i++)
        if (i % SIZE > 40 && i % SIZE < 90 && i / SIZE > 30 && i / SIZE < 70)
          {
            pixels[4 * i] = which * ((i / 3) % 2);
            pixels[4 * i + 3] = 0;
          }
      gegl_buffer_set (buffer, NULL, 0, babl_format ("R'G'B'A float"), pixels, GEGL_AUTO_ROWSTRIDE);
      g = graph_of (buffer, 2, mode);
      masks[which] = seen (&g, &all);
      counts[which] = count_of (&g);
      g_object_unref (g.graph);
      g_object_unref (grey);
      g_object_unref (buffer);
    }
  expect (counts[0] > 5 && counts[0] == counts[1] && ! memcmp (masks[0], masks[1], 16 * SIZE * SIZE),
          "%s: hidden colors change the points: %d and %d (mode %d)", format, counts[0], counts[1], mode);
  g_free (masks[0]);
  g_free (masks[1]);
  g_free (pixels);
}

/* A picture so wide that a strip has the fewest rows, against a part of it alone.  With one octave a point sees 80 pixels around it. */
static void
check_wide (void)
{
  const GeglRectangle all = { 0, 0, 30000, 100 }, part = { 21000, 0, 500, 100 }, middle = { 21100, 0, 300, 100 };
  GeglBuffer         *wide = gegl_buffer_new (&all, babl_format ("Y~ float")), *alone = gegl_buffer_new (&part, babl_format ("Y~ float"));
  gfloat             *masks[2];
  gint                points = 0;

  for (gint x = 0; x < all.width; x += 100)
    {
      GeglBuffer *tile = gegl_buffer_create_sub_buffer (wide, GEGL_RECTANGLE (x, 0, 100, 100));
      GeglBuffer *blobs = gegl_buffer_new (GEGL_RECTANGLE (0, 0, 100, 100), babl_format ("Y~ float"));

      paint (blobs, x / 100);
      gegl_buffer_copy (blobs, NULL, GEGL_ABYSS_NONE, tile, GEGL_RECTANGLE (x, 0, 100, 100));
      g_object_unref (blobs);
      g_object_unref (tile);
    }
  gegl_buffer_copy (wide, &part, GEGL_ABYSS_NONE, alone, &part);
  for (gint which = 0; which < 2; which++)
    {
      Graph g = graph_of (which ? alone : wide, 2, TESSERA_OPENCL_OFF);

      gegl_node_set (g.node, "octaves", 1, NULL);
      masks[which] = seen (&g, &middle);
      g_object_unref (g.graph);
    }
  for (gint i = 0; i < middle.width * middle.height; i++)
    points += masks[0][4 * i] == 1;
  expect (points > 5 && ! memcmp (masks[0], masks[1], 16 * middle.width * middle.height),
          "a part of a wide picture has other points than alone (%d)", points);
  g_free (masks[0]);
  g_free (masks[1]);
  g_object_unref (wide);
  g_object_unref (alone);
}

static void
check_nothing (TesseraOpenclMode mode)
{
  const GeglRectangle roi = { 0, 0, SIZE, SIZE };
  GeglBuffer         *buffer = gegl_buffer_new (&roi, babl_format ("Y~ float"));
  GeglBuffer         *empty = gegl_buffer_new (NULL, babl_format ("Y~ float"));
  Graph               g;

  paint (buffer, 4);
  g = graph_of (buffer, 2, mode);
  g_free (seen (&g, &roi));
  expect (count_of (&g) > 5, "%d points", count_of (&g));
  gegl_node_set (g.source, "buffer", empty, NULL);
  g_free (seen (&g, &roi));
  expect (count_of (&g) == 0, "%d points of an empty picture", count_of (&g));
  g_object_unref (g.graph);
  for (gint result = 0; result < 3; result++)
    {
      gfloat *pixels;

      g = graph_of (NULL, result, mode);
      pixels = seen (&g, &roi);
      expect (count_of (&g) == 0, "%d points of a plane without an end, result %d", count_of (&g), result);
      g_free (pixels);
      g_object_unref (g.graph);
    }
  g_object_unref (buffer);
  g_object_unref (empty);
}

/* Blobs side by side are more points than the device's lists are made for at first: none is lost. */
static void
check_crowd (void)
{
  const GeglRectangle box = { 0, 0, SIZE, SIZE };
  GeglBuffer         *buffer = gegl_buffer_new (&box, babl_format ("Y~ float"));
  gfloat             *pixels = g_new0 (gfloat, SIZE * SIZE);
  CheckRandom         random = { 20261123 };
  gint                counts[2];

  for (gint y = 3; y < SIZE - 3; y += 6)
    for (gint x = 3; x < SIZE - 3; x += 6)
      {
        const gdouble x0 = x + check_uniform (&random) - 0.5, y0 = y + check_uniform (&random) - 0.5, height = 0.3 + 0.7 * check_uniform (&random);

        for (gint i = -3; i <= 3; i++)
          for (gint j = -3; j <= 3; j++)
            pixels[(y + i) * SIZE + x + j] += height * exp (-((x + j - x0) * (x + j - x0) + (y + i - y0) * (y + i - y0)) / 2);
      }
  gegl_buffer_set (buffer, NULL, 0, babl_format ("Y~ float"), pixels, GEGL_AUTO_ROWSTRIDE);
  for (gint on_device = 0; on_device < 2; on_device++)
    {
      Graph g = graph_of (buffer, 2, on_device ? TESSERA_OPENCL_FORCE : TESSERA_OPENCL_OFF);

      gegl_node_set (g.node, "contrast-threshold", 0.0, NULL);
      g_free (seen (&g, &box));
      counts[on_device] = count_of (&g);
      g_object_unref (g.graph);
    }
  expect (counts[0] > 4 * SIZE * SIZE / 256 + 1 && counts[0] == counts[1], "of many blobs %d points, on the device %d", counts[0], counts[1]);
  g_free (pixels);
  g_object_unref (buffer);
}

int
sift_state_test (int argc, char **argv)
{
  static const TesseraOpenclMode modes[] = { TESSERA_OPENCL_OFF, TESSERA_OPENCL_FORCE };
  gint                           code;

  g_setenv ("GEGL_PATH", TEST_OPERATIONS_DIR G_SEARCHPATH_SEPARATOR_S TEST_PLUGINS_DIR, FALSE);
  gegl_init (&argc, &argv);
  if (! gegl_has_operation ("tessera:sift"))
    g_error ("tessera:sift is missing");
  for (guint m = 0; m < G_N_ELEMENTS (modes); m++)
    {
      for (gint result = 0; result < 3; result++)
        check_changes (result, modes[m]);
      check_far_change (modes[m]);
      check_hidden ("R'G'B'A u8", modes[m]);
      check_hidden ("RGBA float", modes[m]);
      check_hidden ("R'G'B'A float", modes[m]);
      check_nothing (modes[m]);
    }
  check_wide ();
  check_crowd ();
  code = expect_told ();
  gegl_exit ();
  return code;
}
