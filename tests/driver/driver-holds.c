/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * How long the engine keeps its locks.  Several threads ask for filters, as GIMP's main thread comes by for idle
 * memory, while the driver is slow: no lock is held as long as a call of it takes.  Then with a driver that is not slow
 * the longest hold is printed.  The functions below stand before GLib's (the test exports them).  One kernel's
 * launches do wait for one another, and for the build of their program: those locks are not in the library but on
 * the heap. */
#include "behind.h"

#include "driver.h"

#define THREADS 3
#define SLOW    "400"           /* ms that a call of the driver takes */
#define MOST    300             /* ms that a lock may be held meanwhile; a busy machine stops any thread for some */
#define STEADY  200             /* requests of each thread on a driver that is not slow */

static const DriverCase cases[THREADS] = {
  { .name = "motion-blur", .operation = "tessera:motion-blur", .settings = "length=13.5 angle=27",
    .format = "RaGaBaA float", .width = 261, .height = 150 },
  { .name = "mean-blur", .operation = "tessera:mean-blur", .settings = "radius=5", .format = "RaGaBaA float",
    .width = 300, .height = 170 },
  { .name = "sobel", .operation = "tessera:sobel", .settings = "result=magnitude", .format = "RGBA float",
    .width = 240, .height = 200 }
};

/* ----------------------------------------------------------------- locks -- */

typedef struct
{
  GMutex *lock;
  gint64  since;
} Hold;

#define DEEP 8

static _Thread_local Hold holds[DEEP];
static _Thread_local gint n_holds;
static gint               longest_us;   /* atomic */

/* Is it one of the engine's, and not a program's own? */
static gboolean
is_ours (GMutex *lock)
{
  Dl_info info;

  return dladdr (lock, &info) && info.dli_fname && strstr (info.dli_fname, "libtessera");
}

EXPORT void
(g_mutex_lock) (GMutex *lock)
{
  static gpointer function;

  ((void (*) (GMutex *)) real (&function, "g_mutex_lock")) (lock);
  if (n_holds < DEEP && is_ours (lock))
    holds[n_holds++] = (Hold) { lock, g_get_monotonic_time () };
}

EXPORT void
(g_mutex_unlock) (GMutex *lock)
{
  static gpointer function;

  for (gint i = n_holds - 1; i >= 0; i--)
    if (holds[i].lock == lock)
      {
        const gint held = g_get_monotonic_time () - holds[i].since;
        gint       longest;

        do
          longest = g_atomic_int_get (&longest_us);
        while (held > longest && ! g_atomic_int_compare_and_exchange (&longest_us, longest, held));
        memmove (holds + i, holds + i + 1, (n_holds - i - 1) * sizeof *holds);
        n_holds--;
        break;
      }
  ((void (*) (GMutex *)) real (&function, "g_mutex_unlock")) (lock);
}

/* --------------------------------------------------------------- threads -- */

static gint requests;           /* of each thread */

static gpointer
ask (gpointer data)
{
  const DriverCase *c = data;
  DriverPicture     picture;

  driver_picture_init (&picture, c, 1);
  for (gint i = 0; i < requests; i++)
    g_free (driver_run (c, &picture));
  driver_picture_clear (&picture);
  return NULL;
}

static void
ask_together (gint n, gboolean trims)
{
  GThread *threads[THREADS];

  requests = n;
  g_atomic_int_set (&longest_us, 0);
  for (gint i = 0; i < THREADS; i++)
    threads[i] = g_thread_new (cases[i].name, ask, (gpointer) &cases[i]);
  for (gint i = 0; trims && i < 20; i++)
    {
      g_usleep (50000);
      tessera_trim ();
    }
  for (gint i = 0; i < THREADS; i++)
    g_thread_join (threads[i]);
  if (trims)
    tessera_trim ();            /* a busy machine may have given nothing back before */
}

int
main (int argc, char **argv)
{
  static const gchar *const entries[] = { "CreateBuffer", "EnqueueMapBuffer", "EnqueueUnmapMemObject", "ReleaseMemObject",
                                          "BuildProgram", "CreateCommandQueue" };
  TesseraCounters counters;

  if (driver_start (&argc, &argv, TRUE))
    {
      tessera_set_opencl_mode (TESSERA_OPENCL_TRY);
      tessera_set_tile_pixels (1);
      for (guint i = 0; i < G_N_ELEMENTS (entries); i++)
        {
          gchar *plan = g_strdup_printf ("delay %s:" SLOW, entries[i]);
          gchar *text;

          tessera_set_fault ("build:1000000000");       /* so that all is made anew */
          tessera_set_fault ("queue:1000000000");
          tessera_set_fault (NULL);
          tessera_trim ();
          stub.set_plan (plan);
          ask_together (1, TRUE);
          text = g_strdup_printf ("  a lock was held for %.1f ms\n", longest_us / 1e3);
          driver_verdict (stub.met () && longest_us < MOST * 1000, plan, text);
          stub.set_plan (NULL);
          g_free (text);
          g_free (plan);
        }
      ask_together (STEADY, FALSE);
      tessera_get_counters (&counters);
      printf ("%d requests, the longest hold of a lock %.3f ms\n", THREADS * STEADY, longest_us / 1e3);
      driver_verdict (counters.device_requests >= THREADS * STEADY, "steady use", "  not on the device\n");
      tessera_trim ();
      gegl_exit ();
    }
  return driver_finish ();
}
