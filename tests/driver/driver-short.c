/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Where the system has less than usual.  `driver-short threads`: none can be begun when kernels have to be checked, which takes
 * none.  `driver-short child`: a child of fork () has none of those that its parent had, and the parent has done nothing
 * but gegl_init; the child computes, in C, and ends.  `driver-short plans`: what fits no plan launches nothing.  `driver-short piece`: a picture that
 * is one band; says its largest piece of memory, and where it was computed. */
#include "no-threads.h"

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
static const DriverCase label = { .name = "label", .operation = "tessera:label", .settings = "", .format = "RGBA float", .width = 500, .height = 300,
                                  .is_whole = TRUE };
static const DriverCase large = { .name = "mean-blur", .operation = "tessera:mean-blur", .settings = "radius=200", .format = "RGBA float",
                                  .width = 300, .height = 300 };

/* --------------------------------------------------------------- threads -- */

/* Some requests for which no thread can be begun: they need none. */
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
  if (after.device_requests != before.device_requests + 6)
    g_string_append_printf (why, "  %d of 6 on the device\n", (gint) (after.device_requests - before.device_requests));
  if (said.warnings || said.lines)
    g_string_append (why, said.text->str);
  driver_said_clear (&said);
}

static void
without_threads (void)
{
  GString        *why = g_string_new (NULL);
  DriverPicture   picture;
  gfloat         *in_c;

  driver_now ("without threads");
  driver_picture_init (&picture, &mean, 1);
  tessera_set_opencl_mode (TESSERA_OPENCL_OFF);
  in_c = driver_run (&mean, &picture);
  tessera_set_opencl_mode (TESSERA_OPENCL_TRY);
  g_free (driver_run (&sobel, &picture));       /* all threads of GEGL's and of the driver's are there */
  ask_without_threads (&mean, &picture, in_c, why);
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

static void
without_plans (void)
{
  DriverPicture picture, small;
  gint64        launches;

  driver_now ("without plans");
  driver_picture_init (&picture, &large, 1);
  driver_picture_init (&small, &sobel, 1);
  tessera_set_opencl_mode (TESSERA_OPENCL_TRY);
  tessera_set_memory (1);
  g_free (driver_run (&sobel, &small));       /* all threads of GEGL's and of the driver's are there */
  launches = stub.calls ("EnqueueNDRangeKernel");
  for (gint i = 0; i < 5; i++)
    g_free (driver_run (&large, &picture));
  driver_verdict (stub.calls ("EnqueueNDRangeKernel") == launches, "requests that fit no plan", "  kernels were launched in vain\n");
  tessera_set_memory (0);
  g_free (driver_run (&large, &picture));
  driver_verdict (stub.calls ("EnqueueNDRangeKernel") > launches, "when there is memory", "  it was not tried\n");
  driver_picture_clear (&picture);
  driver_picture_clear (&small);
}

/* ----------------------------------------------------------------- piece -- */

static void
one_piece (void)
{
  GString        *why = g_string_new (NULL);
  DriverPicture   picture;
  TesseraCounters before, after;
  gfloat         *in_c, *pixels;

  driver_now ("one piece");
  driver_picture_init (&picture, &label, 1);
  tessera_set_opencl_mode (TESSERA_OPENCL_OFF);
  in_c = driver_run (&label, &picture);
  tessera_set_opencl_mode (TESSERA_OPENCL_TRY);
  tessera_get_counters (&before);
  pixels = driver_run (&label, &picture);
  tessera_get_counters (&after);
  driver_same (&label, pixels, in_c, "where one piece is as large and in C", why);
  driver_verdict (! why->len, "one piece", why->str);
  printf ("largest: %" G_GINT64_FORMAT "\nin: %s\n", stub.largest (), after.device_requests > before.device_requests ? "OpenCL" : "C");
  g_free (in_c);
  g_free (pixels);
  g_string_free (why, TRUE);
  driver_picture_clear (&picture);
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
      else if (strcmp (what, "piece") == 0)
        one_piece ();
      else
        without_plans ();
      tessera_trim ();
      gegl_exit ();
    }
  return driver_finish ();
}
