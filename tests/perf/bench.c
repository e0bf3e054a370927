/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Times Tessera's filters beside GEGL's own in one process: buffer -> filter ->
 * buffer through gegl_node_blit_buffer, minimum and median after a warm-up.
 *
 *   bench [--mpix N] [--runs N] [--only NAME] [--rivals no]
 *
 * OpenCL is whatever GEGL_USE_OPENCL says: run C with GEGL_USE_OPENCL=no.
 */
#include <gegl.h>
#include <stdlib.h>
#include <string.h>

#include "tessera.h"

typedef struct
{
  const gchar *title;
  const gchar *ours[6];         /* operation, property, value, ... */
  const gchar *rival[6];
} Row;

static const Row rows[] = {
  { "motion-blur length 40, angle 45",
    { "tessera:motion-blur", "length", "40", "angle", "45" },
    { "gegl:motion-blur-linear", "length", "40", "angle", "45" } },
  { "bilateral-grid channels (8, 0.1)",
    { "tessera:bilateral-grid", "spatial-sigma", "8", "range-sigma", "0.1" },
    { "gegl:bilateral-filter", "blur-radius", "8" } },
  { "bilateral-grid luminance (8, 0.1)",
    { "tessera:bilateral-grid", "guide", "luminance" },
    { "gegl:bilateral-filter", "blur-radius", "8" } }
};

static gdouble mpix = 4.0;
static gint    runs = 7;
static gchar  *only, *rivals;

static const GOptionEntry options[] = {
  { "mpix", 0, 0, G_OPTION_ARG_DOUBLE, &mpix, "Image size in Mpix, 3:2", "N" },
  { "runs", 0, 0, G_OPTION_ARG_INT, &runs, "Timed runs of each", "N" },
  { "only", 0, 0, G_OPTION_ARG_STRING, &only, "Rows whose title contains this", "TEXT" },
  { "rivals", 0, 0, G_OPTION_ARG_STRING, &rivals, "no: Tessera alone", "no" },
  { NULL, 0, 0, 0, NULL, NULL, NULL }
};

/* Something like a photograph: smooth shapes, texture and noise, values 0..1. */
static GeglBuffer *
picture (gint width, gint height)
{
  GeglBuffer *buffer = gegl_buffer_new (GEGL_RECTANGLE (0, 0, width, height),
                                        babl_format ("RGBA float"));
  gfloat     *row = g_new (gfloat, 4 * (gsize) width);
  guint32     state = 1;

  for (gint y = 0; y < height; y++)
    {
      for (gint x = 0; x < width; x++)
        for (gint c = 0; c < 4; c++)
          {
            gfloat noise, shape;

            state = state * 1664525u + 1013904223u;
            noise = (state >> 8) / 16777216.0f;
            shape = ((x / (64 + 16 * c)) ^ (y / (48 + 16 * c))) % 8 / 8.0f;
            row[4 * x + c] = c == 3 ? 1.0f : 0.85f * shape + 0.1f * noise
                                             + 0.05f * ((x * 3 + y * 5) % 97) / 97.0f;
          }
      gegl_buffer_set (buffer, GEGL_RECTANGLE (0, y, width, 1), 0, babl_format ("RGBA float"), row,
                       GEGL_AUTO_ROWSTRIDE);
    }
  g_free (row);
  return buffer;
}

static void
set_property (GeglNode *node, const gchar *name, const gchar *text)
{
  GParamSpec *spec = gegl_node_find_property (node, name);

  if (! spec)
    g_error ("no property %s", name);
  if (G_IS_PARAM_SPEC_ENUM (spec))
    {
      GEnumValue *value = g_enum_get_value_by_nick (G_PARAM_SPEC_ENUM (spec)->enum_class, text);

      gegl_node_set (node, name, value->value, NULL);
    }
  else if (G_IS_PARAM_SPEC_DOUBLE (spec))
    gegl_node_set (node, name, g_ascii_strtod (text, NULL), NULL);
  else
    gegl_node_set (node, name, atoi (text), NULL);
}

static int
compare (const void *a, const void *b)
{
  const gdouble *p = a, *q = b;

  return (*p > *q) - (*p < *q);
}

/* Milliseconds: minimum in *best, the median returned; negative: no such operation. */
static gdouble
time_operation (const gchar *const *what, GeglBuffer *input, gint n, gdouble *best)
{
  gdouble  *times = g_new (gdouble, n);
  gdouble   median;
  GeglNode *graph, *source, *filter;

  if (! gegl_has_operation (what[0]))
    g_error ("there is no operation %s: is GEGL_PATH right?", what[0]);
  graph = gegl_node_new ();
  source = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", input, NULL);
  filter = gegl_node_new_child (graph, "operation", what[0], NULL);
  g_object_set (filter, "cache-policy", GEGL_CACHE_POLICY_NEVER, NULL);
  for (gint i = 1; i < 5 && what[i]; i += 2)
    set_property (filter, what[i], what[i + 1]);
  gegl_node_link (source, filter);
  for (gint i = -1; i < n; i++)
    {
      GeglBuffer *output = gegl_buffer_new (gegl_buffer_get_extent (input), babl_format ("RGBA float"));
      gint64      began = g_get_monotonic_time ();

      gegl_node_blit_buffer (filter, output, gegl_buffer_get_extent (input), 0, GEGL_ABYSS_NONE);
      if (i >= 0)
        times[i] = (g_get_monotonic_time () - began) / 1e3;
      g_object_unref (output);
    }
  g_object_unref (graph);
  qsort (times, n, sizeof *times, compare);
  *best = times[0];
  median = times[n / 2];
  g_free (times);
  return median;
}

static void
bench_row (const Row *row, GeglBuffer *input)
{
  TesseraCounters before, after;
  gdouble         best, median, rival_best, rival_median;

  tessera_get_counters (&before);
  median = time_operation (row->ours, input, runs, &best);
  tessera_get_counters (&after);
  g_print ("| %-34s | %-6s | %8.1f | %8.1f |", row->title,
           after.device_requests > before.device_requests ? "OpenCL" : "C", best, median);
  if (rivals)
    g_print ("\n");
  else
    {
      rival_median = time_operation (row->rival, input, best > 1000 ? 1 : 3, &rival_best);
      g_print (" %-24s | %8.1f | %8.1f | %5.1f |\n", row->rival[0], rival_best, rival_median,
               rival_best / best);
    }
}

int
main (int argc, char **argv)
{
  GOptionContext *context = g_option_context_new ("- times Tessera's filters");
  GError         *error = NULL;
  GeglBuffer     *input;
  gint            height, threads = 0;

  g_option_context_add_main_entries (context, options, NULL);
  if (! g_option_context_parse (context, &argc, &argv, &error))
    {
      g_printerr ("bench: %s\n", error->message);
      return 2;
    }
  g_option_context_free (context);
  g_setenv ("GEGL_SWAP", "RAM", FALSE);
  g_setenv ("GEGL_CACHE_SIZE", "8000", FALSE);
  gegl_init (NULL, NULL);

  g_object_get (gegl_config (), "threads", &threads, NULL);
  height = (gint) (1000 * __builtin_sqrt (mpix * 2.0 / 3.0));
  input = picture (height * 3 / 2, height);
  g_print ("%d x %d RGBA float, %d threads, OpenCL: %s\n", height * 3 / 2, height, threads,
           tessera_device_name () ? tessera_device_name () : "off");
  g_print ("| filter | path | min ms | median ms | rival | min ms | median ms | times faster |\n"
           "|---|---|---|---|---|---|---|---|\n");
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    if (! only || strstr (rows[i].title, only))
      bench_row (&rows[i], input);
  g_object_unref (input);
  gegl_exit ();
  return 0;
}
