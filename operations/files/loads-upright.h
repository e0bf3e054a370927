/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * How a picture is to be turned to stand upright: the orientation that a camera notes (EXIF 2.3, 4.6.4, tag 274), which
 * GEGL's loaders do not look at; but of a TIFF of a kind that they leave to libtiff, as one with a palette, they flip what
 * it says. */
#ifndef LOADS_UPRIGHT_H
#define LOADS_UPRIGHT_H

#include <gegl.h>

#include "loads-reader.h"

/* 1 to 8; 1, upright, where nothing is noted, or nothing that makes sense.  `place`: of the byte of a TIFF that says so,
 * or -1; may be NULL. */
gint        loads_orientation (const gchar *path, const Walked *walked, gint64 *place);

/* The same pixels in their places, from (0, 0) on. */
GeglBuffer *loads_upright     (GeglBuffer *buffer, gint orientation);

#endif
