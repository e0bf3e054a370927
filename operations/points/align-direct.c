/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The transform between two pictures by all of their pixels at once: see align-direct.h.
 */
#include "align-direct.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "direct-planes.h"
#include "direct-repeats.h"
#include "direct-starts.h"
#include "direct-step.h"
#include "direct-vote.h"
#include "matrix.h"

#define LARGEST     800         /* pixels of level 0, along a side */
#define SMALLEST    4           /* of the last level */
#define COARSEST    (DIRECT_LEVELS - 1)
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
      memcpy (start, hints->matrices[i], sizeof start);
      matrix_enlarge (size, size, start);
      try_start (a, b, start, &best, matrix, vote);
    }
  n = best > 0 && vote->agree[0] >= NEARLY_ALL * vote->seen[0] ? 0 : direct_turned (of_a, of_b, turned);
  for (gint i = 0; i < n; i++)
    try_start (a, b, turned[i], &best, matrix, vote);
  return best > 0;
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

static gint
side_of (const RefinePicture *a, const RefinePicture *b)
{
  return (MAX (MAX (a->bounds.width, a->bounds.height), MAX (b->bounds.width, b->bounds.height)) + LARGEST - 1) / LARGEST;
}

static gboolean
is_too_small (const RefinePicture *a, const RefinePicture *b, gint side)
{
  return MIN (MIN (a->bounds.width, a->bounds.height), MIN (b->bounds.width, b->bounds.height)) < SMALLEST * side << COARSEST;
}

/* Another movement that points found may be that of a thing before the scene: the one that excuses most. */
static void
excuse (const DirectPicture *a, const DirectPicture *b, const DirectHints *hints, gint side, const gdouble matrix[9], DirectVote *vote)
{
  for (gint k = 0; k < 2; k++)
    for (gint i = 0; i < hints->n; i++)
      {
        const gint   level = 2 - k;
        const gdouble size = 1.0 / (side << level);
        gdouble      other[9], there[9];

        memcpy (other, hints->matrices[i], sizeof other);
        memcpy (there, matrix, sizeof there);
        matrix_enlarge (size, size, other);
        matrix_enlarge (1.0 / (1 << level), 1.0 / (1 << level), there);
        if (hints->is_likely[i])
          vote->excused[k] = MAX (vote->excused[k], direct_excused (a, b, level, there, other));
      }
}

gboolean
align_repeats (const RefinePicture *a, const RefinePicture *b, const gdouble matrix[9])
{
  const gint    side = side_of (a, b);
  DirectPicture of_a, of_b;
  gdouble       there[9];
  gboolean      repeats;

  if (is_too_small (a, b, side))
    return FALSE;
  direct_picture_init (&of_a, a, side);
  direct_picture_init (&of_b, b, side);
  memcpy (there, matrix, sizeof there);
  matrix_enlarge (1.0 / side, 1.0 / side, there);
  repeats = direct_repeats (&of_a, &of_b, there);
  direct_picture_clear (&of_a);
  direct_picture_clear (&of_b);
  return repeats;
}

gboolean
align_direct (const RefinePicture *a, const RefinePicture *b, const DirectHints *hints, gboolean is_free, ConsensusModel *model, gdouble matrix[9],
              DirectVote *before, DirectVote *vote, RefineVerdict *verdict)
{
  const gint    side = side_of (a, b);
  DirectPicture of_a, of_b;
  RefineKnown   known = { .precision = { { 0 } } };
  Tangent       tangent;
  gboolean      is_found;

  *verdict = (RefineVerdict) { .is_known = FALSE };
  *vote = (DirectVote) { { 0 }, { 0 }, { 0 } };
  if (is_too_small (a, b, side))
    return FALSE;
  direct_picture_init (&of_a, a, side);
  direct_picture_init (&of_b, b, side);
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
        direct_vote (&of_a, &of_b, 1, matrix, &vote->seen[1], &vote->agree[1]);
    }
  if (is_found)
    excuse (&of_a, &of_b, hints, side, matrix, vote);
  if (is_found && direct_repeats (&of_a, &of_b, matrix))
    *vote = (DirectVote) { { 0 }, { 0 }, { 0 } };
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
