/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What is no object goes from a frame before it is searched, and with the objects before it becomes history. */
#include "sequence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "median.h"

#define FULL_LEAST 12           /* pixels with one number, the highest: more than two stars have by chance */
#define FULL_MOST  10           /* one pixel in so many: else it is no picture */
#define FULL_FAR   30.0f        /* widths of the noise from the sky */
#define APART      23           /* pixels of which one is looked at, for the sky */
#define PIECE      64           /* rows of a column that are judged together */
#define COMMON     1.0f         /* their mean, in standard deviations of a pixel: four times what noise has, whose pixels are alike in threes */
#define OF_COMMON 0.5f          /* of that, which each part of a piece has at least */
#define COMMON_MOST 4.0f        /* that a pixel counts */
#define BESIDE_NEAR 6           /* columns away: a column reaches 3 px by the filter, ... */
#define BESIDE_FAR  10          /* ... and of two bad ones one is seen */
#define NOISE      3.0f         /* what is below it is left to chance */
#define OF_STAR    0.3          /* less than this part of a star's light is left of the star */
#define OF_BRIGHTEST 0.01       /* ... or than this part of a star beside it, of how that was resampled: 0.003 on each axis, of the frame and of those before */
#define AROUND     2            /* px that go with a star's pixel: the filter reaches farther than its light */
#define SHARP      0.7          /* of the filter's width: with narrower stars a ray that was turned back is no narrower than these */
#define NARROW     1.5f         /* px: ... whatever filter was asked for */
#define THINNEST   1.25         /* px: what is thinner is no trail in the sky, but a column, or a ray */

static gfloat
far_above_sky (const CountPlane *plane)
{
  const SkyLevel sky = left_sky (plane, APART);

  return sky.level + FULL_FAR * MAX (sky.width, 1.0f);
}

gfloat
clean_full (const CountPlane *plane, gfloat saturation)
{
  const gsize n_pixels = (gsize) plane->width * plane->height;
  gfloat      highest = -INFINITY;
  gsize       n = 0;

  for (gsize i = 0; i < n_pixels; i++)
    if (plane->pixels[i] > highest)
      {
        highest = plane->pixels[i];
        n = 1;
      }
    else
      n += plane->pixels[i] == highest;
  return n >= FULL_LEAST && n <= n_pixels / FULL_MOST && highest < saturation && highest > far_above_sky (plane) ? highest : saturation;
}

static gint
compare_moves (gconstpointer a, gconstpointer b)
{
  const gdouble first = *(const gdouble *) a, second = *(const gdouble *) b;

  return first < second ? -1 : first > second;
}

/* By how many pixels the sky has moved into the frame, against the middle one of the history: positive from below. */
static gint
moved_in (const WhitenFrames *frames, gboolean is_x)
{
  const gint         n = frames->n;
  const WhitenFrame *now = &frames->all[n];
  gdouble            moves[WEIGHTS_MAX_FRAMES];

  for (gint i = 0; i < n; i++)
    {
      const FrameShift then = frames->all[i].shift;

      moves[i] = is_x ? now->shift.x - then.x : now->shift.y - then.y;
    }
  qsort (moves, n, sizeof *moves, compare_moves);
  return (gint) CLAMP (round (moves[n / 2]), -now->plane.width, now->plane.width);
}

void
clean_new_sky (const WhitenFrames *frames, CountPlane *filtered)
{
  const gint x = moved_in (frames, TRUE), y = moved_in (frames, FALSE);

  for (gint row = 0; row < filtered->height && (x || y); row++)
    for (gint column = 0; column < filtered->width; column++)
      if (column < x || column >= filtered->width + x || row < y || row >= filtered->height + y)
        filtered->pixels[(gsize) row * filtered->width + column] = NAN;
}

/* How far the frame has moved against those of its history, at most each way. */
typedef struct
{
  gint left, right, top, bottom;        /* pixels of the rim that are not in all of them */
} Rim;

static Rim
rim_of (const WhitenFrames *frames)
{
  const FrameShift now = frames->all[frames->n].shift;
  Rim              rim = { 0, 0, 0, 0 };

  for (gint i = 0; i < frames->n; i++)
    {
      const gint x = (gint) floor (now.x - frames->all[i].shift.x + 0.5), y = (gint) floor (now.y - frames->all[i].shift.y + 0.5);

      rim.left = MAX (rim.left, x);
      rim.right = MAX (rim.right, -x);
      rim.top = MAX (rim.top, y);
      rim.bottom = MAX (rim.bottom, -y);
    }
  return rim;
}

void
clean_around (CountPlane *filtered, gint x, gint y)
{
  for (gint v = MAX (y - AROUND, 0); v <= MIN (y + AROUND, filtered->height - 1); v++)
    for (gint u = MAX (x - AROUND, 0); u <= MIN (x + AROUND, filtered->width - 1); u++)
      filtered->pixels[(gsize) v * filtered->width + u] = NAN;
}

void
clean_rim (const WhitenFrames *frames, const WhitenPlanes *planes, CountPlane *filtered)
{
  const gint     width = filtered->width, height = filtered->height;
  const Rim      rim = rim_of (frames);
  const SkyLevel sky = left_level (planes);

  for (gint y = 0; y < height; y++)
    for (gint x = 0; x < width; x++)
      {
        const gboolean is_within = x >= rim.left && x < width - rim.right && y >= rim.top && y < height - rim.bottom;

        if (! is_within && left_has_star (planes, sky, x, y))
          clean_around (filtered, x, y);
      }
}

gboolean
clean_is_star (const WhitenPlanes *planes, gboolean is_turned, gint x, gint y)
{
  return detect_part_of_star (&planes->background, &planes->whitened, x, y) < OF_STAR
         || (is_turned && detect_part_of_brightest (&planes->background, &planes->whitened, x, y) < OF_BRIGHTEST);
}

/* Marks what is no object in the filtered plane.  FALSE: there is none. */
static gboolean
find_trails (const Sequence *sequence, const WhitenPlanes *planes, const CountPlane *filtered, gboolean is_turned, guint8 *mask, GArray **streaks, gint *rays)
{
  const gfloat threshold = frame_threshold (sequence, &planes->significance, filtered, TRUE);

  *streaks = streaks_find (planes, filtered, threshold, mask);
  *rays = rays_find (planes, filtered, is_turned, threshold, mask);
  return (*streaks)->len > 0 || *rays > 0;
}

static void
clear_marked (CountPlane *plane, const guint8 *mask)
{
  for (gsize i = 0; i < (gsize) plane->width * plane->height; i++)
    if (mask[i])
      plane->pixels[i] = NAN;
}

/* The first frame has no background: its trails are what is dark in the second. */
static void
clear_first (const Sequence *sequence, const WhitenPlanes *planes, PlacedFrame *first, gboolean is_turned, const CountPlane *filtered)
{
  const gsize             n_pixels = (gsize) filtered->width * filtered->height;
  g_autofree guint8      *mask = g_new0 (guint8, n_pixels);
  g_autoptr (GArray)      streaks = NULL;
  CountPlane              turned;
  gint                    rays;

  count_plane_init (&turned, filtered->width, filtered->height);
  for (gsize i = 0; i < n_pixels; i++)
    turned.pixels[i] = -filtered->pixels[i];
  if (find_trails (sequence, planes, &turned, is_turned, mask, &streaks, &rays))
    {
      clear_marked (&first->frame.plane, mask);
      placed_renew (first);
    }
  count_plane_clear (&turned);
}

/* Those that are as wide as a star become rows; returns the number of the others. */
static gint
add_streaks (GString *rows, const PlacedFrame *now, const GArray *streaks)
{
  gint thin = 0;

  for (guint i = 0; i < streaks->len; i++)
    {
      Streak streak = g_array_index (streaks, Streak, i);

      for (gint end = 0; end < 2; end++)
        turn_place (now->applied, now->frame.plane.width, now->frame.plane.height, &streak.x[end], &streak.y[end]);
      if (streak.width >= THINNEST)
        row_add_streak (rows, now->index, &streak);
      else
        thin++;
    }
  return thin;
}

#define PARTS 4                 /* of a piece: an object is in some of them */

/* Of the pixels of a column from `first` to before `end`: their sum, each limited, that of each part, and how many more are above 0 than below. */
typedef struct
{
  gfloat sum, parts[PARTS];
  gint   above, known;
} ColumnSum;

static void
add_columns (const CountPlane *filtered, gint first, gint end, ColumnSum *columns)
{
  const gint width = filtered->width;

  memset (columns, 0, sizeof *columns * width);
  for (gint y = first; y < end; y++)
    for (gint x = 0; x < width; x++)
      {
        const gfloat value = filtered->pixels[(gsize) y * width + x];

        if (isnan (value))
          continue;
        columns[x].sum += CLAMP (value, -COMMON_MOST, COMMON_MOST);
        columns[x].parts[PARTS * (y - first) / (end - first)] += CLAMP (value, -COMMON_MOST, COMMON_MOST);
        columns[x].above += value > 0.0f ? 1 : -1;
        columns[x].known++;
      }
}

/* What columns beside it have, farther away than the filter reaches: the middle of four. */
static gfloat
beside_column (const ColumnSum *columns, gint width, gint x)
{
  static const gint away[] = { -BESIDE_FAR, -BESIDE_NEAR, BESIDE_NEAR, BESIDE_FAR };
  gfloat sums[G_N_ELEMENTS (away)];
  gint   n = 0;

  for (guint i = 0; i < G_N_ELEMENTS (away); i++)
    if (x + away[i] >= 0 && x + away[i] < width)
      sums[n++] = columns[x + away[i]].sum;
  return n > 0 ? median_of (sums, n) : 0.0f;
}

static gboolean
is_in_all_parts (const ColumnSum *column, gint rows)
{
  for (gint i = 0; i < PARTS; i++)
    if (! (column->parts[i] * column->sum > 0.0f && fabsf (column->parts[i]) > OF_COMMON * COMMON * rows / PARTS))
      return FALSE;
  return TRUE;
}

/* Less the part that has most: an object brightens one. */
static gfloat
without_object (const ColumnSum *column)
{
  gfloat most = column->parts[0];

  for (gint i = 1; i < PARTS; i++)
    if (fabsf (column->parts[i]) > fabsf (most))
      most = column->parts[i];
  return column->sum - most;
}

/* Most of its pixels are to one side, and what is wide is no column. */
static gboolean
is_camera (const ColumnSum *columns, gint width, gint x, gint rows)
{
  const gfloat sum = columns[x].sum, other = without_object (&columns[x]);

  return fabsf (other) * PARTS > COMMON * rows * (PARTS - 1) && is_in_all_parts (&columns[x], rows) && 2 * ABS (columns[x].above) >= columns[x].known
         && fabsf (sum - beside_column (columns, width, x)) > COMMON * rows;
}

/* What pixels of a column have in common, in pieces of PIECE rows, is the camera's. */
static void
clear_columns (CountPlane *filtered)
{
  const gint width = filtered->width;
  g_autofree ColumnSum *columns = g_new (ColumnSum, width);

  for (gint first = 0; first + PIECE <= filtered->height; first += PIECE)
    {
      const gint end = first + 2 * PIECE > filtered->height ? filtered->height : first + PIECE;

      add_columns (filtered, first, end, columns);
      for (gint x = 0; x < width; x++)
        if (is_camera (columns, width, x, end - first))
          for (gint y = first; y < end; y++)
            filtered->pixels[(gsize) y * width + x] = NAN;
    }
}

gint
clean_trails (const Sequence *sequence, const WhitenPlanes *planes, PlacedFrame *alone, PlacedFrame *now, gdouble seeing, CountPlane *filtered, GString *rows)
{
  const gboolean is_turned = now->applied != 0.0 && seeing > MAX (SHARP * sequence->settings.fwhm, NARROW);
  g_autofree guint8 *mask = g_new0 (guint8, (gsize) filtered->width * filtered->height);
  g_autoptr (GArray) streaks = NULL;
  gint               rays;

  if (alone)
    clear_first (sequence, planes, alone, is_turned, filtered);
  if (find_trails (sequence, planes, filtered, is_turned, mask, &streaks, &rays))
    {
      rays += add_streaks (rows, now, streaks);
      clear_marked (filtered, mask);
      clear_marked (&now->frame.plane, mask);
      placed_renew (now);
    }
  clear_columns (filtered);
  return rays;
}

/* The plane without pixels above the threshold of which a star has more. */
static void
spare_stars (const WhitenPlanes *planes, const CountPlane *filtered, gfloat threshold, CountPlane *spared)
{
  const gint width = filtered->width;
  g_autofree guint8 *rows = detect_rows_above (filtered, threshold);

  count_plane_init (spared, width, filtered->height);
  memcpy (spared->pixels, filtered->pixels, sizeof (gfloat) * width * filtered->height);
  for (gint y = 0; y < filtered->height; y++)
    for (gint x = 0; x < width && rows[y]; x++)
      {
        gfloat *pixel = &spared->pixels[(gsize) y * width + x];

        if (*pixel > threshold && detect_part_of_star (&planes->background, &planes->whitened, x, y) <= 1.0)
          *pixel = NAN;
      }
}

void
clean_stars (const WhitenPlanes *planes, gboolean is_turned, CountPlane *filtered)
{
  g_autofree guint8 *rows = detect_rows_above (filtered, NOISE);

  for (gint y = 0; y < filtered->height; y++)
    for (gint x = 0; x < filtered->width && rows[y]; x++)
      {
        gfloat *pixel = &filtered->pixels[(gsize) y * filtered->width + x];

        if (*pixel > NOISE && clean_is_star (planes, is_turned, x, y))
          *pixel = 0.0f;
      }
}

void
clean_objects (const WhitenPlanes *planes, PlacedFrame *now, const CountPlane *filtered, gfloat threshold)
{
  CountPlane spared;

  spare_stars (planes, filtered, threshold, &spared);
  if (removal_apply (&spared, threshold, &now->frame.plane) > 0)
    placed_renew (now);
  count_plane_clear (&spared);
}
