/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Which frames a sequence has, in which order; pictures become counts; the cache keeps what it may, and knows a file that changed. */
#include <fcntl.h>
#include <gegl.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../check/references/srgb.h"
#include "../engine/verdict.h"
#include "files-test.h"
#include "files.h"
#include "frames-load.h"
#include "frames.h"

#define SIZE 16

static gchar *folder;

static gchar *
in_folder (const gchar *name)
{
  return g_build_filename (folder, name, NULL);
}

static void
order (void)
{
  static const gchar *const sorted[] = { "", "a", "a1", "a2", "a02b", "a9z", "a10", "a010", "a99999999999999999999", "a100000000000000000000", "b", "img_1-2", "img_1-10",
                                         "img_2-1" };

  for (guint i = 0; i < G_N_ELEMENTS (sorted); i++)
    for (guint k = 0; k < G_N_ELEMENTS (sorted); k++)
      {
        const gint result = frames_compare_names (sorted[i], sorted[k]);

        /* a010 and a10 are one number; the spelling decides, either way round alike. */
        if ((i == 6 && k == 7) || (i == 7 && k == 6))
          expect (result * frames_compare_names (sorted[k], sorted[i]) < 0, "two spellings of a number are told apart");
        else
          expect ((result < 0) == (i < k) && (result == 0) == (i == k), "%s and %s are %d", sorted[i], sorted[k], result);
      }
}

/* The names that a sequence has, in one text. */
static void
expect_list (const gchar *what, const gchar *wanted, gint notes)
{
  FrameList list = { 0 };
  GError   *error = NULL;
  GString  *names = g_string_new (NULL);
  gchar    *whole = in_folder (what);

  if (frames_list (whole, &list, &error))
    for (gint i = 0; i < list.n; i++)
      {
        gchar *name = frame_name (&list.frames[i]);

        g_string_append_printf (names, "%s%s", i ? " " : "", name);
        g_free (name);
      }
  else
    expect (strstr (error->message, what) != NULL, "the error names %s: %s", what, error->message);
  expect (g_str_equal (names->str, wanted), "%s is %s, not %s", what, names->str, wanted);
  expect (! list.notes || (gint) list.notes->len == notes, "%s: %d notes, not %d", what, list.notes ? (gint) list.notes->len : 0, notes);
  g_clear_error (&error);
  frame_list_clear (&list);
  g_string_free (names, TRUE);
  g_free (whole);
}

static void
touch (const gchar *name)
{
  gchar *path = in_folder (name);

  g_file_set_contents (path, "", 0, NULL);
  g_free (path);
}

/* Its first bytes, as another file. */
static void
cut (const gchar *name, const gchar *other, gsize bytes)
{
  gchar *path = in_folder (name), *cut_path = in_folder (other), *content;
  gsize  length;

  if (g_file_get_contents (path, &content, &length, NULL))
    {
      g_file_set_contents (cut_path, content, (gssize) MIN (bytes, length), NULL);
      g_free (content);
    }
  g_free (path);
  g_free (cut_path);
}

static void
lists (void)
{
  static const gchar *const names[] = { "img10.png", "img9.png", "img09x.png", "IMG1.PNG", "notes.md", ".hidden.png", "f0001.tif", "f0002.tif", "f10000.tif", "f3.tif" };
  static const gchar *const moments[] = { "CTYPE3  = 'TIME'", NULL };   /* three planes without a name are colours */
  const gdouble             values[24] = { 0 };
  const guint16             pixels[24] = { 0 };
  const FilmPlan            plan = { .width = 2, .height = 4, .bits = 8, .promised = 5, .n = 3 };
  gchar                    *path;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    touch (names[i]);
  expect_list (".", "IMG1.PNG f0001.tif f0002.tif f3.tif f10000.tif img9.png img09x.png img10.png", 0);
  expect_list ("img*.png", "img9.png img09x.png img10.png", 0);
  expect_list ("f%04d.tif", "f0001.tif f0002.tif f10000.tif", 0);
  expect_list ("f%d.tif", "f3.tif f10000.tif", 0);
  expect_list ("*.png", "img9.png img09x.png img10.png", 0);
  expect_list ("img9.png", "img9.png", 0);
  expect_list ("none*.png", "", 0);
  expect_list ("none.png", "", 0);
  expect_list ("f%d%d.tif", "", 0);
  expect_list ("%", "", 0);
  expect_list ("f%s.tif", "", 0);
  path = in_folder ("cube.fits");
  files_fits_of (path, 16, 2, 4, 3, values, moments);
  g_free (path);
  path = in_folder ("film.ser");
  files_ser (path, &plan, pixels);
  g_free (path);
  expect_list ("cube.fits", "cube.fits cube.fits[1] cube.fits[2]", 0);
  expect_list ("film.ser", "film.ser[0] film.ser[1] film.ser[2]", 1);
  expect_list ("film.ser", "film.ser[0] film.ser[1] film.ser[2]", 1);
  path = in_folder ("night.txt");
  g_file_set_contents (path, "# a night\nimg9.png\r\n\nmissing.png\nnotes.md\ncube.fits\n", -1, NULL);
  g_free (path);
  expect_list ("night.txt", "img9.png cube.fits cube.fits[1] cube.fits[2]", 2);
  touch ("broken.fits");
  expect_list ("*.fits", "cube.fits cube.fits[1] cube.fits[2]", 1);
}

/* A name that is not UTF-8, a header that names planes that are not there, a pipe that nobody writes. */
static void
strange_files (void)
{
  static const gchar *const cards[] = { "BITPIX  =                    8", "NAXIS   =                    3", "NAXIS1  =                    2",
                                        "NAXIS2  =                    4", "NAXIS3  =           2000000000", NULL };
  gchar                    *path = in_folder ("long.fits");

  touch ("from last spring, gr\xfcn");
  expect_list ("*9?*.png", "img09x.png", 0);
  files_fits (path, cards, "", 1);
  expect (truncate (path, 2880 + 20) == 0, "a cube is cut");
  g_free (path);
  expect_list ("long.fits", "long.fits long.fits[1]", 1);
  expect_list ("long.fits", "long.fits long.fits[1]", 1);
  for (gint i = 0; i < 2; i++)
    {
      path = in_folder (i == 0 ? "pipe.fits" : "pipe.txt");
      expect (mkfifo (path, 0600) == 0, "a pipe is made");
      expect_list (i == 0 ? "pipe.fits" : "pipe.txt", "", 0);
      g_unlink (path);
      g_free (path);
    }
}

/* Grey of 16 bits and of 8, and colours. */
static void
write_picture (const gchar *name, const gchar *format, const void *pixels, gint bits)
{
  gchar      *path = in_folder (name);
  GeglBuffer *buffer = gegl_buffer_new (GEGL_RECTANGLE (0, 0, SIZE, SIZE), babl_format (format));
  GeglNode   *graph = gegl_node_new ();
  GeglNode   *source = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", buffer, NULL);
  GeglNode   *save = gegl_node_new_child (graph, "operation", "gegl:png-save", "path", path, "bitdepth", bits, NULL);

  gegl_buffer_set (buffer, NULL, 0, NULL, pixels, GEGL_AUTO_ROWSTRIDE);
  gegl_node_link (source, save);
  gegl_node_process (save);
  g_object_unref (graph);
  g_object_unref (buffer);
  g_free (path);
}

static FramePixels *
get (FrameCache *cache, const gchar *name, gint width, GError **error)
{
  FrameList    list;
  gchar       *path = in_folder (name);
  FramePixels *pixels = NULL;

  if (frames_list (path, &list, error))
    {
      pixels = frame_cache_get (cache, &list.frames[0], width, 0, error);
      frame_list_clear (&list);
    }
  g_free (path);
  return pixels;
}

static void
counts (FrameCache *cache)
{
  guint16      grey[SIZE * SIZE];
  guint8       small[SIZE * SIZE], colours[3 * SIZE * SIZE];
  FramePixels *of_grey, *of_small, *of_colours;
  gdouble      worst[3] = { 0.0 };

  for (gint i = 0; i < SIZE * SIZE; i++)
    {
      grey[i] = (guint16) (i * 257 - (i % 7));
      small[i] = (guint8) i;
      colours[3 * i] = colours[3 * i + 1] = colours[3 * i + 2] = (guint8) i;
    }
  grey[0] = 0;
  write_picture ("grey.png", "Y' u16", grey, 16);
  write_picture ("small.png", "Y' u8", small, 8);
  write_picture ("colours.png", "R'G'B' u8", colours, 8);
  of_grey = get (cache, "grey.png", 0, NULL);
  of_small = get (cache, "small.png", 0, NULL);
  of_colours = get (cache, "colours.png", 0, NULL);
  for (gint i = 0; i < SIZE * SIZE; i++)
    {
      const gdouble light = srgb_to_linear (i / 255.0);

      worst[0] = MAX (worst[0], fabs (of_grey->plane.pixels[i] - grey[i]));
      worst[1] = MAX (worst[1], fabs (of_small->plane.pixels[i] - 257.0 * small[i]));
      worst[2] = MAX (worst[2], fabs (of_colours->plane.pixels[i] - 65535.0 * light));
    }
  expect (worst[0] < 0.01, "grey of 16 bits is off by %g counts", worst[0]);
  expect (worst[1] < 0.01, "grey of 8 bits is off by %g counts", worst[1]);
  expect (worst[2] < 1.0, "luminance of colours is off by %g counts", worst[2]);
  expect (of_grey->saturation == 65535.0f && of_small->saturation == 65535.0f, "integers are full at 65535");
  frame_pixels_unref (of_grey);
  frame_pixels_unref (of_small);
  frame_pixels_unref (of_colours);
}

static void
fits_and_errors (FrameCache *cache)
{
  gdouble      values[SIZE * SIZE];
  gchar       *path = in_folder ("one.fits");
  GError      *error = NULL;
  FramePixels *pixels;

  for (gint i = 0; i < SIZE * SIZE; i++)
    values[i] = i;
  files_fits_of (path, 16, SIZE, SIZE, 1, values, NULL);
  g_free (path);
  pixels = get (cache, "one.fits", SIZE, NULL);
  expect (pixels && pixels->plane.pixels[77] == 77.0f, "FITS has counts as they are");
  if (pixels)
    frame_pixels_unref (pixels);
  expect (! get (cache, "one.fits", SIZE + 1, &error) && g_error_matches (error, FRAMES_ERROR, FRAMES_ERROR_SIZE)
          && strstr (error->message, "one.fits") && strstr (error->message, "16 x 16"), "another size is an error with the name");
  g_clear_error (&error);
  touch ("no.jpg");
  expect (! get (cache, "no.jpg", 0, &error) && g_error_matches (error, FRAMES_ERROR, FRAMES_ERROR_UNREADABLE)
          && strstr (error->message, "no.jpg"), "what is no picture is an error with the name, and the process lives");
  g_clear_error (&error);
  cut ("small.png", "cut.png", 60);
  expect (! get (cache, "cut.png", 0, &error) && g_error_matches (error, FRAMES_ERROR, FRAMES_ERROR_UNREADABLE)
          && strstr (error->message, "cut.png"), "a picture whose file ends within its head is an error with the name");
  g_clear_error (&error);
}

/* A file is written again, or another takes its place, and it keeps its size and time. */
static void
same_time (FrameCache *cache, const gchar *path)
{
  gchar *beside = in_folder ("beside.part");

  for (gint k = 0; k < 2; k++)
    {
      gdouble      values[SIZE * SIZE] = { 7.0 + k };
      FramePixels *pixels;
      GStatBuf     about;

      g_stat (path, &about);
      g_usleep (30000);
      files_fits_of (k == 0 ? path : beside, -64, SIZE, SIZE, 1, values, NULL);
      utimensat (AT_FDCWD, k == 0 ? path : beside, (struct timespec[]) { about.st_atim, about.st_mtim }, 0);
      if (k == 1)
        g_rename (beside, path);
      pixels = get (cache, "one.fits", 0, NULL);
      expect (pixels->plane.pixels[0] == 7.0f + k, "a file that %s and keeps its time is read again", k == 0 ? "changed" : "another replaced");
      frame_pixels_unref (pixels);
    }
  g_free (beside);
}

/* Two fit; a frame that is asked for again is the same object, and one that left is not. */
static void
keeping (void)
{
  FrameCache  *cache = frame_cache_new (2 * SIZE * SIZE * sizeof (gfloat));
  FramePixels *grey = get (cache, "grey.png", 0, NULL), *again = get (cache, "grey.png", 0, NULL), *other, *small;
  gdouble      values[SIZE * SIZE] = { 5.0 };
  gchar       *path = in_folder ("one.fits");
  FramePixels *old, *new;

  expect (grey == again, "a frame that is kept is not decoded again");
  frame_pixels_unref (again);
  small = get (cache, "small.png", 0, NULL);
  other = get (cache, "colours.png", 0, NULL);
  again = get (cache, "small.png", 0, NULL);
  expect (small == again, "what was used last stays");
  frame_pixels_unref (again);
  again = get (cache, "grey.png", 0, NULL);
  expect (grey != again && memcmp (grey->plane.pixels, again->plane.pixels, SIZE * SIZE * sizeof (gfloat)) == 0,
          "what was used long ago has gone, is decoded again, and lives while it is held");
  frame_pixels_unref (again);
  frame_pixels_unref (grey);
  frame_pixels_unref (small);
  frame_pixels_unref (other);
  old = get (cache, "one.fits", 0, NULL);
  g_usleep (30000);             /* times of files have steps of some milliseconds */
  files_fits_of (path, -64, SIZE, SIZE, 1, values, NULL);
  new = get (cache, "one.fits", 0, NULL);
  expect (old->plane.pixels[0] == 0.0f && new->plane.pixels[0] == 5.0f, "a file that changed is read again");
  frame_pixels_unref (old);
  frame_pixels_unref (new);
  same_time (cache, path);
  frame_cache_free (cache);
  g_free (path);
}

static gpointer
ask_often (gpointer data)
{
  static const gchar *const names[] = { "grey.png", "small.png", "one.fits", "film.ser", "cube.fits" };
  gint                      wrong = 0;

  for (gint i = 0; i < 300; i++)
    {
      FramePixels *pixels = get (data, names[g_random_int_range (0, G_N_ELEMENTS (names))], 0, NULL);

      wrong += ! pixels;
      if (pixels)
        frame_pixels_unref (pixels);
    }
  return GINT_TO_POINTER (wrong);
}

static void
threads (void)
{
  FrameCache *cache = frame_cache_new (2 * SIZE * SIZE * sizeof (gfloat));
  GThread    *asking[4];
  gint        wrong = 0;

  for (guint i = 0; i < G_N_ELEMENTS (asking); i++)
    asking[i] = g_thread_new ("asking", ask_often, cache);
  for (guint i = 0; i < G_N_ELEMENTS (asking); i++)
    wrong += GPOINTER_TO_INT (g_thread_join (asking[i]));
  expect (wrong == 0, "%d frames were not given to one of four threads", wrong);
  frame_cache_free (cache);
}

int
frames_test (int argc, char **argv)
{
  FrameCache *cache;

  gegl_init (&argc, &argv);
  folder = files_folder ();
  cache = frame_cache_new (1 << 20);
  order ();
  lists ();
  strange_files ();
  counts (cache);
  fits_and_errors (cache);
  if (gegl_has_operation ("tessera:fits-load"))
    {
      frames_load (folder);
    }
  else
    expect (FALSE, "tessera:fits-load is missing");
  keeping ();
  threads ();
  frame_cache_free (cache);
  files_remove (folder);
  g_free (folder);
  gegl_exit ();
  return expect_told ();
}
