/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * How a picture is to be turned to stand upright: the orientation that a camera notes (EXIF 2.3, 4.6.4, tag 274), which
 * GEGL's loaders do not look at; but of a TIFF of a kind that they leave to libtiff, as one with a palette, they flip what
 * it says. */
#ifndef LOADS_UPRIGHT_H
#define LOADS_UPRIGHT_H

#include <gegl.h>

#include <stdio.h>

#define UPRIGHT 1               /* of 1 to 8; where nothing is noted, or nothing that makes sense */

/* By a camera's notes, n bytes that are a TIFF's. */
gint        upright_noted   (const guint8 *bytes, gsize n);
/* By a TIFF itself.  `place`: of the byte that says so, if there is one. */
gint        upright_of_tiff (FILE *file, gint64 *place);

/* The same pixels in their places, from (0, 0) on. */
GeglBuffer *loads_upright   (GeglBuffer *buffer, gint orientation);

#endif
