/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * When the first pixels of a process are there, and the kernels: bench_first.py knows when it began.
 */
#include "bench.h"

static const gchar *
path_of (const TesseraCounters *counters)
{
  if (counters->c_requests > 0)
    return counters->device_requests > 0 ? "mixed" : "C";
  return counters->device_requests > 0 ? "OpenCL" : "none";
}

void
bench_print_first (const gchar *chain, gint width, gint height, const Babl *format)
{
  g_autoptr (GeglBuffer)  input = bench_picture (width, height, format, FALSE);
  g_autoptr (JsonBuilder) json = json_builder_new ();
  BenchGraph     *graph = bench_graph_new (chain, input, NULL, BENCH_WHOLE);
  const gdouble   ms = bench_graph_run (graph, NULL);
  const gint64    now = g_get_monotonic_time ();
  TesseraCounters counters;

  tessera_get_counters (&counters);
  tessera_finish_builds ();
  bench_graph_free (graph);
  put_object (json, NULL);
  put_text (json, "type", "first");
  put_text (json, "path", path_of (&counters));
  put_int (json, "at_us", now);
  put_int (json, "built_us", g_get_monotonic_time ());
  put_number (json, "request_ms", "%.3f", ms);
  json_print_line (json);
}
