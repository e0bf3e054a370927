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
#define MANY    16384
#define WIDE    16

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

gfloat
middle_of (const gfloat *values, gsize n)
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
