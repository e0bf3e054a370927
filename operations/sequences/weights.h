/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * How much each frame of the history counts for the background of the current frame.
 *
 * A history frame k is moved by whole pixels, m_k = floor (s_t - s_k + 1/2) on each axis, so that what is left,
 * d_k = s_k + m_k - s_t, is half a pixel at most.  Then, with all monomials of d up to a degree as the rows of Phi,
 *
 *   a = Phi^T (Phi Phi^T + N gamma D)^-1 e1,   D = diag (0, 1, 1, ...)
 *
 * are the smallest weights that predict each background that is a polynomial of the shift.  The constant is not damped, so
 * they sum to 1.  From frames they are a linear prediction, a = (R + 1e-6 tr (R) / N E)^-1 b, of frames less their means.
 *
 * After the article on spatio-temporal filtering of images, 2014.  Deviations: the article damps the constant too
 * (`article_ridge`), so that its weights sum to less than 1.
 */
#ifndef WEIGHTS_H
#define WEIGHTS_H

#include "count-plane.h"

#define WEIGHTS_MAX_FRAMES 64
#define WEIGHTS_MAX_DEGREE 3
#define WEIGHTS_MAX_TERMS  10

typedef enum
{
  WEIGHTS_FROM_SHIFTS,
  WEIGHTS_FROM_FRAMES
} WeightsMethod;

typedef struct
{
  WeightsMethod method;
  gint          degree;         /* of the polynomials, 0 to 3 */
  gdouble       gamma;
  gboolean      article_ridge;
  gboolean      align;          /* FALSE: no frame is moved */
} WeightsSettings;

/* Where the content is, against a reference that all frames share. */
typedef struct
{
  gdouble x, y;
} FrameShift;

/* Why the weights are simpler than what was asked for. */
typedef enum
{
  WEIGHTS_AS_ASKED,
  WEIGHTS_FEW_FRAMES,           /* fewer than monomials */
  WEIGHTS_ILL_CONDITIONED,      /* condition number above 1e12 */
  WEIGHTS_NOTHING_COMMON        /* from frames: no pixel is good in all of them, or all are one value; their mean counts */
} WeightsLowered;

typedef struct
{
  gint           n;
  gint           move_x[WEIGHTS_MAX_FRAMES], move_y[WEIGHTS_MAX_FRAMES];        /* m_k: history (x - m_k) lies under current (x) */
  gdouble        a[WEIGHTS_MAX_FRAMES];
  gdouble        mean[WEIGHTS_MAX_FRAMES];      /* of the frame, where it counts: background = level + sum a_k (I_k - mean_k) */
  gdouble        level;                         /* both are 0 from shifts */
  gint           degree;                        /* used; -1 from frames */
  WeightsLowered lowered;
  gdouble        noise_gain;                    /* sqrt (1 + sum a_k^2) */
} Weights;

/* To 1/1024 px: estimates that differ in the last bits then give the same moves and weights. */
FrameShift weights_round_shift (FrameShift shift);

/* history: n planes, the oldest first, NaN where a pixel is bad, of the size of `current`.  From shifts, planes are not looked
 * at and may be NULL.  n is 1 to WEIGHTS_MAX_FRAMES. */
void       weights_find        (const CountPlane *current, FrameShift current_shift, const CountPlane *const *history,
                                const FrameShift *shifts, gint n, const WeightsSettings *settings, Weights *weights);

/* weights-frames.c: what that does from frames.  Moves are set; sets the weights, means and level. */
void       weights_from_frames (const CountPlane *current, const CountPlane *const *history, Weights *weights);

#endif
