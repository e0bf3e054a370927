/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * For commands that write pictures. */
#ifndef SAVES_H
#define SAVES_H

#include <gegl.h>

/* In place of gegl_init. */
void     saves_start_gegl (void);

/* Has GEGL a saver for the ending?  One that it does not know it takes for PNG. */
gboolean saves_ending  (const gchar *path);

/* The buffer in a file, by a node of GEGL's that writes pictures, whose `path` is set here.  Whole or not at all: what is there stays
 * if it cannot be written. */
gboolean saves_picture (GeglBuffer *buffer, GeglNode *save, const gchar *path, GError **error);
/* The same under a name that we have chosen: a link there is replaced, not followed. */
gboolean saves_picture_ours (GeglBuffer *buffer, GeglNode *save, const gchar *path, GError **error);

#endif
