/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * No lock of the engine's or of an operation's is held while the driver is called: a call may take seconds, and GIMP's
 * main thread comes by.  The stub tells of each call, in the thread that makes it, and that thread knows what it holds.  So
 * no call has to be slow to be seen.  Several threads ask, all is made anew, given back and made to fail meanwhile.
 * Then: launches of requests on queues of their own do not wait for one another; and how long a lock is held at most.
 * The functions below stand before GLib's (the test exports them).  A lock is the engine's if its code takes it, wherever
 * the lock lies. */
#include "behind.h"

#include <stdlib.h>

#include "driver.h"

#define ALL     6               /* threads, each with a filter */
#define THREADS 3               /* ... where time counts: those with the first filters */
#define STEADY  200             /* requests of each thread on a driver that is not slow */
#define SLOW    "60"            /* ms that the driver takes for a launch */
#define LANES   1.7             /* launches at a time, at least, of THREADS requests */

static const DriverCase cases[ALL] = {
  { .name = "motion-blur", .operation = "tessera:motion-blur", .settings = "length=13.5 angle=27",
    .format = "RaGaBaA float", .width = 261, .height = 150 },
  { .name = "mean-blur", .operation = "tessera:mean-blur", .settings = "radius=5", .format = "RaGaBaA float",
    .width = 300, .height = 170 },
  { .name = "sobel", .operation = "tessera:sobel", .settings = "result=magnitude", .format = "RGBA float",
    .width = 240, .height = 200 },
  { .name = "equalize", .operation = "tessera:equalize", .settings = "clip-limit=2 tiles=2", .format = "RGBA float",
    .width = 160, .height = 120 },
  { .name = "label", .operation = "tessera:label", .settings = "threshold=0.4", .format = "RGBA float", .width = 120,
    .height = 90 },
  { .name = "background-whiten", .operation = "tessera:background-whiten", .settings = "history=6 result=whitened",
    .format = "RGBA float", .width = 61, .height = 50 }
};

/* ----------------------------------------------------------------- locks -- */

typedef struct
{
  GMutex       *lock;
  gconstpointer taker;          /* the code that took it */
  gint64        since;
} Hold;

#define DEEP 8

static _Thread_local Hold holds[DEEP];
static _Thread_local gint n_holds;
static gint               longest_us;   /* atomic */
static GMutex             found_lock;   /* guards what follows */
static GHashTable        *found;        /* what was called under a lock, and whose */

static gboolean
is_ours (gconstpointer taker)
{
  Dl_info     info;
  const char *name;

  if (! dladdr (taker, &info) || ! info.dli_fname)
    return FALSE;
  name = strrchr (info.dli_fname, '/');
  return strstr (name ? name : info.dli_fname, "tessera") != NULL;
}

static void
begin_hold (GMutex *lock, gconstpointer taker)
{
  if (n_holds < DEEP && is_ours (taker))
    holds[n_holds++] = (Hold) { lock, taker, g_get_monotonic_time () };
}

/* Was it held?  By whom, or NULL. */
static gconstpointer
end_hold (GMutex *lock)
{
  for (gint i = n_holds - 1; i >= 0; i--)
    if (holds[i].lock == lock)
      {
        const gconstpointer taker = holds[i].taker;
        const gint          held = g_get_monotonic_time () - holds[i].since;
        gint                longest;

        do
          longest = g_atomic_int_get (&longest_us);
        while (held > longest && ! g_atomic_int_compare_and_exchange (&longest_us, longest, held));
        memmove (holds + i, holds + i + 1, (n_holds - i - 1) * sizeof *holds);
        n_holds--;
        return taker;
      }
  return NULL;
}

EXPORT void
(g_mutex_lock) (GMutex *lock)
{
  static gpointer function;

  ((void (*) (GMutex *)) real (&function, "g_mutex_lock")) (lock);
  begin_hold (lock, __builtin_return_address (0));
}

EXPORT gboolean
(g_mutex_trylock) (GMutex *lock)
{
  static gpointer function;
  const gboolean  taken = ((gboolean (*) (GMutex *)) real (&function, "g_mutex_trylock")) (lock);

  if (taken)
    begin_hold (lock, __builtin_return_address (0));
  return taken;
}

EXPORT void
(g_mutex_unlock) (GMutex *lock)
{
  static gpointer function;

  end_hold (lock);
  ((void (*) (GMutex *)) real (&function, "g_mutex_unlock")) (lock);
}

/* Nobody holds it while it waits. */
EXPORT void
(g_cond_wait) (GCond *cond, GMutex *lock)
{
  static gpointer     function;
  const gconstpointer taker = end_hold (lock);

  ((void (*) (GCond *, GMutex *)) real (&function, "g_cond_wait")) (cond, lock);
  if (taker)
    begin_hold (lock, taker);
}

/* The stub's word of a call. */
static void
see_call (const gchar *entry)
{
  Dl_info info = { 0 };

  if (n_holds == 0)
    return;
  dladdr (holds[n_holds - 1].taker, &info);
  g_mutex_lock (&found_lock);
  g_hash_table_add (found, g_strdup_printf ("  cl%s under a lock of %s+0x%zx\n", entry, info.dli_fname,
                                            (gsize) holds[n_holds - 1].taker - (gsize) info.dli_fbase));
  g_mutex_unlock (&found_lock);
}

static void
judge (const gchar *title)
{
  GString       *text = g_string_new (NULL);
  GHashTableIter iter;
  gpointer       line;

  g_mutex_lock (&found_lock);
  g_hash_table_iter_init (&iter, found);
  while (g_hash_table_iter_next (&iter, &line, NULL))
    g_string_append (text, line);
  g_hash_table_remove_all (found);
  g_mutex_unlock (&found_lock);
  driver_verdict (! text->len, title, text->str);
  g_string_free (text, TRUE);
}

/* --------------------------------------------------------------- threads -- */

static gint requests;           /* of each thread */

static gpointer
ask (gpointer data)
{
  const DriverCase *c = data;
  DriverPicture     picture;

  tessera_device_name ();
  driver_picture_init (&picture, c, 1);
  for (gint i = 0; i < requests; i++)
    g_free (driver_run (c, &picture));
  driver_picture_clear (&picture);
  return NULL;
}

static void
forget_all (void)
{
  tessera_set_fault ("build:1000000000");       /* so that all is made anew */
  tessera_set_fault ("queue:1000000000");
  tessera_set_fault (NULL);
}

static void
ask_together (gint n_threads, gint n, gint trims)
{
  GThread *threads[ALL];

  requests = n;
  g_atomic_int_set (&longest_us, 0);
  for (gint i = 0; i < n_threads; i++)
    threads[i] = g_thread_new (cases[i].name, ask, (gpointer) &cases[i]);
  for (gint i = 0; i < trims; i++)
    {
      g_usleep (20000);
      tessera_trim ();
      if (i % 4 == 3)
        forget_all ();
    }
  for (gint i = 0; i < n_threads; i++)
    g_thread_join (threads[i]);
}

/* ----------------------------------------------------------------- tests -- */

static void
no_lock_over_a_call (void)
{
  static const gchar *const plans[] = { "", "delay BuildProgram:30", "delay CreateCommandQueue:30", "delay GetDeviceInfo:3",
                                        "every EnqueueNDRangeKernel:7:CL_OUT_OF_HOST_MEMORY", "every BuildProgram:3:CL_OUT_OF_RESOURCES",
                                        "every CreateBuffer:5:CL_MEM_OBJECT_ALLOCATION_FAILURE", "every CreateKernel:4", "lost:60" };
  static const gchar *const entries[] = { "GetDeviceInfo", "CreateCommandQueue", "ReleaseCommandQueue", "CreateBuffer",
                                          "ReleaseMemObject", "EnqueueMapBuffer", "EnqueueUnmapMemObject", "CreateProgramWithSource",
                                          "BuildProgram", "ReleaseProgram", "CreateKernel", "ReleaseKernel", "SetKernelArg",
                                          "EnqueueNDRangeKernel", "WaitForEvents", "Finish" };

  for (guint i = 0; i < G_N_ELEMENTS (plans); i++)
    {
      stub.set_plan (plans[i]);
      ask_together (ALL, 3, 8);
      stub.set_plan (NULL);
      forget_all ();
      tessera_trim ();
      judge (*plans[i] ? plans[i] : "a driver that is whole");
    }
  for (guint i = 0; i < G_N_ELEMENTS (entries); i++)
    driver_verdict (stub.calls (entries[i]) > 0, entries[i], "  was never called, so nobody has looked\n");
}

/* Each request has a queue of its own. */
static void
launches_overlap (void)
{
  TesseraCounters before, after;
  gint64          began;
  gdouble         at_a_time;
  gchar          *text;

  tessera_set_proof (FALSE);
  ask_together (THREADS, 2, 0);
  tessera_get_counters (&before);
  began = g_get_monotonic_time ();
  stub.set_plan ("delay EnqueueNDRangeKernel:" SLOW);
  ask_together (THREADS, 4, 0);
  stub.set_plan (NULL);
  tessera_get_counters (&after);
  at_a_time = (after.launches - before.launches) * atof (SLOW) * 1e3 / (g_get_monotonic_time () - began);
  text = g_strdup_printf ("  %.2f launches at a time\n", at_a_time);
  driver_verdict (at_a_time >= LANES, "launches of three requests overlap", text);
  printf ("%.2f launches at a time, of %d requests\n", at_a_time, THREADS);
  g_free (text);
  tessera_set_proof (TRUE);
}

static void
steady (void)
{
  TesseraCounters before, after;

  tessera_get_counters (&before);
  ask_together (THREADS, STEADY, 0);
  tessera_get_counters (&after);
  printf ("%d requests, the longest hold of a lock %.3f ms\n", THREADS * STEADY, longest_us / 1e3);
  driver_verdict (after.device_requests - before.device_requests >= THREADS * STEADY, "steady use", "  not on the device\n");
  judge ("steady use");
}

int
main (int argc, char **argv)
{
  found = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  if (driver_start (&argc, &argv, FALSE))       /* the engine has not asked the device yet */
    {
      stub.set_watch (see_call);
      tessera_set_opencl_mode (TESSERA_OPENCL_TRY);
      tessera_set_tile_pixels (1);
      no_lock_over_a_call ();
      launches_overlap ();
      steady ();
      tessera_trim ();
      stub.set_watch (NULL);
      gegl_exit ();
    }
  return driver_finish ();
}
