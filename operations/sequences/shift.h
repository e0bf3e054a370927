/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The shift of a frame against a reference, to some thousandths of a pixel.
 *
 * A shift (x, y) is how far the content has moved: what lies at (X, Y) in the reference lies at (X + x, Y + y) in the frame.
 *
 * Both frames are softened by the binomial [1 2 1]/4 along x and y; R and I are the softened ones, h and g the central differences of R.
 * With e = I - R, p = sum g e, q = sum h e, u = sum h h, v = sum h g, w = sum g g the frame has moved by -(dx, dy),
 *   dx = (q w - p v) / (u w - v v),  dy = (p u - q v) / (u w - v v).
 * SHIFT_SINGLE takes this one step.  SHIFT_ITERATED repeats it with I resampled by the cubic through 4 pixels (Lagrange), until a step is under 0.001 px
 * or there were SHIFT_PLAIN_STEPS; then again from the start, up to 30 steps, half as long from where one turns back: of a frame that is sharper than the reference steps go too far
 * (inverse-compositional Gauss-Newton; S. Baker, I. Matthews, 2004).  SHIFT_PYRAMID finds whole pixels first, from the projections on x and on y.
 *
 * Bad pixels are those that are not finite, those at or above `saturation`, and hot ones: more than 8 sigma above the median of their 5x5, where
 * the four neighbours rise by less than a quarter of that.  Sigma is 1.4826 times the median of |pixel - its median| over the frame.
 * Bad pixels count as 0, and nothing that they touch is used.
 *
 * All threads work on one call.  The bits of the result do not depend on their number.
 */
#ifndef SHIFT_H
#define SHIFT_H

#include "count-plane.h"

#define SHIFT_PLAIN_STEPS 10    /* those that follow are damped */

typedef enum
{
  SHIFT_SINGLE, SHIFT_ITERATED, SHIFT_PYRAMID
} ShiftMethod;

typedef struct
{
  ShiftMethod method;
  gint        max_shift;        /* of the start, in pixels */
  gfloat      saturation;       /* INFINITY: off */
  gboolean    reject_hot;
} ShiftSettings;

#define SHIFT_DEFAULTS { SHIFT_PYRAMID, 64, INFINITY, TRUE }

typedef struct
{
  gboolean ok;                  /* FALSE: too little to compare; x and y are where the search began */
  gboolean converged;           /* with more than SHIFT_PLAIN_STEPS noise may have, too */
  gdouble  x, y;
  gdouble  error;               /* one standard deviation of x and y, in pixels; INFINITY if not ok */
  gint     pixels;              /* used in the last step */
  gint     steps;
} Shift;

/* Without anything else that says so. */
static inline gboolean
shift_is_sure (const Shift *found)
{
  return found->ok && found->converged && found->steps <= SHIFT_PLAIN_STEPS;
}

/* What is made of a frame alone, for one that is compared several times. */
typedef struct _ShiftFrame ShiftFrame;

ShiftFrame *shift_frame_new  (const CountPlane *plane, const ShiftSettings *settings);
void        shift_frame_free (ShiftFrame *frame);

/* Frames of different sizes: not ok. */
void shift_between (const ShiftFrame *reference, const ShiftFrame *frame, const ShiftSettings *settings, Shift *found);

/* The bad pixels alone: 1 where a pixel is bad, else 0. */
void shift_bad_pixels (const CountPlane *plane, gfloat saturation, gboolean reject_hot, guint8 *bad);

#endif
