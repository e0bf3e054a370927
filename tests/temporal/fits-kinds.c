/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What CFITSIO and gzip write is read as it was written: every type of number, every way to compress, parts behind a
 * table. */
#include <fitsio.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "../engine/verdict.h"
#include "files-test.h"
#include "files.h"
#include "fits.h"

#define WIDTH  37
#define HEIGHT 21
#define N      (WIDTH * HEIGHT)

static gchar *folder;
static long   sizes[] = { WIDTH, HEIGHT };

static gchar *
in_folder (const gchar *name)
{
  static gchar *path;

  g_free (path);
  path = g_build_filename (folder, name, NULL);
  return path;
}

static fitsfile *
new_file (const gchar *name, gint *status)
{
  fitsfile *file = NULL;

  g_unlink (in_folder (name));
  fits_create_diskfile (&file, in_folder (name), status);
  return file;
}

static void
expect_within (const gchar *name, const gdouble *values, gdouble most)
{
  CountPlane plane = { 0 };
  FitsHeader header;
  GError    *error = NULL;
  gint       wrong = 0;

  if (! fits_read_plane (in_folder (name), 0, &plane, &header, &error))
    {
      expect (FALSE, "%s: %s", name, error->message);
      g_error_free (error);
      return;
    }
  for (gint i = 0; i < N && plane.width == WIDTH && plane.height == HEIGHT; i++)
    wrong += ! (isnan (values[i])
                    ? isnan (plane.pixels[i])
                    : plane.pixels[i] == (gfloat) values[i] || fabs (plane.pixels[i] - values[i]) <= most);
  expect (plane.width == WIDTH && plane.height == HEIGHT && wrong == 0, "%s: %d pixels are not as written", name,
          wrong);
  count_plane_clear (&plane);
  fits_header_clear (&header);
}

/* Both ends of each type, and what no float has exactly.  (Of unsigned numbers of 64 bits CFITSIO writes those below
 * 2^63 alone from doubles.) */
static void
types (void)
{
  static const struct
  {
    gint    type;
    gdouble low, high;
  } kinds[] = { { BYTE_IMG, 0, 255 },
                { SBYTE_IMG, -128, 127 },
                { SHORT_IMG, -32768, 32767 },
                { USHORT_IMG, 0, 65535 },
                { LONG_IMG, -2147483648.0, 2147483647.0 },
                { ULONG_IMG, 0, 4294967295.0 },
                { LONGLONG_IMG, -9e18, 9e18 },
                { ULONGLONG_IMG, 0, 9.2e18 },
                { FLOAT_IMG, -1e30, 1e30 },
                { DOUBLE_IMG, -1e30, 1e30 } };

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autofree gchar *name = g_strdup_printf ("type%d.fits", kinds[i].type);
      gdouble           values[N];
      gint              status = 0;
      fitsfile         *file = new_file (name, &status);

      for (gint k = 0; k < N; k++)
        values[k] = k == N - 1 ? kinds[i].high : floor (kinds[i].low + (kinds[i].high - kinds[i].low) / N * k);
      fits_create_img (file, kinds[i].type, 2, sizes, &status);
      fits_write_img (file, TDOUBLE, 1, N, values, &status);
      fits_close_file (file, &status);
      expect (status == 0, "CFITSIO writes %s: %d", name, status);
      expect_within (name, values, 0.0);
    }
}

/* A number between two doubles that are as near to a float below as to one above: to a double first, it would fall. */
static void
large_numbers (void)
{
  static const gint kinds[] = { LONGLONG_IMG, ULONGLONG_IMG };

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      const gint64 number = (G_GINT64_CONSTANT (1) << 54) + (1 << 30) + 1;
      LONGLONG     numbers[N] = { 0 };
      CountPlane   plane = { 0 };
      FitsHeader   header;
      gint         status = 0;
      fitsfile    *file = new_file ("large64.fits", &status);

      numbers[7] = number;
      fits_create_img (file, kinds[i], 2, sizes, &status);
      fits_write_img (file, TLONGLONG, 1, N, numbers, &status);
      fits_close_file (file, &status);
      expect (status == 0 && fits_read_plane (in_folder ("large64.fits"), 0, &plane, &header, NULL)
                  && plane.pixels[7] == 0x1p54f + 0x1p31f && plane.pixels[8] == 0.0f,
              "a number of 55 bits is rounded once: %.0f", plane.pixels ? plane.pixels[7] : -1.0);
      count_plane_clear (&plane);
      fits_header_clear (&header);
    }
}

/* Whole numbers lose nothing. */
static void
compressed (void)
{
  static const gint codes[] = { RICE_1, GZIP_1, GZIP_2, HCOMPRESS_1, PLIO_1 };
  static const struct
  {
    gint type, numbers;
  } kinds[] = { { BYTE_IMG, TBYTE }, { SHORT_IMG, TSHORT }, { USHORT_IMG, TUSHORT }, { LONG_IMG, TINT } };

  for (guint i = 0; i < G_N_ELEMENTS (codes) * G_N_ELEMENTS (kinds); i++)
    {
      const gint        code = codes[i / G_N_ELEMENTS (kinds)], type = kinds[i % G_N_ELEMENTS (kinds)].type;
      g_autofree gchar *name = g_strdup_printf ("code%d-%d.fits.fz", code, type);
      gdouble           values[N];
      guint8            bytes[N];
      gint16            shorts[N];
      gint32            longs[N];
      gint              status = 0;
      fitsfile         *file = new_file (name, &status);

      for (gint k = 0; k < N; k++)
        values[k] = bytes[k] = shorts[k] = longs[k] = k * 7 % 251;
      fits_set_compression_type (file, code, &status);
      fits_create_img (file, type, 2, sizes, &status);
      fits_write_img (file, kinds[i % G_N_ELEMENTS (kinds)].numbers, 1, N,
                      type == BYTE_IMG   ? (void *) bytes
                      : type == LONG_IMG ? (void *) longs
                                         : shorts,
                      &status);
      fits_close_file (file, &status);
      expect (status == 0, "CFITSIO writes %s: %d", name, status);
      expect_within (name, values, 0.0);
    }
}

/* Floats: without loss, or as whole numbers with a scale, whose step is a part of the noise.  Blanks stay blank. */
static void
compressed_floats (void)
{
  static const struct
  {
    gint   code, type;
    gfloat level;
  } kinds[] = { { RICE_1, FLOAT_IMG, 4 },  { GZIP_1, FLOAT_IMG, 4 }, { HCOMPRESS_1, FLOAT_IMG, 4 },
                { RICE_1, DOUBLE_IMG, 4 }, { GZIP_1, FLOAT_IMG, 0 }, { GZIP_2, FLOAT_IMG, 0 },
                { GZIP_2, DOUBLE_IMG, 0 } };
  gfloat  floats[N], no_float = -999.0f;
  gdouble values[N], no_double = -999.0;

  for (gint i = 0; i < N; i++)
    values[i] = floats[i] = (gfloat) (100.0 + 3.0 * sin (i * i));
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autofree gchar *name = g_strdup_printf ("floats%u.fits", i);
      gint              status = 0;
      fitsfile         *file = new_file (name, &status);

      values[N / 2] = floats[N / 2] = kinds[i].code == HCOMPRESS_1 ? 100.0f : no_float;
      fits_set_compression_type (file, kinds[i].code, &status);
      fits_set_quantize_level (file, kinds[i].level, &status); /* 0: floats stay as they are */
      fits_create_img (file, kinds[i].type, 2, sizes, &status);
      if (kinds[i].type == FLOAT_IMG)
        fits_write_imgnull (file, TFLOAT, 1, N, floats, &no_float, &status);
      else
        fits_write_imgnull (file, TDOUBLE, 1, N, values, &no_double, &status);
      fits_close_file (file, &status);
      expect (status == 0, "CFITSIO writes %s: %d", name, status);
      values[N / 2] = values[N / 2] == no_double ? NAN : values[N / 2];
      expect_within (name, values, kinds[i].level > 0 ? 1.0 : 0.0);
    }
}

/* A table, an image of one axis and then the image: plain, and compressed.  All of that by gzip too. */
static void
behind_a_table (void)
{
  gchar  *names[] = { (gchar *) "X" }, *formats[] = { (gchar *) "1J" };
  gint32  numbers[N];
  gdouble values[N];

  for (gint i = 0; i < N; i++)
    values[i] = numbers[i] = i * 1000;
  for (gint i = 0; i < 2; i++)
    {
      const gchar      *name = i ? "tables.fits.fz" : "tables.fits";
      gint              status = 0;
      fitsfile         *file = new_file (name, &status);
      g_autofree gchar *packed = g_strconcat (name, ".gz", NULL), *bytes = NULL;
      gsize             length;

      fits_create_img (file, BYTE_IMG, 0, NULL, &status);
      fits_create_tbl (file, BINARY_TBL, 0, 1, names, formats, NULL, "LIST", &status);
      fits_write_col (file, TINT, 1, 1, 1, 10, numbers, &status);
      fits_create_img (file, LONG_IMG, 1, sizes, &status);
      fits_write_img (file, TINT, 1, WIDTH, numbers, &status);
      if (i)
        fits_set_compression_type (file, RICE_1, &status);
      fits_create_img (file, LONG_IMG, 2, sizes, &status);
      fits_write_img (file, TINT, 1, N, numbers, &status);
      fits_close_file (file, &status);
      expect (status == 0, "CFITSIO writes %s: %d", name, status);
      expect_within (name, values, 0.0);
      if (g_file_get_contents (in_folder (name), &bytes, &length, NULL))
        files_gzip (in_folder (packed), bytes, length);
      expect_within (packed, values, 0.0);
    }
}

static gint n_wrong;

static gpointer
read_often (gpointer data)
{
  static const gchar *const names[] = { "type16.fits", "code11-32.fits.fz", "tables.fits", "floats5.fits" };

  for (gint i = GPOINTER_TO_INT (data); i < GPOINTER_TO_INT (data) + 24; i++)
    {
      g_autofree gchar *path = g_build_filename (folder, names[i % G_N_ELEMENTS (names)], NULL);
      CountPlane        plane = { 0 };
      FitsHeader        header;

      if (! fits_read_plane (path, 0, &plane, &header, NULL) || plane.width != WIDTH)
        g_atomic_int_inc (&n_wrong);
      count_plane_clear (&plane);
      fits_header_clear (&header);
    }
  return NULL;
}

/* Processes begin while other threads read. */
static void
threads (void)
{
  GThread *readers[4];

  for (gint i = 0; i < 4; i++)
    readers[i] = g_thread_new ("reader", read_often, GINT_TO_POINTER (i));
  for (gint i = 0; i < 4; i++)
    g_thread_join (readers[i]);
  expect (n_wrong == 0, "%d files are not read while other threads read", n_wrong);
}

/* By their names they are frames. */
static void
names (void)
{
  static const struct
  {
    const gchar *name;
    gint         n;
  } files[] = { { "code11-32.fits.fz", 1 }, { "tables.fits.gz", 1 }, { "tables.gz", 0 }, { "packed.fz", 1 }, { "packed.fit.fz", 1 } };
  g_autofree gchar *bytes = NULL;
  gsize             length;

  g_file_get_contents (in_folder ("code11-32.fits.fz"), &bytes, &length, NULL);
  g_file_set_contents (in_folder ("packed.fz"), bytes, (gssize) length, NULL);
  g_file_set_contents (in_folder ("packed.fit.fz"), bytes, (gssize) length, NULL);
  g_file_set_contents (in_folder ("tables.gz"), "x", 1, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    {
      FrameList list = { 0 };

      expect (frames_list (in_folder (files[i].name), &list, NULL) == (files[i].n > 0) && list.n == files[i].n,
              "%s has %d frames", files[i].name, list.n);
      frame_list_clear (&list);
    }
}

/* In a card of the file's header that has this text, the last number becomes another one. */
static void
change_card (gchar *text, gsize length, const gchar *key, gint64 number)
{
  for (gchar *card = text; card + 80 <= text + length; card += 80)
    if (g_str_has_prefix (card, key))
      {
        gchar *value = g_strdup_printf ("%20" G_GINT64_FORMAT, number);

        memcpy (card + 10, value, 20);
        g_free (value);
      }
}

/* One tile that is all of an image of equal pixels; then its header names an image that so few bytes cannot be. */
static void
larger_than_its_code (void)
{
  static const gint codes[] = { RICE_1, GZIP_1, GZIP_2 };
  static gushort    values[300 * 300];
  long              large[] = { 300, 300 };

  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    {
      CountPlane plane = { 0 };
      FitsHeader header;
      gint       status = 0;
      fitsfile  *file = new_file ("large.fits", &status);
      GError    *error = NULL;
      gchar     *text;
      gsize      length;

      fits_set_compression_type (file, codes[i], &status);
      fits_set_tile_dim (file, 2, large, &status);
      fits_create_img (file, USHORT_IMG, 2, large, &status);
      fits_write_img (file, TUSHORT, 1, 300 * 300, values, &status);
      fits_close_file (file, &status);
      expect (status == 0, "CFITSIO writes large.fits: %d", status);
      expect (fits_read_plane (in_folder ("large.fits"), 0, &plane, &header, NULL) && plane.width == 300,
              "equal pixels are read");
      count_plane_clear (&plane);
      fits_header_clear (&header);
      g_file_get_contents (in_folder ("large.fits"), &text, &length, NULL);
      for (gint k = 1; k <= 2; k++)
        {
          change_card (text, length, k == 1 ? "ZNAXIS1 " : "ZNAXIS2 ", 4096);
          change_card (text, length, k == 1 ? "ZTILE1 " : "ZTILE2 ", 4096);
        }
      g_file_set_contents (in_folder ("large.fits"), text, length, NULL);
      expect (! fits_read_plane (in_folder ("large.fits"), 0, &plane, &header, &error)
                  && strstr (error->message, "too small for the compressed image"),
              "an image of more pixels than its bytes can be is refused: %s", error ? error->message : "it is read");
      g_clear_error (&error);
      g_free (text);
    }
}

int
fits_kinds_test (int argc G_GNUC_UNUSED, char **argv G_GNUC_UNUSED)
{
  folder = files_folder ();
  types ();
  large_numbers ();
  compressed ();
  compressed_floats ();
  behind_a_table ();
  threads ();
  names ();
  larger_than_its_code ();
  files_remove (folder);
  g_free (folder);
  return expect_told ();
}
