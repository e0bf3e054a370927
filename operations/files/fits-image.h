/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The image of a FITS file, by CFITSIO.
 *
 * Nothing here takes a lock of GLib's or begins a thread: fits-apart.h runs it in a process that has been forked. */
#ifndef FITS_IMAGE_H
#define FITS_IMAGE_H

#include "fits-clock.h"

#define FITS_CARDS (1 << 17)    /* bytes of a header that are kept for the sky's places */

/* A file on the disk, or its bytes. */
typedef struct
{
  gchar   *path;
  gpointer bytes;               /* NULL: it is on the disk */
  gsize    size;
} FitsSource;

typedef enum
{
  FITS_READ,
  FITS_ELSEWHERE,               /* the image is no plain one at the file's beginning */
  FITS_REFUSED
} FitsState;

/* No pointers: it goes from process to process. */
typedef struct
{
  FitsState state;
  gint      width, height, bits;
  gint      planes, promised;   /* as in fits.h */
  gboolean  is_cut, is_compressed, is_colour, is_guess;
  gint      x_offset, y_offset; /* of the mosaic */
  gdouble   scale, zero, blank, exposure, zero_point;   /* NaN: none */
  gchar     object[FITS_TEXT], filter[FITS_TEXT];       /* "": none */
  gchar     mosaic[FITS_TEXT], order[FITS_TEXT];        /* BAYERPAT, ROWORDER */
  FitsTimes times;
  gchar     why[2 * FITS_TEXT]; /* it is refused: what goes behind the file's name */
  gchar     cards[FITS_CARDS];  /* of 80 characters each, without comments; "": nothing is said of the sky */
} FitsImage;

typedef struct _FitsOpened FitsOpened;

/* NULL, and the image's state and words: it is refused or elsewhere.  `everywhere`: in tables and later parts too. */
FitsOpened *fits_image_open  (const FitsSource *source, gboolean everywhere, FitsImage *image);
void        fits_image_close (FitsOpened *opened);
/* FALSE, and words: the data are not those of which the header has a sum, as fpack writes it. */
gboolean    fits_image_check (FitsOpened *opened, FitsImage *image);
/* Rows that are read together: they stay in the cache. */
gint        fits_image_step  (const FitsImage *image);
/* Counts of n rows of a plane, divided by `full`.  FALSE, and words: they cannot be read. */
gboolean    fits_image_rows  (FitsOpened *opened, gint index, gint row, gint n, gdouble full, FitsImage *image,
                              gfloat *counts);

#endif
