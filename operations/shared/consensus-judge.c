/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Whether the transform on which most pairs agree is believed.  Unrelated pictures always have some pairs that agree,
 * and repeated structures many: they are few places, a small part of the pairs, in one corner, or a transform that no
 * camera makes.
 */
#include "config.h"

#include "consensus-models.h"

#include <glib/gi18n-lib.h>

#include <math.h>
#include <stdlib.h>

#define LEAST_PLACES  12
#define LEAST_PERCENT 15        /* of the matches */
#define LEAST_HULL    0.02      /* of the area that both pictures have */
#define MOST_CORNERS  64        /* a line makes at most twice as many */

typedef struct
{
  gdouble x, y;
} Place;

static gint
compare_places (const void *a, const void *b)
{
  const Place *p = a, *q = b;

  return p->x != q->x ? (p->x > q->x) - (p->x < q->x) : (p->y > q->y) - (p->y < q->y);
}

static gdouble
area_of (const Place *corners, gint n)
{
  gdouble twice = 0;

  for (gint i = 1; i + 1 < n; i++)
    twice += (corners[i].x - corners[0].x) * (corners[i + 1].y - corners[0].y)
             - (corners[i].y - corners[0].y) * (corners[i + 1].x - corners[0].x);
  return fabs (twice) / 2;
}

/* Of the convex hull (A. M. Andrew, 1979). */
static gdouble
hull_area (const Pair *pairs, const gint *chosen, gint n)
{
  g_autofree Place *places = g_new (Place, n + 1), *hull = g_new (Place, 2 * (gsize) n + 2);
  gint    m = 0;

  for (gint i = 0; i < n; i++)
    places[i] = (Place) { pairs[chosen[i]].u, pairs[chosen[i]].v };
  qsort (places, n, sizeof *places, compare_places);
  for (gint side = 0; side < 2; side++)
    {
      const gint first = m;

      for (gint i = 0; i < n; i++)
        {
          const Place next = places[side ? n - 1 - i : i];

          while (m - first >= 2
                 && ! ((hull[m - 1].x - hull[m - 2].x) * (next.y - hull[m - 2].y)
                       - (hull[m - 1].y - hull[m - 2].y) * (next.x - hull[m - 2].x) > 0))
            m--;
          hull[m++] = next;
        }
      m -= m > first;           /* the other side begins there */
    }
  return area_of (hull, m);
}

/* Cuts off what lies on the wrong side of one line, sign * (x or y) <= limit (Sutherland and Hodgman, 1974). */
static gint
cut (const Place *corners, gint n, gboolean is_y, gdouble sign, gdouble limit, Place *kept)
{
  gint m = 0;

  for (gint i = 0; i < n; i++)
    {
      const Place   p = corners[i], q = corners[(i + 1) % n];
      const gdouble over_p = sign * (is_y ? p.y : p.x) - limit, over_q = sign * (is_y ? q.y : q.x) - limit;

      if (over_p <= 0)
        kept[m++] = p;
      if ((over_p < 0 && over_q > 0) || (over_p > 0 && over_q < 0))
        {
          const gdouble part = over_p / (over_p - over_q);

          kept[m++] = (Place) { p.x + part * (q.x - p.x), p.y + part * (q.y - p.y) };
        }
    }
  return m;
}

/* Of what A shows of B; B lies before the horizon. */
static gdouble
overlap_area (const gdouble *m, const Frames *frames)
{
  static const gdouble at[4][2] = { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 1 } };
  Place                corners[2][MOST_CORNERS];
  gint                 n = 4;

  for (gint i = 0; i < 4; i++)
    {
      const gdouble x = at[i][0] * frames->width - 0.5, y = at[i][1] * frames->height - 0.5;
      const gdouble w = m[6] * x + m[7] * y + m[8];

      corners[0][i] = (Place) { (m[0] * x + m[1] * y + m[2]) / w, (m[3] * x + m[4] * y + m[5]) / w };
    }
  n = cut (corners[0], n, FALSE, -1, 0.5, corners[1]);
  n = cut (corners[1], n, FALSE, 1, frames->a_width - 0.5, corners[0]);
  n = cut (corners[0], n, TRUE, -1, 0.5, corners[1]);
  n = cut (corners[1], n, TRUE, 1, frames->a_height - 0.5, corners[0]);
  return area_of (corners[0], n);
}

/* A few digits, with a point in any locale. */
static const gchar *
shown (gdouble number, gchar *text)
{
  return g_ascii_formatd (text, G_ASCII_DTOSTR_BUF_SIZE, "%.3g", number);
}

void
consensus_judge (const Pair *pairs, const gint *chosen, gint n, gint n_matches, const Frames *frames, Consensus *c)
{
  gchar   texts[2][G_ASCII_DTOSTR_BUF_SIZE];
  gdouble least, most, hull, overlap;

  c->is_aligned = FALSE;
  if (c->places < LEAST_PLACES && c->places < c->inliers)
    g_snprintf (c->reason, sizeof c->reason, _("%d of %d matches agree, from %d places; %d are needed"), c->inliers, n_matches,
                c->places, LEAST_PLACES);
  else if (c->places < LEAST_PLACES)
    g_snprintf (c->reason, sizeof c->reason, _("%d of %d matches agree; %d are needed"), c->inliers, n_matches, LEAST_PLACES);
  else if (100 * (gint64) c->inliers < LEAST_PERCENT * (gint64) n_matches)
    g_snprintf (c->reason, sizeof c->reason, _("%d of %d matches agree, %s %%; %d %% are needed"), c->inliers, n_matches,
                shown (100.0 * c->inliers / n_matches, texts[0]), LEAST_PERCENT);
  else if (! models_is_upright (c->matrix, frames, &least, &most))
    g_snprintf (c->reason, sizeof c->reason, most < 0 && isfinite (least)
                ? _("%d of %d matches agree on a mirrored picture, or one seen from behind")
                : least < 0 ? _("%d of %d matches agree on a picture that is folded")
                : _("%d of %d matches agree, on a scale of areas from %s to %s; 0.04 to 25 are believed"),
                c->inliers, n_matches, shown (least, texts[0]), shown (most, texts[1]));
  else if (! ((hull = hull_area (pairs, chosen, n)) >= LEAST_HULL * (overlap = overlap_area (c->matrix, frames))) || ! (hull > 0))
    g_snprintf (c->reason, sizeof c->reason, _("the %d matches that agree lie in %s %% of what both pictures show; %s %% are needed"),
                c->inliers, shown (overlap > 0 ? 100 * hull / overlap : 0, texts[0]), shown (100 * LEAST_HULL, texts[1]));
  else
    {
      c->is_aligned = TRUE;
      c->reason[0] = '\0';
    }
}
