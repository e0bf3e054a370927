/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * fuzz-files ser|fits SECONDS [SEED]: broken films and FITS files are read or refused; nothing else happens.  For ten minutes of processor time in the
 * build with sanitizers (`./run test memory/fuzz`), for a second among the tests.  The file that is tried lies in the folder that is printed first. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../engine/verdict.h"
#include "files.h"
#include "fits.h"
#include "ser.h"

#ifdef HAVE_CFITSIO
#include <fitsio.h>
#endif

#define WIDTH  19
#define HEIGHT 13
#define N      (WIDTH * HEIGHT)

static GRand  *random_numbers;
static gint64  n_read, n_refused;

static gint
below (gint n)
{
  return g_rand_int_range (random_numbers, 0, MAX (n, 1));
}

/* ------------------------------------------------------------ good files -- */

static void
good_film (const gchar *path)
{
  static const gint colours[] = { 0, 100, 101 }, depths[] = { 8, 10, 16 };
  const FilmPlan    plan = { .colour = colours[below (3)], .width = WIDTH, .height = HEIGHT, .bits = depths[below (3)], .promised = 3, .n = 3,
                             .first_tick = below (2) ? G_GINT64_CONSTANT (638449281300000000) : 0 };
  guint16           values[3 * 3 * N];

  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    values[i] = (guint16) (i & ((1 << plan.bits) - 1));
  files_ser (path, &plan, values);
}

#ifdef HAVE_CFITSIO
/* Behind a table, sometimes; floats, sometimes. */
static void
good_compressed (const gchar *path)
{
  static const gint codes[] = { RICE_1, GZIP_1, GZIP_2, HCOMPRESS_1, PLIO_1 };
  static const gint types[] = { SHORT_IMG, LONG_IMG, FLOAT_IMG, DOUBLE_IMG };
  const gint        type = types[below (4)], code = codes[below (type < 0 ? 4 : 5)];
  long              sizes[] = { WIDTH, HEIGHT, 2 }, tiles[] = { WIDTH - below (3), 4 + below (2), 1 };
  gchar            *names[] = { (gchar *) "X" }, *formats[] = { (gchar *) "1J" };
  gfloat            values[2 * N];
  gint              numbers[2 * N], status = 0;
  gint16            shorts[2 * N];
  fitsfile         *file;

  for (gint i = 0; i < 2 * N; i++)
    values[i] = shorts[i] = (gint16) (numbers[i] = (gint) (1000.0 + 100.0 * sin (i)));
  fits_create_diskfile (&file, path, &status);
  if (below (3) == 0)
    {
      fits_create_img (file, BYTE_IMG, 0, NULL, &status);
      fits_create_tbl (file, BINARY_TBL, 5, 1, names, formats, NULL, "LIST", &status);
    }
  if (below (5))
    fits_set_compression_type (file, code, &status);
  if (below (2))
    fits_set_tile_dim (file, 3, tiles, &status);
  fits_create_img (file, type, below (2) ? 2 : 3, sizes, &status);
  fits_write_img (file, type == SHORT_IMG ? TSHORT : type == LONG_IMG ? TINT : TFLOAT, 1, N,
                  type == SHORT_IMG ? (void *) shorts : type == LONG_IMG ? (void *) numbers : values, &status);
  fits_close_file (file, &status);
}
#endif

static void
good_fits (const gchar *path)
{
  static const gint         bits[] = { 8, 16, 32, 64, -32, -64 };
  static const gchar *const cards[] = { "BSCALE  =                  1.5", "BZERO   =              32768.0", "BLANK   =                   -7",
                                        "DATE-OBS= '2024-03-01T22:15:30.250'", "EXPTIME =                 30.0", "CTYPE1  = 'RA---TAN'",
                                        "CTYPE2  = 'DEC--TAN'", "CRVAL1  =                150.5", "CRPIX1  =                  4.0",
                                        "CROTA2  =                  4.0", "OBJECT  = 'field 7 '", NULL };
  gdouble                   values[2 * N];

#ifdef HAVE_CFITSIO
  if (below (2))
    {
      good_compressed (path);
      return;
    }
#endif
  for (gint i = 0; i < 2 * N; i++)
    values[i] = i % 200;
  files_fits_of (path, bits[below (6)], WIDTH, HEIGHT, 1 + below (2), values, below (2) ? cards : NULL);
}

/* ---------------------------------------------------------- broken files -- */

static const gint32 extremes[] = { 0, 1, -1, 2, 7, 8, 16, 17, 255, 256, 65535, 65536, 1 << 20, 1 << 28, G_MAXINT32, G_MININT32, G_MAXINT32 - 1 };

/* The head is where most can go wrong. */
static gsize
place (gsize length, gsize head)
{
  return below (4) ? (gsize) below ((gint) MIN (length, head)) : (gsize) below ((gint) length);
}

static void
damage (gchar *bytes, gsize length, gboolean is_text)
{
  static const gchar signs[] = "0123456789-.+ETF'/ =";
  const gint         times = 1 + below (6);

  for (gint i = 0; i < times; i++)
    {
      const gsize at = place (length, is_text ? 2880 * (1 + below (3)) : 178);

      switch (below (3))
        {
        case 0:
          bytes[at] = is_text ? signs[below (sizeof signs - 1)] : (gchar) below (256);
          break;
        case 1:
          if (is_text && at / 80 * 80 + 30 < length)            /* a card's number */
            {
              gchar number[24];

              g_snprintf (number, sizeof number, "%20d", extremes[below (G_N_ELEMENTS (extremes))]);
              memcpy (bytes + at / 80 * 80 + 10, number, 20);
            }
          else if (! is_text && at + 4 <= length)
            {
              const gint32 number = GINT32_TO_LE (extremes[below (G_N_ELEMENTS (extremes))]);

              memcpy (bytes + (at < 178 ? MIN (18 + (at % 6) * 4, length - 4) : at), &number, 4);
            }
          break;
        default:
          bytes[at] ^= (gchar) (1 << below (8));
        }
    }
}

static void
try_film (const gchar *path)
{
  const gint indices[] = { 0, 2, -1, G_MAXINT };

  for (guint i = 0; i < G_N_ELEMENTS (indices); i++)
    {
      SerHeader  header;
      CountPlane plane = { 0 };
      gdouble    start;
      GError    *error = NULL;

      if (ser_read_frame (path, indices[i], &plane, &header, &start, &error))
        n_read++;
      else if (error)
        n_refused++;
      else
        expect (FALSE, "a film is refused without a reason");
      g_clear_error (&error);
      count_plane_clear (&plane);
    }
}

static void
try_fits (const gchar *path)
{
  FitsHeader header = { 0 };
  GError    *error = NULL;
  gint       planes = 0;

  if (fits_read_header (path, &header, &error))
    planes = header.planes;
  fits_header_clear (&header);
  g_clear_error (&error);
  for (gint i = -1; i < 3; i++)
    {
      CountPlane plane = { 0 };

      if (fits_read_plane (path, i == 2 ? planes - 1 : i, &plane, &header, &error))
        n_read++;
      else if (error)
        n_refused++;
      else
        expect (FALSE, "a FITS file is refused without a reason");
      g_clear_error (&error);
      fits_header_clear (&header);
      count_plane_clear (&plane);
    }
}

static void
try_one (const gchar *path, gboolean is_fits)
{
  gchar *bytes;
  gsize  length;

  (is_fits ? good_fits : good_film) (path);
  g_file_get_contents (path, &bytes, &length, NULL);
  damage (bytes, length, is_fits);
  remove (path);                /* a file that is replaced is waited for */
  g_file_set_contents (path, bytes, below (5) ? length : (gsize) below ((gint) length), NULL);
  g_free (bytes);
  (is_fits ? try_fits : try_film) (path);
  remove (path);                /* CFITSIO does not write over a file */
}

gint
main (gint argc, gchar **argv)
{
  const gboolean is_fits = argc > 1 && g_str_equal (argv[1], "fits");
  const guint32  seed = argc > 3 ? (guint32) atoi (argv[3]) : 20261123;
  const gint     seconds = argc > 2 ? atoi (argv[2]) : 1;
  gchar         *folder = files_folder (), *path = g_build_filename (folder, is_fits ? "broken.fits" : "broken.ser", NULL);
  gint64         n = 0;

  random_numbers = g_rand_new_with_seed (seed);
  g_print ("%s, seed %u\n", folder, seed);
  for (; clock () / CLOCKS_PER_SEC < seconds; n++)
    try_one (path, is_fits);
  expect (n_read > 0 && n_refused > 0, "some are read (%" G_GINT64_FORMAT "), some refused (%" G_GINT64_FORMAT ")", n_read, n_refused);
  g_print ("%" G_GINT64_FORMAT " files in %d s of processor time\n", n, seconds);
  files_remove (folder);
  g_rand_free (random_numbers);
  g_free (path);
  g_free (folder);
  return expect_told ();
}
