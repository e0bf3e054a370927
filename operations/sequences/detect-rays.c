/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What is narrower than a star, and what is left of one; see detect.h.
 */
#include "detect.h"

#include <math.h>

#define REACH      2            /* half of 5 x 5 */
#define SQUARES    25.0         /* of noise: their mean, ... */
#define DEVIATION  7.0          /* ... and their standard deviation, sqrt (2 x 25) */
#define BENDS      180.0        /* the same of 9 Laplacians: 9 x 20, ... */
#define BENDS_OFF  111.0        /* ... and so much, as they are not independent */
#define SURE       3.0          /* standard deviations */
#define MOST       1.5          /* F^2 */
#define SHARPEST   4.0          /* F^2 */
#define TURNED_MOST     1.3     /* the same in a frame that was turned back */
#define TURNED_SHARPEST 6.0
#define RIM        4            /* half of 9 x 9 */
#define BESIDE     5            /* pixels between what a star's light is resampled to and the star */

static gdouble
value_at (const CountPlane *plane, gint x, gint y)
{
  const gfloat value = x >= 0 && x < plane->width && y >= 0 && y < plane->height ? plane->pixels[(gsize) y * plane->width + x] : NAN;

  return isnan (value) ? 0.0 : value;
}

static gdouble
bend_at (const CountPlane *plane, gint x, gint y)
{
  return 4.0 * value_at (plane, x, y) - value_at (plane, x - 1, y) - value_at (plane, x + 1, y) - value_at (plane, x, y - 1)
         - value_at (plane, x, y + 1);
}

/* Sums of 5 x 5 squares and of 3 x 3 squares of the Laplacian, in F^2, less than which noise may have beside it. */
typedef struct
{
  gdouble squares, bends;
} Shape;

static Shape
shape_of (const CountPlane *plane, const Detection *detection)
{
  const gdouble light = (gdouble) detection->value * detection->value;
  gdouble       squares = 0.0, bends = 0.0;

  for (gint j = -REACH; j <= REACH; j++)
    for (gint i = -REACH; i <= REACH; i++)
      {
        const gint    x = detection->x + i, y = detection->y + j;
        const gdouble value = value_at (plane, x, y), bend = MAX (ABS (i), ABS (j)) < REACH ? bend_at (plane, x, y) : 0.0;

        squares += value * value;
        bends += bend * bend;
      }
  return (Shape) { (squares - SQUARES - SURE * DEVIATION) / light, (bends - BENDS - SURE * BENDS_OFF) / light };
}

gboolean
detect_is_ray (const CountPlane *plane, const Detection *detection)
{
  const Shape shape = shape_of (plane, detection);

  return shape.squares > MOST && shape.bends > SHARPEST;
}

gboolean
detect_is_turned_ray (const CountPlane *plane, const Detection *detection)
{
  const Shape shape = shape_of (plane, detection);

  return shape.squares > TURNED_MOST && shape.bends > TURNED_SHARPEST;
}

/* Of the pixels that are known. */
typedef struct
{
  gdouble sum;
  gint    n;
} Known;

static void
add_known (Known *known, const CountPlane *plane, gint x, gint y)
{
  const gfloat value = plane->pixels[(gsize) CLAMP (y, 0, plane->height - 1) * plane->width + CLAMP (x, 0, plane->width - 1)];

  known->sum += isnan (value) ? 0.0 : value;
  known->n += ! isnan (value);
}

/* What 3 x 3 pixels have, if the others are as those that are known. */
static gdouble
of_square (Known known)
{
  return known.n > 0 ? known.sum * (9.0 / known.n) : 0.0;
}

/* Of 3 x 3 pixels, less as much of the rim; 0: not known. */
static gdouble
light_of (const CountPlane *plane, gint x, gint y)
{
  Known inside = { 0.0, 0 }, rim = { 0.0, 0 };

  for (gint j = -RIM; j <= RIM; j++)
    for (gint i = -RIM; i <= RIM; i++)
      {
        const gint off = MAX (ABS (i), ABS (j));

        if (off <= 1)
          add_known (&inside, plane, x + i, y + j);
        else if (off == RIM)
          add_known (&rim, plane, x + i, y + j);
      }
  return inside.n > 0 && rim.n > 0 ? of_square (inside) - of_square (rim) : 0.0;
}

static gdouble
sum_of (const CountPlane *plane, gint x, gint y)
{
  Known sum = { 0.0, 0 };

  for (gint j = -1; j <= 1; j++)
    for (gint i = -1; i <= 1; i++)
      add_known (&sum, plane, x + i, y + j);
  return of_square (sum);
}

gdouble
detect_part_of_star (const CountPlane *background, const CountPlane *whitened, gint x, gint y)
{
  const gdouble light = light_of (background, x, y);

  return light > 0.0 ? sum_of (whitened, x, y) / light : INFINITY;
}

gdouble
detect_part_of_brightest (const CountPlane *background, const CountPlane *whitened, gint x, gint y)
{
  gdouble brightest = 0.0;

  for (gint j = -BESIDE; j <= BESIDE; j++)
    for (gint i = -BESIDE; i <= BESIDE; i++)
      brightest = MAX (brightest, light_of (background, CLAMP (x + i, 0, background->width - 1), CLAMP (y + j, 0, background->height - 1)));
  return brightest > 0.0 ? sum_of (whitened, x, y) / brightest : INFINITY;
}
