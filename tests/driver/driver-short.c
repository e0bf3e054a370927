/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Where the system has less than usual.  `driver-short threads`: none can be begun when kernels have to be checked; C answers, and
 * says so once.  `driver-short child`: a child of fork () has none of those that its parent had, and the parent has done nothing
 * but gegl_init; the child computes, in C, and ends.  `driver-short plans`: what fits no plan is not checked either.
 * The function below stands before the C library's (the test exports it). */
#include "behind.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver.h"

#define PATIENCE 30             /* seconds that the child may take */

static const DriverCase sobel = { .name = "sobel", .operation = "tessera:sobel", .settings = "", .format = "RGBA float",
                                  .width = 61, .height = 50 };
static const DriverCase mean = { .name = "mean-blur", .operation = "tessera:mean-blur", .settings = "radius=3", .format = "RGBA float",
                                 .width = 61, .height = 50 };
static const DriverCase large = { .name = "mean-blur", .operation = "tessera:mean-blur", .settings = "radius=200", .format = "RGBA float",
                                  .width = 300, .height = 300 };

static gint no_threads, n_begun;        /* atomic */

EXPORT int
pthread_create (pthread_t *thread, const pthread_attr_t *attributes, void *(*function) (void *), void *data)
{
  static gpointer next;

  g_atomic_int_inc (&n_begun);
  return g_atomic_int_get (&no_threads) ? EAGAIN
         : ((__typeof__ (&pthread_create)) real (&next, "pthread_create")) (thread, attributes, function, data);
}

/* --------------------------------------------------------------- threads -- */

/* Some requests for which no thread can be begun.  The result is C's, and not more than three of them try. */
static void
ask_without_threads (const DriverCase *c, const DriverPicture *picture, const gfloat *in_c, GString *why)
{
  TesseraCounters before, after;
  Captured        capture;
  DriverSaid      said;

  tessera_get_counters (&before);
  captured_begin (&capture);
  g_atomic_int_set (&no_threads, TRUE);
  for (gint i = 0; i < 6; i++)
    {
      gfloat *pixels = driver_run (c, picture);

      driver_same (c, pixels, in_c, "without threads and in C", why);
      g_free (pixels);
    }
  g_atomic_int_set (&no_threads, FALSE);
  driver_captured_end (&capture, &said);
  tessera_get_counters (&after);
  if (after.device_requests != before.device_requests || after.fallbacks != before.fallbacks + 3)
    g_string_append_printf (why, "  %d on the device, %d fallbacks\n", (gint) (after.device_requests - before.device_requests),
                            (gint) (after.fallbacks - before.fallbacks));
  if (said.warnings || said.lines != 2 || ! strstr (said.text->str, "no thread"))       /* and that it pauses */
    g_string_append (why, said.text->str);
  driver_said_clear (&said);
}

static void
without_threads (void)
{
  GString        *why = g_string_new (NULL);
  DriverPicture   picture;
  TesseraCounters before, after;
  gfloat         *in_c;

  driver_now ("without threads");
  driver_picture_init (&picture, &mean, 1);
  tessera_set_opencl_mode (TESSERA_OPENCL_OFF);
  in_c = driver_run (&mean, &picture);
  tessera_set_opencl_mode (TESSERA_OPENCL_TRY);
  g_free (driver_run (&sobel, &picture));       /* all threads of GEGL's and of the driver's are there */
  ask_without_threads (&mean, &picture, in_c, why);
  tessera_set_fault (NULL);
  tessera_get_counters (&before);
  g_free (driver_run (&mean, &picture));
  tessera_get_counters (&after);
  if (after.device_requests == before.device_requests)
    g_string_append (why, "  not on the device when there are threads again\n");
  driver_verdict (! why->len, "without threads", why->str);
  driver_picture_clear (&picture);
  g_string_free (why, TRUE);
  g_free (in_c);
}

/* ----------------------------------------------------------------- child -- */

static void
child_of_fork (void)
{
  const pid_t child = fork ();
  gboolean    has_ended = FALSE;
  gint        status = -1;

  if (child == 0)
    {
      DriverPicture picture;

      driver_picture_init (&picture, &mean, 1);
      g_free (driver_run (&mean, &picture));
      exit (tessera_device_name () ? 3 : 0);
    }
  for (gint i = 0; i < 10 * PATIENCE && ! has_ended; i++)
    if (! (has_ended = waitpid (child, &status, WNOHANG) == child))
      g_usleep (100000);
  if (! has_ended)
    {
      kill (child, SIGKILL);
      waitpid (child, NULL, 0);
    }
  driver_verdict (has_ended && WIFEXITED (status) && WEXITSTATUS (status) == 0, "a child of a process that has only loaded GEGL",
                  has_ended ? "  it has a device, or did not end well\n" : "  it has not ended\n");
}

/* ----------------------------------------------------------------- plans -- */

/* A check has threads of its own. */
static void
without_plans (void)
{
  DriverPicture picture, small;
  gint64        launches;
  gint          begun;

  driver_now ("without plans");
  driver_picture_init (&picture, &large, 1);
  driver_picture_init (&small, &sobel, 1);
  tessera_set_opencl_mode (TESSERA_OPENCL_TRY);
  tessera_set_memory (1);
  g_free (driver_run (&sobel, &small));       /* all threads of GEGL's and of the driver's are there */
  begun = g_atomic_int_get (&n_begun);
  for (gint i = 0; i < 5; i++)
    g_free (driver_run (&large, &picture));
  driver_verdict (g_atomic_int_get (&n_begun) == begun, "requests that fit no plan", "  kernels were checked in vain\n");
  tessera_set_memory (0);
  launches = stub.calls ("EnqueueNDRangeKernel");
  g_free (driver_run (&large, &picture));
  driver_verdict (stub.calls ("EnqueueNDRangeKernel") > launches, "when there is memory", "  it was not tried\n");
  driver_picture_clear (&picture);
  driver_picture_clear (&small);
}

int
main (int argc, char **argv)
{
  const gchar *what = argc > 1 ? argv[1] : "";

  if (strcmp (what, "child") == 0)
    g_setenv ("GEGL_THREADS", "1", TRUE);       /* GEGL's own threads are not in a child either */
  if (strcmp (what, "child") == 0 && driver_start (&argc, &argv, FALSE))
    child_of_fork ();
  else if (strcmp (what, "child") != 0 && driver_start (&argc, &argv, TRUE))
    {
      if (strcmp (what, "threads") == 0)
        without_threads ();
      else
        without_plans ();
      tessera_trim ();
      gegl_exit ();
    }
  return driver_finish ();
}
