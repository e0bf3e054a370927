/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The list of all points: its order, and the strongest of them.
 */
#include "config.h"

#include "sift-parts.h"

#include <stdlib.h>

static int
compare_points (const void *first, const void *second)
{
  const SiftPoint *a = first, *b = second;

  return a->octave != b->octave ? a->octave - b->octave : a->layer != b->layer ? a->layer - b->layer
         : a->row != b->row ? a->row - b->row : a->column != b->column ? a->column - b->column : a->bin - b->bin;
}

typedef struct
{
  gdouble response;
  gint    number;
} Strength;

/* The strongest first; of equal ones the first of the list. */
static int
compare_strengths (const void *first, const void *second)
{
  const Strength *a = first, *b = second;

  return a->response != b->response ? (a->response > b->response ? -1 : 1) : a->number - b->number;
}

static int
compare_numbers (const void *first, const void *second)
{
  return *(const gint *) first - *(const gint *) second;
}

gint *
sift_strongest (const SiftList *list, gsize most)
{
  const gsize n = MIN (most, list->n);
  Strength   *strengths = g_new (Strength, list->n);
  gint       *which = g_new (gint, list->n);

  for (gsize i = 0; i < list->n; i++)
    strengths[i] = (Strength) { list->points[i].response, (gint) i };
  if (n < list->n)
    qsort (strengths, list->n, sizeof *strengths, compare_strengths);
  for (gsize i = 0; i < n; i++)
    which[i] = strengths[i].number;
  if (n < list->n)
    qsort (which, n, sizeof *which, compare_numbers);
  g_free (strengths);
  return which;
}

static void
keep_strongest (SiftList *list, gsize most)
{
  gint *which = sift_strongest (list, most);

  for (gsize i = 0; i < most; i++)
    list->points[i] = list->points[which[i]];
  list->n = most;
  g_free (which);
}

void
sift_list_finish (GArray *points, gint max_features, SiftList *list)
{
  gsize n = 0;

  list->points = (SiftPoint *) points->data;
  if (points->len > 0)
    qsort (list->points, points->len, sizeof (SiftPoint), compare_points);
  for (gsize i = 0; i < points->len; i++)
    if (n == 0 || compare_points (&list->points[n - 1], &list->points[i]) != 0)
      list->points[n++] = list->points[i];
  list->n = n;
  if (max_features > 0 && n > (gsize) max_features)
    keep_strongest (list, max_features);
}
