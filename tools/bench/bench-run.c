/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Timing: ours and the rival take turns in one process, after a warm-up of each.
 */
#include "bench.h"

#define STAGED_RUNS 5
#define COPY_ROWS   128         /* a row of tiles */
#define PROBE_MPIX  0.03        /* the rival's speed is guessed on so small a picture */
#define SLOW_MS     1000.0      /* a rival that is slower: 2 runs, the first one counts */
#define LONG_MS     10000.0     /* ... 1 run */
#define RIVAL_MS    3000.0      /* faster ones stop after this time, but not before 2 runs */
#define OURS_MS     20000.0     /* our runs take no longer than this altogether */

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
  g_autoptr (GeglBuffer) small = picture_of (PROBE_MPIX, job);
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
  g_autoptr (GeglBuffer) output = NULL;
  gboolean        fresh;

  bench_graph_ready (graph);
  fresh = bench_forget_host_peak ();
  tessera_get_counters (&before);
  bench_add_time (&result->ours, bench_graph_run (graph, &output));
  tessera_get_counters (&after);
  bench_add_counters (&result->sums, &before, &after);
  result->peak_bytes = after.peak_bytes;
  result->peak_pinned_bytes = after.peak_pinned_bytes;
  if (fresh)
    result->host_mib = MAX (result->host_mib, bench_host_peak ());
  if (last)
    bench_sample (output, result->samples);
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
  bench_add_time (&result->staged, bench_graph_run (graph, NULL));
  tessera_get_counters (&after);
  bench_add_counters (&result->stages, &before, &after);
}

/* In a new graph each time: filters made of several nodes cache inside. */
static void
run_rival (const BenchJob *job, BenchResult *result)
{
  BenchGraph *graph = rival_graph (job, job->rival_input, result->sink);
  gboolean    fresh = bench_forget_host_peak ();

  bench_add_time (&result->rival, bench_graph_run (graph, NULL));
  bench_graph_free (graph);
  if (fresh)
    result->rival_host_mib = MAX (result->rival_host_mib, bench_host_peak ());
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
  tessera_autoscratch gfloat *pixels = gegl_scratch_new (gfloat, 4 * (gsize) area->width * COPY_ROWS);

  for (GeglRectangle rows = *area; rows.y < area->y + area->height; rows.y += COPY_ROWS)
    {
      rows.height = MIN (COPY_ROWS, area->y + area->height - rows.y);
      gegl_buffer_get (buffers[0], &rows, 1.0, babl_format ("RGBA float"), pixels, GEGL_AUTO_ROWSTRIDE,
                       GEGL_ABYSS_NONE);
      gegl_buffer_set (buffers[1], &rows, 0, babl_format ("RGBA float"), pixels, GEGL_AUTO_ROWSTRIDE);
    }
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
  bench_add_time (&result->peer, ms);
  bench_add_time (&result->copy, plain_copy (job->input));
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
  bench_add_time (&result->whole, bench_graph_run (graph, NULL));
}

static gboolean
sink_wanted (const gchar *names, BenchSink sink)
{
  g_auto (GStrv) list = g_strsplit (names ? names : "", ",", -1);

  return ! names || g_strv_contains ((const gchar *const *) list, bench_sink_names[sink]);
}

/* While kernels are built, C answers: then the second run is the first of its path. */
static gdouble
warm_ours (BenchGraph *ours)
{
  TesseraCounters before, after;
  gdouble         ms;

  tessera_get_counters (&before);
  ms = bench_graph_run (ours, NULL);
  tessera_finish_builds ();
  tessera_get_counters (&after);
  return after.builds > before.builds ? bench_graph_run (ours, NULL) : ms;
}

BenchResult *
bench_measure (BenchJob *job, BenchSink sink, const BenchWishes *wishes)
{
  BenchResult *result = g_new0 (BenchResult, 1);
  BenchGraph  *ours = bench_graph_new (job->row->ours, job->input, job->row->result, sink);
  BenchGraph  *whole = sink == BENCH_PREVIEW || sink == BENCH_MERGE
                       ? bench_graph_new (job->row->ours, job->input, job->row->result, BENCH_WHOLE) : NULL;
  gfloat      *array = NULL;
  const gdouble warm_ms = warm_ours (ours);
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
  bench_sum_up (&result->staged);
  bench_sum_up (&result->ours);
  bench_sum_up (&result->whole);
  bench_sum_up (&result->rival);
  bench_sum_up (&result->peer);
  bench_sum_up (&result->copy);
  if (result->rival.runs)
    result->ratio = result->rival.best / result->rival_mpix / (result->ours.best / bench_mpix (job->input));
  bench_look_for_trouble (result);
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
