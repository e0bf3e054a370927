/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The transform on which most pairs of points of two pictures agree (matches.h finds the pairs).
 *
 * Places are pixels, pixel centres at integers.  A is the reference, B the picture that moves: p_A ~ M p_B.  All results
 * are the same on every machine: the random numbers are PCG32's, everything else is computed in double by one thread in a fixed order.
 *
 * D. G. Lowe, 2004 (ratio of distances); M. A. Fischler, R. C. Bolles, Random Sample Consensus, Communications of the
 * ACM 24, 1981; P. H. S. Torr, A. Zisserman, MLESAC, 2000 (score); R. I. Hartley, In Defense of the Eight-Point
 * Algorithm, 1997 (normalisation); M. E. O'Neill, PCG, 2014.
 */
#ifndef CONSENSUS_H
#define CONSENSUS_H

#include <glib.h>

#define DESCRIPTOR_LENGTH 128

typedef struct
{
  gdouble x, y, sigma, angle;   /* as in sift.h */
} MatchPlace;

typedef struct
{
  gint    a, b;                 /* indices */
  guint32 distance;             /* sum of squared differences */
} Match;

typedef enum { MODEL_TRANSLATION, MODEL_SIMILARITY, MODEL_AFFINE, MODEL_HOMOGRAPHY, MODEL_AUTO } ConsensusModel;

typedef struct
{
  gdouble  matrix[9];           /* row by row; [8] is 1; the identity if not aligned */
  gboolean is_likely;           /* what was found is hardly chance, though it may not be exact */
  gboolean is_possible;         /* not likely, but so many places that another witness makes it so */
  gboolean is_aligned;
  gint     inliers, places;     /* of the matches; of these from distinct places.  If not aligned: of the best that was found */
  gint     cover;               /* squares of A, some dozen along a side, that have inliers */
  gdouble  residual;            /* rms of the inliers, in pixels of A */
  gdouble  error;               /* at the worst corner of what both pictures show, in pixels of A */
  ConsensusModel model;         /* that was taken; never MODEL_AUTO */
  gdouble  precision[8][8];     /* how surely the numbers of a homography are known (tangent.h): the inverse of their covariance */
  gchar    reason[320];         /* why not, in words for a person, with the numbers; if aligned, a remark or "" */
} Consensus;

/* `width`, `height`: of B, which must neither fold nor be mirrored; `a_width`, `a_height`: of A.  Both begin at (0, 0);
 * places may lie outside.  Places that are no numbers, or absurd, agree with nothing.
 * `is_inlier`: one for each match, or NULL. */
void consensus_find (const MatchPlace *a, const MatchPlace *b, const Match *matches, gint n_matches,
                     ConsensusModel model, guint64 seed, gint width, gint height, gint a_width, gint a_height,
                     gboolean *is_inlier, Consensus *consensus);

/* As consensus_find, but `matrix` of what is likely stays, even if it is not exact.  `second`: the movement that most other matches agree on; of both,
 * `first` is the one that covers more of A. */
void consensus_propose (const MatchPlace *a, const MatchPlace *b, const Match *matches, gint n_matches, ConsensusModel model, guint64 seed,
                        gint width, gint height, gint a_width, gint a_height, gboolean *is_inlier, Consensus *first, Consensus *second);
/* Does the matrix bring B's place less than so many pixels from A's? */
gboolean consensus_agrees (const gdouble matrix[9], const MatchPlace *a, const MatchPlace *b, gdouble most);

/* Writes into `reason` of what is aligned what there is to know: a second movement, an error above a pixel. */
void consensus_remark  (Consensus *consensus, const Consensus *second);

/* The name as options write it, and its model; FALSE: there is none. */
const gchar *consensus_model_name (ConsensusModel model);
gboolean     consensus_model_read (const gchar *name, ConsensusModel *model);

/* Nine numbers of 9 digits, row by row, one blank between them, with a point in any locale; free it with g_free. */
gchar   *consensus_matrix_text (const gdouble *matrix);
/* FALSE: the text is not nine finite numbers. */
gboolean consensus_matrix_read (const gchar *text, gdouble matrix[9]);

#endif
