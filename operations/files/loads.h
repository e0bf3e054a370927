/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * For commands that read pictures. */
#ifndef LOADS_H
#define LOADS_H

#include <gegl.h>

/* Does GEGL know the ending?  It takes files of others to ImageMagick, which may compute without end, or, where it has none,
 * makes a picture of the words that there is no loader. */
gboolean    loads_ending  (const gchar *path);

/* For a command, once: what GEGL's loaders say of a picture that is damaged is a reason to have none, and is not printed. */
void        loads_listen  (void);

/* The whole picture, upright (loads-upright.h); NULL: it is none, its file ends too early or is damaged (loads-whole.h), or a loader has said so. */
GeglBuffer *loads_picture (const gchar *path);
/* Why this thread's last one was NULL, in words that end a sentence. */
const gchar *loads_reason (void);

/* The same for a graph: a node that has it, and its size. */
GeglNode   *loads_node    (GeglNode *graph, const gchar *path, GeglRectangle *box);

/* Until loads_end the path is read.  libjpeg ends the process with 1 where a file is of a kind that it does not know; then `failed` says so, and the
 * exit code is 2. */
void        loads_begin   (const gchar *path, void (*failed) (const gchar *path));
void        loads_end     (void);

#endif
