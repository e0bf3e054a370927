/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * One measurement as a line of a markdown table, or as one JSON object on a line.
 */
#include "bench.h"

#include <string.h>

/* Bytes of an image in device memory, read once and written once: what a filter
 * has to move at least, for each pixel. */
#define DEVICE_BYTES 32.0

static void
print_head (void)
{
  static gboolean done;

  if (done)
    return;
  done = TRUE;
  g_print ("%d threads, OpenCL: %s\n", bench_threads (),
           tessera_device_name () ? tessera_device_name () : "off");
  g_print ("| filter | Mpix | format | sink | path | min ms | median ms | rival | min ms | median ms "
           "| times faster | peer | min ms | a copy | ours / (peer + copy) |\n"
           "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
}

void
bench_print_row (const BenchJob *job, const BenchResult *result)
{
  print_head ();
  g_print ("| %-34s | %4.1f | %s | %-6s | %-6s | %8.1f | %8.1f |", job->row->title,
           bench_mpix (job->input), babl_get_name (job->format), bench_sink_names[result->sink],
           result->path, result->ours.best, result->ours.median);
  if (result->whole.runs)
    g_printerr ("bench: %s: %s takes %.2f times one whole request of %.1f ms\n", job->row->title,
                bench_sink_names[result->sink], result->ours.best / result->whole.best, result->whole.best);
  if (result->rival.runs)
    {
      const gchar *name = job->row->rival;
      const gint   length = strcspn (name, " ");

      g_print (" %.*s%s | %8.1f | %8.1f | %5.1f |", length, name,
               bench_steps (name) > 1 ? " ..." : "", result->rival.best, result->rival.median, result->ratio);
    }
  else
    g_print (" - | - | - | - |");
  if (result->peer.runs)
    g_print (" %s | %.1f | %.1f | %.2f |\n", job->row->peer, result->peer.best, result->copy.best,
             result->ours.best / (result->peer.best + result->copy.best));
  else
    g_print (" - | - | - | - |\n");
  if (result->rival.runs && job->rival_note)
    g_printerr ("bench: %s: %s, %.2f Mpix\n", job->row->rival, job->rival_note, result->rival_mpix);
  for (guint i = 0; i < result->flags->len; i++)
    g_printerr ("bench: warning: %s, %s: %s\n", job->row->title, bench_sink_names[result->sink],
                (const gchar *) g_ptr_array_index (result->flags, i));
}

/* ------------------------------------------------------------------ JSON -- */

static void
add_number (JsonBuilder *json, const gchar *name, gdouble value)
{
  put_number (json, name, "%.10g", value);
}

static void
add_times (JsonBuilder *json, const gchar *name, const gchar *chain, const BenchTimes *times)
{
  put_object (json, name);
  put_text (json, "chain", chain);
  add_number (json, "runs", times->runs);
  add_number (json, "min_ms", times->best);
  add_number (json, "median_ms", times->median);
  add_number (json, "mean_ms", times->mean);
}

static void
add_stages (JsonBuilder *json, const BenchResult *result)
{
  const TesseraCounters *sums = &result->sums;
  const TesseraCounters *stages = &result->stages;
  const gdouble          process = bench_stage_ms (result, stages->process_ns);
  const gdouble          runs = MAX (1, result->ours.runs);

  put_object (json, "stages_ms");
  add_number (json, "process", process);
  add_number (json, "rest", result->staged.mean - process);
  add_number (json, "read", bench_stage_ms (result, stages->read_ns));
  add_number (json, "upload", bench_stage_ms (result, stages->upload_ns));
  add_number (json, "run", bench_stage_ms (result, stages->run_ns));
  add_number (json, "download", bench_stage_ms (result, stages->download_ns));
  add_number (json, "write", bench_stage_ms (result, stages->write_ns));
  json_builder_end_object (json);
  put_object (json, "per_run");
  add_number (json, "requests", sums->requests / runs);
  add_number (json, "bands", sums->bands / runs);
  add_number (json, "launches", sums->launches / runs);
  add_number (json, "uploaded_bytes", sums->uploaded_bytes / runs);
  add_number (json, "downloaded_bytes", sums->downloaded_bytes / runs);
  json_builder_end_object (json);
  put_object (json, "steady");
  add_number (json, "requests", sums->requests);
  add_number (json, "device_requests", sums->device_requests);
  add_number (json, "c_requests", sums->c_requests);
  add_number (json, "fallbacks", sums->fallbacks);
  add_number (json, "allocations", sums->allocations);
  add_number (json, "builds", sums->builds);
  add_number (json, "objects_created", sums->objects_created);
  json_builder_end_object (json);
}

static void
add_kernel (JsonBuilder *json, const TesseraKernelTime *kernel)
{
  g_autofree gchar *name = g_strdup_printf ("%s: %s", kernel->filter, kernel->kernel);

  put_object (json, NULL);
  put_text (json, "name", name);
  put_int (json, "launches", kernel->launches);
  put_number (json, "ms", "%.6g", kernel->ns / 1e6);
  put_number (json, "reads", "%.6g", kernel->reads);
  json_builder_end_object (json);
}

static void
add_kernels (JsonBuilder *json, const BenchResult *result)
{
  put_array (json, "kernels");
  for (guint i = 0; i < result->n_kernels; i++)
    if (result->kernels[i].launches > 0)
      add_kernel (json, &result->kernels[i]);
  json_builder_end_array (json);
}

static void
add_memory (JsonBuilder *json, const BenchResult *result)
{
  put_object (json, "memory_mib");
  add_number (json, "host", result->host_mib);
  add_number (json, "rival_host", result->rival_host_mib);
  add_number (json, "device", result->peak_bytes / 1048576.0);
  add_number (json, "pinned", result->peak_pinned_bytes / 1048576.0);
  json_builder_end_object (json);
}

static void
add_rival (JsonBuilder *json, const BenchJob *job, const BenchResult *result)
{
  if (result->rival.runs == 0)
    {
      put_text (json, "rival", NULL);
      put_text (json, "ratio", NULL);
      return;
    }
  add_times (json, "rival", job->row->rival, &result->rival);
  add_number (json, "mpix", result->rival_mpix);
  add_number (json, "warmed", result->rival_warmed);
  put_text (json, "note", job->rival_note);
  json_builder_end_object (json);
  add_number (json, "ratio", result->ratio);
}

static void
add_peer (JsonBuilder *json, const BenchJob *job, const BenchResult *result)
{
  if (result->peer.runs == 0)
    {
      put_text (json, "peer", NULL);
      return;
    }
  add_times (json, "peer", job->row->peer, &result->peer);
  put_text (json, "library", g_str_has_prefix (job->row->peer, "formula") ? "plain C" : bench_opencv_name ());
  add_number (json, "copy_ms", result->copy.best);
  json_builder_end_object (json);
}

void
bench_print_json (const BenchJob *job, const BenchResult *result)
{
  g_autoptr (JsonBuilder) json = json_builder_new ();
  const gdouble pixels = bench_mpix (job->input) * 1e6;
  const gint    steps = bench_steps (job->row->ours);
  g_autofree gchar *samples = g_base64_encode ((const guchar *) result->samples, sizeof result->samples);

  put_object (json, NULL);
  put_text (json, "type", "measurement");
  put_text (json, "row", job->row->title);
  add_number (json, "steps", steps);
  add_number (json, "width", gegl_buffer_get_width (job->input));
  add_number (json, "height", gegl_buffer_get_height (job->input));
  put_text (json, "format", babl_get_name (job->format));
  put_text (json, "sink", bench_sink_names[result->sink]);
  add_number (json, "threads", bench_threads ());
  put_text (json, "device", tessera_device_name ());
  put_text (json, "path", result->path);
  add_number (json, "is_whole", result->is_whole);
  add_number (json, "whole_ms", result->whole.best);
  add_times (json, "ours", job->row->ours, &result->ours);
  json_builder_end_object (json);
  add_rival (json, job, result);
  add_peer (json, job, result);
  add_stages (json, result);
  add_number (json, "kernel_gb_s", result->stages.run_ns == 0 ? 0.0
              : DEVICE_BYTES * pixels * steps * result->staged.runs / (gdouble) result->stages.run_ns);
  add_kernels (json, result);
  add_memory (json, result);
  add_number (json, "first_ms", job->first_ms);
  add_number (json, "build_ms", job->build_ms);
  put_array (json, "flags");
  for (guint i = 0; i < result->flags->len; i++)
    put_text (json, NULL, g_ptr_array_index (result->flags, i));
  json_builder_end_array (json);
  put_text (json, "samples", samples);
  json_print_line (json);
}

void
bench_print_list (void)
{
  for (const BenchRow *row = bench_rows (); row->title; row++)
    {
      g_autoptr (JsonBuilder) json = json_builder_new ();

      put_object (json, NULL);
      put_text (json, "type", "row");
      put_text (json, "row", row->title);
      put_text (json, "ours", row->ours);
      put_text (json, "rival", row->rival);
      add_number (json, "steps", bench_steps (row->ours));
      json_print_line (json);
    }
}
