/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Files that end too early.  GEGL's loaders of JPEG and PNG do not notice the end of a file: they read on in memory that is not theirs,
 * or the same bytes for ever.  Of other kinds they make a picture whose end is black.  And of a
 * file that cannot be opened GEGL makes a picture too: it shows a message. */
#ifndef LOADS_WHOLE_H
#define LOADS_WHOLE_H

#include <gegl.h>

/* Can it be given to GEGL?  FALSE: it is no file or cannot be opened; it is a picture without its end (JPEG, PNG, TIFF, OpenEXR, WebP, Radiance, GEGL's
 * own, PGM and its kin), with rows that are not as wide as it is (Radiance), or with blocks without end (GEGL's own); or is called a JPEG or .gegl
 * and is none, which ends the process, or called an EXR, where GEGL shows 10 x 10 pixels. */
gboolean loads_whole (const gchar *path);

#endif
