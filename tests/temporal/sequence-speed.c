/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What a frame of a sequence costs, its shift and its background: in C, on the device with the frame coming from the host, and on the device alone, by
 * its own clock.  The bits of both are compared.
 *
 * The last by turns, and at the same time: threads find the shifts of some frames while others have those before whitened.
 *
 *   sequence-speed [--size WxH] [--history N] [--batch FRAMES] [--frames FRAMES] [--bandwidth GB/s] [--check 0] [--threads 1] [--c 0]
 *                  [--ahead BATCHES] [--whitening FRAMES]
 *                  [--json 1] [--save FILE]
 */
#include <gegl-plugin.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../tools/json.h"
#include "../engine/verdict.h"
#include "sequence-pipe.h"
#include "star-counts.h"
#include "tessera-control.h"

#define MOST_KERNELS 64
#define TIMES        10         /* of which the best counts */

static Speed    speed = { .width = 512, .height = 512, .n_history = 20, .batch = 16, .distinct = 16 };
static gint     n_frames = 192, ahead = 4, whitening = 3;
static gdouble  bandwidth = 4800.0;     /* of the device's memory; H200 */
static gboolean may_be_together = TRUE, has_c = TRUE;
static gboolean tells_json;             /* for tools/bench/bench_frames.py */
static gchar   *saved;                  /* where the distinct frames go, 16 bits each, or NULL */
static gfloat  *counts;                 /* of the distinct frames, one behind the other */
static GeglNode *graph;

static GeglOperation *
operation_of (const gchar *name)
{
  GeglNode *node = gegl_node_new_child (graph, "operation", name, NULL);

  if (! gegl_has_operation (name))
    g_error ("there is no operation %s; GEGL_PATH must lead to it", name);
  return gegl_node_get_gegl_operation (node);
}

/* Shifts and backgrounds, at the same time, or one after the other. */
static void
set_together (gboolean together)
{
  speed.ahead = together ? ahead : 0;
  speed.whitening = together ? whitening : 1;
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
  g_autoptr (JsonBuilder) json = json_builder_new ();

  if (! tells_json)
    return;
  put_object (json, NULL);
  put_text (json, "leg", leg);
  put_number (json, "ms", "%.4f", all);
  put_number (json, "shift_ms", "%.4f", shift);
  put_number (json, "whiten_ms", "%.4f", whiten);
  json_print_line (json);
}

/* Best of three. */
static gdouble
time_run (Run *run, const gchar *name, gint n)
{
  gint64 all = G_MAXINT64, shift = 0, whiten = 0;

  run_frames (run, 2 * speed.n_history);
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
           speed.ahead > 0 ? ", at the same time" : "");
  tell_json (speed.ahead > 0 ? "device, at the same time" : name, ms (all, n), ms (shift, n), ms (whiten, n));
  return ms (all, n);
}

/* By the device's clock. */
static void
profile (Run *run)
{
  const guint64 shifts_and_planes = (n_frames + speed.batch - 1) / speed.batch + n_frames;

  TesseraKernelTime before[MOST_KERNELS], after[MOST_KERNELS];
  TesseraCounters   from, to;
  gdouble           sum = 0.0, up, down, whiten_us = 0.0;
  guint             n_before, n_after;

  tessera_set_profiling (TRUE);
  run_frames (run, speed.batch);
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
    g_print ("whitening: %.0f GB/s, %.2f of %.0f\n", (4.0 * speed.n_history + 8.0) * frame_size (&speed) / whiten_us / 1e3,
             (4.0 * speed.n_history + 8.0) * frame_size (&speed) / whiten_us / 1e3 / bandwidth, bandwidth);
}

/* ---------------------------------------------------------------------- stages -- */

typedef struct
{
  gfloat       *to;
  const gfloat *from;
} Copying;

static void
copy_rows (gsize first, gsize n, gpointer data)
{
  const Copying *c = data;

  memcpy (c->to + first * speed.width, c->from + first * speed.width, n * speed.width * sizeof (gfloat));
}

/* Of a frame, on all threads, between memory that is there; milliseconds. */
static gdouble
time_copy (gfloat *to, const gfloat *from)
{
  gint64 best = G_MAXINT64;

  for (gint i = 0; i <= TIMES; i++)
    {
      const gint64 began = g_get_monotonic_time ();

      tessera_spread_range (speed.height, 64.0 * 64.0 / speed.width, copy_rows, &(Copying) { to, from });
      best = MIN (best, g_get_monotonic_time () - began);
    }
  return ms (best, 1);
}

/* The same between host and device, by the device's clock: the best of some runs of n frames. */
static void
time_transfers (Run *run, gint n, gint runs, gdouble *up, gdouble *down)
{
  *up = *down = INFINITY;
  tessera_set_profiling (TRUE);
  run_frames (run, speed.batch);
  for (gint i = 0; i < runs; i++)
    {
      TesseraCounters from, to;

      tessera_get_counters (&from);
      run_frames (run, n);
      tessera_get_counters (&to);
      *up = fmin (*up, (to.upload_ns - from.upload_ns) / 1e6 / n);
      *down = fmin (*down, (to.download_ns - from.download_ns) / 1e6 / n);
    }
  tessera_set_profiling (FALSE);
}

/* What each stage of a frame's way takes alone, and all of them against the slowest. */
static void
tell_stages (Run *run, gdouble wall)
{
  gfloat *pinned = tessera_reached_new (frame_size (&speed) * sizeof (gfloat)), *memory = g_new0 (gfloat, frame_size (&speed));
  gdouble into, up, down, out, busy_up, busy_down;

  memcpy (pinned, counts, frame_size (&speed) * sizeof (gfloat));
  time_transfers (run, speed.batch, TIMES, &up, &down);
  out = time_copy (memory, pinned);
  into = time_copy (pinned, memory);
  tessera_reached_free (pinned);
  g_free (memory);
  g_print ("a frame's transfers, each alone, best of %d: memory to pinned memory %.3f ms, that to the device %.3f, back %.3f, pinned memory to memory %.3f\n"
           "all: %.3f ms, %.2f times the slowest of the four, %.2f times the slower of those over the bus\n",
           TIMES, into, up, down, out, wall, wall / fmax (fmax (into, up), fmax (down, out)), wall / fmax (up, down));
  if (! may_be_together)
    return;
  set_together (TRUE);
  time_transfers (run, n_frames, 1, &busy_up, &busy_down);
  set_together (FALSE);
  g_print ("while all goes on at the same time: to the device %.3f ms, back %.3f; all: %.2f times the slower\n", busy_up, busy_down,
           wall / fmax (busy_up, busy_down));
}

/* ------------------------------------------------------------------------ main -- */

static void
parse (gint argc, gchar **argv)
{
  tessera_set_proof (FALSE);
  for (gint i = 1; i + 1 < argc; i += 2)
    if (! strcmp (argv[i], "--size"))
      sscanf (argv[i + 1], "%dx%d", &speed.width, &speed.height);
    else if (! strcmp (argv[i], "--history"))
      speed.n_history = CLAMP (atoi (argv[i + 1]), 1, WEIGHTS_MAX_FRAMES);
    else if (! strcmp (argv[i], "--batch"))
      speed.batch = CLAMP (atoi (argv[i + 1]), 1, SHIFT_MOST_FRAMES);
    else if (! strcmp (argv[i], "--frames"))
      n_frames = MAX (atoi (argv[i + 1]), 1);
    else if (! strcmp (argv[i], "--bandwidth"))
      bandwidth = atof (argv[i + 1]);
    else if (! strcmp (argv[i], "--ahead"))
      ahead = CLAMP (atoi (argv[i + 1]), 1, 32);
    else if (! strcmp (argv[i], "--whitening"))
      whitening = CLAMP (atoi (argv[i + 1]), 1, MOST_AT_ONCE);
    else if (! strcmp (argv[i], "--threads"))
      may_be_together = atoi (argv[i + 1]) > 1;
    else if (! strcmp (argv[i], "--c"))
      has_c = atoi (argv[i + 1]) != 0;
    else if (! strcmp (argv[i], "--json"))
      tells_json = atoi (argv[i + 1]) != 0;
    else if (! strcmp (argv[i], "--save"))
      saved = argv[i + 1];
    else if (! strcmp (argv[i], "--check"))             /* results are compared with C's, which the backgrounds are not: the host does not look for bad pixels */
      tessera_set_proof (atoi (argv[i + 1]) != 0);
  speed.distinct = MAX (speed.batch, frame_size (&speed) > 2000000 ? 4 : 16) / speed.batch * speed.batch;
}

/* Where they arrive from a file. */
static gfloat *
bring_counts (void)
{
  const gsize bytes = speed.distinct * frame_size (&speed) * sizeof (gfloat);
  gfloat     *made = star_counts (speed.width, speed.height, speed.distinct, saved), *brought = tessera_reached_new (bytes);

  memcpy (brought, made, bytes);
  g_free (made);
  return brought;
}

/* Shifts and backgrounds at the same time: no frame travels twice. */
static gdouble
time_together (Run *run)
{
  TesseraCounters from, to;
  gdouble         wall;

  set_together (TRUE);
  tessera_get_counters (&from);
  wall = time_run (run, "device", n_frames);
  tessera_get_counters (&to);
  set_together (FALSE);
  expect (to.uploaded_bytes - from.uploaded_bytes < 1.2 * (2 * speed.n_history + 3 * n_frames) * frame_size (&speed) * sizeof (gfloat),
          "%" G_GUINT64_FORMAT " bytes have been sent for %d frames", to.uploaded_bytes - from.uploaded_bytes, 2 * speed.n_history + 3 * n_frames);
  return wall;
}

static void
compare (const Run *in_c, const Run *on_device)
{
  expect (! memcmp (&in_c->last.x, &on_device->last.x, sizeof in_c->last.x) && ! memcmp (&in_c->last.y, &on_device->last.y, sizeof in_c->last.y),
          "shifts: C (%.9g, %.9g), device (%.9g, %.9g)", in_c->last.x, in_c->last.y, on_device->last.x, on_device->last.y);
  expect (! memcmp (in_c->last_whitened, on_device->last_whitened, frame_size (&speed) * sizeof (gfloat)), "the whitened frames differ");
}

gint
main (gint argc, gchar **argv)
{
  Run     in_c, on_device;
  gdouble wall;

  gegl_init (NULL, NULL);
  parse (argc, argv);
  graph = gegl_node_new ();
  speed.shift_operation = operation_of ("tessera:estimate-shift");
  speed.whiten_operation = operation_of ("tessera:background-whiten");
  speed.counts = counts = bring_counts ();
  set_together (FALSE);
  g_print ("%dx%d, %d frames before, %d at a time; %s\n", speed.width, speed.height, speed.n_history, speed.batch,
           tessera_device_name () ? tessera_device_name () : "no device");
  run_init (&in_c, &speed, FALSE);
  if (has_c)
    time_run (&in_c, "C", n_frames);
  if (tessera_device_name ())
    {
      run_init (&on_device, &speed, TRUE);
      wall = time_run (&on_device, "device", n_frames);
      if (may_be_together)
        wall = fmin (wall, time_together (&on_device));
      if (has_c)
        compare (&in_c, &on_device);
      profile (&on_device);
      tell_stages (&on_device, wall);
      run_clear (&on_device);
    }
  run_clear (&in_c);
  tessera_reached_free (counts);
  g_object_unref (graph);
  gegl_exit ();
  return expect_told ();
}
