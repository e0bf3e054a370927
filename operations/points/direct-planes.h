/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Two pictures as align-direct.c compares them: roots of the light of each colour, at five sizes.
 */
#ifndef DIRECT_PLANES_H
#define DIRECT_PLANES_H

#include "refine.h"

#define DIRECT_LEVELS 5         /* each half as wide and high as the one before */
#define DIRECT_COLORS 3

/* Planes of one size, a colour each. */
typedef struct
{
  gint    width, height;
  gfloat *values[DIRECT_COLORS];        /* 0 where nothing is known */
  gfloat *known[DIRECT_COLORS];         /* 1; 0: transparent, blown out or no number */
} DirectPlane;

typedef struct
{
  DirectPlane levels[DIRECT_LEVELS];
  gdouble     noise[DIRECT_COLORS];     /* variance of a value of level 0; of level n it is 4^n less */
} DirectPicture;

/* `side`: pixels of the picture along a pixel of level 0. */
void   direct_picture_init  (DirectPicture *picture, const RefinePicture *of, gint side);
void   direct_picture_clear (DirectPicture *picture);

void   direct_plane_init    (DirectPlane *plane, gint width, gint height);
void   direct_plane_clear   (DirectPlane *plane);
/* `out`: B's plane as the matrix (places of B -> of A, both of this size) lays it on A's; its known pixels are known in A too.  Of each colour the values are
 * divided by `gains`, which are how much lighter B's are. */
void   direct_plane_lay     (const DirectPlane *a, const DirectPlane *b, const gdouble matrix[9], DirectPlane *out, gdouble gains[DIRECT_COLORS]);
/* Takes from each known value the mean of those around it, as far as `reach`; 0 where `known`, which has the plane's size, is 0. */
void   direct_take_mean     (gint width, gint height, const gfloat *values, const gfloat *known, gint reach, gfloat *out);

#endif
