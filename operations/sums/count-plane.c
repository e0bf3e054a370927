/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "count-plane.h"

#include <gegl.h>

void
count_plane_init (CountPlane *plane, gint width, gint height)
{
  plane->width = width;
  plane->height = height;
  plane->pixels = gegl_malloc (sizeof (gfloat) * (gsize) width * (gsize) height);
}

void
count_plane_clear (CountPlane *plane)
{
  if (plane->pixels)
    gegl_free (plane->pixels);
  *plane = (CountPlane) { 0 };
}
