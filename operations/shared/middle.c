/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The median by counting: the first bits of the value sought, then the next.  Three passes, whatever the order of the values.
 */
#include "middle.h"

#include <math.h>
#include <string.h>

#include "tessera.h"

#define BINS    2048
#define AT_ONCE 4

/* An integer that is ordered as the floats are. */
static inline guint32
key_of (gfloat value)
{
  const guint32 bits = (guint32) tessera_as_int (value);

  return bits ^ (bits >> 31 ? 0xffffffffu : 0x80000000u);
}

static inline gfloat
value_of (guint32 key)
{
  return tessera_as_float ((gint) (key ^ (key >> 31 ? 0x80000000u : 0xffffffffu)));
}

/* Counts the part of the keys that a pass looks at.  Neighbours mostly fall into one bin, and would wait for one another. */
static void
count_keys (const gfloat *values, gsize n, gint shift, guint32 within, guint32 *counts)
{
  guint32 more[AT_ONCE - 1][BINS];
  gsize   i = 0;

  memset (counts, 0, BINS * sizeof *counts);
  memset (more, 0, sizeof more);
  for (; i + AT_ONCE <= n; i += AT_ONCE)
    {
      counts[key_of (values[i]) >> shift & within]++;
      more[0][key_of (values[i + 1]) >> shift & within]++;
      more[1][key_of (values[i + 2]) >> shift & within]++;
      more[2][key_of (values[i + 3]) >> shift & within]++;
    }
  for (; i < n; i++)
    counts[key_of (values[i]) >> shift & within]++;
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
  static const gint shifts[] = { 21, 10, 0 }, widths[] = { 11, 11, 10 };
  guint32           counts[BINS];

  for (gint pass = 0; pass < 3; pass++)
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
static gfloat
next_value (const gfloat *values, gsize n, gfloat value)
{
  const guint32 key = key_of (value);
  guint32       next = G_MAXUINT32;

  for (gsize i = 0; i < n; i++)
    {
      const guint32 k = key_of (values[i]);

      if (k > key && k < next)
        next = k;
    }
  return value_of (next);
}

gfloat
middle_of (const gfloat *values, gsize n)
{
  gsize   rank = (n - 1) / 2, equal;
  gfloat *room, low, high;

  if (n == 0)
    return NAN;
  room = g_new (gfloat, n + 1);
  low = high = select_value (values, n, &rank, &equal, room);
  if (n % 2 == 0 && rank + 1 == equal)
    high = next_value (values, n, low);
  g_free (room);
  return 0.5f * low + 0.5f * high;
}
