/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Streaks; see streaks.h.
 */
#include "streaks.h"

#include <math.h>
#include <string.h>

#include "median.h"
#include "tessera.h"

#define ANGLES    360           /* in half a turn */
#define APART     2             /* pixels between lines */
#define LEAST     24            /* pixels from end to end */
#define GAP       20            /* pixels that may be missing between */
#define FILLED    0.6           /* of the pixels on the line, at least */
#define EVEN      0.25          /* of the mean light of its places the middle one has, at least */
#define NEAR      3.0           /* pixels from the line, to find it better */
#define WIDEST    16            /* half, in pixels */
#define AROUND    3             /* pixels that are marked beside it */
#define CROWDED   10            /* more than one pixel in so many: that frame is not understood */
#define TRIES     16            /* lines that are looked at */
#define OF_WIDTH  1.0645        /* the area of a Gaussian, for its width and height */

typedef struct
{
  gint   x, y;
  gfloat value;
} Point;

/* A place is `along` it from the foot of the origin and `away` from it. */
typedef struct
{
  gdouble cosine, sine, rho;
  gdouble first, last;          /* along */
  gint    half;                 /* of its width */
} Line;

typedef struct
{
  const CountPlane *filtered;
  guint8  *is_point;            /* of each pixel */
  GArray  *points;              /* Point: that are left */
  gint     n_rho;
  gint    *votes;               /* [n_rho angle + line] */
  gdouble  cosines[ANGLES], sines[ANGLES];
} Votes;

static gdouble
along (const Line *line, gdouble x, gdouble y)
{
  return y * line->cosine - x * line->sine;
}

static gdouble
away (const Line *line, gdouble x, gdouble y)
{
  return x * line->cosine + y * line->sine - line->rho;
}

static gint
whole (gdouble x)
{
  return (gint) floor (x + 0.5);
}

/* The pixel at a place of the line's; -1 beyond the plane. */
static gssize
pixel_on (const Line *line, const CountPlane *plane, gdouble along_it, gdouble away_from_it)
{
  const gdouble rho = line->rho + away_from_it;
  const gint    x = whole (rho * line->cosine - along_it * line->sine), y = whole (rho * line->sine + along_it * line->cosine);

  return x >= 0 && x < plane->width && y >= 0 && y < plane->height ? (gssize) y * plane->width + x : -1;
}

static gboolean
is_point_on (const Line *line, const Votes *votes, gdouble along_it, gdouble away_from_it)
{
  const gssize at = pixel_on (line, votes->filtered, along_it, away_from_it);

  return at >= 0 && votes->is_point[at];
}

static gint *
cell_of (const Votes *votes, gint angle, const Point *point)
{
  const gdouble rho = point->x * votes->cosines[angle] + point->y * votes->sines[angle];

  return &votes->votes[(gsize) angle * votes->n_rho + votes->n_rho / 2 + (gint) floor (rho / APART)];
}

static void
vote (const Votes *votes, const Point *point, gint by)
{
  for (gint angle = 0; angle < ANGLES; angle++)
    *cell_of (votes, angle, point) += by;
}

/* Those above the threshold, but for what is left of stars. */
static void
find_points (Votes *votes, const WhitenPlanes *planes, gfloat threshold)
{
  const CountPlane  *filtered = votes->filtered;
  g_autofree guint8 *rows = detect_rows_above (filtered, threshold);

  for (gint y = 0; y < filtered->height; y++)
    for (gint x = 0; x < filtered->width && rows[y]; x++)
      {
        const gsize at = (gsize) y * filtered->width + x;
        const Point point = { x, y, filtered->pixels[at] };

        if (! (point.value > threshold) || fabs (detect_part_of_star (&planes->background, &planes->whitened, x, y)) < 1.0)
          continue;
        votes->is_point[at] = TRUE;
        g_array_append_val (votes->points, point);
      }
}

/* Where the line has its longest run of pixels above the threshold.  FALSE: that is too short. */
static gboolean
find_ends (const Votes *votes, Line *line)
{
  const gint reach = votes->filtered->width + votes->filtered->height;
  gint       from = 0, last = -reach - 2 * GAP, filled = 0;
  gboolean   is_found = FALSE;

  for (gint t = -reach; t <= reach; t++)
    {
      if (! is_point_on (line, votes, t, 0.0))
        continue;
      if (t - last > GAP + 1)
        {
          from = t;
          filled = 0;
        }
      last = t;
      filled++;
      if (last - from + 1 >= LEAST && filled >= FILLED * (last - from + 1) && (! is_found || last - from > line->last - line->first))
        {
          line->first = from;
          line->last = last;
          is_found = TRUE;
        }
    }
  return is_found;
}

/* How far it is more than half full. */
static void
find_width (const Votes *votes, Line *line)
{
  const gint length = (gint) (line->last - line->first) + 1;
  gint       filled = length;

  for (line->half = 0; line->half <= WIDEST && 2 * filled > length; line->half++)
    {
      gint sides[2] = { 0, 0 };

      for (gint t = (gint) line->first; t <= (gint) line->last; t++)
        for (gint i = 0; i < 2; i++)
          sides[i] += is_point_on (line, votes, t, (i ? 1 : -1) * (line->half + 1));
      filled = MAX (sides[0], sides[1]);
    }
}

/* Turns it to its points, by their weights: away = a + b along. */
static void
refine (const Votes *votes, Line *line)
{
  gdouble n = 0.0, t = 0.0, d = 0.0, tt = 0.0, td = 0.0, slope, scale;

  for (guint i = 0; i < votes->points->len; i++)
    {
      const Point  *point = &g_array_index (votes->points, Point, i);
      const gdouble at = along (line, point->x, point->y), off = away (line, point->x, point->y), weight = point->value;

      if (fabs (off) > NEAR || at < line->first || at > line->last)
        continue;
      n += weight;
      t += weight * at;
      d += weight * off;
      tt += weight * at * at;
      td += weight * at * off;
    }
  if (! (n * tt - t * t > 0.0))
    return;
  slope = (n * td - t * d) / (n * tt - t * t);
  scale = 1.0 / sqrt (1.0 + slope * slope);
  /* x cos + y sin - rho = a + slope (y cos - x sin) */
  *line = (Line) { scale * (line->cosine + slope * line->sine), scale * (line->sine - slope * line->cosine), scale * (line->rho + (d - slope * t) / n),
                   line->first, line->last, 0 };
}

static gboolean
find_line (const Votes *votes, gint angle, gint rho, Line *line)
{
  *line = (Line) { votes->cosines[angle], votes->sines[angle], APART * (rho - votes->n_rho / 2 + 0.5), 0.0, 0.0, 0 };
  if (! find_ends (votes, line))
    return FALSE;
  refine (votes, line);
  if (! find_ends (votes, line))
    return FALSE;
  find_width (votes, line);
  return 4 * (2 * line->half - 1) <= line->last - line->first;
}

static gboolean
is_on (const Line *line, gint x, gint y)
{
  const gdouble at = along (line, x, y);
  const gint    around = line->half + AROUND;

  return fabs (away (line, x, y)) <= around && at >= line->first - around && at <= line->last + around;
}

/* Marks it; what is left are the other points. */
static void
take (Votes *votes, const Line *line, guint8 *mask)
{
  guint n = 0;

  for (guint i = 0; i < votes->points->len; i++)
    {
      const Point point = g_array_index (votes->points, Point, i);

      if (is_on (line, point.x, point.y))
        {
          votes->is_point[(gsize) point.y * votes->filtered->width + point.x] = FALSE;
          vote (votes, &point, -1);
        }
      else
        g_array_index (votes->points, Point, n++) = point;
    }
  g_array_set_size (votes->points, n);
  for (gint y = 0; y < votes->filtered->height; y++)
    for (gint x = 0; x < votes->filtered->width; x++)
      if (is_on (line, x, y))
        mask[(gsize) y * votes->filtered->width + x] = TRUE;
}

static Streak
measure (const Line *line, const CountPlane *whitened)
{
  Streak  streak;
  gdouble highest = 0.0, length = line->last - line->first + 1.0;

  streak.flux = 0.0;
  for (gint i = 0; i < 2; i++)
    {
      const gdouble at = i ? line->last : line->first;

      streak.x[i] = line->rho * line->cosine - at * line->sine;
      streak.y[i] = line->rho * line->sine + at * line->cosine;
    }
  for (gint off = -line->half - AROUND; off <= line->half + AROUND; off++)
    {
      gdouble sum = 0.0;

      for (gint t = (gint) line->first; t <= (gint) line->last; t++)
        {
          const gssize at = pixel_on (line, whitened, t, off);

          sum += at < 0 || isnan (whitened->pixels[at]) ? 0.0 : whitened->pixels[at];
        }
      highest = MAX (highest, sum / length);
      streak.flux += sum;
    }
  streak.width = highest > 0.0 ? streak.flux / length / highest / OF_WIDTH : NAN;
  return streak;
}

/* A trail has light all along, and objects beside one another, or a bright one with what is left of it, have it in a few places. */
static gboolean
is_even (const Line *line, const CountPlane *whitened)
{
  const gint length = (gint) (line->last - line->first) + 1;
  g_autofree gfloat *lights = g_new0 (gfloat, length);
  gdouble    sum = 0.0;

  for (gint i = 0; i < length; i++)
    {
      for (gint off = -line->half; off <= line->half; off++)
        {
          const gssize at = pixel_on (line, whitened, (gint) line->first + i, off);

          lights[i] += at < 0 || isnan (whitened->pixels[at]) ? 0.0f : whitened->pixels[at];
        }
      sum += lights[i];
    }
  return median_of (lights, length) >= EVEN * sum / length;
}

static gsize
find_most (const Votes *votes)
{
  gsize best = 0;

  for (gsize i = 1; i < (gsize) ANGLES * votes->n_rho; i++)
    if (votes->votes[i] > votes->votes[best])
      best = i;
  return best;
}

GArray *
streaks_find (const WhitenPlanes *planes, const CountPlane *filtered, gfloat threshold, guint8 *mask)
{
  GArray *streaks = g_array_new (FALSE, FALSE, sizeof (Streak));
  Votes   votes = { .filtered = filtered, .is_point = g_new0 (guint8, (gsize) filtered->width * filtered->height),
                    .points = g_array_new (FALSE, FALSE, sizeof (Point)) };

  find_points (&votes, planes, threshold);
  votes.n_rho = 2 * (filtered->width + filtered->height) / APART + 2;
  if (votes.points->len >= LEAST && votes.points->len <= (gsize) filtered->width * filtered->height / CROWDED)
    {
      votes.votes = g_new0 (gint, (gsize) ANGLES * votes.n_rho);
      for (gint i = 0; i < ANGLES; i++)
        {
          votes.cosines[i] = tessera_cos_degrees (180.0 * i / ANGLES);
          votes.sines[i] = tessera_sin_degrees (180.0 * i / ANGLES);
        }
      for (guint i = 0; i < votes.points->len; i++)
        vote (&votes, &g_array_index (votes.points, Point, i), 1);
    }
  for (gint i = 0; votes.votes && i < TRIES; i++)
    {
      const gsize best = find_most (&votes);
      Line        line;

      if (votes.votes[best] < LEAST)
        break;
      if (find_line (&votes, (gint) (best / votes.n_rho), (gint) (best % votes.n_rho), &line) && is_even (&line, &planes->whitened))
        {
          const Streak streak = measure (&line, &planes->whitened);

          g_array_append_val (streaks, streak);
          take (&votes, &line, mask);
        }
      else
        votes.votes[best] = 0;
    }
  g_free (votes.votes);
  g_free (votes.is_point);
  g_array_free (votes.points, TRUE);
  return streaks;
}

/* ------------------------------------------------------------------- rays -- */

#define GROWN 2                 /* pixels around a ray's */

/* Of pixels whose neighbours are still to be looked at.  They may be GROWN apart: what is full or hot between has no value. */
static void
reach (const CountPlane *filtered, gfloat threshold, gint x, gint y, guint8 *seen, GArray *pixels)
{
  const gsize at = (gsize) y * filtered->width + x;

  if (seen[at] || ! (filtered->pixels[at] > threshold))
    return;
  seen[at] = TRUE;
  g_array_append_val (pixels, at);
}

static void
mark_around (const CountPlane *plane, gint x, gint y, guint8 *mask)
{
  for (gint j = MAX (y - GROWN, 0); j <= MIN (y + GROWN, plane->height - 1); j++)
    for (gint i = MAX (x - GROWN, 0); i <= MIN (x + GROWN, plane->width - 1); i++)
      mask[(gsize) j * plane->width + i] = TRUE;
}

/* What hangs together with the pixels. */
static void
mark_connected (const CountPlane *filtered, gfloat threshold, GArray *pixels, guint8 *seen, guint8 *mask)
{
  for (guint i = 0; i < pixels->len; i++)
    {
      const gint x0 = (gint) (g_array_index (pixels, gsize, i) % filtered->width), y0 = (gint) (g_array_index (pixels, gsize, i) / filtered->width);

      mark_around (filtered, x0, y0, mask);
      for (gint j = MAX (y0 - GROWN, 0); j <= MIN (y0 + GROWN, filtered->height - 1); j++)
        for (gint k = MAX (x0 - GROWN, 0); k <= MIN (x0 + GROWN, filtered->width - 1); k++)
          reach (filtered, threshold, k, j, seen, pixels);
    }
}

gint
rays_find (const WhitenPlanes *planes, const CountPlane *filtered, gboolean is_turned, gfloat threshold, guint8 *mask)
{
  g_autoptr (GArray) maxima = detect_maxima (filtered, threshold), pixels = g_array_new (FALSE, FALSE, sizeof (gsize));
  g_autofree guint8 *seen = NULL;
  gint    n = 0;

  if (maxima->len == 0)
    return 0;
  seen = g_new0 (guint8, (gsize) filtered->width * filtered->height);
  for (gint y = 0; y < filtered->height; y++)
    for (gint x = 0; x < filtered->width; x++)
      if (mask[(gsize) y * filtered->width + x])
        reach (filtered, threshold, x, y, seen, pixels);
  for (guint i = 0; i < maxima->len; i++)
    {
      const Detection *maximum = &g_array_index (maxima, Detection, i);

      if (mask[(gsize) maximum->y * filtered->width + maximum->x]
          || ! (detect_is_ray (&planes->significance, maximum) || (is_turned && detect_is_turned_ray (&planes->significance, maximum)))
          || fabs (detect_part_of_star (&planes->background, &planes->whitened, maximum->x, maximum->y)) < 1.0)
        continue;
      reach (filtered, threshold, maximum->x, maximum->y, seen, pixels);
      n++;
    }
  mark_connected (filtered, threshold, pixels, seen, mask);
  return n;
}
