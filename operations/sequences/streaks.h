/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What is no object: trails of satellites, aircraft and meteors, and cosmic rays.
 *
 * A streak is a straight row of pixels above a threshold in a filtered plane: 24 pixels long at least, without gaps of more than 20, and four times as long
 * as it is wide.  Lines are found by votes of the pixels above the threshold, for each half degree and 2 pixels.
 */
#ifndef STREAKS_H
#define STREAKS_H

#include "detect.h"
#include "whiten.h"

typedef struct
{
  gdouble x[2], y[2];           /* the ends */
  gdouble width;                /* of half the height, in pixels; NaN: there is no light */
  gdouble flux;                 /* counts */
} Streak;

/* Streaks, the one with the most votes first; g_array_unref it.  Their pixels are marked in `mask`, which has a byte a pixel, with what is
 * around them. */
GArray *streaks_find (const WhitenPlanes *planes, const CountPlane *filtered, gfloat threshold, guint8 *mask);

/* Marks the pixels above the threshold that hang together with those of streaks, which are marked already, and with maxima that are rays
 * (detect_is_ray; where the frame `is_turned`, detect_is_turned_ray too) and are not left of a star, and what is around them.  Returns the number of these maxima. */
gint    rays_find    (const WhitenPlanes *planes, const CountPlane *filtered, gboolean is_turned, gfloat threshold, guint8 *mask);

#endif
