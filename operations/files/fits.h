/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * FITS files (FITS standard 4.0), by CFITSIO: images of 8, 16, 32 and 64 bits, signed or not, float, double, scaled,
 * compressed in tiles or by gzip, and cubes.  The first row of the file is y = 0.  The image is the first of the file
 * that has two axes. */
#ifndef FITS_H
#define FITS_H

#include "frames.h"

typedef struct
{
  gint       width, height;
  gint       planes, promised;  /* that the file has, at least one; that the header names */
  gboolean   is_cut;            /* not even the first of them is whole */
  gboolean   is_colour;         /* the planes are red, green and blue of one picture, ... */
  gboolean   is_guess;          /* ... though no card says so */
  gchar      pattern[FRAMES_PATTERN];   /* of a mosaic, from the first pixel on; "": it is none */
  gfloat     saturation;        /* the highest number of 8 or 16 bits, scaled; INFINITY: another type */
  FrameFacts facts;
  gchar     *date;              /* DATE-OBS as it stands, or NULL */
  gchar     *object;            /* OBJECT, or NULL */
} FitsHeader;

/* The header alone. */
gboolean fits_read_header  (const gchar *path, FitsHeader *header, GError **error);
void     fits_header_clear (FitsHeader *header);
/* One plane, from 0 on, as BZERO and BSCALE make it, divided by `full` before it is rounded, once, to floats; blanks are
 * NaN. */
gboolean fits_read_shares  (const gchar *path, gint index, gdouble full, CountPlane *plane, FitsHeader *header, GError **error);
/* Writes floats, whole or not at all.  `cards`: of at most 80 characters each, or NULL; they stand behind those of the image. */
gboolean fits_write        (const gchar *path, const CountPlane *plane, const gchar *const *cards, GError **error);

/* In counts. */
static inline gboolean
fits_read_plane (const gchar *path, gint index, CountPlane *plane, FitsHeader *header, GError **error)
{
  return fits_read_shares (path, index, 1.0, plane, header, error);
}

#endif
