/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Work on all threads, whoever else has some.
 *
 * GEGL gives its threads to one caller at a time; who comes meanwhile does everything by itself.  So of two requests at the same time (tessera-sequence: the
 * shifts of some frames, and the backgrounds of those before) one would take as many times as long as there are threads.  It gets helpers: threads of
 * ours, as many as GEGL has, for all who come so.  A helper that is not there in time is not waited for.
 */
#include "config.h"

#include "spread.h"

#include <math.h>

#include "system.h"
#include "tessera.h"

typedef struct
{
  GeglParallelDistributeFunc work;
  gpointer                   data;
  gint                       n;         /* shares */
  gint                       uses;      /* atomic: the caller, and helpers that have not begun or are at work */
  GMutex                     lock;      /* guards what follows */
  GCond                      idle;
  gint                       next;      /* share */
  gint                       at_work;
} Spread;

static void
spread_free (Spread *spread)
{
  if (! g_atomic_int_dec_and_test (&spread->uses))
    return;
  g_cond_clear (&spread->idle);
  g_mutex_clear (&spread->lock);
  g_free (spread);
}

/* Shares that nobody has. */
static void
work_on_shares (Spread *spread)
{
  g_mutex_lock (&spread->lock);
  spread->at_work++;
  while (spread->next < spread->n)
    {
      const gint share = spread->next++;

      g_mutex_unlock (&spread->lock);
      spread->work (share, spread->n, spread->data);
      g_mutex_lock (&spread->lock);
    }
  if (--spread->at_work == 0)
    g_cond_broadcast (&spread->idle);
  g_mutex_unlock (&spread->lock);
}

static void
help (gpointer spread, gpointer data G_GNUC_UNUSED)
{
  work_on_shares (spread);
  spread_free (spread);
}

static gint
gegl_threads (void)
{
  gint n;

  g_object_get (gegl_config (), "threads", &n, NULL);
  return MAX (n, 1);
}

/* NULL: there are none.  Threads that are the pool's alone, all from the beginning: GLib gets others with the help of a thread of
 * its own, and ends the process where the system has no thread left.  Then the caller works alone, and the next one tries again. */
static GThreadPool *
helpers (void)
{
  static GMutex       lock;
  static GThreadPool *pool;             /* for good */
  GThreadPool        *result;

  if (tessera_has_forked ())
    return NULL;
  g_mutex_lock (&lock);
  if (! pool)
    pool = g_thread_pool_new (help, NULL, gegl_threads (), TRUE, NULL);
  if (pool && g_thread_pool_get_num_threads (pool) == 0)
    g_thread_pool_free (g_steal_pointer (&pool), TRUE, FALSE);
  result = pool;
  g_mutex_unlock (&lock);
  return result;
}

static void
work_with_helpers (Spread *spread, GThreadPool *pool)
{
  for (gint i = 1; i < spread->n; i++)
    {
      g_atomic_int_inc (&spread->uses);
      g_thread_pool_push (pool, spread, NULL);
    }
  work_on_shares (spread);
  g_mutex_lock (&spread->lock);
  while (spread->at_work > 0)
    g_cond_wait (&spread->idle, &spread->lock);
  g_mutex_unlock (&spread->lock);
}

/* GEGL's thread `i` of `n`. */
static void
begin (gint i, gint n, gpointer data)
{
  Spread      *spread = data;
  GThreadPool *pool = n == 1 && spread->n > 1 ? helpers () : NULL;

  if (pool)
    work_with_helpers (spread, pool);
  else
    spread->work (i, n, spread->data);
}

void
tessera_spread (gint most, GeglParallelDistributeFunc work, gpointer data)
{
  Spread *spread = g_new0 (Spread, 1);

  *spread = (Spread) { .work = work, .data = data, .n = CLAMP (most, 1, gegl_threads ()), .uses = 1 };
  g_mutex_init (&spread->lock);
  g_cond_init (&spread->idle);
  gegl_parallel_distribute (spread->n, begin, spread);
  spread_free (spread);
}

typedef struct
{
  gsize                           n;
  GeglParallelDistributeRangeFunc work;
  gpointer                        data;
} Range;

static void
work_on_range (gint i, gint n, gpointer data)
{
  const Range *range = data;
  const gsize  from = range->n * i / n, to = range->n * (i + 1) / n;

  if (to > from)
    range->work (from, to - from, range->data);
}

/* So many threads that the last one's cost is what it saves, as GEGL counts. */
void
tessera_spread_range (gsize n, gdouble thread_cost, GeglParallelDistributeRangeFunc work, gpointer data)
{
  const gdouble best = sqrt (n / thread_cost);

  tessera_spread ((gint) CLAMP (best + 0.5, 1.0, MIN ((gdouble) n, 1024.0)), work_on_range, &(Range) { n, work, data });
}
