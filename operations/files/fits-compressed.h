/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Images of whole numbers that are compressed in tiles, in a table (FITS standard 4.0, section 10), as fpack makes them: RICE_1, GZIP_1, GZIP_2.
 * CFITSIO is not used: a damaged file makes its version 4.2 divide by zero, or go on for ever. */
#ifndef FITS_COMPRESSED_H
#define FITS_COMPRESSED_H

#include "fits-cards.h"

gboolean fits_is_compressed    (const FitsCards *cards);
/* Sets what the image has: bits, axes, sizes.  FALSE: it cannot be read. */
gboolean fits_compressed_check (const FitsCards *cards, const FramesFile *file, gint *bits, gint *axes, gint64 *sizes, GError **error);
/* The numbers of a plane as they are stored, of an image that has been checked. */
gboolean fits_compressed_read  (const FitsCards *cards, FramesFile *file, gint index, gdouble *numbers, GError **error);

#endif
