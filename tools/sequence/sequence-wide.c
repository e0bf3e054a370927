/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What is much wider than a star, a comet's coma or a cloud's rim, is taken from a filtered frame before it is searched: else it is many maxima,
 * of which each is an object, and what noise has along paths.
 *
 * Where pieces of the frame have more, or less, than noise has, the median around goes.  What is no wider than half of the window stays. */
#include "sequence.h"

#include <math.h>
#include <string.h>

#include "median.h"

#define CELL   16               /* px of a piece's side */
#define MOST   4.0f             /* that a pixel counts */
#define WIDE   1.0f             /* the mean of a piece: four to five times what noise has, whose pixels are alike in twelves */
#define STEP   4                /* px between medians */
#define APART  2                /* px between pixels of which they are */
#define REACH  9                /* px on each side of a median's place */

/* Medians at places STEP apart; those beside no wide piece are 0. */
typedef struct
{
  const CountPlane *plane;
  guint8           *wide;       /* of each piece, and those beside it */
  gint              across, n_x, n_y;
  gfloat           *medians;
} Wide;

static gboolean
is_wide (const CountPlane *plane, gint left, gint top)
{
  gfloat sum = 0.0f;
  gint   n = 0;

  for (gint y = top; y < MIN (top + CELL, plane->height); y++)
    for (gint x = left; x < MIN (left + CELL, plane->width); x++)
      {
        const gfloat value = plane->pixels[(gsize) y * plane->width + x];

        if (isnan (value))
          continue;
        sum += CLAMP (value, -MOST, MOST);
        n++;
      }
  return n >= CELL * CELL / 4 && fabsf (sum) > WIDE * n;
}

/* Returns how many there are. */
static gint
find_wide (Wide *wide, gint down)
{
  gint n = 0;

  for (gint j = 0; j < down; j++)
    for (gint i = 0; i < wide->across; i++)
      if (is_wide (wide->plane, i * CELL, j * CELL))
        {
          n++;
          for (gint v = MAX (j - 1, 0); v <= MIN (j + 1, down - 1); v++)
            for (gint u = MAX (i - 1, 0); u <= MIN (i + 1, wide->across - 1); u++)
              wide->wide[v * wide->across + u] = TRUE;
        }
  return n;
}

static gfloat
median_around (const CountPlane *plane, gint x0, gint y0)
{
  gfloat values[(REACH + 1) * (REACH + 1)];
  gint   n = 0;

  for (gint y = y0 - REACH; y <= y0 + REACH; y += APART)
    for (gint x = x0 - REACH; x <= x0 + REACH; x += APART)
      if (x >= 0 && y >= 0 && x < plane->width && y < plane->height && ! isnan (plane->pixels[(gsize) y * plane->width + x]))
        values[n++] = plane->pixels[(gsize) y * plane->width + x];
  return n > 0 ? median_of (values, n) : 0.0f;
}

static void
find_medians (Wide *wide)
{
  for (gint j = 0; j < wide->n_y; j++)
    for (gint i = 0; i < wide->n_x; i++)
      {
        const gint x = MIN (i * STEP, wide->plane->width - 1), y = MIN (j * STEP, wide->plane->height - 1);

        wide->medians[j * wide->n_x + i] = wide->wide[y / CELL * wide->across + x / CELL] ? median_around (wide->plane, x, y) : 0.0f;
      }
}

/* Between four of them. */
static gfloat
median_at (const Wide *wide, gint x, gint y)
{
  const gfloat *at = wide->medians + y / STEP * wide->n_x + x / STEP;
  const gfloat  u = (gfloat) (x % STEP) / STEP, v = (gfloat) (y % STEP) / STEP;

  return (1.0f - v) * ((1.0f - u) * at[0] + u * at[1]) + v * ((1.0f - u) * at[wide->n_x] + u * at[wide->n_x + 1]);
}

void
clean_wide (CountPlane *filtered)
{
  const gint across = (filtered->width + CELL - 1) / CELL, down = (filtered->height + CELL - 1) / CELL;
  const gint n_x = filtered->width / STEP + 2, n_y = filtered->height / STEP + 2;
  g_autofree guint8 *pieces = g_new0 (guint8, across * down);
  g_autofree gfloat *medians = NULL;
  Wide       wide = { filtered, pieces, across, n_x, n_y, NULL };

  if (find_wide (&wide, down) == 0)
    return;
  wide.medians = medians = g_new (gfloat, (gsize) n_x * n_y);
  find_medians (&wide);
  for (gint y = 0; y < filtered->height; y++)
    for (gint x = 0; x < filtered->width; x++)
      filtered->pixels[(gsize) y * filtered->width + x] -= median_at (&wide, x, y);
}
