/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * For whoever lists files, and reads none. */
#ifndef LOADS_ENDING_H
#define LOADS_ENDING_H

#include <gegl.h>

/* Does GEGL know the ending?  It takes files of others to ImageMagick, which may compute without end, or, where it
 * has none, makes a picture of the words that there is no loader. */
gboolean loads_ending (const gchar *path);

/* Is it the ending of a camera's raw files (.nef, ...)? */
gboolean loads_is_raw (const gchar *path);

/* GEGL's operation that reads it.  Raw files go straight to LibRaw's, as GEGL has no loader for the ending of some. */
const gchar *loads_operation (const gchar *path);

#endif
