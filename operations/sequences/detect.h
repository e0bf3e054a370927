/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Faint stars in a significance plane, and objects taken out of the history.
 *
 * The matched filter is exp (-r^2 / 2 s^2), s = fwhm / 2.3548, cut at ceil (3 s) on each axis, of unit L2 norm: noise of
 * standard deviation 1 keeps it.  Beyond the plane, and where a pixel has no value (NaN), it sees 0.
 */
#ifndef DETECT_H
#define DETECT_H

#include "weights.h"

#define DETECT_BORDER 3

typedef struct
{
  gint    x, y;                 /* the pixel */
  gdouble fine_x, fine_y;       /* the top of a parabola through it and its neighbours */
  gfloat  value;                /* of the filter */
} Detection;

/* `filtered` is NaN where `plane` is, and has its size. */
void    detect_filter     (const CountPlane *plane, gdouble fwhm, CountPlane *filtered);

/* For each row 1 where a value is above `threshold`, else 0; g_free it. */
guint8 *detect_rows_above (const CountPlane *plane, gfloat threshold);

/* Maxima of 3 x 3 above `threshold`, DETECT_BORDER pixels from the border: Detections, row after row.  Of equal neighbours the
 * first is one. */
GArray *detect_maxima     (const CountPlane *filtered, gfloat threshold);

/* The counts of a star at a place of `whitened`: sum p w / sum p^2, p its picture of sum 1. */
gdouble detect_flux       (const CountPlane *whitened, gint x, gint y, gdouble fwhm);

/* ------------------------------------------------------------ removal -- */

#define REMOVAL_ROW 3

/* Of the last frames, which pixels were replaced: the state between calls.  All zeros to begin with. */
typedef struct
{
  gint       width, height, n;
  guint8    *masks[REMOVAL_ROW];        /* the newest first */
  FrameShift shifts[REMOVAL_ROW];
} Removal;

/* Replaces pixels of `frame`, which is about to become history, by `background`: those for which `filtered` is above
 * `threshold`, grown by a 5 x 5 square, so that an object leaves no dark trail.  The strongest come first, up to 1 % of the
 * frame.  A pixel that was replaced in the last 3 frames, where the sky has moved it, is left, and one whose background is NaN.
 * Call it for each frame in turn.  Returns how many pixels were replaced. */
gint    removal_apply     (Removal *removal, const CountPlane *filtered, const CountPlane *background, gfloat threshold,
                           FrameShift shift, CountPlane *frame);
void    removal_clear     (Removal *removal);

#endif
