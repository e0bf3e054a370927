/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * remembered: an operation that is asked for another drawing of the same picture does not look for its contents again, and its
 * pixels are those of an operation that has just been made; whatever else changes, it looks again. */
#include <gegl.h>
#include <string.h>

#include "tessera-control.h"
#include "verdict.h"

#define WIDTH  180
#define HEIGHT 150
#define SQUARE 64
#define MOST   64               /* answers that are kept */

typedef struct
{
  const gchar *operation, *drawing;     /* a property that changes the result, but nothing that is looked for */
  gdouble      drawings[3];
  const gchar *search;                  /* one that changes it */
  gdouble      searches[2];
  gboolean     is_one_request;          /* it looks and draws in one, and remembers in C alone */
} Asked;

static const Asked all[] = {
  { "tessera:sift", "draw-scale", { 1.0, 2.5, 4.0 }, "contrast-threshold", { 0.04, 0.02 }, FALSE },
  { "tessera:sift", "draw-max", { 3, 10, 0 }, "upsample", { 1, 0 }, FALSE },
  { "tessera:equalize", "clip-limit", { 1.5, 3.0, 5.0 }, "bins", { 1024, 512 }, FALSE },
  { "tessera:equalize", "clip-limit", { 1.5, 3.0, 5.0 }, "tiles", { 4, 3 }, FALSE },
  { "tessera:equalize", "clip-limit", { 1.5, 3.0, 5.0 }, "mode", { 0, 1 }, FALSE },
  { "tessera:label", "min-area", { 1, 40, 200 }, "threshold", { 0.2, 0.11 }, TRUE },
  { "tessera:label", "result", { 0, 1, 2 }, "connectivity", { 8, 4 }, TRUE },
};

static const Asked *asked;
static const GeglRectangle *part;       /* that is asked for; NULL: all */
static const gchar *stored;
static TesseraOpenclMode mode;

/* --------------------------------------------------------------- pictures -- */

/* Blobs of several sizes, and noise. */
static GeglBuffer *
picture (gint left)
{
  GeglBuffer *buffer = gegl_buffer_new (GEGL_RECTANGLE (left, 0, WIDTH, HEIGHT), babl_format (stored));
  gfloat     *values = g_new (gfloat, 4 * WIDTH * HEIGHT);

  for (gint y = 0; y < HEIGHT; y++)
    for (gint x = 0; x < WIDTH; x++)
      {
        const gint   at = y * WIDTH + x, cell = 20 + 10 * (y / 60), dx = x % cell - cell / 2, dy = y % cell - cell / 2;
        const gfloat blob = dx * dx + dy * dy < cell * cell / 16 ? 0.6f : 0.1f;

        for (gint k = 0; k < 3; k++)
          values[4 * at + k] = blob + 0.1f * k + 0x1p-27f * ((4 * at + k) * 2654435761u >> 8);
        values[4 * at + 3] = 1.0f;
      }
  gegl_buffer_set (buffer, NULL, 0, babl_format ("R'G'B'A float"), values, GEGL_AUTO_ROWSTRIDE);
  g_free (values);
  return buffer;
}

static void
set_pixel (GeglBuffer *buffer, gint x, gint y, const gfloat *pixel)
{
  gegl_buffer_set (buffer, GEGL_RECTANGLE (x, y, 1, 1), 0, babl_format ("R'G'B'A float"), pixel, GEGL_AUTO_ROWSTRIDE);
}

/* The same pixels in another order. */
static void
swap_pixels (GeglBuffer *buffer, gint x, gint y, gint other_x, gint other_y)
{
  gfloat one[4], other[4];

  gegl_buffer_sample (buffer, x, y, NULL, one, babl_format ("R'G'B'A float"), GEGL_SAMPLER_NEAREST, GEGL_ABYSS_NONE);
  gegl_buffer_sample (buffer, other_x, other_y, NULL, other, babl_format ("R'G'B'A float"), GEGL_SAMPLER_NEAREST, GEGL_ABYSS_NONE);
  set_pixel (buffer, x, y, other);
  set_pixel (buffer, other_x, other_y, one);
}

/* Of squares as large as a tile. */
static void
swap_squares (GeglBuffer *buffer)
{
  for (gint y = 0; y < SQUARE; y++)
    for (gint x = 0; x < SQUARE; x++)
      swap_pixels (buffer, x, y, SQUARE + x, y);
}

/* ------------------------------------------------------------------ nodes -- */

typedef struct
{
  GeglNode *graph, *source, *node;
} Graph;

static Graph
graph_new (GeglBuffer *buffer)
{
  Graph g = { .graph = gegl_node_new () };

  g.source = gegl_node_new_child (g.graph, "operation", "gegl:buffer-source", "buffer", buffer, NULL);
  g.node = gegl_node_new_child (g.graph, "operation", asked->operation, NULL);
  gegl_node_link (g.source, g.node);
  return g;
}

static void
set (GeglNode *node, const gchar *property, gdouble value)
{
  if (G_IS_PARAM_SPEC_DOUBLE (gegl_node_find_property (node, property)))
    gegl_node_set (node, property, value, NULL);
  else
    gegl_node_set (node, property, (gint) value, NULL);
}

/* Returns how many requests it took. */
static guint64
render (const Graph *g, gdouble drawing, gdouble search, const GeglRectangle *roi, gfloat *pixels)
{
  TesseraCounters before, after;

  set (g->node, asked->drawing, drawing);
  set (g->node, asked->search, search);
  tessera_get_counters (&before);
  gegl_node_blit (g->node, 1.0, roi, babl_format ("RGBA float"), pixels, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
  tessera_get_counters (&after);
  return after.requests - before.requests;
}

/* Does it take fewer requests than a new operation?  A second time it may: if the first took long. */
typedef enum { ANEW, MAYBE, KNOWN } Known;

/* Renders, and compares with an operation that has just been made. */
static void
same_as_new (const gchar *what, const Graph *g, GeglBuffer *buffer, gdouble drawing, gdouble search, Known known)
{
  const GeglRectangle *roi = part ? part : gegl_buffer_get_extent (buffer);
  const gsize          n = 4 * (gsize) roi->width * roi->height;
  g_autofree gfloat   *pixels = g_new0 (gfloat, n), *expected = g_new0 (gfloat, n);
  const guint64        requests = render (g, drawing, search, roi, pixels);
  Graph                alone = graph_new (buffer);
  guint64              all_requests;

  tessera_set_remembering (FALSE);
  all_requests = render (&alone, drawing, search, roi, expected);
  tessera_set_remembering (TRUE);
  g_object_unref (alone.graph);
  expect (memcmp (pixels, expected, n * sizeof (gfloat)) == 0, "%s with %s, %s of %s: other pixels", asked->operation, asked->drawing, what, stored);
  expect (known == MAYBE || asked->is_one_request || (requests < all_requests) == (known == KNOWN), "%s with %s, %s of %s: %u requests, a new one makes %u", asked->operation, asked->drawing, what, stored,
          (guint) requests, (guint) all_requests);
}

/* ------------------------------------------------------------------ cases -- */

static void
check_changes (void)
{
  static const gfloat bright[4] = { 0.9f, 0.8f, 0.7f, 1.0f };

  const gdouble *drawings = asked->drawings, *searches = asked->searches;
  GeglBuffer    *buffer = picture (0), *copy = gegl_buffer_dup (buffer), *moved = picture (7);
  Graph          g = graph_new (buffer);

  same_as_new ("the first time", &g, buffer, drawings[0], searches[0], ANEW);
  same_as_new ("the second time", &g, buffer, drawings[1], searches[0], MAYBE);
  same_as_new ("the third time", &g, buffer, drawings[2], searches[0], KNOWN);
  part = GEGL_RECTANGLE (70, 40, 50, 40);
  same_as_new ("a part", &g, buffer, drawings[0], searches[0], MAYBE);
  same_as_new ("the part again", &g, buffer, drawings[1], searches[0], MAYBE);
  same_as_new ("the part once more", &g, buffer, drawings[2], searches[0], KNOWN);
  part = NULL;
  set_pixel (buffer, WIDTH - 1, HEIGHT - 1, bright);
  same_as_new ("one pixel changed", &g, buffer, drawings[0], searches[0], ANEW);
  same_as_new ("and again", &g, buffer, drawings[1], searches[0], KNOWN);
  swap_pixels (buffer, 10, 10, 150, 100);
  same_as_new ("two pixels exchanged", &g, buffer, drawings[0], searches[0], ANEW);
  swap_squares (buffer);
  same_as_new ("two tiles exchanged", &g, buffer, drawings[0], searches[0], ANEW);
  same_as_new ("another setting", &g, buffer, drawings[1], searches[1], ANEW);
  gegl_node_set (g.source, "buffer", copy, NULL);
  same_as_new ("another buffer", &g, copy, drawings[2], searches[0], ANEW);
  same_as_new ("which is asked again", &g, copy, drawings[0], searches[0], KNOWN);
  gegl_node_set (g.source, "buffer", moved, NULL);
  same_as_new ("another place", &g, moved, drawings[2], searches[0], ANEW);
  g_object_unref (g.graph);
  g_object_unref (moved);
  g_object_unref (copy);
  g_object_unref (buffer);
}

/* Whoever switches OpenCL asks the other path. */
static void
check_mode (void)
{
  GeglBuffer *buffer = picture (0);
  Graph       g = graph_new (buffer);

  for (gint i = 0; i < 3; i++)
    same_as_new ("asked before", &g, buffer, asked->drawings[i], asked->searches[0], (Known) i);
  tessera_set_opencl_mode (mode == TESSERA_OPENCL_OFF ? TESSERA_OPENCL_FORCE : TESSERA_OPENCL_OFF);
  same_as_new ("on the other path", &g, buffer, asked->drawings[0], asked->searches[0], ANEW);
  tessera_set_opencl_mode (mode);
  g_object_unref (g.graph);
  g_object_unref (buffer);
}

/* A host that draws in pieces after a slider has moved.  Few of them are computed alone, none where the input would be computed again each time. */
static void
check_pieces (gboolean is_filtered)
{
  enum { ACROSS = 5, DOWN = 4, W = WIDTH / ACROSS, H = (HEIGHT + DOWN - 1) / DOWN };

  GeglBuffer *buffer = picture (0);
  Graph       g = graph_new (buffer);
  GeglNode   *filter = gegl_node_new_child (g.graph, "operation", is_filtered ? "tessera:gaussian-blur" : "gegl:nop", NULL);
  gfloat     *pixels = g_new (gfloat, 4 * WIDTH * HEIGHT);
  guint64     requests;
  TesseraCounters before, after;

  gegl_node_link_many (g.source, filter, g.node, NULL);
  for (gint i = 0; i < 3; i++)
    render (&g, asked->drawings[i], asked->searches[0], gegl_buffer_get_extent (buffer), pixels);
  set (g.node, asked->drawing, asked->drawings[0]);
  tessera_get_counters (&before);
  for (gint i = 0; i < ACROSS * DOWN; i++)
    gegl_node_blit (g.node, 1.0, GEGL_RECTANGLE (i % ACROSS * W, i / ACROSS * H, W, H), babl_format ("RGBA float"), pixels, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
  tessera_get_counters (&after);
  requests = after.requests - before.requests;
  expect (requests < (is_filtered ? 6 : ACROSS * DOWN), "%s with %s, %s: %u requests for %d pieces", asked->operation, asked->drawing,
          is_filtered ? "of a filter" : "of a buffer", (guint) requests, ACROSS * DOWN);
  if (asked->is_one_request && ! is_filtered)
    expect ((requests > 1) == (mode == TESSERA_OPENCL_OFF), "%s with %s: %u requests for pieces, so the picture is %s", asked->operation, asked->drawing,
            (guint) requests, requests > 1 ? "remembered" : "not remembered");
  g_free (pixels);
  g_object_unref (g.graph);
  g_object_unref (buffer);
}

static gboolean is_painted;

static void
paint_once (GeglNode *node G_GNUC_UNUSED, gdouble fraction, GeglBuffer *buffer)
{
  if (fraction > 0.5 && ! is_painted)
    {
      is_painted = TRUE;
      gegl_buffer_clear (buffer, GEGL_RECTANGLE (0, 0, WIDTH / 2, HEIGHT));
    }
}

/* Whoever paints while an operation looks gets no answer of the old pixels for the new ones. */
static void
check_meanwhile (void)
{
  GeglBuffer *buffer = picture (0);
  Graph       g = graph_new (buffer);
  gfloat     *pixels = g_new (gfloat, 4 * WIDTH * HEIGHT);

  is_painted = FALSE;
  tessera_set_eager_progress (TRUE);
  g_signal_connect (g.node, "progress", G_CALLBACK (paint_once), buffer);
  render (&g, asked->drawings[0], asked->searches[0], gegl_buffer_get_extent (buffer), pixels);
  tessera_set_eager_progress (FALSE);
  expect (is_painted, "%s tells of no progress", asked->operation);
  same_as_new ("painted meanwhile", &g, buffer, asked->drawings[1], asked->searches[0], MAYBE);
  same_as_new ("and asked again", &g, buffer, asked->drawings[2], asked->searches[0], MAYBE);
  g_free (pixels);
  g_object_unref (g.graph);
  g_object_unref (buffer);
}

/* What is kept has an end: of many questions the first is forgotten. */
static void
check_bound (void)
{
  GeglBuffer *buffer = picture (0);
  Graph       g = graph_new (buffer);
  gfloat     *pixels = g_new (gfloat, 4 * WIDTH * HEIGHT);

  for (gint i = 0; i < 2; i++)
    render (&g, asked->drawings[i], asked->searches[0], gegl_buffer_get_extent (buffer), pixels);
  for (gint i = 1; i < MOST; i++)
    render (&g, asked->drawings[0], asked->searches[0] + 0.001 * i, gegl_buffer_get_extent (buffer), pixels);
  same_as_new ("after 63 others", &g, buffer, asked->drawings[1], asked->searches[0], KNOWN);
  for (gint i = 1; i <= MOST; i++)
    render (&g, asked->drawings[0], asked->searches[0] + 0.2 + 0.001 * i, gegl_buffer_get_extent (buffer), pixels);
  same_as_new ("after 64 more", &g, buffer, asked->drawings[2], asked->searches[0], ANEW);
  g_free (pixels);
  g_object_unref (g.graph);
  g_object_unref (buffer);
}

/* Others of the same kind know nothing of it. */
static void
check_others (void)
{
  GeglBuffer *buffer = picture (0);
  Graph       g = graph_new (buffer), other = graph_new (buffer);

  for (gint i = 0; i < 3; i++)
    same_as_new ("one operation", &g, buffer, asked->drawings[i], asked->searches[0], (Known) i);
  same_as_new ("another operation", &other, buffer, asked->drawings[0], asked->searches[0], ANEW);
  g_object_unref (g.graph);
  g_object_unref (other.graph);
  g_object_unref (buffer);
}

int
main (int argc, char *argv[])
{
  static const gchar *const formats[] = { "R'G'B'A u8", "RGBA float", "Y' u16" };

  g_setenv ("GEGL_PATH", TEST_OPERATIONS_DIR G_SEARCHPATH_SEPARATOR_S TEST_PLUGINS_DIR, FALSE);
  gegl_init (&argc, &argv);
  g_object_set (gegl_config (), "tile-width", SQUARE, "tile-height", SQUARE, NULL);
  tessera_set_proof (FALSE);
  for (mode = TESSERA_OPENCL_OFF; mode <= (tessera_device_name () ? TESSERA_OPENCL_FORCE : TESSERA_OPENCL_OFF); mode += TESSERA_OPENCL_FORCE - TESSERA_OPENCL_OFF)
    for (guint i = 0; i < G_N_ELEMENTS (all); i++)
      {
        asked = &all[i];
        tessera_set_opencl_mode (mode);
        for (guint f = 0; f < G_N_ELEMENTS (formats); f++)
          {
            stored = formats[f];
            check_changes ();
          }
        check_others ();
        check_meanwhile ();
        check_pieces (FALSE);
        check_pieces (TRUE);
        if (tessera_device_name ())
          check_mode ();
      }
  asked = &all[0];
  stored = formats[0];
  check_bound ();
  g_print ("OpenCL: %s\n", tessera_device_name () ? tessera_device_name () : "none");
  gegl_exit ();
  return expect_told ();
}
