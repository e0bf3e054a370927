/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What tessera:fits-load delivers: a file's numbers, and its header's words. */
#include "frames-load.h"

#include <gegl.h>

#include "../engine/verdict.h"
#include "files.h"

#define SIZE 16

/* The operation, by its name and as the loader of its ending; a number is the file's, divided by 65535. */
static void
numbers (const gchar *folder)
{
  static const gchar *const cards[] = { "DATE-OBS= '2024-03-01T22:15:30'", "EXPTIME =                 12.5", "OBJECT  = 'M 31    '", NULL };
  static const gchar *const loaders[] = { "gegl:load", "tessera:fits-load" };
  gdouble                   values[2 * SIZE * SIZE];
  gchar                    *path = g_build_filename (folder, "load.fits", NULL), *date, *object;

  for (gint i = 0; i < 2 * SIZE * SIZE; i++)
    values[i] = 129.0 * i - 1000.0;
  files_fits_of (path, -32, SIZE, SIZE, 2, values, cards);
  for (gint i = 0; i < 2; i++)
    {
      GeglNode           *graph = gegl_node_new (), *load = gegl_node_new_child (graph, "operation", loaders[i], "path", path, NULL);
      const GeglRectangle box = gegl_node_get_bounding_box (load), whole = { 0, 0, SIZE, SIZE };
      gfloat              pixels[SIZE * SIZE];
      gint                wrong = 0, planes;
      gdouble             exposure;

      if (i == 1)
        gegl_node_set (load, "plane", 1, NULL);
      expect (gegl_rectangle_equal (&box, &whole), "%s: the box is %d x %d", loaders[i], box.width, box.height);
      gegl_node_blit (load, 1.0, &whole, babl_format ("Y float"), pixels, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
      for (gint k = 0; k < SIZE * SIZE; k++)
        wrong += pixels[k] != (gfloat) values[i * SIZE * SIZE + k] / 65535.0f;
      expect (wrong == 0, "%s: %d pixels are not the file's", loaders[i], wrong);
      if (i == 1)
        {
          gegl_node_get (load, "planes", &planes, "exposure", &exposure, "date", &date, "object", &object, NULL);
          expect (planes == 2 && exposure == 12.5 && g_str_equal (date, "2024-03-01T22:15:30") && g_str_equal (object, "M 31"), "the header is told");
          g_free (date);
          g_free (object);
        }
      g_object_unref (graph);
    }
  g_free (path);
}

/* Numbers that no float holds are divided first, and rounded once. */
static void
large_numbers (const gchar *folder)
{
  gdouble        values[SIZE * SIZE];
  gfloat         pixels[SIZE * SIZE];
  gchar         *path = g_build_filename (folder, "large.fits", NULL);
  GeglNode      *load = gegl_node_new_child (NULL, "operation", "tessera:fits-load", "path", path, NULL);
  GeglRectangle  box = { 0, 0, SIZE, SIZE };
  gint           wrong = 0;

  for (gint bits = 32; bits >= -64; bits -= 96)
    {
      for (gint i = 0; i < SIZE * SIZE; i++)
        values[i] = bits > 0 ? 810850917 - 7919 * (gdouble) (i * i) : 810850917.25 / (i + 1);
      files_fits_of (path, bits, SIZE, SIZE, 1, values, NULL);
      gegl_node_set (load, "path", "", NULL);
      gegl_node_set (load, "path", path, NULL);
      gegl_node_blit (load, 1.0, &box, babl_format ("Y float"), pixels, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
      for (gint i = 0; i < SIZE * SIZE; i++)
        wrong += pixels[i] != (gfloat) (values[i] / 65535.0);
    }
  expect (wrong == 0, "%d numbers are not rounded once", wrong);
  g_object_unref (load);
  g_free (path);
}

/* Counts are light: a blur spreads a star, and keeps the sum of its counts. */
static void
blurred (const gchar *folder)
{
  gdouble       values[SIZE * SIZE] = { 0.0 }, sum = 0.0;
  gfloat        pixels[SIZE * SIZE];
  gchar        *path = g_build_filename (folder, "star.fits", NULL);
  GeglNode     *graph = gegl_node_new (), *load = gegl_node_new_child (graph, "operation", "tessera:fits-load", "path", path, NULL);
  GeglNode     *blur = gegl_node_new_child (graph, "operation", "tessera:gaussian-blur", "std-dev", 1.2, NULL);
  GeglRectangle box = { 0, 0, SIZE, SIZE };

  values[SIZE * SIZE / 2 + SIZE / 2] = 20000.0;
  files_fits_of (path, 16, SIZE, SIZE, 1, values, NULL);
  gegl_node_link (load, blur);
  gegl_node_blit (blur, 1.0, &box, babl_format ("Y float"), pixels, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
  for (gint i = 0; i < SIZE * SIZE; i++)
    sum += pixels[i] * 65535.0;
  expect (sum > 19980.0 && sum < 20020.0 && pixels[SIZE * SIZE / 2 + SIZE / 2] < 0.1f, "a star of 20000 counts has %.1f when it is blurred", sum);
  g_object_unref (graph);
  g_free (path);
}

/* What is no UTF-8 would end programs in Python. */
static void
strange (const gchar *folder)
{
  static const gchar *const cards[] = { "DATE-OBS= '2024 gr\xfcn'", "OBJECT  = 'gr\xfcn'", NULL };
  gdouble                   values[SIZE * SIZE] = { 0.0 };
  gchar                    *path = g_build_filename (folder, "strange.fits", NULL), *date, *object;
  GeglNode                 *load = gegl_node_new_child (NULL, "operation", "tessera:fits-load", "path", path, NULL);

  files_fits_of (path, -32, SIZE, SIZE, 1, values, cards);
  gegl_node_get_bounding_box (load);
  gegl_node_get (load, "date", &date, "object", &object, NULL);
  expect (g_utf8_validate (date, -1, NULL) && g_utf8_validate (object, -1, NULL), "a header's words that are no UTF-8 are told");
  g_free (date);
  g_free (object);
  g_object_unref (load);
  g_free (path);
}

/* Of a file without all of its pixels there is no picture: GEGL would make a black one. */
static void
cut (const gchar *folder)
{
  gdouble       values[SIZE * SIZE] = { 0.0 };
  gchar        *path = g_build_filename (folder, "cut.fits", NULL), *bytes;
  GeglNode     *load = gegl_node_new_child (NULL, "operation", "tessera:fits-load", "path", path, NULL);
  gsize         n;
  GeglRectangle box;

  files_fits_of (path, -32, SIZE, SIZE, 1, values, NULL);
  expect (g_file_get_contents (path, &bytes, &n, NULL) && g_file_set_contents (path, bytes, 2880 + 4 * SIZE * SIZE - 1, NULL), "a file is cut");
  box = gegl_node_get_bounding_box (load);
  expect (gegl_rectangle_is_empty (&box), "of a file that is cut there is a picture of %d x %d", box.width, box.height);
  g_free (bytes);
  g_object_unref (load);
  g_free (path);
}

void
frames_load (const gchar *folder)
{
  numbers (folder);
  large_numbers (folder);
  blurred (folder);
  strange (folder);
  cut (folder);
}
