/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * M. R. Calabretta, E. W. Greisen, Representations of celestial coordinates in FITS, Astronomy and Astrophysics 395,
 * 2002. */
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

/* The cards whose values are whole.  A text without its second quote makes WCSLIB 7.12 write behind an array. */
static gchar *
whole_cards (const gchar *cards)
{
  g_autoptr (GRegex) whole = g_regex_new ("^[A-Z0-9_-]+ *= +('[^']*'|[-+]?[0-9.]+([ED][-+]?[0-9]+)?|[TF]) *(/.*)?$",
                                          G_REGEX_RAW, 0, NULL);
  GString *all = g_string_new (NULL);

  for (; strlen (cards) >= CARD; cards += CARD)
    if (g_regex_match_full (whole, cards, CARD, 0, 0, NULL, NULL))
      g_string_append_len (all, cards, CARD);
  return g_string_free (all, FALSE);
}

Sky *
sky_new (const FrameFacts *facts)
{
  g_autofree gchar *cards = facts->sky ? whole_cards (facts->sky) : NULL;
  Sky              *sky;
  gint              rejected;

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
