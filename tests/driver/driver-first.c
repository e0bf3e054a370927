/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The first request, with a compiler that takes its time.  `driver-first waits`: C answers until the kernels are there,
 * then the device; a build that fails is tried again, one that is refused is not, a missing thread is no harm, and try
 * waits.  `driver-first kept N`: the compiler is asked for N programs (-1: any), the others were kept.  `driver-first exit|gegl-exit|child`: the process ends, or has a child, while the compiler is at work.  The plan
 * has lie:gpu.  `driver-first own|own-absent|own-alone`: a device of the engine's own, none, one for a program without a graph. */
#include "no-threads.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver.h"
#include "tessera.h"

#define SLOW 1000               /* ms that the plan of `kept` gives the compiler for each program: run-driver.py */
#define LATE 400                /* ms that a program stays in the compiler when the process ends */

#define CASE(of, with) \
  { .name = of, .operation = "tessera:" of, .settings = with, .format = "RGBA float", .width = 300, .height = 200 }

static const DriverCase mean = CASE ("mean-blur", "radius=3"), motion = CASE ("motion-blur", "length=9"),
                        sobel = CASE ("sobel", ""), cielab = CASE ("cielab", ""), unsharp = CASE ("unsharp-mask", ""),
                        wide_median = CASE ("median-blur", "radius=64");

static GThread *main_thread;
static GMutex   lock;           /* guards what follows */
static GCond    changed;
static gboolean is_held;        /* the compiler does nothing until it is no longer */
static guint    n_in_compiler, n_of_main;

static void
hold_compiler (const gchar *entry)
{
  if (strcmp (entry, "BuildProgram") != 0)
    return;
  g_mutex_lock (&lock);
  n_in_compiler++;
  n_of_main += g_thread_self () == main_thread;
  g_cond_broadcast (&changed);
  while (is_held)
    g_cond_wait (&changed, &lock);
  g_mutex_unlock (&lock);
}

static void
hold (gboolean holds)
{
  g_mutex_lock (&lock);
  is_held = holds;
  n_in_compiler = n_of_main = 0;
  g_cond_broadcast (&changed);
  g_mutex_unlock (&lock);
}

static void
wait_for_compiler (void)
{
  g_mutex_lock (&lock);
  while (n_in_compiler == 0)
    g_cond_wait (&changed, &lock);
  g_mutex_unlock (&lock);
}

/* -------------------------------------------------------------- requests -- */

static void
expect_requests (const DriverCase *c, const DriverPicture *picture, const gfloat *in_c, gint on_device, gint in_c_too,
                 const gchar *what)
{
  TesseraCounters before, after;
  GString        *why = g_string_new (NULL);
  gchar          *title = g_strdup_printf ("%s: %s", c->name, what);
  gfloat         *pixels;
  gint            n_device, n_c;

  driver_now (title);
  tessera_get_counters (&before);
  pixels = driver_run (c, picture);
  tessera_get_counters (&after);
  if (in_c)
    driver_same (c, pixels, in_c, what, why);
  n_device = after.device_requests - before.device_requests;
  n_c = after.c_requests - before.c_requests;
  if (n_device != on_device || n_c != in_c_too)
    g_string_append_printf (why, "  %d on the device, %d in C\n", n_device, n_c);
  driver_verdict (! why->len, title, why->str);
  g_free (pixels);
  g_free (title);
  g_string_free (why, TRUE);
}

static gfloat *
computed_in_c (const DriverCase *c, const DriverPicture *picture)
{
  gfloat *pixels;

  tessera_set_opencl_mode (TESSERA_OPENCL_OFF);
  pixels = driver_run (c, picture);
  tessera_set_opencl_mode (TESSERA_OPENCL_AUTO);
  return pixels;
}

static void
in_c_meanwhile (void)
{
  DriverPicture picture;
  gfloat       *in_c;

  driver_picture_init (&picture, &mean, 1);
  in_c = computed_in_c (&mean, &picture);
  hold (TRUE);
  expect_requests (&mean, &picture, in_c, 0, 1, "the first, while the compiler works");
  wait_for_compiler ();
  expect_requests (&mean, &picture, in_c, 0, 1, "the second");
  expect_requests (&sobel, &picture, NULL, 0, 1, "another filter's first");
  g_mutex_lock (&lock);
  driver_verdict (n_in_compiler == 1 && n_of_main == 0, "one program is in the compiler, in a thread of its own", "");
  g_mutex_unlock (&lock);
  hold (FALSE);
  tessera_finish_builds ();
  expect_requests (&mean, &picture, in_c, 1, 0, "when its kernels are there");
  expect_requests (&sobel, &picture, NULL, 1, 0, "when its kernels are there");
  driver_verdict (n_of_main == 0, "the caller compiles nothing", "");
  driver_picture_clear (&picture);
  g_free (in_c);
}

/* What is built has no say: nobody waits for it. */
static void
failures (void)
{
  DriverPicture picture;

  driver_picture_init (&picture, &motion, 1);
  stub.set_plan ("fail BuildProgram:1:CL_OUT_OF_RESOURCES");
  expect_requests (&motion, &picture, NULL, 0, 1, "a build that fails");
  tessera_finish_builds ();
  stub.set_plan (NULL);
  hold (TRUE);
  expect_requests (&motion, &picture, NULL, 0, 1, "... is begun again");
  hold (FALSE);
  tessera_finish_builds ();
  expect_requests (&motion, &picture, NULL, 1, 0, "... and is there");
  stub.set_plan ("from BuildProgram:1:CL_BUILD_PROGRAM_FAILURE");
  expect_requests (&cielab, &picture, NULL, 0, 1, "a program that is refused");
  tessera_finish_builds ();
  hold (FALSE);
  expect_requests (&cielab, &picture, NULL, 0, 1, "... stays in C");
  tessera_finish_builds ();
  driver_verdict (n_in_compiler == 0, "a refused program is not built again", "");
  stub.set_plan (NULL);
  driver_picture_clear (&picture);
}

static void
by_the_caller (void)
{
  DriverPicture picture;

  driver_picture_init (&picture, &unsharp, 1);
  hold (FALSE);
  g_atomic_int_set (&no_threads, TRUE);
  expect_requests (&unsharp, &picture, NULL, 1, 0, "without a thread the caller builds");
  g_atomic_int_set (&no_threads, FALSE);
  driver_verdict (n_of_main == 1, "... itself", "");
  tessera_set_fault ("build:1000000");  /* forgets the programs */
  tessera_set_opencl_mode (TESSERA_OPENCL_TRY);
  expect_requests (&unsharp, &picture, NULL, 1, 0, "try waits");
  tessera_set_fault (NULL);
  driver_picture_clear (&picture);
}

/* What the choice between the paths knows. */
static void
choices (void)
{
  DriverPicture picture;

  driver_picture_init (&picture, &wide_median, 1);
  expect_requests (&wide_median, &picture, NULL, 0, 1, "auto takes C where there is no fast kernel");
  tessera_finish_builds ();
  expect_requests (&wide_median, &picture, NULL, 0, 1, "... and builds none");
  driver_picture_clear (&picture);
}

/* A program of all that a filter has would take the compiler longer. */
static void
cuts (void)
{
  static const struct { DriverCase c; gint64 kernels; } cut[] = {
    { CASE ("median-blur", "radius=1"), 3 }, { CASE ("median-blur", "radius=5 neighborhood=circle"), 2 }, { CASE ("sift", "octaves=1 result=mask"), 10 }
  };

  tessera_set_opencl_mode (TESSERA_OPENCL_TRY);
  for (guint i = 0; i < G_N_ELEMENTS (cut); i++)
    {
      DriverPicture picture;
      gchar        *text;

      driver_picture_init (&picture, &cut[i].c, 1);
      expect_requests (&cut[i].c, &picture, NULL, 1, 0, cut[i].c.settings);
      text = g_strdup_printf ("  %" G_GINT64_FORMAT "\n", stub.kernels ());
      driver_verdict (stub.kernels () == cut[i].kernels, "its program has the kernels of its setting", text);
      driver_picture_clear (&picture);
      g_free (text);
    }
}

/* ------------------------------------------------------------------- ends -- */

static gint is_late, is_ending;         /* atomic: a program is in the compiler; the process comes to its end */

static void
be_late (const gchar *entry)
{
  if (strcmp (entry, "BuildProgram") != 0)
    return;
  g_atomic_int_set (&is_late, TRUE);
  while (! g_atomic_int_get (&is_ending))
    g_usleep (1000);
  g_usleep (LATE * 1000);
  g_atomic_int_set (&is_late, FALSE);
}

/* Registered before the engine's: it comes after it.  A compiler that is at work now would lose its libraries. */
static void
look_at_compiler (void)
{
  if (! g_atomic_int_get (&is_late))
    return;
  driver_verdict (FALSE, "the end of the process", "  a program is still in the compiler\n");
  _exit (driver_finish ());
}

static void
begin_late (DriverPicture *picture)
{
  driver_picture_init (picture, &mean, 1);
  tessera_set_opencl_mode (TESSERA_OPENCL_AUTO);
  stub.set_watch (be_late);
  g_free (driver_run (&mean, picture));         /* for ever, if it waits */
  while (! g_atomic_int_get (&is_late))
    g_usleep (1000);
}

static int
end_late (gboolean by_gegl)
{
  DriverPicture picture;

  begin_late (&picture);
  driver_picture_clear (&picture);
  g_atomic_int_set (&is_ending, TRUE);
  if (by_gegl)
    gegl_exit ();
  driver_verdict (! by_gegl || ! g_atomic_int_get (&is_late), "after gegl_exit the compiler is at rest", "");
  return driver_finish ();
}

static int
child_late (void)
{
  DriverPicture picture;
  pid_t         child;
  gint          status = -1;

  begin_late (&picture);
  if ((child = fork ()) == 0)
    {
      g_atomic_int_set (&is_late, FALSE);       /* the compiler's thread is not here */
      g_free (driver_run (&mean, &picture));
      exit (tessera_device_name () ? 3 : 0);
    }
  waitpid (child, &status, 0);
  g_atomic_int_set (&is_ending, TRUE);
  driver_verdict (WIFEXITED (status) && WEXITSTATUS (status) == 0, "a child of a process whose compiler works", "");
  tessera_finish_builds ();
  stub.set_watch (NULL);
  expect_requests (&mean, &picture, NULL, 1, 0, "the parent goes over to the device");
  driver_picture_clear (&picture);
  gegl_exit ();
  return driver_finish ();
}

static gint n_waits;            /* atomic */

/* In the place of GLib's, for the engine: who waits for a moment that is still to come? */
EXPORT gboolean
g_cond_wait_until (GCond *cond, GMutex *mutex, gint64 end_time)
{
  static gpointer next;

  if (g_thread_self () == main_thread && end_time > g_get_monotonic_time ())
    g_atomic_int_inc (&n_waits);
  return ((__typeof__ (&g_cond_wait_until)) real (&next, "g_cond_wait_until")) (cond, mutex, end_time);
}

/* The first request does not wait for what a slow compiler does; the next is the device's, if `comes_over`. */
static int
kept (gint64 n_compiled, gboolean comes_over)
{
  DriverPicture   picture;
  gfloat         *in_c;
  gint64          began, took, compiled;
  TesseraCounters counters;
  gchar          *text;

  driver_picture_init (&picture, &mean, 1);
  in_c = computed_in_c (&mean, &picture);
  compiled = stub.calls ("CreateProgramWithSource");
  g_atomic_int_set (&n_waits, 0);
  began = g_get_monotonic_time ();
  g_free (driver_run (&mean, &picture));
  took = g_get_monotonic_time () - began;
  printf ("met: %s\n", g_atomic_int_get (&n_waits) > 0 ? "a moment's wait" : "no wait");
  tessera_get_counters (&counters);
  text = g_strdup_printf ("  %.0f ms, %d in C\n", took / 1e3, (gint) counters.c_requests);
  driver_verdict (n_compiled < 1 || (counters.c_requests == 2 && took < SLOW * 1000), "the first request is answered in C, at once", text);
  g_free (text);
  tessera_finish_builds ();
  expect_requests (&mean, &picture, in_c, comes_over, ! comes_over, "the next request");
  compiled = stub.calls ("CreateProgramWithSource") - compiled;
  text = g_strdup_printf ("  %d were\n", (gint) compiled);
  driver_verdict (n_compiled < 0 || compiled == n_compiled, "programs are compiled that were not kept, and no others", text);
  g_free (text);
  driver_picture_clear (&picture);
  g_free (in_c);
  gegl_exit ();
  return driver_finish ();
}

static gint64
n_opened (void)
{
  return stub.calls ("CreateContext");
}

/* A device of the engine's own, while GEGL's OpenCL is off: C answers until it is open.  GEGL's own filters do not use it. */
static int
own (gboolean is_there)
{
  DriverPicture picture;
  gfloat       *in_c;

  driver_picture_init (&picture, &mean, 1);
  in_c = computed_in_c (&mean, &picture);
  driver_verdict (n_opened () == 0, "nothing is opened before it is needed", "");
  expect_requests (&mean, &picture, in_c, 0, 1, "the first, while the device is opened");
  tessera_finish_builds ();
  driver_verdict ((tessera_device_name () != NULL) == is_there && n_opened () <= 1, "a graphics card is opened once, and no processor", "");
  expect_requests (&mean, &picture, in_c, 0, 1, "while the kernels are built");
  tessera_finish_builds ();
  expect_requests (&mean, &picture, in_c, is_there, ! is_there, "when all is there");
  tessera_set_opencl_mode (TESSERA_OPENCL_OFF);
  expect_requests (&mean, &picture, in_c, 0, 1, "off");
  tessera_set_opencl_mode (TESSERA_OPENCL_AUTO);
  driver_verdict (tessera_uses_opencl (NULL) == is_there && n_opened () <= 1, "a program without a graph has the same", "");
  driver_picture_clear (&picture);
  g_free (in_c);
  gegl_exit ();
  return driver_finish ();
}

/* A program without a graph waits for it. */
static int
own_without_graph (void)
{
  driver_verdict (tessera_uses_opencl (NULL) && tessera_device_name (), "it is open at once", "");
  gegl_exit ();
  return driver_finish ();
}

int
main (int argc, char **argv)
{
  const gchar *what = argc > 1 ? argv[1] : "";

  atexit (look_at_compiler);
  main_thread = g_thread_self ();
  if (strcmp (what, "child") == 0)
    g_setenv ("GEGL_THREADS", "1", TRUE);       /* GEGL's own threads are not in a child */
  if (! driver_start (&argc, &argv, strncmp (what, "own", 3) != 0))
    return driver_finish ();
  if (strncmp (what, "own", 3) == 0)
    return strcmp (what, "own-alone") == 0 ? own_without_graph () : own (strcmp (what, "own") == 0);
  if (strcmp (what, "kept") == 0)
    return kept (atoi (argv[2]), argc < 4);
  if (strcmp (what, "waits") != 0)
    return strcmp (what, "child") == 0 ? child_late () : end_late (strcmp (what, "gegl-exit") == 0);
  stub.set_watch (hold_compiler);
  in_c_meanwhile ();
  failures ();
  choices ();
  by_the_caller ();
  cuts ();
  stub.set_watch (NULL);
  gegl_exit ();
  return driver_finish ();
}
