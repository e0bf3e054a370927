/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Runs one request through a graph that several requests share. */
#include "soak.h"

#define GRAPHS  4               /* of each filter */
#define FILTERS 32

typedef struct
{
  GeglNode *graph, *source, *aux, *node;
  const SoakFilter *front;      /* between source and node; NULL: none */
  gboolean  has_aux;            /* aux is connected */
  gboolean  stored;             /* may still deliver what it did */
} Graph;

static Graph graphs[FILTERS][GRAPHS];

static struct
{
  guint8 *bytes;
  gsize   room;
} results[2];

/* ------------------------------------------------------------------ graphs -- */

static Graph *
graph_for (const SoakRequest *request)
{
  guint  n;
  Graph *g = &graphs[request->filter - soak_filters (&n)][request->graph];

  if (request->fresh || request->sink == SOAK_BLIT_CACHED || g->stored != request->stored || g->front != request->front)
    g_clear_object (&g->graph);         /* nothing is cached from before */
  g->stored = request->stored;
  g->front = request->front;
  if (! g->graph)
    {
      GeglNode *front;

      g->graph = gegl_node_new ();
      g->source = gegl_node_new_child (g->graph, "operation", "gegl:buffer-source", NULL);
      g->aux = gegl_node_new_child (g->graph, "operation", "gegl:buffer-source", NULL);
      g->node = gegl_node_new_child (g->graph, "operation", request->filter->operation, NULL);
      front = gegl_node_new_child (g->graph, "operation", g->front ? g->front->operation : "gegl:nop", NULL);
      g_object_set (front, "dont-cache", TRUE, NULL);
      gegl_node_link_many (g->source, front, g->node, NULL);
      g->has_aux = FALSE;
    }
  g_object_set (g->node, "dont-cache", request->sink != SOAK_BLIT_CACHED, NULL);
  return g;
}

static void
set_value (GeglNode *node, const GParamSpec *spec, gdouble value)
{
  if (G_IS_PARAM_SPEC_DOUBLE (spec))
    gegl_node_set (node, spec->name, value, NULL);
  else
    gegl_node_set (node, spec->name, (gint) value, NULL);
}

static void
set_up (Graph *g, const SoakRequest *request, const SoakSource *sources)
{
  for (guint i = 0; i < request->filter->n_specs; i++)
    set_value (g->node, request->filter->specs[i], request->values[i]);
  gegl_node_set (g->source, "buffer", sources[request->source].buffer, NULL);
  if (request->aux >= 0)
    gegl_node_set (g->aux, "buffer", sources[request->aux].buffer, NULL);
  if (request->aux >= 0 && ! g->has_aux)
    gegl_node_connect_to (g->aux, "output", g->node, "aux");
  if (request->aux < 0 && g->has_aux)
    {
      gegl_node_disconnect (g->node, "aux");
      gegl_node_set (g->aux, "buffer", NULL, NULL);
    }
  g->has_aux = request->aux >= 0;
}

void
soak_run_clear (void)
{
  for (gint i = 0; i < FILTERS; i++)
    for (gint k = 0; k < GRAPHS; k++)
      g_clear_object (&graphs[i][k].graph);
  for (guint i = 0; i < G_N_ELEMENTS (results); i++)
    {
      g_clear_pointer (&results[i].bytes, g_free);
      results[i].room = 0;
    }
}

/* ------------------------------------------------------------------- sinks -- */

static void
work_through (Graph *g, GeglBuffer *buffer, const GeglRectangle *roi)
{
  GeglNode      *sink = gegl_node_new_child (g->graph, "operation", "gegl:write-buffer", "buffer", buffer, NULL);
  GeglProcessor *processor;

  gegl_node_link (g->node, sink);
  processor = gegl_node_new_processor (sink, roi);
  while (gegl_processor_work (processor, NULL));
  g_object_unref (processor);
  gegl_node_remove_child (g->graph, sink);
}

static gsize
result_bytes (const SoakRequest *request)
{
  return (gsize) request->roi.width * request->roi.height * babl_format_get_bytes_per_pixel (request->format);
}

/* Memory for the result, with bytes around it that nobody may touch. */
static guint8 *
next_result (const SoakRequest *request)
{
  static guint turn;
  const gsize  bytes = result_bytes (request);
  guint        i = turn++ % G_N_ELEMENTS (results);

  if (results[i].room < bytes)
    {
      g_free (results[i].bytes);
      results[i].bytes = g_malloc (bytes + 2 * SOAK_GUARD);
      results[i].room = bytes;
    }
  memset (results[i].bytes, 0xa5, SOAK_GUARD);
  memset (results[i].bytes + SOAK_GUARD + bytes, 0xa5, SOAK_GUARD);
  return results[i].bytes + SOAK_GUARD;
}

static gboolean
guards_whole (const guint8 *pixels, gsize bytes)
{
  for (gint i = 0; i < SOAK_GUARD; i++)
    if (pixels[i - SOAK_GUARD] != 0xa5 || pixels[bytes + i] != 0xa5)
      return FALSE;
  return TRUE;
}

static void
compute (Graph *g, const SoakRequest *request, guint8 *pixels)
{
  const GeglRectangle *roi = &request->roi;
  GeglBuffer          *buffer;

  if (request->sink == SOAK_BLIT || request->sink == SOAK_BLIT_CACHED)
    {
      gegl_node_blit (g->node, 1.0, roi, request->format, pixels, GEGL_AUTO_ROWSTRIDE,
                      request->sink == SOAK_BLIT ? GEGL_BLIT_DEFAULT : GEGL_BLIT_CACHE);
      return;
    }
  buffer = gegl_buffer_new (roi, request->format);
  if (request->sink == SOAK_PROCESSOR)
    work_through (g, buffer, roi);
  else
    gegl_node_blit_buffer (g->node, buffer, roi, 0, GEGL_ABYSS_NONE);
  gegl_buffer_get (buffer, roi, 1.0, request->format, pixels, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
  g_object_unref (buffer);
}

/* What the engine counted must fit the mode.  What a device has lost of a chain's first result is computed again in C, in every mode. */
static gboolean
counters_fit (const TesseraCounters *before, const TesseraCounters *after, const SoakRequest *request, GString *why)
{
  const TesseraOpenclMode mode = request->mode;
  const gboolean must = request->calm && (mode == TESSERA_OPENCL_TRY || mode == TESSERA_OPENCL_FORCE);
  const guint64 requests = after->requests - before->requests, device = after->device_requests - before->device_requests;
  const guint64 c = after->c_requests - before->c_requests, launches = after->launches - before->launches;

  if ((mode == TESSERA_OPENCL_FORCE ? device + c <= requests : device + c == requests)
      && (mode != TESSERA_OPENCL_OFF || (! device && ! launches)) && (mode != TESSERA_OPENCL_FORCE || ! c || (request->front && ! request->calm))
      && (! must || device == requests))
    return TRUE;
  g_string_append_printf (why, "  %" G_GUINT64_FORMAT " requests: %" G_GUINT64_FORMAT " on the device, %"
                          G_GUINT64_FORMAT " in C, %" G_GUINT64_FORMAT " launches\n", requests, device, c, launches);
  return FALSE;
}

/* A forced request that the device cannot do leaves tiles that nobody wrote: GEGL says so when it copies them. */
static gboolean
refused (const TesseraCounters *before, const TesseraCounters *after)
{
  return after->device_requests - before->device_requests + after->c_requests - before->c_requests
         < after->requests - before->requests;
}

const guint8 *
soak_run (const SoakRequest *request, const SoakSource *sources, GString *why)
{
  const gsize     bytes = result_bytes (request);
  guint8         *pixels = next_result (request);
  Graph          *g = graph_for (request);
  TesseraCounters before, after;
  gchar          *warnings;
  gboolean        good;

  if (request->trims)
    tessera_trim ();
  tessera_set_delivery (request->stored);
  set_up (g, request, sources);
  tessera_get_counters (&before);
  compute (g, request, pixels);
  tessera_get_counters (&after);
  good = counters_fit (&before, &after, request, why);
  if (! guards_whole (pixels, bytes))
    {
      good = FALSE;
      g_string_append (why, "  written beyond the result\n");
    }
  warnings = soak_take_warnings ();
  if (warnings && ! (refused (&before, &after) && strstr (warnings, "gegl_tile_dup")))
    {
      good = FALSE;
      g_string_append_printf (why, "  warning: %s", warnings);
    }
  g_free (warnings);
  return good ? pixels : NULL;
}

/* -------------------------------------------------------------- comparison -- */

/* The same bits, or not a number in both. */
static gboolean
same_component (const guint8 *a, const guint8 *b, gsize bytes, gboolean is_float)
{
  gfloat  f, h;
  gdouble d, e;
  guint16 s, t;

  if (memcmp (a, b, bytes) == 0)
    return TRUE;
  if (! is_float)
    return FALSE;
  switch (bytes)
    {
    case 2:
      memcpy (&s, a, 2);
      memcpy (&t, b, 2);
      return (s & 0x7fff) > 0x7c00 && (t & 0x7fff) > 0x7c00;
    case 4:
      memcpy (&f, a, 4);
      memcpy (&h, b, 4);
      return isnan (f) && isnan (h);
    default:
      memcpy (&d, a, 8);
      memcpy (&e, b, 8);
      return isnan (d) && isnan (e);
    }
}

static gdouble
component_value (const guint8 *at, gsize bytes)
{
  gfloat f;

  memcpy (&f, at, MIN (bytes, 4));
  return bytes == 1 ? at[0] : bytes == 2 ? at[0] + 256.0 * at[1] : bytes == 4 ? f : *(const gdouble *) at;
}

gboolean
soak_same (const SoakRequest *request, const guint8 *a, const guint8 *b, GString *why)
{
  const gint     n = babl_format_get_n_components (request->format);
  const gsize    bytes = babl_format_get_bytes_per_pixel (request->format) / n;
  const Babl    *type = babl_format_get_type (request->format, 0);
  const gboolean is_float = type == babl_type ("half") || type == babl_type ("float") || type == babl_type ("double");
  const gsize    all = result_bytes (request);

  if (memcmp (a, b, all) == 0)
    return TRUE;
  for (gsize i = 0; i < all; i += bytes)
    if (! same_component (a + i, b + i, bytes, is_float))
      {
        gsize pixel = i / bytes / n;

        g_string_append_printf (why, "  C %.9g, OpenCL %.9g at %d,%d channel %d\n", component_value (a + i, bytes),
                                component_value (b + i, bytes), request->roi.x + (gint) (pixel % request->roi.width),
                                request->roi.y + (gint) (pixel / request->roi.width), (gint) (i / bytes % n));
        return FALSE;
      }
  return TRUE;
}
