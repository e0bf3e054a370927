/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * M. R. Calabretta, E. W. Greisen, Representations of celestial coordinates in FITS, Astronomy and Astrophysics 395,
 * 2002; precession: N. Capitaine, P. T. Wallace, J. Chapront, Astronomy and Astrophysics 412, 2003. */
#include "sky.h"

#include <math.h>
#include <string.h>
#include <wcs.h>
#include <wcsfix.h>
#include <wcshdr.h>
#include <wcsmath.h>

#define CARD      80
#define MOST_AXES 9

#define PER_DEGREE   (G_PI / 180.0)
#define PER_SECOND   (PER_DEGREE / 3600.0)
#define FIRST_OF_FK5 1984.0     /* equinoxes before it are of FK4, where RADESYS says nothing */

struct _Sky
{
  struct wcsprm *all;           /* the primary description is the first */
  gint           n;
  gint           cell;          /* as in FrameFacts */
  gboolean       turns;         /* from another equinox to J2000 */
  gdouble        zeta, z, theta;        /* radians */
};

static gboolean
is_of_the_sky (struct wcsprm *wcs)
{
  unitfix (0, wcs);             /* files have units of other names than the standard's */
  return wcs->naxis <= MOST_AXES && wcs->alt[0] == ' ' && wcsset (wcs) == 0 && wcs->lng >= 0 && wcs->lat >= 0
         && strcmp (wcs->lngtyp, "RA") == 0 && strcmp (wcs->lattyp, "DEC") == 0;
}

/* Is it ICRS, or FK5, whose axes are those of ICRS to 0.03 seconds of arc? */
static gboolean
is_of_now (const struct wcsprm *wcs)
{
  const gboolean has_equinox = ! undefined (wcs->equinox);

  if (*wcs->radesys)
    return g_str_equal (wcs->radesys, "ICRS") || g_str_equal (wcs->radesys, "FK5");
  return ! has_equinox || wcs->equinox >= FIRST_OF_FK5;
}

/* Back from the mean equator and equinox of then (equations 40). */
static void
find_turn (Sky *sky)
{
  const gdouble equinox = sky->all->equinox, t = (equinox - 2000.0) / 100.0;

  sky->turns = ! undefined (equinox) && equinox != 2000.0 && ! g_str_equal (sky->all->radesys, "ICRS");
  sky->zeta = (2.650545 + (2306.083227 + (0.2988499 + 0.01801828 * t) * t) * t) * PER_SECOND;
  sky->z = (-2.650545 + (2306.077181 + (1.0927348 + 0.01826837 * t) * t) * t) * PER_SECOND;
  sky->theta = (2004.191903 - (0.4294934 + 0.04182264 * t) * t) * t * PER_SECOND;
}

/* The first coefficient of TPV is 1 where the header has none.  WCSLIB 7.12 takes 0, and all pixels for one place. */
static void
add_defaults (GString *all, const gchar *cards)
{
  for (gint axis = 1; axis <= 2; axis++)
    {
      g_autofree gchar *kind = g_strdup_printf ("CTYPE%d  = '[A-Z]+-*TPV", axis);
      g_autofree gchar *key = g_strdup_printf ("PV%d_1 ", axis), *card = g_strconcat (key, "  = 1.0", NULL);

      if (g_regex_match_simple (kind, cards, G_REGEX_RAW, 0) && ! strstr (cards, key))
        g_string_append_printf (all, "%-80s", card);
    }
}

/* The cards whose values are whole.  A text without its second quote makes WCSLIB 7.12 write behind an array. */
static gchar *
whole_cards (const gchar *cards)
{
  g_autoptr (GRegex) whole = g_regex_new ("^[A-Z0-9_-]+ *= +('[^']*'|[-+]?[0-9.]+([EDed][-+]?[0-9]+)?|[TF]) *(/.*)?$",
                                          G_REGEX_RAW, 0, NULL);
  GString *all = g_string_new (NULL);

  add_defaults (all, cards);
  for (; strlen (cards) >= CARD; cards += CARD)
    if (g_regex_match_full (whole, cards, CARD, 0, 0, NULL, NULL))
      g_string_append_len (all, cards, CARD);
  return g_string_free (all, FALSE);
}

static SkyState
read_cards (const FrameFacts *facts, Sky *sky)
{
  g_autofree gchar *cards = facts->sky ? whole_cards (facts->sky) : NULL;
  gint              rejected;

  if (! cards)
    return SKY_NONE;
  if (wcspih (cards, (gint) (strlen (cards) / CARD), WCSHDR_all, 0, &rejected, &sky->n, &sky->all) != 0 || sky->n < 1
      || ! is_of_the_sky (sky->all))
    return SKY_UNKNOWN;
  if (! is_of_now (sky->all))
    return SKY_OLD;
  find_turn (sky);
  sky->cell = MAX (facts->cell, 1);
  return SKY_SOLVED;
}

Sky *
sky_new (const FrameFacts *facts)
{
  Sky *sky = g_new0 (Sky, 1);

  if (read_cards (facts, sky) == SKY_SOLVED)
    return sky;
  sky_free (sky);
  return NULL;
}

SkyState
sky_state (const FrameFacts *facts)
{
  Sky           *sky = g_new0 (Sky, 1);
  const SkyState state = read_cards (facts, sky);

  sky_free (sky);
  return state;
}

void
sky_free (Sky *sky)
{
  if (! sky)
    return;
  wcsvfree (&sky->n, &sky->all);
  g_free (sky);
}

static void
turn (const Sky *sky, gdouble *ra, gdouble *dec)
{
  const gdouble a = *ra * PER_DEGREE - sky->z, d = *dec * PER_DEGREE, c = cos (sky->theta), s = sin (sky->theta);
  const gdouble across = cos (d) * sin (a), along = c * cos (d) * cos (a) + s * sin (d);

  *ra = (atan2 (across, along) - sky->zeta) / PER_DEGREE;
  *dec = atan2 (c * sin (d) - s * cos (d) * cos (a), hypot (across, along)) / PER_DEGREE;
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
    pixel[i] = i < 2 ? (i == 0 ? x : y) * sky->cell + (sky->cell + 1) / 2.0 : sky->all->crpix[i];
  if (wcsp2s (sky->all, 1, sky->all->naxis, pixel, plane, &phi, &theta, world, &state) != 0)
    return;
  *ra = world[sky->all->lng];
  *dec = world[sky->all->lat];
  if (sky->turns)
    turn (sky, ra, dec);
  *ra -= 360.0 * floor (*ra / 360.0);
}
