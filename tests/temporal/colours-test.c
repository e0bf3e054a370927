/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Frames of colours: three planes of a FITS file, and Bayer mosaics of every pattern, order of rows and offset, become
 * what colours.h says; files whose third axis is none of colours stay cubes. */
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "../engine/verdict.h"
#include "files-test.h"
#include "files.h"
#include "fits.h"
#include "sky.h"

#define MOST 64

static gchar *path;

static FramePixels *
decode (FrameColours colours)
{
  Frame        frame = { .path = path, .colours = colours };
  GError      *error = NULL;
  FramePixels *pixels = frame_decode (&frame, &error);

  expect (pixels != NULL, "the frame is read: %s", error ? error->message : "");
  g_clear_error (&error);
  return pixels;
}

/* ------------------------------------------------------------------ mosaics -- */

/* The colour of a place of the picture, counted from its top. */
static gchar
colour_at (const gchar *pattern, gint x, gint y)
{
  return pattern[2 * (y % 2) + x % 2];
}

/* Of the colours of one cell, by the definition. */
static gdouble
wanted_of (ColoursMode mode, gdouble red, gdouble greens, gdouble blue)
{
  return mode == COLOURS_MEAN       ? (red + greens + blue) / 4.0
         : mode == COLOURS_OF_GREEN ? greens / 2.0
                                    : 0.2126 * red + 0.7152 * greens / 2.0 + 0.0722 * blue;
}

static void
one_mosaic (const gchar *pattern, gint width, gint height, gboolean bottom_up, gint x_offset, gint y_offset, ColoursMode mode)
{
  g_autofree gchar *name = g_strdup_printf ("BAYERPAT= '%s'", pattern), *x_card = g_strdup_printf ("XBAYROFF= %d", x_offset);
  g_autofree gchar *y_card = g_strdup_printf ("YBAYROFF= %d", y_offset);
  const gchar      *cards[] = { name, x_card, y_card, bottom_up ? "ROWORDER= 'BOTTOM-UP'" : "ROWORDER= 'TOP-DOWN'", NULL };
  gdouble           values[MOST];
  FramePixels      *pixels;
  gint              wrong = 0;

  for (gint i = 0; i < width * height; i++)
    values[i] = 100.0 * ((i * 37) % 101);
  files_fits_of (path, 16, width, height, 1, values, cards);
  pixels = decode ((FrameColours) { .mode = mode });
  expect (pixels->plane.width == width / 2 && pixels->plane.height == height / 2, "%s: %d x %d of %d x %d", pattern,
          pixels->plane.width, pixels->plane.height, width, height);
  for (gint i = 0; i < (width / 2) * (height / 2); i++)
    {
      const gint x = 2 * (i % (width / 2)), y = 2 * (i / (width / 2));
      gdouble    red = 0.0, greens = 0.0, blue = 0.0;

      for (gint k = 0; k < 4; k++)
        {
          const gint    at_x = x + k % 2, at_y = y + k / 2, row = bottom_up ? height - 1 - at_y : at_y;
          const gchar   colour = colour_at (pattern, at_x + x_offset, row + y_offset);
          const gdouble value = values[at_y * width + at_x];

          *(colour == 'R' ? &red : colour == 'B' ? &blue : &greens) += value;
        }
      wrong += ! (fabs (pixels->plane.pixels[i] - wanted_of (mode, red, greens, blue)) < 0.01);
    }
  expect (wrong == 0, "%s, %d x %d, %s, offsets %d %d, kind %d: %d cells are wrong", pattern, width, height,
          bottom_up ? "from below" : "from above", x_offset, y_offset, mode, wrong);
  frame_pixels_unref (pixels);
}

static void
mosaics (void)
{
  static const gchar *const patterns[] = { "RGGB", "BGGR", "GRBG", "GBRG" };
  static const gint         sizes[][2] = { { 8, 6 }, { 7, 6 }, { 8, 5 }, { 2, 2 } };

  for (guint i = 0; i < G_N_ELEMENTS (patterns); i++)
    for (guint k = 0; k < G_N_ELEMENTS (sizes); k++)
      for (gint bits = 0; bits < 8; bits++)
        for (gint mode = COLOURS_MEAN; mode <= COLOURS_LUMINANCE; mode++)
          one_mosaic (patterns[i], sizes[k][0], sizes[k][1], bits & 1, bits >> 1 & 1, bits >> 2, (ColoursMode) mode);
}

/* Films have mosaics, too. */
static void
films (const gchar *folder)
{
  static const gchar *const patterns[] = { "RGGB", "GRBG", "GBRG", "BGGR" };
  g_autofree gchar         *film = g_build_filename (folder, "film.ser", NULL);
  guint16                   values[2 * 6 * 4];

  for (gint i = 0; i < 2 * 6 * 4; i++)
    values[i] = (guint16) (100 + 40 * ((i * 37) % 101));
  for (gint colour = 8; colour < 12; colour++)
    {
      const FilmPlan plan = { .colour = colour, .width = 6, .height = 4, .bits = 14, .promised = 2, .n = 2 };
      FrameColours   colours = { .mode = COLOURS_OF_GREEN };
      Frame          frame = { .path = film, .index = 1, .colours = colours };
      FramePixels   *pixels;
      gint           wrong = 0;

      files_ser (film, &plan, values);
      pixels = frame_decode (&frame, NULL);
      expect (pixels && pixels->plane.width == 3 && pixels->plane.height == 2 && pixels->facts.cell == 2, "a film of colours %d is a mosaic", colour);
      for (gint i = 0; pixels && i < 6; i++)
        {
          const guint16 *cell = values + 24 + 12 * (i / 3) + 2 * (i % 3);
          gdouble        greens = 0.0;

          for (gint k = 0; k < 4; k++)
            greens += patterns[colour - 8][k] == 'G' ? cell[6 * (k / 2) + k % 2] : 0;
          wrong += ! (fabs (pixels->plane.pixels[i] - greens / 2.0) < 0.01);
        }
      expect (wrong == 0, "a film of colours %d: %d of its green means are wrong", colour, wrong);
      if (pixels)
        frame_pixels_unref (pixels);
    }
}

/* A full pixel spoils its cell where it counts; what is no mosaic, or is to be kept, stays. */
static void
strange_mosaics (void)
{
  static const gchar *const rggb[] = { "BAYERPAT= 'rggb    '", "MAGZERO = 20.0", NULL }, *const none[] = { "BAYERPAT= 'XTRANS'", NULL };
  const gdouble             values[16] = { 32767, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 1000, 16 };
  FramePixels              *pixels;

  files_fits_of (path, 16, 4, 4, 1, values, rggb);
  pixels = decode ((FrameColours) { .mode = COLOURS_MEAN });
  expect (isnan (pixels->plane.pixels[0]) && pixels->plane.pixels[1] == 5.5f && pixels->plane.pixels[3] == (11 + 12 + 1000 + 16) / 4.0f,
          "a full pixel spoils its cell alone");
  expect (fabs (pixels->facts.zero_point - 20.0 + 1.50515) < 1e-4 && pixels->facts.cell == 2, "the zero point is that of means: %g",
          pixels->facts.zero_point);
  frame_pixels_unref (pixels);
  pixels = decode ((FrameColours) { .mode = COLOURS_OF_GREEN });
  expect (pixels->plane.pixels[0] == 3.5f, "a full pixel of a colour that does not count spoils nothing");
  frame_pixels_unref (pixels);
  pixels = decode ((FrameColours) { .mode = COLOURS_MEAN, .full = 1000.0f });
  expect (isnan (pixels->plane.pixels[3]) && pixels->plane.pixels[1] == 5.5f, "full is what the user says");
  frame_pixels_unref (pixels);
  pixels = decode ((FrameColours) { .mode = COLOURS_KEPT });
  expect (pixels->plane.width == 4 && g_str_equal (pixels->pattern, "RGGB"), "a mosaic may be kept");
  frame_pixels_unref (pixels);
  files_fits_of (path, 16, 4, 4, 1, values, none);
  pixels = decode ((FrameColours) { .mode = COLOURS_MEAN });
  expect (pixels->plane.width == 4 && ! *pixels->pattern, "another pattern is none of Bayer's");
  frame_pixels_unref (pixels);
  pixels = decode ((FrameColours) { .mode = COLOURS_MEAN, .pattern = "RGGB" });
  expect (pixels->plane.width == 2, "a frame that does not say so is a mosaic where others say it");
  frame_pixels_unref (pixels);
}

/* The middle of a cell is where four pixels meet. */
static void
places (void)
{
  static const gchar *const cards[] = { "BAYERPAT= 'RGGB'", "CTYPE1  = 'RA---TAN'", "CTYPE2  = 'DEC--TAN'", "CRPIX1  = 3.5", "CRPIX2  = 1.5",
                                        "CRVAL1  = 30.0", "CRVAL2  = 10.0", "CDELT1  = -0.1", "CDELT2  = 0.1", NULL };
  const gdouble             values[16] = { 0 };
  gdouble                   ra, dec;
  FramePixels              *pixels;
  Sky                      *sky;

  files_fits_of (path, 16, 4, 4, 1, values, cards);
  pixels = decode ((FrameColours) { .mode = COLOURS_MEAN });
  sky = sky_new (&pixels->facts);
  sky_place (sky, 1.0, 0.0, &ra, &dec);
  expect (sky == NULL || (fabs (ra - 30.0) < 1e-9 && fabs (dec - 10.0) < 1e-9), "a cell lies at %.9f, %.9f", ra, dec);
  sky_free (sky);
  frame_pixels_unref (pixels);
}

/* ------------------------------------------------------------------- planes -- */

static void
expect_frames (const gchar *what, gint n)
{
  FrameList list = { 0 };

  expect (frames_list (path, &list, NULL) && list.n == n, "%s: %d frames, not %d", what, list.n, n);
  frame_list_clear (&list);
}

static void
planes (void)
{
  static const gchar *const time[] = { "CTYPE3  = 'TIME'", NULL }, *const rgb[] = { "CTYPE3  = 'RGB '", "BAYERPAT= 'RGGB'", NULL };
  gdouble                   values[4 * 12];
  FramePixels              *pixels;
  gint                      wrong = 0;

  for (gint i = 0; i < 48; i++)
    values[i] = i * i;
  values[12 + 3] = 32767;
  files_fits_of (path, 16, 4, 3, 3, values, rgb);
  expect_frames ("red, green and blue", 1);
  pixels = decode ((FrameColours) { .mode = COLOURS_MEAN });
  expect (pixels->plane.width == 4, "a picture of colours is no mosaic");
  for (gint i = 0; i < 12; i++)
    {
      const gdouble wanted = 0.2126 * values[i] + 0.7152 * values[12 + i] + 0.0722 * values[24 + i];

      wrong += i == 3 ? ! isnan (pixels->plane.pixels[i]) : ! (fabs (pixels->plane.pixels[i] - wanted) < 0.001);
    }
  expect (wrong == 0, "the luminance of %d pixels is wrong", wrong);
  frame_pixels_unref (pixels);
  files_fits_of (path, 16, 4, 3, 3, values, NULL);
  expect_frames ("three planes", 1);
  files_fits_of (path, 16, 4, 3, 3, values, time);
  expect_frames ("three moments", 3);
  files_fits_of (path, 16, 4, 3, 4, values, NULL);
  expect_frames ("four planes", 4);
  files_fits_of (path, 16, 4, 3, 2, values, NULL);
  expect_frames ("two planes", 2);
}

/* -------------------------------------------------------------------- graphs -- */

/* What fits-load gives, in counts. */
static void
load (gint plane, gfloat counts[12])
{
  GeglNode *node = gegl_node_new_child (NULL, "operation", "tessera:fits-load", "path", path, NULL);

  if (plane >= 0)
    gegl_node_set (node, "plane", plane, NULL);
  gegl_node_blit (node, 1.0, GEGL_RECTANGLE (0, 0, 4, 3), babl_format ("Y float"), counts, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
  for (gint i = 0; i < 12; i++)
    counts[i] *= 65535.0f;
  g_object_unref (node);
}

/* A file of colours is one picture in a graph too, unless a plane is named; a cube is its first. */
static void
loaded (void)
{
  static const gchar *const time[] = { "CTYPE3  = 'TIME'", NULL };
  gdouble                   values[48];
  gfloat                    all[12], second[12];
  gint                      wrong = 0;

  for (gint i = 0; i < 48; i++)
    values[i] = i * i;
  files_fits_of (path, 16, 4, 3, 3, values, NULL);
  load (-1, all);
  load (1, second);
  for (gint i = 0; i < 12; i++)
    wrong += ! (fabs (all[i] - (0.2126 * values[i] + 0.7152 * values[12 + i] + 0.0722 * values[24 + i])) < 0.01)
             + ! (fabs (second[i] - values[12 + i]) < 0.01);
  expect (wrong == 0, "%d pixels of a loaded picture of colours are wrong", wrong);
  files_fits_of (path, 16, 4, 3, 3, values, time);
  load (-1, all);
  expect (fabs (all[5] - values[5]) < 0.01, "a cube is its first plane: %g, not %g", all[5], values[5]);
}

#define SIDE 40

static void
write_colours (const gchar *folder, gint k)
{
  g_autofree gchar *name = g_strdup_printf ("%s/night/%d.fits", folder, k);
  gdouble           values[3 * SIDE * SIDE];
  GRand            *dice = g_rand_new_with_seed ((guint32) k);

  for (gint i = 0; i < 3 * SIDE * SIDE; i++)
    values[i] = 1000.0 * (1 + i / (SIDE * SIDE)) + g_rand_int_range (dice, 0, 50);
  files_fits_of (name, 16, SIDE, SIDE, 3, values, NULL);
  g_rand_free (dice);
}

/* The newest frame is found again among those before it, and these have its colours: nothing but noise is left. */
static void
whitened (const gchar *folder)
{
  g_autofree gchar *night = g_build_filename (folder, "night", NULL), *newest = g_build_filename (night, "3.fits", NULL);
  gfloat            pixels[SIDE * SIDE], largest = 0.0f;
  GeglNode         *graph = gegl_node_new (), *load, *node;
  gchar            *notes = NULL, *reason = NULL;

  g_mkdir (night, 0700);
  for (gint k = 0; k < 4; k++)
    write_colours (folder, k);
  load = gegl_node_new_child (graph, "operation", "tessera:fits-load", "path", newest, NULL);
  node = gegl_node_new_child (graph, "operation", "tessera:background-whiten", "frames", night, "history", 3, "degree", 0, "reject-hot", FALSE,
                              "shifts", "0 0 0 0 0 0 0 0", NULL);
  gegl_node_link (load, node);
  gegl_node_blit (node, 1.0, GEGL_RECTANGLE (0, 0, SIDE, SIDE), babl_format ("Y float"), pixels, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
  gegl_node_get (node, "notes", &notes, "reason", &reason, NULL);
  for (gint i = 0; i < SIDE * SIDE; i++)
    largest = MAX (largest, fabsf (pixels[i] * 65535.0f));
  expect (! *reason && ! *notes && largest > 5.0f && largest < 60.0f, "a night of colours: %g is left, %s %s", largest, notes, reason);
  g_free (notes);
  g_free (reason);
  g_object_unref (graph);
}

int
colours_test (int argc, char **argv)
{
  gchar *folder = files_folder ();

  gegl_init (&argc, &argv);
  path = g_build_filename (folder, "frame.fits", NULL);
  mosaics ();
  films (folder);
  strange_mosaics ();
  places ();
  planes ();
  loaded ();
  whitened (folder);
  gegl_exit ();
  files_remove (folder);
  g_free (folder);
  g_free (path);
  return expect_told ();
}
