/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * All pixels are asked: see align-pixels.h.
 */
#include "config.h"

#include <glib/gi18n-lib.h>

#include "align-pixels.h"

#include <math.h>
#include <string.h>

#include "matrix.h"

#define OFF           3.0       /* pixels at a corner: then it is another movement */
#define DIRECT_ERROR  0.7       /* pixels at a corner, where no points agree: then the verdict is off by more than it tells, now and then */
#define DIRECT_BLOCKS 40        /* that must agree */
#define DIRECT_SHARE  0.85      /* ... of large ones and of small ones: of 200 pairs that have nothing in common a third did */

#define LARGER        2         /* times as many blocks as another movement */
#define LARGER_ERROR  0.5       /* pixels at a corner, where another one is left out: two of 12 known pairs beyond it were off by 1.3 and 1.8 */
#define FEWEST_PAIRS  3         /* that make a start */
#define SPOT          4.0       /* pixels: what agrees that well is one with what it agrees with */

/* -------------------------------------------------------------------- hints -- */

void
align_hints_clear (AlignHints *hints)
{
  for (gint i = 0; i < hints->n; i++)
    {
      g_free ((gpointer) hints->movements[i].of_a.places);
      g_free ((gpointer) hints->movements[i].of_b.places);
    }
  hints->n = 0;
}

static MatchPlace
enlarged (const MatchPlace *place, gint factor)
{
  return (MatchPlace) { factor * place->x + 0.5 * (factor - 1), factor * place->y + 0.5 * (factor - 1), factor * place->sigma, place->angle };
}

/* The places of the pairs that agree. */
static void
take_places (const Compared *c, const gdouble matrix[9], DirectMovement *movement)
{
  MatchPlace *of_a = g_new (MatchPlace, c->n + 1), *of_b = g_new (MatchPlace, c->n + 1);
  gint        n = 0;

  for (gint i = 0; i < c->n; i++)
    {
      const MatchPlace *a = &c->in_a->places[c->matches[i].a], *b = &c->in_b->places[c->matches[i].b];

      if (consensus_agrees (matrix, a, b, SPOT))
        {
          of_a[n] = enlarged (a, c->reference->factor);
          of_b[n++] = enlarged (b, c->moving->factor);
        }
    }
  movement->of_a = (MatchPlaces) { of_a, n };
  movement->of_b = (MatchPlaces) { of_b, n };
}

void
align_hints_add (AlignHints *hints, const Compared *c, const Consensus *found)
{
  DirectMovement movement = { .of_a = { NULL, 0 } };
  gdouble        inverse[9];

  if (hints->n == DIRECT_MOVEMENTS || found->inliers < FEWEST_PAIRS || ! matrix_invert (found->matrix, inverse))
    return;
  if (found->is_likely)
    take_places (c, found->matrix, &movement);
  memcpy (movement.matrix, found->matrix, sizeof movement.matrix);
  matrix_enlarge (c->reference->factor, c->moving->factor, movement.matrix);
  hints->movements[hints->n++] = movement;
}

/* ---------------------------------------------------------------- all pixels -- */

static gboolean
nearly_all (const gint seen[2], const gint agree[2])
{
  return agree[0] + agree[1] >= DIRECT_BLOCKS && agree[0] >= DIRECT_SHARE * seen[0] && agree[1] >= DIRECT_SHARE * seen[1];
}

/* Half of the blocks, and nearly all that no other movement explains, which is a smaller one. */
static gboolean
is_larger (const DirectVote *voted)
{
  const gint agree = voted->rest_agree[0] + voted->rest_agree[1];

  return nearly_all (voted->rest_seen, voted->rest_agree) && 2 * agree >= voted->seen[0] + voted->seen[1]
         && agree >= LARGER * (voted->explained[0] + voted->explained[1]);
}

static gboolean
is_seen (const DirectVote *voted, const RefineVerdict *verdict)
{
  return (verdict->error <= DIRECT_ERROR && nearly_all (voted->seen, voted->agree)) || (verdict->error <= LARGER_ERROR && is_larger (voted));
}

/* By all pixels at once; from the found matrix, whose vote `before` becomes, or without one. */
static gboolean
find (AlignPicture *reference, AlignPicture *moving, const AlignSettings *settings, const DirectHints *hints, DirectVote *before, DirectVote *voted,
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
  return found->is_aligned;
}

gboolean
align_find_direct (AlignPicture *reference, AlignPicture *moving, const AlignSettings *settings, const AlignHints *hints, Consensus *found)
{
  DirectHints direct = { hints->movements, hints->n, FALSE };
  DirectVote  voted;
  gboolean    is_found = find (reference, moving, settings, &direct, NULL, &voted, found);

  for (gint i = 0; i < hints->n; i++)
    direct.leaves_out |= hints->movements[i].of_a.n > 0;
  if (! is_found && direct.leaves_out)
    is_found = find (reference, moving, settings, &direct, NULL, &voted, found);
  if (is_found)
    {
      found->inliers = voted.agree[0] + voted.agree[1];
      g_snprintf (found->reason, sizeof found->reason, _("found by what the pictures show at large: %d of %d parts of them agree"), found->inliers,
                  voted.seen[0] + voted.seen[1]);
    }
  return is_found;
}

gdouble
align_apart (const GeglRectangle *b, const gdouble one[9], const gdouble other[9])
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

gboolean
align_ask_pixels (const Compared *c, const AlignSettings *settings, const AlignHints *hints, const Consensus *points, Consensus *found)
{
  const DirectHints known = { hints->movements, hints->n, FALSE };
  Consensus  direct = *points;
  DirectVote before, voted;
  gboolean   is_another;

  matrix_enlarge (c->reference->factor, c->moving->factor, direct.matrix);
  if (found->is_aligned)
    memcpy (direct.matrix, found->matrix, sizeof direct.matrix);
  if (find (c->reference, c->moving, settings, &known, &before, &voted, &direct))
    {
      if (! found->is_aligned || direct.error < found->error || align_apart (&c->moving->full.bounds, direct.matrix, found->matrix) > OFF)
        *found = direct;
      return TRUE;
    }
  is_another = found->is_aligned && align_apart (&c->moving->full.bounds, direct.matrix, found->matrix) > OFF
               && share_of (&before) < MAX (DIRECT_SHARE, share_of (&voted));
  if (is_another)
    {
      found->is_aligned = FALSE;
      g_snprintf (found->reason, sizeof found->reason, _("%d matches agree, but away from them the pictures show something else"), found->inliers);
    }
  return is_another;
}

