/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Which rows are of one object. */
#include "sequence.h"

#include <math.h>

#define NEAR   3.0              /* px between where a track is and where it was to be */
#define ALIKE  0.5              /* px a frame between velocities */
#define PAUSE  32               /* frames in which it was not found */
#define REACH  256              /* frames of a track, at most */

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

/* How far `row` is from where the object of `track` is then; INFINITY: they cannot be one. */
static gdouble
distance (const Tables *tables, const ObjectRow *track, const ObjectRow *row)
{
  const FrameRow *then = tables_frame (tables, track->index), *now = tables_frame (tables, row->index);
  const gdouble   passed = row->index - track->index;

  if (! then || ! now || then->chain != now->chain)
    return INFINITY;
  return hypot (row->x - (track->x + now->x - then->x + track->v_x * passed), row->y - (track->y + now->y - then->y + track->v_y * passed));
}

/* Rows are in the order of their frames. */
static void
link_tracks (Tables *tables)
{
  GArray *last = g_array_new (FALSE, FALSE, sizeof (ObjectRow));        /* of each object */

  for (guint i = 0; i < tables->tracks->len; i++)
    {
      ObjectRow *row = &g_array_index (tables->tracks, ObjectRow, i);
      gdouble    nearest = NEAR;

      for (guint k = 0; k < last->len; k++)
        {
          const ObjectRow *track = &g_array_index (last, ObjectRow, k);
          const gboolean   may = row->index - track->index <= PAUSE && hypot (row->v_x - track->v_x, row->v_y - track->v_y) <= ALIKE;
          const gdouble    away = may ? distance (tables, track, row) : INFINITY;

          if (away < nearest)
            {
              nearest = away;
              row->track = (gint) k;
            }
        }
      if (row->track < 0)
        {
          row->track = (gint) last->len;
          g_array_append_val (last, *row);
        }
      else
        g_array_index (last, ObjectRow, row->track) = *row;
    }
  tables->n_tracks = (gint) last->len;
  g_array_free (last, TRUE);
}

/* The first detection of the frame or behind it. */
static guint
first_from (const GArray *detections, gint index)
{
  guint low = 0, high = detections->len;

  while (low < high)
    {
      const guint middle = (low + high) / 2;

      if (g_array_index (detections, ObjectRow, middle).index < index)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

static gint
compare (gconstpointer a, gconstpointer b)
{
  const gdouble first = *(const gdouble *) a, second = *(const gdouble *) b;

  return first < second ? -1 : first > second;
}

/* The median of the frames that were added, of those that show the object alone. */
static gdouble
flux_of (const Tables *tables, const ObjectRow *track)
{
  g_autoptr (GArray) fluxes = g_array_new (FALSE, FALSE, sizeof (gdouble));

  for (guint i = first_from (tables->detections, track->index - track->frames + 1); i < tables->detections->len; i++)
    {
      const ObjectRow *row = &g_array_index (tables->detections, ObjectRow, i);

      if (row->index > track->index)
        break;
      if (row->track == track->track && isfinite (row->flux))
        g_array_append_val (fluxes, row->flux);
    }
  g_array_sort (fluxes, compare);
  return fluxes->len ? g_array_index (fluxes, gdouble, fluxes->len / 2) : NAN;
}

void
tables_link (Tables *tables)
{
  guint begin = 0;              /* tracks that may reach the frame */

  link_tracks (tables);
  for (guint i = 0; i < tables->detections->len; i++)
    {
      ObjectRow *row = &g_array_index (tables->detections, ObjectRow, i);
      gdouble    nearest = NEAR;

      while (begin < tables->tracks->len && g_array_index (tables->tracks, ObjectRow, begin).index < row->index - REACH)
        begin++;
      for (guint k = begin; k < tables->tracks->len; k++)
        {
          const ObjectRow *track = &g_array_index (tables->tracks, ObjectRow, k);
          gdouble          away;

          if (track->index > row->index + REACH)
            break;
          away = ABS (row->index - track->index) < track->frames ? distance (tables, track, row) : INFINITY;
          if (away < nearest)
            {
              nearest = away;
              row->track = track->track;
              row->v_x = track->v_x;
              row->v_y = track->v_y;
            }
        }
    }
  for (guint i = 0; i < tables->tracks->len; i++)
    {
      ObjectRow *track = &g_array_index (tables->tracks, ObjectRow, i);

      track->flux = flux_of (tables, track);
    }
}
