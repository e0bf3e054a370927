/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Which blocks of two pictures show the same: see direct-vote.h.
 */
#include "direct-vote.h"

#include <math.h>
#include <string.h>

#include "matrix.h"

#define OFF         3.0         /* pixels at a corner: then it is another movement */
#define BLOCK       16          /* pixels of a level: those that agree or not */
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

  for (gint k = 0; k < BLOCK * BLOCK; k++)
    {
      const gsize i = (gsize) (top + k / BLOCK) * laid->width + left + k % BLOCK;

      if (laid->known[color][i] == 0.0f)
        continue;
      n++;
      p += a[i], q += b[i];
      pp += a[i] * a[i], qq += b[i] * b[i], pq += a[i] * b[i];
    }
  if (2 * n < BLOCK * BLOCK)
    return;
  block->aa += pp - p * p / n;
  block->bb += qq - q * q / n;
  block->ab += pq - p * q / n;
  block->of_a += n * (SEEN * share * of_a->noise[color] + UNSEEN * UNSEEN);
  block->of_b += n * (SEEN * share * of_b->noise[color] / (gain * gain) + UNSEEN * UNSEEN);
}

enum { HIDDEN, DIFFERENT, SAME };       /* what is said of a block */

static gint
blocks_across (const DirectPicture *picture, gint level)
{
  return picture->levels[level].width / BLOCK;
}

static gint
blocks_of (const DirectPicture *picture, gint level)
{
  return blocks_across (picture, level) * (picture->levels[level].height / BLOCK);
}

/* Says it of each block; returns the sum of the correlations of those that show something. */
static gdouble
compare (const DirectPicture *of_a, const DirectPicture *of_b, gint level, const gdouble matrix[9], guint8 *says)
{
  const DirectPlane *plane = &of_a->levels[level];
  const gint         width = plane->width, height = plane->height, across = blocks_across (of_a, level), n = blocks_of (of_a, level);
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
        add_block (of_a, of_b, level, &laid, a, b, c, gains[c], i % across * BLOCK, i / across * BLOCK, &blocks[i]);
    }
  memset (says, HIDDEN, n);
  for (gint i = 0; i < n; i++)
    if (blocks[i].aa > blocks[i].of_a && blocks[i].bb > blocks[i].of_b)
      {
        const gdouble alike = blocks[i].ab / sqrt (blocks[i].aa * blocks[i].bb);

        says[i] = alike > ALIKE ? SAME : DIFFERENT;
        sum += MAX (alike, 0.0);
      }
  direct_plane_clear (&laid);
  return sum;
}

gdouble
direct_vote (const DirectPicture *a, const DirectPicture *b, gint level, const gdouble matrix[9], gint *seen, gint *agree)
{
  const gint         n = blocks_of (a, level);
  g_autofree guint8 *says = g_new (guint8, n + 1);
  const gdouble      sum = compare (a, b, level, matrix, says);

  *seen = *agree = 0;
  for (gint i = 0; i < n; i++)
    {
      *seen += says[i] != HIDDEN;
      *agree += says[i] == SAME;
    }
  return *seen > 0 ? sum * sum / *seen : 0;
}

/* ----------------------------------------------------------- other movements -- */

/* The block at this place of a level; -1: there is none. */
static gint
block_at (const DirectPicture *picture, gint level, gdouble x, gdouble y)
{
  const gint across = blocks_across (picture, level);

  if (! (x >= 0 && y >= 0 && x < across * BLOCK && y < blocks_of (picture, level) / across * BLOCK))
    return -1;
  return (gint) (y / BLOCK) * across + (gint) (x / BLOCK);
}

/* Marks the blocks next to a marked one, of those that say so or of all.  Returns how many are new. */
static gint
spread (gint across, gint n, const guint8 *says, guint8 *marks)
{
  g_autofree guint8 *before = g_memdup2 (marks, n);
  gint               added = 0;

  for (gint i = 0; i < n; i++)
    for (gint k = 0; k < 9 && ! marks[i] && (! says || says[i] == SAME); k++)
      {
        const gint column = i % across + k % 3 - 1, row = i / across + k / 3 - 1;

        if (column >= 0 && column < across && row >= 0 && row < n / across && before[row * across + column])
          added += marks[i] = 1;
      }
  return added;
}

/* Marks A's blocks that the movement explains, as `alone` those that agree on it alone. */
static void
explain (const DirectPicture *a, const DirectPicture *b, gint level, gint side, const DirectMovement *movement, const gdouble matrix[9],
         const guint8 *says_it, guint8 *marks, guint8 *alone)
{
  const gint         across = blocks_across (a, level), n = blocks_of (a, level), size = side << level;
  g_autofree guint8 *says = g_new (guint8, n + 1);

  compare (a, b, level, matrix, says);
  for (gint i = 0; i < movement->of_a.n; i++)
    {
      const gint block = block_at (a, level, (movement->of_a.places[i].x + 0.5) / size, (movement->of_a.places[i].y + 0.5) / size);

      if (block >= 0)
        marks[block] = 1;
    }
  while (spread (across, n, says, marks) > 0)
    ;
  for (gint i = 0; i < n; i++)
    alone[i] |= marks[i] && says[i] == SAME && says_it[i] != SAME;
  spread (across, n, NULL, marks);
}

/* Does the other one take a corner of B elsewhere?  In pixels of a level, so many of the picture. */
static gboolean
is_another (const DirectPlane *b, const gdouble matrix[9], const gdouble other[9], gint size)
{
  gdouble most = 0;

  for (gint i = 0; i < 4; i++)
    {
      gdouble x, y, u, v;

      matrix_map (matrix, i & 1 ? b->width : 0, i & 2 ? b->height : 0, &x, &y);
      matrix_map (other, i & 1 ? b->width : 0, i & 2 ? b->height : 0, &u, &v);
      most = MAX (most, hypot (x - u, y - v));
    }
  return most * size > OFF;
}

/* Takes the blocks that differ and show, in A or in B, what the movement explains from what is said. */
static void
take_out (const DirectPicture *a, gint level, const gdouble matrix[9], const gdouble other[9], const guint8 *marks, guint8 *says)
{
  const gint across = blocks_across (a, level), n = blocks_of (a, level);
  gdouble    there[9];

  if (! matrix_invert (matrix, there))
    return;
  matrix_multiply (other, there, there);
  for (gint i = 0; i < n; i++)
    {
      gdouble x, y;
      gint    block;

      matrix_map (there, (i % across + 0.5) * BLOCK, (i / across + 0.5) * BLOCK, &x, &y);
      block = block_at (a, level, x, y);
      if (says[i] == DIFFERENT && (marks[i] || (block >= 0 && marks[block])))
        says[i] = HIDDEN;
    }
}

void
direct_vote_rest (const DirectPicture *a, const DirectPicture *b, gint level, gint side, const gdouble matrix[9], const DirectMovement *movements, gint n,
                  gint *seen, gint *agree, gint *explained)
{
  const gint         size = blocks_of (a, level);
  g_autofree guint8 *says = g_new (guint8, size + 1), *alone = g_new0 (guint8, size + 1);

  compare (a, b, level, matrix, says);
  *seen = *agree = *explained = 0;
  for (gint i = 0; i < n; i++)
    {
      g_autofree guint8 *marks = g_new0 (guint8, size + 1);
      gdouble            other[9];

      memcpy (other, movements[i].matrix, sizeof other);
      matrix_enlarge (1.0 / (side << level), 1.0 / (side << level), other);
      if (movements[i].of_a.n == 0 || ! is_another (&b->levels[level], matrix, other, side << level))
        continue;
      explain (a, b, level, side, &movements[i], other, says, marks, alone);
      take_out (a, level, matrix, other, marks, says);
    }
  for (gint i = 0; i < size; i++)
    {
      *seen += says[i] != HIDDEN;
      *agree += says[i] == SAME;
      *explained += alone[i];
    }
}
