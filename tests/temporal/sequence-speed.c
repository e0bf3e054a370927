/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What a frame of a sequence costs, its shift and its background: in C, on the device with the frame coming from the host, and on the device alone, by
 * its own clock.  The bits of both are compared.
 *
 * The last by turns, and as in tessera-sequence: a thread finds the shifts of some frames while those before are whitened.
 *
 *   sequence-speed [--size WxH] [--history N] [--batch FRAMES] [--frames FRAMES] [--bandwidth GB/s] [--check 0] [--threads 1]
 *                  [--json 1] [--save FILE]
 */
#include <gegl-plugin.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../engine/verdict.h"
#include "estimate-shift.h"
#include "star-counts.h"
#include "tessera-control.h"
#include "whiten-request.h"

#define MOST_KERNELS 64

static gint     width = 512, height = 512, n_history = 20, batch = 16, n_frames = 192, distinct = 16;
static gdouble  bandwidth = 4800.0;     /* of the device's memory; H200 */
static gboolean together;               /* shifts and backgrounds, at the same time */
static gboolean may_be_together = TRUE;
static gboolean tells_json;             /* for tools/bench/bench_frames.py */
static gchar   *saved;                  /* where the distinct frames go, 16 bits each, or NULL */
static gfloat  *counts;                 /* of the distinct frames, one behind the other */
static GeglNode *graph;
static GeglOperation *shift_operation, *whiten_operation;

static gsize
frame_size (void)
{
  return (gsize) width * height;
}

static GeglOperation *
operation_of (const gchar *name)
{
  GeglNode *node = gegl_node_new_child (graph, "operation", name, NULL);

  if (! gegl_has_operation (name))
    g_error ("there is no operation %s; GEGL_PATH must lead to it", name);
  return gegl_node_get_gegl_operation (node);
}

/* -------------------------------------------------------------------- a sequence -- */

/* A frame that has been. */
typedef struct
{
  CountPlane plane;             /* on the device: as it came; what is prepared of it is there alone */
  FrameShift shift;
  guint64    serial;
} Past;

typedef struct
{
  gboolean   on_device;
  ShiftKey   key;
  CountPlane reference;
  Past       past[WEIGHTS_MAX_FRAMES];
  gint       n_past;
  gfloat    *whitened;          /* of the last frame */
  Shift      last;
  gint64     time, shift_time, whiten_time;     /* microseconds: all, and each by itself */
} Run;

static void
past_clear (Run *run, Past *past)
{
  tessera_drop_kept (past->serial);
  if (! run->on_device)
    count_plane_clear (&past->plane);
}

static void
past_add (Run *run, const Past *past)
{
  if (run->n_past == n_history)
    {
      past_clear (run, &run->past[0]);
      memmove (run->past, run->past + 1, --run->n_past * sizeof *run->past);
    }
  run->past[run->n_past++] = *past;
}

/* The weights and the whitened frame. */
static void
whiten (Run *run, Past *now)
{
  const WeightsSettings settings = { WEIGHTS_FROM_SHIFTS, 1, 1e-3, FALSE, TRUE };
  const GeglRectangle   box = { 0, 0, width, height };
  WhitenFrames          frames = { .current = &now->plane, .current_serial = now->serial, .n = run->n_past };
  FrameShift            shifts[WEIGHTS_MAX_FRAMES];
  TesseraRequest        request = { .operation = whiten_operation, .roi = box, .bounds = box, .output_format = babl_format ("Y float") };
  WhitenPlanes          planes;
  Weights               weights;

  for (gint k = 0; k < run->n_past; k++)
    {
      frames.history[k] = &run->past[k].plane;
      frames.serials[k] = run->past[k].serial;
      shifts[k] = run->past[k].shift;
    }
  weights_find (&now->plane, now->shift, frames.history, shifts, run->n_past, &settings, &weights);
  if (! run->on_device)
    whiten_planes_init (&planes, width, height);
  request.output = gegl_buffer_linear_new_from_data (run->whitened, request.output_format, &box, 0, NULL, NULL);
  if (! background_whiten_predict (&request, &frames, &weights, WHITEN_WHITENED, 1.0f, &planes))
    expect (FALSE, "the device did not whiten");
  g_object_unref (request.output);
  if (! run->on_device)
    whiten_planes_clear (&planes);
}

static void
add_frame (Run *run, Past *now, const Shift *found)
{
  const gint64 began = g_get_monotonic_time ();

  now->shift = weights_round_shift ((FrameShift) { found->x, found->y });
  if (run->n_past > 0)
    whiten (run, now);
  past_add (run, now);
  run->whiten_time += g_get_monotonic_time () - began;
  run->last = *found;
}

typedef struct
{
  Run          *run;
  const gfloat *frames;
  gint          n;
  guint64       serials[SHIFT_MOST_FRAMES];
  Shift         found[SHIFT_MOST_FRAMES];
} Batch;

/* The device looks for bad pixels itself. */
static gpointer
find_shifts (gpointer data)
{
  Batch       *batch = data;
  Run         *run = batch->run;
  const gint64 began = g_get_monotonic_time ();

  for (gint k = 0; k < batch->n; k++)
    batch->serials[k] = tessera_new_serial ();
  if (! shift_request (shift_operation, &(ShiftRequest) { .key = &run->key, .n = batch->n, .frames = batch->frames, .serials = batch->serials,
                                                         .settings = SHIFT_DEFAULTS }, batch->found))
    expect (FALSE, "the device did not find the shifts");
  run->shift_time += g_get_monotonic_time () - began;
  return NULL;
}

static void
add_batch (Run *run, const Batch *batch)
{
  for (gint k = 0; k < batch->n; k++)
    add_frame (run, &(Past) { .plane = { width, height, (gfloat *) batch->frames + k * frame_size () }, .serial = batch->serials[k] }, &batch->found[k]);
}

static void
run_batches (Run *run, gint n)
{
  Batch now = { run, counts, MIN (batch, n), { 0 }, { { 0 } } }, next = { 0 };

  find_shifts (&now);
  for (gint i = now.n; now.n > 0; i += next.n, now = next)
    {
      GThread *thread = NULL;

      next = (Batch) { run, counts + i % distinct * frame_size (), MIN (batch, n - i), { 0 }, { { 0 } } };
      if (next.n > 0 && together)
        thread = g_thread_new ("shifts", find_shifts, &next);
      add_batch (run, &now);
      if (thread)
        g_thread_join (thread);
      else if (next.n > 0)
        find_shifts (&next);
    }
}

/* As tessera-sequence does. */
static void
add_in_c (Run *run, const gfloat *frame)
{
  const CountPlane plane = { width, height, (gfloat *) frame };
  gint64           began = g_get_monotonic_time ();
  Past             now = { 0 };
  Shift            found;

  whiten_prepare (&plane, NULL, INFINITY, TRUE, &now.plane);
  shift_request (shift_operation, &(ShiftRequest) { .key = &run->key, .n = 1, .frames = now.plane.pixels,
                                                   .settings = { SHIFT_PYRAMID, 64, INFINITY, FALSE } }, &found);
  run->shift_time += g_get_monotonic_time () - began;
  add_frame (run, &now, &found);
}

static void
run_init (Run *run, gboolean on_device)
{
  *run = (Run) { .on_device = on_device, .reference = { width, height, counts }, .whitened = g_new0 (gfloat, frame_size ()) };
  tessera_set_opencl_mode (on_device ? TESSERA_OPENCL_FORCE : TESSERA_OPENCL_OFF);
  if (! on_device)
    whiten_prepare (&(const CountPlane) { width, height, counts }, NULL, INFINITY, TRUE, &run->reference);
  shift_key_init (&run->key, &run->reference, TRUE);
}

static void
run_frames (Run *run, gint n)
{
  const gint64 began = g_get_monotonic_time ();

  run->shift_time = run->whiten_time = 0;
  if (run->on_device)
    run_batches (run, n);
  for (gint i = 0; i < n && ! run->on_device; i++)
    add_in_c (run, counts + i % distinct * frame_size ());
  run->time = g_get_monotonic_time () - began;
}

static void
run_clear (Run *run)
{
  for (gint k = 0; k < run->n_past; k++)
    past_clear (run, &run->past[k]);
  shift_key_clear (&run->key);
  if (! run->on_device)
    count_plane_clear (&run->reference);
  g_free (run->whitened);
}

/* ---------------------------------------------------------------------- tables -- */

static gdouble
ms (gint64 microseconds, gint n)
{
  return microseconds / 1e3 / n;
}

static void
tell_json (const gchar *leg, gdouble all, gdouble shift, gdouble whiten)
{
  if (tells_json)
    g_print ("{\"leg\": \"%s\", \"ms\": %.4f, \"shift_ms\": %.4f, \"whiten_ms\": %.4f}\n", leg, all, shift, whiten);
}

/* Best of three. */
static gdouble
time_run (Run *run, const gchar *name, gint n)
{
  gint64 all = G_MAXINT64, shift = 0, whiten = 0;

  run_frames (run, 2 * n_history);
  for (gint k = 0; k < 3; k++)
    {
      run_frames (run, n);
      if (run->time < all)
        {
          all = run->time;
          shift = run->shift_time;
          whiten = run->whiten_time;
        }
    }
  g_print ("%s: %.3f ms a frame; shift %.3f, background and whitened frame %.3f%s\n", name, ms (all, n), ms (shift, n), ms (whiten, n),
           together ? ", at the same time" : "");
  tell_json (together ? "device, at the same time" : name, ms (all, n), ms (shift, n), ms (whiten, n));
  return ms (all, n);
}

/* By the device's clock. */
static void
profile (Run *run, gdouble wall)
{
  const guint64 shifts_and_planes = (n_frames + batch - 1) / batch + n_frames;

  TesseraKernelTime before[MOST_KERNELS], after[MOST_KERNELS];
  TesseraCounters   from, to;
  gdouble           sum = 0.0, up, down, whiten_us = 0.0;
  guint             n_before, n_after;

  tessera_set_profiling (TRUE);
  run_frames (run, batch);
  n_before = tessera_get_kernel_times (before, MOST_KERNELS);
  tessera_get_counters (&from);
  run_frames (run, n_frames);
  n_after = tessera_get_kernel_times (after, MOST_KERNELS);
  tessera_get_counters (&to);
  tessera_set_profiling (FALSE);
  expect (to.device_requests == from.device_requests + shifts_and_planes, "%" G_GUINT64_FORMAT " requests on the device, not %" G_GUINT64_FORMAT,
          to.device_requests - from.device_requests, shifts_and_planes);
  for (guint k = 0; k < n_after; k++)
    {
      TesseraKernelTime *t = &after[k];

      if (k < n_before)
        {
          t->ns -= before[k].ns;
          t->launches -= before[k].launches;
        }
      if (t->launches > 0)
        g_print ("  %-22s %6.2f launches, %8.2f us a frame\n", t->kernel, (gdouble) t->launches / n_frames, t->ns / 1e3 / n_frames);
      sum += t->ns / 1e6 / n_frames;
      if (! strcmp (t->kernel, "whiten_pixels"))
        whiten_us = t->ns / 1e3 / n_frames;
    }
  tell_json ("device, kernels alone", sum, sum - whiten_us / 1e3, whiten_us / 1e3);
  up = (to.upload_ns - from.upload_ns) / 1e6 / n_frames;
  down = (to.download_ns - from.download_ns) / 1e6 / n_frames;
  g_print ("kernels: %.3f ms a frame; upload %.3f, download %.3f; read %.3f, written %.3f; %.1f launches, %.0f bytes up, %.0f down\n", sum, up, down,
           (to.read_ns - from.read_ns) / 1e6 / n_frames, (to.write_ns - from.write_ns) / 1e6 / n_frames,
           (gdouble) (to.launches - from.launches) / n_frames, (gdouble) (to.uploaded_bytes - from.uploaded_bytes) / n_frames,
           (gdouble) (to.downloaded_bytes - from.downloaded_bytes) / n_frames);
  if (whiten_us > 0.0)
    g_print ("whitening: %.0f GB/s, %.2f of %.0f; all: %.2f times the slower transfer\n", (4.0 * n_history + 8.0) * frame_size () / whiten_us / 1e3,
             (4.0 * n_history + 8.0) * frame_size () / whiten_us / 1e3 / bandwidth, bandwidth, wall / MAX (up, down));
}

static void
parse (gint argc, gchar **argv)
{
  for (gint i = 1; i + 1 < argc; i += 2)
    if (! strcmp (argv[i], "--size"))
      sscanf (argv[i + 1], "%dx%d", &width, &height);
    else if (! strcmp (argv[i], "--history"))
      n_history = CLAMP (atoi (argv[i + 1]), 1, WEIGHTS_MAX_FRAMES);
    else if (! strcmp (argv[i], "--batch"))
      batch = CLAMP (atoi (argv[i + 1]), 1, SHIFT_MOST_FRAMES);
    else if (! strcmp (argv[i], "--frames"))
      n_frames = MAX (atoi (argv[i + 1]), 1);
    else if (! strcmp (argv[i], "--bandwidth"))
      bandwidth = atof (argv[i + 1]);
    else if (! strcmp (argv[i], "--threads"))
      may_be_together = atoi (argv[i + 1]) > 1;
    else if (! strcmp (argv[i], "--json"))
      tells_json = atoi (argv[i + 1]) != 0;
    else if (! strcmp (argv[i], "--save"))
      saved = argv[i + 1];
    else if (! strcmp (argv[i], "--check"))             /* of the device: Oclgrind bears no second thread */
      tessera_set_proof (atoi (argv[i + 1]) != 0);
  distinct = MAX (batch, frame_size () > 2000000 ? 4 : 16) / batch * batch;
}

/* Where they arrive from a file. */
static gfloat *
bring_counts (void)
{
  const gsize bytes = distinct * frame_size () * sizeof (gfloat);
  gfloat     *made = star_counts (width, height, distinct, saved), *brought = tessera_reached_new (bytes);

  memcpy (brought, made, bytes);
  g_free (made);
  return brought;
}

gint
main (gint argc, gchar **argv)
{
  Run     in_c, on_device;
  gdouble wall;

  gegl_init (NULL, NULL);
  parse (argc, argv);
  graph = gegl_node_new ();
  shift_operation = operation_of ("tessera:estimate-shift");
  whiten_operation = operation_of ("tessera:background-whiten");
  g_object_set (whiten_operation, "trial", TRUE, "history", MIN (n_history, 8), NULL);
  counts = bring_counts ();
  g_print ("%dx%d, %d frames before, %d at a time; %s\n", width, height, n_history, batch, tessera_device_name () ? tessera_device_name () : "no device");
  run_init (&in_c, FALSE);
  time_run (&in_c, "C", n_frames);
  if (tessera_device_name ())
    {
      run_init (&on_device, TRUE);
      wall = time_run (&on_device, "device", n_frames);
      together = may_be_together;
      if (together)
        wall = fmin (wall, time_run (&on_device, "device", n_frames));
      expect (! memcmp (&in_c.last.x, &on_device.last.x, sizeof in_c.last.x) && ! memcmp (&in_c.last.y, &on_device.last.y, sizeof in_c.last.y),
              "shifts: C (%.9g, %.9g), device (%.9g, %.9g)", in_c.last.x, in_c.last.y, on_device.last.x, on_device.last.y);
      expect (! memcmp (in_c.whitened, on_device.whitened, frame_size () * sizeof (gfloat)), "the whitened frames differ");
      together = FALSE;
      profile (&on_device, wall);
      run_clear (&on_device);
    }
  run_clear (&in_c);
  tessera_reached_free (counts);
  g_object_unref (graph);
  gegl_exit ();
  return expect_told ();
}
