/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * edges-whole.c: a filter of the whole image computes it once, and anew when a part of it changes. */
#include "edges.h"

/* Dots on a pattern that the eye takes for grey; in the corner one more, or not. */
static GeglBuffer *
dotted (gboolean one_more)
{
  const GeglRectangle box = { 0, 0, 200, 150 };
  GeglBuffer         *buffer = gegl_buffer_new (&box, babl_format ("RGBA float"));
  gfloat             *pixels = g_new (gfloat, 4 * box.width * box.height);

  for (gint i = 0; i < box.width * box.height; i++)
    {
      const gint     x = i % box.width, y = i / box.width;
      const gboolean dot = (x % 10 == 0 && y % 10 == 0) || (one_more && x == 5 && y == 0);

      for (gint k = 0; k < 4; k++)
        pixels[4 * i + k] = k == 3 || dot ? 1.0f : (x * 7 + y * 13) % 48 / 97.0f;
    }
  gegl_buffer_set (buffer, &box, 0, babl_format ("RGBA float"), pixels, GEGL_AUTO_ROWSTRIDE);
  g_free (pixels);
  return buffer;
}

static GeglNode *
cached_node (Edge *e, GeglNode *graph, GeglBuffer *buffer)
{
  GeglNode *source = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", buffer, NULL);
  GeglNode *node = check_operation_node (e->filter, &e->c, graph);

  g_object_set (node, "dont-cache", FALSE, NULL);
  gegl_node_link (source, node);
  return node;
}

static void
blit_tile (Edge *e, GeglNode *node, gint n, CheckPixels *pixels)
{
  const GeglRectangle roi = { n % 4 * 50, n / 4 * 30, 50, 30 };

  check_node_read (e->filter, &e->c, node, &roi, GEGL_BLIT_CACHE, pixels);
}

/* A filter of the whole image computes it once for all its tiles, and again when a far
 * pixel changes. */
void
edge_whole_image (Edge *e, GString *why)
{
  GeglNode       *graph = gegl_node_new (), *fresh_graph = gegl_node_new (), *node;
  GeglBuffer     *buffer = dotted (FALSE), *other = dotted (TRUE);
  CheckPixels     tile, changed, fresh;
  TesseraCounters before, after;
  gboolean        good;

  edge_set_leg (e);
  check_default_values (e->filter, e->c.value);
  if (e->filter->reach_far)
    e->filter->reach_far (e->c.value);
  node = cached_node (e, graph, buffer);
  tessera_get_counters (&before);
  for (gint n = 0; n < 20; n++)
    {
      blit_tile (e, node, n, &tile);
      if (n < 19)
        check_pixels_clear (&tile);
    }
  tessera_get_counters (&after);
  good = after.requests - before.requests == (guint64) MAX (e->filter->requests, 1);
  if (! good)
    g_string_append_printf (why, "  20 tiles took %" G_GUINT64_FORMAT " requests\n", after.requests - before.requests);
  edge_verdict (e, good, "computed once for all tiles", why);

  gegl_buffer_copy (other, GEGL_RECTANGLE (5, 0, 1, 1), GEGL_ABYSS_NONE, buffer, GEGL_RECTANGLE (5, 0, 1, 1));
  blit_tile (e, node, 19, &changed);
  blit_tile (e, cached_node (e, fresh_graph, other), 19, &fresh);
  good = check_same_bits (&changed, &fresh, "after a far pixel changed vs a new graph", why);
  if (good && ! e->filter->draws_points && ! e->filter->seldom_far && memcmp (tile.pixels, fresh.pixels, 4 * 50 * 30 * sizeof (gfloat)) == 0)
    {
      g_string_append (why, "  the far pixel makes no difference here\n");
      good = FALSE;
    }
  edge_verdict (e, good, "a far pixel changes", why);
  check_pixels_clear (&tile);
  check_pixels_clear (&changed);
  check_pixels_clear (&fresh);
  g_object_unref (graph);
  g_object_unref (fresh_graph);
  g_object_unref (buffer);
  g_object_unref (other);
}

/* The same while the input has lost a part without a word, as by gegl_buffer_set_extent; when that is back, it is new. */
void
edge_lost_part (Edge *e, GString *why)
{
  const GeglRectangle rest = { 0, 0, 120, 150 }, all = { 0, 0, 200, 150 }, dot = { 5, 0, 1, 1 };
  GeglNode           *graph = gegl_node_new (), *fresh_graph = gegl_node_new (), *node;
  GeglBuffer         *buffer = dotted (FALSE), *other = dotted (TRUE);
  CheckPixels         was, now, fresh;

  edge_set_leg (e);
  check_default_values (e->filter, e->c.value);
  if (e->filter->reach_far)
    e->filter->reach_far (e->c.value);
  node = cached_node (e, graph, buffer);
  blit_tile (e, node, 19, &was);
  gegl_buffer_set_extent (buffer, &rest);
  gegl_buffer_copy (other, &dot, GEGL_ABYSS_NONE, buffer, &dot);
  gegl_buffer_set_extent (buffer, &all);
  blit_tile (e, node, 19, &now);
  blit_tile (e, cached_node (e, fresh_graph, buffer), 19, &fresh);
  edge_verdict (e, check_same_bits (&now, &fresh, "after a part was lost vs a new graph", why), "the input loses a part for a while", why);
  check_pixels_clear (&was);
  check_pixels_clear (&now);
  check_pixels_clear (&fresh);
  g_object_unref (graph);
  g_object_unref (fresh_graph);
  g_object_unref (buffer);
  g_object_unref (other);
}
