/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Which blocks of two pictures show the same: see direct-vote.h.
 */
#include "direct-vote.h"

#include <math.h>
#include <string.h>

#include "matrix.h"

#define SEEN        4.0         /* times the variance of noise */
#define UNSEEN      1e-3        /* a deviation of the root of light that nobody sees */
#define ALIKE       0.7         /* correlation: of what is the same it is above 0.9 */

/* What a block shows of each picture, all colours together. */
typedef struct
{
  gdouble aa, bb, ab, of_a, of_b;       /* the last: what noise makes of aa and bb */
} Block;

static void
add_block (const DirectPicture *of_a, const DirectPicture *of_b, gint level, const DirectPlane *laid, const gfloat *a, const gfloat *b, gint color,
           gdouble gain, gint left, gint top, Block *block)
{
  const gdouble share = pow (0.25, level);
  gdouble       n = 0, p = 0, q = 0, pp = 0, qq = 0, pq = 0;

  for (gint k = 0; k < DIRECT_BLOCK * DIRECT_BLOCK; k++)
    {
      const gsize i = (gsize) (top + k / DIRECT_BLOCK) * laid->width + left + k % DIRECT_BLOCK;

      if (laid->known[color][i] == 0.0f)
        continue;
      n++;
      p += a[i], q += b[i];
      pp += a[i] * a[i], qq += b[i] * b[i], pq += a[i] * b[i];
    }
  if (2 * n < DIRECT_BLOCK * DIRECT_BLOCK)
    return;
  block->aa += pp - p * p / n;
  block->bb += qq - q * q / n;
  block->ab += pq - p * q / n;
  block->of_a += n * (SEEN * share * of_a->noise[color] + UNSEEN * UNSEEN);
  block->of_b += n * (SEEN * share * of_b->noise[color] / (gain * gain) + UNSEEN * UNSEEN);
}

gint
direct_blocks_across (const DirectPicture *picture, gint level)
{
  return picture->levels[level].width / DIRECT_BLOCK;
}

gint
direct_blocks_of (const DirectPicture *picture, gint level)
{
  return direct_blocks_across (picture, level) * (picture->levels[level].height / DIRECT_BLOCK);
}

gdouble
direct_compare (const DirectPicture *of_a, const DirectPicture *of_b, gint level, const gdouble matrix[9], guint8 *says)
{
  const DirectPlane *plane = &of_a->levels[level];
  const gint         width = plane->width, height = plane->height, across = direct_blocks_across (of_a, level), n = direct_blocks_of (of_a, level);
  g_autofree Block  *blocks = g_new0 (Block, n + 1);
  g_autofree gfloat *a = g_new (gfloat, (gsize) width * height + 1), *b = g_new (gfloat, (gsize) width * height + 1);
  DirectPlane        laid;
  gdouble            gains[DIRECT_COLORS], sum = 0;

  direct_plane_init (&laid, width, height);
  direct_plane_lay (plane, &of_b->levels[level], matrix, &laid, gains);
  for (gint c = 0; c < DIRECT_COLORS; c++)
    {
      direct_take_mean (width, height, plane->values[c], laid.known[c], DIRECT_AROUND >> level, a);
      direct_take_mean (width, height, laid.values[c], laid.known[c], DIRECT_AROUND >> level, b);
      for (gint i = 0; i < n; i++)
        add_block (of_a, of_b, level, &laid, a, b, c, gains[c], i % across * DIRECT_BLOCK, i / across * DIRECT_BLOCK, &blocks[i]);
    }
  memset (says, DIRECT_HIDDEN, n);
  for (gint i = 0; i < n; i++)
    if (blocks[i].aa > blocks[i].of_a && blocks[i].bb > blocks[i].of_b)
      {
        const gdouble alike = blocks[i].ab / sqrt (blocks[i].aa * blocks[i].bb);

        says[i] = alike > ALIKE ? DIRECT_SAME : DIRECT_DIFFERENT;
        sum += MAX (alike, 0.0);
      }
  direct_plane_clear (&laid);
  return sum;
}

gdouble
direct_vote (const DirectPicture *a, const DirectPicture *b, gint level, const gdouble matrix[9], gint *seen, gint *agree)
{
  const gint         n = direct_blocks_of (a, level);
  g_autofree guint8 *says = g_new (guint8, n + 1);
  const gdouble      sum = direct_compare (a, b, level, matrix, says);

  *seen = *agree = 0;
  for (gint i = 0; i < n; i++)
    {
      *seen += says[i] != DIRECT_HIDDEN;
      *agree += says[i] == DIRECT_SAME;
    }
  return *seen > 0 ? sum * sum / *seen : 0;
}

/* The block in which the middle of this one comes to lie; -1: none. */
static gint
block_after (gint block, gint across, gint n, const gdouble matrix[9])
{
  gdouble x, y;

  if (! (matrix_map (matrix, (block % across + 0.5) * DIRECT_BLOCK - 0.5, (block / across + 0.5) * DIRECT_BLOCK - 0.5, &x, &y) > 0))
    return -1;
  x = floor ((x + 0.5) / DIRECT_BLOCK);
  y = floor ((y + 0.5) / DIRECT_BLOCK);
  return x >= 0 && x < across && y >= 0 && y < n / across ? (gint) y * across + (gint) x : -1;
}

gint
direct_excused (const DirectPicture *a, const DirectPicture *b, gint level, const gdouble matrix[9], const gdouble other[9])
{
  const gint         n = direct_blocks_of (a, level), across = direct_blocks_across (a, level);
  g_autofree guint8 *says = g_new (guint8, n + 1), *of_other = g_new (guint8, n + 1);
  gdouble            to_other[9];
  gint               excused = 0;

  if (n == 0 || ! matrix_invert (matrix, to_other))
    return 0;
  matrix_multiply (other, to_other, to_other);
  direct_compare (a, b, level, matrix, says);
  direct_compare (a, b, level, other, of_other);
  for (gint i = 0; i < n; i++)
    {
      const gint there = block_after (i, across, n, to_other);

      excused += says[i] == DIRECT_DIFFERENT && (of_other[i] == DIRECT_SAME || (there >= 0 && of_other[there] == DIRECT_SAME));
    }
  return excused;
}
