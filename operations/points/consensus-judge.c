/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Whether the transform on which most pairs agree is believed.  Unrelated pictures always have some pairs that agree,
 * and repeated structures many: they are few places, a small part of the pairs, or a transform that no camera makes.  And
 * where they lie must fix the transform everywhere.
 */
#include "config.h"

#include "consensus-models.h"

#include <glib/gi18n-lib.h>

#include <math.h>

#define LEAST_PERCENT 15        /* of the matches */
#define MOST_ERROR    3.0       /* pixels at a corner, that the pairs predict: wrong ones of six known cases had 8 to 109, right ones 0.3 to 1.7 */
#define LEAST_PLACES  5         /* of what another witness makes likely; and half of what are needed without one */
#define DOUBTFUL      1.0       /* pixels: more are told */

/* A few digits, with a point in any locale. */
static const gchar *
shown (gdouble number, gchar *text)
{
  return g_ascii_formatd (text, G_ASCII_DTOSTR_BUF_SIZE, "%.3g", number);
}

/* So many that 25.004 is not 25. */
static const gchar *
shown_exactly (gdouble number, gchar *text)
{
  return g_ascii_formatd (text, G_ASCII_DTOSTR_BUF_SIZE, "%.6g", number);
}

/* How many places are asked for: by chance, and of what each kind of transform is bent by. */
static gint
needed (const Pairs *pairs, const Frames *frames, ConsensusModel model)
{
  static const gint least[] = { 6, 8, 10, 12 };

  return MAX (least[model], belief_needed (pairs, models_sample_size (model), frames));
}

void
consensus_judge (const Pairs *pairs, gint n_matches, const Frames *frames, Consensus *c)
{
  const gint need = needed (pairs, frames, c->model);
  gchar      texts[2][G_ASCII_DTOSTR_BUF_SIZE];
  gdouble    least, most;

  c->is_likely = c->is_aligned = FALSE;
  c->is_possible = c->places >= MAX (LEAST_PLACES, need / 2) && 100 * (gint64) c->inliers >= LEAST_PERCENT * (gint64) n_matches
                   && models_is_upright (c->matrix, frames, &least, &most);
  c->reason[0] = '\0';
  if (c->places < need && c->places < c->inliers)
    g_snprintf (c->reason, sizeof c->reason, _("%d of %d matches agree, from %d places; %d are needed"), c->inliers, n_matches, c->places, need);
  else if (c->places < need)
    g_snprintf (c->reason, sizeof c->reason, _("%d of %d matches agree; %d are needed"), c->inliers, n_matches, need);
  else if (100 * (gint64) c->inliers < LEAST_PERCENT * (gint64) n_matches)
    g_snprintf (c->reason, sizeof c->reason, _("%d of %d matches agree, %s %%; %d %% are needed"), c->inliers, n_matches,
                shown (100.0 * c->inliers / n_matches, texts[0]), LEAST_PERCENT);
  else if (! models_is_upright (c->matrix, frames, &least, &most))
    g_snprintf (c->reason, sizeof c->reason, most < 0 && isfinite (least)
                ? _("%d of %d matches agree on a mirrored picture, or one seen from behind")
                : least < 0 ? _("%d of %d matches agree on a picture that is folded")
                : _("%d of %d matches agree, on a scale of areas from %s to %s; 0.04 to 25 are believed"),
                c->inliers, n_matches, shown_exactly (least, texts[0]), shown_exactly (most, texts[1]));
  else
    {
      c->is_likely = TRUE;
      c->is_aligned = c->error <= MOST_ERROR;
      if (! c->is_aligned)
        g_snprintf (c->reason, sizeof c->reason, isfinite (c->error)
                    ? _("the %d matches that agree leave %s pixels open at a corner of what both pictures show; %s are allowed")
                    : _("the %d matches that agree leave open where a corner of what both pictures show comes to lie"),
                    c->inliers, shown (c->error, texts[0]), shown (MOST_ERROR, texts[1]));
    }
}

void
consensus_remark (Consensus *c, const Consensus *second)
{
  gchar texts[1][G_ASCII_DTOSTR_BUF_SIZE];

  if (! c->is_aligned)
    return;
  if (second->is_likely)
    g_snprintf (c->reason, sizeof c->reason, _("there are two movements: %d matches agree on this one, %d on another one that covers less of the picture"),
                c->inliers, second->inliers);
  else if (c->error > DOUBTFUL)
    g_snprintf (c->reason, sizeof c->reason, _("it may be %s pixels off at a corner"), shown (c->error, texts[0]));
  else
    c->reason[0] = '\0';
}
