/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Files for the tests of sequences, written byte for byte and not by the code that is tested. */
#ifndef FILES_H
#define FILES_H

#include <glib.h>

/* A folder that is gone after files_remove. */
gchar *files_folder (void);
void   files_remove (const gchar *folder);

/* A FITS file by hand: cards as they are given (without SIMPLE, with BITPIX and NAXIS), then the bytes. */
void   files_fits   (const gchar *path, const gchar *const *cards, gconstpointer data, gsize bytes);
/* A FITS file of one image of numbers of `bits` (8, 16, 32, 64, -32, -64), in the order of the rows, and as many planes. */
void   files_fits_of (const gchar *path, gint bits, gint width, gint height, gint planes, const gdouble *values,
                      const gchar *const *more_cards);
void   files_gzip    (const gchar *path, gconstpointer bytes, gsize length);
/* A SER film of `n` frames; `promised` is what the header says.  Each value has 1 or 2 bytes by `bits`. */
typedef struct { gint colour, flag, width, height, bits, promised, n; gboolean is_big_endian; gint64 first_tick; } FilmPlan;
void   files_ser    (const gchar *path, const FilmPlan *plan, const guint16 *values);

#endif
