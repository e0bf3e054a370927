/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The transform that lays a picture on a reference: see align.h.
 */
#include "config.h"

#include <glib/gi18n-lib.h>

#include "align.h"
#include "align-coarse.h"
#include "align-direct.h"
#include "align-stars.h"

#include <math.h>
#include <string.h>

#include "matches.h"
#include "matrix.h"
#include "tangent.h"

#define SEED          1
#define FAR_OFF       3.0       /* pixels, that the points leave open: then what is large in both pictures is compared first */
#define MOST_ERROR    1.0       /* pixels at a corner, that the pixels leave open: of 218 known pairs three of six beyond 1.4 were wrong by 3 to 12; of 337 others one beyond 1, by 2.3 */
#define LEAST_AGREEMENT 0.5     /* of what both show: right ones of 150 known pairs had 0.52 or more, wrong ones up to 0.38 where dust stands still */
#define SPOT          4.0       /* pixels: what agrees that well is left out where the pictures are compared at large */
#define FEWEST_BLOCKS 8         /* of the pictures at large, that have a vote */
#define LEAST_SHARE   0.5       /* of them, that agree */
#define DOUBTFUL      0.3       /* pixels: what points and squares leave open, so that all pixels are asked */
#define OFF           3.0       /* pixels at a corner: then it is another movement */
#define DIRECT_ERROR  0.7       /* pixels at a corner, where no points agree: then the verdict is off by more than it tells, now and then */
#define DIRECT_BLOCKS 40        /* that must agree */
#define DIRECT_SHARE  0.85      /* ... of large ones and of small ones: of 200 pairs that have nothing in common a third did */
#define CLEARLY       1.5       /* times the parts that show a thing which moves by itself: of the two the scene is what covers more */
#define FEWEST_PAIRS  3         /* that make a start */
#define STANDS        1.0       /* pixels at a corner: nothing has moved */
#define STILL_SHARE   0.7       /* of the blocks: where fewer show the same, most of what does shows nothing else, if it is a scene and not dust */
#define STILL_WHOLLY  0.6
#define SQUARES       2.25      /* of those that `cover` counts, in a block */
#define CERTAIN       0.9       /* the pixels' agreement that needs no other witness */
#define SURE_AGREEMENT 0.8      /* where few points agree */
#define SURE_SHARE    0.75

/* ---------------------------------------------------------------- transforms -- */

/* From places that begin with the bounds to GEGL's. */
static void
place_in_gegl (const GeglRectangle *reference, const GeglRectangle *moving, gdouble matrix[9])
{
  gdouble a[9], b[9];

  matrix_place (1.0, reference->x, reference->y, a);
  matrix_place (1.0, -moving->x, -moving->y, b);
  matrix_multiply (matrix, b, matrix);
  matrix_multiply (a, matrix, matrix);
  matrix_normalize (matrix);
}

/* What was known in pixels of another size. */
static void
enlarge_known (gdouble of_a, gdouble of_b, RefineKnown *known)
{
  matrix_enlarge (of_a, of_b, known->matrix);
  for (gint k = 0; k < 64; k++)
    known->precision[k / 8][k % 8] /= of_a * of_a;
}

static gboolean
is_believed (const RefineVerdict *verdict)
{
  return verdict->is_known && verdict->agreement >= LEAST_AGREEMENT && verdict->error <= MOST_ERROR;
}

/* A kind of movement that was asked for may be too small for what the pictures show.  The squares that it leaves far off are left out, and the others
 * do not miss them: what is found without that limit tells. */
static void
compare_with_free (const RefinePicture *a, const RefinePicture *b, const RefineKnown *known, const gdouble matrix[9], RefineVerdict *verdict)
{
  ConsensusModel model = MODEL_HOMOGRAPHY;
  RefineVerdict  of_free;
  gdouble        free_of_it[9];

  memcpy (free_of_it, matrix, sizeof free_of_it);
  refine_far (a, b, model, free_of_it);
  refine_near (a, b, known, TRUE, &model, free_of_it, &of_free);
  if (is_believed (&of_free))
    verdict->error = hypot (verdict->error, tangent_apart (free_of_it, matrix, b->bounds.width, b->bounds.height, a->bounds.width, a->bounds.height));
}

/* By the pixels, if they can be compared. */
static void
refine (AlignPicture *reference, AlignPicture *moving, const AlignSettings *settings, Consensus *found, RefineVerdict *verdict)
{
  const RefinePicture *a = &reference->small, *b = &moving->small;
  const gboolean       is_free = settings->model == MODEL_AUTO;
  const gdouble        error = found->error;
  gboolean             is_near;
  RefineKnown          known;

  *verdict = (RefineVerdict) { .is_known = FALSE };
  memcpy (known.matrix, found->matrix, sizeof known.matrix);
  memcpy (known.precision, found->precision, sizeof known.precision);
  enlarge_known (reference->factor, moving->factor, &known);
  found->error *= reference->factor;
  found->residual *= reference->factor;
  if (! settings->refines)
    {
      matrix_enlarge (reference->factor, moving->factor, found->matrix);
      return;
    }
  if (error > FAR_OFF)
    refine_blurred (a, b, is_free ? MODEL_HOMOGRAPHY : found->model, found->matrix);
  is_near = refine_far (a, b, found->model, found->matrix);
  matrix_enlarge (reference->factor, moving->factor, found->matrix);
  if (! is_near && reference->factor * moving->factor > 1)
    refine_far (&reference->full, &moving->full, found->model, found->matrix);
  refine_near (&reference->full, &moving->full, &known, is_free, &found->model, found->matrix, verdict);
  if (! is_free && found->model < MODEL_HOMOGRAPHY && verdict->is_known && verdict->error < INFINITY)
    compare_with_free (&reference->full, &moving->full, &known, found->matrix, verdict);
}

/* Takes the pixels' word for what they know better than the points. */
static void
judge (const RefineVerdict *verdict, Consensus *found)
{
  gchar texts[2][G_ASCII_DTOSTR_BUF_SIZE];

  if (! verdict->is_known)
    return;
  found->error = verdict->error;
  found->is_aligned = is_believed (verdict);
  if (verdict->agreement < LEAST_AGREEMENT)
    g_snprintf (found->reason, sizeof found->reason, _("%d matches agree, but where the pictures would lie on one another they show the same in %d %% only"),
                found->inliers, (gint) (100 * MAX (verdict->agreement, 0)));
  else if (! isfinite (found->error))
    g_snprintf (found->reason, sizeof found->reason, _("the %d matches that agree leave open where a corner of what both pictures show comes to lie"),
                found->inliers);
  else if (! found->is_aligned)
    g_snprintf (found->reason, sizeof found->reason, _("%d matches agree, but the pixels leave %s pixels open at a corner of what both pictures show; %s are allowed"),
                found->inliers, g_ascii_formatd (texts[0], sizeof texts[0], "%.3g", found->error),
                g_ascii_formatd (texts[1], sizeof texts[1], "%.3g", MOST_ERROR));
}

/* The pictures, and the points of each that are compared. */
typedef struct
{
  AlignPicture      *reference, *moving;
  const AlignPoints *in_a, *in_b;
  const Match       *matches;
  gint               n;
  const DirectHints *hints;
} Compared;

/* Away from the points that agree, do the pictures show the same at large? */
static void
vote (const Compared *c, const gdouble matrix[9], CoarseVote *voted)
{
  g_autofree MatchPlace *of_a = g_new (MatchPlace, c->n + 1), *of_b = g_new (MatchPlace, c->n + 1);
  gint                   n = 0;

  for (gint i = 0; i < c->n; i++)
    {
      const MatchPlace *a = &c->in_a->places[c->matches[i].a], *b = &c->in_b->places[c->matches[i].b];

      if (consensus_agrees (matrix, a, b, SPOT))
        {
          of_a[n] = *a;
          of_b[n++] = *b;
        }
    }
  coarse_vote (c->reference, &(CoarseSpots) { of_a, n }, c->moving, &(CoarseSpots) { of_b, n }, matrix, voted);
}

/* Where they show little there, nobody knows.  What moves in the scene denies less of it than points cover. */
static gboolean
is_denied (const CoarseVote *voted, gint cover)
{
  return voted->seen >= FEWEST_BLOCKS && voted->agree < LEAST_SHARE * voted->seen && SQUARES * (voted->seen - voted->agree) > cover;
}

/* Few points agree: then nearly all pixels must. */
static gboolean
is_witnessed (const CoarseVote *voted, const RefineVerdict *verdict)
{
  return verdict->is_known && verdict->agreement >= SURE_AGREEMENT && verdict->error <= MOST_ERROR && voted->agree >= FEWEST_BLOCKS
         && voted->agree >= SURE_SHARE * voted->seen;
}

static gboolean
is_seen (const DirectVote *voted, const RefineVerdict *verdict)
{
  const gint agree = voted->agree[0] + voted->agree[1];
  gboolean   is_seen = verdict->error <= DIRECT_ERROR && agree >= DIRECT_BLOCKS && agree >= CLEARLY * (voted->excused[0] + voted->excused[1]);

  for (gint k = 0; k < 2; k++)
    is_seen &= voted->agree[k] >= DIRECT_SHARE * (voted->seen[k] - voted->excused[k]) && voted->agree[k] >= LEAST_SHARE * voted->seen[k];
  return is_seen;
}

/* By all pixels at once; from the found matrix, whose vote `before` becomes, or without one. */
static gboolean
find_direct (AlignPicture *reference, AlignPicture *moving, const AlignSettings *settings, const DirectHints *hints, DirectVote *before, DirectVote *voted,
             Consensus *found)
{
  const gboolean is_free = settings->model == MODEL_AUTO;
  RefineVerdict  verdict;

  found->model = is_free ? MODEL_HOMOGRAPHY : settings->model;
  if (! settings->refines
      || ! align_direct (&reference->full, &moving->full, hints, is_free, &found->model, found->matrix, before, voted, &verdict))
    return FALSE;
  found->error = verdict.error;
  found->is_likely = found->is_aligned = is_seen (voted, &verdict);
  if (! before)
    {
      found->inliers = voted->agree[0] + voted->agree[1];
      g_snprintf (found->reason, sizeof found->reason, _("found by what the pictures show at large: %d of %d parts of them agree"), found->inliers,
                  voted->seen[0] + voted->seen[1]);
    }
  return found->is_aligned;
}

/* How far both lay a corner of B from one another. */
static gdouble
apart (const GeglRectangle *b, const gdouble one[9], const gdouble other[9])
{
  gdouble most = 0;

  for (gint i = 0; i < 4; i++)
    {
      gdouble x, y, u, v;

      matrix_map (one, i & 1 ? b->width : 0, i & 2 ? b->height : 0, &x, &y);
      matrix_map (other, i & 1 ? b->width : 0, i & 2 ? b->height : 0, &u, &v);
      most = MAX (most, hypot (x - u, y - v));
    }
  return most;
}

static gdouble
share_of (const DirectVote *voted)
{
  return (gdouble) (voted->agree[0] + voted->agree[1]) / MAX (voted->seen[0] + voted->seen[1], 1);
}

/* Where the points or the squares leave a doubt: all pixels find it, or deny it, where they lead away and not nearly all of them agree with it.
 * FALSE: they do neither. */
static gboolean
ask_all_pixels (const Compared *c, const AlignSettings *settings, const Consensus *points, Consensus *found)
{
  Consensus  direct = *points;
  DirectVote before, voted;
  gboolean   is_another;

  matrix_enlarge (c->reference->factor, c->moving->factor, direct.matrix);
  if (found->is_aligned)
    memcpy (direct.matrix, found->matrix, sizeof direct.matrix);
  if (find_direct (c->reference, c->moving, settings, c->hints, &before, &voted, &direct))
    {
      if (! found->is_aligned || direct.error < found->error || apart (&c->moving->full.bounds, direct.matrix, found->matrix) > OFF)
        *found = direct;
      return TRUE;
    }
  is_another = found->is_aligned
               && (share_of (&before) < LEAST_SHARE
                   || (apart (&c->moving->full.bounds, direct.matrix, found->matrix) > OFF && share_of (&before) < MAX (DIRECT_SHARE, share_of (&voted))));
  if (is_another)
    {
      found->is_aligned = FALSE;
      g_snprintf (found->reason, sizeof found->reason, _("%d matches agree, but away from them the pictures show something else"), found->inliers);
    }
  return is_another;
}

/* Stars are no dust, whatever clouds do around them. */
static gboolean
stars_stand (const AlignPicture *reference, const AlignPicture *moving, const AlignSettings *settings)
{
  static const gdouble identity[9] = MATRIX_IDENTITY;
  Consensus            found;

  return align_stars (&reference->full, &moving->full, settings->model, &found) && apart (&moving->full.bounds, found.matrix, identity) <= STANDS;
}

/* What stands still may be dust on the sensor, while the scene moves.  Where a scene stands, and things move in it, a block shows the same and
 * nothing else, or something else; beside dust it shows both. */
static void
deny_dust (AlignPicture *reference, AlignPicture *moving, const AlignSettings *settings, Consensus *found)
{
  static const gdouble identity[9] = MATRIX_IDENTITY;
  const CoarseSpots    none = { NULL, 0 };
  CoarseVote           voted;

  if (! found->is_aligned || apart (&moving->full.bounds, found->matrix, identity) > STANDS)
    return;
  coarse_vote (reference, &none, moving, &none, identity, &voted);
  if (voted.seen < FEWEST_BLOCKS || voted.agree >= STILL_SHARE * voted.seen || voted.wholly >= STILL_WHOLLY * voted.agree)
    return;
  if (stars_stand (reference, moving, settings))
    return;
  found->is_aligned = FALSE;
  g_snprintf (found->reason, sizeof found->reason, _("%d matches agree, but away from them the pictures show something else"), found->inliers);
}

/* Where most points are of something else, or the pixels led away from them, it may be a pattern that agrees: few points of it agree on any of its shifts. */
static void
deny_repeats (const Compared *c, const Consensus *before, const Consensus *other, Consensus *found)
{
  gdouble by_points[9];

  memcpy (by_points, before->matrix, sizeof by_points);
  matrix_enlarge (c->reference->factor, c->moving->factor, by_points);
  if (! found->is_aligned || (other->inliers <= before->inliers && apart (&c->moving->full.bounds, by_points, found->matrix) <= OFF)
      || ! align_repeats (&c->reference->full, &c->moving->full, found->matrix))
    return;
  found->is_aligned = FALSE;
  g_snprintf (found->reason, sizeof found->reason, _("%d matches agree, but what the pictures show repeats: another shift fits as well"), found->inliers);
}

/* Refined, and believed or not. */
static void
take_once (const Compared *c, const AlignSettings *settings, Consensus *found)
{
  const Consensus before = *found;
  RefineVerdict   verdict;
  CoarseVote      voted;

  if (! found->is_likely && ! (found->is_possible && settings->refines))
    return;
  refine (c->reference, c->moving, settings, found, &verdict);
  judge (&verdict, found);
  if (before.is_likely && settings->refines && (! found->is_aligned || found->error > DOUBTFUL) && ask_all_pixels (c, settings, &before, found))
    return;
  if (before.is_likely && ! found->is_aligned)
    return;
  if (before.is_likely && verdict.is_known && verdict.agreement >= CERTAIN)
    return;
  vote (c, before.matrix, &voted);
  if (! before.is_likely && ! is_witnessed (&voted, &verdict))
    *found = before;
  else if (before.is_likely && is_denied (&voted, before.cover))
    {
      found->is_aligned = FALSE;
      g_snprintf (found->reason, sizeof found->reason, _("%d matches agree, but away from them the pictures show something else"), found->inliers);
    }
  else
    found->is_likely = TRUE;
}

static void
take (const Compared *c, const AlignSettings *settings, const Consensus *other, Consensus *found)
{
  const Consensus before = *found;

  take_once (c, settings, found);
  deny_repeats (c, &before, other, found);
  deny_dust (c->reference, c->moving, settings, found);
}

/* What so few points agree on may be near what is right. */
static void
add_hint (const Compared *c, const Consensus *found, DirectHints *hints)
{
  gdouble inverse[9];

  if (hints->n == DIRECT_HINTS || found->inliers < FEWEST_PAIRS || ! matrix_invert (found->matrix, inverse))
    return;
  hints->is_likely[hints->n] = found->is_likely;
  memcpy (hints->matrices[hints->n], found->matrix, sizeof found->matrix);
  matrix_enlarge (c->reference->factor, c->moving->factor, hints->matrices[hints->n++]);
}

static gboolean
find_once (const TesseraErrand *errand, AlignPicture *reference, const AlignPoints *in_a, AlignPicture *moving, const AlignPoints *in_b,
           const AlignSettings *settings, DirectHints *hints, Consensus *found)
{
  const GeglRectangle *a = &reference->small.bounds, *b = &moving->small.bounds;
  g_autofree Match    *matches = NULL;
  Consensus            second;
  const gint           n = match_descriptors (errand, in_a->descriptors, in_a->n, in_b->descriptors, in_b->n, settings->ratio, TRUE, &matches);
  const Compared       compared = { reference, moving, in_a, in_b, matches, n, hints };

  if (n < 0)
    return FALSE;
  consensus_propose (in_a->places, in_b->places, matches, n, settings->model, SEED, b->width, b->height, a->width, a->height, NULL,
                     found, &second);
  add_hint (&compared, found, hints);
  add_hint (&compared, &second, hints);
  take (&compared, settings, &second, found);
  if (! found->is_aligned && (second.is_likely || second.is_possible))
    {
      take (&compared, settings, found, &second);
      if (second.is_aligned)
        {
          const Consensus kept = *found;

          *found = second;
          second = kept;
        }
    }
  consensus_remark (found, &second);
  return TRUE;
}

gboolean
align_find (const TesseraErrand *errand, AlignPicture *reference, AlignPicture *moving, const AlignSettings *settings, Consensus *found)
{
  static const gdouble identity[9] = MATRIX_IDENTITY;
  Consensus            other, direct = { .inliers = 0 };
  DirectHints          hints = { .n = 0 };
  DirectVote           voted;

  if (! find_once (errand, reference, &reference->points, moving, &moving->points, settings, &hints, found))
    return FALSE;
  if (! found->is_aligned && (! reference->has_all || ! moving->has_all))
    {
      Consensus again;

      if (! align_picture_find_more (reference, errand, settings) || ! align_picture_find_more (moving, errand, settings)
          || ! find_once (errand, reference, reference->more.places ? &reference->more : &reference->points, moving,
                          moving->more.places ? &moving->more : &moving->points, settings, &hints, &again))
        return FALSE;
      if (again.is_aligned)
        *found = again;
      else if (again.inliers > found->inliers)
        {
          found->inliers = again.inliers;
          memcpy (found->reason, again.reason, sizeof found->reason);
        }
    }
  if (! found->is_aligned && ! found->is_likely && align_stars (&reference->full, &moving->full, settings->model, &other))
    *found = other;
  if (! found->is_aligned && find_direct (reference, moving, settings, &hints, NULL, &voted, &direct))
    {
      *found = direct;
      deny_dust (reference, moving, settings, found);
    }
  if (found->is_aligned)
    place_in_gegl (&reference->full.bounds, &moving->full.bounds, found->matrix);
  else
    memcpy (found->matrix, identity, sizeof identity);
  return TRUE;
}
