/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * sift-strongest: which points are kept where not all are, beside their definition.  Many are equally strong, as those of one place with several angles are. */
#include <gegl.h>

#include "check.h"
#include "../engine/verdict.h"
#include <math.h>

#include "sift-parts.h"

#define SEED    20261128
#define CASES   2000
#define LARGEST 60
#define LONG    500000

/* Does it have fewer than `most` before it, of which an equal one is before it if it is earlier in the list? */
static gboolean
is_kept (const SiftList *list, gsize i, gsize most)
{
  gsize before = 0;

  for (gsize k = 0; k < list->n; k++)
    before += list->points[k].response > list->points[i].response || (list->points[k].response == list->points[i].response && k < i);
  return before < most;
}

/* The strongest at both ends: with a pivot from the middle this takes minutes. */
static void
look_at_long_list (void)
{
  SiftPoint       *points = g_new0 (SiftPoint, LONG);
  const SiftList   list = { points, LONG };
  g_autofree gint *which = NULL;
  gsize            bad = 0;

  for (gsize i = 0; i < LONG; i++)
    points[i].response = fabs ((gdouble) i - 0.5 * LONG);
  which = sift_strongest (&list, LARGEST);
  for (gsize i = 0; i < LARGEST; i++)
    bad += which[i] != (gint) (i < LARGEST / 2 + 1 ? i : LONG - LARGEST + i);
  expect (! bad, "a long list: %zu of %d are others", bad, LARGEST);
  g_free (points);
}

int
main (void)
{
  CheckRandom random = { SEED };
  SiftPoint   points[LARGEST];

  look_at_long_list ();
  for (gint number = 0; number < CASES; number++)
    {
      const SiftList   list = { points, check_below (&random, LARGEST + 1) };
      const gsize      most = check_below (&random, LARGEST + 5);
      const gint       strengths = 1 + check_below (&random, number % 2 ? 5 : 1000);
      g_autofree gint *which = NULL;
      gsize            kept = 0, bad = 0;

      for (gsize i = 0; i < list.n; i++)
        points[i] = (SiftPoint) { .response = check_below (&random, strengths) / 16.0 };
      which = sift_strongest (&list, most);
      for (gsize i = 0; i < list.n; i++)
        if (is_kept (&list, i, most))
          bad += which[kept++] != (gint) i;
      expect (! bad && kept == MIN (most, list.n), "case %d: %zu of %zu kept points, of %zu, are others", number, bad, kept, list.n);
    }
  return expect_told ();
}
