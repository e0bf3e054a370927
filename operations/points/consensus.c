/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * See consensus.h.  consensus-search.c finds a transform on which many pairs agree; here it is improved on all of these, the least kind of
 * transform that explains them is taken, and what is left over is searched for a second movement.
 */
#include "config.h"

#include <glib/gi18n-lib.h>

#include "consensus-models.h"

#include <math.h>
#include <string.h>

#include "matrix.h"

#define LOOSE      4.0          /* squared: the first rounds take pairs that are twice as far off */
#define ROUNDS     6
#define FEW        0.5          /* of the pairs: if less agree, a homography is searched for too */
#define CLEARLY    1.2          /* times as many pairs */

typedef struct
{
  const Pairs  *pairs;
  const Frames *frames;
  Inliers       in;
} Settling;

static void
choose (Settling *s, const gdouble *matrix, gdouble loose)
{
  const Pairs *pairs = s->pairs;

  s->in.n = 0;
  for (gint i = 0; i < pairs->n_first; i++)
    {
      const Pair *pair = &pairs->pairs[pairs->first[i]];

      if (models_error2 (matrix, pair) < loose * pair->reach2)
        s->in.chosen[s->in.n++] = pairs->first[i];
    }
  belief_weights (pairs->pairs, s->in.chosen, s->in.n, s->in.weights);
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
  consensus->residual = consensus->inliers > 0 ? sqrt (sum / consensus->inliers) : 0;
}

/* ------------------------------------------------------------ kinds of movements -- */

static void
improve (Settling *s, ConsensusModel model, gdouble *matrix)
{
  for (gint i = 0; i < 2; i++)
    {
      choose (s, matrix, 1);
      models_improve (model, s->pairs->pairs, s->in.chosen, s->in.n, matrix);
    }
  choose (s, matrix, 1);
}

/* The homography that begins with this transform and takes in what agrees around it. */
static void
grow (Settling *s, gdouble *matrix)
{
  for (gint i = 0; i < ROUNDS; i++)
    {
      choose (s, matrix, i < ROUNDS / 2 ? LOOSE : 1);
      belief_bend (&s->in, s->frames, matrix);
    }
  choose (s, matrix, 1);
}

/* Is the loss of this kind of transform, of the same pairs, more than chance makes it above a homography's? */
static gboolean
is_worse (const Settling *s, ConsensusModel model, gdouble loss, gdouble of_homography)
{
  const gint more = TANGENT_MOST - tangent_size (model);
  gdouble    left = -TANGENT_MOST;

  for (gint i = 0; i < s->in.n; i++)
    left += 2 * s->in.weights[i];
  return (loss - of_homography) * left > tangent_rare_f (more, left) * more * of_homography;
}

/* Of pairs that agree on a homography: the least kind of transform that explains them as well. */
static ConsensusModel
find_least (const Settling *s, gdouble *matrix)
{
  const gdouble loss = belief_loss (&s->in, matrix);

  for (ConsensusModel model = MODEL_TRANSLATION; model < MODEL_HOMOGRAPHY; model++)
    {
      gdouble less[9];

      memcpy (less, matrix, sizeof less);
      models_improve (model, s->pairs->pairs, s->in.chosen, s->in.n, less);
      if (! is_worse (s, model, belief_loss (&s->in, less), loss))
        {
          memcpy (matrix, less, sizeof less);
          return model;
        }
    }
  return MODEL_HOMOGRAPHY;
}

/* Do at least half of the pairs that agree on the one agree on the other too? */
static gboolean
is_shared (const Pairs *pairs, const gdouble *one, const gdouble *other)
{
  gint n = 0, both = 0;

  for (gint i = 0; i < pairs->n_first; i++)
    {
      const Pair *pair = &pairs->pairs[pairs->first[i]];

      if (models_error2 (one, pair) < pair->reach2)
        {
          n++;
          both += models_error2 (other, pair) < pair->reach2;
        }
    }
  return 2 * both >= n;
}

/* That homography; or another one, on which clearly more pairs agree, if that one has less than this share of them.  `near`: a transform that the
 * other one takes further, and is not another movement; or NULL. */
static void
grow_or_search (Settling *s, guint64 seed, gdouble share, const gdouble *near, gdouble *matrix)
{
  grow (s, matrix);
  if (s->in.n < share * s->pairs->n_first)
    {
      const gint n = s->in.n;
      Candidate  upright = { .score = 0 }, other = { .score = 0 };

      consensus_search (s->pairs, MODEL_HOMOGRAPHY, seed, s->frames, &upright, &other);
      improve (s, MODEL_HOMOGRAPHY, upright.matrix);
      if (s->in.n > CLEARLY * n && (! near || is_shared (s->pairs, near, upright.matrix)))
        memcpy (matrix, upright.matrix, sizeof upright.matrix);
      choose (s, matrix, 1);
    }
}

static ConsensusModel
settle_least (Settling *s, guint64 seed, gdouble *matrix)
{
  ConsensusModel model;

  grow_or_search (s, seed, FEW, NULL, matrix);
  model = find_least (s, matrix);
  improve (s, model, matrix);
  return model;
}

/* How far a transform lies from the homography on which the pairs around it agree, and clearly more with them, at the corners; 0 if they do not
 * ask for one. */
static gdouble
misfit (Settling *s, ConsensusModel model, guint64 seed, const gdouble *matrix)
{
  gdouble bent[9];

  memcpy (bent, matrix, sizeof bent);
  grow_or_search (s, seed, 1 / CLEARLY, matrix, bent);
  if (! is_worse (s, model, belief_loss (&s->in, matrix), belief_loss (&s->in, bent)))
    return 0;
  return tangent_apart (bent, matrix, s->frames->width, s->frames->height, s->frames->a_width, s->frames->a_height);
}

/* --------------------------------------------------------------------- result -- */

static void
settle (const Pairs *pairs, ConsensusModel asked, guint64 seed, const Candidate *best, const Frames *frames, gint n_matches,
        gboolean *is_inlier, Consensus *c)
{
  Settling s = { pairs, frames, { pairs->pairs, g_new (gint, pairs->n_first + 1), 0, g_new (gdouble, pairs->n_first + 1) } };

  memcpy (c->matrix, best->matrix, sizeof best->matrix);
  c->model = asked;
  if (asked == MODEL_AUTO)
    c->model = settle_least (&s, seed, c->matrix);
  else
    improve (&s, asked, c->matrix);
  count_inliers (pairs, n_matches, is_inlier, c);
  c->places = belief_spots (pairs->pairs, s.in.chosen, s.in.n);
  c->cover = belief_cover (pairs->pairs, s.in.chosen, s.in.n, frames);
  /* in a small part each perspective looks affine: who asks for that does not know that there is none */
  c->error = belief_error (&s.in, c->model, asked == MODEL_AUTO || asked == MODEL_AFFINE, frames, c->matrix);
  belief_precision (&s.in, frames, c->matrix, c->precision);
  if (c->model < MODEL_HOMOGRAPHY && asked != MODEL_AUTO && c->error < INFINITY)
    c->error = hypot (c->error, misfit (&s, c->model, seed, c->matrix));
  consensus_judge (pairs, n_matches, frames, c);
  g_free (s.in.chosen);
  g_free (s.in.weights);
}

static void
find_one (const MatchPlace *a, const MatchPlace *b, const Match *matches, gint n_matches, ConsensusModel model, guint64 seed,
          const Frames *frames, gboolean *is_inlier, Consensus *consensus)
{
  const ConsensusModel drawn = model == MODEL_AUTO ? MODEL_SIMILARITY : model;
  Candidate            upright = { .score = 0 }, other = { .score = 0 };      /* nothing agrees with a matrix of zeros */
  Pairs                pairs;

  memset (consensus, 0, sizeof *consensus);
  pairs_init (&pairs, a, b, matches, n_matches);
  consensus_search (&pairs, drawn, seed, frames, &upright, &other);
  settle (&pairs, model, seed, &upright, frames, n_matches, is_inlier, consensus);
  if (! consensus->is_likely && other.score > upright.score)
    settle (&pairs, drawn, seed, &other, frames, n_matches, is_inlier, consensus);
  pairs_clear (&pairs);
}

void
consensus_propose (const MatchPlace *a, const MatchPlace *b, const Match *matches, gint n_matches, ConsensusModel model, guint64 seed,
                   gint width, gint height, gint a_width, gint a_height, gboolean *is_inlier, Consensus *first, Consensus *second)
{
  const Frames frames = { MAX (width, 1), MAX (height, 1), MAX (a_width, 1), MAX (a_height, 1) };
  g_autofree gboolean *agrees = g_new0 (gboolean, (gsize) n_matches + 1), *agrees_then = g_new0 (gboolean, (gsize) n_matches + 1);
  g_autofree gboolean *later = g_new0 (gboolean, (gsize) n_matches + 1);
  g_autofree Match    *others = g_new (Match, (gsize) n_matches + 1);
  gint         n = 0;

  find_one (a, b, matches, n_matches, model, seed, &frames, agrees, first);
  memset (second, 0, sizeof *second);
  if (first->is_likely)
    {
      for (gint i = 0; i < n_matches; i++)
        if (! agrees[i])
          others[n++] = matches[i];
      find_one (a, b, others, n, model, seed, &frames, agrees_then, second);
      for (gint i = 0, k = 0; i < n_matches; i++)
        later[i] = ! agrees[i] && agrees_then[k++];
    }
  if (second->is_likely && second->cover > first->cover)
    {
      const Consensus kept = *first;

      *first = *second;
      *second = kept;
      memcpy (agrees, later, n_matches * sizeof *agrees);
    }
  if (is_inlier)
    memcpy (is_inlier, agrees, n_matches * sizeof *agrees);
}

void
consensus_find (const MatchPlace *a, const MatchPlace *b, const Match *matches, gint n_matches,
                ConsensusModel model, guint64 seed, gint width, gint height, gint a_width, gint a_height,
                gboolean *is_inlier, Consensus *consensus)
{
  static const gdouble identity[9] = MATRIX_IDENTITY;
  Consensus            second;

  consensus_propose (a, b, matches, n_matches, model, seed, width, height, a_width, a_height, is_inlier, consensus, &second);
  consensus_remark (consensus, &second);
  if (! consensus->is_aligned)
    memcpy (consensus->matrix, identity, sizeof identity);
}

static const gchar *const names[] = { "translation", "similarity", "affine", "homography", "auto" };

const gchar *
consensus_model_name (ConsensusModel model)
{
  return names[model];
}

gboolean
consensus_model_read (const gchar *name, ConsensusModel *model)
{
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (strcmp (name, names[i]) == 0)
      {
        *model = (ConsensusModel) i;
        return TRUE;
      }
  return FALSE;
}

gboolean
consensus_agrees (const gdouble matrix[9], const MatchPlace *a, const MatchPlace *b, gdouble most)
{
  gdouble x, y;

  return matrix_map (matrix, b->x, b->y, &x, &y) > 0 && hypot (x - a->x, y - a->y) < most;
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
