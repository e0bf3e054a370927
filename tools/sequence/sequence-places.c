/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Where a frame lies against others.
 *
 * A frame is compared with the first of its group, its key; keys are compared with the key before.  So a sky that drifts by hundreds of
 * pixels in a night is followed, and two frames of one history have at most one or two more errors of a few thousandths of a pixel between
 * them.  Each shift is rounded to 1/1024 px before it is added, so that sums are exact: whoever begins elsewhere gets the same differences. */
#include "sequence.h"

#include <string.h>

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

  for (gint i = first; i < end; i++)
    if (sequence_frame (sequence, i, plane, NULL, NULL))
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
      sequence_shifts (sequence, &places->key, 1, plane.pixels, NULL, &found);
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

typedef struct
{
  Arrived *const *frames;
  gfloat         *all;
} Gathering;

/* Rows of all frames, counted through. */
static void
gather_rows (gsize first, gsize n, gpointer data)
{
  const Gathering *g = data;
  const gsize      width = g->frames[0]->plane.width, height = g->frames[0]->plane.height;

  for (gsize row = first; row < first + n; row++)
    memcpy (g->all + row * width, g->frames[row / height]->plane.pixels + row % height * width, width * sizeof (gfloat));
}

/* Those that can be used, in one request. */
static void
find_shifts (Places *places, gint n, Arrived *const *frames)
{
  const gsize pixels = (gsize) places->plane.width * places->plane.height;
  gfloat     *all = n > 1 ? tessera_reached_new (n * pixels * sizeof (gfloat)) : NULL;
  TesseraKept *kept[SHIFT_MOST_FRAMES];
  Shift       found[SHIFT_MOST_FRAMES];

  for (gint k = 0; k < n; k++)
    kept[k] = frames[k]->kept = tessera_kept_new ();
  if (all)
    tessera_spread_range ((gsize) n * places->plane.height, 64.0 * 64.0 / places->plane.width, gather_rows, &(Gathering) { frames, all });
  sequence_shifts (places->sequence, &places->key, n, all ? all : frames[0]->plane.pixels, kept, found);
  tessera_reached_free (all);
  for (gint k = 0; k < n; k++)
    {
      const FrameShift step = rounded (&found[k]);

      frames[k]->found = found[k];
      frames[k]->shift = (FrameShift) { places->at.x + step.x, places->at.y + step.y };
      frames[k]->has_place = found[k].ok && found[k].converged;
    }
}

void
places_find (Places *places, gint index, gint n, Arrived *frames)
{
  const gint group = index / SEQUENCE_GROUP;
  Arrived   *usable[SHIFT_MOST_FRAMES];
  gint       n_usable = 0;

  for (gint k = 0; k < n; k++)
    if (frames[k].plane.pixels)
      usable[n_usable++] = &frames[k];
  if (n_usable > 0 && ! places->plane.pixels)
    go_to (places, group);
  while (n_usable > 0 && places->group < group)
    go_to (places, places->group + 1);
  if (n_usable > 0 && places->plane.pixels)
    find_shifts (places, n_usable, usable);
  for (gint k = 0; k < n; k++)
    frames[k].chain = places->chain;
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
