/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "each-fault.h"

#include <string.h>

#include "tessera-control.h"
#include "verdict.h"

void
each_fault (gboolean farther, void (*call) (const gchar *fault, gpointer data), gpointer data)
{
  static const gchar *const kinds[] = { "build", "queue", "kernel", "alloc", "map", "set-arg", "enqueue", "download", "wait" };

  TesseraCounters before, after;
  gint            met = 0;

  tessera_trim ();
  tessera_get_counters (&before);
  for (gsize k = 0; k < G_N_ELEMENTS (kinds); k++)
    {
      gboolean is_met = TRUE;

      for (gint n = 1; n < 1000 && is_met; n += farther ? 1 + n / 4 : 1)
        {
          gchar *fault = g_strdup_printf ("%s:%d", kinds[k], n);

          tessera_set_fault (fault);
          call (fault, data);
          is_met = tessera_fault_met ();
          tessera_set_fault (NULL);
          met += is_met;
          g_free (fault);
        }
    }
  tessera_trim ();
  tessera_get_counters (&after);
  expect (met > 40 && after.fallbacks > before.fallbacks, "%d faults were met", met);
  expect (after.live_objects <= before.live_objects && after.abandoned_objects == before.abandoned_objects, "%d objects are left",
          (gint) (after.live_objects - before.live_objects));
}

guint64
launches_of (const gchar *kernel)
{
  TesseraKernelTime times[64];
  const guint       n = MIN (tessera_get_kernel_times (times, G_N_ELEMENTS (times)), G_N_ELEMENTS (times));
  guint64           launches = 0;

  for (guint i = 0; i < n; i++)
    if (strcmp (times[i].kernel, kernel) == 0)
      launches += times[i].launches;
  return launches;
}
