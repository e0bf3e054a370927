/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Where in its brightest pixel a star's middle is: the top of the parabola through three pixels, softened, on each axis. */
#ifndef STAR_MIDDLE_H
#define STAR_MIDDLE_H

#include <glib.h>

/* The pixel at `p`, softened by the binomial [1 2 1]/4 on both axes. */
static inline gfloat
star_soft (const gfloat *p, gint width)
{
  return (4 * p[0] + 2 * (p[-1] + p[1] + p[-width] + p[width]) + p[-width - 1] + p[-width + 1] + p[width - 1] + p[width + 1]) / 16;
}

/* From the middle one; 0: there is no top. */
static inline gdouble
star_top (gfloat before, gfloat top, gfloat after)
{
  const gdouble bend = before - 2.0 * top + after;

  return bend < 0 ? 0.5 * (before - after) / bend : 0;
}

#endif
