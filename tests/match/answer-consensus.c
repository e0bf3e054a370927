/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The transform on which drawn pairs agree.  Its reference knows the transform that was drawn, and judges each pair by the
 * one that was answered: the error in A is less than the larger of 1.5 px and 1.5 sigma (specs: align, Consensus). */
#include "answers.h"

#include <math.h>
#include <string.h>

#include "consensus-case.h"
#include "matching.h"

#define MORE       40           /* pairs that laws add */
#define BAR        1.25         /* px at the corners, of 200 pairs with a noise of a pixel */
#define ROUNDING   1e-6         /* px: places of a thousand pixels, through some hundred sums */

typedef enum { RIGHT, UNRELATED, MIRRORED, FEW, KINDS } Kind;

typedef struct
{
  Case           pairs;
  Kind           kind;
  ConsensusModel asked;
  gdouble        truth[9], sd;
  gint           right;
} Agreement;

static const gchar *const kinds[] = { "right", "unrelated", "mirrored", "few" };

/* ---------------------------------------------------------------- draw -- */

/* Of a kind that explains `model`. */
static ConsensusModel
draw_asked (CheckRandom *random, ConsensusModel model)
{
  return (ConsensusModel) (model + check_below (random, MODEL_AUTO - model + 1));
}

/* Places that are no numbers, and of A some that are known badly: a pair of these is right from farther away. */
static void
spoil (CheckRandom *random, Case *c)
{
  static const gdouble bad[] = { NAN, INFINITY, -INFINITY, 1e300, -1e300, 1e8 };

  for (gint i = 0; i < c->n; i++)
    {
      MatchPlace    *place = check_chance (random, 50) ? &c->a[i] : &c->b[i];
      const gboolean is_x = check_chance (random, 50);

      c->a[i].sigma = check_chance (random, 50) ? between (random, 0.3, 5) : 1;
      if (check_chance (random, 5))
        *(is_x ? &place->x : &place->y) = bad[check_below (random, G_N_ELEMENTS (bad))];
    }
}

static void
draw_right (CheckRandom *random, Agreement *g)
{
  const ConsensusModel model = (ConsensusModel) check_below (random, 4);

  draw_transform (random, model, g->truth);
  g->asked = draw_asked (random, model);
  g->right = 60 + check_below (random, 240);
  g->sd = check_chance (random, 30) ? 0 : between (random, 0.05, 0.5);
  fill (&g->pairs, random, g->truth, g->right, g->sd, check_below (random, 2 * g->right), WIDTH, HEIGHT);
  spoil (random, &g->pairs);
}

static void
draw_wrong (CheckRandom *random, Agreement *g)
{
  const gint     most = g->kind == FEW ? 5 : 0, n = 30 + check_below (random, 300);
  const gboolean mirrors = g->kind == MIRRORED;

  draw_transform (random, MODEL_AFFINE, g->truth);
  for (gint k = 0; k < 6 && mirrors; k += 3)
    g->truth[k] = -g->truth[k];
  g->asked = mirrors ? draw_asked (random, MODEL_AFFINE) : (ConsensusModel) check_below (random, 5);
  g->right = mirrors ? n : most;
  fill (&g->pairs, random, g->truth, g->right, 0.3, mirrors ? n / 3 : most > 0 ? check_below (random, 30) : n, WIDTH, HEIGHT);
}

static gpointer
agreement_draw (guint64 seed, gboolean is_small G_GNUC_UNUSED)
{
  CheckRandom random = { seed };
  Agreement  *g = g_new0 (Agreement, 1);

  g->kind = check_chance (&random, 60) ? RIGHT : (Kind) (1 + check_below (&random, KINDS - 1));
  if (g->kind == RIGHT)
    draw_right (&random, g);
  else
    draw_wrong (&random, g);
  return g;
}

static gchar *
agreement_words (gconstpointer input)
{
  const Agreement *g = input;

  return g_strdup_printf ("%s, %s, %d of %d pairs, noise %.3g", kinds[g->kind], names[g->asked], g->right, g->pairs.n, g->sd);
}

/* -------------------------------------------------------------- answer -- */

enum { ALIGNED, INLIERS, RESIDUAL, TAKEN, MATRIX, OF_PAIRS = MATRIX + 9 };

/* Whether, of how many, how well, which model, the matrix; of each pair, whether it agrees. */
static gboolean
agreement_find (const TesseraErrand *errand G_GNUC_UNUSED, gconstpointer input, GArray *numbers)
{
  const Case *c = &((const Agreement *) input)->pairs;
  gboolean    is_inlier[MOST];
  Consensus   found;

  consensus_find (c->a, c->b, c->matches, c->n, ((const Agreement *) input)->asked, 1, WIDTH, HEIGHT, WIDTH, HEIGHT, is_inlier, &found);
  answer_add (numbers, found.is_aligned);
  answer_add (numbers, found.inliers);
  answer_add (numbers, found.residual);
  answer_add (numbers, found.model);
  for (gint k = 0; k < 9; k++)
    answer_add (numbers, found.matrix[k]);
  for (gint i = 0; i < c->n; i++)
    answer_add (numbers, is_inlier[i]);
  return TRUE;
}

/* Of a pair under this matrix, in A; infinite if it is no number. */
static gdouble
error_of (const Case *c, gint i, const gdouble *m)
{
  const MatchPlace *a = &c->a[c->matches[i].a], *b = &c->b[c->matches[i].b];
  gdouble           u, v, error;

  map_place (m, b->x, b->y, &u, &v);
  error = hypot (u - a->x, v - a->y);
  return isfinite (error) ? error : INFINITY;
}

/* Pairs agree as the matrix says, and it is the one that was drawn, as far as the noise lets one see it. */
static void
want_aligned (const Agreement *g, const GArray *numbers, GArray *wanted)
{
  const gdouble *is = &g_array_index (numbers, gdouble, 0), *m = is + MATRIX;
  const Case    *c = &g->pairs;
  const gdouble  bar = ROUNDING + BAR * g->sd * sqrt (200.0 / g->right);
  const gboolean is_near = corners_off (g->truth, m) <= bar;
  gdouble        sum = 0;
  gint           n = 0;

  for (gint i = 0; i < c->n; i++)
    {
      const gdouble error = error_of (c, i, m);
      const gboolean agrees = error < fmax (1.5, 1.5 * c->a[c->matches[i].a].sigma);

      n += agrees;
      sum += agrees ? error * error : 0;
    }
  answer_want (wanted, TRUE, 0);
  answer_want (wanted, n, 0);
  answer_want (wanted, sqrt (sum / n), 1e-9);
  answer_want (wanted, g->asked, g->asked == MODEL_AUTO ? INFINITY : 0);
  for (gint k = 0; k < 9; k++)
    answer_want (wanted, is_near ? m[k] : g->truth[k], 0);
  for (gint i = 0; i < c->n; i++)
    answer_want (wanted, error_of (c, i, m) < fmax (1.5, 1.5 * c->a[c->matches[i].a].sigma), 0);
}

/* Of what is refused only that it is, and the matrix, which changes nothing. */
static void
want_refused (const GArray *numbers, GArray *wanted)
{
  answer_want (wanted, FALSE, 0);
  for (guint i = 1; i < numbers->len; i++)
    answer_want (wanted, i < MATRIX || i >= OF_PAIRS ? 0 : (i - MATRIX) % 4 == 0, i < MATRIX || i >= OF_PAIRS ? INFINITY : 0);
}

static void
agreement_reference (gconstpointer input, const GArray *numbers, GArray *wanted)
{
  const Agreement *g = input;

  if (g->kind == RIGHT)
    want_aligned (g, numbers, wanted);
  else
    want_refused (numbers, wanted);
}

/* ---------------------------------------------------------------- laws -- */

/* Pairs of no numbers agree with nothing, and change nothing for the others. */
static gboolean
with_no_numbers (guint64 seed, gpointer input, GArray *wanted)
{
  Agreement  *g = input;
  CheckRandom random = { seed };

  for (gint i = 0; i < MORE / 4; i++)
    {
      add (&g->pairs, check_chance (&random, 50) ? NAN : 1e300, 5, 5, check_chance (&random, 50) ? INFINITY : 5);
      answer_want (wanted, FALSE, 0);
    }
  return g->kind == RIGHT;
}

/* What is there twice counts once: of the same places the first. */
static gboolean
some_twice (guint64 seed, gpointer input, GArray *wanted)
{
  Agreement  *g = input;
  CheckRandom random = { seed };

  for (gint i = 0; i < MORE; i++)
    {
      const gint    k = check_below (&random, (gint) wanted->len - OF_PAIRS);
      const gdouble agrees = g_array_index (wanted, AnswerWanted, OF_PAIRS + k).value;

      g->pairs.matches[g->pairs.n++] = g->pairs.matches[k];
      g_array_index (wanted, AnswerWanted, INLIERS).value += agrees;
      answer_want (wanted, agrees, 0);
    }
  g_array_index (wanted, AnswerWanted, RESIDUAL).within = INFINITY;     /* it is of all that agree */
  return g->kind == RIGHT;
}

/* Where in their lists the places stand does not matter. */
static gboolean
in_other_places (guint64 seed G_GNUC_UNUSED, gpointer input, GArray *wanted G_GNUC_UNUSED)
{
  Case      *c = &((Agreement *) input)->pairs;
  const Case kept = *c;

  for (gint i = 0; i < c->n; i++)
    {
      c->a[c->n - 1 - i] = kept.a[i];
      c->b[(i + 7) % c->n] = kept.b[i];
      c->matches[i] = (Match) { c->n - 1 - i, (i + 7) % c->n, 0 };
    }
  return TRUE;
}

const AnswerRow answer_consensus = {
  .name = "consensus", .cases = 200, .draw = agreement_draw, .describe = agreement_words, .clear = g_free,
  .compute = agreement_find, .reference = agreement_reference,
  .tolerance = "pairs agree exactly; a mean of squares in two orders; the matrix is the drawn one or near it",
  .laws = { { "pairs of no numbers", with_no_numbers }, { "some pairs twice", some_twice }, { "places in other places", in_other_places } },
  .special = consensus
};
