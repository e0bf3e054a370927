/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The transform between two pictures by all of their pixels at once: see align-direct.h.
 */
#include "align-direct.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "direct-planes.h"
#include "direct-shift.h"
#include "direct-step.h"
#include "matrix.h"

#define LARGEST     800         /* pixels of level 0, along a side */
#define SMALLEST    4           /* of the last level */
#define COARSEST    (DIRECT_LEVELS - 1)
#define REACHES     3
#define STARTS      (1 + REACHES * DIRECT_PEAKS)
#define NEAR        16          /* pixels of a level, that a pattern may be apart, or some times that */
#define FAR         100         /* ... of level 3 */
#define ALL         2           /* times the blocks that another shift must show, at least */
#define LEAST       12          /* ... and as many as these */
#define AS_WELL     0.7         /* of them, that agree */
#define HALFWAY     0.7         /* ... of that, halfway to it: more is the same peak */
#define BLOCK       16          /* pixels of a level: those that agree or not */
#define AROUND      64          /* pixels of level 0: the mean that blocks are less */
#define SEEN        4.0         /* times the variance of noise */
#define UNSEEN      1e-3        /* a deviation of the root of light that nobody sees */
#define ALIKE       0.7         /* correlation: of what is the same it is above 0.9 */
#define ROUNDS      4           /* of the judge */
#define STILL       0.01        /* pixels */

/* -------------------------------------------------------------------- votes -- */

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

/* Blocks of a level.  Returns how well they agree, all together: their mean correlation, and as much more as there are more of them. */
static gdouble
vote_at (const DirectPicture *of_a, const DirectPicture *of_b, gint level, const gdouble matrix[9], gint *seen, gint *agree)
{
  const DirectPlane *plane = &of_a->levels[level];
  const gint         width = plane->width, height = plane->height, across = width / BLOCK, n = across * (height / BLOCK);
  g_autofree Block  *blocks = g_new0 (Block, n + 1);
  g_autofree gfloat *a = g_new (gfloat, (gsize) width * height + 1), *b = g_new (gfloat, (gsize) width * height + 1);
  DirectPlane        laid;
  gdouble            gains[DIRECT_COLORS], sum = 0;

  direct_plane_init (&laid, width, height);
  direct_plane_lay (plane, &of_b->levels[level], matrix, &laid, gains);
  for (gint c = 0; c < DIRECT_COLORS; c++)
    {
      direct_take_mean (width, height, plane->values[c], laid.known[c], AROUND >> level, a);
      direct_take_mean (width, height, laid.values[c], laid.known[c], AROUND >> level, b);
      for (gint i = 0; i < n; i++)
        add_block (of_a, of_b, level, &laid, a, b, c, gains[c], i % across * BLOCK, i / across * BLOCK, &blocks[i]);
    }
  *seen = *agree = 0;
  for (gint i = 0; i < n; i++)
    if (blocks[i].aa > blocks[i].of_a && blocks[i].bb > blocks[i].of_b)
      {
        const gdouble alike = blocks[i].ab / sqrt (blocks[i].aa * blocks[i].bb);

        ++*seen;
        *agree += alike > ALIKE;
        sum += MAX (alike, 0.0);
      }
  direct_plane_clear (&laid);
  return *seen > 0 ? sum * sum / *seen : 0;
}

/* ------------------------------------------------------------------ choosing -- */

/* From a shift of the smallest pictures to a homography of those of level 2. */
static gboolean
follow (const DirectPicture *a, const DirectPicture *b, gdouble matrix[9])
{
  matrix_enlarge (2, 2, matrix);
  if (! direct_step_all (&a->levels[3], &b->levels[3], MODEL_SIMILARITY, TRUE, matrix))
    return FALSE;
  matrix_enlarge (2, 2, matrix);
  return direct_step_all (&a->levels[2], &b->levels[2], MODEL_SIMILARITY, TRUE, matrix)
         && direct_step_all (&a->levels[2], &b->levels[2], MODEL_HOMOGRAPHY, TRUE, matrix);
}

/* The best start, followed to level 2. */
static gboolean
choose (const DirectPicture *a, const DirectPicture *b, gdouble matrix[9], DirectVote *vote)
{
  static const gint reaches[REACHES] = { 3, 5, 8 };
  gint              starts[STARTS][2] = { { 0, 0 } }, n = 1;
  gdouble           best = 0;

  for (gint i = 0; i < REACHES; i++)
    n += direct_shifts (&a->levels[COARSEST], &b->levels[COARSEST], reaches[i], &starts[n]);
  for (gint i = 0; i < n; i++)
    {
      gboolean is_new = TRUE;
      gdouble  tried[9], score;
      gint     seen, agree;

      for (gint k = 0; k < i; k++)
        is_new &= starts[k][0] != starts[i][0] || starts[k][1] != starts[i][1];
      matrix_place (1, starts[i][0], starts[i][1], tried);
      if (! is_new || ! follow (a, b, tried))
        continue;
      score = vote_at (a, b, 2, tried, &seen, &agree);
      if (score > best)
        {
          best = score;
          memcpy (matrix, tried, sizeof tried);
          vote->seen[0] = seen;
          vote->agree[0] = agree;
        }
    }
  return best > 0;
}

/* The share of the blocks of a level that agree after a shift besides; 0: too few show something there. */
static gdouble
share_after (const DirectPicture *a, const DirectPicture *b, gint level, const gdouble matrix[9], gdouble x, gdouble y, gint least)
{
  gdouble shifted[9];
  gint    seen, agree;

  matrix_place (1, x, y, shifted);
  matrix_multiply (shifted, matrix, shifted);
  vote_at (a, b, level, shifted, &seen, &agree);
  return seen >= least && seen > 0 ? (gdouble) agree / seen : 0;
}

/* A chessboard, a front of equal windows: after another shift most blocks show the same too, and halfway there fewer do.  The shifts are those of a level,
 * up to `most` of its pixels; the blocks those of level 2, or of a larger one.  `matrix`: of level 0. */
static gboolean
repeats_at (const DirectPicture *a, const DirectPicture *b, gint level, const gdouble matrix[9], gint most)
{
  const gint    blocks = MIN (level, 2);
  const gdouble size = pow (0.5, level), times = 1 << (level - blocks);
  gdouble       there[9], here[9];
  gint          shifts[DIRECT_OTHERS][2], n, least, agree;

  memcpy (there, matrix, sizeof there);
  memcpy (here, matrix, sizeof here);
  matrix_enlarge (size, size, there);
  matrix_enlarge (size * times, size * times, here);
  n = direct_others (&a->levels[level], &b->levels[level], there, AROUND >> level, most, shifts);
  vote_at (a, b, blocks, here, &least, &agree);
  least = MAX (least / ALL, LEAST);
  for (gint i = 0; i < n; i++)
    {
      const gdouble x = times * shifts[i][0], y = times * shifts[i][1], share = share_after (a, b, blocks, here, x, y, least);

      if (share > AS_WELL && share_after (a, b, blocks, here, 0.5 * x, 0.5 * y, 0) < HALFWAY * share)
        return TRUE;
    }
  return FALSE;
}

/* To where all squares of level 0 have it, of the least kind if that is free, and how surely. */
static void
settle (const DirectPlane *a, const DirectPlane *b, const RefineKnown *known, gboolean is_free, ConsensusModel *model, gdouble matrix[9], RefineVerdict *verdict)
{
  const GeglRectangle of_a = { 0, 0, a->width, a->height }, of_b = { 0, 0, b->width, b->height };
  Tangent             tangent;

  tangent_init (&tangent, a->width, a->height);
  for (gint round = 0; round < ROUNDS; round++)
    {
      gint              n;
      RefineSums       *sums = direct_step_sums (a, b, matrix, &n);
      const RefineSums **squares = g_new (const RefineSums *, n + 1);
      gdouble           went;

      for (gint i = 0; i < n; i++)
        squares[i] = &sums[i];
      went = refine_judge (squares, n, &of_a, &of_b, &tangent, known, is_free, model, matrix, verdict);
      g_free (squares);
      g_free (sums);
      if (went <= STILL)
        break;
    }
}

gboolean
align_direct (const RefinePicture *a, const RefinePicture *b, gboolean is_free, ConsensusModel *model, gdouble matrix[9], DirectVote *before,
              DirectVote *vote, RefineVerdict *verdict)
{
  const gint    largest = MAX (MAX (a->bounds.width, a->bounds.height), MAX (b->bounds.width, b->bounds.height)), side = (largest + LARGEST - 1) / LARGEST;
  const gint    least = SMALLEST * side << COARSEST;
  DirectPicture of_a, of_b;
  RefineKnown   known = { .precision = { { 0 } } };
  Tangent       tangent;
  gboolean      is_found;

  *verdict = (RefineVerdict) { .is_known = FALSE };
  *vote = (DirectVote) { { 0 }, { 0 } };
  if (MIN (MIN (a->bounds.width, a->bounds.height), MIN (b->bounds.width, b->bounds.height)) < least)
    return FALSE;
  direct_picture_init (&of_a, a, side);
  direct_picture_init (&of_b, b, side);
  if (before)
    {
      matrix_enlarge (0.5 / side, 0.5 / side, matrix);
      vote_at (&of_a, &of_b, 1, matrix, &before->seen[1], &before->agree[1]);
      matrix_enlarge (0.5, 0.5, matrix);
      vote_at (&of_a, &of_b, 2, matrix, &before->seen[0], &before->agree[0]);
      is_found = direct_step_all (&of_a.levels[2], &of_b.levels[2], MODEL_HOMOGRAPHY, TRUE, matrix);
      vote_at (&of_a, &of_b, 2, matrix, &vote->seen[0], &vote->agree[0]);
    }
  else
    is_found = choose (&of_a, &of_b, matrix, vote);
  for (gint level = 1; is_found && level >= 0; level--)
    {
      matrix_enlarge (2, 2, matrix);
      is_found = direct_step_all (&of_a.levels[level], &of_b.levels[level], MODEL_HOMOGRAPHY, FALSE, matrix);
      if (is_found && level == 1)
        vote_at (&of_a, &of_b, 1, matrix, &vote->seen[1], &vote->agree[1]);
    }
  if (is_found && (repeats_at (&of_a, &of_b, 1, matrix, NEAR) || repeats_at (&of_a, &of_b, 2, matrix, NEAR) || repeats_at (&of_a, &of_b, 3, matrix, FAR)))
    *vote = (DirectVote) { { 0 }, { 0 } };
  if (is_found)
    {
      memcpy (known.matrix, matrix, sizeof known.matrix);
      tangent_init (&tangent, of_a.levels[0].width, of_a.levels[0].height);
      tangent_expect (&tangent, 1.0, known.precision);
      for (gint k = 0; k < 6; k++)
        known.precision[k][k] += 1.0 / (LARGEST * LARGEST);
      settle (&of_a.levels[0], &of_b.levels[0], &known, is_free, model, matrix, verdict);
      verdict->agreement = vote->seen[1] > 0 ? (gdouble) vote->agree[1] / vote->seen[1] : 0;
      verdict->error *= side;
      matrix_enlarge (side, side, matrix);
    }
  direct_picture_clear (&of_a);
  direct_picture_clear (&of_b);
  return is_found && verdict->is_known;
}
