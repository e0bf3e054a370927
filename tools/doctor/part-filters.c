/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The part that runs each filter on the device, in C, and on the device again:
 * does it build, do they agree, is it repeatable.
 */
#include "graph.h"

#include "doctor.h"

#include <math.h>
#include <string.h>

static const gint sizes[][2] = { { 61, 45 }, { 33, 97 }, { 1, 7 }, { 257, 130 }, { 300, 1 }, { 64, 64 } };

/* Of one filter, over its cases. */
typedef struct
{
  guint   cases, failures, unrepeatable;
  gdouble worst;                /* in units of the largest value */
  gchar  *where;
} Tally;

/* Numbers in 0..1; every third picture reaches 1000 and below 0. */
static gfloat *
noise (gsize n, guint32 state, gboolean hdr)
{
  gfloat *pixels = g_new (gfloat, n);

  for (gsize i = 0; i < n; i++)
    {
      state = state * 1664525u + 1013904223u;
      pixels[i] = (state >> 8) / 16777216.0f;
      if (hdr)
        pixels[i] = ldexpf (pixels[i] - 0.125f, (gint) (state >> 4) % 11);
    }
  return pixels;
}

static gfloat *
result (FilterGraph *graph, TesseraOpenclMode mode, const Babl *format)
{
  gsize   n = (gsize) graph->width * graph->height * babl_format_get_n_components (format);
  gfloat *pixels = g_new0 (gfloat, n);

  tessera_set_opencl_mode (mode);
  graph_run (graph, format);
  gegl_buffer_get (graph->output, NULL, 1.0, format, pixels, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
  return pixels;
}

/* The worst difference, in units of the largest value; where only one is a number: infinite. */
static gdouble
compare (const gfloat *a, const gfloat *b, gsize n, gsize *place)
{
  gdouble largest = 1e-30, worst = 0.0;

  for (gsize i = 0; i < n; i++)
    if (fabsf (b[i]) < INFINITY)
      largest = MAX (largest, fabsf (b[i]));
  for (gsize i = 0; i < n; i++)
    {
      gdouble difference = a[i] == b[i] || (isnan (a[i]) && isnan (b[i])) ? 0.0 : fabs ((gdouble) a[i] - b[i]);

      if (isnan (difference))
        difference = INFINITY;
      if (difference > worst)
        {
          worst = difference;
          *place = i;
        }
    }
  return worst / largest;
}

static guint64
answered (void)
{
  TesseraCounters counters;

  tessera_get_counters (&counters);
  return counters.device_requests;
}

static void
check_case (Tally *tally, const gchar *operation, const FilterVariant *variant, guint number)
{
  const gint  *size = sizes[number % G_N_ELEMENTS (sizes)];
  FilterGraph  graph;
  const Babl  *in, *out;
  g_autofree gfloat *pixels = NULL, *in_c = NULL, *device = NULL, *again = NULL;
  gsize        n, place = 0;
  guint64      before = answered ();
  gdouble      worst;

  graph_open (&graph, operation, variant, size[0], size[1]);
  in = graph_format (&graph, "input");
  out = graph_format (&graph, "output");
  pixels = noise ((gsize) size[0] * size[1] * babl_format_get_n_components (in), number + 1, number % 3 == 2);
  n = (gsize) size[0] * size[1] * babl_format_get_n_components (out);
  graph_set_input (&graph, in, pixels);
  device = result (&graph, TESSERA_OPENCL_FORCE, out);
  again = result (&graph, TESSERA_OPENCL_FORCE, out);
  tally->failures += answered () < before + 2;
  in_c = result (&graph, TESSERA_OPENCL_OFF, out);
  tally->cases++;
  tally->unrepeatable += memcmp (device, again, n * sizeof (gfloat)) != 0;
  worst = MAX (compare (device, in_c, n, &place), 0);
  if (worst > tally->worst)
    {
      gsize components = babl_format_get_n_components (out);

      tally->worst = worst;
      g_free (tally->where);
      tally->where = g_strdup_printf ("%dx%d pixels%s%s, at %d,%d channel %d: C %.9g, OpenCL %.9g", size[0], size[1],
                                      *variant->text ? ", " : "", variant->text,
                                      (gint) (place / components % size[0]), (gint) (place / components / size[0]),
                                      (gint) (place % components), in_c[place], device[place]);
    }
  graph_close (&graph);
}

static void
say_of (guint i, const gchar *name, const gchar *format, gdouble value)
{
  g_autofree gchar *key = g_strdup_printf ("f.%u.%s", i, name);

  say (key, format, value);
}

/* One small run, so that what it takes to build is known apart. */
static gboolean
check_build (guint i, const gchar *operation)
{
  TesseraCounters before, after;
  FilterVariant   defaults = { NULL, 0, (gchar *) "" };
  FilterGraph     graph;
  gboolean        has_opencl, ran;

  say_doing ("building and running %s for the first time", operation);
  graph_open (&graph, operation, &defaults, 64, 48);
  has_opencl = graph.has_opencl;
  say_of (i, "opencl", "%.0f", has_opencl);
  tessera_get_counters (&before);
  if (has_opencl)
    g_free (result (&graph, TESSERA_OPENCL_FORCE, babl_format ("RGBA float")));
  tessera_get_counters (&after);
  ran = after.device_requests > before.device_requests;
  say_of (i, "builds", "%.0f", after.builds - before.builds);
  say_of (i, "build_ms", "%.1f", (after.build_ns - before.build_ns) / 1e6);
  say_of (i, "ran", "%.0f", ran);
  graph_close (&graph);
  return ran;
}

static void
check_filter (guint i, const gchar *operation, guint cases)
{
  Tally   tally = { .cases = 0 };
  g_autoptr (GArray) variants = graph_variants (operation);
  gchar  *key = g_strdup_printf ("f.%u.name", i);

  say (key, "%s", operation);
  g_free (key);
  if (check_build (i, operation))
    {
      say_doing ("comparing %s in C and on the device", operation);
      for (guint n = 0; n < MAX (cases, variants->len) && tally.failures == 0; n++)
        check_case (&tally, operation, &g_array_index (variants, FilterVariant, n % variants->len), n);
      say_of (i, "cases", "%.0f", tally.cases);
      say_of (i, "failures", "%.0f", tally.failures);
      say_of (i, "unrepeatable", "%.0f", tally.unrepeatable);
      say_of (i, "worst", "%g", tally.worst);
      key = g_strdup_printf ("f.%u.where", i);
      say (key, "%s", tally.where ? tally.where : "");
      g_free (key);
      g_free (tally.where);
    }
}

gint
run_part_filters (gboolean quick)
{
  const gchar *first = g_getenv (DOCTOR_FIRST);
  gchar      **operations;

  say_doing ("starting GEGL with OpenCL");
  gegl_init (NULL, NULL);
  operations = graph_operations ();
  for (guint i = first ? MIN ((guint) g_ascii_strtoull (first, NULL, 10), g_strv_length (operations)) : 0;
       operations[i]; i++)
    check_filter (i, operations[i], quick ? 4 : 18);
  say_doing ("giving the device's memory back");
  tessera_trim ();
  g_strfreev (operations);
  say_doing ("leaving GEGL");
  gegl_exit ();
  return 0;
}
