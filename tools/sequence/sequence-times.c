/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Time in frames: the middle one of the first intervals between frames is 1, so velocities are pixels a frame where frames follow one another
 * evenly, and a track is straight where they do not. */
#include "sequence.h"

#include <math.h>

#include "../progress.h"

#define EVEN     0.1            /* frames by which a clock may be late: less is even */
#define LONGEST  4.0            /* times as long as without a pause: a short search bridges no more */
#define FIRST    64             /* intervals of a night, which tell the middle one: more that follow change nothing */
#define TOGETHER 8              /* one frame in so many may have the time of the one before */

static gint
compare (gconstpointer a, gconstpointer b)
{
  const gdouble first = *(const gdouble *) a, second = *(const gdouble *) b;

  return first < second ? -1 : first > second;
}

gdouble
times_cadence (const FrameList *list)
{
  g_autoptr (GArray) intervals = g_array_new (FALSE, FALSE, sizeof (gdouble));
  const gint n = MIN (list->n, FIRST + 1);
  gint together;

  if (frames_without_time (list) > 0 || ! frames_are_in_order (list))
    return 0.0;
  for (gint i = 1; i < n; i++)
    {
      const gdouble interval = list->frames[i].taken - list->frames[i - 1].taken;

      if (interval > 0.0)
        g_array_append_val (intervals, interval);
    }
  together = n - 1 - (gint) intervals->len;
  if (together * TOGETHER > n)
    {
      progress_say ("frames are counted, because %d of %d frames have the time of the one before: the clock is too coarse", together, n);
      return 0.0;
    }
  g_array_sort (intervals, compare);
  return intervals->len ? g_array_index (intervals, gdouble, intervals->len / 2) : 0.0;
}

gdouble
times_passed (gdouble cadence, gint frames, gdouble seconds)
{
  const gdouble passed = cadence > 0.0 && isfinite (seconds) ? seconds / cadence : frames;

  return fabs (passed - frames) > EVEN ? passed : frames;
}

gdouble
times_between (const Sequence *sequence, gint from, gint to)
{
  return times_passed (sequence->cadence, to - from, sequence->list.frames[to].taken - sequence->list.frames[from].taken);
}

const FrameRow *
tables_frame (const Tables *tables, gint index)
{
  guint low = 0, high = tables->frames->len;

  while (low < high)
    {
      const guint     middle = (low + high) / 2;
      const FrameRow *row = &g_array_index (tables->frames, FrameRow, middle);

      if (row->index == index)
        return row;
      if (row->index < index)
        low = middle + 1;
      else
        high = middle;
    }
  return NULL;
}

gdouble
tables_between (const Tables *tables, gint from, gint to)
{
  const FrameRow *then = tables_frame (tables, from), *now = tables_frame (tables, to);

  return times_passed (tables->cadence, to - from, then && now ? now->facts.middle - then->facts.middle : NAN);
}

gboolean
times_grid (const Sequence *sequence, gint from, gint to, TrackGrid *grid)
{
  const gdouble passed = times_between (sequence, from, to), longer = passed / (SEQUENCE_SHORT - 1);
  const gint    n = (gint) ceil ((grid->n_x - 1) / 2.0 * longer);

  if (passed == to - from || longer <= 1.0)
    return TRUE;
  *grid = (TrackGrid) { grid->x, grid->y, -grid->x / n, 2 * n + 1, 2 * n + 1 };
  return longer <= LONGEST;
}
