/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * One plane of a frame, in counts (0..65535 for 16 bits). */
#ifndef COUNT_PLANE_H
#define COUNT_PLANE_H

#include <glib.h>

typedef struct
{
  gint    width, height;
  gfloat *pixels;               /* row after row without gaps */
} CountPlane;

/* The pixels are not set.  They are aligned, and freed by count_plane_clear. */
void count_plane_init  (CountPlane *plane, gint width, gint height);
void count_plane_clear (CountPlane *plane);

#endif
