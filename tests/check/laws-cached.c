/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Laws about what GEGL remembers: a graph whose input changes, moves or grows after it
 * was computed.  What differs then has been called invalid, and is computed anew. */
#include "check.h"

/* --------------------------------------------------------- changed input -- */

static void
blit_cached (const CheckFilter *filter, const CheckCase *c, GeglNode *node, const GeglRectangle *roi,
             CheckPixels *pixels)
{
  g_free (pixels->pixels);
  check_node_read (filter, c, node, roi, GEGL_BLIT_CACHE, pixels);
}

/* Puts other pixels into a small part of the buffer; returns which. */
static GeglRectangle
change_input (const CheckFilter *filter, const CheckCase *c, CheckSource *source)
{
  CheckRandom   random = { check_hash (c->content_seed + 79) };
  CheckCase     patch = *c;
  CheckSource  *other;
  GeglRectangle image = check_image_box (c), box;
  gint          w = 1 + check_below (&random, MIN (image.width, 9));
  gint          h = 1 + check_below (&random, MIN (image.height, 9));

  patch.content_seed = check_next (&random);
  patch.field[CHECK_CONTENT] = CHECK_CONTENT_NOISE;
  patch.field[CHECK_STORAGE] = CHECK_STORAGE_TILES;
  patch.field[CHECK_WIDTH] = w;
  patch.field[CHECK_HEIGHT] = h;
  if (check_chance (&random, 50))       /* else in a corner, whose far side is that of a repeated image */
    {
      patch.field[CHECK_X] += check_below (&random, image.width - w + 1);
      patch.field[CHECK_Y] += check_below (&random, image.height - h + 1);
    }
  other = check_source_draw (filter, &patch);
  box = other->box;
  gegl_buffer_set (source->buffer, &box, 0, source->format, other->raw, GEGL_AUTO_ROWSTRIDE);
  check_source_free (other);
  return box;
}

#define STRIPS     12                   /* each way, */
#define FEW_STRIPS 3                    /* where each costs much */
#define MUCH       64                   /* pixels that a filter reaches */

static gint
strips_of (const CheckFilter *filter, const CheckCase *c)
{
  gint x, y;

  check_halo (filter, c->value, &x, &y);
  return MAX (x, y) > MUCH || c->field[CHECK_LAW] == CHECK_LAW_MOVE ? FEW_STRIPS : STRIPS;
}

/* The first row of `roi`, its last one, others at random; then the columns. */
static GeglRectangle
strip_of (const GeglRectangle *roi, gint i, gint strips, CheckRandom *random)
{
  const gint    n = i < strips ? roi->height : roi->width;
  const gint    at = i % strips == 0 ? 0 : i % strips == 1 ? n - 1 : check_below (random, n);
  GeglRectangle strip = *roi;

  if (i < strips)
    strip.y += at, strip.height = 1;
  else
    strip.x += at, strip.width = 1;
  return strip;
}

/* Asks for single rows and columns, for the pixels around `changed` and then for the
 * whole: GEGL computes a request anew as soon as one pixel of it is invalid, so that a
 * pixel that should have been invalidated shows only where all of its request should
 * have been. */
static gboolean
ask_around (const CheckFilter *filter, const CheckCase *c, GeglNode *node, const GeglRectangle *changed,
            const CheckPixels *fresh, GString *why)
{
  const GeglRectangle roi = fresh->roi;
  const gint          big = 1 << 22, strips = strips_of (filter, c);
  const GeglRectangle areas[] = {
    { changed->x - big, changed->y - big, big, 2 * big },
    { changed->x + changed->width, changed->y - big, big, 2 * big },
    { changed->x - big, changed->y - big, 2 * big, big },
    { changed->x - big, changed->y + changed->height, 2 * big, big }, roi };
  CheckRandom         random = { check_hash (c->content_seed + 80) };
  gboolean            good = TRUE;

  for (gint i = 0; i < 2 * strips + (gint) G_N_ELEMENTS (areas) && good; i++)
    {
      CheckPixels   part = { 0 }, expected = { 0 };
      GeglRectangle area = i < 2 * strips ? strip_of (&roi, i, strips, &random) : areas[i - 2 * strips];

      if (! gegl_rectangle_intersect (&area, &area, &roi))
        continue;
      blit_cached (filter, c, node, &area, &part);
      expected.roi = area;
      expected.pixels = g_new (gfloat, (gsize) area.width * area.height * 4);
      for (gint y = 0; y < area.height; y++)
        memcpy (expected.pixels + (gsize) y * area.width * 4,
                fresh->pixels + ((gsize) (area.y - roi.y + y) * roi.width + area.x - roi.x) * 4,
                (gsize) area.width * 16);
      good = check_same_bits (&part, &expected, "cached graph after a change vs a new graph", why);
      check_pixels_clear (&part);
      check_pixels_clear (&expected);
    }
  return good;
}

static GeglNode *
build_graph (const CheckFilter *filter, const CheckCase *c, CheckSource *source, CheckSource *aux,
             GeglNode **node)
{
  GeglNode *graph = gegl_node_new (), *child;

  *node = check_operation_node (filter, c, graph);
  g_object_set (*node, "dont-cache", FALSE, "cache-policy", GEGL_CACHE_POLICY_ALWAYS, NULL);
  child = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", source->buffer, NULL);
  gegl_node_link (child, *node);
  if (aux)
    {
      child = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", aux->buffer, NULL);
      gegl_node_connect_to (child, "output", *node, "aux");
    }
  return graph;
}

static void
note_invalid (GeglNode *node G_GNUC_UNUSED, const GeglRectangle *rect, GeglRectangle *all)
{
  gegl_rectangle_bounding_box (all, all, rect);
}

/* What differs between two results, where both have pixels, must have been called invalid. */
static gboolean
was_told (const GeglRectangle *told, const CheckPixels *before, const CheckPixels *after, GString *why)
{
  const GeglRectangle *from = &before->roi, *to = &after->roi;
  GeglRectangle        both;
  gboolean             good = TRUE;

  gegl_rectangle_intersect (&both, from, to);
  for (gint y = both.y; y < both.y + both.height && good; y++)
    for (gint x = both.x; x < both.x + both.width && good; x++)
      good = memcmp (before->pixels + 4 * ((gsize) (y - from->y) * from->width + x - from->x),
                     after->pixels + 4 * ((gsize) (y - to->y) * to->width + x - to->x), 16) == 0
             || gegl_rectangle_contains (told, GEGL_RECTANGLE (x, y, 1, 1));
  if (! good)
    g_string_append_printf (why, "  more has changed than %d,%d %d x %d, which was invalidated\n", told->x, told->y,
                            told->width, told->height);
  return good;
}

/* Where each pixel depends on all, GEGL must be told of all.  Often a change makes no difference. */
static gboolean
was_told_of_all (const CheckFilter *filter, const CheckCase *c, const GeglRectangle *told, GString *why)
{
  const GeglRectangle box = check_output_box (filter, c);
  const gboolean      good = ! filter->whole || (filter->is_whole && ! filter->is_whole (c->value)) || gegl_rectangle_contains (told, &box);

  if (! good)
    g_string_append_printf (why, "  of the whole image %d,%d %d x %d alone was invalidated\n", told->x, told->y,
                            told->width, told->height);
  return good;
}

/* A cached result must follow a change of a part of the input everywhere. */
gboolean
check_law_update (const CheckFilter *filter,
                  const CheckCase   *c,
                  CheckLeg           leg,
                  GString           *why)
{
  CheckSource  *source = check_source_draw (filter, c), *aux = check_aux_draw (filter, c);
  GeglRectangle roi = check_roi (filter, c), changed, told = { 0, 0, 0, 0 };
  GeglNode     *graph, *node, *fresh_graph, *fresh_node;
  CheckPixels   cached = { 0 }, fresh = { 0 };
  gchar        *text;
  gboolean      good;

  check_set_engine (c);
  tessera_set_opencl_mode (leg == CHECK_LEG_C ? TESSERA_OPENCL_OFF : TESSERA_OPENCL_FORCE);
  graph = build_graph (filter, c, source, aux, &node);
  blit_cached (filter, c, node, &roi, &cached);
  g_signal_connect (node, "invalidated", G_CALLBACK (note_invalid), &told);
  changed = change_input (filter, c, source);
  fresh_graph = build_graph (filter, c, source, aux, &fresh_node);
  blit_cached (filter, c, fresh_node, &roi, &fresh);
  good = was_told (&told, &cached, &fresh, why) && was_told_of_all (filter, c, &told, why)
         && ask_around (filter, c, node, &changed, &fresh, why);
  g_object_unref (graph);
  g_object_unref (fresh_graph);
  text = check_take_warnings ();
  if (text)
    g_string_append_printf (why, "  warning: %s", text);
  good &= ! text;
  g_free (text);
  check_pixels_clear (&cached);
  check_pixels_clear (&fresh);
  check_source_free (source);
  check_source_free (aux);
  return good;
}

/* ----------------------------------------------------------- moved input -- */

#define PATCH_W 5
#define PATCH_H 4

/* The input with a patch over it that gegl:translate moves, also beyond its edge. */
static GeglNode *
build_moving (const CheckFilter *filter, const CheckCase *c, CheckSource *source, CheckSource *aux, GeglBuffer *patch,
              const gint *at, GeglNode **node, GeglNode **moves)
{
  GeglNode *graph = build_graph (filter, c, source, aux, node);
  GeglNode *below = gegl_node_get_producer (*node, "input", NULL);
  GeglNode *over = gegl_node_new_child (graph, "operation", "gegl:over", NULL);
  GeglNode *child = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", patch, NULL);

  /* PoCL would compile gegl:over anew for each size, which takes far longer than the law.  gegl:invert-linear, another law's, runs on the device. */
  g_object_set (over, "use-opencl", FALSE, NULL);
  *moves = gegl_node_new_child (graph, "operation", "gegl:translate", "x", (gdouble) at[0], "y", (gdouble) at[1], NULL);
  gegl_node_link_many (child, *moves, NULL);
  gegl_node_link_many (below, over, *node, NULL);
  gegl_node_connect_to (*moves, "output", over, "aux");
  return graph;
}

/* A cached result must follow an input whose box moves and grows, and shrinks again: cells, wrap-arounds and edges hang on
 * it. */
gboolean
check_law_move (const CheckFilter *filter,
                const CheckCase   *c,
                CheckLeg           leg,
                GString           *why)
{
  const GeglRectangle image = check_image_box (c), box = { image.x, image.y, PATCH_W, PATCH_H };
  const gint          way[][2] = { { 0, 0 }, { -9, -6 }, { image.width - 2, image.height + 3 } };
  CheckSource        *source = check_source_draw (filter, c), *aux = check_aux_draw (filter, c);
  GeglBuffer         *patch = gegl_buffer_new (&box, source->format);
  GeglColor          *colour = gegl_color_new ("rgb(0.9, 0.3, 0.6)");
  GeglNode           *graph, *node, *moves;
  CheckPixels         before = { 0 };
  GeglRectangle       told = { 0, 0, 0, 0 };
  gboolean            good = TRUE;
  gchar              *text;

  check_set_engine (c);
  tessera_set_opencl_mode (leg == CHECK_LEG_C ? TESSERA_OPENCL_OFF : TESSERA_OPENCL_FORCE);
  gegl_buffer_set_color (patch, NULL, colour);
  graph = build_moving (filter, c, source, aux, patch, way[0], &node, &moves);
  g_signal_connect (node, "invalidated", G_CALLBACK (note_invalid), &told);
  for (guint i = 0; i < G_N_ELEMENTS (way) && good; i++)
    {
      GeglRectangle was = check_roi (filter, c), roi = { was.x - 12, was.y - 12, was.width + 24, was.height + 24 };
      GeglNode     *fresh_graph, *fresh_node, *stays;
      GeglRectangle all;
      CheckPixels   fresh = { 0 };

      told = (GeglRectangle) { 0, 0, 0, 0 };
      gegl_node_set (moves, "x", (gdouble) way[i][0], "y", (gdouble) way[i][1], NULL);
      fresh_graph = build_moving (filter, c, source, aux, patch, way[i], &fresh_node, &stays);
      all = gegl_node_get_bounding_box (fresh_node);
      if (gegl_rectangle_intersect (&roi, &roi, &all))
        {
          blit_cached (filter, c, fresh_node, &roi, &fresh);
          good = was_told (&told, &before, &fresh, why) && ask_around (filter, c, node, &was, &fresh, why);
        }
      g_object_unref (fresh_graph);
      check_pixels_clear (&before);
      before = fresh;
    }
  check_pixels_clear (&before);
  text = check_take_warnings ();
  if (text)
    g_string_append_printf (why, "  warning: %s", text);
  good &= ! text;
  g_free (text);
  g_object_unref (graph);
  g_object_unref (patch);
  g_object_unref (colour);
  check_source_free (source);
  check_source_free (aux);
  return good;
}
