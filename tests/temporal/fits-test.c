/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * FITS files of every kind are read as they were written; what is broken is refused with its name. */
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "../engine/verdict.h"
#include "files-test.h"
#include "files.h"
#include "fits.h"

#define WIDTH  7
#define HEIGHT 5
#define N      (WIDTH * HEIGHT)

static gchar *folder;

static gchar *
in_folder (const gchar *name)
{
  static gchar *path;

  g_free (path);
  path = g_build_filename (folder, name, NULL);
  return path;
}

static void
expect_plane (const gchar *name, gint index, const gdouble *values, gdouble scale, gdouble zero, gfloat saturation)
{
  CountPlane plane = { 0 };
  FitsHeader header;
  GError    *error = NULL;
  gint       wrong = 0;

  if (! fits_read_plane (in_folder (name), index, &plane, &header, &error))
    {
      expect (FALSE, "%s[%d]: %s", name, index, error->message);
      g_error_free (error);
      return;
    }
  expect (plane.width == WIDTH && plane.height == HEIGHT, "%s: %d x %d", name, plane.width, plane.height);
  for (gint i = 0; i < N; i++)
    {
      const gfloat wanted = (gfloat) (values[i] * scale + zero);

      wrong += ! (plane.pixels[i] == wanted || (isnan (wanted) && isnan (plane.pixels[i])));
    }
  expect (wrong == 0, "%s[%d]: %d pixels are not as written", name, index, wrong);
  expect (header.saturation == saturation, "%s: full at %g, not %g", name, header.saturation, saturation);
  count_plane_clear (&plane);
  fits_header_clear (&header);
}

static void
expect_refused (const gchar *name, const gchar *word)
{
  CountPlane plane = { 0 };
  FitsHeader header;
  GError    *error = NULL;
  gboolean   read = fits_read_plane (in_folder (name), 0, &plane, &header, &error);

  expect (! read && error && strstr (error->message, name) && strstr (error->message, word), "%s: %s, but should be refused with its name and \"%s\"",
          name, read ? "is read" : error->message, word);
  g_clear_error (&error);
  count_plane_clear (&plane);
  fits_header_clear (&header);
}

static void
numbers_by_hand (void)
{
  static const gchar *const scaled[] = { "BSCALE  =                  0.5", "BZERO   =                100.0", NULL };
  static const gchar *const is_unsigned[] = { "BSCALE  =                  1.0", "BZERO   =              32768.0", NULL };
  static const gchar *const is_unsigned_64[] = { "BSCALE  =                  1.0", "BZERO   =  9223372036854775808",
                                                NULL };
  const struct { gint bits; gdouble low, high; gfloat full; } types[] =
    { { 8, 0, 255, 255 }, { 16, -32768, 32767, 32767 }, { 32, -100000, 8000000, INFINITY }, { 64, -100000, 8000000, INFINITY },
      { -32, -3.5, 1e6, INFINITY }, { -64, -3.5, 1e6, INFINITY } };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    {
      gdouble values[2 * N];
      gchar  *name = g_strdup_printf ("plain%d.fits", types[i].bits);

      for (gint k = 0; k < 2 * N; k++)
        {
          values[k] = types[i].low + (types[i].high - types[i].low) * k / (2 * N - 1);
          if (types[i].bits > 0)
            values[k] = floor (values[k]);
        }
      files_fits_of (in_folder (name), types[i].bits, WIDTH, HEIGHT, 2, values, NULL);
      expect_plane (name, 0, values, 1.0, 0.0, types[i].full);
      expect_plane (name, 1, values + N, 1.0, 0.0, types[i].full);
      files_fits_of (in_folder (name), types[i].bits, WIDTH, HEIGHT, 1, values, scaled);
      expect_plane (name, 0, values, 0.5, 100.0, types[i].full * 0.5f + 100.0f);
      if (types[i].bits == 16)
        {
          files_fits_of (in_folder (name), 16, WIDTH, HEIGHT, 2, values, is_unsigned);
          expect_plane (name, 1, values + N, 1.0, 32768.0, 65535.0f);
        }
      if (types[i].bits == 64)
        {
          files_fits_of (in_folder (name), 64, WIDTH, HEIGHT, 1, values, is_unsigned_64);
          expect_plane (name, 0, values, 1.0, 9223372036854775808.0, INFINITY);
        }
      g_free (name);
    }
}

/* Blanks are NaN, infinities stay, doubles beyond a float's are infinite or its highest; names are names. */
static void
strange_numbers (void)
{
  static const gchar *const blank[] = { "BLANK   =                   -1", NULL };
  static const gchar *const turned[] = { "BSCALE  =                 -1.0", "BZERO   =                  7.0", NULL };
  gdouble                   values[N] = { 0 }, wanted[N] = { 0 };

  values[3] = -1;
  files_fits_of (in_folder ("turned.fits"), 16, WIDTH, HEIGHT, 1, values, turned);
  expect_plane ("turned.fits", 0, values, -1.0, 7.0, 32775.0f);
  wanted[3] = NAN;
  files_fits_of (in_folder ("blank.fits"), 16, WIDTH, HEIGHT, 1, values, blank);
  expect_plane ("blank.fits", 0, wanted, 1.0, 0.0, 32767.0f);
  values[3] = NAN;
  values[4] = 1.0;
  wanted[4] = 1.0;
  files_fits_of (in_folder ("nan.fits"), -32, WIDTH, HEIGHT, 1, values, NULL);
  expect_plane ("nan.fits", 0, wanted, 1.0, 0.0, INFINITY);
}

/* What CFITSIO would take for a part of a file, a program, an address or a home is a file's name here. */
static void
strange_names (void)
{
  static const gchar *const names[] = { "name[1].fits", "name(copy).fits", "!name.fits", "~name.fits", "| ls.fits",
                                        " name.fits", "mem:.fits", "shmem:h1.fits", "ftp:.fits", "-.fits", "+1.fits",
                                        "name.fits+1", "name.fits[1][2:3,4]" };
  g_autofree gchar *here = g_get_current_dir ();
  gdouble           values[N];

  for (gint i = 0; i < N; i++)
    values[i] = i;
  expect (g_chdir (folder) == 0, "the folder can be gone to");
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      CountPlane plane = { 0 };
      FitsHeader header;

      files_fits_of (names[i], -32, WIDTH, HEIGHT, 1, values, NULL);
      expect_plane (names[i], 0, values, 1.0, 0.0, INFINITY);
      expect (fits_read_plane (names[i], 0, &plane, &header, NULL) && plane.pixels[N - 1] == N - 1,
              "%s is read without a folder", names[i]);
      expect (fits_write (names[i], &plane, NULL, NULL), "%s is written", names[i]);
      count_plane_clear (&plane);
      fits_header_clear (&header);
      expect_plane (names[i], 0, values, 1.0, 0.0, INFINITY);
    }
  expect (g_chdir (here) == 0, "and come back from");
}

static void
facts (void)
{
  static const gchar *const cards[] = {
    "DATE-OBS= '2024-03-01T22:15:30.250'", "EXPTIME =                 30.0", "OBJECT  = 'field 7 '", "CTYPE1  = 'RA---TAN'", "CTYPE2  = 'DEC--TAN'",
    "CRVAL1  =                150.5", "CRVAL2  =                -12.0", "CRPIX1  =                  4.0", "CRPIX2  =                  3.0",
    "CDELT1  =                -0.01", "CDELT2  =                 0.01", NULL };
  static const gchar *const other[] = { "DATE-OBS= '2024-03-01'", "TIME-OBS= '22:15:30'", NULL };
  const gdouble values[N] = { 0 };
  FitsHeader    header = { 0 };

  files_fits_of (in_folder ("facts.fits"), 16, WIDTH, HEIGHT, 1, values, cards);
  expect (fits_read_header (in_folder ("facts.fits"), &header, NULL), "facts.fits is read");
  expect (fabs (header.facts.start - 1709331330.25) < 1e-5, "the time is %.3f", header.facts.start);
  expect (header.facts.exposure == 30.0, "the exposure is %g", header.facts.exposure);
  expect (g_strcmp0 (header.object, "field 7") == 0, "the object is %s", header.object);
  expect (header.facts.sky && strstr (header.facts.sky, "CTYPE1  = 'RA---TAN'")
          && ! strstr (header.facts.sky, "NAXIS"), "the sky's cards are read");
  fits_header_clear (&header);
  files_fits_of (in_folder ("other.fits"), 16, WIDTH, HEIGHT, 1, values, other);
  expect (fits_read_header (in_folder ("other.fits"), &header, NULL), "other.fits is read");
  expect (fabs (header.facts.start - 1709331330.0) < 1e-5 && isnan (header.facts.exposure) && ! header.facts.sky,
          "date and time apart; no exposure; nothing of the sky");
  fits_header_clear (&header);
}

static void
broken (void)
{
  static const gchar *const wide[] = { "BITPIX  =                   16", "NAXIS   =                    2", "NAXIS1  =               100000",
                                       "NAXIS2  =               100000", NULL };
  static const gchar *const negative[] = { "BITPIX  =                   16", "NAXIS   =                    2", "NAXIS1  =                   -5",
                                           "NAXIS2  =                    5", NULL };
  static const gchar *const promising[] = { "BITPIX  =                   16", "NAXIS   =                    2", "NAXIS1  =                10000",
                                            "NAXIS2  =                10000", NULL };
  static const gchar *const planes[] = { "BITPIX  =                    8", "NAXIS   =                    4", "NAXIS1  =                    5",
                                         "NAXIS2  =                    5", "NAXIS3  =           2000000000", "NAXIS4  =           2000000000", NULL };
  const gdouble values[N] = { 0 };
  gchar        *text;
  gsize         length;

  files_fits (in_folder ("wide.fits"), wide, "", 1);
  expect_refused ("wide.fits", "impossible");
  files_fits (in_folder ("negative.fits"), negative, "", 1);
  expect_refused ("negative.fits", "negative.fits");
  files_fits (in_folder ("promising.fits"), promising, "", 1);
  expect_refused ("promising.fits", "promising.fits");
  files_fits (in_folder ("planes.fits"), planes, "", 1);
  expect_refused ("planes.fits", "planes.fits");
  expect_refused ("missing.fits", "missing.fits");
  g_file_set_contents (in_folder ("words.fits"), "these are words", -1, NULL);
  expect_refused ("words.fits", "no FITS file");
  files_fits_of (in_folder ("whole.fits"), -64, WIDTH, HEIGHT, 1, values, NULL);
  g_file_get_contents (in_folder ("whole.fits"), &text, &length, NULL);
  for (gsize n = 0; n < 2880; n += 79)
    {
      g_file_set_contents (in_folder ("cut.fits"), text, n, NULL);
      expect_refused ("cut.fits", "cut.fits");
    }
  g_file_set_contents (in_folder ("cut.fits"), text, 2880 + 100, NULL);
  expect_refused ("cut.fits", "pixels");
  g_free (text);
}

static void
written (void)
{
  static const gchar *const cards[] = { "TESSERA = 'yes     '", NULL };
  gfloat                    pixels[N];
  gdouble                   wanted[N];
  CountPlane                plane = { WIDTH, HEIGHT, pixels };
  gchar                    *first, *second;
  gsize                     n, m;
  GError                   *error = NULL;

  for (gint i = 0; i < N; i++)
    wanted[i] = pixels[i] = (gfloat) (i == 3 ? NAN : sin (i));
  expect (fits_write (in_folder ("ours.fits"), &plane, cards, NULL), "ours.fits is written");
  expect_plane ("ours.fits", 0, wanted, 1.0, 0.0, INFINITY);
  g_file_get_contents (in_folder ("ours.fits"), &first, &n, NULL);
  files_fits_of (in_folder ("theirs.fits"), -32, WIDTH, HEIGHT, 1, wanted, NULL);
  g_file_get_contents (in_folder ("theirs.fits"), &second, &m, NULL);
  expect (n == m && memcmp (first + 2880, second + 2880, n - 2880) == 0, "numbers are written as by hand");
  expect (g_str_has_prefix (first, "SIMPLE  =                    T /")
          && g_strstr_len (first, 2880, "TESSERA = 'yes     '"), "the header has the card");
  g_free (second);
  expect (fits_write (in_folder ("again.fits"), &plane, cards, NULL), "again.fits is written");
  g_file_get_contents (in_folder ("again.fits"), &second, &m, NULL);
  expect (n == m && memcmp (first, second, n) == 0, "the same pixels make the same bytes");
  expect (! g_file_test (in_folder ("ours.fits.part"), G_FILE_TEST_EXISTS), "nothing is left beside it");
  expect (! fits_write (in_folder ("no/such/folder.fits"), &plane, NULL, &error) && strstr (error->message, "folder.fits"), "an error has the name");
  g_clear_error (&error);
  g_free (first);
  g_free (second);
}

int
fits_test (int argc G_GNUC_UNUSED, char **argv G_GNUC_UNUSED)
{
  folder = files_folder ();
  numbers_by_hand ();
  strange_numbers ();
  strange_names ();
  facts ();
  broken ();
  written ();
  files_remove (folder);
  g_free (folder);
  return expect_told ();
}
