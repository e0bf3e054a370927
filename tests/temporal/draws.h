/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What is drawn for sequences: star fields, their frames, noise. */
#ifndef TEMPORAL_DRAWS_H
#define TEMPORAL_DRAWS_H

#include "reference.h"
#include "stars.h"
#include "stars-random.h"
#include "count-plane.h"

gdouble    draw                 (StarsRandom *random, gdouble least, gdouble most);
gint       draw_whole           (StarsRandom *random, gint least, gint most);
gdouble    draw_log             (StarsRandom *random, gdouble least, gdouble most);
gboolean   draw_chance          (StarsRandom *random, gdouble chance);
/* Small fields of stars, of all kinds; n frames.  The drift is up to `fastest` px a frame. */
StarsField *draw_field          (StarsRandom *random, gint least, gint most, gint n, gdouble fastest);
/* Values that a float can hold exactly, now and then flat, scaled, with bad pixels. */
Plane      draw_frame           (StarsRandom *random, const StarsField *field, gint frame);
/* Normal numbers with some peaks, and some NaN. */
Plane      draw_noise           (StarsRandom *random, gint width, gint height);
CountPlane as_counts            (const Plane *plane);
Plane      as_plane             (const CountPlane *counts);
/* Of n planes. */
void       double_counts        (CountPlane *planes, gint n);

#endif
