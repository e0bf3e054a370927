/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * M. R. Calabretta, E. W. Greisen, Representations of celestial coordinates in FITS, Astronomy and Astrophysics 395, 2002. */
#include "sky.h"

#include <math.h>
#include <string.h>
#include <wcs.h>
#include <wcsfix.h>
#include <wcshdr.h>

#define CARD      80
#define MOST_AXES 9

struct _Sky
{
  struct wcsprm *all;           /* the primary description is the first */
  gint           n;
};

static gboolean
is_of_the_sky (struct wcsprm *wcs)
{
  unitfix (0, wcs);             /* files have units of other names than the standard's */
  return wcs->naxis <= MOST_AXES && wcs->alt[0] == ' ' && wcsset (wcs) == 0 && wcs->lng >= 0 && wcs->lat >= 0
         && strcmp (wcs->lngtyp, "RA") == 0 && strcmp (wcs->lattyp, "DEC") == 0;
}

Sky *
sky_new (const FrameFacts *facts)
{
  g_autofree gchar *cards = g_strdup (facts->sky);      /* WCSLIB writes in it */
  Sky *sky;
  gint rejected;

  if (! cards)
    return NULL;
  sky = g_new0 (Sky, 1);
  if (wcspih (cards, (gint) (strlen (cards) / CARD), WCSHDR_all, 0, &rejected, &sky->n, &sky->all) == 0 && sky->n > 0
      && is_of_the_sky (sky->all))
    return sky;
  sky_free (sky);
  return NULL;
}

void
sky_free (Sky *sky)
{
  if (! sky)
    return;
  wcsvfree (&sky->n, &sky->all);
  g_free (sky);
}

/* Axes other than those of the sky stay where their values are given. */
void
sky_place (Sky *sky, gdouble x, gdouble y, gdouble *ra, gdouble *dec)
{
  gdouble pixel[MOST_AXES], plane[MOST_AXES], world[MOST_AXES], phi, theta;
  gint    state;

  *ra = *dec = NAN;
  if (! sky)
    return;
  for (gint i = 0; i < sky->all->naxis; i++)
    pixel[i] = i == 0 ? x + 1.0 : i == 1 ? y + 1.0 : sky->all->crpix[i];
  if (wcsp2s (sky->all, 1, sky->all->naxis, pixel, plane, &phi, &theta, world, &state) != 0)
    return;
  *ra = world[sky->all->lng] - 360.0 * floor (world[sky->all->lng] / 360.0);
  *dec = world[sky->all->lat];
}
