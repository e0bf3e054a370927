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

/* How far from what has one value, on each axis, light of what has another reaches that outshines it: the filter, 3 px; 6 px of what is 300 times as strong, 9 px of 3000. */
#define DETECT_NEAR 3.0
gdouble detect_reach      (gdouble weaker, gdouble stronger);
/* Detections that are wings of another, which is more than thirty times as strong, go. */
void    detect_drop_wings (GArray *found);

/* Whether what the filter found is narrower than a star's picture: a cosmic ray, or a trail of one.  `plane` is what was filtered, in
 * standard deviations.  Two things have to be so:
 *
 *   sum of 5 x 5 squares > 1.5 F^2, and more than a star of F and noise may have: it has not a star's shape (F: the filter's value);
 *   sum of 3 x 3 squares of the Laplacian 4 p - p(left) - p(right) - p(above) - p(below) > 4 F^2, and more than noise has: it is sharper.
 *
 * Of a star of the filter's width these are 1.0 and 1.5 F^2, of one of 1.2 px for a filter of 2.2 px 1.3 and 10, of a line of single pixels 2.5 and 9 or
 * more, of one pixel 2.7 and 55; of what is wider than a star the second is less than of a star. */
gboolean detect_is_ray    (const CountPlane *plane, const Detection *detection);
/* The same in a frame that was turned back, which makes rays wider: of some of two pixels these are 1.4 and 7 F^2, of stars of 1.5 px and more at most 1.5 and 5.2. */
gboolean detect_is_turned_ray (const CountPlane *plane, const Detection *detection);

/* What is whitened in 3 x 3 pixels, as a part of the star's light that the background has there; INFINITY: there is no star.  Where the air, the
 * focus or the pixels change a star, a part of it is left, which is no object. */
gdouble detect_part_of_star (const CountPlane *background, const CountPlane *whitened, gint x, gint y);
/* ... of the light of the brightest star at most 5 px away. */
gdouble detect_part_of_brightest (const CountPlane *background, const CountPlane *whitened, gint x, gint y);

/* The threshold for detect_maxima that the noise of this plane exceeds so many times (alarms.h), rays and their ghosts left out. */
gfloat  detect_noise_threshold (const CountPlane *plane, const CountPlane *filtered, gdouble false_alarms);
/* The same where trails may be, however many pixels they have: of normal noise as wide as the middle half of the pixels. */
gfloat  detect_trail_threshold (const CountPlane *filtered, gdouble false_alarms);

/* The counts of a star at a place of `whitened`: sum p w / sum p^2, p its picture of sum 1. */
gdouble detect_flux       (const CountPlane *whitened, gint x, gint y, gdouble fwhm);

/* ------------------------------------------------------------ removal -- */

/* Pixels of `frame`, which is about to become history, lose their values (NaN): those for which `filtered` is above
 * `threshold`, grown by a 5 x 5 square.  So an object leaves no trail, bright or dark, however wide or slow it is: what
 * other frames have there counts alone, and no background that was wrong goes on.  The strongest come first, up to 1 % of
 * the frame.  Returns how many pixels lost a value. */
gint    removal_apply     (const CountPlane *filtered, gfloat threshold, CountPlane *frame);

#endif
