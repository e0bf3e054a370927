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
  g_free (key);
}

/* NULL: the frame cannot be read. */
static Key *
key_new (Sequence *sequence, gint index)
{
  Key *key = g_new0 (Key, 1);

  if (! sequence_frame (sequence, index, &key->plane, NULL, NULL))
    {
      g_free (key);
      return NULL;
    }
  shift_key_init (&key->shifts, &key->plane, TRUE);
  key->stars = light_stars (&key->plane);
  key->seeing = NAN;
  key->seeing = quality_of (key, &key->plane, &(Shift) { .ok = TRUE }).seeing;
  return key;
}

/* NULL: the frame has what the key has.  Else why not.  Noise has a shift too, sometimes, but no stars there. */
static gchar *
disagreement (const Key *key, const CountPlane *plane, const Shift *found)
{
  const gdouble light = found->ok ? light_of (key->stars, plane, found->x, found->y) : NAN;

  return ! found->ok ? g_strdup ("its shift is not found: too little of it can be compared")
         : ! found->converged ? g_strdup ("its shift is not found")
         : light < DARKEST || light > BRIGHTEST ? g_strdup_printf ("the stars are not in it: where they should be is %.0f %% of their light",
                                                                    MAX (100.0 * light, 0.0))
         : NULL;
}

static gboolean
agrees (Sequence *sequence, Key *key, const CountPlane *plane, Shift *found)
{
  g_autofree gchar *why = NULL;

  sequence_shifts (sequence, &key->shifts, 1, plane->pixels, NULL, found);
  most_stars (sequence, key, plane, found);
  why = disagreement (key, plane, found);
  return ! why;
}

/* FALSE: the frame can be read, and disagrees. */
static gboolean
agrees_with (Sequence *sequence, Key *key, gint index)
{
  CountPlane plane;
  Shift      found;
  gboolean   result;

  if (! sequence_frame (sequence, index, &plane, NULL, NULL))
    return TRUE;
  result = agrees (sequence, key, &plane, &found);
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
      Shift      found;

      if (i == index || ! sequence_frame (sequence, i, &plane, NULL, NULL))
        continue;
      if (agrees (sequence, key, &plane, &found))
        votes++;
      else
        against++;
      count_plane_clear (&plane);
    }
  return votes > 0 && votes >= against;
}

/* Some frames of the group stand for election, far from one another, as clouds last.  Where none has half of the
 * others on its side, the first of those is the key, and not elected; NULL: none can be read. */
static Key *
elect (Sequence *sequence, gint first, gint end, gboolean *is_elected)
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
      *is_elected = has_half (sequence, candidate, index, first, end);
      if (*is_elected || ! key)
        {
          key_free (key);
          key = candidate;
        }
      else
        key_free (candidate);
    }
  for (gint i = first; i < end && ! key; i++)
    key = key_new (sequence, i);
  return key;
}

/* The first frame that can be read; NULL: it disagrees with the key before, or with a frame in the middle of the
 * group. */
static Key *
take_first (Places *places, gint first, gint end, Shift *found)
{
  const gint middle = first + (end - first) / 2;
  Key       *key = NULL;

  for (gint i = first; i < end && ! key; i++)
    key = key_new (places->sequence, i);
  if (key && (! places->key || agrees (places->sequence, places->key, &key->plane, found))
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

  places->group = group;
  if (key)
    {
      go_on_with (places, key, places->key ? &found : NULL);
      return;
    }
  key = elect (places->sequence, first, end, &is_elected);
  if (! key)
    return;
  if (places->key && agrees (places->sequence, places->key, &key->plane, &found))
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

/* Those that can be used, in one request. */
static void
find_shifts (Places *places, gint n, Arrived *const *frames)
{
  const gsize pixels = (gsize) places->key->plane.width * places->key->plane.height;
  gfloat     *all = n > 1 ? tessera_reached_new (n * pixels * sizeof (gfloat)) : NULL;
  TesseraKept *kept[SHIFT_MOST_FRAMES];
  Shift       found[SHIFT_MOST_FRAMES];

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
      const FrameShift  step = rounded (&found[k]);
      const Quality     quality = quality_of (places->key, &frames[k]->plane, &found[k]);
      g_autofree gchar *why = disagreement (places->key, &frames[k]->plane, &found[k]);

      why = why ? why : quality_fault (&places->sequence->settings.quality, &quality);
      frames[k]->quality = quality;
      frames[k]->quality.light += places->light;

      frames[k]->found = found[k];
      frames[k]->shift = (FrameShift) { places->at.x + step.x, places->at.y + step.y };
      frames[k]->has_place = ! why;
      if (why)
        frames[k]->reason = g_error_new_literal (FRAMES_ERROR, FRAMES_ERROR_UNREADABLE, why);
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
  if (n_usable > 0 && ! places->key)
    go_to (places, group);
  while (n_usable > 0 && places->group < group)
    go_to (places, places->group + 1);
  if (n_usable > 0 && places->key)
    find_shifts (places, n_usable, usable);
  for (gint k = 0; k < n; k++)
    frames[k].chain = places->chain;
}

void
places_clear (Places *places)
{
  g_clear_pointer (&places->key, key_free);
}
