/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "config.h"

#include "fits.h"

#include <math.h>
#include <string.h>

#ifdef HAVE_CFITSIO

#include <fitsio.h>

#define MOST_PIXELS (1 << 28)
#define MOST_AXES   8
#define MOST_HDUS   100
#define PER_DEGREE  (G_PI / 180.0)

static gboolean
refuse (const gchar *path, gint status, const gchar *why, GError **error)
{
  gchar reason[FLEN_STATUS] = "";

  if (status)
    fits_get_errstatus (status, reason);
  g_set_error (error, FRAMES_ERROR, FRAMES_ERROR_UNREADABLE, "%s %s%s%s", path, why, status ? ": " : "", reason);
  fits_clear_errmsg ();
  return FALSE;
}

/* NaN where it is not there. */
static gdouble
number_of (fitsfile *file, const gchar *key)
{
  gdouble value;
  gint    status = 0;

  fits_read_key (file, TDOUBLE, key, &value, NULL, &status);
  return status ? NAN : value;
}

/* NULL where it is not there.  Free it with g_free. */
static gchar *
text_of (fitsfile *file, const gchar *key)
{
  gchar value[FLEN_VALUE] = "";
  gint  status = 0;

  fits_read_key (file, TSTRING, key, value, NULL, &status);
  return status || ! *value ? NULL : g_strdup (g_strstrip (value));
}

/* DATE-OBS, with TIME-OBS where it is a date alone. */
static gdouble
time_of (fitsfile *file, const gchar *date)
{
  GTimeZone *utc;
  GDateTime *time;
  gchar     *clock, *whole;
  gdouble    result = NAN;

  if (! date)
    return NAN;
  clock = strchr (date, 'T') ? NULL : text_of (file, "TIME-OBS");
  whole = strchr (date, 'T') ? g_strdup (date) : g_strconcat (date, "T", clock ? clock : "00:00:00", NULL);
  utc = g_time_zone_new_utc ();
  time = g_utf8_validate (whole, -1, NULL) ? g_date_time_new_from_iso8601 (whole, utc) : NULL;
  if (time)
    {
      result = (gdouble) g_date_time_to_unix (time) + g_date_time_get_microsecond (time) / 1e6;
      g_date_time_unref (time);
    }
  g_time_zone_unref (utc);
  g_free (whole);
  g_free (clock);
  return result;
}

/* The matrix of degrees a pixel: CD, or CDELT with PC or CROTA2. */
static void
read_matrix (fitsfile *file, gdouble *cd)
{
  static const gchar *const cds[] = { "CD1_1", "CD1_2", "CD2_1", "CD2_2" };
  static const gchar *const pcs[] = { "PC1_1", "PC1_2", "PC2_1", "PC2_2" };
  const gdouble             steps[] = { number_of (file, "CDELT1"), number_of (file, "CDELT2") };
  const gdouble             turn = number_of (file, "CROTA2") * PER_DEGREE;
  gboolean                  has_cd = FALSE;

  for (gint i = 0; i < 4; i++)
    {
      cd[i] = number_of (file, cds[i]);
      has_cd = has_cd || ! isnan (cd[i]);
    }
  for (gint i = 0; i < 4; i++)
    if (has_cd)
      cd[i] = isnan (cd[i]) ? 0.0 : cd[i];
    else if (! isnan (turn))
      cd[i] = i == 0 ? steps[0] * cos (turn) : i == 1 ? -steps[1] * sin (turn) : i == 2 ? steps[0] * sin (turn) : steps[1] * cos (turn);
    else
      cd[i] = (isnan (number_of (file, pcs[i])) ? i % 3 == 0 : number_of (file, pcs[i])) * steps[i / 2];
}

static void
read_facts (fitsfile *file, FitsHeader *header)
{
  FrameFacts *facts = &header->facts;
  gchar      *along = text_of (file, "CTYPE1"), *down = text_of (file, "CTYPE2");
  gdouble     determinant;

  header->date = text_of (file, "DATE-OBS");
  header->object = text_of (file, "OBJECT");
  facts->start = time_of (file, header->date);
  facts->exposure = number_of (file, "EXPTIME");
  if (isnan (facts->exposure))
    facts->exposure = number_of (file, "EXPOSURE");
  facts->ra = number_of (file, "CRVAL1");
  facts->dec = number_of (file, "CRVAL2");
  facts->x = number_of (file, "CRPIX1") - 1.0;
  facts->y = number_of (file, "CRPIX2") - 1.0;
  read_matrix (file, facts->cd);
  determinant = facts->cd[0] * facts->cd[3] - facts->cd[1] * facts->cd[2];
  facts->has_wcs = along && down && g_str_equal (along, "RA---TAN") && g_str_equal (down, "DEC--TAN")
                   && isfinite (facts->ra + facts->dec + facts->x + facts->y) && isfinite (determinant) && determinant != 0.0;
  g_free (along);
  g_free (down);
}

/* Of unsigned numbers too, which CFITSIO tells by BZERO. */
static gfloat
saturation_of (fitsfile *file, gint bits)
{
  const gdouble zero = number_of (file, "BZERO"), scale = number_of (file, "BSCALE");

  if (bits != BYTE_IMG && bits != SHORT_IMG)
    return INFINITY;
  return (gfloat) ((bits == BYTE_IMG ? 255.0 : 32767.0) * (isnan (scale) ? 1.0 : scale) + (isnan (zero) ? 0.0 : zero));
}

/* Moves to the first image of two axes and more. */
static gboolean
find_image (fitsfile *file, const gchar *path, FitsHeader *header, GError **error)
{
  LONGLONG sizes[MOST_AXES];
  gint     bits, axes, kind, status = 0;

  for (gint i = 1; i <= MOST_HDUS; i++)
    {
      LONGLONG planes = 1;

      fits_movabs_hdu (file, i, &kind, &status);
      if (status)
        return refuse (path, i == 1 ? status : 0, "has no image", error);
      if (kind != IMAGE_HDU)
        continue;
      fits_get_img_paramll (file, MOST_AXES, &bits, &axes, sizes, &status);
      if (status)
        return refuse (path, status, "has a header that cannot be read", error);
      if (axes < 2 || axes > MOST_AXES)
        continue;
      if (sizes[0] < 1 || sizes[1] < 1 || sizes[0] > MOST_PIXELS || sizes[1] > MOST_PIXELS || sizes[0] * sizes[1] > MOST_PIXELS)
        return refuse (path, 0, "has an image of an impossible size", error);
      for (gint k = 2; k < axes && planes > 0; k++)
        planes = sizes[k] < 1 || sizes[k] > G_MAXINT / planes ? 0 : planes * sizes[k];
      if (planes < 1)
        return refuse (path, 0, "has an impossible number of planes", error);
      header->width = (gint) sizes[0];
      header->height = (gint) sizes[1];
      header->planes = (gint) planes;
      header->saturation = saturation_of (file, bits);
      return TRUE;
    }
  return refuse (path, 0, "has no image", error);
}

/* NULL, or the file at its image. */
static fitsfile *
open_image (const gchar *path, FitsHeader *header, GError **error)
{
  fitsfile *file = NULL;
  gint      status = 0;

  *header = (FitsHeader) { 0 };
  fits_open_diskfile (&file, path, READONLY, &status);         /* the name is a name, no expression */
  if (status)
    {
      refuse (path, status, "cannot be read as FITS", error);
      return NULL;
    }
  if (! find_image (file, path, header, error))
    {
      fits_close_file (file, &status);
      return NULL;
    }
  read_facts (file, header);
  return file;
}

gboolean
fits_read_header (const gchar *path, FitsHeader *header, GError **error)
{
  fitsfile *file = open_image (path, header, error);
  gint      status = 0;

  if (file)
    fits_close_file (file, &status);
  return file != NULL;
}

gboolean
fits_read_plane (const gchar *path, gint index, CountPlane *plane, FitsHeader *header, GError **error)
{
  fitsfile *file = open_image (path, header, error);
  gfloat    blank = NAN;
  gint      status = 0, closing = 0, blanks;
  LONGLONG  n;

  if (! file)
    return FALSE;
  if (index < 0 || index >= header->planes)
    {
      g_set_error (error, FRAMES_ERROR, FRAMES_ERROR_UNREADABLE, "%s has no plane %d, but %d", path, index, header->planes);
      fits_close_file (file, &closing);
      fits_header_clear (header);
      return FALSE;
    }
  n = (LONGLONG) header->width * header->height;
  count_plane_init (plane, header->width, header->height);
  fits_read_img (file, TFLOAT, index * n + 1, n, &blank, plane->pixels, &blanks, &status);
  fits_close_file (file, &closing);
  if (status && status != NUM_OVERFLOW)         /* doubles beyond a float's */
    {
      count_plane_clear (plane);
      fits_header_clear (header);
      return refuse (path, status, "has pixels that cannot be read", error);
    }
  fits_clear_errmsg ();
  return TRUE;
}

#else

static gboolean
refuse (const gchar *path, GError **error)
{
  g_set_error (error, FRAMES_ERROR, FRAMES_ERROR_UNREADABLE, "%s cannot be read: this Tessera was built without CFITSIO", path);
  return FALSE;
}

gboolean
fits_read_header (const gchar *path, FitsHeader *header, GError **error)
{
  *header = (FitsHeader) { 0 };
  return refuse (path, error);
}

gboolean
fits_read_plane (const gchar *path, gint index G_GNUC_UNUSED, CountPlane *plane G_GNUC_UNUSED, FitsHeader *header, GError **error)
{
  return fits_read_header (path, header, error);
}

#endif

void
fits_header_clear (FitsHeader *header)
{
  g_free (header->date);
  g_free (header->object);
  *header = (FitsHeader) { 0 };
}
