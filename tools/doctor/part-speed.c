/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The part that times each filter: in C where OpenCL is off, else on the device.
 */
#include "graph.h"

#include "doctor.h"

#include <math.h>

#define LONGEST_US 10000000             /* a run that takes longer is the last */

/* Settings as photographers use them; other filters have their defaults. */
static const struct
{
  const gchar *operation, *property;
  gdouble      value;
} settings[] = {
  { "tessera:motion-blur", "length", 40.0 },
  { "tessera:motion-blur", "angle", 45.0 }
};

/* Smooth shapes, texture and noise, values 0..1. */
static gfloat *
picture (gint width, gint height)
{
  gfloat *pixels = g_new (gfloat, 4 * (gsize) width * height), *at = pixels;
  guint32 state = 1;

  for (gint y = 0; y < height; y++)
    for (gint x = 0; x < width; x++)
      for (gint c = 0; c < 4; c++)
        {
          state = state * 1664525u + 1013904223u;
          *at++ = c == 3 ? 1.0f : 0.85f * (((x / (64 + 16 * c)) ^ (y / (48 + 16 * c))) % 8 / 8.0f)
                                  + 0.15f * ((state >> 8) / 16777216.0f);
        }
  return pixels;
}

static gint64
time_run (FilterGraph *graph)
{
  gint64 began = g_get_monotonic_time ();

  graph_run (graph, babl_format ("RGBA float"));
  return g_get_monotonic_time () - began;
}

static guint64
on_device_so_far (void)
{
  TesseraCounters counters;

  tessera_get_counters (&counters);
  return counters.device_requests;
}

/* The fastest of a few runs, in microseconds. */
static gint64
best_run (FilterGraph *graph, gboolean quick)
{
  gint64 first = time_run (graph), best = G_MAXINT64;
  gint   runs = first > 3000000 ? 0 : first > 500000 ? 2 : quick ? 3 : 6;

  for (gint i = 0; i < runs; i++)
    best = MIN (best, time_run (graph));
  return runs == 0 ? first : best;
}

/* What TESSERA_OPENCL=auto takes here. */
static const gchar *
automatic (FilterGraph *graph)
{
  guint64 before = on_device_so_far ();

  tessera_set_opencl_mode (TESSERA_OPENCL_AUTO);
  graph_run (graph, babl_format ("RGBA float"));
  tessera_set_opencl_mode (TESSERA_OPENCL_FORCE);
  return on_device_so_far () > before ? "OpenCL" : "C";
}

static void
time_filter (const gchar *operation, gdouble mpix, gboolean on_device, gboolean quick, gboolean *too_slow)
{
  const gint  height = MAX (1, (gint) sqrt (mpix * 1e6 / 1.5)), width = height * 3 / 2;
  g_autofree gfloat *pixels = picture (width, height);
  FilterGraph graph;
  gint64      best;
  guint64     before = on_device_so_far ();
  g_autofree gchar *key = g_strdup_printf ("s.%s.%g", operation, mpix), *other = NULL;

  say_doing ("timing %s at %g Mpix", operation, mpix);
  graph_open (&graph, operation, NULL, width, height);
  graph_set_input (&graph, babl_format ("RGBA float"), pixels);
  for (gsize i = 0; i < G_N_ELEMENTS (settings); i++)
    if (g_str_equal (settings[i].operation, operation) && gegl_node_find_property (graph.filter, settings[i].property))
      gegl_node_set (graph.filter, settings[i].property, settings[i].value, NULL);
  if (! on_device || graph.has_opencl)
    {
      best = best_run (&graph, quick);
      *too_slow = best > LONGEST_US || (on_device && on_device_so_far () == before);
      say (key, "%.3f", on_device && on_device_so_far () == before ? 0.0 : best / 1e3);
      if (on_device && ! *too_slow)
        {
          other = g_strdup_printf ("a.%s.%g", operation, mpix);
          say (other, "%s", automatic (&graph));
        }
    }
  graph_close (&graph);
}

/* The small pictures of all filters first: where time is short, there is something of each. */
static void
time_filters (gchar **operations, gboolean on_device, gboolean quick, gint budget)
{
  const gdouble sizes[] = { 0.06, quick ? 0.25 : 1.0, quick ? 0.0 : 8.0 };
  g_autofree gboolean *too_slow = g_new0 (gboolean, g_strv_length (operations));
  gint64        began = g_get_monotonic_time ();

  for (gsize k = 0; k < G_N_ELEMENTS (sizes) && sizes[k] > 0; k++)
    for (guint i = 0; operations[i]; i++)
      {
        if (too_slow[i])
          continue;
        if (g_get_monotonic_time () - began > budget * G_GINT64_CONSTANT (1000000))
          {
            say ("stopped", "%s at %g Mpix", operations[i], sizes[k]);
            return;
          }
        time_filter (operations[i], sizes[k], on_device, quick, &too_slow[i]);
      }
}

gint
run_part_speed (gboolean quick, gint budget)
{
  gboolean on_device;
  gchar  **operations;

  say_doing ("starting GEGL");
  gegl_init (NULL, NULL);
  on_device = tessera_device_name () != NULL;
  tessera_set_opencl_mode (on_device ? TESSERA_OPENCL_FORCE : TESSERA_OPENCL_OFF);
  say ("where", "%s", on_device ? tessera_device_name () : "C");
  operations = graph_operations ();
  time_filters (operations, on_device, quick, budget);
  g_strfreev (operations);
  say_doing ("leaving GEGL");
  gegl_exit ();
  return 0;
}
