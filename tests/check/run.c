/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Runs an operation through a real GEGL graph, a fresh one each time, and
 * checks everything about the run that is not a pixel's value. */
#include "check.h"

/* ----------------------------------------------------- GLib's warnings -- */

static GMutex   warnings_lock;
static GString *warnings;

static GLogWriterOutput
collect_warning (GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer data)
{
  if ((level & G_LOG_LEVEL_MASK) <= G_LOG_LEVEL_WARNING)
    {
      gchar *line = g_log_writer_format_fields (level, fields, n_fields, FALSE);

      /* GEGL 0.4.42's checkerboard, our endless source, is refused by NVIDIA's driver at some
       * sizes ("out of resources") and then runs in C. */
      if (! strstr (line, "@checkerboard_cl_process"))
        {
          g_mutex_lock (&warnings_lock);
          if (! warnings)
            warnings = g_string_new (NULL);
          g_string_append_printf (warnings, "%s\n", g_strstrip (line));
          g_mutex_unlock (&warnings_lock);
        }
      g_free (line);
      return G_LOG_WRITER_HANDLED;
    }
  return g_log_writer_default (level, fields, n_fields, data);
}

void
check_watch_warnings (void)
{
  g_log_set_writer_func (collect_warning, NULL, NULL);
}

gchar *
check_take_warnings (void)
{
  GString *taken;

  g_mutex_lock (&warnings_lock);
  taken = warnings;
  warnings = NULL;
  g_mutex_unlock (&warnings_lock);
  return taken ? g_string_free (taken, FALSE) : NULL;
}

/* ---------------------------------------------------------------- graph -- */

const gchar *
check_leg_name (CheckLeg leg)
{
  return leg == CHECK_LEG_C ? "C" : leg == CHECK_LEG_OPENCL ? "OpenCL" : "reference";
}

void
check_set_threads (gint threads)
{
  static gint usual;
  gint        now;

  g_object_get (gegl_config (), "threads", &now, NULL);
  if (! usual)
    usual = now;
  if (threads <= 0)
    threads = usual;
  if (threads != now)
    g_object_set (gegl_config (), "threads", threads, NULL);
}

/* Bands, threads, and whether results of any size are sent straight into tiles. */
void
check_set_engine (const CheckCase *c)
{
  tessera_set_band_rows (c->field[CHECK_BANDS]);
  tessera_set_tile_pixels (c->field[CHECK_SENT] ? 1 : -1);
  check_set_threads (c->field[CHECK_THREADS]);
}

GeglNode *
check_operation_node (const CheckFilter *filter,
                      const CheckCase   *c,
                      GeglNode          *graph)
{
  GeglNode *node = gegl_node_new_child (graph, "operation", filter->operation, NULL);

  g_object_set (node, "dont-cache", TRUE, NULL);
  for (gint i = 0; i < filter->n_properties; i++)
    {
      const CheckProperty *property = &filter->properties[i];

      if (property->kind == CHECK_DOUBLE)
        gegl_node_set (node, property->name, c->value[i], NULL);
      else if (property->kind == CHECK_INT)
        gegl_node_set (node, property->name, (gint) c->value[i], NULL);
      else if (property->kind == CHECK_BOOLEAN)
        gegl_node_set (node, property->name, (gboolean) c->value[i], NULL);
      else if (property->kind == CHECK_TEXT)
        gegl_node_set (node, property->name, property->nicks[(gint) c->value[i]], NULL);
      else
        {
          GParamSpec *spec = gegl_node_find_property (node, property->name);
          GEnumValue *value = spec && G_IS_PARAM_SPEC_ENUM (spec)
                                ? g_enum_get_value_by_nick (G_PARAM_SPEC_ENUM (spec)->enum_class,
                                                            property->nicks[(gint) c->value[i]])
                                : NULL;

          if (value)
            gegl_node_set (node, property->name, value->value, NULL);
          else
            g_warning ("%s has no %s=%s", filter->operation, property->name,
                       property->nicks[(gint) c->value[i]]);
        }
    }
  return node;
}

void
check_connect_source (GeglNode *graph, GeglNode *node, const gchar *pad, CheckSource *source)
{
  GeglNode *child;

  if (! source)
    return;
  child = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", source->buffer, NULL);
  gegl_node_connect_to (child, "output", node, pad);
}

static void
blit_to_buffer (GeglNode *node, CheckGuarded *guarded, const GeglRectangle *roi, const Babl *format)
{
  GeglBuffer *buffer = gegl_buffer_linear_new_from_data (check_guarded_data (guarded), format, roi,
                                                         (gint) guarded->stride, NULL, NULL);

  gegl_node_blit_buffer (node, buffer, roi, 0, GEGL_ABYSS_NONE);
  gegl_buffer_flush (buffer);
  g_object_unref (buffer);
}

static void
process_in_chunks (GeglNode *graph, GeglNode *node, CheckGuarded *guarded, const GeglRectangle *roi,
                   const Babl *format)
{
  GeglBuffer    *buffer = gegl_buffer_new (roi, format);
  GeglNode      *sink = gegl_node_new_child (graph, "operation", "gegl:write-buffer", "buffer", buffer, NULL);
  GeglProcessor *processor;

  gegl_node_link (node, sink);
  processor = gegl_node_new_processor (sink, roi);
  while (gegl_processor_work (processor, NULL));
  g_object_unref (processor);
  gegl_buffer_get (buffer, roi, 1.0, format, check_guarded_data (guarded), (gint) guarded->stride,
                   GEGL_ABYSS_NONE);
  g_object_unref (buffer);
}

static gboolean
box_expected (const CheckFilter *filter, const CheckCase *c, GeglNode *node, gboolean connected, GString *why)
{
  GeglRectangle expected = check_output_box (filter, c);
  GeglRectangle box = gegl_node_get_bounding_box (node), most = check_image_box (c);

  if (! connected || gegl_rectangle_equal (&box, &expected))
    return TRUE;
  if (filter->most_bounds)
    {
      filter->most_bounds (c->value, &most);
      if (gegl_rectangle_contains (&box, &expected) && gegl_rectangle_contains (&most, &box))
        return TRUE;
    }
  g_string_append_printf (why, "  bounding box %d,%d %dx%d instead of %d,%d %dx%d\n", box.x, box.y,
                          box.width, box.height, expected.x, expected.y, expected.width,
                          expected.height);
  return FALSE;
}

static gboolean
finish_blit (CheckGuarded *guarded, CheckSource *source, CheckSource *aux, CheckPixels *pixels, GString *why)
{
  gboolean good = check_guarded_whole (guarded, why);
  gchar   *text = check_take_warnings ();

  if (source)
    good &= check_source_same (source, why);
  if (aux)
    good &= check_source_same (aux, why);
  if (text)
    g_string_append_printf (why, "  warning: %s", text);
  good &= ! text;
  g_free (text);
  for (gint y = 0; y < guarded->height; y++)
    memcpy ((guint8 *) pixels->pixels + y * guarded->row_bytes,
            check_guarded_data (guarded) + y * guarded->stride, guarded->row_bytes);
  check_guarded_clear (guarded);
  return good;
}

gboolean
check_blit (const CheckFilter   *filter,
            const CheckCase     *c,
            CheckSource         *source,
            CheckSource         *aux,
            const GeglRectangle *roi,
            CheckPixels         *pixels,
            GString             *why)
{
  GeglNode    *graph = gegl_node_new ();
  GeglNode    *node = check_operation_node (filter, c, graph);
  const Babl  *format;
  CheckGuarded guarded;
  gboolean     good;

  check_connect_source (graph, node, "input", source);
  check_connect_source (graph, node, "aux", aux);
  format = check_read_format (filter, c, node);
  check_guarded_init (&guarded, roi->width, roi->height, babl_format_get_bytes_per_pixel (format),
                      c->field[CHECK_PAD]);
  pixels->roi = *roi;
  pixels->pixels = g_new (gfloat, MAX ((gsize) roi->width * roi->height * 4, 1));
  good = box_expected (filter, c, node, source != NULL, why);
  if (! gegl_rectangle_is_empty (roi) && c->field[CHECK_SINK] == CHECK_SINK_BLIT_BUFFER)
    blit_to_buffer (node, &guarded, roi, format);
  else if (! gegl_rectangle_is_empty (roi) && c->field[CHECK_SINK] == CHECK_SINK_PROCESSOR)
    process_in_chunks (graph, node, &guarded, roi, format);
  else
    gegl_node_blit (node, 1.0, roi, format, check_guarded_data (&guarded), (gint) guarded.stride,
                    GEGL_BLIT_DEFAULT);
  g_object_unref (graph);
  good &= finish_blit (&guarded, source, aux, pixels, why);
  check_pixels_spread (filter, c, format, pixels);
  return good;
}

void
check_node_read (const CheckFilter   *filter,
                 const CheckCase     *c,
                 GeglNode            *node,
                 const GeglRectangle *roi,
                 GeglBlitFlags        flags,
                 CheckPixels         *pixels)
{
  const Babl *format = check_read_format (filter, c, node);

  pixels->roi = *roi;
  pixels->pixels = g_new0 (gfloat, MAX ((gsize) roi->width * roi->height * 4, 1));
  gegl_node_blit (node, 1.0, roi, format, pixels->pixels, GEGL_AUTO_ROWSTRIDE, flags);
  check_pixels_spread (filter, c, format, pixels);
}

void
check_pixels_clear (CheckPixels *pixels)
{
  g_clear_pointer (&pixels->pixels, g_free);
}

/* The device leg must have used the device and nothing else, and the C leg
 * must have left it alone. */
static gboolean
counters_expected (const TesseraCounters *before, const TesseraCounters *after, CheckLeg leg,
                   gboolean may_do_nothing, GString *why)
{
  guint64  device = after->device_requests - before->device_requests;
  guint64  c = after->c_requests - before->c_requests, fallbacks = after->fallbacks - before->fallbacks;
  guint64  launches = after->launches - before->launches;
  gboolean good;

  if (may_do_nothing && ! device && ! c)
    return TRUE;
  if (leg == CHECK_LEG_OPENCL)
    good = device && launches && ! c && ! fallbacks;
  else
    good = c && ! device && ! launches;
  if (! good)
    g_string_append_printf (why, "  the %s leg counted %" G_GUINT64_FORMAT " device requests, %"
                            G_GUINT64_FORMAT " launches, %" G_GUINT64_FORMAT " C requests, %"
                            G_GUINT64_FORMAT " fallbacks\n", check_leg_name (leg), device, launches, c,
                            fallbacks);
  return good;
}

gboolean
check_run (const CheckFilter   *filter,
           const CheckCase     *c,
           CheckSource         *source,
           CheckSource         *aux,
           const GeglRectangle *roi,
           CheckLeg             leg,
           CheckPixels         *pixels,
           GString             *why)
{
  TesseraCounters before, after;
  gboolean        good;
  gsize           start = why->len;

  if (leg == CHECK_LEG_OPENCL)
    tessera_set_fault (NULL);   /* a case must not pay for the failures of those before it */
  tessera_set_opencl_mode (leg == CHECK_LEG_C ? TESSERA_OPENCL_OFF : TESSERA_OPENCL_FORCE);
  check_set_engine (c);
  tessera_get_counters (&before);
  good = check_blit (filter, c, source, aux, roi, pixels, why);
  tessera_get_counters (&after);
  tessera_set_band_rows (0);
  good &= counters_expected (&before, &after, leg,
                             gegl_rectangle_is_empty (roi) || (filter->passes && filter->passes (c->value)), why);
  if (! good)
    {
      gchar *text = g_strdup_printf ("  in the %s leg:\n", check_leg_name (leg));

      g_string_insert (why, (gssize) start, text);
      g_free (text);
    }
  return good;
}
