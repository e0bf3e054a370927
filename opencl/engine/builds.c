/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Programs that are built while C answers: a compiler may need seconds (H200, driver 580, 2026-11, nothing in its
 * cache: 0.7 to 5.2 s).  Where a person sits before the picture, nobody waits for that.
 *
 * One thread builds one after another, and ends when nothing is left.  The process does not end while it is in the
 * compiler, whose libraries would be taken down meanwhile.  A failure that passes counts for the filter as one of a
 * request of its own does, and the next request begins to build again.
 */
#include "config.h"

#include "builds.h"

#include <stdlib.h>

#include "breaker.h"
#include "system.h"

#define PATIENCE 50             /* ms: what we, or the driver, have kept takes less */

typedef struct
{
  const TesseraFilter *filter;          /* NULL: the engine's own device is opened */
  const TesseraDevice *device;
} Build;

static GMutex lock;             /* guards what follows */
static GCond  changed;
static GQueue builds = G_QUEUE_INIT;    /* the first one is being built, if the thread is at work */
static gboolean is_at_work;
static gint     is_ending;      /* atomic: so is the process */

/* ---------------------------------------------------------------- thread -- */

static void
build (const Build *self)
{
  const TesseraText text = tessera_filter_text (self->filter);
  TesseraProgram   *program;
  gint              status = tessera_program_get (self->device, &tessera_engine_text, &program);

  if (status == 0)
    status = tessera_program_get (self->device, &text, &program);
  if (status != 0 && tessera_outcome (status) != TESSERA_REFUSED)
    tessera_breaker_fail (self->filter->name);
}

/* Other threads may go on: their requests are C's from now on, as what a driver needs is taken down. */
static void
at_exit (void)
{
  g_atomic_int_set (&is_ending, TRUE);
  tessera_builds_end (TRUE);
}

/* A compiler may bring libraries along.  They are taken down in the reverse order in which they came, so each time we
 * come after them. */
static gpointer
work (gpointer data G_GNUC_UNUSED)
{
  g_mutex_lock (&lock);
  while (! g_queue_is_empty (&builds))
    {
      Build *first = g_queue_peek_head (&builds);

      g_mutex_unlock (&lock);
      if (first->filter)
        build (first);
      else
        tessera_own_open ();
      atexit (at_exit);
      g_mutex_lock (&lock);
      g_free (g_queue_pop_head (&builds));
      g_cond_broadcast (&changed);
    }
  is_at_work = FALSE;
  g_cond_broadcast (&changed);
  g_mutex_unlock (&lock);
  return NULL;
}

/* -------------------------------------------------------------- requests -- */

gboolean
tessera_is_built (const TesseraFilter *filter, const TesseraDevice *device)
{
  const TesseraText text = tessera_filter_text (filter);
  gboolean          is_refused;

  return tessera_program_is_done (device, &tessera_engine_text, &is_refused)
         && (is_refused || tessera_program_is_done (device, &text, &is_refused));
}

static gboolean
is_listed_locked (const TesseraFilter *filter, const TesseraDevice *device)
{
  for (const GList *link = builds.head; link; link = link->next)
    {
      const Build *other = link->data;

      if (other->filter == filter && other->device == device)
        return TRUE;
    }
  return FALSE;
}

/* FALSE: there is no thread. */
static gboolean
list_locked (const TesseraFilter *filter, const TesseraDevice *device)
{
  Build   *self = g_new (Build, 1);
  GThread *thread;

  *self = (Build) { filter, device };
  g_queue_push_tail (&builds, self);
  if (is_at_work)
    return TRUE;
  atexit (at_exit);
  if ((thread = g_thread_try_new ("tessera-build", work, NULL, NULL)))
    g_thread_unref (thread);
  else
    g_free (g_queue_pop_tail (&builds));
  is_at_work = thread != NULL;
  return is_at_work;
}

static gboolean
takes_long (const TesseraDevice *device, const TesseraText *text)
{
  gboolean is_refused;

  return ! tessera_program_is_done (device, text, &is_refused) && tessera_compiles_slowly (device, text);
}

/* Microseconds that a request waits. */
static gint64
patience (const TesseraFilter *filter, const TesseraDevice *device)
{
  const TesseraText text = tessera_filter_text (filter);

  if (takes_long (device, &tessera_engine_text) || takes_long (device, &text))
    return 0;
  return PATIENCE * G_TIME_SPAN_MILLISECOND;
}

gboolean
tessera_builds_are_done (const TesseraFilter *filter, const TesseraDevice *device)
{
  gint64   until = g_get_monotonic_time ();
  gboolean has_thread = TRUE;

  if (g_atomic_int_get (&is_ending))
    return FALSE;
  if (tessera_is_built (filter, device))
    return TRUE;
  g_mutex_lock (&lock);
  if (! is_listed_locked (filter, device) && (has_thread = list_locked (filter, device)))
    {
      g_mutex_unlock (&lock);           /* it looks for files */
      until += patience (filter, device);
      g_mutex_lock (&lock);
      while (is_listed_locked (filter, device) && g_cond_wait_until (&changed, &lock, until));
    }
  g_mutex_unlock (&lock);
  return ! has_thread || tessera_is_built (filter, device);
}

void
tessera_builds_open_own (gboolean waits)
{
  gboolean has_thread = TRUE;

  if (tessera_own_is_asked () || g_atomic_int_get (&is_ending))
    return;
  if (! waits)
    {
      g_mutex_lock (&lock);
      has_thread = is_listed_locked (NULL, NULL) || list_locked (NULL, NULL);
      g_mutex_unlock (&lock);
    }
  if (waits || ! has_thread)
    tessera_own_open ();
}

/* In a child of fork () there is no such thread. */
void
tessera_builds_end (gboolean drops)
{
  if (tessera_has_forked ())
    return;
  g_mutex_lock (&lock);
  while (drops && builds.length > 1)
    g_free (g_queue_pop_tail (&builds));
  while (is_at_work)
    g_cond_wait (&changed, &lock);
  g_mutex_unlock (&lock);
}
