/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * One graph: buffer-source, the steps of a chain, a sink; and one run of it.
 */
#include "bench.h"

#include <opencl/gegl-cl-init.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK 1024              /* side of a chunk in pixels */

const gchar *const bench_sink_names[BENCH_SINKS] = { "whole", "write", "chunks", "processor", "preview", "merge" };

void
bench_gegl_device (gpointer *context, gpointer *device)
{
  *context = gegl_cl_get_context ();
  *device = gegl_cl_get_device ();
}

gint
bench_threads (void)
{
  gint threads = 1;

  g_object_get (gegl_config (), "threads", &threads, NULL);
  return MAX (threads, 1);
}

/* "full13": an N x N kernel that no two passes can do; "separable13": a column times a row. */
static gchar *
random_kernel (const gchar *text)
{
  const gboolean full = g_str_has_prefix (text, "full");
  const gint     n = atoi (strpbrk (text, "0123456789"));
  GString       *kernel = g_string_new (NULL);

  for (gint y = 0; y < n; y++)
    for (gint x = 0; x < n; x++)
      {
        const gint value = full ? 1 + (x * 7 + y * 13 + x * y * 5) % 31
                                : (1 + MIN (x, n - 1 - x)) * (1 + MIN (y, n - 1 - y));

        g_string_append_printf (kernel, "%d%s", value, x < n - 1 ? " " : y < n - 1 ? ";" : "");
      }
  return g_string_free (kernel, FALSE);
}

static void
set_property (GeglNode *node, const gchar *name, const gchar *text)
{
  GParamSpec *spec = gegl_node_find_property (node, name);

  if (! spec)
    g_error ("%s has no property %s", gegl_node_get_operation (node), name);
  if (G_IS_PARAM_SPEC_ENUM (spec))
    {
      GEnumValue *value = g_enum_get_value_by_nick (G_PARAM_SPEC_ENUM (spec)->enum_class, text);

      if (! value)
        g_error ("%s: %s cannot be %s", gegl_node_get_operation (node), name, text);
      gegl_node_set (node, name, value->value, NULL);
    }
  else if (G_IS_PARAM_SPEC_DOUBLE (spec))
    gegl_node_set (node, name, g_ascii_strtod (text, NULL), NULL);
  else if (G_IS_PARAM_SPEC_STRING (spec))
    {
      g_autofree gchar *value = *text == '@' ? random_kernel (text + 1) : g_strdup (text);

      gegl_node_set (node, name, value, NULL);
    }
  else if (G_IS_PARAM_SPEC_BOOLEAN (spec))
    gegl_node_set (node, name, strcmp (text, "true") == 0, NULL);
  else
    gegl_node_set (node, name, atoi (text), NULL);
}

static gboolean
is_gimp (BenchSink kind)
{
  return kind == BENCH_PREVIEW || kind == BENCH_MERGE;
}

static GeglNode *
add_step (GeglNode *graph, const gchar *step, BenchSink kind)
{
  g_auto (GStrv) words = g_strsplit (step, " ", -1);
  GeglNode *node = gegl_node_new_child (graph, "operation", words[0], NULL);

  /* Every run computes everything; GIMP leaves GEGL's caches as they are. */
  if (! is_gimp (kind))
    g_object_set (node, "cache-policy", GEGL_CACHE_POLICY_NEVER, NULL);
  for (gint i = 1; words[i]; i++)
    {
      g_auto (GStrv) pair = g_strsplit (words[i], "=", 2);

      set_property (node, pair[0], pair[1]);
    }
  return node;
}

BenchGraph *
bench_graph_new (const gchar *chain, GeglBuffer *input, const gchar *result, BenchSink kind)
{
  BenchGraph *self = g_new0 (BenchGraph, 1);
  gchar     **steps = g_strsplit (chain, " | ", -1);

  self->kind = kind;
  self->result = result ? babl_format (result) : gegl_buffer_get_format (input);
  self->input = g_object_ref (input);
  self->graph = gegl_node_new ();
  self->last = gegl_node_new_child (self->graph, "operation", "gegl:buffer-source",
                                    "buffer", input, NULL);
  for (gint i = 0; steps[i]; i++)
    {
      GeglNode *node = add_step (self->graph, steps[i], kind);

      self->filter = i == 0 ? node : self->filter;
      gegl_node_link (self->last, node);
      self->last = node;
    }
  self->step = g_strdup (steps[0]);
  g_strfreev (steps);
  if (kind != BENCH_WHOLE && kind != BENCH_PREVIEW)
    {
      self->sink = gegl_node_new_child (self->graph, "operation", "gegl:write-buffer", NULL);
      gegl_node_link (self->last, self->sink);
    }
  return self;
}

void
bench_graph_free (BenchGraph *graph)
{
  g_object_unref (graph->graph);
  g_object_unref (graph->input);
  g_clear_object (&graph->ready);
  g_free (graph->step);
  g_free (graph);
}

/* GEGL's processor cuts a rectangle into chunks of 1 Mpix times the number of
 * threads; `side` bounds them by rectangles of the bench's own, so that C with any
 * number of threads and OpenCL get the same requests.  0: as GEGL likes. */
static void
process_chunks (GeglNode *sink, const GeglRectangle *rect, gint side)
{
  g_autoptr (GeglProcessor) processor = gegl_node_new_processor (sink, rect);
  const gint     width = side ? side : rect->width, height = side ? side : rect->height;

  for (gint y = 0; y < rect->height; y += height)
    for (gint x = 0; x < rect->width; x += width)
      {
        GeglRectangle chunk = { rect->x + x, rect->y + y, MIN (width, rect->width - x),
                                MIN (height, rect->height - y) };

        gegl_processor_set_rectangle (processor, &chunk);
        while (gegl_processor_work (processor, NULL))
          ;
      }
}

void
bench_graph_ready (BenchGraph *graph)
{
  g_clear_object (&graph->ready);
  graph->ready = gegl_buffer_new (gegl_buffer_get_extent (graph->input), graph->result);
  if (graph->sink)
    gegl_node_set (graph->sink, "buffer", graph->ready, NULL);
  tessera_set_delivery (graph->sink && ! is_gimp (graph->kind));        /* the graph is ours alone */
  tessera_set_remembering (graph->kind == BENCH_PREVIEW);       /* elsewhere nothing is asked twice */
  if (is_gimp (graph->kind))
    bench_gimp_ready (graph, graph->ready);
}

gdouble
bench_graph_run (BenchGraph *graph, GeglBuffer **output)
{
  const GeglRectangle *rect = gegl_buffer_get_extent (graph->input);
  GeglBuffer          *result;
  gint64               began, ended;

  if (! graph->ready)
    bench_graph_ready (graph);
  result = g_steal_pointer (&graph->ready);
  began = g_get_monotonic_time ();
  switch (graph->kind)
    {
    case BENCH_WRITE:
      gegl_node_blit (graph->sink, 1.0, rect, NULL, NULL, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
      break;
    case BENCH_CHUNKS:
      process_chunks (graph->sink, rect, CHUNK);
      break;
    case BENCH_PROCESSOR:
      process_chunks (graph->sink, rect, 0);
      break;
    case BENCH_PREVIEW:
    case BENCH_MERGE:
      bench_gimp_run (graph, result);
      break;
    default:
      gegl_node_blit_buffer (graph->last, result, rect, 0, GEGL_ABYSS_NONE);
      break;
    }
  ended = g_get_monotonic_time ();
  if (graph->sink)
    gegl_node_set (graph->sink, "buffer", NULL, NULL);
  if (output)
    *output = result;
  else
    g_object_unref (result);
  return (ended - began) / 1e3;
}
