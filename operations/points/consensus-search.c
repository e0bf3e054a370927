/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Samples are drawn, each fixes a transform, and the transform that most pairs agree with wins.
 *
 * Transforms that no camera makes (mirrored, folded, of a wild scale) are kept apart: they take in many wrong pairs, as
 * when all of B falls into one place.  They only tell the reason why nothing is aligned.
 */
#include "config.h"

#include "consensus-models.h"

#include <math.h>
#include <string.h>

#include "tessera.h"

#define MISSED       1e-4       /* the chance, in the end, that no sample was free of wrong pairs */
#define MOST_TRIALS  10000
#define MOST_DRAWS   (10 * MOST_TRIALS)         /* samples that fix nothing among them */
#define CHUNK        256
#define LANES        8

/* ---------------------------------------------------------- random numbers -- */

/* PCG32, XSH RR, of stream 54. */
typedef struct
{
  guint64 state, step;
} Random;

static guint32
random_next (Random *random)
{
  const guint64 old = random->state;
  const guint32 shifted = (guint32) (((old >> 18) ^ old) >> 27), turn = (guint32) (old >> 59);

  random->state = old * G_GUINT64_CONSTANT (6364136223846793005) + random->step;
  return (shifted >> turn) | (shifted << (-turn & 31));
}

static Random
random_new (guint64 seed)
{
  Random random = { 0, 54 << 1 | 1 };

  random_next (&random);
  random.state += seed;
  random_next (&random);
  return random;
}

/* 0 to n - 1, all as likely. */
static guint32
random_below (Random *random, guint32 n)
{
  const guint32 least = -n % n;
  guint32       drawn;

  do
    drawn = random_next (random);
  while (drawn < least);
  return drawn % n;
}

/* ------------------------------------------------------------------ score -- */

/* 1 - (error / reach)^2 of each pair, or 0. */
TESSERA_CLONES static void
weigh_chunk (const gdouble *restrict m, const gdouble *restrict x, const gdouble *restrict y, const gdouble *restrict u,
             const gdouble *restrict v, const gdouble *restrict weight, gint n, gdouble *restrict scores)
{
  for (gint i = 0; i < n; i++)
    {
      const gdouble w = m[6] * x[i] + m[7] * y[i] + m[8], part = 1 / w;
      const gdouble du = (m[0] * x[i] + m[1] * y[i] + m[2]) * part - u[i];
      const gdouble dv = (m[3] * x[i] + m[4] * y[i] + m[5]) * part - v[i];
      const gdouble score = 1 - (du * du + dv * dv) * weight[i];

      scores[i] = w > 0 ? (score > 0 ? score : 0) : 0;
    }
}

/* The sum of the scores and how many pairs have one; less, as soon as it cannot be above `best` any more.  LANES sums
 * side by side, so that the order is the same in registers of any width. */
static gdouble
score_of (const Pairs *pairs, const gdouble *matrix, gdouble best, gint *inliers)
{
  gdouble score = 0;

  *inliers = 0;
  for (gint begin = 0; begin < pairs->n_first && score + (pairs->n_first - begin) > best; begin += CHUNK)
    {
      const gint n = MIN (CHUNK, pairs->n_first - begin);
      gdouble    scores[CHUNK] = { 0 }, sums[LANES] = { 0 };

      weigh_chunk (matrix, pairs->x + begin, pairs->y + begin, pairs->u + begin, pairs->v + begin, pairs->weight + begin, n, scores);
      for (gint i = 0; i < CHUNK; i += LANES)
        for (gint k = 0; k < LANES; k++)
          sums[k] += scores[i + k];
      for (gint i = 0; i < CHUNK; i++)
        *inliers += scores[i] > 0;
      score += ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
    }
  return score;
}

/* ----------------------------------------------------------------- trials -- */

/* Until a sample without a wrong pair has been drawn, almost surely.  By products, because C libraries differ in the
 * last bit of log. */
static gint
trials_needed (gint inliers, gint n, gint sample_size)
{
  gdouble good = 1, missed = 1;
  gint    trials = 0;

  for (gint i = 0; i < sample_size; i++)
    good *= (gdouble) inliers / n;
  while (trials < MOST_TRIALS && missed >= MISSED)
    {
      missed *= 1 - good;
      trials++;
    }
  return trials;
}

static void
draw (const Pairs *pairs, Random *random, gint n, Pair *sample)
{
  gint drawn[MOST_SAMPLE];

  for (gint i = 0; i < n; i++)
    {
      gboolean is_new;

      do
        {
          drawn[i] = random_below (random, pairs->n_first);
          is_new = TRUE;
          for (gint k = 0; k < i; k++)
            is_new &= drawn[k] != drawn[i];
        }
      while (! is_new);
      sample[i] = pairs->pairs[pairs->first[drawn[i]]];
    }
}

void
consensus_search (const Pairs *pairs, ConsensusModel model, guint64 seed, const Frames *frames, Candidate *upright, Candidate *other)
{
  const gint sample_size = models_sample_size (model);
  Random     random = random_new (seed);
  gint       needed = pairs->n_first >= sample_size ? MOST_TRIALS : 0, trials = 0;

  for (gint draws = 0; trials < needed && draws < MOST_DRAWS; draws++)
    {
      Pair       sample[MOST_SAMPLE];
      gdouble    matrix[9], score, least, most;
      gint       inliers;
      Candidate *best;

      draw (pairs, &random, sample_size, sample);
      if (! models_may_fix (model, sample))
        continue;
      trials++;
      if (! models_fix (model, sample, matrix))
        continue;
      best = models_is_upright (matrix, frames, &least, &most) ? upright : other;
      score = score_of (pairs, matrix, best->score, &inliers);
      if (score > best->score)
        {
          memcpy (best->matrix, matrix, sizeof matrix);
          best->score = score;
          if (best == upright)
            needed = trials_needed (inliers, pairs->n_first, sample_size);
        }
    }
}
