/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Which points are kept where not all are, beside their definition.  Many are equally strong, as those of one place with several angles are. */
#include <gegl.h>

#include "check.h"
#include "../match/answers.h"
#include "../engine/verdict.h"
#include <math.h>

#include "sift-parts.h"

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

/* ------------------------------------------------------------- the row -- */

typedef struct
{
  SiftPoint points[LARGEST];
  SiftList  list;
  gsize     most;
} Points;

static gpointer
points_draw (guint64 seed, gboolean is_small G_GNUC_UNUSED)
{
  CheckRandom random = { seed };
  Points     *points = g_new0 (Points, 1);
  const gint  strengths = 1 + check_below (&random, check_chance (&random, 50) ? 5 : 1000);

  points->list = (SiftList) { points->points, check_below (&random, LARGEST + 1) };
  points->most = check_below (&random, LARGEST + 5);
  for (gsize i = 0; i < points->list.n; i++)
    points->points[i].response = check_below (&random, strengths) / 16.0;
  return points;
}

static gchar *
points_words (gconstpointer input)
{
  const Points *points = input;

  return g_strdup_printf ("%zu of %zu points", points->most, points->list.n);
}

static gboolean
points_choose (const TesseraErrand *errand G_GNUC_UNUSED, gconstpointer input, GArray *numbers)
{
  const Points    *points = input;
  g_autofree gint *which = sift_strongest (&points->list, points->most);

  for (gsize i = 0; i < MIN (points->most, points->list.n); i++)
    answer_add (numbers, which[i]);
  return TRUE;
}

static void
points_reference (gconstpointer input, const GArray *numbers G_GNUC_UNUSED, GArray *wanted)
{
  const Points *points = input;

  for (gsize i = 0; i < points->list.n; i++)
    if (is_kept (&points->list, i, points->most))
      answer_want (wanted, i, 0);
}

/* Which are the strongest does not hang on how strong they are. */
static gboolean
twice_as_strong (guint64 seed G_GNUC_UNUSED, gpointer input, GArray *wanted G_GNUC_UNUSED)
{
  Points *points = input;

  for (gsize i = 0; i < points->list.n; i++)
    points->points[i].response = 2 * points->points[i].response + 1;
  return TRUE;
}

const AnswerRow answer_strongest = {
  .name = "sift-strongest", .cases = 2000, .draw = points_draw, .describe = points_words, .clear = g_free,
  .compute = points_choose, .reference = points_reference, .tolerance = "none: places in a list",
  .laws = { { "twice as strong", twice_as_strong } }, .special = look_at_long_list, .is_plain = TRUE
};
