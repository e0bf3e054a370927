/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * See consensus.h.  Samples are drawn, each fixes a transform, and the transform that most pairs agree with wins.  It
 * is then improved on all these pairs.
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

typedef struct
{
  gdouble matrix[9];
  gdouble score;
} Candidate;

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

/* The best transform that a camera makes, and the best of the others.  What is not found stays as it was, with no score. */
static void
search (const Pairs *pairs, ConsensusModel model, guint64 seed, const Frames *frames, Candidate *upright, Candidate *other)
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

/* ----------------------------------------------------------------- result -- */

static gint
choose (const Pairs *pairs, const gdouble *matrix, gint *chosen)
{
  gint n = 0;

  for (gint i = 0; i < pairs->n_first; i++)
    {
      const Pair *pair = &pairs->pairs[pairs->first[i]];

      if (models_error2 (matrix, pair) < pair->reach2)
        chosen[n++] = pairs->first[i];
    }
  return n;
}

static void
count_inliers (const Pairs *pairs, gint n_matches, gboolean *is_inlier, Consensus *consensus)
{
  gdouble sum = 0;

  if (is_inlier)
    memset (is_inlier, 0, n_matches * sizeof *is_inlier);
  consensus->inliers = 0;
  for (gint i = 0; i < pairs->n; i++)
    {
      const gdouble error2 = models_error2 (consensus->matrix, &pairs->pairs[i]);

      if (error2 < pairs->pairs[i].reach2)
        {
          consensus->inliers++;
          sum += error2;
          if (is_inlier)
            is_inlier[pairs->pairs[i].match] = TRUE;
        }
    }
  consensus->error = consensus->inliers > 0 ? sqrt (sum / consensus->inliers) : 0;
}

static void
settle (const Pairs *pairs, ConsensusModel model, const Candidate *best, const Frames *frames, gint n_matches,
        gboolean *is_inlier, Consensus *consensus)
{
  gint *chosen = g_new (gint, pairs->n_first + 1), n;

  memcpy (consensus->matrix, best->matrix, sizeof best->matrix);
  n = choose (pairs, consensus->matrix, chosen);
  for (gint i = 0; i < 2; i++)
    {
      models_improve (model, pairs->pairs, chosen, n, consensus->matrix);
      n = choose (pairs, consensus->matrix, chosen);
    }
  count_inliers (pairs, n_matches, is_inlier, consensus);
  consensus->places = pairs_count_places (pairs, chosen, n);
  consensus_judge (pairs->pairs, chosen, n, n_matches, frames, consensus);
  g_free (chosen);
}

void
consensus_find (const MatchPlace *a, const MatchPlace *b, const Match *matches, gint n_matches,
                ConsensusModel model, guint64 seed, gint width, gint height, gint a_width, gint a_height,
                gboolean *is_inlier, Consensus *consensus)
{
  static const gdouble identity[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
  const Frames         frames = { MAX (width, 1), MAX (height, 1), MAX (a_width, 1), MAX (a_height, 1) };
  Candidate            upright = { .score = 0 }, other = { .score = 0 };      /* nothing agrees with a matrix of zeros */
  Pairs                pairs;

  memset (consensus, 0, sizeof *consensus);
  pairs_init (&pairs, a, b, matches, n_matches);
  search (&pairs, model, seed, &frames, &upright, &other);
  settle (&pairs, model, &upright, &frames, n_matches, is_inlier, consensus);
  if (! consensus->is_aligned && other.score > upright.score)
    settle (&pairs, model, &other, &frames, n_matches, is_inlier, consensus);
  if (! consensus->is_aligned)
    memcpy (consensus->matrix, identity, sizeof identity);
  pairs_clear (&pairs);
}

gchar *
consensus_matrix_text (const gdouble *matrix)
{
  GString *text = g_string_new (NULL);

  for (gint k = 0; k < 9; k++)
    {
      gchar number[G_ASCII_DTOSTR_BUF_SIZE];

      g_string_append_printf (text, "%s%s", k > 0 ? " " : "", g_ascii_formatd (number, sizeof number, "%.9g", matrix[k]));
    }
  return g_string_free (text, FALSE);
}

gboolean
consensus_matrix_read (const gchar *text, gdouble matrix[9])
{
  gchar *end;

  for (gint k = 0; k < 9; k++, text = end)
    {
      matrix[k] = g_ascii_strtod (text, &end);
      if (end == text || ! isfinite (matrix[k]))
        return FALSE;
    }
  return text[strspn (text, " \t\r\n")] == '\0';
}
