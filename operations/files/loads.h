/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * For commands that read pictures. */
#ifndef LOADS_H
#define LOADS_H

#include <gegl.h>

/* For a command, once: what GEGL's loaders say of a picture that is damaged is a reason to have none, and is not printed. */
void        loads_listen  (void);

/* The whole picture, upright (loads-upright.h) or as it is stored; NULL: it is none, its file ends too early or is
 * damaged (loads-judge.h), or a loader has said so. */
GeglBuffer *loads_picture (const gchar *path);
GeglBuffer *loads_stored  (const gchar *path);
/* Why this thread's last one was NULL, in words that end a sentence. */
const gchar *loads_reason (void);

/* The same for a graph: a node that has it, and its size. */
GeglNode   *loads_node    (GeglNode *graph, const gchar *path, GeglRectangle *box);

/* Until loads_end the path is read or written.  libjpeg ends the process with 1 where GEGL's saver cannot write, or its
 * loader, which is asked where this was built without libjpeg, meets a kind that it does not know; then `failed` says
 * so, and the exit code is 2. */
void        loads_begin   (const gchar *path, void (*failed) (const gchar *path));
void        loads_end     (void);

#endif
