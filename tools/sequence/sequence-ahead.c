/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Frames on their way to a block.
 *
 * Some frames are read, prepared and compared with their reference together: on the device one launch is for the shifts of all of them.  While the caller works on
 * the frames of one batch, another thread makes the next one. */
#include "sequence.h"

#include <math.h>

typedef struct
{
  gint    n, taken;
  Arrived frames[SHIFT_MOST_FRAMES];
} Batch;

struct _Ahead
{
  Sequence *sequence;
  Places    places;             /* the thread's while there is one; so is what follows */
  gint      next, end;          /* frames that no batch has yet */
  Batch     coming;
  Batch     now;                /* the caller's */
  GThread  *thread;             /* NULL: it has no work, or there was none to be had */
  gboolean  is_begun;           /* the coming batch, by that thread or by whoever waits for it */
};

/* Frames of one group. */
static gpointer
make_batch (gpointer data)
{
  Ahead    *ahead = data;
  const gint first = ahead->next, group_end = (first / SEQUENCE_GROUP + 1) * SEQUENCE_GROUP;
  Batch    *batch = &ahead->coming;

  *batch = (Batch) { .n = MIN (sequence_batch (ahead->sequence), MIN (group_end, ahead->end) - first) };
  for (gint k = 0; k < batch->n; k++)
    {
      Arrived *frame = &batch->frames[k];

      *frame = (Arrived) { .facts = FRAME_FACTS_NONE, .found = { .error = NAN },
                             .quality = { .seeing = NAN, .sky = NAN, .light = NAN, .noise = NAN, .transparency = NAN }, .shift = { NAN, NAN } };
      if (! sequence_frame (ahead->sequence, first + k, &frame->plane, &frame->facts, &frame->reason))
        frame->plane = (CountPlane) { 0 };
    }
  places_find (&ahead->places, first, batch->n, batch->frames);
  ahead->next += batch->n;
  return NULL;
}

static void
begin_batch (Ahead *ahead)
{
  ahead->is_begun = ahead->next < ahead->end;
  if (ahead->is_begun)
    ahead->thread = g_thread_try_new ("ahead", make_batch, ahead, NULL);
}

static void
wait_for_batch (Ahead *ahead)
{
  if (ahead->thread)
    g_thread_join (ahead->thread);
  else if (ahead->is_begun)
    make_batch (ahead);
  ahead->thread = NULL;
  ahead->is_begun = FALSE;
}

Ahead *
ahead_new (Sequence *sequence, gint first, gint end)
{
  Ahead *ahead = g_new0 (Ahead, 1);

  ahead->sequence = ahead->places.sequence = sequence;
  ahead->places.last = -1;
  ahead->next = first;
  ahead->end = end;
  begin_batch (ahead);
  return ahead;
}

void
ahead_next (Ahead *ahead, Arrived *frame)
{
  if (ahead->now.taken == ahead->now.n)
    {
      wait_for_batch (ahead);
      ahead->now = ahead->coming;
      ahead->coming.n = 0;
      begin_batch (ahead);
    }
  *frame = ahead->now.frames[ahead->now.taken++];
}

/* What nobody has taken. */
static void
batch_clear (Batch *batch)
{
  for (gint k = batch->taken; k < batch->n; k++)
    {
      tessera_kept_unref (batch->frames[k].kept);
      count_plane_clear (&batch->frames[k].plane);
      frame_facts_clear (&batch->frames[k].facts);
      g_clear_error (&batch->frames[k].reason);
    }
}

void
ahead_free (Ahead *ahead)
{
  ahead->is_begun = FALSE;
  wait_for_batch (ahead);
  batch_clear (&ahead->now);
  batch_clear (&ahead->coming);
  places_clear (&ahead->places);
  g_free (ahead);
}
