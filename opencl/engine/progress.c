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
  gegl_operation_progress (of->request->operation, fraction, (gchar *) "");
}

/* `part`: of the request. */
static void
tell (TesseraWork *of, gdouble part)
{
  const TesseraRequest *request = of->request;
  TesseraTelling       *telling = of->telling;
  const gdouble         from = request->progress_from;
  const gdouble         to = request->progress_to > 0.0 ? request->progress_to : 1.0;
  const gint64          now = g_get_monotonic_time ();
  gdouble               fraction = MIN (from + (to - from) * CLAMP (part, 0.0, 1.0), MOST);

  if (now < telling->next && ! tessera_tells_progress_at_once ())
    return;
  telling->next = now + INTERVAL * 1000;
  if (telling->told < 0.0)
    fraction = 0.0;
  if (fraction <= telling->told)
    return;
  telling->told = fraction;
  emit (of, fraction);
}

void
tessera_progress_begin (TesseraWork *begun, const TesseraRequest *request)
{
  const GQuark quark = g_quark_from_static_string ("tessera-progress");

  *begun = (TesseraWork) { .outer = work, .request = request, .to = 1.0 };
  g_object_ref (request->operation);            /* a listener may let go of the node */
  begun->telling = g_object_get_qdata (G_OBJECT (request->operation), quark);
  if (! begun->telling)
    {
      begun->telling = g_new (TesseraTelling, 1);
      begun->telling->told = -1.0;
      g_object_set_qdata_full (G_OBJECT (request->operation), quark, begun->telling, g_free);
    }
  if (request->progress_from <= 0.0 && begun->telling->told < 0.0)
    begun->telling->next = g_get_monotonic_time () + DELAY * 1000;
  work = begun;
  tell (begun, 0.0);
}

void
tessera_progress_end (TesseraWork *ended, gboolean success)
{
  const TesseraRequest *request = ended->request;
  const gboolean        last = request->progress_to <= 0.0 || request->progress_to >= 1.0;

  if (ended->telling->told >= 0.0 && (last || ! success))
    {
      ended->telling->told = -1.0;
      emit (ended, 1.0);
    }
  work = ended->outer;
  g_object_unref (request->operation);
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
