/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * For commands that read pictures. */
#ifndef LOADS_H
#define LOADS_H

#include <gegl.h>

/* Does GEGL know the ending?  It takes files of others to ImageMagick, which may compute without end, or, where it has none,
 * makes a picture of the words that there is no loader. */
gboolean    loads_ending  (const gchar *path);

/* The node that reads it, and its size; NULL: it is no picture, or its file ends too early (loads-whole.h). */
GeglNode   *loads_node    (GeglNode *graph, const gchar *path, GeglRectangle *box);

/* The whole picture, as it was decoded; NULL: it is none. */
GeglBuffer *loads_picture (const gchar *path);

/* Until loads_end the path is read.  libjpeg ends the process with 1 where a file is broken within; then `failed` says so, and the
 * exit code is 2. */
void        loads_begin   (const gchar *path, void (*failed) (const gchar *path));
void        loads_end     (void);

#endif
