/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * SER films (LUCAM-RECORDER, version 3 of the format's description), read by their header.
 *
 * Mono, RGB and Bayer mosaics, 1 to 16 bits; colours become their luminance, mosaics stay (colours.h has what becomes of them).  A mosaic of
 * cyan, magenta and yellow is refused.
 * The flag for the order of bytes is of no use: most programs write the contrary of what the description says.  The order is the one in
 * which neighbours are alike; where that does not tell, it is what those programs mean. */
#ifndef SER_H
#define SER_H

#include "frames.h"

typedef struct
{
  gint     width, height, n;    /* frames that are whole */
  gint     promised;            /* frames that the header names; 0: none, as it was not written to its end, and n is by the length */
  gint     bits, colours;       /* 1 or 3 */
  gchar    pattern[FRAMES_PATTERN];     /* of a mosaic; "": it is none */
  gboolean is_bgr, is_big_endian;
  gboolean has_times;           /* behind the frames */
  gint64   bytes;               /* of a frame */
} SerHeader;

gboolean ser_read_header (const gchar *path, SerHeader *header, GError **error);
/* One frame, from 0 on, in counts as they are stored; `start` in Unix time, NaN where the film has no times. */
gboolean ser_read_frame  (const gchar *path, gint index, CountPlane *plane, SerHeader *header, gdouble *start, GError **error);

#endif
