/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Kinds of files that no library judges, or none that helps.  PGM and PPM, Radiance and GEGL's own are read by
 * GEGL's code alone: it makes black of pixels that are missing, and a .gegl file whose head is wrong ends the
 * process or takes minutes.  giflib unpacks a GIF for GEGL, whose loader tells what it complains of; that there are
 * several pictures, or that the file ends behind its first, neither says. */
#ifndef LOADS_PLAIN_H
#define LOADS_PLAIN_H

#include <glib.h>
#include <stdio.h>

#define PLAIN_HEAD 12           /* bytes; 0 where a file has fewer */

/* Is it one of these, by its first bytes?  `wrong`: what is, a constant in words that end a sentence about the file,
 * or NULL. */
gboolean plain_judge (FILE *file, gint64 size, const guint8 head[PLAIN_HEAD], const gchar **wrong);

#endif
