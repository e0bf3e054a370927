/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Columns of a camera that are dead or bright: they stay where they are, and would hold back the shift of a frame, be stars, and end where an object seems to be.
 *
 * A pixel is compared with the middle of four beside it: two of one column may be bad.  Where most of a piece of a column lie far to one side, its
 * pixels have no value, and so have those that follow on it as far.  A star is not as high as a piece, and what moves through the frame along columns is
 * as wide as stars: a column of the camera, or two side by side, end sharply. */
#include "sequence.h"

#include <math.h>
#include <string.h>

#include "median.h"

#define PIECE 64                /* rows that are judged together */
#define APART 2                 /* of which one is looked at */
#define MOST  (PIECE / APART * 3 / 4)   /* of them: the others may have stars beside them */
#define GAP   4                 /* rows that a star may hide */
#define FAR   4.0f              /* standard deviations of such differences, ... */
#define LEAST 2.0f              /* ... and of those that follow */
#define AWAY  4                 /* columns: farther than the light of a star whose middle is there, ... */
#define SHARP 0.2f              /* ... which has more than this part of its height in the two columns beside it, or beside two: 0.3 with an FWHM of 2.2 px */
#define BESIDE 3                /* columns: as far as a frame and its history are moved by less than a few pixels, and the filter reaches */
#define SEEN  29                /* differences of which one tells the standard deviation */

/* NaN: not known. */
static void
compare_row (const gfloat *row, gint width, gfloat *differences)
{
  for (gint x = 0; x < 3; x++)
    differences[x] = differences[width - 1 - x] = NAN;
  for (gint x = 3; x < width - 3; x++)
    {
      const gfloat a = row[x - 3], b = row[x - 2], c = row[x + 2], d = row[x + 3];
      const gfloat highest = MAX (MAX (a, b), MAX (c, d)), lowest = MIN (MIN (a, b), MIN (c, d));

      differences[x] = row[x] - 0.5f * (a + b + c + d - highest - lowest);
    }
}

static gfloat *
compare_rows (const CountPlane *plane)
{
  gfloat *differences = g_new (gfloat, (gsize) plane->width * plane->height);

  for (gint y = 0; y < plane->height; y++)
    compare_row (plane->pixels + (gsize) y * plane->width, plane->width, differences + (gsize) y * plane->width);
  return differences;
}

static gfloat
width_of (const gfloat *differences, gsize n_pixels)
{
  g_autofree gfloat *values = g_new (gfloat, n_pixels / SEEN + 1);
  gsize              n = 0;

  for (gsize i = 0; i < n_pixels; i += SEEN)
    if (isfinite (differences[i]))
      values[n++] = fabsf (differences[i]);
  return n > 0 ? 1.4826f * median_of (values, n) : 0.0f;
}

/* Of the pixels of each column, those that are far to one side. */
static void
count_far (const gfloat *differences, gint width, gint first, gfloat far, gfloat side, gint *n)
{
  memset (n, 0, sizeof *n * width);
  for (gint y = first; y < first + PIECE; y += APART)
    for (gint x = 0; x < width; x++)
      n[x] += side * differences[(gsize) y * width + x] > far;
}

/* From row `y` on, by `step` at a time, as long as it goes on. */
static void
follow (CountPlane *plane, const gfloat *differences, gint x, gint y, gint step, gfloat least, gfloat side)
{
  gint last = y - step;

  for (; y >= 0 && y < plane->height && ABS (y - last) <= GAP; y += step)
    if (side * differences[(gsize) y * plane->width + x] > least)
      for (; last != y; last += step)
        plane->pixels[(gsize) (last + step) * plane->width + x] = NAN;
}

static void
hide (CountPlane *plane, const gfloat *differences, gint x, gint first, gfloat least, gfloat side)
{
  for (gint y = first; y < first + PIECE; y++)
    plane->pixels[(gsize) y * plane->width + x] = NAN;
  follow (plane, differences, x, first - 1, -1, least, side);
  follow (plane, differences, x, first + PIECE, 1, least, side);
}

/* Of a piece the middle height of two columns, against those on both sides of column `x`; NaN: not known. */
static gfloat
height_of (const CountPlane *plane, gint x, gint left, gint right, gint first)
{
  gfloat heights[PIECE];
  gsize  n = 0;

  for (gint y = first; y < first + PIECE; y++)
    {
      const gfloat *row = plane->pixels + (gsize) y * plane->width, *at = row + x;
      const gfloat  a = at[-AWAY - 1], b = at[-AWAY], c = at[AWAY], d = at[AWAY + 1];
      const gfloat  sky = 0.5f * (a + b + c + d - MAX (MAX (a, b), MAX (c, d)) - MIN (MIN (a, b), MIN (c, d)));

      heights[n] = 0.5f * (row[left] + row[right]) - sky;
      n += isfinite (a + b + c + d + heights[n]);
    }
  return n > 0 ? median_of (heights, n) : NAN;
}

/* Alone, or with one of the columns beside it. */
static gboolean
is_sharp (const CountPlane *plane, gint x, gint first)
{
  gfloat least = INFINITY;

  if (x <= AWAY || x >= plane->width - 1 - AWAY)
    return TRUE;
  for (gint left = x - 2; left < x; left++)
    for (gint right = x + 1; right - left <= 3; right++)
      least = fminf (least, fabsf (height_of (plane, x, left, right, first)));
  return least <= SHARP * fabsf (height_of (plane, x, x, x, first));
}

static void
hide_sharp (CountPlane *plane, const gfloat *differences, const gint *n, gint first, gfloat least, gfloat side)
{
  g_autofree gboolean *is_hidden = g_new (gboolean, plane->width);

  for (gint x = 0; x < plane->width; x++)
    is_hidden[x] = n[x] >= MOST && is_sharp (plane, x, first);
  for (gint x = 0; x < plane->width; x++)
    if (is_hidden[x])
      hide (plane, differences, x, first, least, side);
}

void
columns_hide (CountPlane *plane)
{
  const gint         width = plane->width, height = plane->height;
  g_autofree gfloat *differences = NULL;
  g_autofree gint   *n = g_new (gint, width);
  gfloat             sigma;

  if (width < 8 || height < PIECE)
    return;
  differences = compare_rows (plane);
  sigma = width_of (differences, (gsize) width * height);
  for (gint piece = 0; piece < height; piece += PIECE)
    for (gfloat side = -1.0f; side <= 1.0f; side += 2.0f)
      {
        const gint first = MIN (piece, height - PIECE);

        count_far (differences, width, first, FAR * sigma, side, n);
        hide_sharp (plane, differences, n, first, LEAST * sigma, side);
      }
}

static gboolean
is_column (const CountPlane *plane, gint x, gint y)
{
  const gfloat *at = plane->pixels + (gsize) y * plane->width + x;

  return isnan (*at) && isnan (at[-plane->width]) && isnan (at[plane->width]);
}

void
columns_clear_stars (const CountPlane *plane, const WhitenPlanes *planes, CountPlane *filtered)
{
  const gint     width = plane->width;
  const SkyLevel sky = left_level (planes);

  for (gint y = 1; y + 1 < plane->height; y++)
    for (gint x = 0; x < width; x++)
      if (is_column (plane, x, y))
        for (gint u = MAX (x - BESIDE, 0); u <= MIN (x + BESIDE, width - 1); u++)
          if (left_has_star (planes, sky, u, y))
            clean_around (filtered, u, y);
}
