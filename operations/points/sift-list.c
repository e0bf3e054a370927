/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The list of a picture's points that were found.
 */
#include "sift-parts.h"

#include <gegl-plugin.h>
#include <string.h>

#define SORT_BITS    11                 /* of a key that are sorted at a time */
#define COPY_COST    512                /* points that are worth a thread */

/* The key has what points are sorted by. */
typedef struct
{
  guint64 key;
  guint   number;
} Order;

static Order
order_of (const SiftPoint *point, gint64 width, guint number)
{
  const guint64 layer = (guint64) (point->octave + 1) << 4 | point->layer;

  return (Order) { (layer << 40 | (point->row * width + point->column)) << 6 | point->bin, number };
}

/* By some bits of the key after others; what all keys share is left out.  `room` is as large. */
static Order *
sort (Order *orders, Order *room, gsize n)
{
  guint64 differing = 0;

  for (gsize i = 1; i < n; i++)
    differing |= orders[i].key ^ orders[0].key;
  for (gint shift = 0; shift < 64 && differing >> shift; shift += SORT_BITS)
    {
      gsize  starts[1 << SORT_BITS] = { 0 }, at = 0;
      Order *sorted = room;

      for (gsize i = 0; i < n; i++)
        starts[orders[i].key >> shift & ((1 << SORT_BITS) - 1)]++;
      for (gint k = 0; k < 1 << SORT_BITS; k++)
        {
          const gsize count = starts[k];

          starts[k] = at;
          at += count;
        }
      for (gsize i = 0; i < n; i++)
        sorted[starts[orders[i].key >> shift & ((1 << SORT_BITS) - 1)]++] = orders[i];
      room = orders;
      orders = sorted;
    }
  return orders;
}

typedef struct
{
  const SiftPoint *from;
  const Order     *orders;
  SiftPoint       *to;
  gboolean         are_described;
} Copying;

static void
copy_some (gsize first, gsize n, gpointer data)
{
  const Copying *copying = data;

  for (gsize i = first; i < first + n; i++)
    {
      copying->to[i] = copying->from[copying->orders[i].number];
      if (! copying->are_described)     /* the device has left there whatever was there */
        memset (copying->to[i].descriptor, 0, SIFT_LENGTH);
    }
}

/* Of candidates that came to one place one stays.  `width`: of the largest octave. */
static void
sort_points (const SiftPoint *points, gsize n, gint width, gboolean are_described, SiftList *list)
{
  Order  *orders = g_new (Order, 2 * n), *sorted;
  Copying copying = { .from = points, .are_described = are_described };

  for (gsize i = 0; i < n; i++)
    orders[i] = order_of (&points[i], width, i);
  sorted = sort (orders, orders + n, n);
  list->n = 0;
  for (gsize i = 0; i < n; i++)
    if (i == 0 || sorted[i].key != sorted[list->n - 1].key)
      sorted[list->n++] = sorted[i];
  list->points = copying.to = g_new (SiftPoint, list->n);
  copying.orders = sorted;
  gegl_parallel_distribute_range (list->n, COPY_COST, copy_some, &copying);
  g_free (orders);
}

static void
swap (gdouble *a, gdouble *b)
{
  const gdouble value = *a;

  *a = *b;
  *b = value;
}

/* What would stand at `place` if the values were sorted, the largest first.  They are left in another order. */
static gdouble
find_ranked (gdouble *values, gsize n, gsize place)
{
  gsize   first = 0, end = n;
  guint32 drawn = 1;            /* for pivots: no order of the values is slow, but by chance */

  for (;; drawn = drawn * 1664525u + 1013904223u)
    {
      const gdouble pivot = values[first + ((guint64) drawn * (end - first) >> 32)];
      gsize         larger = first, smaller = end;              /* behind the former, and from the latter on */

      for (gsize i = first; i < smaller;)
        if (values[i] > pivot)
          swap (&values[i++], &values[larger++]);
        else if (values[i] < pivot)
          swap (&values[i], &values[--smaller]);
        else
          i++;
      if (place < larger)
        end = larger;
      else if (place >= smaller)
        first = smaller;
      else
        return pivot;
    }
}

gint *
sift_strongest_of (const gdouble *responses, gsize all, gsize most)
{
  const gsize n = MIN (most, all);
  gint       *which = g_new (gint, n);
  gdouble     least = -INFINITY;
  gssize      left = n;                 /* of those as strong as the weakest that is kept */
  gsize       kept = 0;

  if (n > 0 && n < all)
    {
      g_autofree gdouble *ranked = g_memdup2 (responses, all * sizeof *responses);

      least = find_ranked (ranked, all, n - 1);
      for (gsize i = 0; i < all; i++)
        left -= responses[i] > least;
    }
  for (gsize i = 0; i < all && kept < n; i++)
    if (responses[i] > least || (responses[i] == least && left-- > 0))
      which[kept++] = (gint) i;
  return which;
}

gint *
sift_strongest (const SiftList *list, gsize most)
{
  g_autofree gdouble *responses = g_new (gdouble, list->n);

  for (gsize i = 0; i < list->n; i++)
    responses[i] = list->points[i].response;
  return sift_strongest_of (responses, list->n, most);
}

static void
keep_strongest (SiftList *list, gsize most)
{
  g_autofree gint *which = sift_strongest (list, most);

  for (gsize i = 0; i < most; i++)
    list->points[i] = list->points[which[i]];
  list->n = most;
}

void
sift_answer (const TesseraRequest *request, const SiftPoint *points, gsize n)
{
  const SiftSearch *search = request->params;
  const gint        max_features = search->scales.settings.max_features;
  SiftList          list;

  sort_points (points, n, 2 * request->bounds.width, search->describes, &list);
  if (max_features > 0 && list.n > (gsize) max_features)
    keep_strongest (&list, max_features);
  tessera_answer (request, list.points, list.n * sizeof (SiftPoint));
}
