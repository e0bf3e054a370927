/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What crosses frames that is neither star nor object. */
#include "stars.h"

#include "stars-random.h"
#include "tessera.h"

#include <math.h>

enum { OF_RAYS = 18, OF_SATELLITES };   /* purposes of streams, with a frame's number */

#define FWHM_OF_SD  2.3548
#define RAY_LENGTH  8.0         /* pixels on average */
#define RAY_CHARGE  300.0       /* electrons for each pixel of its way, at the least; ten times that at the most */
#define TRAIL_LIGHT 200.0       /* electrons on a trail's middle, at the least; ten times that at the most */

/* A straight track: the same charge for each step of a quarter pixel. */
void
stars_add_rays (const StarsField *field, gint frame, gdouble *electrons)
{
  const StarsSettings *s = &field->settings;
  StarsRandom          random = stars_random (s->seed, OF_RAYS, frame);
  const gint           n = (gint) stars_poisson (&random, s->cosmic_rays);

  for (gint i = 0; i < n; i++)
    {
      const gdouble length = -RAY_LENGTH * stars_log (stars_uniform (&random));
      const gdouble charge = RAY_CHARGE * tessera_exp (2.302585 * stars_uniform (&random)) / 4;
      gdouble       x = stars_uniform (&random) * s->width, y = stars_uniform (&random) * s->height, dx, dy, square;

      do
        {
          dx = 2 * stars_uniform (&random) - 1;
          dy = 2 * stars_uniform (&random) - 1;
          square = dx * dx + dy * dy;
        }
      while (square >= 1);
      for (gdouble step = 0; step <= 4 * length; step++)
        {
          const gdouble way = step / (4 * sqrt (square));
          const gint    column = (gint) floor (x + dx * way), row = (gint) floor (y + dy * way);

          if (column >= 0 && column < s->width && row >= 0 && row < s->height)
            electrons[(gsize) row * s->width + column] += charge;
        }
    }
}

/* A direction, and how far along it the point drawn for it lies from the middle of the unit circle. */
static void
draw_direction (StarsRandom *random, gdouble *x, gdouble *y)
{
  gdouble square;

  do
    {
      *x = 2 * stars_uniform (random) - 1;
      *y = 2 * stars_uniform (random) - 1;
      square = *x * *x + *y * *y;
    }
  while (square >= 1 || square == 0);
  *x /= sqrt (square);
  *y /= sqrt (square);
}

/* From edge to edge, as wide as a star. */
void
stars_add_satellites (const StarsField *field, gint frame, gdouble *electrons)
{
  const StarsSettings *s = &field->settings;
  const gdouble        sd = field->shifts[frame].fwhm / FWHM_OF_SD;
  StarsRandom          random = stars_random (s->seed, OF_SATELLITES, frame);
  const gint           n = (gint) stars_poisson (&random, s->satellites);

  for (gint i = 0; i < n; i++)
    {
      const gdouble light = TRAIL_LIGHT * tessera_exp (2.302585 * stars_uniform (&random));
      const gdouble x = stars_uniform (&random) * s->width, y = stars_uniform (&random) * s->height;
      gdouble       dx, dy;

      draw_direction (&random, &dx, &dy);
      for (gint row = 0; row < s->height; row++)
        for (gint column = 0; column < s->width; column++)
          {
            const gdouble away = ((column - x) * dy - (row - y) * dx) / sd;

            if (fabs (away) < 6)
              electrons[(gsize) row * s->width + column] += light * tessera_exp (-0.5 * away * away);
          }
    }
}
