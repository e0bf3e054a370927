/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The median by counting: the first bits of the value sought, then the next.  Three passes, whatever the order of the values.
 */
#include "middle.h"

#include <math.h>
#include <string.h>

#include "tessera.h"

#define BITS 11
#define BINS (1 << BITS)

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

/* The key of rank *rank, counted from 0; *rank becomes its rank among equal keys, *equal their number. */
static guint32
select_key (const gfloat *values, gsize n, gsize *rank, gsize *equal)
{
  static const gint shifts[] = { 21, 10, 0 }, widths[] = { 11, 11, 10 };
  guint32           key = 0, mask = 0;

  for (gint pass = 0; pass < 3; pass++)
    {
      const guint32 within = (1u << widths[pass]) - 1;
      guint32       counts[BINS] = { 0 }, bin = 0;

      for (gsize i = 0; i < n; i++)
        {
          const guint32 k = key_of (values[i]);

          counts[k >> shifts[pass] & within] += (k & mask) == key;
        }
      while (*rank >= counts[bin])
        *rank -= counts[bin++];
      key |= bin << shifts[pass];
      mask |= within << shifts[pass];
      *equal = counts[bin];
    }
  return key;
}

/* The least key above this one. */
static guint32
next_key (const gfloat *values, gsize n, guint32 key)
{
  guint32 next = G_MAXUINT32;

  for (gsize i = 0; i < n; i++)
    {
      const guint32 k = key_of (values[i]);

      if (k > key && k < next)
        next = k;
    }
  return next;
}

gfloat
middle_of (const gfloat *values, gsize n)
{
  gsize   rank = (n - 1) / 2, equal;
  guint32 low, high;

  if (n == 0)
    return NAN;
  low = high = select_key (values, n, &rank, &equal);
  if (n % 2 == 0 && rank + 1 == equal)
    high = next_key (values, n, low);
  return 0.5f * value_of (low) + 0.5f * value_of (high);
}
