/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Field rotation: by what angle a frame is turned against its key.
 *
 * The angle is that of the key's stars.  Each is looked for where the frame's shift has it, and the least squares of how
 * they lie about one another are a turn.  Where most of them are not there, bright stars of both are paired by their light
 * alone, and the turn is the one on which most pairs agree (consensus.h).
 *
 * A frame is turned back where the angle is certain and a corner moves by more than MOVED.  Then one shift says where it
 * lies, and everything else is as where nothing turns. */
#include "sequence.h"

#include <math.h>

#include "consensus-models.h"
#include "median.h"
#include "star-middle.h"

#define NEAR      2             /* px from where a star should be */
#define FEWEST    6             /* stars that fix an angle */
#define PART      0.25          /* of a star's light: less is no star */
#define CLIP      3.0           /* standard deviations, ... */
#define LEAST_SD  0.02          /* ... px: no star is placed better */
#define ROUNDS    4
#define SURE      5.0           /* standard deviations: less is no turn */
#define UNSURE    0.2           /* px of a corner, one standard deviation: the angle is not known */
#define MOVED     0.05          /* px of a corner: less does not matter */
#define STILL     0.02          /* px of a corner: so well is a plane turned back */
#define NEARLY    0.5           /* px of a corner: a plane that is turned back so well still has a place */
#define STEPS     4
#define BRIGHTEST 40            /* stars that are paired by their light */
#define ALIKE     1.5           /* times the light, of a pair */
#define RIGID     0.03          /* of the size: a sky does not grow more */
#define SEED      1
#define DEGREE    (G_PI / 180.0)

/* -------------------------------------------------------------------- stars -- */

/* Of the star whose brightest pixel this is; NaN where a pixel has no value. */
static Point
middle_of (const CountPlane *plane, gint x, gint y)
{
  const gint    width = plane->width;
  const gfloat *p = plane->pixels + (gsize) y * width + x;
  const gfloat  top = star_soft (p, width);

  return (Point) { x + star_top (star_soft (p - 1, width), top, star_soft (p + 1, width)), y + star_top (star_soft (p - width, width), top, star_soft (p + width, width)) };
}

/* The brightest pixel at most NEAR away. */
static void
to_top (const CountPlane *plane, gint *x, gint *y)
{
  const gint middle_x = *x, middle_y = *y;

  for (gint at_y = middle_y - NEAR; at_y <= middle_y + NEAR; at_y++)
    for (gint at_x = middle_x - NEAR; at_x <= middle_x + NEAR; at_x++)
      if (plane->pixels[(gsize) at_y * plane->width + at_x] > plane->pixels[(gsize) *y * plane->width + *x])
        {
          *x = at_x;
          *y = at_y;
        }
}

GArray *
turn_middles (const GArray *stars, const CountPlane *plane)
{
  GArray *middles = g_array_sized_new (FALSE, FALSE, sizeof (Point), stars->len);

  for (guint i = 0; i < stars->len; i++)
    {
      const LightStar *star = &g_array_index (stars, LightStar, i);
      const Point middle = middle_of (plane, star->x, star->y);

      g_array_append_val (middles, middle);
    }
  return middles;
}

/* A star of the key, from the middle of the picture, and by how much it is off. */
typedef struct
{
  gdouble x, y, off_x, off_y;
} Moved;

/* Those of the key's stars that a plane has.  `of`: how many it could have. */
static GArray *
moved_stars (const Key *key, const CountPlane *plane, const Shift *found, gint *of)
{
  const gdouble middle_x = 0.5 * (plane->width - 1), middle_y = 0.5 * (plane->height - 1);
  GArray       *all = g_array_new (FALSE, FALSE, sizeof (Moved));

  *of = 0;
  for (guint i = 0; i < key->stars->len && found->ok; i++)
    {
      const LightStar *star = &g_array_index (key->stars, LightStar, i);
      const Point was = g_array_index (key->middles, Point, i);
      gint             x = star->x + (gint) floor (found->x + 0.5), y = star->y + (gint) floor (found->y + 0.5);
      Point       is;

      if (isnan (was.x + was.y) || ! isfinite (light_at (plane, x, y)))
        continue;
      *of += 1;
      to_top (plane, &x, &y);
      if (! (light_at (plane, x, y) > PART * star->light))
        continue;
      is = middle_of (plane, x, y);
      if (hypot (is.x - was.x - found->x, is.y - was.y - found->y) <= NEAR)
        g_array_append_vals (all, &(Moved) { was.x - middle_x, was.y - middle_y, is.x - was.x - found->x, is.y - was.y - found->y }, 1);
    }
  return all;
}

/* off = (x, y) + angle (-star y, star x), with the angle in radians and its standard deviation. */
typedef struct
{
  gdouble x, y, angle, error, sd;
} Fit;

static gdouble
left_over (const Fit *fit, const Moved *star)
{
  return hypot (star->off_x - fit->x + fit->angle * star->y, star->off_y - fit->y - fit->angle * star->x);
}

/* By least squares, of the stars that another fit leaves at most so much of. */
static Fit
fit_some (const GArray *stars, const Fit *other, gdouble most)
{
  gdouble n = 0, x = 0, y = 0, off_x = 0, off_y = 0, cross = 0, square = 0, left = 0;
  Fit     fit = { .error = INFINITY };

  for (guint i = 0; i < stars->len; i++)
    {
      const Moved *star = &g_array_index (stars, Moved, i);

      if (left_over (other, star) > most)
        continue;
      n++;
      x += star->x;
      y += star->y;
      off_x += star->off_x;
      off_y += star->off_y;
      cross += star->x * star->off_y - star->y * star->off_x;
      square += star->x * star->x + star->y * star->y;
    }
  square -= (x * x + y * y) / MAX (n, 1);
  if (n < FEWEST || ! (square > 0))
    return fit;
  fit.angle = (cross - (x * off_y - y * off_x) / n) / square;
  fit.x = (off_x + fit.angle * y) / n;
  fit.y = (off_y - fit.angle * x) / n;
  for (guint i = 0; i < stars->len; i++)
    {
      const gdouble off = left_over (other, &g_array_index (stars, Moved, i)) > most ? 0 : left_over (&fit, &g_array_index (stars, Moved, i));

      left += off * off;
    }
  fit.sd = sqrt (left / (2 * n - 3));
  fit.error = MAX (fit.sd, LEAST_SD) / sqrt (square);
  return fit;
}

/* Of stars that are alike: a wrong one is off by more than most. */
static Fit
fit_stars (const GArray *stars)
{
  g_autofree gfloat *left = g_new (gfloat, stars->len + 1);
  Fit                fit = fit_some (stars, &(Fit) { 0 }, INFINITY);

  for (gint round = 0; round < ROUNDS && isfinite (fit.error); round++)
    {
      for (guint i = 0; i < stars->len; i++)
        left[i] = (gfloat) left_over (&fit, &g_array_index (stars, Moved, i));
      fit = fit_some (stars, &fit, CLIP * MAX (median_of (left, stars->len), LEAST_SD));
    }
  return fit;
}

/* ------------------------------------------------------------------- search -- */

static MatchPlace *
places_of (const GArray *stars, guint n)
{
  MatchPlace *places = g_new (MatchPlace, n + 1);

  for (guint i = 0; i < n; i++)
    places[i] = (MatchPlace) { g_array_index (stars, LightStar, i).x, g_array_index (stars, LightStar, i).y, 1, 0 };
  return places;
}

/* Stars of both with about the same light. */
static gint
match_light (const GArray *a, guint n_a, const GArray *b, guint n_b, Match *matches)
{
  gint n = 0;

  for (guint i = 0; i < n_a; i++)
    for (guint k = 0; k < n_b; k++)
      {
        const gdouble first = g_array_index (a, LightStar, i).light, second = g_array_index (b, LightStar, k).light;

        if (first < ALIKE * second && second < ALIKE * first)
          matches[n++] = (Match) { (gint) i, (gint) k, 0 };
      }
  return n;
}

/* Degrees by which a plane is turned against the key's, wherever it lies.  NaN: that is not known. */
static gdouble
search (const Key *key, const CountPlane *plane)
{
  g_autoptr (GArray)     stars = light_stars (plane);
  const guint            n_a = MIN (key->stars->len, BRIGHTEST), n_b = MIN (stars->len, BRIGHTEST);
  g_autofree MatchPlace *a = places_of (key->stars, n_a), *b = places_of (stars, n_b);
  g_autofree Match      *matches = g_new (Match, (gsize) n_a * n_b + 1);
  const gint             n = match_light (key->stars, n_a, stars, n_b, matches);
  const Frames           frames = { plane->width, plane->height, plane->width, plane->height };
  Candidate              best = { .score = 0 }, other = { .score = 0 };
  Pairs                  pairs;
  gint                   agree = 0, needed;

  if (MIN (n_a, n_b) < FEWEST)
    return NAN;
  pairs_init (&pairs, a, b, matches, n);
  consensus_search (&pairs, MODEL_SIMILARITY, SEED, &frames, &best, &other);
  needed = belief_needed (&pairs, models_sample_size (MODEL_SIMILARITY), &frames);
  for (gint i = 0; i < pairs.n && best.score > 0; i++)
    agree += models_error2 (best.matrix, &pairs.pairs[i]) < pairs.pairs[i].reach2;
  pairs_clear (&pairs);
  return agree >= MAX (needed, FEWEST) && fabs (hypot (best.matrix[0], best.matrix[3]) - 1.0) < RIGID
         ? -atan2 (best.matrix[3], best.matrix[0]) / DEGREE : NAN;
}

/* ------------------------------------------------------------ a frame's turn -- */

/* Half of the diagonal. */
static gdouble
corner (const CountPlane *plane)
{
  return 0.5 * sqrt ((gdouble) plane->width * plane->width + (gdouble) plane->height * plane->height);
}

void
laid_clear (Laid *laid)
{
  count_plane_clear (&laid->level);
}

const CountPlane *
laid_plane (const Laid *laid)
{
  return laid->level.pixels ? &laid->level : laid->raw;
}

static void
laid_turn (Laid *laid, gdouble degrees)
{
  laid_clear (laid);
  laid->level = (CountPlane) { 0 };
  laid->applied = degrees;
  if (degrees != 0.0)
    turn_back (laid->raw, degrees, &laid->level);
}

void
laid_place (Sequence *sequence, Key *key, gdouble degrees, Laid *laid)
{
  laid_turn (laid, turn_rounded (degrees));
  sequence_shifts (sequence, &key->shifts, 1, laid_plane (laid)->pixels, NULL, &laid->found);
  most_stars (sequence, key, laid_plane (laid), &laid->found);
}

typedef struct
{
  gint stars, of;
  Fit  fit;
} Seen;

static Seen
see (const Key *key, const Laid *laid)
{
  Seen               seen;
  g_autoptr (GArray) stars = moved_stars (key, laid_plane (laid), &laid->found, &seen.of);

  seen.stars = (gint) stars->len;
  seen.fit = fit_stars (stars);
  return seen;
}

/* An angle is known. */
static gboolean
is_sure (const Laid *laid, const Fit *fit)
{
  return fit->error * corner (laid->raw) < UNSURE;
}

/* Most of the stars that could be there are. */
static gboolean
is_settled (const Laid *laid, const Seen *seen)
{
  return laid->found.ok && laid->found.converged && 2 * seen->stars >= seen->of && is_sure (laid, &seen->fit);
}

/* Another turn, if the key's stars are there then, and were not before. */
static void
try_turn (Sequence *sequence, Key *key, gdouble angle, Laid *laid, Seen *seen)
{
  Laid other = { .raw = laid->raw };
  Seen then;

  if (isnan (angle) || turn_rounded (angle) == laid->applied)
    return;
  laid_place (sequence, key, angle, &other);
  then = see (key, &other);
  if (is_settled (&other, &then) && then.stars > seen->stars)
    {
      laid_clear (laid);
      *laid = other;
      *seen = then;
    }
  else
    laid_clear (&other);
}

/* What it is turned by, against the chain's first key. */
static Turn
turn_of (const Key *key, const Laid *laid, const Fit *fit)
{
  const gdouble angle = key->turn.angle + laid->applied - key->applied + fit->angle / DEGREE;

  if (! is_sure (laid, fit))
    return (Turn) { laid->applied, INFINITY };
  return (Turn) { turn_rounded (angle), hypot (key->turn.error, fit->error / DEGREE) };
}

static gboolean
is_turned (const Turn *turn, gdouble radius)
{
  const gdouble moved = fabs (turn->angle) * DEGREE * radius;

  return moved > MAX (SURE * turn->error * DEGREE * radius, MOVED);
}

/* Where most of the stars are not: as the frames before it turn, or by a search.  Where that does not help either, the former is the best that is known. */
static void
find_turn (Sequence *sequence, Key *key, gdouble guess, Laid *laid, Seen *seen)
{
  try_turn (sequence, key, guess, laid, seen);
  if (! is_settled (laid, seen))
    try_turn (sequence, key, laid->applied + search (key, laid_plane (laid)), laid, seen);
  if (is_settled (laid, seen) || isnan (guess) || turn_rounded (guess) == laid->applied)
    return;
  laid_place (sequence, key, guess, laid);
  *seen = see (key, laid);
}

/* FALSE: it stays as it was, which is nearly as good, because its shift would not be found. */
static gboolean
lay_better (Sequence *sequence, Key *key, gdouble degrees, gboolean is_near, Laid *laid)
{
  Laid other = { .raw = laid->raw, .turn = laid->turn };

  laid_place (sequence, key, degrees, &other);
  if (is_near && laid->found.converged && ! other.found.converged)
    {
      laid_clear (&other);
      return FALSE;
    }
  laid_clear (laid);
  *laid = other;
  return TRUE;
}

gboolean
turn_settle (Sequence *sequence, Key *key, gdouble guess, Laid *laid)
{
  const gdouble radius = corner (laid->raw), before = laid->applied;
  Seen          seen = see (key, laid);

  if (! is_settled (laid, &seen))
    find_turn (sequence, key, guess, laid, &seen);
  for (gint i = 0; i < STEPS; i++)
    {
      gdouble wanted;

      laid->turn = turn_of (key, laid, &seen.fit);
      wanted = isinf (laid->turn.error) ? laid->applied : is_turned (&laid->turn, radius) ? laid->turn.angle : 0.0;
      if (fabs (turn_rounded (wanted - laid->applied)) * DEGREE * radius < STILL && (wanted != 0.0 || laid->applied == 0.0))
        break;
      if (! lay_better (sequence, key, wanted, fabs (turn_rounded (wanted - laid->applied)) * DEGREE * radius < NEARLY, laid))
        break;
      seen = see (key, laid);
    }
  return laid->applied != before;
}
