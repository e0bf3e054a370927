/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Where a frame lies against others.
 *
 * A frame is compared with one of its group, its key; keys are compared with the key before.  So a sky that drifts by
 * hundreds of pixels in a night is followed, and two frames of one history have at most one or two more errors of a few thousandths of a pixel between
 * them.  Each shift is rounded to 1/1024 px before it is added, so that sums are exact: whoever begins elsewhere gets the same differences. */
#include "sequence.h"

#include <math.h>
#include <string.h>

#define CANDIDATES 4            /* frames of a group that may become its key */
#define FEWEST     5            /* stars that tell a sky from another */
#define DARKEST    0.25         /* of the stars' light: less is no star, ... */
#define BRIGHTEST  4.0          /* ... and more is another one */

static FrameShift
rounded (const Shift *found)
{
  return weights_round_shift ((FrameShift) { found->x, found->y });
}

static void
key_free (Key *key)
{
  if (! key)
    return;
  shift_key_clear (&key->shifts);
  count_plane_clear (&key->plane);
  g_array_unref (key->stars);
  g_array_unref (key->middles);
  g_free (key);
}

/* The plane is the key's. */
static Key *
key_of_plane (CountPlane plane)
{
  Key *key = g_new0 (Key, 1);

  key->plane = plane;
  shift_key_init (&key->shifts, &key->plane, TRUE);
  key->stars = light_stars (&key->plane);
  key->middles = turn_middles (key->stars, &key->plane);
  key->seeing = NAN;
  key->seeing = quality_of (key, &key->plane, &(Shift) { .ok = TRUE }).seeing;
  return key;
}

/* NULL: the frame cannot be read. */
static Key *
key_new (Sequence *sequence, gint index)
{
  CountPlane plane;

  return sequence_frame (sequence, index, &plane, NULL, NULL) ? key_of_plane (plane) : NULL;
}

/* Steps that are damped end in noise too, and on a strange sky: most stars have to be there. */
static gboolean
is_chance (const Key *key, const CountPlane *plane, const Shift *found)
{
  return found->steps > SHIFT_PLAIN_STEPS && quality_of (key, plane, found).stars < MAX (FEWEST, (gint) key->stars->len / 2);
}

/* NULL: the frame has what the key has.  Else why not.  Noise has a shift too, sometimes, but no stars there. */
static gchar *
disagreement (const Key *key, const CountPlane *plane, const Shift *found)
{
  const gdouble light = found->ok ? light_of (key->stars, plane, found->x, found->y) : NAN;

  return ! found->ok ? g_strdup ("its shift is not found: too little of it can be compared")
         : ! found->converged || is_chance (key, plane, found) ? g_strdup ("its shift is not found")
         : light < DARKEST || light > BRIGHTEST ? g_strdup_printf ("the stars are not in it: where they should be is %.0f %% of their light",
                                                                    MAX (100.0 * light, 0.0))
         : NULL;
}

/* Degrees, if it turns as the last frames did. */
static gdouble
guess_turn (const Places *places, gint index)
{
  return places->last >= 0 ? places->turned + places->rate * (index - places->last) : NAN;
}

/* `guess`: as of turn_settle.  `laid` is cleared by the caller. */
static gboolean
agrees (Sequence *sequence, Key *key, const CountPlane *plane, gdouble guess, Laid *laid)
{
  g_autofree gchar *why = NULL;

  *laid = (Laid) { .raw = plane };
  laid_place (sequence, key, key->applied, laid);
  turn_settle (sequence, key, guess, laid);
  why = disagreement (key, laid_plane (laid), &laid->found);
  return ! why;
}

/* FALSE: the frame can be read, and disagrees. */
static gboolean
agrees_with (Sequence *sequence, Key *key, gint index)
{
  CountPlane plane;
  Laid       laid;
  gboolean   result;

  if (! sequence_frame (sequence, index, &plane, NULL, NULL))
    return TRUE;
  result = agrees (sequence, key, &plane, NAN, &laid);
  laid_clear (&laid);
  count_plane_clear (&plane);
  return result;
}

/* Has the key, which is the frame `index`, half of the others from `first` to before `end` on its side? */
static gboolean
has_half (Sequence *sequence, Key *key, gint index, gint first, gint end)
{
  gint votes = 0, against = 0;

  for (gint i = first; i < end && 2 * against < end - first; i++)
    {
      CountPlane plane;
      Laid       laid;

      if (i == index || ! sequence_frame (sequence, i, &plane, NULL, NULL))
        continue;
      if (agrees (sequence, key, &plane, NAN, &laid))
        votes++;
      else
        against++;
      laid_clear (&laid);
      count_plane_clear (&plane);
    }
  return votes > 0 && votes >= against;
}

/* Some frames of the group stand for election, far from one another, as clouds last.  Where none has half of the
 * others on its side, the first of those is the key, and not elected; NULL: none can be read.  A frame without stars is not: its shift may be noise. */
static Key *
elect (Sequence *sequence, gint first, gint end, gint *at, gboolean *is_elected)
{
  const gint n = end - first, apart = n > CANDIDATES ? n / CANDIDATES + 1 : 1;
  Key       *key = NULL;

  *is_elected = FALSE;
  for (gint i = 0; i < CANDIDATES && ! *is_elected; i++)
    {
      const gint index = first + i * apart % n;
      Key       *candidate = key_new (sequence, index);

      if (! candidate)
        continue;
      *is_elected = candidate->stars->len >= FEWEST && has_half (sequence, candidate, index, first, end);
      if (*is_elected || ! key)
        {
          key_free (key);
          key = candidate;
          *at = index;
        }
      else
        key_free (candidate);
    }
  for (gint i = first; i < end && ! key; i++)
    {
      key = key_new (sequence, i);
      *at = i;
    }
  return key;
}

/* Does the key, of frame `index`, agree with the one before?  Then it is turned back as that one is. */
static gboolean
joins (Places *places, gint index, Key **key, Shift *found)
{
  Laid     laid;
  Key     *turned;
  gboolean result = agrees (places->sequence, places->key, &(*key)->plane, guess_turn (places, index), &laid);

  *found = laid.found;
  if (result && laid.level.pixels)
    {
      turned = key_of_plane (laid.level);
      turned->applied = laid.applied;
      key_free (*key);
      *key = turned;
    }
  else
    laid_clear (&laid);
  if (result)
    (*key)->turn = (Turn) { laid.turn.angle, isinf (laid.turn.error) ? places->key->turn.error : laid.turn.error };
  return result;
}

/* The first frame that can be read; NULL: it shows too few stars, or disagrees with the key before, or with a frame in the middle of the
 * group. */
static Key *
take_first (Places *places, gint first, gint end, Shift *found)
{
  const gint middle = first + (end - first) / 2;
  gint       index = first;
  Key       *key = NULL;

  while (index < end && ! (key = key_new (places->sequence, index)))
    index++;
  if (key && key->stars->len >= FEWEST && (! places->key || joins (places, index, &key, found))
      && (middle == first || agrees_with (places->sequence, key, middle)))
    return key;
  key_free (key);
  return NULL;
}

/* The key becomes that of the group.  `found`: its shift against the one before; NULL: it lies nowhere against that. */
static void
go_on_with (Places *places, Key *key, const Shift *found)
{
  const FrameShift step = found ? rounded (found) : (FrameShift) { 0.0, 0.0 };

  if (found)
    {
      places->at = (FrameShift) { places->at.x + step.x, places->at.y + step.y };
      places->light += quality_of (places->key, &key->plane, found).light;
    }
  else
    {
      places->at = step;
      places->last = -1;
      places->light = 0.0;
      places->chain += places->key != NULL;
    }
  key_free (places->key);
  places->key = key;
}

/* Where no frame of the group has half of the others on its side, the key before stays: the sky may come back. */
static void
go_to (Places *places, gint group)
{
  const gint first = group * SEQUENCE_GROUP, end = MIN (first + SEQUENCE_GROUP, places->sequence->list.n);
  Shift      found;
  Key       *key = take_first (places, first, end, &found);
  gboolean   is_elected;
  gint       at = first;

  places->group = group;
  if (key)
    {
      go_on_with (places, key, places->key ? &found : NULL);
      return;
    }
  key = elect (places->sequence, first, end, &at, &is_elected);
  if (! key)
    return;
  if (places->key && joins (places, at, &key, &found))
    go_on_with (places, key, &found);
  else if (is_elected || ! places->key)
    go_on_with (places, key, NULL);
  else
    key_free (key);
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

/* Turned back as far as the key is.  What was read is in `raw`. */
static void
turn_frames (const Places *places, gint n, Arrived *const *frames, CountPlane *raw)
{
  for (gint k = 0; k < n; k++)
    {
      raw[k] = frames[k]->plane;
      frames[k]->applied = places->key->applied;
      if (frames[k]->applied != 0.0)
        turn_back (&raw[k], frames[k]->applied, &frames[k]->plane);
    }
}

static void
remember_turn (Places *places, gint index, const Laid *laid)
{
  if (isinf (laid->turn.error))
    return;
  places->rate = places->last >= 0 ? remainder (laid->applied - places->turned, 360.0) / (index - places->last) : 0.0;
  places->turned = laid->applied;
  places->last = index;
}

/* Turns it back as far as it is turned itself. */
static void
settle_frame (Places *places, gint index, Arrived *frame, CountPlane *raw, Shift *found)
{
  Laid laid = { .raw = raw, .level = frame->applied != 0.0 ? frame->plane : (CountPlane) { 0 }, .applied = frame->applied, .found = *found };

  if (turn_settle (places->sequence, places->key, guess_turn (places, index), &laid))
    {
      tessera_kept_unref (frame->kept);
      frame->kept = tessera_kept_new ();
    }
  remember_turn (places, index, &laid);
  frame->plane = *laid_plane (&laid);
  frame->applied = laid.applied;
  frame->turn = laid.turn;
  *found = laid.found;
  if (laid.level.pixels)
    count_plane_clear (raw);
}

static void
place_frame (const Places *places, Arrived *frame, const Shift *found)
{
  const FrameShift  step = rounded (found);
  const Quality     quality = quality_of (places->key, &frame->plane, found);
  g_autofree gchar *why = disagreement (places->key, &frame->plane, found);

  why = why ? why : quality_fault (&places->sequence->settings.quality, &quality);
  frame->quality = quality;
  frame->quality.light += places->light;
  frame->found = *found;
  frame->shift = (FrameShift) { places->at.x + step.x, places->at.y + step.y };
  frame->has_place = ! why;
  if (why)
    frame->reason = g_error_new_literal (FRAMES_ERROR, FRAMES_ERROR_UNREADABLE, why);
}

/* Those that can be used, in one request. */
static void
find_shifts (Places *places, const gint *indices, gint n, Arrived *const *frames)
{
  const gsize pixels = (gsize) places->key->plane.width * places->key->plane.height;
  gfloat     *all = n > 1 ? tessera_reached_new (n * pixels * sizeof (gfloat)) : NULL;
  TesseraKept *kept[SHIFT_MOST_FRAMES];
  Shift       found[SHIFT_MOST_FRAMES];
  CountPlane  raw[SHIFT_MOST_FRAMES];

  turn_frames (places, n, frames, raw);
  for (gint k = 0; k < n; k++)
    kept[k] = frames[k]->kept = tessera_kept_new ();
  if (all)
    tessera_spread_range ((gsize) n * places->key->plane.height, 64.0 * 64.0 / places->key->plane.width, gather_rows, &(Gathering) { frames, all });
  sequence_shifts (places->sequence, &places->key->shifts, n, all ? all : frames[0]->plane.pixels, kept, found);
  tessera_reached_free (all);
  for (gint k = 0; k < n; k++)
    most_stars (places->sequence, places->key, &frames[k]->plane, &found[k]);
  for (gint k = 0; k < n; k++)
    {
      settle_frame (places, indices[k], frames[k], &raw[k], &found[k]);
      place_frame (places, frames[k], &found[k]);
    }
}

void
places_find (Places *places, gint index, gint n, Arrived *frames)
{
  const gint group = index / SEQUENCE_GROUP;
  Arrived   *usable[SHIFT_MOST_FRAMES];
  gint       n_usable = 0, indices[SHIFT_MOST_FRAMES];

  for (gint k = 0; k < n; k++)
    if (frames[k].plane.pixels)
      {
        indices[n_usable] = index + k;
        usable[n_usable++] = &frames[k];
      }
  if (n_usable > 0 && ! places->key)
    go_to (places, group);
  while (n_usable > 0 && places->group < group)
    go_to (places, places->group + 1);
  if (n_usable > 0 && places->key)
    find_shifts (places, indices, n_usable, usable);
  for (gint k = 0; k < n; k++)
    frames[k].chain = places->chain;
}

void
places_clear (Places *places)
{
  g_clear_pointer (&places->key, key_free);
}
