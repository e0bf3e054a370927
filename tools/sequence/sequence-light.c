/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * How much of the stars' light a frame has: of the parts of all stars the one that an eighth of them is above.
 *
 * The light of a place is the sum of 5 x 5 pixels, less as much of the mean on the rim of 9 x 9.  Stars are maxima
 * whose light is far above that of the many maxima of noise. */
#include "sequence.h"

#include <math.h>

#include "median.h"

#define NEAR    2               /* half of 5 x 5 */
#define RIM     4               /* half of 9 x 9 */
#define CLEAR   8.0             /* standard deviations of maxima */
#define FEWEST  5               /* stars: fewer say little */
#define MOST    200
#define RANK    8               /* one in so many has more; many of the key's brightest may be cosmic rays */

gdouble
light_rim (const CountPlane *plane, gint x, gint y)
{
  gdouble rim = 0.0;

  if (x < RIM || y < RIM || x >= plane->width - RIM || y >= plane->height - RIM)
    return NAN;
  for (gint j = -RIM; j <= RIM; j++)
    for (gint i = -RIM; i <= RIM; i++)
      if (MAX (ABS (i), ABS (j)) == RIM)
        rim += plane->pixels[(gsize) (y + j) * plane->width + x + i];
  return rim / (8 * RIM);
}

/* NaN where a pixel has no value. */
gdouble
light_at (const CountPlane *plane, gint x, gint y)
{
  gdouble inside = 0.0, rim = 0.0;

  if (x < RIM || y < RIM || x >= plane->width - RIM || y >= plane->height - RIM)
    return NAN;
  for (gint j = -RIM; j <= RIM; j++)
    for (gint i = -RIM; i <= RIM; i++)
      {
        const gdouble value = plane->pixels[(gsize) (y + j) * plane->width + x + i];

        if (MAX (ABS (i), ABS (j)) <= NEAR)
          inside += value;
        else if (MAX (ABS (i), ABS (j)) == RIM)
          rim += value;
      }
  return inside - rim * (2 * NEAR + 1) * (2 * NEAR + 1) / (8 * RIM);
}

static gboolean
is_top (const CountPlane *plane, gint x, gint y)
{
  const gfloat *at = plane->pixels + (gsize) y * plane->width + x;

  for (gint j = -1; j <= 1; j++)
    for (gint i = -1; i <= 1; i++)
      if ((i || j) && ! (at[0] > at[j * plane->width + i]))
        return FALSE;
  return TRUE;
}

static gint
brighter_first (gconstpointer a, gconstpointer b)
{
  const LightStar *p = a, *q = b;

  return (p->light < q->light) - (p->light > q->light);
}

/* What a maximum has to be above to be a star. */
static gdouble
star_light (const GArray *maxima)
{
  g_autofree gfloat *values = g_new (gfloat, maxima->len + 1);
  gfloat             middle;

  for (guint i = 0; i < maxima->len; i++)
    values[i] = (gfloat) g_array_index (maxima, LightStar, i).light;
  middle = median_of (values, maxima->len);
  for (guint i = 0; i < maxima->len; i++)
    values[i] = fabsf (values[i] - middle);
  return middle + CLEAR * 1.4826 * median_of (values, maxima->len);
}

GArray *
light_stars (const CountPlane *plane)
{
  GArray *stars = g_array_new (FALSE, FALSE, sizeof (LightStar));
  gdouble least;
  guint   n = 0;

  for (gint y = RIM; y < plane->height - RIM; y++)
    for (gint x = RIM; x < plane->width - RIM; x++)
      if (is_top (plane, x, y))
        {
          const LightStar star = { x, y, light_at (plane, x, y) };

          if (isfinite (star.light))
            g_array_append_val (stars, star);
        }
  least = star_light (stars);
  g_array_sort (stars, brighter_first);
  while (n < MIN (stars->len, MOST) && g_array_index (stars, LightStar, n).light > least)
    n++;
  g_array_set_size (stars, n);
  return stars;
}

gdouble
light_of (const GArray *stars, const CountPlane *plane, gdouble shift_x, gdouble shift_y)
{
  gfloat parts[MOST];
  gint   n = 0;

  for (guint i = 0; i < stars->len; i++)
    {
      const LightStar *star = &g_array_index (stars, LightStar, i);
      const gint       x = star->x + (gint) floor (shift_x + 0.5), y = star->y + (gint) floor (shift_y + 0.5);
      const gdouble    light = light_at (plane, x, y);

      if (isfinite (light))
        parts[n++] = (gfloat) (light / star->light);
    }
  return stars->len < FEWEST ? NAN : n > 0 ? median_rank (parts, n, n - 1 - n / RANK) : 0.0;
}
