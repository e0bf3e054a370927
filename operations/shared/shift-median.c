/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * An exact median: see shift-parts.h.  Counts can be added in any order. */
#include "config.h"

#include "shift-parts.h"

#include <string.h>

/* ------------------------------------------------------------------ counting -- */

typedef struct
{
  ShiftValues   values;
  gconstpointer data;
  gint          most, level;
  guint32       prefix;
  guint32      *counts;
  GMutex        lock;
} Counting;

static void
count_values (const Counting *c, const gfloat *values, gint n, guint32 *counts)
{
  const gint    low = shift_low_bits[c->level];
  const guint32 last = shift_bins[c->level] - 1;

  for (gint i = 0; i < n; i++)
    {
      const guint32 bits = (guint32) tessera_as_int (values[i]) & 0x7fffffff;

      if (c->level == 0 || bits >> shift_low_bits[c->level - 1] == c->prefix)
        counts[bits >> low & last]++;
    }
}

static void
count_rows (gsize first, gsize n, gpointer data)
{
  Counting *c = data;
  guint32   counts[SHIFT_MOST_BINS] = { 0 };
  g_autofree gfloat *values = g_new (gfloat, c->most);

  for (gsize row = first; row < first + n; row++)
    count_values (c, values, c->values (c->data, row, values), counts);
  g_mutex_lock (&c->lock);
  for (gint i = 0; i < shift_bins[c->level]; i++)
    c->counts[i] += counts[i];
  g_mutex_unlock (&c->lock);
}

void
shift_count_rows (ShiftValues values, gconstpointer data, gint rows, gint most, gint level, guint32 prefix, guint32 *counts)
{
  Counting c = { .values = values, .data = data, .most = most, .level = level, .prefix = prefix, .counts = counts };

  memset (counts, 0, shift_bins[level] * sizeof *counts);
  g_mutex_init (&c.lock);
  tessera_spread_range (rows, SHIFT_ROW_COST (most), count_rows, &c);
  g_mutex_clear (&c.lock);
}

/* ---------------------------------------------------------------- the median -- */

/* The bin that has the value `*rank`, which becomes the rank within the bin. */
static guint32
bin_of (const guint32 *counts, gint bins, gsize *rank)
{
  gint bin = 0;

  for (; bin < bins - 1 && counts[bin] <= *rank; bin++)
    *rank -= counts[bin];
  return bin;
}

gboolean
shift_median (ShiftCount count, gpointer data, gdouble *median, gsize *n)
{
  guint32 counts[SHIFT_MOST_BINS], prefix[2] = { 0 };
  gsize   all = 0, rank[2];

  *median = 0.0;
  for (gint level = 0; level < SHIFT_LEVELS; level++)
    {
      const guint32 before[2] = { prefix[0], prefix[1] };

      for (gint k = 0; k < 2; k++)
        {
          if ((k == 0 || before[1] != before[0]) && ! count (data, level, before[k], counts))
            return FALSE;
          for (gint i = 0; i < shift_bins[0] && level == 0 && k == 0; i++)
            all += counts[i];
          if (level == 0)
            rank[k] = k == 0 ? (MAX (all, 1) - 1) / 2 : all / 2;
          prefix[k] = before[k] * shift_bins[level] + bin_of (counts, shift_bins[level], &rank[k]);
        }
      if (all == 0)
        break;
    }
  if (n)
    *n = all;
  if (all > 0)
    *median = ((gdouble) tessera_as_float (prefix[0]) + tessera_as_float (prefix[1])) / 2;
  return TRUE;
}
