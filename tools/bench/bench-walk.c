/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A walk through all filters, and the ends, the default and a ladder of values of each property, alone: is the path that
 * `auto` takes at the third request the faster one?  All requests of `auto` come first, as in one long session; then C
 * and the device are timed.
 */
#include "bench.h"

#define ASKED 3                 /* requests of auto, the last of which counts */
#define TIMED 3                 /* ... and of each path; the fastest counts */
#define WORST 1.2
#define STEP   3.0              /* of the ladder, up to ... */
#define ENOUGH 3000.0

typedef struct
{
  gchar   *chain;
  gboolean on_device;           /* auto's third request */
  gdouble  ms[2];               /* in C, on the device */
} Place;

static void
free_place (gpointer data)
{
  Place *place = data;

  g_free (place->chain);
  g_free (place);
}

static void
add_place (GPtrArray *places, const gchar *operation, const gchar *property, const gchar *value)
{
  Place *place = g_new0 (Place, 1);

  place->chain = property ? g_strdup_printf ("%s %s=%s", operation, property, value) : g_strdup (operation);
  g_ptr_array_add (places, place);
}

static void
add_number (GPtrArray *places, const gchar *operation, const gchar *property, gdouble value)
{
  gchar text[G_ASCII_DTOSTR_BUF_SIZE];

  add_place (places, operation, property, g_ascii_formatd (text, sizeof text, "%.6g", value));
}

static void
add_ladder (GPtrArray *places, const gchar *operation, const gchar *property, gdouble least, gdouble most)
{
  add_number (places, operation, property, least);
  for (gdouble value = 1; value < MIN (most, ENOUGH); value *= STEP)
    if (value > least)
      add_number (places, operation, property, value);
  add_number (places, operation, property, most);
}

static void
add_property (GPtrArray *places, const gchar *operation, GParamSpec *spec)
{
  if (G_IS_PARAM_SPEC_DOUBLE (spec))
    add_ladder (places, operation, spec->name, G_PARAM_SPEC_DOUBLE (spec)->minimum, G_PARAM_SPEC_DOUBLE (spec)->maximum);
  else if (G_IS_PARAM_SPEC_INT (spec))
    add_ladder (places, operation, spec->name, G_PARAM_SPEC_INT (spec)->minimum, G_PARAM_SPEC_INT (spec)->maximum);
  else if (G_IS_PARAM_SPEC_BOOLEAN (spec))
    add_place (places, operation, spec->name, G_PARAM_SPEC_BOOLEAN (spec)->default_value ? "false" : "true");
  else if (G_IS_PARAM_SPEC_ENUM (spec))
    for (guint i = 0; i < G_PARAM_SPEC_ENUM (spec)->enum_class->n_values; i++)
      add_place (places, operation, spec->name, G_PARAM_SPEC_ENUM (spec)->enum_class->values[i].value_nick);
}

static void
add_filter (GPtrArray *places, const gchar *operation)
{
  guint                    n;
  g_autofree GParamSpec **specs = gegl_operation_list_properties (operation, &n);

  add_place (places, operation, NULL, NULL);
  for (guint i = 0; i < n; i++)
    if (specs[i]->flags & G_PARAM_WRITABLE)
      add_property (places, operation, specs[i]);
}

/* Each filter of the bench's rows once. */
static GPtrArray *
all_places (const gchar *names)
{
  GPtrArray              *places = g_ptr_array_new_with_free_func (free_place);
  g_autoptr (GHashTable)  known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (const BenchRow *row = bench_rows (); row->title; row++)
    {
      gchar *operation = g_strndup (row->ours, strcspn (row->ours, " "));

      if (! bench_row_wanted (row, names, FALSE) || ! g_str_has_prefix (operation, "tessera:") || ! g_hash_table_add (known, operation))
        continue;
      add_filter (places, operation);
    }
  return places;
}

/* Milliseconds of the fastest; `on_device`: nothing of the last one was computed in C. */
static gdouble
run (const Place *place, GeglBuffer *input, gint times, gboolean *on_device)
{
  BenchGraph     *graph = bench_graph_new (place->chain, input, NULL, BENCH_WHOLE);
  TesseraCounters before, after;
  gdouble         best = G_MAXDOUBLE;

  for (gint i = 0; i < times; i++)
    {
      tessera_get_counters (&before);
      best = MIN (best, bench_graph_run (graph, NULL));
      tessera_get_counters (&after);
    }
  *on_device = after.c_requests == before.c_requests && after.device_requests > before.device_requests;
  bench_graph_free (graph);
  return best;
}

static void
ask (Place *place, GeglBuffer *input)
{
  run (place, input, 1, &place->on_device);
  tessera_finish_builds ();
  run (place, input, ASKED, &place->on_device);
}

/* The device's time; 0 where it refuses. */
static void
time_both (Place *place, GeglBuffer *input)
{
  gboolean on_device;

  tessera_set_opencl_mode (TESSERA_OPENCL_OFF);
  place->ms[0] = run (place, input, TIMED, &on_device);
  tessera_set_opencl_mode (TESSERA_OPENCL_TRY);
  place->ms[1] = run (place, input, TIMED + 1, &on_device);
  if (! on_device)
    place->ms[1] = 0;
}

/* How many times the better path's time it takes. */
static gdouble
price (const Place *place)
{
  return place->ms[1] > 0 ? place->ms[place->on_device] / MIN (place->ms[0], place->ms[1]) : 1;
}

gboolean
bench_walk (const gchar *names, gint width, gint height, const Babl *format)
{
  g_autoptr (GPtrArray)  places = all_places (names);
  g_autoptr (GeglBuffer) input = bench_picture (width, height, format, TRUE);
  guint                  bad = 0, on_device = 0;

  for (guint i = 0; i < places->len; i++)
    ask (places->pdata[i], input);
  g_print ("| setting | C ms | device ms | auto takes | times the better one |\n|---|---:|---:|---|---:|\n");
  for (guint i = 0; i < places->len; i++)
    {
      const Place *place = places->pdata[i];

      time_both (places->pdata[i], input);
      on_device += place->on_device;
      bad += price (place) > WORST;
      g_print ("| %s | %.2f | %.2f | %s | %.2f%s |\n", place->chain, place->ms[0], place->ms[1], place->on_device ? "device" : "C",
               price (place), price (place) > WORST ? " slow" : "");
    }
  g_print ("%u settings; auto takes the device for %u; %u cost more than %.1f times the better path\n", places->len, on_device, bad, WORST);
  return bad == 0;
}
