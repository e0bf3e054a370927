/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Frames in the order of their times. */
#include "frames.h"

#include <math.h>

gint
frames_without_time (const FrameList *list)
{
  gint n = 0;

  for (gint i = 0; i < list->n; i++)
    n += isnan (list->frames[i].taken);
  return n;
}

gboolean
frames_are_in_order (const FrameList *list)
{
  gdouble last = -INFINITY;

  for (gint i = 0; i < list->n; i++)
    {
      const gdouble taken = list->frames[i].taken;

      if (taken < last)
        return FALSE;
      last = isnan (taken) ? last : taken;
    }
  return TRUE;
}

static gint
compare (gconstpointer a, gconstpointer b, gpointer data G_GNUC_UNUSED)
{
  const gdouble first = ((const Frame *) a)->taken, second = ((const Frame *) b)->taken;

  return first < second ? -1 : first > second;
}

/* Frames of one file stay together: this way of sorting is stable. */
void
frames_order (FrameList *list)
{
#if GLIB_CHECK_VERSION (2, 82, 0)
  g_sort_array (list->frames, list->n, sizeof (Frame), compare, NULL);
#else
  g_qsort_with_data (list->frames, list->n, sizeof (Frame), compare, NULL);
#endif
}
