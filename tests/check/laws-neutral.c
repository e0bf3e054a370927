/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The law of neutral settings.  Where the definition gives the input back (a blur of radius 0), the result is the input:
 * the same buffer, so no copy, no rounding, hidden colours, NaN and all; nothing is asked of the engine; and what a
 * node has kept is right when a setting becomes neutral, and when it is no more. */
#include "check.h"

#include <gegl-plugin.h>

/* Hands on its input, and notes which buffer that is. */
typedef struct { GeglOperationFilter parent_instance; } CheckProbe;
typedef struct { GeglOperationFilterClass parent_class; } CheckProbeClass;

static GType check_probe_get_type (void);

G_DEFINE_TYPE (CheckProbe, check_probe, GEGL_TYPE_OPERATION_FILTER)

static gconstpointer probed[2];
static gint          probes;

static gboolean
note_input (GeglOperation *operation G_GNUC_UNUSED, GeglOperationContext *context, const gchar *pad, const GeglRectangle *roi G_GNUC_UNUSED,
            gint level G_GNUC_UNUSED)
{
  GObject *input = gegl_operation_context_get_object (context, "input");

  probed[probes++ % 2] = input;
  gegl_operation_context_take_object (context, pad, g_object_ref (input));
  return TRUE;
}

static void
check_probe_class_init (CheckProbeClass *klass)
{
  GEGL_OPERATION_CLASS (klass)->process = note_input;
  gegl_operation_class_set_key (GEGL_OPERATION_CLASS (klass), "name", "check:probe");
}

static void
check_probe_init (CheckProbe *self G_GNUC_UNUSED)
{
}

static GeglNode *
probe_new (GeglNode *graph)
{
  GeglNode *probe;

  g_type_class_unref (g_type_class_ref (check_probe_get_type ()));      /* it has its name now */
  probe = gegl_node_new_child (graph, "operation", "check:probe", NULL);
  g_object_set (probe, "dont-cache", TRUE, NULL);
  return probe;
}

static guint8 *
raw_of (GeglNode *node, const CheckSource *source)
{
  guint8 *raw = g_malloc0 ((gsize) source->box.width * source->box.height * babl_format_get_bytes_per_pixel (source->format));

  gegl_node_blit (node, 1.0, &source->box, source->format, raw, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
  return raw;
}

/* A probe before and behind the node: do both see one buffer? */
static gboolean
is_handed_on (const CheckFilter *filter, const CheckCase *c, CheckSource *source, CheckSource *aux)
{
  GeglNode *graph = gegl_node_new (), *node = check_operation_node (filter, c, graph);
  GeglNode *before = probe_new (graph), *behind = probe_new (graph);
  guint8   *raw;

  check_connect_source (graph, before, "input", source);
  check_connect_source (graph, node, "aux", aux);
  gegl_node_link_many (before, node, behind, NULL);
  probes = 0;
  raw = raw_of (behind, source);
  g_free (raw);
  g_object_unref (graph);
  return probes == 2 && probed[0] == probed[1];
}

static gboolean
is_the_input (GeglNode *node, const CheckSource *source)
{
  const GeglRectangle box = gegl_node_get_bounding_box (node);
  guint8             *raw = raw_of (node, source);
  const gsize         bytes = (gsize) source->box.width * source->box.height * babl_format_get_bytes_per_pixel (source->format);
  const gboolean      same = gegl_rectangle_equal (&box, &source->box) && memcmp (raw, source->raw, bytes) == 0
                             && gegl_operation_get_format (gegl_node_get_gegl_operation (node), "output") == source->format;

  g_free (raw);
  return same;
}

/* The properties of `from` for `to`. */
static void
take_settings (const CheckFilter *filter, GeglNode *from, GeglNode *to)
{
  for (gint i = 0; i < filter->n_properties; i++)
    {
      const gchar *name = filter->properties[i].name;
      GValue       value = G_VALUE_INIT;

      gegl_node_get_property (from, name, &value);
      gegl_node_set_property (to, name, &value);
      g_value_unset (&value);
    }
}

/* A node that keeps what it made, whose settings are those of `turns` one after another. */
static gboolean
keeps_right (const CheckFilter *filter, const CheckCase *neutral, const CheckCase *drawn, CheckSource *source, CheckSource *aux, GString *why)
{
  const CheckCase *const turns[] = { drawn, neutral, drawn, neutral };
  GeglNode       *graph = gegl_node_new (), *node = check_operation_node (filter, drawn, graph);
  gboolean        good = TRUE;

  g_object_set (node, "dont-cache", FALSE, NULL);
  check_connect_source (graph, node, "input", source);
  check_connect_source (graph, node, "aux", aux);
  for (guint i = 0; i < G_N_ELEMENTS (turns) && good; i++)
    {
      GeglNode     *other = gegl_node_new (), *fresh = check_operation_node (filter, turns[i], other);
      CheckPixels   got = { 0 }, wanted = { 0 };
      GeglRectangle roi = check_roi (filter, turns[i]);

      take_settings (filter, fresh, node);
      check_connect_source (other, fresh, "input", source);
      check_connect_source (other, fresh, "aux", aux);
      if (turns[i] == neutral && ! is_the_input (node, source))
        {
          g_string_append_printf (why, "  turn %u: a setting that became neutral does not give the input\n", i);
          good = FALSE;
        }
      if (! gegl_rectangle_is_empty (&roi))
        {
          check_node_read (filter, turns[i], node, &roi, GEGL_BLIT_CACHE, &got);
          check_node_read (filter, turns[i], fresh, &roi, GEGL_BLIT_DEFAULT, &wanted);
          good = good && check_same_bits (&got, &wanted, turns[i] == neutral ? "neutral now vs a new node" : "neutral no more vs a new node", why);
        }
      check_pixels_clear (&got);
      check_pixels_clear (&wanted);
      g_object_unref (other);
    }
  g_object_unref (graph);
  return good;
}

gboolean
check_law_neutral (const CheckFilter *filter,
                   const CheckCase   *drawn,
                   CheckLeg           leg,
                   GString           *why)
{
  CheckCase       neutral = *drawn, plain = *drawn;
  CheckSource    *source, *aux;
  GeglNode       *graph, *node;
  TesseraCounters before, after;
  gint            n = 0;
  gboolean        good;

  while (filter->neutral[n])
    n++;
  check_override (filter, &neutral, filter->neutral[drawn->content_seed % n], NULL);
  check_normalise (filter, &neutral);
  check_normalise (filter, &plain);
  check_set_engine (&plain);
  tessera_set_opencl_mode (leg == CHECK_LEG_C ? TESSERA_OPENCL_OFF : TESSERA_OPENCL_FORCE);
  source = check_source_draw (filter, &neutral);
  aux = check_aux_draw (filter, &neutral);
  graph = gegl_node_new ();
  node = check_operation_node (filter, &neutral, graph);
  check_connect_source (graph, node, "input", source);
  check_connect_source (graph, node, "aux", aux);
  tessera_get_counters (&before);
  if (! (good = is_the_input (node, source)))
    g_string_append (why, "  a neutral setting changes box, format or pixels\n");
  if (! is_handed_on (filter, &neutral, source, aux))
    {
      g_string_append (why, "  the result of a neutral setting is another buffer than the input\n");
      good = FALSE;
    }
  tessera_get_counters (&after);
  if (after.requests != before.requests)
    {
      g_string_append (why, "  the engine was asked for the result of a neutral setting\n");
      good = FALSE;
    }
  g_object_unref (graph);
  good = good && keeps_right (filter, &neutral, &plain, source, aux, why);
  good = check_source_same (source, why) && good;
  tessera_set_band_rows (0);
  check_source_free (source);
  check_source_free (aux);
  return good;
}
