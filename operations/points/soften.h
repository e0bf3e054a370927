/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A narrow Gaussian of pixels in memory.
 */
#ifndef SOFTEN_H
#define SOFTEN_H

#include "tessera.h"

#define SOFTEN_MOST 24          /* the radius */

typedef struct
{
  gint   radius;                /* ceil (3 sigma), at most SOFTEN_MOST; 0: nothing to do */
  gfloat taps[2 * SOFTEN_MOST + 1];
} Soften;

void soften_init (Soften *soften, gdouble sigma);

/* In place; `room` is as large.  Pixels nearer than the radius to an edge are spoiled.  Each sum is in the order of the
 * taps, along x, then along y. */
void soften_pixels (const Soften *soften, gfloat *pixels, gfloat *room, gint width, gint height, gint components);

#endif
