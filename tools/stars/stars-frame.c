/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The light of a frame, and what a camera makes of it. */
#include "stars.h"

#include "stars-random.h"
#include "tessera.h"

#include <math.h>

enum { OF_PHOTONS = 16, OF_READING };  /* purposes of streams, with a frame's number */

#define FWHM_OF_SD   2.3548
#define REACH        6          /* sd, beyond which a star's light is left out: 1e-9 of it */
#define MOST_REACH   200

/* The part of a star's light in each of 2 reach + 1 pixels along one axis. */
static void
profile (gdouble place, gint first, gint n, gdouble sd, gdouble *parts)
{
  gdouble below = stars_phi ((first - 0.5 - place) / sd);

  for (gint i = 0; i < n; i++)
    {
      const gdouble above = stars_phi ((first + i + 0.5 - place) / sd);

      parts[i] = above - below;
      below = above;
    }
}

static void
add_star (const StarsSettings *s, gdouble x, gdouble y, gdouble fwhm, gdouble flux, gdouble *electrons)
{
  for (gint wide = 0; wide < 2; wide++)
    {
      const gdouble sd = fwhm / FWHM_OF_SD * (wide ? s->halo_width : 1), light = flux * (wide ? s->halo : 1 - s->halo);
      const gint    reach = MIN ((gint) ceil (REACH * sd), MOST_REACH), n = 2 * reach + 1;
      const gint    left = (gint) floor (x + 0.5) - reach, top = (gint) floor (y + 0.5) - reach;
      gdouble       across[2 * MOST_REACH + 1], down[2 * MOST_REACH + 1];

      if (light == 0 || left >= s->width || top >= s->height || left + n <= 0 || top + n <= 0)
        continue;
      profile (x, left, n, sd, across);
      profile (y, top, n, sd, down);
      for (gint j = MAX (0, -top); j < MIN (n, s->height - top); j++)
        for (gint i = MAX (0, -left); i < MIN (n, s->width - left); i++)
          electrons[(gsize) (top + j) * s->width + left + i] += light * down[j] * across[i];
    }
}

StarsBadKind
stars_bad (const StarsField *field, gint frame)
{
  for (gint i = 0; i < field->settings.n_bad; i++)
    if (field->settings.bad[i].frame == frame)
      return field->settings.bad[i].kind;
  return STARS_BAD_KINDS;
}

void
stars_light (const StarsField *field, gint frame, gdouble *electrons)
{
  const StarsSettings *s = &field->settings;
  const StarsShift    *shift = field->shifts + frame;
  const StarsBadKind   bad = stars_bad (field, frame);

  for (gint y = 0; y < s->height; y++)
    for (gint x = 0; x < s->width; x++)
      electrons[(gsize) y * s->width + x] = s->sky + s->brightening * frame
        + s->gradient * ((gdouble) x / MAX (s->width - 1, 1) + (gdouble) y / MAX (s->height - 1, 1)) / 2;
  for (gint i = 0; i < field->n_stars && bad == STARS_BAD_KINDS; i++)
    {
      gdouble x = field->stars[i].x, y = field->stars[i].y;

      stars_place (field, frame, &x, &y);
      add_star (s, x, y, shift->fwhm, shift->transparency * field->stars[i].flux, electrons);
    }
  for (gint i = 0; i < s->n_objects && bad == STARS_BAD_KINDS; i++)
    {
      gdouble x, y;

      stars_object (field, i, frame, &x, &y);
      add_star (s, x, y, shift->fwhm, shift->transparency * field->objects[i].flux, electrons);
    }
}

void
stars_frame (const StarsField *field, gint frame, guint16 *adu)
{
  const StarsSettings *s = &field->settings;
  const gsize          n = (gsize) s->width * s->height;
  const StarsBadKind   bad = stars_bad (field, frame);
  g_autofree gdouble *electrons = g_new (gdouble, n);
  StarsRandom          photons = stars_random (s->seed, OF_PHOTONS, frame), reading = stars_random (s->seed, OF_READING, frame);

  stars_light (field, frame, electrons);
  stars_add_satellites (field, frame, electrons);
  for (gsize i = 0; i < n; i++)
    electrons[i] = bad == STARS_SHUT ? 0 : stars_poisson (&photons, electrons[i]);
  stars_add_rays (field, frame, electrons);
  for (gsize i = 0; i < n; i++)
    {
      const gdouble value = (electrons[i] + s->read_noise * stars_normal (&reading)) / s->gain + s->bias + field->pattern[i];

      adu[i] = bad == STARS_BLACK ? 0 : bad == STARS_FULL ? (guint16) s->ceiling : (guint16) CLAMP (floor (value + 0.5), 0, s->ceiling);
    }
}
