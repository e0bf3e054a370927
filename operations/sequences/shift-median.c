/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * An exact median: see shift-parts.h.  Upper bits are counted first.  Those values that begin with the bits in the middle are few, as a rule, and are
 * kept; else further bits are counted, and nothing is kept. */
#include "config.h"

#include "shift-parts.h"

#include <string.h>

#include "median.h"

#define TABLES 4                /* neighbours are alike, and would wait for one another */
#define FEW    4                /* of so many values one is kept, at most */

typedef struct
{
  ShiftValues   values;
  gconstpointer data;
  gint          rows, most, level;
  guint32       first, last;    /* upper bits: those of the level before that count, or those that are kept */
  guint32      *counts;
  gfloat       *kept;
  gsize         n_kept;
  GMutex        lock;           /* guards the last three */
} Median;

static inline guint32
bits_of (gfloat value)
{
  return (guint32) tessera_as_int (value) & 0x7fffffff;
}

static void
count_values (const Median *m, const gfloat *values, gint n, guint32 counts[TABLES][SHIFT_MOST_BINS])
{
  const gint    low = shift_low_bits[m->level], above = m->level > 0 ? shift_low_bits[m->level - 1] : 31;
  const guint32 last = shift_bins[m->level] - 1, prefix = m->first;

  if (m->level == 0)
    for (gint i = 0; i < n; i++)
      counts[i % TABLES][bits_of (values[i]) >> low]++;
  else
    for (gint i = 0; i < n; i++)
      counts[i % TABLES][bits_of (values[i]) >> low & last] += bits_of (values[i]) >> above == prefix;
}

static void
count_rows (gsize first, gsize n, gpointer data)
{
  Median   *m = data;
  guint32   counts[TABLES][SHIFT_MOST_BINS] = { { 0 } };
  g_autofree gfloat *values = g_new (gfloat, m->most);

  for (gsize row = first; row < first + n; row++)
    count_values (m, values, m->values (m->data, row, values), counts);
  g_mutex_lock (&m->lock);
  for (gint table = 0; table < TABLES; table++)
    for (gint i = 0; i < shift_bins[m->level]; i++)
      m->counts[i] += counts[table][i];
  g_mutex_unlock (&m->lock);
}

static void
count (Median *m, gint level, guint32 prefix, guint32 *counts)
{
  m->level = level;
  m->first = prefix;
  m->counts = counts;
  memset (counts, 0, shift_bins[level] * sizeof *counts);
  tessera_spread_range (m->rows, SHIFT_ROW_COST (m->most), count_rows, m);
}

static void
keep_rows (gsize first, gsize n, gpointer data)
{
  Median       *m = data;
  const guint32 span = m->last - m->first;
  g_autofree gfloat *values = g_new (gfloat, m->most + 1);

  for (gsize row = first; row < first + n; row++)
    {
      const gint found = m->values (m->data, row, values);
      gint       kept = 0;

      for (gint i = 0; i < found; i++)
        {
          const gfloat value = values[i];

          values[kept] = value;
          kept += (bits_of (value) >> shift_low_bits[0]) - m->first <= span;
        }
      g_mutex_lock (&m->lock);
      memcpy (m->kept + m->n_kept, values, kept * sizeof *values);
      m->n_kept += kept;
      g_mutex_unlock (&m->lock);
    }
}

/* Among the n whose upper bits are first to last. */
static gdouble
middle_of_kept (Median *m, guint32 first, guint32 last, gsize n, const gsize rank[2])
{
  gdouble low, high;

  m->first = first;
  m->last = last;
  m->kept = tessera_large_new (n * sizeof *m->kept);
  tessera_spread_range (m->rows, SHIFT_ROW_COST (m->most), keep_rows, m);
  low = high = median_rank (m->kept, n, rank[0]);
  if (rank[1] != rank[0])
    high = median_rank (m->kept, n, rank[1]);
  tessera_large_free (m->kept);
  return (low + high) / 2;
}

/* The bin that has the value `*rank`, which becomes the rank within the bin. */
static guint32
bin_of (const guint32 *counts, gint bins, gsize *rank)
{
  gint bin = 0;

  for (; bin < bins - 1 && counts[bin] <= *rank; bin++)
    *rank -= counts[bin];
  return bin;
}

static gdouble
find_median (Median *m)
{
  guint32 counts[SHIFT_MOST_BINS], prefix[2];
  gsize   all = 0, rank[2], before, few;

  count (m, 0, 0, counts);
  for (gint i = 0; i < SHIFT_MOST_BINS - 1; i++)                /* the last is SHIFT_NO_VALUE's */
    all += counts[i];
  if (all == 0)
    return 0.0;
  for (gint k = 0; k < 2; k++)
    {
      rank[k] = k == 0 ? (all - 1) / 2 : all / 2;
      prefix[k] = bin_of (counts, SHIFT_MOST_BINS, &rank[k]);
    }
  before = prefix[1] != prefix[0] ? counts[prefix[0]] : 0;      /* kept values in lower bins than the second one's */
  few = before + counts[prefix[1]];
  if (few <= all / FEW)
    return middle_of_kept (m, prefix[0], prefix[1], few, (const gsize[]) { rank[0], before + rank[1] });
  for (gint level = 1; level < SHIFT_LEVELS; level++)
    {
      const guint32 upper[2] = { prefix[0], prefix[1] };

      for (gint k = 0; k < 2; k++)
        {
          if (k == 0 || upper[1] != upper[0])
            count (m, level, upper[k], counts);
          prefix[k] = upper[k] * shift_bins[level] + bin_of (counts, shift_bins[level], &rank[k]);
        }
    }
  return ((gdouble) tessera_as_float (prefix[0]) + tessera_as_float (prefix[1])) / 2;
}

gdouble
shift_median (ShiftValues values, gconstpointer data, gint rows, gint most)
{
  Median  m = { .values = values, .data = data, .rows = rows, .most = most };
  gdouble median;

  g_mutex_init (&m.lock);
  median = find_median (&m);
  g_mutex_clear (&m.lock);
  return median;
}
