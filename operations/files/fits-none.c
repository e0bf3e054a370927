/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What is said of FITS files where CFITSIO is not there. */
#include "fits.h"

#include "frames-file.h"

#define WHY "is a FITS file, and this build has no CFITSIO for it"

gboolean
fits_read_header (const gchar *path, FitsHeader *header, GError **error)
{
  *header = (FitsHeader) { 0 };
  return frames_refuse (path, WHY, error);
}

gboolean
fits_read_shares (const gchar *path, gint index G_GNUC_UNUSED, gdouble full G_GNUC_UNUSED, CountPlane *plane,
                  FitsHeader *header, GError **error)
{
  *plane = (CountPlane) { 0 };
  return fits_read_header (path, header, error);
}

gboolean
fits_write (const gchar *path, const CountPlane *plane G_GNUC_UNUSED, const gchar *const *cards G_GNUC_UNUSED,
            GError **error)
{
  return frames_refuse (path, WHY, error);
}
