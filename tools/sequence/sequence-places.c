/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Where a frame lies against others.
 *
 * A frame is compared with the first of its group, its key; keys are compared with the key before.  So a sky that drifts by hundreds of
 * pixels in a night is followed, and two frames of one history have at most one or two more errors of a few thousandths of a pixel between
 * them.  Each shift is rounded to 1/1024 px before it is added, so that sums are exact: whoever begins elsewhere gets the same differences. */
#include "sequence.h"

static FrameShift
rounded (const Shift *found)
{
  return weights_round_shift ((FrameShift) { found->x, found->y });
}

/* The first frame of the group that can be read.  FALSE: there is none. */
static gboolean
find_key (Sequence *sequence, gint group, CountPlane *plane)
{
  const gint first = group * SEQUENCE_GROUP, end = MIN (first + SEQUENCE_GROUP, sequence->list.n);
  FrameFacts facts;

  for (gint i = first; i < end; i++)
    if (sequence_frame (sequence, i, plane, &facts, NULL))
      return TRUE;
  return FALSE;
}

static void
go_to (Places *places, gint group)
{
  Sequence  *sequence = places->sequence;
  CountPlane plane;
  Shift      found;

  places->group = group;
  if (! find_key (sequence, group, &plane))
    return;
  if (places->plane.pixels)
    {
      sequence_shift (sequence, &places->key, &plane, 0, &found);
      places_clear (places);
      if (found.ok && found.converged)
        {
          const FrameShift step = rounded (&found);

          places->at.x += step.x;
          places->at.y += step.y;
        }
      else
        {
          places->at = (FrameShift) { 0.0, 0.0 };
          places->chain++;
        }
    }
  places->plane = plane;
  shift_key_init (&places->key, &places->plane, TRUE);
}

gboolean
places_find (Places *places, gint index, const CountPlane *plane, guint64 serial, Shift *found, FrameShift *shift)
{
  const gint group = index / SEQUENCE_GROUP;
  FrameShift step;

  if (! places->plane.pixels)
    go_to (places, group);
  while (places->group < group)
    go_to (places, places->group + 1);
  sequence_shift (places->sequence, &places->key, plane, serial, found);
  step = rounded (found);
  *shift = (FrameShift) { places->at.x + step.x, places->at.y + step.y };
  return found->ok && found->converged;
}

void
places_clear (Places *places)
{
  if (! places->plane.pixels)
    return;
  shift_key_clear (&places->key);
  count_plane_clear (&places->plane);
  places->plane.pixels = NULL;
}
