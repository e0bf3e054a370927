/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * FITS files of floats, by CFITSIO: the same bytes from the same pixels.
 *
 * A file is made in memory, and written beside its place under a name that the next try takes again, and moved. */
#include "fits.h"

#include <fitsio.h>
#include <stdio.h>
#include <stdlib.h>

#include "fits-apart.h"
#include "frames-file.h"
#include "saving.h"

#define BLOCK 2880

/* Less than 0: CFITSIO cannot.  The memory is freed in any case. */
static gint64
make (const CountPlane *plane, const gchar *const *cards, gpointer *bytes, gsize *room, gint *status)
{
  long      sizes[] = { plane->width, plane->height };
  LONGLONG  head, data, end = -1;
  fitsfile *file = NULL;

  fits_create_memfile (&file, bytes, room, BLOCK, realloc, status);
  fits_create_img (file, FLOAT_IMG, 2, sizes, status);
  for (; cards && *cards; cards++)
    fits_write_record (file, *cards, status);
  fits_write_img (file, TFLOAT, 1, (LONGLONG) plane->width * plane->height, plane->pixels, status);
  fits_flush_file (file, status);
  fits_get_hduaddrll (file, &head, &data, &end, status);
  fits_close_file (file, status);
  fits_clear_errmsg ();
  return end;
}

gboolean
fits_write (const gchar *path, const CountPlane *plane, const gchar *const *cards, GError **error)
{
  gsize    room = ((gsize) plane->width * plane->height * sizeof (gfloat) / BLOCK + 4) * BLOCK;
  gpointer bytes = calloc (1, room);    /* CFITSIO looks at what is there */
  gint     status = 0;
  gint64   size;
  FILE    *file;
  gboolean good;

  fits_begin ();
  size = make (plane, cards, &bytes, &room, &status);
  fits_end ();
  file = status == 0 ? saving_open_part (path) : NULL;
  good = file && fwrite (bytes, 1, (gsize) size, file) == (gsize) size;
  free (bytes);
  return status == 0 ? saving_close_part (file, path, good, error)
                     : frames_refuse (path, "cannot be written as FITS", error);
}
