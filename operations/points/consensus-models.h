/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What consensus.c is made of: pairs of places, the transforms through them, and whether a transform is believed.
 * Only + - * / and sqrt of doubles decide anything here, in one order; the processor and the C library cannot matter.
 */
#ifndef CONSENSUS_MODELS_H
#define CONSENSUS_MODELS_H

#include "consensus.h"
#include "tangent.h"

#define MOST_SAMPLE     4       /* pairs that fix a homography */
#define MOST_PARAMETERS 8

/* A pair of places: (x, y) in B belongs to (u, v) in A. */
typedef struct
{
  gdouble x, y, u, v;
  gdouble reach2;               /* the squared error, in A, under which it agrees */
  gint    a_place, b_place;     /* numbers of the places: equal where the places are */
  gint    match;                /* its index */
} Pair;

typedef struct
{
  Pair    *pairs;               /* in the order of the matches; what is no number is left out */
  gint     n;
  gint    *first;               /* indices of the pairs that count: the first one of the same two places */
  gint     n_first;
  gdouble *x, *y, *u, *v, *weight;      /* of these; weight is 1 / reach^2 */
} Pairs;

typedef struct
{
  gdouble width, height, a_width, a_height;     /* of B, of A */
} Frames;

void     pairs_init         (Pairs *pairs, const MatchPlace *a, const MatchPlace *b, const Match *matches, gint n_matches);
void     pairs_clear        (Pairs *pairs);

/* Pairs that a transform of this kind takes. */
gint     models_sample_size (ConsensusModel model);

/* FALSE: these pairs do not fix a transform of this kind, or only badly; others are to be drawn. */
gboolean models_may_fix     (ConsensusModel model, const Pair *sample);

/* The transform that takes the n = models_sample_size pairs exactly.  FALSE: there is none. */
gboolean models_fix         (ConsensusModel model, const Pair *sample, gdouble *matrix);

/* Improves `matrix` on the chosen ones (`n` indices) of the pairs. */
void     models_improve     (ConsensusModel model, const Pair *pairs, const gint *chosen, gint n, gdouble *matrix);

/* The squared error of a pair in A; infinite where the place in B goes beyond the horizon. */
gdouble  models_error2      (const gdouble *matrix, const Pair *pair);

/* Is the scale of areas in all of B between 1/25 and 25?  Below 0 it is mirrored; across a horizon, folded. */
gboolean models_is_upright  (const gdouble *matrix, const Frames *frames, gdouble *least, gdouble *most);

/* Pairs that agree, each with its weight. */
typedef struct
{
  const Pair *pairs;
  gint       *chosen;           /* their indices */
  gint        n;
  gdouble    *weights;
} Inliers;

/* From how many spots of some pixels the pairs are, in A or in B if these are fewer: one with many points is one. */
gint     belief_spots       (const Pair *pairs, const gint *chosen, gint n);
/* Weights that make each spot one.  Returns how many there are. */
gdouble  belief_weights     (const Pair *pairs, const gint *chosen, gint n, gdouble *weights);
/* How much of A they cover, in squares. */
gint     belief_cover       (const Pair *pairs, const gint *chosen, gint n, const Frames *frames);
/* So many of these pairs hardly agree by chance on a transform that `sample` of them fix. */
gint     belief_needed      (const Pairs *pairs, gint sample, const Frames *frames);
/* Huber's loss of their errors. */
gdouble  belief_loss        (const Inliers *inliers, const gdouble *matrix);
/* Makes `matrix` a homography, as far as they ask for one. */
void     belief_bend        (const Inliers *inliers, const Frames *frames, gdouble *matrix);
/* How surely the pairs, and what cameras do, fix the numbers of a homography: the inverse of their covariance. */
void     belief_precision   (const Inliers *inliers, const Frames *frames, const gdouble *matrix, gdouble precision[TANGENT_MOST][TANGENT_MOST]);
/* One standard deviation of the error at the worst corner of what both pictures show.  `is_expected`: of a homography of a camera, of which the
 * model leaves out what does not matter to these pairs. */
gdouble  belief_error       (const Inliers *inliers, ConsensusModel model, gboolean is_expected, const Frames *frames, const gdouble *matrix);

typedef struct
{
  gdouble matrix[9];
  gdouble score;
} Candidate;

/* The best transform that a camera makes, and the best of the others.  What is not found stays as it was, with no score. */
void     consensus_search   (const Pairs *pairs, ConsensusModel model, guint64 seed, const Frames *frames, Candidate *upright, Candidate *other);

/* Fills is_likely, is_aligned and `reason` of a consensus whose other members are known. */
void     consensus_judge    (const Pairs *pairs, gint n_matches, const Frames *frames, Consensus *consensus);

#endif
