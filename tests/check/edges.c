/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Input that nobody means to give: nothing, too little, no end, all NaN. */
#include "edges.h"

#define CLOSE 1e-5              /* of values in 0 .. 1, babl's conversion included */

void
edge_set_leg (const Edge *e)
{
  tessera_set_opencl_mode (e->leg == CHECK_LEG_C ? TESSERA_OPENCL_OFF : TESSERA_OPENCL_FORCE);
  check_set_threads (0);
  tessera_set_tile_pixels (-1);
}

/* A graph of `source_operation` (or nothing) and the filter, drawn over `roi`. */
static void
blit_from (const Edge *e, const gchar *source_operation, gboolean filtered, const GeglRectangle *roi,
           CheckPixels *pixels)
{
  GeglNode *graph = gegl_node_new (), *source = NULL, *node = NULL;

  if (source_operation)
    source = gegl_node_new_child (graph, "operation", source_operation, NULL);
  if (filtered)
    node = check_operation_node (e->filter, &e->c, graph);
  if (source && ! strcmp (source_operation, "gegl:color"))
    {
      GeglColor *color = gegl_color_new ("rgba(0.25, 0.5, 0.75, 1.0)");

      gegl_node_set (source, "value", color, NULL);
      g_object_unref (color);
    }
  if (source && node)
    gegl_node_link (source, node);
  check_node_read (e->filter, &e->c, node ? node : source, roi, GEGL_BLIT_DEFAULT, pixels);
  g_object_unref (graph);
}

/* Ends one test: GLib's warnings count as a failure. */
void
edge_verdict (const Edge *e, gboolean good, const gchar *what, GString *why)
{
  gchar *text = check_take_warnings ();
  gchar *title = g_strdup_printf ("%s, %s leg: %s (again: check --filter %s --edges --seed %" G_GUINT64_FORMAT ")",
                                  e->filter->name, check_leg_name (e->leg), what, e->filter->name,
                                  e->options->seed);

  if (text)
    g_string_append_printf (why, "  warning: %s", text);
  if (! good || text)
    check_describe (e->filter, &e->c, why);
  check_verdict (e->stats, good && ! text, title, why, e->options->quiet);
  g_string_truncate (why, 0);
  g_free (title);
  g_free (text);
}

static gboolean
all_zero (const CheckPixels *pixels, GString *why)
{
  for (gsize i = 0; i < (gsize) pixels->roi.width * pixels->roi.height * 4; i++)
    if (pixels->pixels[i] != 0)
      {
        g_string_append (why, "  the result is not transparent black\n");
        return FALSE;
      }
  return TRUE;
}

static void
nothing_connected (Edge *e, GString *why)
{
  GeglRectangle roi = { -3, 2, 9, 7 };
  CheckPixels   pixels;

  edge_set_leg (e);
  blit_from (e, NULL, TRUE, &roi, &pixels);
  edge_verdict (e, all_zero (&pixels, why), "no input connected", why);
  check_pixels_clear (&pixels);
}

static void
empty_buffer (Edge *e, GString *why)
{
  GeglBuffer   *buffer = gegl_buffer_new (GEGL_RECTANGLE (0, 0, 0, 0), babl_format ("RGBA float"));
  GeglNode     *graph = gegl_node_new ();
  GeglNode     *source = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", buffer, NULL);
  GeglNode     *node = check_operation_node (e->filter, &e->c, graph);
  GeglRectangle roi = { 0, 0, 8, 8 };
  CheckPixels   pixels = { roi, g_new0 (gfloat, 8 * 8 * 4) };

  edge_set_leg (e);
  gegl_node_link (source, node);
  gegl_node_get_bounding_box (node);
  gegl_node_blit (node, 1.0, &roi, babl_format ("RGBA float"), pixels.pixels, GEGL_AUTO_ROWSTRIDE,
                  GEGL_BLIT_DEFAULT);
  edge_verdict (e, all_zero (&pixels, why), "empty input buffer", why);
  check_pixels_clear (&pixels);
  g_object_unref (graph);
  g_object_unref (buffer);
}

static void
empty_region (Edge *e, GString *why)
{
  CheckSource  *source = check_source_draw (e->filter, &e->c);
  GeglRectangle image = check_image_box (&e->c), roi = { image.x, image.y, 0, 0 };
  GeglRectangle outside = { image.x + 100000, image.y, 5, 5 };
  CheckPixels   pixels = { 0 };
  gboolean      good;

  edge_set_leg (e);
  good = check_blit (e->filter, &e->c, source, NULL, &roi, &pixels, why);
  edge_verdict (e, good, "region of 0 x 0", why);
  check_pixels_clear (&pixels);
  good = check_blit (e->filter, &e->c, source, NULL, &outside, &pixels, why) && all_zero (&pixels, why);
  edge_verdict (e, good, "region outside the output", why);
  check_pixels_clear (&pixels);
  check_source_free (source);
}

/* A plane without end: no border, nothing to allocate whole. */
static void
infinite_plane (Edge *e, GString *why)
{
  GeglRectangle   roi = { 100003, -77, 37, 23 };
  CheckPixels     plain, result, other;
  CheckLeg        leg = e->leg;
  TesseraCounters before, after;
  gboolean        good;

  edge_set_leg (e);
  blit_from (e, "gegl:color", FALSE, &roi, &plain);
  tessera_get_counters (&before);
  blit_from (e, "gegl:color", TRUE, &roi, &result);
  tessera_get_counters (&after);
  good = (e->filter->changes_planes && e->filter->changes_planes (e->c.value))
         || check_near (&result, &plain, CLOSE, "endless colour, in vs out (where it may change: .changes_planes)", why);
  if (leg == CHECK_LEG_OPENCL && after.device_requests == before.device_requests
      && ! e->filter->draws_points && ! (e->filter->passes && e->filter->passes (e->c.value)))
    {
      g_string_append (why, "  no device request\n");
      good = FALSE;
    }
  edge_verdict (e, good, "endless plane of one colour", why);
  check_pixels_clear (&plain);
  check_pixels_clear (&result);

  blit_from (e, "gegl:checkerboard", TRUE, &roi, &result);
  e->leg = CHECK_LEG_C;
  edge_set_leg (e);
  blit_from (e, "gegl:checkerboard", TRUE, &roi, &other);
  e->leg = leg;
  edge_verdict (e, check_near (&result, &other, CLOSE, "endless checkerboard vs C", why),
           "endless checkerboard", why);
  check_pixels_clear (&result);
  check_pixels_clear (&other);
}

/* The filter's box of a plane without end has none, whatever it does at the border of others. */
static void
endless_box (Edge *e, GString *why)
{
  GeglNode     *graph = gegl_node_new (), *source = gegl_node_new_child (graph, "operation", "gegl:color", NULL);
  GeglNode     *node = check_operation_node (e->filter, &e->c, graph);
  GeglRectangle box;

  gegl_node_link (source, node);
  box = gegl_node_get_bounding_box (node);
  if (! gegl_rectangle_is_infinite_plane (&box))
    g_string_append_printf (why, "  the box is %d,%d %d x %d\n", box.x, box.y, box.width, box.height);
  edge_verdict (e, why->len == 0, "endless plane, its box", why);
  g_object_unref (graph);
}

static void
endless_at_each_border (Edge *e, GString *why)
{
  for (gint i = 0; i < e->filter->n_properties; i++)
    for (gint k = 0; ! strcmp (e->filter->properties[i].name, "border") && e->filter->properties[i].nicks[k]; k++)
      {
        e->c.value[i] = k;
        endless_box (e, why);
        infinite_plane (e, why);
      }
}

static void
behind_another (Edge *e, GString *why)
{
  CheckCase c = e->c;

  c.field[CHECK_WIDTH] = 230;
  c.field[CHECK_HEIGHT] = 150;
  c.field[CHECK_BANDS] = 17;
  edge_verdict (e, check_chain (e->filter, &c, e->leg, why), "behind a filter of GEGL's", why);
}

static void
foreign_alpha (Edge *e, GString *why)
{
  edge_set_leg (e);
  edge_verdict (e, check_foreign_alpha (e->filter, &e->c, why), "alpha of HSVA", why);
}

/* Cases for the three legs that chance would take long to draw. */
static void
drawn (Edge *e, const gchar *set)
{
  CheckCase c = e->c;
  GError   *error = NULL;

  if (! check_override (e->filter, &c, set, &error))
    g_error ("%s", error->message);
  check_normalise (e->filter, &c);
  check_report (e->filter, &c, e->options, e->stats);
}

static void
run_edges (Edge *e, GString *why)
{
  static const CheckLeg legs[] = { CHECK_LEG_C, CHECK_LEG_OPENCL };

  for (guint i = 0; i < G_N_ELEMENTS (legs); i++)
    if (e->options->legs & legs[i])
      {
        e->leg = legs[i];
        nothing_connected (e, why);
        empty_buffer (e, why);
        empty_region (e, why);
        infinite_plane (e, why);
        endless_box (e, why);
        if (e->is_default)
          behind_another (e, why);
        if (e->is_default)
          foreign_alpha (e, why);
        if (e->filter->whole && e->is_default)
          {
            edge_whole_image (e, why);
            edge_lost_part (e, why);
          }
      }
  for (guint i = 0; i < G_N_ELEMENTS (legs) && e->is_default; i++)
    if (e->options->legs & legs[i])
      {
        Edge each = *e;

        each.leg = legs[i];
        endless_at_each_border (&each, why);
      }
  drawn (e, "width=1,height=1");
  drawn (e, "width=1,height=1,content=nan");
  drawn (e, "width=23,height=17,content=nan,alpha=random");
  drawn (e, "width=23,height=17,content=hdr,specials=100,alpha=patches");
}

void
check_edges (const CheckFilter  *filter,
             const CheckOptions *options,
             CheckStats         *stats)
{
  GString *why = g_string_new (NULL);
  Edge     e = { filter, options, stats, { 0 }, CHECK_LEG_C, FALSE };

  for (gint i = 0; i < 3; i++)
    {
      check_draw (filter, options->seed, 1000000 + i, options->max_size, &e.c);
      memset (e.c.field, 0, sizeof e.c.field);
      e.c.field[CHECK_WIDTH] = 31;
      e.c.field[CHECK_HEIGHT] = 19;
      e.is_default = i == 0;
      if (i == 0)
        check_default_values (filter, e.c.value);
      check_normalise (filter, &e.c);
      run_edges (&e, why);
    }
  if (filter->special)
    filter->special (options, stats);
  g_string_free (why, TRUE);
}
