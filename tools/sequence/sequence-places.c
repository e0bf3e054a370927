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

/* The first frame of the group that can be read, or NULL. */
static ShiftFrame *
key_of (Sequence *sequence, gint group)
{
  const gint first = group * SEQUENCE_GROUP, end = MIN (first + SEQUENCE_GROUP, sequence->list.n);

  for (gint i = first; i < end; i++)
    {
      CountPlane  plane;
      FrameFacts  facts;
      ShiftFrame *key;

      if (sequence_frame (sequence, i, &plane, &facts, NULL))
        {
          key = shift_frame_new (&plane, &sequence->settings.shift);
          count_plane_clear (&plane);
          return key;
        }
    }
  return NULL;
}

static void
go_to (Places *places, gint group)
{
  ShiftFrame *key = key_of (places->sequence, group);
  Shift       found;

  places->group = group;
  if (! key)
    return;
  if (places->key)
    {
      shift_between (places->key, key, &places->sequence->settings.shift, &found);
      shift_frame_free (places->key);
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
  places->key = key;
}

gboolean
places_find (Places *places, gint index, const CountPlane *plane, Shift *found, FrameShift *shift)
{
  const gint    group = index / SEQUENCE_GROUP;
  ShiftFrame   *frame;
  FrameShift    step;

  if (! places->key)
    go_to (places, group);
  while (places->group < group)
    go_to (places, places->group + 1);
  frame = shift_frame_new (plane, &places->sequence->settings.shift);
  shift_between (places->key, frame, &places->sequence->settings.shift, found);
  shift_frame_free (frame);
  step = rounded (found);
  *shift = (FrameShift) { places->at.x + step.x, places->at.y + step.y };
  return found->ok && found->converged;
}

void
places_clear (Places *places)
{
  if (places->key)
    shift_frame_free (places->key);
  places->key = NULL;
}
