/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Files that end too early.  GEGL's loaders of JPEG and PNG do not notice the end of a file: they read on in memory that is not theirs,
 * or the same bytes for ever. */
#ifndef LOADS_WHOLE_H
#define LOADS_WHOLE_H

#include <gegl.h>

/* Can it be given to GEGL?  FALSE: it is a JPEG or a PNG without its end, or is called a JPEG and is none, where libjpeg ends the
 * process.  What cannot be opened is another's to tell. */
gboolean loads_whole (const gchar *path);

#endif
