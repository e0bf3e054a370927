/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera_spread_range while another has GEGL's threads: all is done once, and not by one thread; also from within.  And where the
 * system has no thread left, by one. */
#include "../driver/no-threads.h"

#include <gegl.h>

#include "tessera.h"
#include "verdict.h"

#define ITEMS   64
#define THREADS 4
#define WAIT    (5 * G_USEC_PER_SEC)

typedef struct
{
  gint done[ITEMS];             /* atomic */
  gint entered;                 /* atomic: calls */
  gint waits;                   /* for another thread */
} Work;

static gint holds, may_end;     /* atomic */

static void
work (gsize first, gsize n, gpointer data)
{
  Work        *w = data;
  const gint64 began = g_get_monotonic_time ();

  g_atomic_int_inc (&w->entered);
  while (w->waits && g_atomic_int_get (&w->entered) < 2 && g_get_monotonic_time () - began < WAIT)
    g_usleep (100);
  for (gsize i = first; i < first + n; i++)
    g_atomic_int_inc (&w->done[i]);
}

static void
expect_done (const Work *w, const gchar *what)
{
  gint wrong = 0;

  for (gint i = 0; i < ITEMS; i++)
    wrong += w->done[i] != 1;
  expect (wrong == 0, "%s: %d of %d are not done once", what, wrong, ITEMS);
}

/* Each part spreads work of its own. */
static void
work_within (gsize first, gsize n, gpointer data)
{
  Work w = { .waits = FALSE };

  tessera_spread_range (ITEMS, 1e-3, work, &w);
  expect_done (&w, "within");
  work (first, n, data);
}

static void
hold (gint i G_GNUC_UNUSED, gint n G_GNUC_UNUSED, gpointer data G_GNUC_UNUSED)
{
  g_atomic_int_set (&holds, TRUE);
  while (! g_atomic_int_get (&may_end))
    g_usleep (100);
}

static gpointer
hold_threads (gpointer data)
{
  gegl_parallel_distribute (-1, hold, data);
  return NULL;
}

static void
spread (const gchar *what)
{
  Work w = { .waits = TRUE }, within = { .waits = FALSE };

  tessera_spread_range (ITEMS, 1e-3, work, &w);
  expect_done (&w, what);
  expect (w.entered > 1, "%s: one thread did all", what);
  tessera_spread_range (ITEMS, 1e-3, work_within, &within);
  expect_done (&within, what);
}

gint
main (gint argc, gchar **argv)
{
  Work     one = { .waits = FALSE }, alone = { .waits = FALSE };
  GThread *other;

  gegl_init (&argc, &argv);
  g_object_set (gegl_config (), "threads", THREADS, NULL);
  other = g_thread_new ("other", hold_threads, NULL);
  while (! g_atomic_int_get (&holds))
    g_usleep (100);
  g_atomic_int_set (&no_threads, TRUE);
  tessera_spread_range (ITEMS, 1e-3, work, &alone);
  expect_done (&alone, "there are no threads");
  expect (alone.entered == 1, "there are no threads, and %d work", alone.entered);
  g_atomic_int_set (&no_threads, FALSE);
  for (gint k = 0; k < 100; k++)
    spread ("another has GEGL's threads");
  g_atomic_int_set (&may_end, TRUE);
  g_thread_join (other);
  spread ("GEGL's threads are free");
  g_object_set (gegl_config (), "threads", 1, NULL);
  tessera_spread_range (ITEMS, 1e-3, work, &one);
  expect_done (&one, "one thread");
  expect (one.entered == 1, "one thread is asked for, and %d work", one.entered);
  gegl_exit ();
  return expect_told ();
}
