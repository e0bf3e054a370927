/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Damaged files that CFITSIO does not refuse by itself.  Each is refused in words here, in seconds.
 * Nothing else happens.
 *
 * fits-damage [FOLDER]: leaves the files there. */
#include <errno.h>
#include <fitsio.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/wait.h>

#include "../engine/verdict.h"
#include "files-test.h"
#include "files.h"
#include "fits.h"

#define WIDTH  300
#define HEIGHT 64
#define N      (WIDTH * HEIGHT)
#define MOST_SECONDS 20.0       /* of a clock, on a busy machine; a file of a few bytes gets three of the processor's */

static gchar *folder;

static gchar *
in_folder (const gchar *name)
{
  static gchar *path;

  g_free (path);
  path = g_build_filename (folder, name, NULL);
  return path;
}

/* A compressed image in one tile, or with code 0 a plain one, as it is in the file; with a sum of its data in the header, or without. */
static gchar *
compressed (gint code, gboolean has_sum, gsize *length)
{
  long      sizes[] = { WIDTH, HEIGHT };
  gint16    values[N];
  gchar    *bytes = NULL;
  fitsfile *file;
  gint      status = 0;

  for (gint i = 0; i < N; i++)
    values[i] = (gint16) (1000 + i * 7919 % 101);
  g_unlink (in_folder ("good.fits"));
  fits_create_diskfile (&file, in_folder ("good.fits"), &status);
  fits_set_compression_type (file, code, &status);
  fits_set_tile_dim (file, 2, sizes, &status);
  fits_create_img (file, SHORT_IMG, 2, sizes, &status);
  fits_write_img (file, TSHORT, 1, N, values, &status);
  if (has_sum)
    fits_write_chksum (file, &status);
  fits_close_file (file, &status);
  expect (status == 0 && g_file_get_contents (in_folder ("good.fits"), &bytes, length, NULL),
          "CFITSIO writes good.fits: %d", status);
  g_unlink (in_folder ("good.fits"));
  return bytes;
}

/* The value of the first card of this key. */
static void
set_card (gchar *bytes, gsize length, const gchar *key, const gchar *value)
{
  g_autofree gchar *start = g_strdup_printf ("%-8s=", key), *text = g_strdup_printf ("%-20s", value);

  for (gchar *card = bytes; card + 80 <= bytes + length; card += 80)
    if (g_str_has_prefix (card, start))
      {
        memcpy (card + 10, text, strlen (text));
        return;
      }
  expect (FALSE, "there is no card %s", key);
}

/* Behind so many headers. */
static guint8 *
data_behind (gchar *bytes, gint n)
{
  gint  headers = 0;
  gsize at = 0;

  for (; headers < n; at += 80)
    headers += g_str_has_prefix (bytes + at, "END     ");
  return (guint8 *) bytes + (at + 2879) / 2880 * 2880;
}

/* Where the table's one row begins, behind the second header; behind it is what it points to. */
static guint8 *
table (gchar *bytes)
{
  return data_behind (bytes, 2);
}

static gint
length_of_code (gchar *bytes)
{
  const guint8 *row = table (bytes);

  return row[0] << 24 | row[1] << 16 | row[2] << 8 | row[3];
}

static void
set_length (gchar *bytes, gint length)
{
  for (gint i = 0; i < 4; i++)
    table (bytes)[i] = (guint8) (length >> (24 - 8 * i));
}

/* ------------------------------------------------------------------- damage -- */

static void
no_width (gchar *bytes, gsize length)
{
  set_card (bytes, length, "ZTILE1", "0");
}

static void
wide_tile (gchar *bytes, gsize length)
{
  set_card (bytes, length, "ZTILE1", "2000000000");
}

static void
many_axes (gchar *bytes, gsize length)
{
  set_card (bytes, length, "ZNAXIS", "2000000");
}

static void
no_bits (gchar *bytes, gsize length)
{
  set_card (bytes, length, "ZBITPIX", "7");
}

static void
no_code (gchar *bytes, gsize length)
{
  set_card (bytes, length, "ZCMPTYPE", "'PUZZLE  '");
}

static void
long_block (gchar *bytes, gsize length)
{
  set_card (bytes, length, "ZVAL1", "0");
}

static void
half_the_code (gchar *bytes, gsize length G_GNUC_UNUSED)
{
  set_length (bytes, length_of_code (bytes) / 2);
}

static void
much_code (gchar *bytes, gsize length G_GNUC_UNUSED)
{
  set_length (bytes, G_MAXINT);
}

/* Behind the two bytes that all such codes begin with is the tile's size: another one. */
static void
large_tile (gchar *bytes, gsize length G_GNUC_UNUSED)
{
  table (bytes)[8 + 2 + 2] = 0x10;
}

/* Only zeros are left, of which RICE makes a number that has no end. */
static void
zeros (gchar *bytes, gsize length G_GNUC_UNUSED)
{
  memset (table (bytes) + 8 + 40, 0, (gsize) length_of_code (bytes) - 40);
}

static const struct
{
  const gchar *name;
  gint         code;
  void (*damage) (gchar *bytes, gsize length);
} files[] = { { "rice-no-width.fits", RICE_1, no_width },
              { "gzip-no-width.fits", GZIP_1, no_width },
              { "rice-wide-tile.fits", RICE_1, wide_tile },
              { "rice-many-axes.fits", RICE_1, many_axes },
              { "rice-no-bits.fits", RICE_1, no_bits },
              { "rice-no-code.fits", RICE_1, no_code },
              { "rice-no-block.fits", RICE_1, long_block },
              { "rice-half.fits", RICE_1, half_the_code },
              { "rice-zeros.fits", RICE_1, zeros },
              { "rice-much.fits", RICE_1, much_code },
              { "gzip-half.fits", GZIP_1, half_the_code },
              { "gzip-much.fits", GZIP_2, much_code },
              { "hcompress-large-tile.fits", HCOMPRESS_1, large_tile },
              { "hcompress-half.fits", HCOMPRESS_1, half_the_code },
              { "hcompress-zeros.fits", HCOMPRESS_1, zeros },
              { "plio-half.fits", PLIO_1, half_the_code },
              { "plio-much.fits", PLIO_1, much_code } };

/* Is it refused by its name?  Of some nobody can know that they are damaged: they are read. */
static gboolean
is_refused (const gchar *name)
{
  const gint64   began = g_get_monotonic_time ();
  CountPlane     plane = { 0 };
  FitsHeader     header;
  GError        *error = NULL;
  const gboolean read = fits_read_plane (in_folder (name), 0, &plane, &header, &error);
  const gdouble  seconds = (g_get_monotonic_time () - began) / 1e6;

  expect (read || (error && strstr (error->message, name)), "%s is refused, and the error has its name: %s", name,
          error ? error->message : "none");
  expect (read == (plane.pixels != NULL), "%s: pixels if it is read", name);
  expect (seconds < MOST_SECONDS, "%s takes %.1f s", name, seconds);
  g_print ("%s: %s (%.2f s)\n", name, error ? error->message : "is read", seconds);
  g_clear_error (&error);
  count_plane_clear (&plane);
  fits_header_clear (&header);
  return ! read;
}

/* Where HCOMPRESS and PLIO find less than they ask for, nothing tells but the sum: numbers are read that are none. */
static gboolean
is_told (guint i)
{
  return files[i].code != HCOMPRESS_1 && files[i].code != PLIO_1;
}

static void
by_name (void)
{
  for (guint i = 0; i < 2 * G_N_ELEMENTS (files); i++)
    {
      const gboolean has_sum = i % 2;
      gsize          length;
      gchar         *bytes = compressed (files[i / 2].code, has_sum, &length);

      files[i / 2].damage (bytes, length);
      g_file_set_contents (in_folder (files[i / 2].name), bytes, (gssize) length, NULL);
      expect (is_refused (files[i / 2].name) || ! (has_sum || is_told (i / 2)), "%s is refused", files[i / 2].name);
      g_free (bytes);
    }
}

/* Of one wrong byte nothing tells but the sum, if the header has it. */
static void
plain (void)
{
  for (guint i = 0; i < 4; i++)
    {
      const gboolean has_sum = i & 1, is_damaged = i & 2;
      gsize          length;
      gchar         *bytes = compressed (0, has_sum, &length);

      if (is_damaged)
        data_behind (bytes, 1)[N] ^= 0x55;
      g_file_set_contents (in_folder ("plain.fits"), bytes, (gssize) length, NULL);
      expect (is_refused ("plain.fits") == (has_sum && is_damaged), "a plain image, %s, %s",
              is_damaged ? "damaged" : "whole", has_sum ? "with its sum" : "without a sum");
      g_free (bytes);
    }
}

/* Cut at many places, plain, compressed and packed by gzip. */
static void
cut (void)
{
  static const gint codes[] = { RICE_1, GZIP_2, HCOMPRESS_1, PLIO_1 };

  for (guint i = 0; i < 2 * G_N_ELEMENTS (codes); i++)
    {
      gsize  length, packed;
      gchar *bytes = compressed (codes[i / 2], FALSE, &length), *gzip;

      files_gzip (in_folder ("good.gz"), bytes, length);
      g_file_get_contents (in_folder ("good.gz"), &gzip, &packed, NULL);
      for (gsize k = 0; k < 12; k++)
        {
          const gsize code = (gsize) (table (bytes) - (guint8 *) bytes) + 8 + (gsize) length_of_code (bytes);
          const gsize end = i % 2 ? packed : code;      /* behind the code a block is filled up */

          g_file_set_contents (in_folder ("cut.fits"), i % 2 ? gzip : bytes, (gssize) (end * k / 12), NULL);
          expect (is_refused ("cut.fits"), "a file of code %d that ends after %d of 12 parts is refused", codes[i / 2],
                  (gint) k);
        }
      g_free (gzip);
      g_free (bytes);
    }
}

int
fits_damage_test (int argc, char **argv)
{
  folder = argc > 1 ? g_strdup (argv[1]) : files_folder ();
  by_name ();
  plain ();
  cut ();
  expect (waitpid (-1, NULL, WNOHANG) < 0 && errno == ECHILD, "no process is left");
  if (argc < 2)
    files_remove (folder);
  g_free (folder);
  return expect_told ();
}
