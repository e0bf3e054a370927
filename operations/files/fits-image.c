/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "fits-image.h"

#include <fitsio.h>
#include <math.h>
#include <string.h>

#include "frames-file.h"
#include "tessera.h"

#define MOST_PARTS 100
#define AXES       8
#define CHUNK      (1 << 15)    /* pixels that are read at a time: they stay in the cache */
#define PER_BYTE   4096         /* pixels that a byte of a compressed image can stand for, ... */
                                /* ... else a small file could ask for any amount of memory */

struct _FitsOpened
{
  fitsfile *file;
  gpointer  numbers;            /* of the rows that are read together */
  gboolean  has_blanks;         /* of floats that are compressed as whole numbers */
};

static gboolean
refuse (FitsImage *image, gint status, const gchar *why)
{
  gchar words[FLEN_STATUS] = "";

  if (status)
    fits_get_errstatus (status, words);
  g_snprintf (image->why, sizeof image->why, status ? "%s (CFITSIO: %s)" : "%s", why, words);
  image->state = FITS_REFUSED;
  return FALSE;
}

/* ------------------------------------------------------------------ header -- */

/* Of several cards with one key the first one counts. */
static gboolean
read_key (fitsfile *file, gint type, const gchar *key, gpointer value)
{
  gint status = 0;

  fits_movabs_key (file, 1, &status);
  fits_read_key (file, type, key, value, NULL, &status);
  return status == 0;
}

static gdouble
number_or (fitsfile *file, const gchar *key, gdouble otherwise)
{
  gdouble number;

  return read_key (file, TDOUBLE, key, &number) && ! isnan (number) ? number : otherwise;
}

static void
read_text (fitsfile *file, const gchar *key, gchar *text)
{
  gchar value[FLEN_VALUE] = "";

  if (read_key (file, TSTRING, key, value))
    g_strlcpy (text, value, FITS_TEXT);
}

/* The cards, where they say something of the sky.  WCSLIB counts the axes by itself: it would take memory for as many
 * as a damaged card names. */
static void
read_cards (fitsfile *file, FitsImage *image)
{
  static gchar *without[] = { (gchar *) "NAXIS*", (gchar *) "WCSAXES*" };
  gchar        *cards = NULL, kind[FLEN_VALUE];
  gint          n, status = 0;

  if (! read_key (file, TSTRING, "CTYPE1", kind)
      || fits_hdr2str (file, TRUE, without, G_N_ELEMENTS (without), &cards, &n, &status) != 0)
    return;
  if (strlen (cards) < sizeof image->cards)
    strcpy (image->cards, cards);
  fits_free_memory (cards, &status);
}

/* What no header has said yet. */
static void
forget_facts (FitsImage *image)
{
  FitsTimes *times = &image->times;

  image->exposure = image->zero_point = NAN;
  *image->object = *image->filter = *image->mosaic = *image->order = '\0';
  image->x_offset = image->y_offset = 0;
  *times = (FitsTimes) { .mjd_average = NAN, .mjd_begin = NAN, .mjd = NAN, .jd = NAN };
}

static void
read_times (fitsfile *file, FitsTimes *times)
{
  static const gchar *const clocks[FITS_CLOCKS] = { "UTSTART", "TIME-OBS", "UT", "UTC" };

  read_text (file, "DATE-AVG", times->average);
  read_text (file, "DATE-BEG", times->begin);
  read_text (file, "DATE-OBS", times->date);
  read_text (file, "TIMESYS", times->system);
  for (gint i = 0; i < FITS_CLOCKS; i++)
    read_text (file, clocks[i], times->clocks[i]);
  times->mjd_average = number_or (file, "MJD-AVG", times->mjd_average);
  times->mjd_begin = number_or (file, "MJD-BEG", times->mjd_begin);
  times->mjd = number_or (file, "MJD-OBS", times->mjd);
  times->jd = number_or (file, "JD", times->jd);
}

/* Only what this header says: the rest stays as an earlier one has it. */
static void
read_words (fitsfile *file, FitsImage *image)
{
  const gdouble exposure = number_or (file, "EXPOSURE", number_or (file, "XPOSURE", image->exposure));

  image->exposure = number_or (file, "EXPTIME", exposure);
  image->zero_point = number_or (file, "MAGZERO", number_or (file, "PHOTZP", image->zero_point));
  read_text (file, "OBJECT", image->object);
  read_text (file, "FILTER", image->filter);
  read_text (file, "BAYERPAT", image->mosaic);
  read_text (file, "ROWORDER", image->order);
  read_key (file, TINT, "XBAYROFF", &image->x_offset);
  read_key (file, TINT, "YBAYROFF", &image->y_offset);
  read_times (file, &image->times);
}

static void
read_facts (fitsfile *file, FitsImage *image)
{
  gint inherits = TRUE;

  image->scale = number_or (file, "BSCALE", 1.0);
  image->zero = number_or (file, "BZERO", 0.0);
  image->blank = image->bits > 0 ? number_or (file, "BLANK", NAN) : NAN;
  if (read_key (file, TLOGICAL, "INHERIT", &inherits) && ! inherits)
    forget_facts (image);
  read_words (file, image);
  read_cards (file, image);
}

/* ------------------------------------------------------------------- sizes -- */

/* A header may name more than there is. */
static gboolean
check_plain (fitsfile *file, gint64 size, FitsImage *image)
{
  LONGLONG head, data, end;
  gint     status = 0;
  gint64   whole;

  if (fits_get_hduaddrll (file, &head, &data, &end, &status) != 0)
    return refuse (image, status, "has a header that says what cannot be");
  whole = (size - data) / ((gint64) image->width * image->height * (ABS (image->bits) / 8));
  image->planes = (gint) CLAMP (whole, 1, image->promised);
  image->is_cut = whole < 1;
  return TRUE;
}

static gboolean
check_compressed (fitsfile *file, gint64 size, FitsImage *image)
{
  LONGLONG head, data, end;
  gdouble  table = number_or (file, "NAXIS1", 0.0) * number_or (file, "NAXIS2", 0.0);
  gint     status = 0;

  image->planes = image->promised;
  if (fits_get_hduaddrll (file, &head, &data, &end, &status) != 0)
    return refuse (image, status, "has a header that says what cannot be");
  if (data + table > size)
    return refuse (image, 0, "ends before the last of its pixels");
  if ((gdouble) image->width * image->height * image->planes > (gdouble) (size - data) * PER_BYTE)
    return refuse (image, 0, "is too small for the compressed image that its header names");
  return TRUE;
}

/* Three planes are colours, where the third axis has no other name. */
static gboolean
are_colours (fitsfile *file, const LONGLONG *sizes, gint axes, gint64 planes, gboolean *is_guess)
{
  gchar name[FLEN_VALUE] = "";

  read_key (file, TSTRING, "CTYPE3", name);
  g_strstrip (name);
  *is_guess = ! *name;
  return axes >= 3 && sizes[2] == 3 && planes == 3
         && (! *name || g_ascii_strncasecmp (name, "RGB", 3) == 0 || g_ascii_strncasecmp (name, "COLO", 4) == 0);
}

/* Sizes that an image can have. */
static gboolean
describe (fitsfile *file, const LONGLONG *sizes, gint axes, gint64 size, FitsImage *image)
{
  const gint bits = ABS (image->bits);
  gint64     planes = 1;
  gint       status = 0;

  if (! (bits == 8 || bits == 16 || bits == 32 || bits == 64) || (image->bits < 0 && bits < 32))
    return refuse (image, 0, "has a header that says what cannot be");
  if (sizes[0] > FRAMES_MOST_PIXELS || sizes[1] > FRAMES_MOST_PIXELS || sizes[0] * sizes[1] > FRAMES_MOST_PIXELS)
    return refuse (image, 0, "has an image of an impossible size");
  for (gint i = 2; i < axes && planes > 0; i++)
    planes = sizes[i] > G_MAXINT / planes ? 0 : planes * sizes[i];
  if (planes < 1)
    return refuse (image, 0, "has an impossible number of planes");
  image->width = (gint) sizes[0];
  image->height = (gint) sizes[1];
  image->promised = (gint) planes;
  image->is_colour = are_colours (file, sizes, axes, planes, &image->is_guess);
  image->is_compressed = fits_is_compressed_image (file, &status);
  return (image->is_compressed ? check_compressed : check_plain) (file, size, image);
}

/* -------------------------------------------------------------------- parts -- */

/* An image, or one in a table; its sizes.  One of no pixels is none. */
static gboolean
is_image (fitsfile *file, gint part, gint *bits, gint *axes, LONGLONG *sizes, gint *status)
{
  gchar kind[FLEN_VALUE];
  gint  type;

  if (fits_get_hdu_type (file, &type, status) != 0 || type != IMAGE_HDU
      || fits_get_img_paramll (file, AXES, bits, axes, sizes, status) != 0)
    return FALSE;
  if (part > 0 && ! fits_is_compressed_image (file, status)
      && ! (read_key (file, TSTRING, "XTENSION", kind) && strcmp (kind, "IMAGE") == 0))
    return FALSE;
  for (gint i = 0; i < MIN (*axes, AXES); i++)
    if (sizes[i] < 1)
      return FALSE;
  return *axes >= 2;
}

/* The first part of the file with two axes and more.  What the empty part at the beginning says holds for it too. */
static gboolean
find_image (fitsfile *file, gboolean everywhere, gint64 size, FitsImage *image)
{
  forget_facts (image);
  for (gint part = 0; part < MOST_PARTS; part++)
    {
      LONGLONG sizes[AXES];
      gint     axes = 0, status = 0;

      if (part > 0 && fits_movrel_hdu (file, 1, NULL, &status) == END_OF_FILE)
        break;
      if (is_image (file, part, &image->bits, &axes, sizes, &status))
        return axes <= AXES ? describe (file, sizes, axes, size, image)
                            : refuse (image, 0, "has an image of an impossible size");
      if (part == 0)
        read_words (file, image);
      if (status != 0)
        return refuse (image, status, "has a header that says what cannot be");
      if (! everywhere)
        {
          image->state = FITS_ELSEWHERE;
          return FALSE;
        }
    }
  return refuse (image, 0, "has no image");
}

/* A name is no more than that: CFITSIO's words in names (a part in brackets, a program, an address) mean nothing. */
static fitsfile *
open_source (const FitsSource *source, FitsImage *image)
{
  fitsfile *file = NULL;
  gint      status = 0;

  if (source->bytes)
    fits_open_memfile (&file, "bytes", READONLY, (void **) &source->bytes, (size_t *) &source->size, 0, NULL, &status);
  else
    fits_open_diskfile (&file, source->path, READONLY, &status);
  if (status == 0)
    return file;
  refuse (image, status, "has a header that says what cannot be");
  return NULL;
}

gint
fits_image_step (const FitsImage *image)
{
  return MIN (MAX (CHUNK / image->width, 1), image->height);
}

FitsOpened *
fits_image_open (const FitsSource *source, gboolean everywhere, FitsImage *image)
{
  fitsfile   *file = open_source (source, image);
  FitsOpened *opened;
  gint        column, status = 0;

  if (! file)
    return NULL;
  opened = g_new0 (FitsOpened, 1);
  opened->file = file;
  if (! find_image (file, everywhere, (gint64) source->size, image))
    {
      fits_image_close (opened);
      return NULL;
    }
  read_facts (file, image);
  opened->has_blanks = image->is_compressed && image->bits < 0
                       && (! isnan (number_or (file, "ZBLANK", NAN))
                           || fits_get_colnum (file, CASEINSEN, (gchar *) "ZBLANK", &column, &status) == 0);
  status = 0;
  fits_set_bscale (file, 1.0, 0.0, &status);
  opened->numbers = g_malloc (sizeof (gdouble) * (gsize) fits_image_step (image) * image->width);
  image->state = FITS_READ;
  return opened;
}

void
fits_image_close (FitsOpened *opened)
{
  gint status = 0;

  fits_close_file (opened->file, &status);
  fits_clear_errmsg ();
  g_free (opened->numbers);
  g_free (opened);
}

/* Programs write NONE, 0 or a signed number where they have no sum. */
static gboolean
has_sum (fitsfile *file)
{
  gchar    text[FLEN_VALUE] = "";
  guint64  sum = 0;

  return read_key (file, TSTRING, "DATASUM", text) && g_ascii_string_to_unsigned (g_strstrip (text), 10, 1, G_MAXUINT32, &sum, NULL);
}

gboolean
fits_image_check (FitsOpened *opened, FitsImage *image)
{
  gint of_data = 0, of_part, status = 0;

  if (! has_sum (opened->file))
    return TRUE;
  fits_verify_chksum (opened->file, &of_data, &of_part, &status);
  return status != 0 || of_data >= 0 || refuse (image, 0, "is damaged: its pixels do not add up to the sum in its header");
}

/* ------------------------------------------------------------------- counts -- */

/* Most cameras write such numbers. */
TESSERA_CLONES static void
counts_of_16_bits (const gint16 *restrict numbers, gint n, gdouble scale, gdouble zero, gdouble full, gdouble blank,
                   gfloat *restrict counts)
{
  for (gint i = 0; i < n; i++)
    {
      const gdouble number = numbers[i];
      const gfloat  count = (gfloat) ((number * scale + zero) / full);

      counts[i] = number == blank ? NAN : count;
    }
}

TESSERA_CLONES static void
counts_of_doubles (const gdouble *restrict numbers, gint n, gdouble scale, gdouble zero, gdouble full, gdouble blank,
                   gfloat *restrict counts)
{
  for (gint i = 0; i < n; i++)
    {
      const gfloat count = (gfloat) ((numbers[i] * scale + zero) / full);

      counts[i] = numbers[i] == blank ? NAN : count;
    }
}

/* Doubles have not all of these numbers: they would be rounded twice. */
static void
counts_of_64_bits (const gint64 *numbers, gint n, gdouble zero, gdouble blank, gfloat *counts)
{
  for (gint i = 0; i < n; i++)
    counts[i] = (gdouble) numbers[i] == blank ? NAN : zero == 0.0 ? (gfloat) numbers[i] : (gfloat) ((guint64) numbers[i] ^ G_GUINT64_CONSTANT (1) << 63);
}

static gint
type_of (const FitsImage *image, gdouble full)
{
  const gboolean is_whole = image->scale == 1.0 && (image->zero == 0.0 || image->zero == 0x1p63) && full == 1.0;

  return image->bits == 16 ? TSHORT : image->bits == 64 && is_whole ? TLONGLONG : TDOUBLE;
}

/* As the file has them, before they are scaled: CFITSIO rounds what it scales on its way to floats, and then `full`
 * would round again. */
gboolean
fits_image_rows (FitsOpened *opened, gint index, gint row, gint n, gdouble full, FitsImage *image, gfloat *counts)
{
  const gint   type = type_of (image, full), count = n * image->width;
  const gint64 first = ((gint64) index * image->height + row) * image->width;
  gdouble      nan = NAN;
  gint         status = 0;

  fits_read_img (opened->file, type, first + 1, count, opened->has_blanks ? &nan : NULL, opened->numbers, NULL,
                 &status);
  if (status != 0)
    return refuse (image, status, "has pixels that cannot be read");
  if (type == TSHORT)
    counts_of_16_bits (opened->numbers, count, image->scale, image->zero, full, image->blank, counts);
  else if (type == TLONGLONG)
    counts_of_64_bits (opened->numbers, count, image->zero, image->blank, counts);
  else
    counts_of_doubles (opened->numbers, count, image->scale, image->zero, full, image->blank, counts);
  return TRUE;
}
