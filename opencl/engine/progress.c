/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The progress of an operation: its node's "progress" signal, which GIMP shows as a bar.
 *
 * GIMP opens the bar at 0 and closes it at 1.  So the signal begins with 0 and ends with 1.  Work of
 * less than half a second sends no signal, because a bar for each rectangle of a preview would
 * flicker.  Only the thread that called process sends it.  In C, that thread counts what it has
 * written itself (or read, as long as nothing is written), and takes this for all threads: they
 * begin together, with equal parts.  GEGL passes on the main thread's signals and drops the others.
 */
#include "config.h"

#include "progress.h"

#include <gegl-plugin.h>

#include "settings.h"

#define DELAY    500            /* ms until the first word */
#define INTERVAL 50             /* ms between two */
#define MOST     0.99           /* 1 is sent only at the end */

static GMutex lock;             /* guards what operations have told: requests of one may run at the same time */

/* For an operation, whose process may make several requests. */
struct _TesseraTelling
{
  gint64  next;                 /* when to send the next signal, in microseconds */
  gdouble told;                 /* negative: nothing yet */
};

static _Thread_local TesseraWork *work;         /* the request that this thread has called for */

static void
emit (TesseraWork *of, gdouble fraction)
{
  gegl_operation_progress (of->request->errand.operation, fraction, (gchar *) "");
}

/* What is to be told of it; negative: nothing now. */
static gdouble
next_locked (TesseraTelling *telling, gdouble fraction)
{
  const gint64 now = g_get_monotonic_time ();

  if (now < telling->next && ! tessera_tells_progress_at_once ())
    return -1.0;
  telling->next = now + INTERVAL * 1000;
  if (telling->told < 0.0)
    fraction = 0.0;
  if (fraction <= telling->told)
    return -1.0;
  return telling->told = fraction;
}

/* `part`: of the request. */
static void
tell (TesseraWork *of, gdouble part)
{
  const TesseraRequest *request = of->request;
  const gdouble         from = request->errand.progress_from;
  const gdouble         to = request->errand.progress_to > 0.0 ? request->errand.progress_to : 1.0;
  gdouble               fraction = MIN (from + (to - from) * CLAMP (part, 0.0, 1.0), MOST);

  if (! of->telling)
    return;
  g_mutex_lock (&lock);
  fraction = next_locked (of->telling, fraction);
  g_mutex_unlock (&lock);
  if (fraction >= 0.0)
    emit (of, fraction);
}

static TesseraTelling *
telling_locked (GObject *operation)
{
  const GQuark    quark = g_quark_from_static_string ("tessera-progress");
  TesseraTelling *telling = g_object_get_qdata (operation, quark);

  if (telling)
    return telling;
  telling = g_new (TesseraTelling, 1);
  telling->told = -1.0;
  g_object_set_qdata_full (operation, quark, telling, g_free);
  return telling;
}

void
tessera_progress_begin (TesseraWork *begun, const TesseraRequest *request)
{
  *begun = (TesseraWork) { .outer = work, .request = request, .to = 1.0 };
  work = begun;
  if (! request->errand.operation)
    return;
  g_object_ref (request->errand.operation);     /* a listener may let go of the node */
  g_mutex_lock (&lock);
  begun->telling = telling_locked (G_OBJECT (request->errand.operation));
  if (request->errand.progress_from <= 0.0 && begun->telling->told < 0.0)
    begun->telling->next = g_get_monotonic_time () + DELAY * 1000;
  g_mutex_unlock (&lock);
  tell (begun, 0.0);
}

void
tessera_progress_end (TesseraWork *ended, gboolean success)
{
  const TesseraRequest *request = ended->request;
  const gboolean        last = request->errand.progress_to <= 0.0 || request->errand.progress_to >= 1.0;
  gboolean              closes;

  work = ended->outer;
  if (! ended->telling)
    return;
  g_mutex_lock (&lock);
  closes = ended->telling->told >= 0.0 && (last || ! success);
  if (closes)
    ended->telling->told = -1.0;
  g_mutex_unlock (&lock);
  if (closes)
    emit (ended, 1.0);
  g_object_unref (request->errand.operation);
}

void
tessera_progress_tell (gdouble part)
{
  if (work)
    tell (work, part);
}

void
tessera_progress_step (gdouble from, gdouble to, gboolean reads, guint64 pixels)
{
  gint threads = 1;

  if (! work)
    return;
  g_object_get (gegl_config (), "threads", &threads, NULL);
  work->from = from;
  work->to = to;
  work->reads = reads;
  work->done = 0;
  work->mine = pixels / MAX (threads, 1);
  tell (work, from);
}

void
tessera_progress_mine (guint64 pixels)
{
  if (work)
    work->mine = pixels;
}

void
tessera_progress_count (gboolean reads, guint64 pixels)
{
  if (! work || work->reads != reads || work->mine == 0)
    return;
  work->done += pixels;
  tell (work, work->from + (work->to - work->from) * MIN (1.0, work->done / (gdouble) work->mine));
}
