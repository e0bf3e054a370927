/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Matches as pairs of places for consensus.c.  A place that has several angles is several keypoints, whose matches say
 * the same thing: the first one counts.
 */
#include "consensus-models.h"

#include <math.h>
#include <stdlib.h>

#define REACH    1.5            /* px, and times sigma: errors below it agree */
#define FARTHEST 1e7            /* px: no picture is larger */
#define LARGEST  1e5            /* sigma */

typedef struct
{
  gdouble x, y;
  gint    index;
} Numbered;

static gint
compare_numbered (const void *a, const void *b)
{
  const Numbered *p = a, *q = b;

  if (p->x != q->x)
    return p->x < q->x ? -1 : 1;
  if (p->y != q->y)
    return p->y < q->y ? -1 : 1;
  return (p->index > q->index) - (p->index < q->index);
}

/* Writes the same number behind `number` (a member of the first pair) for each pair whose place is the same. */
static void
number_places (Numbered *places, gint n, Pair *pairs, gsize member)
{
  gint number = 0;

  qsort (places, n, sizeof *places, compare_numbered);
  for (gint i = 0; i < n; i++)
    {
      number += i > 0 && (places[i].x != places[i - 1].x || places[i].y != places[i - 1].y);
      G_STRUCT_MEMBER (gint, &pairs[places[i].index], member) = number;
    }
}

/* The first pair of each two places, in order. */
static void
find_first (Pairs *pairs, Numbered *places)
{
  const gint n = pairs->n;
  g_autofree guint8 *counts = g_new0 (guint8, (gsize) n + 1);

  for (gint i = 0; i < n; i++)
    places[i] = (Numbered) { pairs->pairs[i].a_place, pairs->pairs[i].b_place, i };
  qsort (places, n, sizeof *places, compare_numbered);
  for (gint i = 0; i < n; i++)
    counts[places[i].index] = i == 0 || places[i].x != places[i - 1].x || places[i].y != places[i - 1].y;
  pairs->first = g_new (gint, (gsize) n + 1);
  for (gint i = 0; i < n; i++)
    if (counts[i])
      pairs->first[pairs->n_first++] = i;
}

static gboolean
is_sane (const MatchPlace *place)
{
  return fabs (place->x) <= FARTHEST && fabs (place->y) <= FARTHEST && place->sigma >= 0 && place->sigma <= LARGEST;
}

void
pairs_init (Pairs *pairs, const MatchPlace *a, const MatchPlace *b, const Match *matches, gint n_matches)
{
  Numbered *places = g_new (Numbered, (gsize) n_matches + 1);

  *pairs = (Pairs) { .pairs = g_new (Pair, (gsize) n_matches + 1) };
  for (gint i = 0; i < n_matches; i++)
    {
      const MatchPlace *to = &a[matches[i].a], *from = &b[matches[i].b];
      const gdouble     reach = MAX (REACH, REACH * to->sigma);

      if (is_sane (to) && is_sane (from))
        pairs->pairs[pairs->n++] = (Pair) { from->x, from->y, to->x, to->y, reach * reach, 0, 0, i };
    }
  for (gint i = 0; i < pairs->n; i++)
    places[i] = (Numbered) { pairs->pairs[i].u, pairs->pairs[i].v, i };
  number_places (places, pairs->n, pairs->pairs, G_STRUCT_OFFSET (Pair, a_place));
  for (gint i = 0; i < pairs->n; i++)
    places[i] = (Numbered) { pairs->pairs[i].x, pairs->pairs[i].y, i };
  number_places (places, pairs->n, pairs->pairs, G_STRUCT_OFFSET (Pair, b_place));
  find_first (pairs, places);
  g_free (places);

  pairs->x = g_new (gdouble, 5 * (gsize) pairs->n_first + 1);
  pairs->y = pairs->x + pairs->n_first;
  pairs->u = pairs->y + pairs->n_first;
  pairs->v = pairs->u + pairs->n_first;
  pairs->weight = pairs->v + pairs->n_first;
  for (gint i = 0; i < pairs->n_first; i++)
    {
      const Pair *pair = &pairs->pairs[pairs->first[i]];

      pairs->x[i] = pair->x;
      pairs->y[i] = pair->y;
      pairs->u[i] = pair->u;
      pairs->v[i] = pair->v;
      pairs->weight[i] = 1 / pair->reach2;
    }
}

void
pairs_clear (Pairs *pairs)
{
  g_free (pairs->pairs);
  g_free (pairs->first);
  g_free (pairs->x);
}
