/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Frames that follow one another, and which of them predict the background of one.
 *
 * They are those nearest in time that are more than `apart` frames away.  On both sides in time half of them lie before
 * the frame; where a chain begins or ends there are fewer on one side, and more on the other. */
#include "sequence.h"

gint
held_before (const SequenceSettings *settings)
{
  return settings->history - (settings->is_past ? 0 : settings->history / 2) + settings->apart;
}

gint
held_after (const SequenceSettings *settings)
{
  return settings->is_past ? 0 : settings->history / 2 + settings->apart;
}

void
placed_clear (gpointer data)
{
  PlacedFrame *frame = data;

  tessera_kept_unref (frame->frame.kept);
  count_plane_clear (&frame->frame.plane);
  g_clear_pointer (&frame->hidden, g_array_unref);
}

void
held_init (Held *held, const SequenceSettings *settings)
{
  *held = (Held) { g_array_new (FALSE, FALSE, sizeof (PlacedFrame)), settings, 0 };
  g_array_set_clear_func (held->frames, placed_clear);
}

void
held_clear (Held *held)
{
  g_array_free (held->frames, TRUE);
}

void
held_forget (Held *held)
{
  g_array_set_size (held->frames, 0);
  held->now = 0;
}

static guint
most_frames (const SequenceSettings *settings)
{
  return held_before (settings) + held_after (settings) + 1;
}

void
held_add (Held *held, const PlacedFrame *frame, gboolean is_judged)
{
  if (held->frames->len == most_frames (held->settings))
    {
      g_array_remove_index (held->frames, 0);
      held->now--;
    }
  g_array_append_vals (held->frames, frame, 1);
  if (! is_judged)
    held->now = (gint) held->frames->len;
}

PlacedFrame *
held_next (Held *held, gboolean is_last)
{
  const SequenceSettings *settings = held->settings;
  const gint              behind = (gint) held->frames->len - 1 - held->now;
  const gboolean          is_ready = settings->is_past || (held->frames->len == most_frames (settings) && behind >= held_after (settings));

  return behind >= 0 && (is_last || is_ready) ? &g_array_index (held->frames, PlacedFrame, held->now++) : NULL;
}

static gint
index_at (const Held *held, gint k)
{
  return g_array_index (held->frames, PlacedFrame, k).index;
}

/* The frames that predict one: from `first` to `before`, and from `after` to before `end`. */
typedef struct
{
  gint first, before, after, end;
} Sides;

static gint
count (const Sides *sides)
{
  return sides->before + 1 - sides->first + sides->end - sides->after;
}

/* All that are more than so many frames away. */
static Sides
sides_of (const Held *held, gint at, gint apart)
{
  const gint n = (gint) held->frames->len;
  Sides      all = { 0, at - 1, at + 1, n };

  while (all.before >= 0 && index_at (held, at) - index_at (held, all.before) <= apart)
    all.before--;
  while (all.after < n && index_at (held, all.after) - index_at (held, at) <= apart)
    all.after++;
  return all;
}

/* Where a chain is so short that fewer than half of the frames would be left, nearer ones count too. */
static Sides
sides_with_enough (const Held *held, gint at)
{
  const gint least = (MIN (held->settings->history, (gint) held->frames->len - 1) + 1) / 2;
  gint       apart = held->settings->apart;
  Sides      all = sides_of (held, at, apart);

  while (count (&all) < least)
    all = sides_of (held, at, --apart);
  return all;
}

/* The nearest ones: the farther one of both ends goes, of two that are as far the later one. */
void
held_history (const Held *held, const PlacedFrame *now, WhitenFrames *frames)
{
  const gint at = (gint) (now - &g_array_index (held->frames, PlacedFrame, 0));
  Sides      sides = sides_with_enough (held, at);

  while (count (&sides) > held->settings->history)
    if (sides.first > sides.before || (sides.end > sides.after && index_at (held, sides.end - 1) - now->index >= now->index - index_at (held, sides.first)))
      sides.end--;
    else
      sides.first++;
  frames->n = 0;
  for (gint k = sides.first; k < sides.end; k++)
    if (k <= sides.before || k >= sides.after)
      frames->all[frames->n++] = g_array_index (held->frames, PlacedFrame, k).frame;
  frames->all[frames->n] = now->frame;
}

PlacedFrame *
held_alone (const Held *held, const PlacedFrame *now, const WhitenFrames *frames)
{
  PlacedFrame *first = &g_array_index (held->frames, PlacedFrame, 0);

  return frames->n == 1 && first->index < now->index ? first : NULL;
}

gboolean
held_needs_screen (const Held *held)
{
  for (guint i = 0; i < held->frames->len; i++)
    if (! g_array_index (held->frames, PlacedFrame, i).is_screened)
      return TRUE;
  return FALSE;
}

void
held_screen (Held *held, const CountPlane *background, FrameShift at)
{
  for (guint i = 0; i < held->frames->len; i++)
    if (! g_array_index (held->frames, PlacedFrame, i).is_screened)
      screen_frame (&g_array_index (held->frames, PlacedFrame, i), background, at, held->settings->step);
}
