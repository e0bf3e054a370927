/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Files that end too early, or are damaged.  GEGL's loaders of JPEG and PNG do not notice the end of a file: they read on in memory that is not theirs,
 * or the same bytes for ever.  Of other kinds they make a picture whose end is black.  Of a damaged one they, or their libraries, complain on stderr, and
 * make a picture of what is left.  And of a file that cannot be opened GEGL makes a picture too: it shows a message. */
#ifndef LOADS_WHOLE_H
#define LOADS_WHOLE_H

#include "loads-reader.h"

/* Can it be given to GEGL?  Wrong is: it is no file or cannot be opened; it is a picture without its end (JPEG, PNG, TIFF, OpenEXR, WebP, Radiance, GEGL's
 * own, PGM and its kin) or one that is damaged (loads-jpeg.h, loads-png.h), with rows that are not as wide as it is (Radiance), of several
 * pictures that move (WebP), or with blocks without end (GEGL's own); or is called a JPEG or .gegl and is none, which ends the process, or called an
 * EXR, where GEGL shows 10 x 10 pixels.  What else may be damaged GEGL's loaders tell in messages: loads.h. */
Walked loads_walk (const gchar *path);

#endif
