/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Tells ThreadSanitizer what it cannot see: GLib's locks are futexes in a library
 * that is not instrumented, and GEGL counts the parts of a distributed job with
 * atomics of its own.  Our functions stand before theirs (the test exports them),
 * call them, and say who happens before whom.  Empty in any other build. */
#if defined (__SANITIZE_THREAD__)
#define WITH_THREAD_SANITIZER
#elif defined (__has_feature)
#if __has_feature (thread_sanitizer)
#define WITH_THREAD_SANITIZER
#endif
#endif

#ifdef WITH_THREAD_SANITIZER

#include "behind.h"
#include <gegl.h>
#include <sanitizer/tsan_interface.h>

/* The function behind ours. */
#define REAL(name) ((__typeof__ (&name)) real (&real_##name, #name))
#define DECLARE_REAL(name) static gpointer real_##name;

#define LOCK(name, type)                        \
  DECLARE_REAL (name)                           \
  EXPORT void                                   \
  (name) (type *lock)                           \
  {                                             \
    REAL (name) (lock);                         \
    __tsan_acquire (lock);                      \
  }

#define TRYLOCK(name, type)                     \
  DECLARE_REAL (name)                           \
  EXPORT gboolean                               \
  (name) (type *lock)                           \
  {                                             \
    gboolean locked = REAL (name) (lock);       \
                                                \
    if (locked)                                 \
      __tsan_acquire (lock);                    \
    return locked;                              \
  }

#define UNLOCK(name, type)                      \
  DECLARE_REAL (name)                           \
  EXPORT void                                   \
  (name) (type *lock)                           \
  {                                             \
    __tsan_release (lock);                      \
    REAL (name) (lock);                         \
  }

LOCK (g_mutex_lock, GMutex)
TRYLOCK (g_mutex_trylock, GMutex)
UNLOCK (g_mutex_unlock, GMutex)
LOCK (g_rec_mutex_lock, GRecMutex)
TRYLOCK (g_rec_mutex_trylock, GRecMutex)
UNLOCK (g_rec_mutex_unlock, GRecMutex)
LOCK (g_rw_lock_writer_lock, GRWLock)
TRYLOCK (g_rw_lock_writer_trylock, GRWLock)
UNLOCK (g_rw_lock_writer_unlock, GRWLock)
LOCK (g_rw_lock_reader_lock, GRWLock)
TRYLOCK (g_rw_lock_reader_trylock, GRWLock)
UNLOCK (g_rw_lock_reader_unlock, GRWLock)

DECLARE_REAL (g_cond_wait)
DECLARE_REAL (g_cond_wait_until)
DECLARE_REAL (g_once_init_enter)
DECLARE_REAL (g_once_init_leave)
DECLARE_REAL (gegl_parallel_distribute)
DECLARE_REAL (gegl_parallel_distribute_area)
DECLARE_REAL (gegl_parallel_distribute_range)

EXPORT void
(g_cond_wait) (GCond *cond, GMutex *mutex)
{
  __tsan_release (mutex);
  REAL (g_cond_wait) (cond, mutex);
  __tsan_acquire (mutex);
}

EXPORT gboolean
(g_cond_wait_until) (GCond *cond, GMutex *mutex, gint64 end)
{
  gboolean signalled;

  __tsan_release (mutex);
  signalled = REAL (g_cond_wait_until) (cond, mutex, end);
  __tsan_acquire (mutex);
  return signalled;
}

#undef g_once_init_enter
#undef g_once_init_leave
typedef gboolean (*EnterFunction) (volatile void *location);
typedef void (*LeaveFunction) (volatile void *location, gsize result);

EXPORT gboolean
g_once_init_enter (volatile void *location)
{
  gboolean first = ((EnterFunction) real (&real_g_once_init_enter, "g_once_init_enter")) (location);

  __tsan_acquire ((void *) location);
  return first;
}

EXPORT void
g_once_init_leave (volatile void *location, gsize result)
{
  __tsan_release ((void *) location);
  ((LeaveFunction) real (&real_g_once_init_leave, "g_once_init_leave")) (location, result);
}

/* ------------------------------------------------------- pools of threads -- */

DECLARE_REAL (g_thread_pool_new)
DECLARE_REAL (g_thread_pool_push)

/* What a pool does with each; as long as the process. */
typedef struct
{
  GFunc    each;
  gpointer data;
} Pool;

static void
one_of_pool (gpointer one, gpointer data)
{
  const Pool *pool = data;

  __tsan_acquire (one);
  pool->each (one, pool->data);
}

EXPORT GThreadPool *
(g_thread_pool_new) (GFunc each, gpointer data, gint most, gboolean exclusive, GError **error)
{
  Pool *pool = g_new (Pool, 1);

  *pool = (Pool) { each, data };
  return REAL (g_thread_pool_new) (one_of_pool, pool, most, exclusive, error);
}

EXPORT gboolean
(g_thread_pool_push) (GThreadPool *pool, gpointer one, GError **error)
{
  __tsan_release (one);
  return REAL (g_thread_pool_push) (pool, one, error);
}

/* ------------------------------------------------- GEGL's parallel jobs -- */

typedef struct
{
  GeglParallelDistributeFunc      each;
  GeglParallelDistributeAreaFunc  area;
  GeglParallelDistributeRangeFunc range;
  gpointer                        data;
  gchar                           begun, ended;
} Job;

static void
part_of_each (gint i, gint n, gpointer data)
{
  Job *job = data;

  __tsan_acquire (&job->begun);
  job->each (i, n, job->data);
  __tsan_release (&job->ended);
}

static void
part_of_area (const GeglRectangle *area, gpointer data)
{
  Job *job = data;

  __tsan_acquire (&job->begun);
  job->area (area, job->data);
  __tsan_release (&job->ended);
}

static void
part_of_range (gsize offset, gsize size, gpointer data)
{
  Job *job = data;

  __tsan_acquire (&job->begun);
  job->range (offset, size, job->data);
  __tsan_release (&job->ended);
}

EXPORT void
gegl_parallel_distribute (gint max_n, GeglParallelDistributeFunc func, gpointer data)
{
  Job job = { .each = func, .data = data };

  __tsan_release (&job.begun);
  REAL (gegl_parallel_distribute) (max_n, part_of_each, &job);
  __tsan_acquire (&job.ended);
}

EXPORT void
gegl_parallel_distribute_area (const GeglRectangle *area, gdouble thread_cost, GeglSplitStrategy strategy,
                               GeglParallelDistributeAreaFunc func, gpointer data)
{
  Job job = { .area = func, .data = data };

  __tsan_release (&job.begun);
  REAL (gegl_parallel_distribute_area) (area, thread_cost, strategy, part_of_area, &job);
  __tsan_acquire (&job.ended);
}

EXPORT void
gegl_parallel_distribute_range (gsize size, gdouble thread_cost, GeglParallelDistributeRangeFunc func, gpointer data)
{
  Job job = { .range = func, .data = data };

  __tsan_release (&job.begun);
  REAL (gegl_parallel_distribute_range) (size, thread_cost, part_of_range, &job);
  __tsan_acquire (&job.ended);
}

#else
typedef int nothing_to_tell;
#endif
