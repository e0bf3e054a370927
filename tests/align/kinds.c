/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What tessera:align finds by itself: the kind of movement, in bright and dark pictures, and the scene's where a stamp stands still.
 *
 *   kinds PHOTOGRAPH UNRELATED */
#include "align.h"

#include <math.h>
#include <string.h>

#include "../engine/verdict.h"

static Photo photograph, unrelated;

static Aligned
align_photos (const Photo *moving, const Photo *fixed)
{
  GeglBuffer *buffer = photo_buffer (moving, 0, 0), *reference = photo_buffer (fixed, 0, 0);
  Aligned     found = align_buffers (buffer, reference, "auto", TRUE);

  g_object_unref (buffer);
  g_object_unref (reference);
  return found;
}

/* Of a camera of 28 mm in the hand that turns up and aside. */
static void
tilt (gdouble degrees, gdouble matrix[9])
{
  const gdouble x = 0.5 * photograph.width, y = 0.5 * photograph.height, f = 0.78 * photograph.width, t = tan (degrees * G_PI / 180);
  const gdouble px = t / f, py = 0.7 * t / f, to_x = x + t * f, to_y = y + 0.7 * t * f, last = 1 - px * x - py * y;
  const gdouble m[9] = { 1 + to_x * px, to_x * py, -x + to_x * last, to_y * px, 1 + to_y * py, -y + to_y * last, px, py, last };

  for (gint k = 0; k < 9; k++)
    matrix[k] = m[k] / m[8];
}

static void
expect_found (const gchar *what, const Photo *moving, const Photo *fixed, const gdouble matrix[9], const gchar *movement, gdouble most)
{
  Aligned       found = align_photos (moving, fixed);
  const gdouble error = corner_error (found.matrix, matrix, photograph.width, photograph.height);

  expect (found.aligned && error < most, "%s: corners off by %.3f px where %.3f are told, %d matches, %s %s", what, error, found.error, found.inliers,
          found.movement, found.reason);
  expect (found.aligned && found.error < 10 * most, "%s: an error of %.3f px is told where %.3f are true", what, found.error, error);
  expect (! movement || strcmp (found.movement, movement) == 0, "%s: %s, found as %s", what, movement, found.movement);
  aligned_free (&found);
}

static void
check_kinds (void)
{
  static const gdouble shift[9] = { 1, 0, 12.3, 0, 1, -7.6, 0, 0, 1 };
  static const gdouble degrees[] = { 0.25, 1, 2 };
  CheckRandom          random = { 20 };
  Photo                moved = photo_moved (&photograph, shift);

  photo_spoil (&moved, 1, 2, &random);
  expect_found ("a shift", &moved, &photograph, shift, "translation", 0.05);
  photo_spoil (&moved, 0.3, 1, &random);
  expect_found ("a shift, dark", &moved, &photograph, shift, "translation", 0.15);
  photo_free (&moved);
  for (guint i = 0; i < G_N_ELEMENTS (degrees); i++)
    {
      gdouble matrix[9];

      tilt (degrees[i], matrix);
      moved = photo_moved (&photograph, matrix);
      photo_spoil (&moved, 1, 2, &random);
      expect_found ("a tilt", &moved, &photograph, matrix, "homography", 0.1);
      photo_free (&moved);
    }
}

/* A part of another photograph, where it was. */
static void
stamp (Photo *photo)
{
  for (gint y = 0; y < photo->height / 4; y++)
    memcpy (photo->values + 3 * (gsize) (photo->height - photo->height / 4 + y) * photo->width, unrelated.values + 3 * (gsize) y * unrelated.width,
            3 * sizeof (gfloat) * MIN (photo->width, unrelated.width) / 2);
}

static void
check_stamp (void)
{
  static const gdouble shift[9] = { 1, 0, 31, 0, 1, -14, 0, 0, 1 };
  Photo                moved = photo_moved (&photograph, shift), fixed = photo_part (&photograph, 0, 0, photograph.width, photograph.height);
  Aligned              found;

  stamp (&moved);
  stamp (&fixed);
  expect_found ("a stamp that stands still", &moved, &fixed, shift, NULL, 0.3);
  found = align_photos (&moved, &fixed);
  expect (strstr (found.reason, "two movements") != NULL, "a stamp that stands still is told: %s", found.reason);
  aligned_free (&found);
  photo_free (&fixed);

  /* nothing else in common */
  fixed = photo_part (&photograph, 0, 0, photograph.width, photograph.height);
  for (gint i = 0; i < 3 * fixed.width * fixed.height; i++)     /* mirrored */
    fixed.values[i] = photograph.values[3 * (i / 3 / fixed.width * fixed.width + fixed.width - 1 - i / 3 % fixed.width) + i % 3];
  stamp (&fixed);
  found = align_photos (&moved, &fixed);
  expect (! found.aligned, "the same stamp on two pictures: %s", found.reason);
  aligned_free (&found);
  photo_free (&fixed);
  photo_free (&moved);
}

/* Dark spots of a sensor. */
static void
soil (Photo *photo, CheckRandom *random)
{
  for (gint i = 0; i < 30; i++)
    {
      const gdouble x = photo->width * check_uniform (random), y = photo->height * check_uniform (random);
      const gdouble radius = 2 + 4 * check_uniform (random), depth = 0.3 + 0.5 * check_uniform (random);

      for (gint v = MAX (0, y - 4 * radius); v < MIN (photo->height, y + 4 * radius); v++)
        for (gint u = MAX (0, x - 4 * radius); u < MIN (photo->width, x + 4 * radius); u++)
          for (gint k = 0; k < 3; k++)
            photo->values[3 * ((gsize) v * photo->width + u) + k] *= 1 - depth * exp (-0.5 * ((u - x) * (u - x) + (v - y) * (v - y)) / radius / radius);
    }
}

/* The points of the spots are plenty, the scene has few. */
static void
check_dust (void)
{
  static const gdouble softness[] = { 4, 8 };

  for (guint i = 0; i < G_N_ELEMENTS (softness); i++)
    for (gint far = 24; far <= 96; far *= 4)
      {
        const gdouble shift[9] = { 1, 0, far, 0, 1, -0.6 * far, 0, 0, 1 };
        CheckRandom   noise = { 5 + i }, spots[2] = { { 77 + i }, { 77 + i } };
        Photo         fixed = photo_softened (&photograph, softness[i]), moved = photo_moved (&fixed, shift);
        Aligned       found;

        soil (&fixed, &spots[0]);
        soil (&moved, &spots[1]);
        photo_spoil (&fixed, 1, 4, &noise);
        photo_spoil (&moved, 1, 4, &noise);
        found = align_photos (&moved, &fixed);
        expect (! found.aligned || corner_error (found.matrix, shift, photograph.width, photograph.height) < 2,
                "dust that stands on a picture softened by %g and moved by %d: corners off by %.3f px, %.3f are told", softness[i], far,
                corner_error (found.matrix, shift, photograph.width, photograph.height), found.error);
        aligned_free (&found);
        photo_free (&fixed);
        photo_free (&moved);
      }
}

/* So soft and noisy that few points are found: the pixels at large know. */
static void
check_soft (void)
{
  static const gdouble shift[9] = { 1, 0, 40, 0, 1, -22, 0, 0, 1 };
  CheckRandom          random = { 9 };
  Photo                fixed = photo_softened (&photograph, 12), moved = photo_moved (&fixed, shift), other = photo_softened (&unrelated, 12);
  Aligned              found;

  photo_spoil (&fixed, 1, 6, &random);
  photo_spoil (&moved, 0.8, 6, &random);
  photo_spoil (&other, 0.8, 6, &random);
  expect_found ("a soft picture", &moved, &fixed, shift, NULL, 1);
  found = align_photos (&other, &fixed);
  expect (! found.aligned, "two soft pictures that have nothing in common: %s", found.reason);
  aligned_free (&found);
  photo_free (&fixed);
  photo_free (&moved);
  photo_free (&other);
}

/* Gives the picture a rim of one value. */
static void
frame (Photo *photo, gint wide)
{
  for (gint y = 0; y < photo->height; y++)
    for (gint x = 0; x < photo->width; x++)
      if (MIN (x, photo->width - 1 - x) < wide || MIN (y, photo->height - 1 - y) < wide)
        for (gint k = 0; k < 3; k++)
          photo->values[3 * ((gsize) y * photo->width + x) + k] = 40;
}

/* Frames without any noise: no pixel differs. */
static void
check_equal (void)
{
  static const gint shifts[][2] = { { 0, 0 }, { 7, -4 }, { -60, 33 } };

  for (guint i = 0; i < 2 * G_N_ELEMENTS (shifts); i++)
    {
      const gint    x = shifts[i / 2][0], y = shifts[i / 2][1], width = photograph.width - ABS (x), height = photograph.height - ABS (y);
      const gdouble matrix[9] = { 1, 0, x, 0, 1, y, 0, 0, 1 };
      Photo         fixed = photo_part (&photograph, MAX (-x, 0), MAX (-y, 0), width, height), moved = photo_part (&photograph, MAX (x, 0), MAX (y, 0), width, height);

      if (i % 2)
        {
          frame (&fixed, 24);
          frame (&moved, 24);
        }
      expect_found (i % 2 ? "equal pixels within a border" : "equal pixels", &moved, &fixed, matrix, "translation", i % 2 && (x || y) ? 0.1 : 0.01);
      photo_free (&fixed);
      photo_free (&moved);
    }
}

gint
main (gint argc, gchar **argv)
{
  if (argc != 3)
    return 2;
  gegl_init (NULL, NULL);
  photograph = photo_load (argv[1]);
  unrelated = photo_load (argv[2]);
  check_equal ();
  check_dust ();
  check_soft ();
  check_kinds ();
  check_stamp ();
  photo_free (&photograph);
  photo_free (&unrelated);
  gegl_exit ();
  return expect_told ();
}
