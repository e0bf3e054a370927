/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The generator's files as the product loads them: the same counts, time and place. */
#include "stars.h"

#include "fits.h"
#include "frames.h"
#include "../engine/verdict.h"

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
          expect (facts->has_wcs && fabs (facts->x - PLACE - field->shifts[k].x) < 1e-6 && fabs (facts->y - HEIGHT / 2 - field->shifts[k].y) < 1e-6,
                  "%s: the place of the coordinates is (%g, %g)", path, facts->x, facts->y);
          expect (facts->ra == 56.75 && facts->dec == 24.125 && fabs (facts->cd[0] + 1.2 / 3600) < 1e-8 && fabs (facts->cd[3] + 1.2 / 3600) < 1e-8,
                  "%s: ra %g, dec %g, %g and %g a pixel", path, facts->ra, facts->dec, facts->cd[0], facts->cd[3]);
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

gint
main (gint argc, gchar **argv)
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
