/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * driver-threads [--seed N] [--seconds N] [--threads N] [--overlaps 0|1]: many threads with graphs
 * of their own ask for random filters and sizes, while one makes random OpenCL
 * calls fail, sets random band heights, has results sent into tiles or not, and forgets, and another gives all idle
 * memory back.  Every result is C's, to the bit.
 * With --overlaps, nothing fails; launches of one kernel must (1) or must not (0) run at the same time. */
#include "driver.h"

#include <stdlib.h>

#include "cl-api.h"

#define SIZES 3

static const DriverCase filters[] = {
  { .name = "motion-blur", .operation = "tessera:motion-blur", .settings = "length=11 angle=40",
    .format = "RaGaBaA float" },
  { .name = "motion-blur-loop", .operation = "tessera:motion-blur", .settings = "length=6 angle=-70 border=loop",
    .format = "RaGaBaA float" },
  { .name = "bilateral-grid", .operation = "tessera:bilateral-grid",
    .settings = "spatial-sigma=5 range-sigma=0.15 guide=channels tone=linear", .format = "RGBA float" },
  { .name = "bilateral-grid-luminance", .operation = "tessera:bilateral-grid",
    .settings = "spatial-sigma=4 range-sigma=0.2 guide=luminance tone=linear", .format = "RGBA float" },
  { .name = "bilateral-grid-aux", .operation = "tessera:bilateral-grid",
    .settings = "spatial-sigma=6 range-sigma=0.1 tone=perceptual", .format = "R'G'B'A float", .has_aux = TRUE },
  { .name = "gaussian-blur-cells", .operation = "tessera:gaussian-blur", .settings = "std-dev-x=20 std-dev-y=16",
    .format = "RaGaBaA float" },
  { .name = "equalize", .operation = "tessera:equalize", .settings = "clip-limit=2", .format = "R'G'B'A float" },
  { .name = "label", .operation = "tessera:label", .settings = "result=index", .format = "RGBA float" },
  { .name = "template", .operation = "tessera:template", .settings = "strength=0.7", .format = "RGBA float" }
};

static const struct { gint width, height; } sizes[SIZES] = { { 31, 23 }, { 96, 70 }, { 210, 130 } };

#define N_CASES (G_N_ELEMENTS (filters) * SIZES)

static DriverCase cases[N_CASES];
static gfloat    *expected[N_CASES];
static gint       n_cases;

static gint       stop;
static gint       n_requests, n_faults, n_failures;

static GMutex     failures_lock;
static GString   *failures;

static gint       seed = 1, seconds = 10, n_threads = 8, overlaps = -1;

/* The functions that may fail in the middle of it. */
static const gchar *const entries[] = {
#define NAME(name) #name,
  TESSERA_CL_ENTRY_POINTS (NAME)
#undef NAME
};

/* One request with buffers and a graph of its own. */
static gboolean
request_good (gint i, GString *why)
{
  DriverPicture picture;
  gfloat       *pixels;
  gboolean      good;

  driver_picture_init (&picture, &cases[i], 1);
  pixels = driver_run (&cases[i], &picture);
  good = driver_same (&cases[i], pixels, expected[i], "now and in C", why);
  driver_picture_clear (&picture);
  g_free (pixels);
  return good;
}

static void
prepare (void)
{
  tessera_set_opencl_mode (TESSERA_OPENCL_OFF);
  for (guint i = 0; i < N_CASES; i++)
    {
      DriverCase   *c = &cases[n_cases];
      DriverPicture picture;

      *c = filters[i / SIZES];
      c->width = sizes[i % SIZES].width;
      c->height = sizes[i % SIZES].height;
      if (! gegl_has_operation (c->operation))
        continue;
      driver_picture_init (&picture, c, 1);
      expected[n_cases++] = driver_run (c, &picture);
      driver_picture_clear (&picture);
    }
  tessera_set_opencl_mode (TESSERA_OPENCL_TRY);
}

/* Without a failure the device's results are C's, too: else nothing could be said
 * of what comes later. */
static void
check_alone (void)
{
  TesseraCounters before, after;        /* some filters make two requests */

  tessera_get_counters (&before);
  for (gint i = 0; i < n_cases; i++)
    {
      GString *why = g_string_new (NULL);

      driver_verdict (request_good (i, why), cases[i].name, why->str);
      g_string_free (why, TRUE);
    }
  tessera_get_counters (&after);
  driver_verdict (after.device_requests - before.device_requests == after.requests - before.requests
                  && after.requests - before.requests >= (guint64) n_cases, "each filter alone", "  not on the device\n");
}

/* -------------------------------------------------------------- threads -- */

static gpointer
ask (gpointer data)
{
  GRand *random = g_rand_new_with_seed (seed * 1000 + GPOINTER_TO_INT (data));

  while (! g_atomic_int_get (&stop))
    {
      GString   *why = g_string_new (NULL);
      const gint i = g_rand_int_range (random, 0, n_cases);

      if (! request_good (i, why) && g_atomic_int_add (&n_failures, 1) < 10)
        {
          g_mutex_lock (&failures_lock);
          g_string_append_printf (failures, "  %s %dx%d\n%s", cases[i].name, cases[i].width, cases[i].height, why->str);
          g_mutex_unlock (&failures_lock);
        }
      g_atomic_int_inc (&n_requests);
      g_string_free (why, TRUE);
    }
  g_rand_free (random);
  return NULL;
}

static gchar *
random_plan (GRand *random)
{
  static const gchar *const codes[] = {
    "CL_OUT_OF_RESOURCES", "CL_MEM_OBJECT_ALLOCATION_FAILURE", "CL_OUT_OF_HOST_MEMORY", "CL_DEVICE_NOT_AVAILABLE"
  };
  const gchar *entry = entries[g_rand_int_range (random, 0, G_N_ELEMENTS (entries))];
  const gchar *code = codes[g_rand_int_range (random, 0, G_N_ELEMENTS (codes))];
  static const gchar *const commands[] = { "write", "fill", "launch", "read" };
  const gchar *command = commands[g_rand_int_range (random, 0, G_N_ELEMENTS (commands))];
  const gint   n = g_rand_int_range (random, 1, 40);

  switch (g_rand_int_range (random, 0, 10))
    {
    case 8: return g_strdup_printf ("late %s:%d:%s", command, n, code);
    case 9: return g_strdup_printf ("alone %s:%d:%s", command, n, code);
    case 0: return g_strdup_printf ("lost:%d:%s", n, code);
    case 1: return g_strdup_printf (n % 2 ? "event:%d" : "quiet-event:%d", n);
    case 2: return g_strdup_printf ("from %s:%d:%s", entry, n, code);
    case 3: return g_strdup_printf ("delay %s:1", entry);
    case 4: return g_strdup_printf ("from CreateBuffer:%d:CL_MEM_OBJECT_ALLOCATION_FAILURE", n);
    default: return g_strdup_printf ("fail %s:%d:%s", entry, n, code);
    }
}

static gpointer
disturb (gpointer data G_GNUC_UNUSED)
{
  GRand *random = g_rand_new_with_seed (seed * 1000 + 998);

  while (! g_atomic_int_get (&stop))
    {
      gchar *plan = random_plan (random);

      driver_now (plan);
      stub.set_plan (plan);
      tessera_set_band_rows (g_rand_int_range (random, 0, 60));
      tessera_set_tile_pixels (g_rand_boolean (random) ? 1 : -1);
      g_usleep (g_rand_int_range (random, 1000, 30000));
      if (stub.met ())
        g_atomic_int_inc (&n_faults);
      stub.set_plan (NULL);
      tessera_set_fault (g_rand_int_range (random, 0, 32) ? NULL : "kernel:1000000000");        /* forgets; what has failed may try again */
      g_usleep (g_rand_int_range (random, 1000, 30000));
      g_free (plan);
    }
  g_rand_free (random);
  return NULL;
}

static gpointer
trim (gpointer data G_GNUC_UNUSED)
{
  GRand *random = g_rand_new_with_seed (seed * 1000 + 999);

  while (! g_atomic_int_get (&stop))
    {
      tessera_trim ();
      g_usleep (g_rand_int_range (random, 100, 20000));
    }
  g_rand_free (random);
  return NULL;
}

static void
run_threads (gboolean in_peace)
{
  GThread *askers[64], *disturber = NULL, *trimmer = NULL;
  gint     n = CLAMP (n_threads, 1, (gint) G_N_ELEMENTS (askers));

  for (gint i = 0; i < n; i++)
    askers[i] = g_thread_new ("ask", ask, GINT_TO_POINTER (i));
  if (! in_peace)
    {
      disturber = g_thread_new ("disturb", disturb, NULL);
      trimmer = g_thread_new ("trim", trim, NULL);
    }
  g_usleep (seconds * G_USEC_PER_SEC);
  g_atomic_int_set (&stop, TRUE);
  for (gint i = 0; i < n; i++)
    g_thread_join (askers[i]);
  if (! in_peace)
    {
      g_thread_join (disturber);
      g_thread_join (trimmer);
    }
}

/* ------------------------------------------------------------------ main -- */

static void
check_together (void)
{
  GString        *why = g_string_new (NULL);
  TesseraCounters before, after, trimmed;
  guint64         abandoned;            /* memory of the host's that a device which did not answer may still use */
  Captured        capture;
  DriverSaid      said;
  StubLive        live, now;

  tessera_trim ();
  stub.live (&live);
  tessera_get_counters (&before);
  captured_begin (&capture);      /* many lines, each about a failure of ours */
  run_threads (FALSE);
  driver_captured_end (&capture, &said);
  tessera_get_counters (&after);
  tessera_set_band_rows (0);
  tessera_set_tile_pixels (-1);
  tessera_trim ();
  tessera_get_counters (&trimmed);
  stub.live (&now);
  abandoned = trimmed.abandoned_objects - before.abandoned_objects;
  now.memories -= abandoned;
  now.queues = live.queues;             /* idle ones are kept, as many as were busy at once */
  now.programs = live.programs;
  now.kernels = live.kernels;
  printf ("%d requests, %" G_GUINT64_FORMAT " on the device, %" G_GUINT64_FORMAT " fell back, %d failures injected\n",
          n_requests, after.device_requests - before.device_requests, after.fallbacks - before.fallbacks, n_faults);
  driver_verdict (! n_failures, "many threads at once", failures->str);
  driver_verdict (! said.warnings, "GLib's warnings", said.text->str);
  driver_verdict (after.device_requests > before.device_requests && after.fallbacks > before.fallbacks && n_faults,
                  "both paths were used", "  but it is the point of this test\n");
  driver_verdict (trimmed.live_objects == before.live_objects + abandoned && trimmed.live_bytes == before.live_bytes
                  && trimmed.live_pinned_bytes - before.live_pinned_bytes
                     == trimmed.abandoned_bytes - before.abandoned_bytes, "the engine's objects", "  some were left behind\n");
  driver_verdict (driver_same_live (&live, &now, why), "the driver's objects", why->str);
  driver_said_clear (&said);
  g_string_free (why, TRUE);
}

/* PoCL 5.0 confuses launches of one kernel that run at the same time.  Where the driver is another, they do. */
static void
check_overlaps (void)
{
  gint64 n;
  gchar *said;

  stub.overlaps ();
  run_threads (TRUE);
  n = stub.overlaps ();
  said = g_strdup_printf ("  %" G_GINT64_FORMAT " in %d requests\n", n, n_requests);
  driver_verdict (! n_failures && n_requests, "many threads at once", failures->str);
  driver_verdict ((n > 0) == (overlaps > 0), "launches of one kernel at the same time", said);
  g_free (said);
}

int
main (int argc, char **argv)
{
  for (gint i = 1; i + 1 < argc; i += 2)
    {
      if (strcmp (argv[i], "--seed") == 0)
        seed = atoi (argv[i + 1]);
      else if (strcmp (argv[i], "--seconds") == 0)
        seconds = atoi (argv[i + 1]);
      else if (strcmp (argv[i], "--threads") == 0)
        n_threads = atoi (argv[i + 1]);
      else if (strcmp (argv[i], "--overlaps") == 0)
        overlaps = atoi (argv[i + 1]);
    }
  argc = 1;
  g_setenv ("GEGL_TILE_SIZE", "32x32", FALSE);  /* so that small results are sent straight into tiles */
  failures = g_string_new (NULL);
  if (driver_start (&argc, &argv, TRUE))
    {
      prepare ();
      check_alone ();
      if (overlaps < 0)
        check_together ();
      else
        check_overlaps ();
      tessera_trim ();
      gegl_exit ();
    }
  return driver_finish ();
}
