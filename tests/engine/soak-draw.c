/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Draws requests, and the state of the process that they meet. */
#include "soak.h"

enum { FOR_REQUEST = 1, FOR_WEATHER = 2 };

CheckRandom
soak_random (guint64 seed, guint64 what, guint64 number)
{
  return (CheckRandom) { check_hash (seed ^ check_hash (what ^ check_hash (number + 1))) };
}

/* --------------------------------------------------------------- filters -- */

static gboolean
has_aux (const gchar *operation)
{
  GeglNode *node = gegl_node_new ();
  gboolean  result;

  gegl_node_set (node, "operation", operation, NULL);
  result = gegl_node_has_pad (node, "aux");
  g_object_unref (node);
  return result;
}

/* A filter of ours, and none that is wrong on purpose. */
static gboolean
is_drawn (const gchar *operation)
{
  gchar  **others = g_strsplit (TEST_OTHERS, " ", -1);
  gboolean is_drawn = g_str_has_prefix (operation, "tessera:") && ! strstr (operation, "wrong")
                      && ! g_strv_contains ((const gchar *const *) others, operation + strlen ("tessera:"));

  g_strfreev (others);
  return is_drawn;
}

const SoakFilter *
soak_filters (guint *n)
{
  static SoakFilter filters[32];
  static guint      n_filters;
  gchar           **names;
  guint             n_names;

  if (n_filters == 0)
    {
      names = gegl_list_operations (&n_names);
      for (guint i = 0; i < n_names && n_filters < G_N_ELEMENTS (filters); i++)
        if (is_drawn (names[i]))
          {
            SoakFilter  *filter = &filters[n_filters++];
            guint        n_specs;
            GParamSpec **specs = gegl_operation_list_properties (names[i], &n_specs);

            filter->operation = g_intern_string (names[i]);
            filter->has_aux = has_aux (names[i]);
            for (guint k = 0; k < n_specs && filter->n_specs < SOAK_MOST_PROPERTIES; k++)
              if (G_IS_PARAM_SPEC_DOUBLE (specs[k]) || G_IS_PARAM_SPEC_INT (specs[k])
                  || G_IS_PARAM_SPEC_ENUM (specs[k]) || G_IS_PARAM_SPEC_BOOLEAN (specs[k]))
                filter->specs[filter->n_specs++] = specs[k];
            g_free (specs);
          }
      g_free (names);
    }
  *n = n_filters;
  return filters;
}

/* ------------------------------------------------------------- properties -- */

static gdouble
draw_number (CheckRandom *random, gdouble min, gdouble max, gdouble usual)
{
  const gint kind = check_below (random, 100);

  if (kind < 4)
    return min;
  if (kind < 7)
    return max;
  if (kind < 20)
    return usual;
  if (min >= 0 && max / MAX (min, 0.01) > 50)           /* many orders of magnitude */
    return CLAMP (MAX (min, 0.05) * pow (max / MAX (min, 0.05), check_uniform (random)), min, max);
  return min + (max - min) * check_uniform (random);
}

static gdouble
draw_value (CheckRandom *random, GParamSpec *spec)
{
  if (G_IS_PARAM_SPEC_DOUBLE (spec))
    {
      const GParamSpecDouble *s = G_PARAM_SPEC_DOUBLE (spec);
      gdouble                 value = draw_number (random, s->minimum, s->maximum, s->default_value);

      return check_chance (random, 25) ? CLAMP (floor (value + 0.5), s->minimum, s->maximum) : value;
    }
  if (G_IS_PARAM_SPEC_INT (spec))
    {
      const GParamSpecInt *s = G_PARAM_SPEC_INT (spec);

      return floor (draw_number (random, s->minimum, s->maximum, s->default_value));
    }
  if (G_IS_PARAM_SPEC_ENUM (spec))
    {
      const GEnumClass *class = G_PARAM_SPEC_ENUM (spec)->enum_class;

      return class->values[check_below (random, class->n_values)].value;
    }
  return check_below (random, 2);
}

static gdouble *
value_named (SoakRequest *request, const gchar *name)
{
  for (guint i = 0; i < request->filter->n_specs; i++)
    if (strcmp (request->filter->specs[i]->name, name) == 0)
      return &request->values[i];
  return NULL;
}

/* ------------------------------------------------------------------- cost -- */

/* The property that says how far a pixel reaches, with pixels a unit; NULL: unknown. */
static gdouble *
reach_of (SoakRequest *request, gdouble *pixels)
{
  gdouble *value;

  *pixels = 1;
  if ((value = value_named (request, "length")))
    return value;
  *pixels = 5;
  return value_named (request, "spatial-sigma");
}

/* Some nanoseconds, to a factor of a few. */
static gdouble
cost_of (SoakRequest *request)
{
  gdouble  unit, *value = reach_of (request, &unit);
  gdouble  reach = value ? *value * unit : 2;
  gdouble  pixels = (gdouble) request->roi.width * request->roi.height;
  gdouble  around = (request->roi.width + reach) * (request->roi.height + reach);

  if (unit > 1)
    return (request->aux >= 0 ? 8 : 4) * around + 60 * pixels;
  return around + (1.5 * reach + 10) * pixels;
}

/* Most requests are small, so that there can be many. */
static void
bound_cost (CheckRandom *random, SoakRequest *request)
{
  const gint    kind = check_below (random, 4000);
  const gdouble budget = kind == 0 ? 5e7 : kind < 40 ? 6e6 : 4e5;
  gdouble       unit, *value = reach_of (request, &unit);

  for (gint i = 0; i < 60 && cost_of (request) > budget; i++)
    if (value && *value * unit > 4 && (check_chance (random, 50) || request->roi.width * request->roi.height < 64))
      *value = MAX (1, *value / 2);
    else if (request->roi.width > request->roi.height)
      request->roi.width = (request->roi.width + 1) / 2;
    else
      request->roi.height = (request->roi.height + 1) / 2;
}

/* --------------------------------------------------------------- requests -- */

/* Filters with something at 0 do nothing; then the format is that of what comes to them. */
static gboolean
may_pass (const SoakRequest *request)
{
  for (guint i = 0; i < request->filter->n_specs; i++)
    if (G_IS_PARAM_SPEC_DOUBLE (request->filter->specs[i]) && request->values[i] == 0)
      return TRUE;
  return FALSE;
}

static GeglRectangle
draw_roi (CheckRandom *random, const GeglRectangle *box)
{
  const gint    kind = check_below (random, 100);
  GeglRectangle roi = *box;

  if (kind < 45)
    return roi;
  if (kind < 75)                        /* a part */
    {
      roi.width = 1 + check_below (random, box->width);
      roi.height = 1 + check_below (random, box->height);
      roi.x += check_below (random, box->width - roi.width + 1);
      roi.y += check_below (random, box->height - roi.height + 1);
    }
  else if (kind < 95)                   /* across an edge, or beyond it */
    {
      roi.x += check_below (random, 2 * box->width + 20) - box->width - 10;
      roi.y += check_below (random, 2 * box->height + 20) - box->height - 10;
      roi.width = 1 + check_below (random, box->width + 10);
      roi.height = 1 + check_below (random, box->height + 10);
    }
  else                                  /* more than the image */
    {
      gint more = 1 + check_below (random, 40);

      roi = (GeglRectangle) { box->x - more, box->y - more, box->width + 2 * more, box->height + 2 * more };
    }
  return roi;
}

/* gegl:write-buffer (0.4.42) converts to these with OpenCL, and PoCL compiles that for each
 * number of pixels, and keeps it: then the engine must deliver what is stored. */
static gboolean
gegl_would_convert (const Babl *format)
{
  const Babl *type = babl_format_get_type (format, 0);

  return type == babl_type ("u8") || type == babl_type ("float");
}

static TesseraOpenclMode
draw_mode (CheckRandom *random, const SoakOptions *options)
{
  const gint kind = check_below (random, 100);

  if (options->mode >= 0)
    return options->mode;
  return kind < 60 ? TESSERA_OPENCL_TRY : kind < 75 ? TESSERA_OPENCL_OFF
         : kind < 90 ? TESSERA_OPENCL_AUTO : TESSERA_OPENCL_FORCE;
}

void
soak_draw (const SoakOptions *options, guint64 number, const SoakSource *sources, SoakRequest *request)
{
  static const SoakSink sinks[] = { SOAK_BLIT, SOAK_BLIT, SOAK_BLIT, SOAK_BLIT, SOAK_BLIT, SOAK_BLIT_CACHED,
                                    SOAK_BLIT_BUFFER, SOAK_BLIT_BUFFER, SOAK_PROCESSOR, SOAK_PROCESSOR };
  CheckRandom       random = soak_random (options->seed, FOR_REQUEST, number);
  guint             n;
  const SoakFilter *filters = soak_filters (&n);

  *request = (SoakRequest) { .number = number, .filter = &filters[check_below (&random, n)], .aux = -1 };
  for (guint i = 0; i < request->filter->n_specs; i++)
    request->values[i] = draw_value (&random, request->filter->specs[i]);
  request->source = check_below (&random, 200) == 0 ? SOAK_SLOTS - 1 - check_below (&random, SOAK_LARGE)
                                                    : check_below (&random, SOAK_SLOTS - SOAK_LARGE);
  if (request->filter->has_aux && check_chance (&random, 25))
    request->aux = check_below (&random, SOAK_SLOTS - SOAK_LARGE);
  request->roi = draw_roi (&random, &sources[request->source].box);
  request->sink = sinks[check_below (&random, G_N_ELEMENTS (sinks))];
  request->graph = check_below (&random, 4);
  request->fresh = check_below (&random, 20) == 0;
  request->trims = check_below (&random, 2000) == 0;
  request->verifies = check_below (&random, number < 4096 ? 8 : 140) == 0 && soak_is_native (sources[request->source].format)
                      && (request->aux < 0 || soak_is_native (sources[request->aux].format));
  request->mode = draw_mode (&random, options);
  request->front = check_chance (&random, 20) ? &filters[check_below (&random, n)] : NULL;
  bound_cost (&random, request);
  request->format = soak_result_format (&random, &sources[request->source], may_pass (request));
  if (request->sink == SOAK_PROCESSOR && (may_pass (request) || ! soak_is_native (request->format)))
    request->sink = SOAK_BLIT_BUFFER;
  request->stored = request->sink == SOAK_PROCESSOR && (gegl_would_convert (request->format) || check_chance (&random, 50));
}

/* ---------------------------------------------------------------- weather -- */

/* What is built again costs time, and PoCL keeps some 200 KiB of each program: more of
 * that in the beginning. */
static void
draw_fault (CheckRandom *random, guint64 spell, gchar *fault, gsize room)
{
  static const gchar *const kinds[] = { "alloc", "map", "set-arg", "enqueue", "download", "wait" };
  static const gchar *const slow[] = { "build", "queue", "kernel" };

  const gint kind = check_below (random, G_N_ELEMENTS (kinds)), call = 1 + check_below (random, 60);

  if (check_chance (random, spell < 512 ? 10 : 1))
    g_snprintf (fault, room, "%s:%d", slow[kind / 2], (call + 19) / 20);
  else
    g_snprintf (fault, room, "%s:%d", kinds[kind], call);
}

void
soak_weather (guint64 seed, guint64 spell, SoakWeather *weather)
{
  static const gint  threads[] = { 0, 0, 1, 2, 3, 5 };
  static const guint memories[] = { 1, 2, 3, 5, 8, 16 }, rows[] = { 1, 3, 17, 64 };
  CheckRandom        slow = soak_random (seed, FOR_WEATHER, spell / 16);
  CheckRandom        random = soak_random (seed, FOR_WEATHER, spell + (G_GUINT64_CONSTANT (1) << 60));

  *weather = (SoakWeather) { .threads = threads[check_below (&slow, G_N_ELEMENTS (threads))] };
  weather->sent = check_chance (&slow, 60);
  if (check_chance (&random, 15))
    weather->memory = memories[check_below (&random, G_N_ELEMENTS (memories))];
  if (check_chance (&random, 10))
    weather->band_rows = rows[check_below (&random, G_N_ELEMENTS (rows))];
  if (check_chance (&random, 12))
    draw_fault (&random, spell, weather->fault, sizeof weather->fault);
}

/* ------------------------------------------------------------ description -- */

static void
append_source (GString *text, const gchar *name, const SoakSource *source)
{
  g_string_append_printf (text, "; %s %s %dx%d%+d%+d", name, babl_get_name (source->format), source->box.width,
                          source->box.height, source->box.x, source->box.y);
}

gchar *
soak_describe (const SoakRequest *request, const SoakWeather *weather, const SoakSource *sources)
{
  static const gchar *const modes[] = { "auto", "off", "try", "force" };
  static const gchar *const sinks[SOAK_SINKS] = { "memory", "memory, cached", "buffer", "write-buffer" };
  const SoakFilter         *filter = request->filter;
  GString                  *text = g_string_new (NULL);

  g_string_printf (text, "request %" G_GUINT64_FORMAT ": %s%s%s", request->number, request->front ? request->front->operation : "",
                   request->front ? " and then " : "", filter->operation);
  for (guint i = 0; i < filter->n_specs; i++)
    g_string_append_printf (text, " %s=%.9g", filter->specs[i]->name, request->values[i]);
  append_source (text, "of", &sources[request->source]);
  if (request->aux >= 0)
    append_source (text, "aux", &sources[request->aux]);
  g_string_append_printf (text, "; roi %dx%d%+d%+d into %s as %s; mode %s%s%s%s, threads %d, memory %u, rows %u,%s fault %s",
                          request->roi.width, request->roi.height, request->roi.x, request->roi.y,
                          sinks[request->sink], babl_get_name (request->format), modes[request->mode],
                          request->fresh ? ", new graph" : request->stored ? ", as stored" : "", request->trims ? ", trim" : "",
                          request->verifies ? ", verified" : "", weather->threads, weather->memory,
                          weather->band_rows, weather->sent ? " sent," : "",
                          *weather->fault ? weather->fault : "none");
  return g_string_free (text, FALSE);
}
