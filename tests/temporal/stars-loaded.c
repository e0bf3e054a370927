/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The generator's files as the product loads them: the same counts, time and place. */
#include "stars.h"

#include "fits.h"
#include "sky.h"
#include "frames.h"
#include "../engine/verdict.h"
#include "files-test.h"

#include <glib/gstdio.h>
#include <math.h>

#define WIDTH  61
#define HEIGHT 43
#define N      3

/* 2026-11-01T00:00:00Z; from frame to frame; the place of the sky's coordinates. */
#define BEGIN  1793491200.0
#define STEP   30.0
#define PLACE  ((gdouble) (WIDTH / 2))

static void
compare_counts (const CountPlane *plane, const guint16 *adu, const gchar *path)
{
  gint wrong = 0;

  expect (plane->width == WIDTH && plane->height == HEIGHT, "%s: %d x %d", path, plane->width, plane->height);
  for (gint i = 0; plane->width == WIDTH && plane->height == HEIGHT && i < WIDTH * HEIGHT; i++)
    wrong += ! (fabs (plane->pixels[i] - adu[i]) <= 1e-2);
  expect (wrong == 0, "%s: %d pixels have other counts; the first %g, not %d", path, wrong, plane->pixels[0], adu[0]);
}

/* Rows go down, to the south; columns to the west, 1.2 seconds of arc each. */
static void
compare_places (const FrameFacts *facts, const StarsShift *shift, const gchar *path)
{
#ifdef HAVE_WCSLIB
  const gdouble x = PLACE + shift->x, y = HEIGHT / 2 + shift->y;
  Sky          *sky = sky_new (facts);
  gdouble       ra[3], dec[3];

  for (gint i = 0; i < 3; i++)
    sky_place (sky, x + (i == 1), y + (i == 2), &ra[i], &dec[i]);
  expect (fabs (ra[0] - 56.75) < 1e-9 && fabs (dec[0] - 24.125) < 1e-9, "%s: the place is ra %.10f, dec %.10f", path,
          ra[0], dec[0]);
  expect (fabs ((ra[1] - ra[0]) * cos (dec[0] * G_PI / 180.0) + 1.2 / 3600) < 1e-8
          && fabs (dec[2] - dec[0] + 1.2 / 3600) < 1e-8,
          "%s: %g and %g a pixel", path, ra[1] - ra[0], dec[2] - dec[0]);
  sky_free (sky);
#else
  expect (facts->sky != NULL && shift != NULL, "%s says nothing of the sky", path);
#endif
}

static void
load (const StarsField *field, const gchar *folder, const gchar *format, gint k)
{
  const gboolean is_fits = format[0] == 'f';
  gchar         *path = g_strdup_printf ("%s/a-%d.%s", folder, k, format);
  Frame          frame = { .path = path };
  FramePixels   *pixels;
  GError        *error = NULL;
  guint16        adu[WIDTH * HEIGHT];

  stars_frame (field, k, adu);
  expect ((is_fits ? stars_write_fits : stars_write_pgm) (field, k, path, &error), "%s: %s", path, error ? error->message : "");
  pixels = frame_decode (&frame, &error);
  expect (pixels != NULL, "%s: %s", path, error ? error->message : "no word");
  if (pixels)
    {
      const FrameFacts *facts = &pixels->facts;

      compare_counts (&pixels->plane, adu, path);
      expect (pixels->saturation == 65535, "%s: full at %g", path, pixels->saturation);
      if (is_fits)
        {
          expect (fabs (facts->start - BEGIN - STEP * k) < 1e-3 && facts->exposure == STEP, "%s: began at %.3f, exposed %g s", path, facts->start, facts->exposure);
          compare_places (facts, field->shifts + k, path);
        }
      frame_pixels_unref (pixels);
    }
  g_clear_error (&error);
  g_unlink (path);
  g_free (path);
}

static void
load_dark (const StarsField *field, const gchar *folder)
{
  gchar       *path = g_strdup_printf ("%s/dark.fits", folder);
  Frame        frame = { .path = path };
  FramePixels *pixels;
  GError      *error = NULL;
  gint         wrong = 0;

  expect (stars_write_dark (field, path, &error), "%s: %s", path, error ? error->message : "");
  pixels = frame_decode (&frame, &error);
  expect (pixels != NULL, "%s: %s", path, error ? error->message : "no word");
  for (gint i = 0; pixels && i < WIDTH * HEIGHT; i++)
    wrong += pixels->plane.pixels[i] != (gfloat) field->pattern[i];
  expect (wrong == 0, "%s: %d pixels are others", path, wrong);
  g_clear_pointer (&pixels, frame_pixels_unref);
  g_clear_error (&error);
  g_unlink (path);
  g_free (path);
}

int
stars_loaded_test (int argc, char **argv)
{
  StarsField *field;
  gchar      *folder = g_dir_make_tmp ("stars-XXXXXX", NULL);

  gegl_init (&argc, &argv);
  field = stars_field_empty ('C', 5, WIDTH, HEIGHT, N);
  for (gint k = 0; k < N; k++)
    {
      load (field, folder, "fits", k);
      load (field, folder, "pgm", k);
    }
  load_dark (field, folder);
  stars_field_free (field);
  g_rmdir (folder);
  g_free (folder);
  gegl_exit ();
  return expect_told ();
}
