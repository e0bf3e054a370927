/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "fits.h"

#include <math.h>
#include <string.h>

#include "fits-cards.h"
#include "fits-compressed.h"
#include "tessera.h"

#define MOST_PARTS  100
#define PER_DEGREE  (G_PI / 180.0)

/* ------------------------------------------------------------------- facts -- */

/* DATE-OBS, with TIME-OBS where it is a date alone. */
static gdouble
time_of (const FitsCards *cards, const gchar *date)
{
  const gchar *clock = fits_cards_text (cards, "TIME-OBS");
  g_autoptr (GTimeZone) utc = NULL;
  g_autoptr (GDateTime) time = NULL;
  g_autofree gchar *whole = NULL;

  if (! date)
    return NAN;
  whole = strchr (date, 'T') ? g_strdup (date) : g_strconcat (date, "T", clock ? clock : "00:00:00", NULL);
  utc = g_time_zone_new_utc ();
  time = g_utf8_validate (whole, -1, NULL) ? g_date_time_new_from_iso8601 (whole, utc) : NULL;
  return time ? (gdouble) g_date_time_to_unix (time) + g_date_time_get_microsecond (time) / 1e6 : NAN;
}

/* The matrix of degrees a pixel: CD, or CDELT with PC or CROTA2. */
static void
read_matrix (const FitsCards *cards, gdouble *cd)
{
  static const gchar *const cds[] = { "CD1_1", "CD1_2", "CD2_1", "CD2_2" };
  static const gchar *const pcs[] = { "PC1_1", "PC1_2", "PC2_1", "PC2_2" };
  const gdouble             steps[] = { fits_cards_number (cards, "CDELT1"), fits_cards_number (cards, "CDELT2") };
  const gdouble             turn = fits_cards_number (cards, "CROTA2") * PER_DEGREE;
  gboolean                  has_cd = FALSE;

  for (gint i = 0; i < 4; i++)
    {
      cd[i] = fits_cards_number (cards, cds[i]);
      has_cd = has_cd || ! isnan (cd[i]);
    }
  for (gint i = 0; i < 4; i++)
    if (has_cd)
      cd[i] = isnan (cd[i]) ? 0.0 : cd[i];
    else if (! isnan (turn))
      cd[i] = i == 0 ? steps[0] * cos (turn) : i == 1 ? -steps[1] * sin (turn) : i == 2 ? steps[0] * sin (turn) : steps[1] * cos (turn);
    else
      cd[i] = (isnan (fits_cards_number (cards, pcs[i])) ? i % 3 == 0 : fits_cards_number (cards, pcs[i])) * steps[i / 2];
}

static void
read_facts (const FitsCards *cards, FitsHeader *header)
{
  FrameFacts  *facts = &header->facts;
  const gchar *along = fits_cards_text (cards, "CTYPE1"), *down = fits_cards_text (cards, "CTYPE2");
  gdouble      determinant;

  header->date = g_strdup (fits_cards_text (cards, "DATE-OBS"));
  header->object = g_strdup (fits_cards_text (cards, "OBJECT"));
  facts->start = time_of (cards, header->date);
  facts->exposure = fits_cards_number (cards, "EXPTIME");
  if (isnan (facts->exposure))
    facts->exposure = fits_cards_number (cards, "EXPOSURE");
  facts->ra = fits_cards_number (cards, "CRVAL1");
  facts->dec = fits_cards_number (cards, "CRVAL2");
  facts->x = fits_cards_number (cards, "CRPIX1") - 1.0;
  facts->y = fits_cards_number (cards, "CRPIX2") - 1.0;
  read_matrix (cards, facts->cd);
  determinant = facts->cd[0] * facts->cd[3] - facts->cd[1] * facts->cd[2];
  facts->has_wcs = along && down && g_str_equal (along, "RA---TAN") && g_str_equal (down, "DEC--TAN")
                   && isfinite (facts->ra + facts->dec + facts->x + facts->y) && isfinite (determinant) && determinant != 0.0;
}

/* ------------------------------------------------------------------- image -- */

/* The image of a file that is open. */
typedef struct
{
  FitsCards cards;
  gboolean  is_compressed;
  gint      bits;
  gdouble   scale, zero, blank; /* blank NaN: none */
  gdouble   full;               /* of the numbers that are read, what becomes 1 */
} Image;

static gdouble
number_or (const FitsCards *cards, const gchar *key, gdouble otherwise)
{
  const gdouble number = fits_cards_number (cards, key);

  return isnan (number) ? otherwise : number;
}

/* The number of 8 or 16 bits that becomes the largest count: the least, where the scale turns them over. */
static gdouble
highest (const Image *image)
{
  if (image->scale < 0.0)
    return image->bits == 8 ? 0.0 : -32768.0;
  return image->bits == 8 ? 255.0 : 32767.0;
}

/* A header may name more than there is. */
static gint64
whole_planes (const Image *image, gint64 n, const FramesFile *file)
{
  return (file->size - image->cards.data) / (n * (ABS (image->bits) / 8));
}

/* Sizes that an image can have; its numbers. */
static gboolean
describe (Image *image, const gint64 *sizes, gint axes, FitsHeader *header, const FramesFile *file, GError **error)
{
  gint64 planes = 1;

  if (sizes[0] < 1 || sizes[1] < 1 || sizes[0] > FRAMES_MOST_PIXELS || sizes[1] > FRAMES_MOST_PIXELS || sizes[0] * sizes[1] > FRAMES_MOST_PIXELS)
    return frames_refuse (file->path, "has an image of an impossible size", error);
  for (gint i = 2; i < axes && planes > 0; i++)
    planes = sizes[i] < 1 || sizes[i] > G_MAXINT / planes ? 0 : planes * sizes[i];
  if (planes < 1)
    return frames_refuse (file->path, "has an impossible number of planes", error);
  image->scale = number_or (&image->cards, "BSCALE", 1.0);
  image->zero = number_or (&image->cards, "BZERO", 0.0);
  image->blank = image->bits > 0 ? fits_cards_number (&image->cards, "BLANK") : NAN;
  header->width = (gint) sizes[0];
  header->height = (gint) sizes[1];
  header->promised = (gint) planes;
  header->planes = image->is_compressed ? (gint) planes : (gint) CLAMP (whole_planes (image, sizes[0] * sizes[1], file), 1, planes);
  header->is_cut = ! image->is_compressed && whole_planes (image, sizes[0] * sizes[1], file) < 1;
  header->saturation = image->bits == 8 || image->bits == 16 ? (gfloat) (highest (image) * image->scale + image->zero) : INFINITY;
  return TRUE;
}

/* The first part of the file with two axes and more. */
static gboolean
find_image (FramesFile *file, Image *image, FitsHeader *header, GError **error)
{
  gint64 offset = 0, sizes[FITS_AXES];
  gint   axes;

  *image = (Image) { .bits = 0 };
  *header = (FitsHeader) { 0 };
  for (gint part = 0; part < MOST_PARTS; part++)
    {
      gboolean is_good = TRUE, is_one = FALSE;

      if (! fits_cards_read (&image->cards, file, offset, error))
        return FALSE;
      image->is_compressed = fits_is_compressed (&image->cards);
      if (image->cards.is_image && image->cards.axes >= 2 && image->cards.bytes > 0)
        {
          is_one = TRUE;
          image->bits = image->cards.bits;
          is_good = describe (image, image->cards.sizes, image->cards.axes, header, file, error);
        }
      else if (image->is_compressed)
        {
          is_one = TRUE;
          is_good = fits_compressed_check (&image->cards, file, &image->bits, &axes, sizes, error)
                    && describe (image, sizes, axes, header, file, error);
        }
      if (is_one && is_good)
        {
          read_facts (&image->cards, header);
          return TRUE;
        }
      offset = fits_cards_end (&image->cards);
      fits_cards_clear (&image->cards);
      if (! is_good)
        return FALSE;
    }
  return frames_refuse (file->path, "has no image", error);
}

gboolean
fits_read_header (const gchar *path, FitsHeader *header, GError **error)
{
  FramesFile file;
  Image      image;
  gboolean   success;

  *header = (FitsHeader) { 0 };
  if (! frames_file_open (&file, path, error))
    return FALSE;
  success = find_image (&file, &image, header, error);
  if (success)
    fits_cards_clear (&image.cards);
  frames_file_close (&file);
  return success;
}

static gfloat
count_of (const Image *image, gdouble number)
{
  return number == image->blank ? NAN : (gfloat) ((number * image->scale + image->zero) / image->full);
}

static gdouble
number_at (const guint8 *bytes, gint bits)
{
  const guint64 value = fits_big_endian (bytes, ABS (bits) / 8);
  const guint32 few = (guint32) value;
  gfloat        single;
  gdouble       number;

  switch (bits)
    {
    case 8:
      return (gdouble) value;
    case 32:
      return (gint32) value;
    case 64:
      return (gdouble) (gint64) value;
    case -32:
      memcpy (&single, &few, sizeof single);
      return single;
    default:
      memcpy (&number, &value, sizeof number);
      return number;
    }
}

/* As count_of.  Most cameras write such numbers. */
TESSERA_CLONES static void
counts_of_16_bits (const guint16 *restrict numbers, gsize n, gdouble scale, gdouble zero, gdouble full, gdouble blank,
                   gfloat *restrict counts)
{
  for (gsize i = 0; i < n; i++)
    {
      const gdouble number = (gint16) GUINT16_FROM_BE (numbers[i]);
      const gfloat  count = (gfloat) ((number * scale + zero) / full);

      counts[i] = number == blank ? NAN : count;
    }
}

typedef struct
{
  const Image  *image;
  const guint8 *bytes;
  CountPlane   *plane;
} Counting;

static void
count_rows (gsize first, gsize n, gpointer data)
{
  const Counting *c = data;
  const gint      bits = c->image->bits, size = ABS (bits) / 8;
  const gsize     begin = first * c->plane->width, end = begin + n * c->plane->width;

  if (bits == 16)
    counts_of_16_bits ((const guint16 *) (gconstpointer) c->bytes + begin, end - begin, c->image->scale, c->image->zero, c->image->full,
                       c->image->blank, c->plane->pixels + begin);
  else
    for (gsize i = begin; i < end; i++)
      c->plane->pixels[i] = count_of (c->image, number_at (c->bytes + i * size, bits));
}

static gboolean
read_compressed (FramesFile *file, const Image *image, gint index, CountPlane *plane, FitsHeader *header, GError **error)
{
  const gint64 n = (gint64) header->width * header->height;
  g_autofree gdouble *numbers = g_new (gdouble, n);

  if (! fits_compressed_read (&image->cards, file, index, numbers, error))
    return FALSE;
  count_plane_init (plane, header->width, header->height);
  for (gint64 i = 0; i < n; i++)
    plane->pixels[i] = count_of (image, numbers[i]);
  return TRUE;
}

static gboolean
read_plain (FramesFile *file, const Image *image, gint index, CountPlane *plane, FitsHeader *header, GError **error)
{
  const gint   size = ABS (image->bits) / 8;
  const gint64 n = (gint64) header->width * header->height, offset = image->cards.data + index * n * size;
  g_autofree guint8 *bytes = NULL;

  if (offset + n * size > file->size)
    return frames_refuse (file->path, "ends before the last of its pixels", error);
  bytes = g_malloc (n * size);
  if (! frames_file_read (file, offset, n * size, bytes, error))
    return FALSE;
  count_plane_init (plane, header->width, header->height);
  tessera_spread_range (header->height, 64.0 * 64.0 / header->width, count_rows, &(Counting) { image, bytes, plane });
  return TRUE;
}

gboolean
fits_read_shares (const gchar *path, gint index, gdouble full, CountPlane *plane, FitsHeader *header, GError **error)
{
  FramesFile file;
  Image      image;
  gboolean   success;

  *header = (FitsHeader) { 0 };
  if (! frames_file_open (&file, path, error))
    return FALSE;
  success = find_image (&file, &image, header, error);
  if (success)
    {
      if (index < 0 || index >= header->planes)
        {
          g_set_error (error, FRAMES_ERROR, FRAMES_ERROR_UNREADABLE, "%s has no plane %d, but %d", path, index, header->planes);
          success = FALSE;
        }
      image.full = full;
      if (success && image.is_compressed)
        success = read_compressed (&file, &image, index, plane, header, error);
      else if (success)
        success = read_plain (&file, &image, index, plane, header, error);
      fits_cards_clear (&image.cards);
    }
  frames_file_close (&file);
  if (! success)
    fits_header_clear (header);
  return success;
}

gboolean
fits_read_plane (const gchar *path, gint index, CountPlane *plane, FitsHeader *header, GError **error)
{
  return fits_read_shares (path, index, 1.0, plane, header, error);
}

void
fits_header_clear (FitsHeader *header)
{
  g_free (header->date);
  g_free (header->object);
  *header = (FitsHeader) { 0 };
}
