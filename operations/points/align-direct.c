/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The transform between two pictures by all of their pixels at once: see align-direct.h.
 */
#include "align-direct.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "direct-planes.h"
#include "direct-starts.h"
#include "direct-step.h"
#include "direct-vote.h"
#include "matrix.h"

#define LARGEST     800         /* pixels of level 0, along a side */
#define SMALLEST    4           /* of the last level */
#define COARSEST    (DIRECT_LEVELS - 1)
#define NEAR        16          /* pixels of a level, that a pattern may be apart, or some times that */
#define FAR         100         /* ... of level 3 */
#define ALL         2           /* times the blocks that another shift must show, at least */
#define LEAST       12          /* ... and as many as these */
#define AS_WELL     0.7         /* of them, that agree */
#define HALFWAY     0.7         /* ... of that, halfway to it: more is the same peak */
#define NEARLY_ALL  0.85        /* of the blocks: then no other start is tried */
#define ROUNDS      4           /* of the judge */
#define STILL       0.01        /* pixels */

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

/* The start, followed to level 2, if it is better than the best before. */
static void
try_start (const DirectPicture *a, const DirectPicture *b, const gdouble start[9], gdouble *best, gdouble matrix[9], DirectVote *vote)
{
  gdouble tried[9], score;
  gint    seen, agree;

  memcpy (tried, start, sizeof tried);
  if (! follow (a, b, tried))
    return;
  score = direct_vote (a, b, 2, tried, &seen, &agree);
  if (score > *best)
    {
      *best = score;
      memcpy (matrix, tried, sizeof tried);
      vote->seen[0] = seen;
      vote->agree[0] = agree;
    }
}

/* The best of the starts that the smallest planes have and of what was found before; of turned ones, if not nearly all blocks agree on that. */
static gboolean
choose (const DirectPicture *a, const DirectPicture *b, const DirectHints *hints, gint side, gdouble matrix[9], DirectVote *vote)
{
  const DirectPlane *of_a = &a->levels[COARSEST], *of_b = &b->levels[COARSEST];
  const gdouble      size = 1.0 / (side << COARSEST);
  gdouble            starts[DIRECT_STARTS][9], turned[DIRECT_TURNED][9], start[9], best = 0;
  gint               n = direct_starts (of_a, of_b, starts);

  for (gint i = 0; i < n; i++)
    try_start (a, b, starts[i], &best, matrix, vote);
  for (gint i = 0; i < hints->n; i++)
    {
      memcpy (start, hints->movements[i].matrix, sizeof start);
      matrix_enlarge (size, size, start);
      try_start (a, b, start, &best, matrix, vote);
    }
  n = best > 0 && vote->agree[0] >= NEARLY_ALL * vote->seen[0] ? 0 : direct_turned (of_a, of_b, turned);
  for (gint i = 0; i < n; i++)
    try_start (a, b, turned[i], &best, matrix, vote);
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
  direct_vote (a, b, level, shifted, &seen, &agree);
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
  n = direct_others (&a->levels[level], &b->levels[level], there, DIRECT_AROUND >> level, most, shifts);
  direct_vote (a, b, blocks, here, &least, &agree);
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

/* What was found before is left out, if that is asked for. */
static void
read_pictures (const RefinePicture *a, const RefinePicture *b, const DirectHints *hints, gint side, DirectPicture *of_a, DirectPicture *of_b)
{
  const gint  n = hints->leaves_out ? hints->n : 0;
  MatchPlaces not_of_a[DIRECT_MOVEMENTS], not_of_b[DIRECT_MOVEMENTS];

  for (gint i = 0; i < n; i++)
    {
      not_of_a[i] = hints->movements[i].of_a;
      not_of_b[i] = hints->movements[i].of_b;
    }
  direct_picture_init (of_a, a, not_of_a, n, side);
  direct_picture_init (of_b, b, not_of_b, n, side);
}

/* Of the blocks of level 1 and of level 2, at this matrix of level 1. */
static void
vote_rest (const DirectPicture *a, const DirectPicture *b, const DirectHints *hints, gint side, const gdouble matrix[9], DirectVote *vote)
{
  gdouble there[9];

  memcpy (there, matrix, sizeof there);
  for (gint k = 1; k >= 0; k--)
    {
      direct_vote_rest (a, b, 2 - k, side, there, hints->movements, hints->n, &vote->rest_seen[k], &vote->rest_agree[k], &vote->explained[k]);
      matrix_enlarge (0.5, 0.5, there);
    }
}

gboolean
align_direct (const RefinePicture *a, const RefinePicture *b, const DirectHints *hints, gboolean is_free, ConsensusModel *model, gdouble matrix[9],
              DirectVote *before, DirectVote *vote, RefineVerdict *verdict)
{
  const gint    largest = MAX (MAX (a->bounds.width, a->bounds.height), MAX (b->bounds.width, b->bounds.height)), side = (largest + LARGEST - 1) / LARGEST;
  const gint    least = SMALLEST * side << COARSEST;
  DirectPicture of_a, of_b;
  RefineKnown   known = { .precision = { { 0 } } };
  Tangent       tangent;
  gboolean      is_found;

  *verdict = (RefineVerdict) { .is_known = FALSE };
  *vote = (DirectVote) { .seen = { 0 } };
  if (MIN (MIN (a->bounds.width, a->bounds.height), MIN (b->bounds.width, b->bounds.height)) < least)
    return FALSE;
  read_pictures (a, b, hints, side, &of_a, &of_b);
  if (before)
    {
      matrix_enlarge (0.5 / side, 0.5 / side, matrix);
      direct_vote (&of_a, &of_b, 1, matrix, &before->seen[1], &before->agree[1]);
      matrix_enlarge (0.5, 0.5, matrix);
      direct_vote (&of_a, &of_b, 2, matrix, &before->seen[0], &before->agree[0]);
      is_found = direct_step_all (&of_a.levels[2], &of_b.levels[2], MODEL_HOMOGRAPHY, TRUE, matrix);
      direct_vote (&of_a, &of_b, 2, matrix, &vote->seen[0], &vote->agree[0]);
    }
  else
    is_found = choose (&of_a, &of_b, hints, side, matrix, vote);
  for (gint level = 1; is_found && level >= 0; level--)
    {
      matrix_enlarge (2, 2, matrix);
      is_found = direct_step_all (&of_a.levels[level], &of_b.levels[level], MODEL_HOMOGRAPHY, FALSE, matrix);
      if (is_found && level == 1)
        {
          direct_vote (&of_a, &of_b, 1, matrix, &vote->seen[1], &vote->agree[1]);
          vote_rest (&of_a, &of_b, hints, side, matrix, vote);
        }
    }
  if (is_found && (repeats_at (&of_a, &of_b, 1, matrix, NEAR) || repeats_at (&of_a, &of_b, 2, matrix, NEAR) || repeats_at (&of_a, &of_b, 3, matrix, FAR)))
    *vote = (DirectVote) { .seen = { 0 } };
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
