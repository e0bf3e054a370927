/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * An exact median: see shift-parts.h.
 *
 * The bits of floats that are not negative grow with the floats.  A histogram of the upper bits finds the bin, one of the lower bits the value.  Counts
 * can be added in any order.
 */
#include "config.h"

#include "shift-parts.h"

#include <string.h>

#define LOW  16                 /* bits */
#define BINS 32768              /* of the upper 15 bits; an infinity has one too */
#define LOWS 65536

typedef struct
{
  ShiftValues   values;
  gconstpointer data;
  gint          most;
  gint          bin;            /* whose lower bits are counted; -1: upper bits */
  guint32      *counts;
  GMutex        lock;
} Counting;

static void
count_rows (gsize first, gsize n, gpointer data)
{
  Counting    *c = data;
  const gsize  size = (c->bin < 0 ? BINS : LOWS) * sizeof (guint32);
  guint32     *counts = g_malloc0 (size);
  gfloat      *values = g_new (gfloat, c->most);

  for (gsize row = first; row < first + n; row++)
    {
      const gint here = c->values (c->data, row, values);

      for (gint i = 0; i < here; i++)
        {
          const guint32 bits = tessera_as_int (values[i]);

          if (c->bin < 0)
            counts[bits >> LOW & (BINS - 1)]++;
          else if ((gint) (bits >> LOW) == c->bin)
            counts[bits & (LOWS - 1)]++;
        }
    }
  g_mutex_lock (&c->lock);
  for (gsize i = 0; i < size / sizeof (guint32); i++)
    c->counts[i] += counts[i];
  g_mutex_unlock (&c->lock);
  g_free (values);
  g_free (counts);
}

static void
count (Counting *c, gint rows, gint bin)
{
  c->bin = bin;
  memset (c->counts, 0, LOWS * sizeof (guint32));
  gegl_parallel_distribute_range (rows, SHIFT_ROW_COST (c->most), count_rows, c);
}

/* The bin that has the value `*rank`, which becomes the rank within the bin. */
static gint
bin_of (const guint32 *counts, gint bins, gsize *rank)
{
  gint bin = 0;

  for (; bin < bins - 1 && counts[bin] <= *rank; bin++)
    *rank -= counts[bin];
  return bin;
}

/* Counts the lower bits of a bin, unless they are there. */
static gdouble
value_of (Counting *c, gint rows, gint bin, gsize rank)
{
  if (c->bin != bin)
    count (c, rows, bin);
  return tessera_as_float (bin << LOW | bin_of (c->counts, LOWS, &rank));
}

gdouble
shift_median (ShiftValues values, gconstpointer data, gint rows, gint most, gsize *n)
{
  Counting c = { .values = values, .data = data, .most = most, .counts = g_new (guint32, LOWS) };
  gsize    all = 0, rank[2];
  gint     bins[2];
  gdouble  median = 0.0;

  g_mutex_init (&c.lock);
  count (&c, rows, -1);
  for (gint i = 0; i < BINS; i++)
    all += c.counts[i];
  if (all > 0)
    {
      for (gint k = 0; k < 2; k++)
        {
          rank[k] = k == 0 ? (all - 1) / 2 : all / 2;
          bins[k] = bin_of (c.counts, BINS, &rank[k]);
        }
      median = value_of (&c, rows, bins[0], rank[0]);
      median = (median + value_of (&c, rows, bins[1], rank[1])) / 2;
    }
  g_mutex_clear (&c.lock);
  g_free (c.counts);
  if (n)
    *n = all;
  return median;
}
