/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Frames of colours become one plane of counts.
 *
 * A mosaic (Bayer's, of 2 x 2 pixels) becomes a plane of half the width and height: movements by whole pixels would
 * mix its colours.  Three planes of colours become their luminance.  A pixel of which any part is full, or has no
 * number, is NaN. */
#ifndef COLOURS_H
#define COLOURS_H

#include "frames.h"

/* The luminance of light, with the primaries of sRGB. */
#define COLOURS_RED   0.2126f
#define COLOURS_GREEN 0.7152f
#define COLOURS_BLUE  0.0722f

/* A pattern's name as headers have it: the colours of the first row, then of the second, from the top of the picture.
 * NULL: it is none of Bayer's. */
const gchar *colours_pattern (const gchar *name);
/* The pattern that begins at the first pixel of the file.  `bottom_up`: the file's first row is the picture's last. */
void         colours_turn    (const gchar *name, gint x_offset, gint y_offset, gboolean bottom_up, gint height,
                              gchar pattern[FRAMES_PATTERN]);
/* The last row and column of an odd size are left out. */
CountPlane   colours_reduced (const CountPlane *plane, ColoursMode mode, const gchar *pattern, gfloat full);
/* By how much more electrons a count of a reduced plane stands for. */
gdouble      colours_gain    (ColoursMode mode);
/* Adds a plane of one colour.  `sum` is the plane itself: it is the first. */
void         colours_add     (CountPlane *sum, const CountPlane *plane, gfloat weight, gfloat full);

#endif
