/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Matches by the definition, and descriptors to match. */
#include "match-plain.h"

#include <string.h>

static gint
nearest (const guint8 *one, const guint8 *others, gint n, guint32 *best, guint32 *second)
{
  gint index = -1;

  *best = *second = G_MAXUINT32;
  for (gint i = 0; i < n; i++)
    {
      guint32 distance = 0;

      for (gint k = 0; k < DESCRIPTOR_LENGTH; k++)
        {
          const gint d = one[k] - others[(gsize) i * DESCRIPTOR_LENGTH + k];

          distance += d * d;
        }
      if (distance < *best)
        {
          *second = *best;
          *best = distance;
          index = i;
        }
      else if (distance < *second)
        *second = distance;
    }
  return index;
}

gint
match_plainly (const guint8 *a, gint n_a, const guint8 *b, gint n_b, gint thousandths, gboolean mutual, Match *matches)
{
  gint n = 0;

  for (gint i = 0; i < n_a && n_b > 0; i++)
    {
      guint32    best, second, there, next;
      const gint k = nearest (a + (gsize) i * DESCRIPTOR_LENGTH, b, n_b, &best, &second);

      if (best < second && (guint64) best * 1000000 < (guint64) second * thousandths * thousandths
          && (! mutual || nearest (b + (gsize) k * DESCRIPTOR_LENGTH, a, n_a, &there, &next) == i))
        matches[n++] = (Match) { i, k, best };
    }
  return n;
}

void
draw_descriptors (CheckRandom *random, guint8 *a, gint n_a, guint8 *b, gint n_b, gint levels, gint repeat)
{
  for (gsize i = 0; i < (gsize) n_a * DESCRIPTOR_LENGTH; i++)
    a[i] = check_below (random, levels);
  for (gsize i = 0; i < (gsize) n_b * DESCRIPTOR_LENGTH; i++)
    b[i] = check_below (random, levels);
  for (gint i = 0; i < n_b && n_a > 0; i += repeat)
    {
      memcpy (b + (gsize) i * DESCRIPTOR_LENGTH, a + (gsize) check_below (random, n_a) * DESCRIPTOR_LENGTH, DESCRIPTOR_LENGTH);
      b[(gsize) i * DESCRIPTOR_LENGTH + check_below (random, DESCRIPTOR_LENGTH)] = check_below (random, 256);
    }
}
