/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What the product computes against the reference, on random cases.  A case is named by its number: `against --only AREA --case N`
 * repeats it. */
#ifndef AGAINST_H
#define AGAINST_H

#include "reference.h"
#include "stars.h"
#include "stars-random.h"
#include "count-plane.h"

/* `name`: what repeats the case. */
typedef void (*AgainstCase) (StarsRandom *random, const gchar *name);

void       against_shift        (StarsRandom *random, const gchar *name);
void       against_starts       (StarsRandom *random, const gchar *name);
void       against_removal_gaps (StarsRandom *random, const gchar *name);
void       against_significance_gaps (StarsRandom *random, const gchar *name);
void       against_from_shifts  (StarsRandom *random, const gchar *name);
void       against_from_frames  (StarsRandom *random, const gchar *name);
void       against_background   (StarsRandom *random, const gchar *name);
void       against_significance (StarsRandom *random, const gchar *name);
void       against_detection    (StarsRandom *random, const gchar *name);
void       against_removal      (StarsRandom *random, const gchar *name);
void       against_tracks       (StarsRandom *random, const gchar *name);

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
/* The largest distance beyond what `allowed` has at each pixel; expects none, and that the same pixels are finite. */
void       expect_planes        (const CountPlane *found, const Plane *wanted, const Plane *allowed, const gchar *what, const gchar *name);

#endif
