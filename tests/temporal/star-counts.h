/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Frames of a field of stars for what is timed. */
#ifndef STAR_COUNTS_H
#define STAR_COUNTS_H

#include <glib.h>

/* `n` frames of preset A without objects, one behind the other; free it with g_free.  They are also written to the file `saved`, 16 bits
 * each, unless it is NULL. */
gfloat *star_counts (gint width, gint height, gint n, const gchar *saved);

#endif
