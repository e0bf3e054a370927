/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Timing: ours and the rival take turns in one process, after a warm-up of each.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STAGED_RUNS 5
#define COPY_ROWS   128         /* a row of tiles */
#define PROBE_MPIX  0.03        /* the rival's speed is guessed on so small a picture */
#define SLOW_MS     1000.0      /* a rival that is slower: 2 runs, the first one counts */
#define LONG_MS     10000.0     /* ... 1 run */
#define RIVAL_MS    3000.0      /* faster ones stop after this time, but not before 2 runs */
#define OURS_MS     20000.0     /* our runs take no longer than this altogether */

/* ---------------------------------------------------------------- memory -- */

/* Lets the kernel forget the peak of this process, where it can. */
static gboolean
forget_host_peak (void)
{
  FILE    *file = fopen ("/proc/self/clear_refs", "w");
  gboolean done = FALSE;

  if (file)
    {
      done = fputs ("5", file) >= 0;
      done = fclose (file) == 0 && done;
    }
  return done;
}

/* MiB; 0 where this is not known. */
static gdouble
host_peak (void)
{
  gchar  *text = NULL;
  gdouble mib = 0.0;

  if (g_file_get_contents ("/proc/self/status", &text, NULL, NULL))
    {
      const gchar *line = strstr (text, "VmHWM:");

      mib = line ? g_ascii_strtod (line + 6, NULL) / 1024.0 : 0.0;
    }
  g_free (text);
  return mib;
}

/* ----------------------------------------------------------------- times -- */

static int
compare (const void *a, const void *b)
{
  const gdouble *p = a, *q = b;

  return (*p > *q) - (*p < *q);
}

static void
add_time (BenchTimes *times, gdouble ms)
{
  times->times = g_renew (gdouble, times->times, times->runs + 1);
  times->times[times->runs++] = ms;
}

static void
sum_up (BenchTimes *times)
{
  if (times->runs == 0)
    return;
  qsort (times->times, times->runs, sizeof *times->times, compare);
  times->best = times->times[0];
  times->median = times->times[times->runs / 2];
  times->mean = 0.0;
  for (gint i = 0; i < times->runs; i++)
    times->mean += times->times[i] / times->runs;
}

/* Mean milliseconds of a run, from a sum over those with timed commands. */
gdouble
bench_stage_ms (const BenchResult *result, guint64 sum_ns)
{
  return sum_ns / 1e6 / MAX (1, result->staged.runs);
}

/* -------------------------------------------------------------- counters -- */

/* sums += after - before: all members are guint64. */
static void
add_counters (TesseraCounters *sums, const TesseraCounters *before, const TesseraCounters *after)
{
  guint64       *sum = (guint64 *) sums;
  const guint64 *from = (const guint64 *) before, *to = (const guint64 *) after;

  for (gsize i = 0; i < sizeof *sums / sizeof *sum; i++)
    sum[i] += to[i] - from[i];
}

static const gchar *
path_taken (const TesseraCounters *sums)
{
  if (sums->requests == 0)
    return "none";
  if (sums->device_requests + sums->c_requests < sums->requests)
    return "failed";
  if (sums->device_requests == sums->requests)
    return "OpenCL";
  return sums->c_requests == sums->requests ? "C" : "mixed";
}

static void
flag (BenchResult *result, const gchar *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_ptr_array_add (result->flags, g_strdup_vprintf (format, arguments));
  va_end (arguments);
}

static void
look_for_trouble (BenchResult *result)
{
  const TesseraCounters *sums = &result->sums;
  const gchar *mode = g_getenv ("TESSERA_OPENCL");
  const gchar *wanted = NULL;

  result->path = path_taken (sums);
  if (! tessera_device_name () || g_strcmp0 (mode, "off") == 0)
    wanted = "C";
  else if (g_strcmp0 (mode, "force") == 0 || g_strcmp0 (mode, "try") == 0)
    wanted = "OpenCL";
  if (wanted && strcmp (result->path, wanted) != 0)
    flag (result, "ran on %s, not on %s: %d requests, %d on the device, %d in C", result->path, wanted,
          (gint) sums->requests, (gint) sums->device_requests, (gint) sums->c_requests);
  result->astray = result->flags->len > 0 || sums->fallbacks > 0;
  if (sums->fallbacks)
    flag (result, "%d requests fell back to C", (gint) sums->fallbacks);
  if (sums->allocations || sums->builds || sums->objects_created)
    flag (result, "not steady: %d allocations, %d builds, %d objects made in %d requests after the warm-up",
          (gint) sums->allocations, (gint) sums->builds, (gint) sums->objects_created, (gint) sums->requests);
}

/* ------------------------------------------------------------------ jobs -- */

static GeglBuffer *
picture_of (gdouble mpix, const BenchJob *job)
{
  gint width, height;

  bench_shape (mpix, &width, &height);
  return bench_picture (width, height, job->format, job->row->dots);
}

static BenchGraph *
rival_graph (const BenchJob *job, GeglBuffer *input, BenchSink sink)
{
  return bench_graph_new (job->row->rival, input, job->row->rival_result, sink);
}

/* Chooses the rival's picture: the same as ours, a smaller one, or none. */
static void
choose_rival_input (BenchJob *job, const BenchWishes *wishes)
{
  GeglBuffer *small = picture_of (PROBE_MPIX, job);
  BenchGraph *graph = rival_graph (job, small, BENCH_WHOLE);
  gdouble     mpix = bench_mpix (job->input), ms;

  ms = bench_graph_run (graph, NULL);
  if (ms < 200.0 || tessera_device_name ())
    ms = bench_graph_run (graph, NULL);         /* the first one may have built a kernel */
  if (wishes->rival_mpix > 0.0)
    mpix = MIN (mpix, wishes->rival_mpix);
  if (ms / 1e3 / bench_mpix (small) * mpix > wishes->rival_limit)
    mpix = MIN (MIN (mpix, 1.0), wishes->rival_limit / (ms / 1e3 / bench_mpix (small)));
  if (mpix >= bench_mpix (job->input))
    job->rival_input = g_object_ref (job->input);
  else if (mpix < PROBE_MPIX)
    {
      job->rival_input = g_object_ref (small);
      job->rival_note = "slow: smallest picture, per pixel";
    }
  else
    {
      job->rival_input = picture_of (mpix, job);
      job->rival_note = "slow: smaller picture, per pixel";
    }
  bench_graph_free (graph);
  g_object_unref (small);
}

/* Runs ours for the first time, then sees how fast the rival is. */
void
bench_job_start (BenchJob *job, const BenchWishes *wishes)
{
  BenchGraph     *graph = bench_graph_new (job->row->ours, job->input, job->row->result, BENCH_WHOLE);
  TesseraCounters before, after;

  tessera_get_counters (&before);
  job->first_ms = bench_graph_run (graph, NULL);
  tessera_get_counters (&after);
  job->build_ms = (after.build_ns - before.build_ns) / 1e6;
  bench_graph_free (graph);
  if (wishes->rivals && job->row->rival)
    choose_rival_input (job, wishes);
}

void
bench_job_clear (BenchJob *job)
{
  g_clear_object (&job->input);
  g_clear_object (&job->rival_input);
}

/* ------------------------------------------------------------- measuring -- */

static void
run_ours (BenchGraph *graph, BenchResult *result, gboolean last)
{
  TesseraCounters before, after;
  GeglBuffer     *output;
  gboolean        fresh;

  bench_graph_ready (graph);
  fresh = forget_host_peak ();
  tessera_get_counters (&before);
  add_time (&result->ours, bench_graph_run (graph, &output));
  tessera_get_counters (&after);
  add_counters (&result->sums, &before, &after);
  result->peak_bytes = after.peak_bytes;
  result->peak_pinned_bytes = after.peak_pinned_bytes;
  if (fresh)
    result->host_mib = MAX (result->host_mib, host_peak ());
  if (last)
    bench_sample (output, result->samples);
  g_object_unref (output);
}

/* kernels -= before: what was launched since. */
static void
kernels_since (BenchResult *result, const TesseraKernelTime *before, guint n_before)
{
  result->n_kernels = MIN (tessera_get_kernel_times (result->kernels, BENCH_KERNELS), BENCH_KERNELS);
  for (guint i = 0; i < n_before; i++)
    {
      result->kernels[i].launches -= before[i].launches;
      result->kernels[i].ns -= before[i].ns;
      result->kernels[i].reads -= before[i].reads;
    }
}

static void
run_staged (BenchGraph *graph, BenchResult *result)
{
  TesseraCounters before, after;

  bench_graph_ready (graph);
  tessera_get_counters (&before);
  add_time (&result->staged, bench_graph_run (graph, NULL));
  tessera_get_counters (&after);
  add_counters (&result->stages, &before, &after);
}

/* In a new graph each time: filters made of several nodes cache inside. */
static void
run_rival (const BenchJob *job, BenchResult *result)
{
  BenchGraph *graph = rival_graph (job, job->rival_input, result->sink);
  gboolean    fresh = forget_host_peak ();

  add_time (&result->rival, bench_graph_run (graph, NULL));
  bench_graph_free (graph);
  if (fresh)
    result->rival_host_mib = MAX (result->rival_host_mib, host_peak ());
}

/* The rival's first run; returns how many more to make. */
static gint
warm_rival (const BenchJob *job, BenchResult *result, gint runs)
{
  gdouble ms;

  run_rival (job, result);
  ms = result->rival.times[0];
  result->rival_warmed = ms <= SLOW_MS;
  if (result->rival_warmed)
    result->rival.runs = 0;
  if (ms > SLOW_MS)
    return ms > LONG_MS ? 0 : 1;
  return CLAMP ((gint) (RIVAL_MS / MAX (ms, 1e-3)), MIN (2, runs), runs);
}

/* ----------------------------------------------------------------- peers -- */

static gboolean
peer_wanted (const BenchJob *job, BenchSink sink, const BenchWishes *wishes)
{
  return wishes->rivals && job->row->peer && sink == BENCH_WHOLE && job->format == babl_format ("RGBA float")
         && (bench_opencv_name () || g_str_has_prefix (job->row->peer, "formula"));
}

static void
copy_area (const GeglRectangle *area, gpointer data)
{
  GeglBuffer **buffers = data;
  gfloat      *pixels = gegl_scratch_new (gfloat, 4 * (gsize) area->width * COPY_ROWS);

  for (GeglRectangle rows = *area; rows.y < area->y + area->height; rows.y += COPY_ROWS)
    {
      rows.height = MIN (COPY_ROWS, area->y + area->height - rows.y);
      gegl_buffer_get (buffers[0], &rows, 1.0, babl_format ("RGBA float"), pixels, GEGL_AUTO_ROWSTRIDE,
                       GEGL_ABYSS_NONE);
      gegl_buffer_set (buffers[1], &rows, 0, babl_format ("RGBA float"), pixels, GEGL_AUTO_ROWSTRIDE);
    }
  gegl_scratch_free (pixels);
}

/* Every pixel read and written on all threads, into a new buffer: the least a filter does.
 * (gegl:nop would share the tiles.) */
static gdouble
plain_copy (GeglBuffer *input)
{
  GeglBuffer *buffers[2] = { input, gegl_buffer_new (gegl_buffer_get_extent (input), babl_format ("RGBA float")) };
  gint64      began = g_get_monotonic_time ();

  gegl_parallel_distribute_area (gegl_buffer_get_extent (input), 4096.0, GEGL_SPLIT_STRATEGY_AUTO, copy_area, buffers);
  began = g_get_monotonic_time () - began;
  g_object_unref (buffers[1]);
  return began / 1e3;
}

/* One run, and one of a plain copy, to which the goals refer. */
static void
run_peer (const BenchJob *job, const gfloat *array, BenchResult *result)
{
  const gint width = gegl_buffer_get_width (job->input), height = gegl_buffer_get_height (job->input);
  gdouble    ms = g_str_has_prefix (job->row->peer, "formula")
                  ? bench_formula_run (job->row->peer, array, width, height)
                  : bench_opencv_run (job->row->peer, array, width, height, bench_threads ());

  if (ms < 0.0)
    g_error ("there is no peer %s", job->row->peer);
  add_time (&result->peer, ms);
  add_time (&result->copy, plain_copy (job->input));
}

/* The picture for the peer, which has had a warm-up; free it. */
static gfloat *
peer_array (const BenchJob *job, BenchResult *result)
{
  const GeglRectangle *rect = gegl_buffer_get_extent (job->input);
  gfloat              *array = g_new (gfloat, 4 * (gsize) rect->width * rect->height);

  gegl_buffer_get (job->input, rect, 1.0, babl_format ("RGBA float"), array, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
  run_peer (job, array, result);
  result->peer.runs = result->copy.runs = 0;
  return array;
}

/* One whole request, in turn with the rectangles that GIMP asks for: a busy minute hits both. */
static void
run_whole (BenchGraph *graph, BenchResult *result)
{
  bench_graph_ready (graph);
  add_time (&result->whole, bench_graph_run (graph, NULL));
}

static gboolean
sink_wanted (const gchar *names, BenchSink sink)
{
  gchar  **list = g_strsplit (names ? names : "", ",", -1);
  gboolean wanted = ! names || g_strv_contains ((const gchar *const *) list, bench_sink_names[sink]);

  g_strfreev (list);
  return wanted;
}

BenchResult *
bench_measure (BenchJob *job, BenchSink sink, const BenchWishes *wishes)
{
  BenchResult *result = g_new0 (BenchResult, 1);
  BenchGraph  *ours = bench_graph_new (job->row->ours, job->input, job->row->result, sink);
  BenchGraph  *whole = sink == BENCH_PREVIEW || sink == BENCH_MERGE
                       ? bench_graph_new (job->row->ours, job->input, job->row->result, BENCH_WHOLE) : NULL;
  gfloat      *array = NULL;
  const gdouble warm_ms = bench_graph_run (ours, NULL);
  const gint   runs = CLAMP ((gint) (OURS_MS / warm_ms), MIN (2, wishes->runs), wishes->runs);
  gint         rival_runs = 0;
  guint        n_before;
  TesseraKernelTime before[BENCH_KERNELS];

  result->sink = sink;
  result->is_whole = bench_is_whole (ours);
  result->flags = g_ptr_array_new_with_free_func (g_free);
  if (job->rival_input && sink_wanted (wishes->rival_sinks, sink))
    {
      rival_runs = warm_rival (job, result, wishes->runs);
      result->rival_mpix = bench_mpix (job->rival_input);
    }
  if (peer_wanted (job, sink, wishes))
    array = peer_array (job, result);
  for (gint i = 0; i < MAX (runs, rival_runs); i++)
    {
      if (i < runs)
        run_ours (ours, result, i == runs - 1);
      if (i < runs && whole)
        run_whole (whole, result);
      if (i < rival_runs)
        run_rival (job, result);
      if (array && i < runs)
        run_peer (job, array, result);
    }
  g_free (array);
  tessera_set_profiling (TRUE);
  bench_graph_run (ours, NULL);         /* the queues that time are made */
  n_before = MIN (tessera_get_kernel_times (before, BENCH_KERNELS), BENCH_KERNELS);
  for (gint i = 0; i < MIN (runs, STAGED_RUNS); i++)
    run_staged (ours, result);
  kernels_since (result, before, n_before);
  tessera_set_profiling (FALSE);
  sum_up (&result->staged);
  sum_up (&result->ours);
  sum_up (&result->whole);
  sum_up (&result->rival);
  sum_up (&result->peer);
  sum_up (&result->copy);
  if (result->rival.runs)
    result->ratio = result->rival.best / result->rival_mpix / (result->ours.best / bench_mpix (job->input));
  look_for_trouble (result);
  bench_graph_free (ours);
  if (whole)
    bench_graph_free (whole);
  return result;
}

void
bench_result_free (BenchResult *result)
{
  g_free (result->staged.times);
  g_free (result->ours.times);
  g_free (result->whole.times);
  g_free (result->rival.times);
  g_free (result->peer.times);
  g_free (result->copy.times);
  g_ptr_array_unref (result->flags);
  g_free (result);
}
