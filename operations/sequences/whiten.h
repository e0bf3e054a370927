/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The background of a frame, predicted from frames before it, and what stands out against it.
 *
 *   background   = sum a_k I_k (x - m_k)
 *   whitened     = I_t - background
 *   significance = (whitened - local median) / sigma
 *   sigma^2      = local^2 + (0.1 px |grad background|)^2 + max (background - its median, 0) / gain
 *
 * local is 1.4826 MAD of whitened.  It and the median are those of blocks of 64 px, interpolated bilinearly between
 * their centres.  The last block of an axis has what is left over too.  The second term is what a star's wrong position by
 * 0.1 px leaves, the third its own photon noise.
 *
 * Bad pixels are NaN (whiten_prepare).  Where some history frames are not usable (bad, or not there), the weights of the others are
 * scaled to sum 1; where they sum to less than 0.5, the others' mean counts; where there is none, the background is
 * NaN (a result that somebody looks at has 0 there), and counts as the pixel beside it in gradients.  whitened and significance are NaN
 * there and where the current pixel is bad: no detection.
 */
#ifndef WHITEN_H
#define WHITEN_H

#include "weights.h"

#define WHITEN_BLOCK 64

/* The background's pixels are those of tessera_reached_new. */
typedef struct
{
  CountPlane background, whitened, significance;
} WhitenPlanes;

void whiten_planes_init   (WhitenPlanes *planes, gint width, gint height);
void whiten_planes_clear  (WhitenPlanes *planes);

/* `prepared` (initialised here) is the plane less the dark, which may be NULL, and NaN where a pixel is bad (shift.h).  Saturation is that of
 * the plane as it came, heat that of the difference. */
void whiten_prepare       (const CountPlane *plane, const CountPlane *dark, gfloat saturation, gboolean reject_hot,
                           CountPlane *prepared);

/* Sets background and whitened. */
void whiten_predict       (const CountPlane *current, const CountPlane *const *history, const Weights *weights,
                           WhitenPlanes *planes);
/* Sets significance from these.  `gain` is in e-/ADU; 0: without the third term. */
void whiten_judge         (WhitenPlanes *planes, gdouble gain);
/* The same of frames whose numbers are `step` apart, 0: not known.  Where the noise is less than a step, most pixels agree and some are a step off:
 * then it is the mean square of what is within two steps, and no less than WHITEN_OF_STEP of one. */
void whiten_judge_steps   (WhitenPlanes *planes, gdouble gain, gfloat step);
#define WHITEN_OF_STEP 0.2887f  /* sqrt (1/12): what rounding adds */

#endif
