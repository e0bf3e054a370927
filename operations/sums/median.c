/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The median by counting: the first bits of the value sought, then the next.  Three passes, whatever the order of the values.
 */
#include "median.h"

#include <math.h>
#include <string.h>

#include "tessera.h"

#define BINS    2048
#define AT_ONCE 4
#define MANY    16384
#define WIDE    16
#define PASSES  3

static const gint shifts[PASSES] = { 21, 10, 0 }, widths[PASSES] = { 11, 11, 10 };      /* bits of a key */

/* An integer that is ordered as the floats are; the two zeros are one.  Without a branch, because signs come as they like. */
static inline guint32
key_of (gfloat value)
{
  const guint32 bits = (guint32) tessera_as_int (value + 0.0f);

  return bits ^ (-(bits >> 31) | 0x80000000u);
}

static void
count_plainly (const gfloat *values, gsize n, gint shift, guint32 within, guint32 *counts)
{
  memset (counts, 0, BINS * sizeof *counts);
  for (gsize i = 0; i < n; i++)
    counts[key_of (values[i]) >> shift & within]++;
}

/* Counts the part of the keys that a pass looks at.  Neighbours mostly fall into one bin, and would wait for one another; so many are
 * counted in four tables. */
static void
count_keys (const gfloat *values, gsize n, gint shift, guint32 within, guint32 *counts)
{
  guint32     more[AT_ONCE - 1][BINS];
  const gsize whole = n >= MANY ? n - n % AT_ONCE : 0;

  count_plainly (values + whole, n - whole, shift, within, counts);
  if (whole == 0)
    return;
  memset (more, 0, sizeof more);
  for (gsize i = 0; i < whole; i += AT_ONCE)
    {
      counts[key_of (values[i]) >> shift & within]++;
      more[0][key_of (values[i + 1]) >> shift & within]++;
      more[1][key_of (values[i + 2]) >> shift & within]++;
      more[2][key_of (values[i + 3]) >> shift & within]++;
    }
  for (guint32 bin = 0; bin < BINS; bin++)
    counts[bin] += (more[0][bin] + more[1][bin]) + more[2][bin];
}

/* The values of a bin, in their order.  `kept` may be `values`. */
static gsize
keep_bin (const gfloat *values, gsize n, gint shift, guint32 within, guint32 bin, gfloat *kept)
{
  gsize m = 0;

  for (gsize i = 0; i < n; i++)
    {
      const gfloat value = values[i];

      kept[m] = value;
      m += (key_of (value) >> shift & within) == bin;
    }
  return m;
}

/* The value of rank *rank, counted from 0; *rank becomes its rank among equal values, *equal their number.  `room` is for n + 1 values. */
static gfloat
select_value (const gfloat *values, gsize n, gsize *rank, gsize *equal, gfloat *room)
{
  guint32 counts[BINS];

  for (gint pass = 0; pass < PASSES; pass++)
    {
      const guint32 within = (1u << widths[pass]) - 1;
      guint32       bin = 0;

      count_keys (values, n, shifts[pass], within, counts);
      while (*rank >= counts[bin])
        *rank -= counts[bin++];
      n = keep_bin (values, n, shifts[pass], within, bin, room);
      values = room;
    }
  *equal = n;
  return room[0];
}

/* The least value above this one. */
TESSERA_CLONES static gfloat
next_value (const gfloat *values, gsize n, gfloat value)
{
  gfloat least[WIDE], next = INFINITY;
  gsize  i = 0;

  for (gint k = 0; k < WIDE; k++)
    least[k] = INFINITY;
  for (; i + WIDE <= n; i += WIDE)
    for (gint k = 0; k < WIDE; k++)
      {
        const gfloat above = values[i + k] > value ? values[i + k] : INFINITY;

        least[k] = above < least[k] ? above : least[k];
      }
  for (; i < n; i++)
    next = values[i] > value && values[i] < next ? values[i] : next;
  for (gint k = 0; k < WIDE; k++)
    next = least[k] < next ? least[k] : next;
  return next;
}

/* -------------------------------------------------------------------- many -- */

typedef struct
{
  const gfloat *values;
  gint          shift;
  guint32       within, before;
  guint32      *counts;
  GMutex        lock;           /* guards them */
} Counting;

/* Of keys that begin with `before`.  In two tables in turn, as above. */
static void
count_part (gsize first, gsize n, gpointer data)
{
  Counting *c = data;
  guint32   counts[2][BINS] = { { 0 } };

  for (gsize i = first; i < first + n; i++)
    {
      const guint64 key = key_of (c->values[i]) >> c->shift;

      counts[i & 1][key & c->within] += key / (c->within + 1) == c->before;
    }
  g_mutex_lock (&c->lock);
  for (guint32 bin = 0; bin <= c->within; bin++)
    c->counts[bin] += counts[0][bin] + counts[1][bin];
  g_mutex_unlock (&c->lock);
}

/* As select_value.  Nothing is kept: where most values are alike it would be most of them. */
static gfloat
select_among_many (const gfloat *values, gsize n, gsize *rank, gsize *equal)
{
  guint32  counts[BINS];
  Counting c = { .values = values, .counts = counts };

  g_mutex_init (&c.lock);
  for (gint pass = 0; pass < PASSES; pass++)
    {
      guint32 bin = 0;

      memset (counts, 0, sizeof counts);
      c.shift = shifts[pass];
      c.within = (1u << widths[pass]) - 1;
      tessera_spread_range (n, MANY, count_part, &c);
      while (*rank >= counts[bin])
        *rank -= counts[bin++];
      *equal = counts[bin];
      c.before = c.before * (c.within + 1) + bin;
    }
  g_mutex_clear (&c.lock);
  return tessera_as_float ((gint32) (c.before >> 31 ? c.before ^ 0x80000000u : ~c.before));
}

gfloat
median_of_many (const gfloat *values, gsize n, gsize known)
{
  gsize  rank = (known - 1) / 2, equal;
  gfloat low, high;

  if (known == 0)
    return NAN;
  low = high = select_among_many (values, n, &rank, &equal);
  if (known % 2 == 0 && rank + 1 == equal)
    high = next_value (values, n, low);
  return 0.5f * low + 0.5f * high;
}

gfloat
median_rank (const gfloat *values, gsize n, gsize rank)
{
  gsize equal;

  return select_among_many (values, n, &rank, &equal);
}

gfloat
median_of (const gfloat *values, gsize n)
{
  gsize   rank = (n - 1) / 2, equal;
  gfloat  low, high;
  g_autofree gfloat *room = NULL;

  if (n == 0)
    return NAN;
  room = g_new (gfloat, n + 1);
  low = high = select_value (values, n, &rank, &equal, room);
  if (n % 2 == 0 && rank + 1 == equal)
    high = next_value (values, n, low);
  return 0.5f * low + 0.5f * high;
}
