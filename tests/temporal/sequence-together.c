/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Requests at the same time that read frames that stay: while some fail, while idle memory is given back, and where an operation has its first ones so.
 * And frames that are not wanted any more while a request reads them. */
#include <string.h>

#include "../driver/behind.h"
#include "../engine/verdict.h"
#include "sequence-device.h"

typedef struct
{
  const Answer     *in_c;
  TesseraOpenclMode mode;
  gint              n, wrong, at_work;  /* the last is atomic */
} Together;

static gpointer
find_again (gpointer data)
{
  Together *together = data;
  Answer    answer = *together->in_c;
  gint      wrong = 0;

  for (gint i = 0; i < together->n; i++)
    {
      memset (answer.whitened, 0, sizeof answer.whitened);
      wrong += ! find_background (together->mode, &answer) || memcmp (answer.whitened, together->in_c->whitened, sizeof answer.whitened);
    }
  g_atomic_int_add (&together->wrong, wrong);
  g_atomic_int_add (&together->at_work, -1);
  return NULL;
}

/* On three threads.  `spoil` is called meanwhile. */
static void
find_together (const Answer *in_c, TesseraOpenclMode mode, gint n, void (*spoil) (gint i))
{
  Together together = { in_c, mode, n, 0, 3 };
  GThread *threads[3];

  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("again", find_again, &together);
  for (gint i = 0; spoil && g_atomic_int_get (&together.at_work) > 0; i++)
    spoil (i);
  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  expect (together.wrong == 0, "at the same time: %d whitened frames are not C's", together.wrong);
}

/* Several requests at the same time read the frames that stay: none travels again, and once they are not wanted others get their memory. */
static void
check_together (const Answer *in_c)
{
  const guint64 frame = sizeof (gfloat) * PIXELS;

  for (gint round = 0; round < 3; round++)
    {
      Answer          answer = { .whitened = { 0 } };
      TesseraCounters before, after;

      begin ();
      find_shifts (TESSERA_OPENCL_FORCE, &answer);
      find_background (TESSERA_OPENCL_FORCE, &answer);
      tessera_get_counters (&before);
      find_together (in_c, TESSERA_OPENCL_FORCE, 30, NULL);
      tessera_get_counters (&after);
      expect (after.uploaded_bytes - before.uploaded_bytes < 3 * 30 * frame / 2, "at the same time: %" G_GUINT64_FORMAT " bytes travel",
              after.uploaded_bytes - before.uploaded_bytes);
      end ();
    }
}

/* Something fails, or what is idle is given back, or is not wanted any more, while others read it. */
static void
spoil (gint i)
{
  static const gchar *const kinds[] = { "alloc", "set-arg", "enqueue", "download", "wait" };
  gchar                    *fault = g_strdup_printf ("%s:%d", kinds[i % G_N_ELEMENTS (kinds)], 1 + i * 7 % 23);

  tessera_set_fault (fault);
  g_usleep (300 + i * 131 % 2000);
  if (i % 3 == 0)
    tessera_trim ();
  if (i % 5 == 0)
    tessera_set_fault (NULL);           /* what failed before is forgotten */
  g_free (fault);
}

static void
check_together_failing (const Answer *in_c)
{
  TesseraCounters before, after;
  Answer          answer = { .whitened = { 0 } };

  tessera_trim ();
  tessera_get_counters (&before);
  begin ();
  find_shifts (TESSERA_OPENCL_TRY, &answer);
  find_together (in_c, TESSERA_OPENCL_TRY, 200, spoil);
  tessera_set_fault (NULL);
  end ();
  tessera_trim ();
  tessera_get_counters (&after);
  expect (after.fallbacks > before.fallbacks && after.device_requests > before.device_requests + 30, "%d requests have failed, %d have not",
          (gint) (after.fallbacks - before.fallbacks), (gint) (after.device_requests - before.device_requests));
  expect (after.live_objects == before.live_objects, "%" G_GINT64_FORMAT " objects are left behind", (gint64) (after.live_objects - before.live_objects));
}

/* ------------------------------------------------------- the first requests -- */

static gpointer real_g_object_get_qdata;
static gint     askers;                 /* atomic: threads that found no progress of an operation */

/* GLib's; that there is no progress yet is known late, so that others may ask meanwhile. */
EXPORT gpointer
(g_object_get_qdata) (GObject *object, GQuark quark)
{
  gpointer found = ((gpointer (*) (GObject *, GQuark)) real (&real_g_object_get_qdata, "g_object_get_qdata")) (object, quark);

  if (! found && quark == g_quark_try_string ("tessera-progress"))
    {
      g_atomic_int_inc (&askers);
      g_usleep (20000);
    }
  return found;
}

/* An operation that has had no request gets three at the same time: what one of them has made for its progress the others do not replace. */
static void
check_first (const Answer *in_c, GeglNode *graph)
{
  GeglOperation *const usual = whitening;
  GeglNode            *node = gegl_node_new_child (graph, "operation", "tessera:background-whiten", NULL);

  whitening = gegl_node_get_gegl_operation (node);
  g_atomic_int_set (&askers, 0);
  begin ();
  find_together (in_c, TESSERA_OPENCL_OFF, 1, NULL);
  end ();
  expect (g_atomic_int_get (&askers) == 1, "%d threads have made what one operation tells", g_atomic_int_get (&askers));
  whitening = usual;
}

/* -------------------------------------------------------------- not wanted -- */

/* The request still has its frames. */
static void
drop_all (GeglNode *node G_GNUC_UNUSED, gdouble fraction)
{
  if (fraction > 0.0 && fraction < 1.0)
    end ();
}

/* Others get the memory of frames that were dropped while a request read them. */
static void
check_dropped (const Answer *in_c, GeglNode *graph)
{
  GeglOperation *const usual = whitening;
  GeglNode            *node = gegl_node_new_child (graph, "operation", "tessera:background-whiten", NULL);
  TesseraCounters      some, more;

  whitening = gegl_node_get_gegl_operation (node);
  g_signal_connect (node, "progress", G_CALLBACK (drop_all), NULL);
  tessera_set_eager_progress (TRUE);
  for (gint i = 0; i < 13; i++)
    {
      Answer answer = { .whitened = { 0 } };

      begin ();
      expect (find_shifts (TESSERA_OPENCL_FORCE, &answer) && find_background (TESSERA_OPENCL_FORCE, &answer), "it is computed");
      expect (! memcmp (answer.whitened, in_c->whitened, sizeof answer.whitened), "dropped meanwhile: the whitened frame is not C's");
      tessera_get_counters (i < 3 ? &some : &more);
    }
  expect (more.allocations == some.allocations, "what was dropped meanwhile is lost: %d allocations", (gint) (more.allocations - some.allocations));
  tessera_set_eager_progress (FALSE);
  whitening = usual;
}

void
check_requests_together (const Answer *in_c, GeglNode *graph)
{
  check_together (in_c);
  check_together_failing (in_c);
  check_first (in_c, graph);
  check_dropped (in_c, graph);
}
