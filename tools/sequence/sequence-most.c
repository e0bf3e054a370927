/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The frame's movement is that of most stars.
 *
 * Least squares follow the light, and one bright object that moves has more of it than all faint stars.  So stars are looked at one by one: where one
 * that weighs much has not gone with most of them, stars vote, each with one voice, for how far the frame has moved; what has not gone with them is
 * hidden in both frames, and these are compared again.  Where all go together, nothing changes. */
#include "sequence.h"

#include <math.h>
#include <string.h>

#include "median.h"

#define FEWEST   5              /* stars: fewer say little */
#define NEAR     2              /* half of the 5 x 5 pixels whose centre of light is a star's place */
#define TOGETHER 0.5            /* px between the way of a star and that of most */
#define SAME     1.5            /* px: a pair that voted for a way */
#define ALIKE    2.0            /* by so much a star's light may differ from that of most */
#define HEAVY    0.01           /* of the squares of all light: a star that has less pulls by less than 0.01 px */
#define AROUND   4.0            /* widths of a star that are hidden around one */
#define FALLS    0.8            /* of a star's height, two pixels beside its top on each axis: a bright column falls on one */

/* ------------------------------------------------------------------- places -- */

typedef struct
{
  gdouble x, y;
} Place;

/* The centre of light; NaN: there is none. */
static Place
place_of (const CountPlane *plane, gint x, gint y)
{
  const gdouble under = light_rim (plane, x, y);
  gdouble       sum = 0.0, sum_x = 0.0, sum_y = 0.0;

  for (gint j = -NEAR; j <= NEAR && isfinite (under); j++)
    for (gint i = -NEAR; i <= NEAR; i++)
      {
        const gdouble light = plane->pixels[(gsize) (y + j) * plane->width + x + i] - under;

        sum += light;
        sum_x += light * i;
        sum_y += light * j;
      }
  return sum > 0.0 ? (Place) { x + sum_x / sum, y + sum_y / sum } : (Place) { NAN, NAN };
}

static gboolean
is_round (const CountPlane *plane, const LightStar *star)
{
  const gdouble under = light_rim (plane, star->x, star->y);
  const gfloat *at = plane->pixels + (gsize) star->y * plane->width + star->x;
  const gdouble most = 2.0 * FALLS * (at[0] - under);

  return at[-2] + at[2] - 2.0 * under < most && at[-2 * plane->width] + at[2 * plane->width] - 2.0 * under < most;
}

static GArray *
round_stars (const CountPlane *plane, const GArray *all)
{
  GArray *stars = g_array_new (FALSE, FALSE, sizeof (LightStar));

  for (guint i = 0; i < all->len; i++)
    if (is_round (plane, &g_array_index (all, LightStar, i)))
      g_array_append_vals (stars, &g_array_index (all, LightStar, i), 1);
  return stars;
}

static gdouble
weight_of (const GArray *stars, guint i)
{
  const gdouble light = g_array_index (stars, LightStar, i).light;

  return light * light;
}

static gdouble
weight_of_all (const GArray *stars)
{
  gdouble sum = 0.0;

  for (guint i = 0; i < stars->len; i++)
    sum += weight_of (stars, i);
  return sum;
}

/* ------------------------------------------------------------ do they agree -- */

/* Of each star of the key: how far it has gone, and what it has of its light; NaN where that is not known. */
typedef struct
{
  gfloat *x, *y, *part;
} Ways;

static Ways
ways_of (const CountPlane *from_plane, const GArray *stars, const CountPlane *plane, const Shift *found)
{
  const gint n = (gint) stars->len, to_x = (gint) floor (found->x + 0.5), to_y = (gint) floor (found->y + 0.5);
  Ways       ways = { g_new (gfloat, n), g_new (gfloat, n), g_new (gfloat, n) };

  for (gint i = 0; i < n; i++)
    {
      const LightStar *star = &g_array_index (stars, LightStar, i);
      const Place      from = place_of (from_plane, star->x, star->y), to = place_of (plane, star->x + to_x, star->y + to_y);

      ways.x[i] = (gfloat) (to.x - from.x);
      ways.y[i] = (gfloat) (to.y - from.y);
      ways.part[i] = (gfloat) (light_at (plane, star->x + to_x, star->y + to_y) / star->light);
    }
  return ways;
}

static void
ways_clear (Ways *ways)
{
  g_free (ways->x);
  g_free (ways->y);
  g_free (ways->part);
}

/* Of those that are known; `n_known` may be NULL. */
static gdouble
middle_of (const gfloat *values, gint n, gint *n_known)
{
  g_autofree gfloat *known = g_new (gfloat, n + 1);
  gint               count = 0;

  for (gint i = 0; i < n; i++)
    if (isfinite (values[i]))
      known[count++] = values[i];
  if (n_known)
    *n_known = count;
  return count > 0 ? median_of (known, count) : NAN;
}

/* FALSE: a star that weighs much has not gone with most, or most are not there. */
static gboolean
go_together (const CountPlane *from, const GArray *stars, const CountPlane *plane, const Shift *found)
{
  const gint    n = (gint) stars->len;
  Ways          ways = ways_of (from, stars, plane, found);
  gint          n_known, n_with = 0;
  const gdouble x = middle_of (ways.x, n, NULL), y = middle_of (ways.y, n, NULL), part = middle_of (ways.part, n, &n_known);
  const gdouble all = weight_of_all (stars);
  gboolean      is_one = TRUE;

  for (gint i = 0; i < n; i++)
    if (isfinite (ways.part[i]))
      {
        const gboolean goes = ways.part[i] * ALIKE > part && ways.part[i] < part * ALIKE && hypot (ways.x[i] - x, ways.y[i] - y) < TOGETHER;

        n_with += goes;
        is_one = is_one && (goes || weight_of (stars, i) < HEAVY * all);
      }
  ways_clear (&ways);
  return is_one && 2 * n_with >= n_known;
}

/* --------------------------------------------------------------------- votes -- */

/* Of ways of whole pixels, up to `most` on each axis. */
typedef struct
{
  gint  most, side;             /* side: with a rim of one that nobody votes for */
  gint *votes;
} Ballot;

static void
vote (Ballot *ballot, const GArray *from, const GArray *to)
{
  for (guint i = 0; i < from->len; i++)
    for (guint k = 0; k < to->len; k++)
      {
        const LightStar *a = &g_array_index (from, LightStar, i), *b = &g_array_index (to, LightStar, k);
        const gint       x = b->x - a->x, y = b->y - a->y;

        if (ABS (x) <= ballot->most && ABS (y) <= ballot->most)
          ballot->votes[(y + ballot->most + 1) * ballot->side + x + ballot->most + 1]++;
      }
}

/* The way with the most votes, those beside it among them; returns how many these are. */
static gint
count_votes (const Ballot *ballot, gint *to_x, gint *to_y)
{
  gint best = 0;

  for (gint y = -ballot->most; y <= ballot->most; y++)
    for (gint x = -ballot->most; x <= ballot->most; x++)
      {
        const gint *at = &ballot->votes[(y + ballot->most + 1) * ballot->side + x + ballot->most + 1];
        gint        n = 0;

        for (gint i = 0; i < 9; i++)
          n += at[(i / 3 - 1) * ballot->side + i % 3 - 1];
        if (n > best)
          {
            best = n;
            *to_x = x;
            *to_y = y;
          }
      }
  return best;
}

/* FALSE: less than half of the stars have one way. */
static gboolean
elect_way (const GArray *from, const GArray *to, gint most, gint *x, gint *y)
{
  const gint side = 2 * most + 3;
  g_autofree gint *votes = g_new0 (gint, (gsize) side * side);
  Ballot     ballot = { most, side, votes };

  vote (&ballot, from, to);
  return count_votes (&ballot, x, y) >= MAX ((gint) MIN (from->len, to->len) / 2, FEWEST);
}

/* ------------------------------------------------------------------- hiding -- */

/* How far the star is from going that way: the nearest of `others`; INFINITY: none is near. */
static Place
partner_of (const CountPlane *plane, const LightStar *star, const CountPlane *other, const GArray *others, Place way)
{
  const Place from = place_of (plane, star->x, star->y);
  Place       nearest = { INFINITY, INFINITY };

  for (guint k = 0; k < others->len; k++)
    {
      const LightStar *to = &g_array_index (others, LightStar, k);
      Place            off;

      if (ABS (to->x - star->x - way.x) > 2.0 * SAME || ABS (to->y - star->y - way.y) > 2.0 * SAME)
        continue;
      off = place_of (other, to->x, to->y);
      off = (Place) { off.x - from.x - way.x, off.y - from.y - way.y };
      if (hypot (off.x, off.y) < hypot (nearest.x, nearest.y))
        nearest = off;
    }
  return nearest;
}

/* A way of whole pixels becomes the middle one of the pairs that voted for it. */
static Place
fine_way (const CountPlane *from, const GArray *stars, const CountPlane *plane, const GArray *others, Place way)
{
  const gint n = (gint) stars->len;
  g_autofree gfloat *x = g_new (gfloat, n + 1), *y = g_new (gfloat, n + 1);

  for (gint i = 0; i < n; i++)
    {
      const Place    off = partner_of (from, &g_array_index (stars, LightStar, i), plane, others, way);
      const gboolean is_pair = hypot (off.x, off.y) < SAME;

      x[i] = is_pair ? (gfloat) off.x : NAN;
      y[i] = is_pair ? (gfloat) off.y : NAN;
    }
  return (Place) { way.x + middle_of (x, n, NULL), way.y + middle_of (y, n, NULL) };
}

static void
hide (CountPlane *plane, const LightStar *star, gint radius)
{
  for (gint y = MAX (star->y - radius, 0); y <= MIN (star->y + radius, plane->height - 1); y++)
    for (gint x = MAX (star->x - radius, 0); x <= MIN (star->x + radius, plane->width - 1); x++)
      if ((x - star->x) * (x - star->x) + (y - star->y) * (y - star->y) <= radius * radius)
        plane->pixels[(gsize) y * plane->width + x] = NAN;
}

/* The plane without those of its stars that weigh much and have no partner that way. */
static CountPlane
hide_others (const CountPlane *plane, const GArray *stars, const CountPlane *other, const GArray *others, Place way, gint radius)
{
  const gdouble all = weight_of_all (stars);
  CountPlane    hidden;

  count_plane_init (&hidden, plane->width, plane->height);
  memcpy (hidden.pixels, plane->pixels, sizeof (gfloat) * plane->width * plane->height);
  for (guint i = 0; i < stars->len; i++)
    {
      const LightStar *star = &g_array_index (stars, LightStar, i);
      const Place      off = partner_of (plane, star, other, others, way);

      if (weight_of (stars, i) >= HEAVY * all && ! (hypot (off.x, off.y) < TOGETHER))
        hide (&hidden, star, radius);
    }
  return hidden;
}

/* The plane becomes what it is so many whole pixels away. */
static void
move_back (CountPlane *plane, gint by_x, gint by_y)
{
  CountPlane moved;

  count_plane_init (&moved, plane->width, plane->height);
  for (gint y = 0; y < plane->height; y++)
    for (gint x = 0; x < plane->width; x++)
      {
        const gint     u = x + by_x, v = y + by_y;
        const gboolean is_seen = u >= 0 && u < plane->width && v >= 0 && v < plane->height;

        moved.pixels[(gsize) y * plane->width + x] = is_seen ? plane->pixels[(gsize) v * plane->width + u] : NAN;
      }
  count_plane_clear (plane);
  *plane = moved;
}

/* From where the stars say on: what has misled the search for whole pixels would do so again. */
static void
compare_others (Sequence *sequence, const Key *key, const GArray *from, const CountPlane *plane, const GArray *to, Place way, Shift *found)
{
  const gint radius = (gint) ceil (AROUND * sequence->settings.fwhm);
  CountPlane reference = hide_others (&key->plane, from, plane, to, way, radius);
  CountPlane frame = hide_others (plane, to, &key->plane, from, (Place) { -way.x, -way.y }, radius);
  const gint by_x = (gint) floor (way.x + 0.5), by_y = (gint) floor (way.y + 0.5);
  ShiftKey   shifts;
  Shift      again;

  move_back (&frame, by_x, by_y);
  shift_key_init (&shifts, &reference, FALSE);
  sequence_shifts_near (sequence, &shifts, frame.pixels, &again);
  again.x += by_x;
  again.y += by_y;
  if (again.ok && again.converged && hypot (again.x - way.x, again.y - way.y) < TOGETHER)
    *found = again;
  shift_key_clear (&shifts);
  count_plane_clear (&frame);
  count_plane_clear (&reference);
}

void
most_stars (Sequence *sequence, const Key *key, const CountPlane *plane, Shift *found)
{
  const gint         most = MIN (sequence->settings.shift.max_shift, MAX (plane->width, plane->height) / 2);
  g_autoptr (GArray) from = round_stars (&key->plane, key->stars), all = NULL, to = NULL;
  gint               x = 0, y = 0;

  if (from->len < FEWEST || (found->ok && found->converged && go_together (&key->plane, from, plane, found)))
    return;
  all = light_stars (plane);
  to = round_stars (plane, all);
  if (elect_way (from, to, most, &x, &y))
    compare_others (sequence, key, from, plane, to, fine_way (&key->plane, from, plane, to, (Place) { x, y }), found);
}
