/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Which rows are of one object. */
#include "sequence.h"

#include <math.h>

#define NEAR   3.0              /* px between where a track is and where it was to be ... */
#define DRIFT  0.125            /* ... and for each frame between: half a step of velocities */
#define ALIKE  0.5              /* px a frame between velocities, on each axis: two steps */
#define PAUSE  32               /* frames in which it was not found, or as many as were added: the next search may be half of these away */
#define STRONGER 3.0            /* times as strong as a row that crosses its way, ... */
#define SHARED 4                /* ... near it in one in so many frames */
#define BESIDE 5.0              /* px between a row and what rests, whose light it may be */
#define AS_STRONG 0.7           /* times as strong as the row */
#define LEAST_VOTES 2           /* searches that say that it rests, more than those that say that it moves */
#define REACH  256              /* frames of a track, at most */

/* How far `row` is from where the object of `track` is then; INFINITY: they cannot be one. */
static gdouble
distance (const Tables *tables, const ObjectRow *track, const ObjectRow *row)
{
  const FrameRow *then = tables_frame (tables, track->index), *now = tables_frame (tables, row->index);
  const gdouble   passed = tables_between (tables, track->index, row->index);
  Point           is, was;

  if (! then || ! now || then->chain != now->chain)
    return INFINITY;
  is = level_place (tables, now, row->x, row->y);
  was = level_place (tables, then, track->x, track->y);
  return hypot (is.x - (was.x + now->x - then->x + track->v_x * passed), is.y - (was.y + now->y - then->y + track->v_y * passed));
}

/* How far the objects of two rows are from one another when frame `index` is taken. */
static gdouble
apart_at (const Tables *tables, const ObjectRow *row, const ObjectRow *other, gint index)
{
  const FrameRow *at = tables_frame (tables, row->index), *there = tables_frame (tables, other->index);
  const gdouble   passed = tables_between (tables, row->index, index), there_passed = tables_between (tables, other->index, index);

  return hypot (row->x - at->x + row->v_x * passed - (other->x - there->x + other->v_x * there_passed),
                row->y - at->y + row->v_y * passed - (other->y - there->y + other->v_y * there_passed));
}

/* Another way through the light of a stronger object, which the search of the row did not see as it moves. */
static gboolean
is_crossing (const Tables *tables, const ObjectRow *row, const ObjectRow *other)
{
  const FrameRow *at = tables_frame (tables, row->index), *there = tables_frame (tables, other->index);
  gint            shared = 0;

  if (other->value < STRONGER * row->value || ABS (other->index - row->index) > row->frames || ! at || ! there || at->chain != there->chain
      || (fabs (row->v_x - other->v_x) <= ALIKE && fabs (row->v_y - other->v_y) <= ALIKE))
    return FALSE;
  for (gint i = row->index - row->frames + 1; i <= row->index; i++)
    shared += apart_at (tables, row, other, i) <= NEAR;
  return shared * SHARED >= row->frames;
}

/* Does `still` lie near the row, so that a thing that rests says better what is there than one that moves as the row does (1), or not so well (-1)?  0:
 * neither. */
static gint
rests (const Tables *tables, const ObjectRow *row, const ObjectRow *still)
{
  ObjectRow     unmoved = *row;
  gdouble       moves, stays;

  if (ABS (still->index - row->index) > PAUSE || still->value < AS_STRONG * row->value)
    return 0;
  unmoved.v_x = unmoved.v_y = 0.0;
  moves = distance (tables, row, still);
  stays = distance (tables, &unmoved, still);
  return ! (MIN (moves, stays) < BESIDE) ? 0 : stays < moves ? 1 : -1;
}

/* An object that hardly moves has its light on ways past it, too. */
static gboolean
is_at_rest (const Tables *tables, const ObjectRow *row, guint begin)
{
  gint votes = 0;

  for (guint k = begin; k < tables->still->len && g_array_index (tables->still, ObjectRow, k).index <= row->index + PAUSE; k++)
    votes += rests (tables, row, &g_array_index (tables->still, ObjectRow, k));
  return votes >= LEAST_VOTES;
}

static void
drop_resting (Tables *tables)
{
  GArray *left = g_array_new (FALSE, FALSE, sizeof (ObjectRow));

  for (guint i = 0, begin = 0; i < tables->tracks->len; i++)
    {
      const ObjectRow *row = &g_array_index (tables->tracks, ObjectRow, i);

      while (begin < tables->still->len && g_array_index (tables->still, ObjectRow, begin).index < row->index - PAUSE)
        begin++;
      if (! is_at_rest (tables, row, begin))
        g_array_append_vals (left, row, 1);
    }
  g_array_unref (tables->tracks);
  tables->tracks = left;
}

static void
drop_crossings (Tables *tables)
{
  GArray *left = g_array_new (FALSE, FALSE, sizeof (ObjectRow));

  for (guint i = 0, begin = 0; i < tables->tracks->len; i++)
    {
      const ObjectRow *row = &g_array_index (tables->tracks, ObjectRow, i);
      gboolean         crosses = FALSE;

      while (g_array_index (tables->tracks, ObjectRow, begin).index < row->index - REACH)
        begin++;
      for (guint k = begin; k < tables->tracks->len && ! crosses; k++)
        {
          const ObjectRow *other = &g_array_index (tables->tracks, ObjectRow, k);

          if (other->index > row->index + row->frames)
            break;
          crosses = is_crossing (tables, row, other);
        }
      if (! crosses)
        g_array_append_vals (left, row, 1);
    }
  g_array_unref (tables->tracks);
  tables->tracks = left;
}

typedef struct
{
  ObjectRow first, last;
  gdouble   v_x, v_y;           /* of the last row; `last` has that between the rows, which is finer than a grid's */
} Linked;

/* How far the row is from where the object is then; INFINITY: it is another object. */
static gdouble
away_from (const Tables *tables, const Linked *object, const ObjectRow *row)
{
  const ObjectRow *last = &object->last;
  const gdouble    passed = tables_between (tables, last->index, row->index);
  const gboolean   may = passed <= MAX (PAUSE, row->frames) && fabs (row->v_x - object->v_x) <= ALIKE
                         && fabs (row->v_y - object->v_y) <= ALIKE;
  const gdouble    away = may ? distance (tables, last, row) : INFINITY;

  return away < NEAR + DRIFT * passed ? away : INFINITY;
}

static void
go_on (const Tables *tables, Linked *object, const ObjectRow *row)
{
  const FrameRow *then = tables_frame (tables, object->first.index), *now = tables_frame (tables, row->index);
  const gdouble   passed = tables_between (tables, object->first.index, row->index);

  object->last = *row;
  object->v_x = row->v_x;
  object->v_y = row->v_y;
  if (passed > 0)
    {
      const Point is = level_place (tables, now, row->x, row->y), was = level_place (tables, then, object->first.x, object->first.y);

      object->last.v_x = (is.x - now->x - was.x + then->x) / passed;
      object->last.v_y = (is.y - now->y - was.y + then->y) / passed;
    }
}

/* Rows are in the order of their frames. */
static void
link_tracks (Tables *tables)
{
  GArray *objects = g_array_new (FALSE, FALSE, sizeof (Linked));

  for (guint i = 0; i < tables->tracks->len; i++)
    {
      ObjectRow *row = &g_array_index (tables->tracks, ObjectRow, i);
      gdouble    nearest = INFINITY;

      for (guint k = 0; k < objects->len; k++)
        {
          const gdouble away = away_from (tables, &g_array_index (objects, Linked, k), row);

          if (away < nearest)
            {
              nearest = away;
              row->track = (gint) k;
            }
        }
      if (row->track < 0)
        {
          row->track = (gint) objects->len;
          g_array_append_val (objects, ((Linked) { *row, *row, row->v_x, row->v_y }));
        }
      else
        go_on (tables, &g_array_index (objects, Linked, row->track), row);
    }
  tables->n_tracks = (gint) objects->len;
  g_array_free (objects, TRUE);
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

static void
count_alone (Tables *tables)
{
  for (guint i = 0; i < tables->detections->len; i++)
    {
      const ObjectRow *row = &g_array_index (tables->detections, ObjectRow, i);
      FrameRow        *frame = (FrameRow *) tables_frame (tables, row->index);

      if (frame && row->track < 0)
        frame->n_alone++;
    }
}

void
tables_link (Tables *tables)
{
  guint begin = 0;              /* tracks that may reach the frame */

  drop_resting (tables);
  drop_crossings (tables);
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
  count_alone (tables);
  for (guint i = 0; i < tables->tracks->len; i++)
    {
      ObjectRow *track = &g_array_index (tables->tracks, ObjectRow, i);

      track->flux = flux_of (tables, track);
    }
}
