/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Looks on: what is said on stderr, requests that hang or crash, memory. */
#include "soak.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#define HANGS_AFTER 60          /* seconds */

static GMutex   lock;           /* guards what follows */
static gchar   *current;
static gint64   began;
static GString *warnings;
static GThread *watcher;
static gint     ends;           /* atomic */
static gint     n_lines;        /* atomic */
static gboolean prints;

/* ------------------------------------------------------------------- lines -- */

static void
count_line (const gchar *text)
{
  g_atomic_int_inc (&n_lines);
  if (prints)
    fputs (text, stderr);
}

static GLogWriterOutput
collect_warning (GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer data)
{
  gchar *line;

  if ((level & G_LOG_LEVEL_MASK) > G_LOG_LEVEL_WARNING)
    return g_log_writer_default (level, fields, n_fields, data);
  line = g_log_writer_format_fields (level, fields, n_fields, FALSE);
  g_mutex_lock (&lock);
  if (! warnings)
    warnings = g_string_new (NULL);
  if (warnings->len < 4000)
    g_string_append_printf (warnings, "%s\n", g_strstrip (line));
  g_mutex_unlock (&lock);
  g_free (line);
  return G_LOG_WRITER_HANDLED;
}

gchar *
soak_take_warnings (void)
{
  GString *taken;

  g_mutex_lock (&lock);
  taken = warnings;
  warnings = NULL;
  g_mutex_unlock (&lock);
  return taken ? g_string_free (taken, FALSE) : NULL;
}

guint64
soak_watch_lines (void)
{
  return g_atomic_int_get (&n_lines);
}

/* ---------------------------------------------------------- hangs, crashes -- */

static void
say_current (const gchar *what)
{
  printf ("FAIL %s in %s\n0 passed, 1 failed\n", what, current ? current : "the beginning");
  fflush (stdout);
}

static void
crashed (int number)
{
  say_current (number == SIGABRT ? "aborted" : "crashed");      /* not safe, but all is lost */
  signal (number, SIG_DFL);
  raise (number);
}

#ifdef __SANITIZE_ADDRESS__
void __asan_set_death_callback (void (*callback) (void));

static void
asan_died (void)
{
  say_current ("sanitizer's error");
}
#endif

static gpointer
watch (gpointer data G_GNUC_UNUSED)
{
  while (! g_atomic_int_get (&ends))
    {
      gboolean hangs;

      g_usleep (G_USEC_PER_SEC / 4);
      g_mutex_lock (&lock);
      hangs = current && g_get_monotonic_time () - began > HANGS_AFTER * G_USEC_PER_SEC;
      if (hangs)
        say_current ("no end");
      g_mutex_unlock (&lock);
      if (hangs)
        {
          signal (SIGABRT, SIG_DFL);
          abort ();
        }
    }
  return NULL;
}

void
soak_watch_request (gchar *description)
{
  gchar *old;

  g_mutex_lock (&lock);
  old = current;
  current = description;
  began = g_get_monotonic_time ();
  g_mutex_unlock (&lock);
  g_free (old);
}

void
soak_watch_start (gboolean verbose)
{
  prints = verbose;
  g_set_printerr_handler (count_line);
  g_log_set_writer_func (collect_warning, NULL, NULL);
#ifdef __SANITIZE_ADDRESS__
  __asan_set_death_callback (asan_died);
#else
  signal (SIGSEGV, crashed);
  signal (SIGBUS, crashed);
  signal (SIGFPE, crashed);
#endif
  signal (SIGABRT, crashed);
  watcher = g_thread_new ("watch", watch, NULL);
}

void
soak_watch_end (void)
{
  g_atomic_int_set (&ends, TRUE);
  g_thread_join (watcher);
  soak_watch_request (NULL);
}

/* ------------------------------------------------------------------ memory -- */

guint64
soak_resident (void)
{
  gchar  *text, *line;
  guint64 kib = 0;

#ifdef __GLIBC__
  malloc_trim (0);
#endif
  if (g_file_get_contents ("/proc/self/status", &text, NULL, NULL))
    {
      line = strstr (text, "VmRSS:");
      kib = line ? g_ascii_strtoull (line + strlen ("VmRSS:"), NULL, 10) : 0;
      g_free (text);
    }
  return kib;
}
