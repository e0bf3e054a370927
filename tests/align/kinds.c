/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What tessera:align finds by itself: the kind of movement, in bright and dark pictures, and the scene's where a stamp stands still.
 *
 *   kinds PHOTOGRAPH UNRELATED */
#include "align.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../engine/verdict.h"

static Photo photograph, unrelated;

static const gchar *stored;             /* NULL: 8 bits */

/* Stored in more bits, or fewer channels: the values of the 8 bits. */
static GeglBuffer *
buffer_of (const Photo *photo)
{
  GeglBuffer *codes = photo_buffer (photo, 0, 0), *buffer;

  if (! stored)
    return codes;
  buffer = gegl_buffer_new (gegl_buffer_get_extent (codes), babl_format (stored));
  gegl_buffer_copy (codes, NULL, GEGL_ABYSS_NONE, buffer, NULL);
  g_object_unref (codes);
  return buffer;
}

static Aligned
align_photos (const Photo *moving, const Photo *fixed)
{
  GeglBuffer *buffer = buffer_of (moving), *reference = buffer_of (fixed);
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

/* So soft and noisy that few points are found: all pixels at once know.  Parts are blown out in the brightest. */
static void
check_soft (void)
{
  static const gdouble brightness[] = { 0.3, 0.8, 1.7 };
  Photo                fixed = photo_softened (&photograph, 12), other = photo_softened (&unrelated, 12);

  for (guint i = 0; i < 2 * G_N_ELEMENTS (brightness); i++)
    {
      gdouble     matrix[9] = { 1, 0, 40, 0, 1, -22, 0, 0, 1 };
      CheckRandom random = { 9 + i };
      Photo       still = photo_part (&fixed, 0, 0, fixed.width, fixed.height), elsewhere = photo_part (&other, 0, 0, other.width, other.height), moved;
      Aligned     found;

      if (i % 2)
        tilt (1.5, matrix);
      moved = photo_moved (&fixed, matrix);
      photo_spoil (&still, 1, 6, &random);
      photo_spoil (&moved, brightness[i / 2], brightness[i / 2] < 1 ? 2 : 6, &random);
      photo_spoil (&elsewhere, brightness[i / 2], 6, &random);
      expect_found (i % 2 ? "a soft picture, tilted" : "a soft picture", &moved, &still, matrix, NULL, 1);
      found = align_photos (&elsewhere, &still);
      expect (! found.aligned, "two soft pictures that have nothing in common: %s", found.reason);
      aligned_free (&found);
      photo_free (&still);
      photo_free (&moved);
      photo_free (&elsewhere);
    }
  photo_free (&fixed);
  photo_free (&other);
}

/* A bright part of another photograph. */
static void
hold (Photo *photo, gint x, gint y)
{
  const gint side = photo->height / 3;

  for (gint i = 0; i < side * side; i++)
    for (gint k = 0; k < 3; k++)
      photo->values[3 * ((gsize) (y + i / side) * photo->width + x + i % side) + k] = unrelated.values[3 * ((gsize) (i / side) * unrelated.width + i % side) + k];
}

/* Before a dark soft scene that a hand moved a thing goes elsewhere: it alone is seen well, and what it does is not what the scene does. */
static void
check_thing (void)
{
  Photo soft = photo_softened (&photograph, 8);

  for (guint i = 0; i < 6; i++)
    {
      const gdouble shift[9] = { 1, 0, 7, 0, 1, -5, 0, 0, 1 };
      CheckRandom   random = { 60 + i };
      Photo         fixed = photo_part (&soft, 0, 0, soft.width, soft.height), moved = photo_moved (&soft, shift);
      Aligned       found;

      photo_spoil (&fixed, 0.02 * (1 + i), 0, &random);
      photo_spoil (&moved, 0.02 * (1 + i), 0, &random);
      hold (&fixed, 10, 20);
      hold (&moved, 90 + 40 * (i % 3), 60);
      photo_spoil (&fixed, 1, 4, &random);
      photo_spoil (&moved, 1, 4, &random);
      found = align_photos (&moved, &fixed);
      expect (! found.aligned || corner_error (found.matrix, shift, photograph.width, photograph.height) < 2,
              "a thing that moves before a dark scene: corners off by %.3f px where %.3f are told, %s", corner_error (found.matrix, shift, photograph.width, photograph.height),
              found.error, found.reason);
      aligned_free (&found);
      photo_free (&fixed);
      photo_free (&moved);
    }
  photo_free (&soft);
}

/* A front of equal windows, on a wall of its own. */
static Photo
house (guint64 wall, gint x, gint y, gint across, gint down)
{
  Photo       rough = photo_part (&photograph, 0, 0, photograph.width, photograph.height), front;
  CheckRandom random = { wall };

  for (gint i = 0; i < 3 * rough.width * rough.height; i++)
    rough.values[i] = (gfloat) (150 + 60 * (check_uniform (&random) - 0.5));
  front = photo_softened (&rough, 2);
  photo_free (&rough);
  for (gint i = 0; i < front.width * front.height; i++)
    {
      const gint u = (i % front.width + x) % across - 8, v = (i / front.width + y) % down - 8, wide = across * 2 / 3, high = down * 2 / 3;

      if (u < 0 || v < 0 || u >= wide || v >= high)
        continue;
      for (gint k = 0; k < 3; k++)
        front.values[3 * (gsize) i + k] = MIN (MIN (u, wide - 1 - u), MIN (v, high - 1 - v)) < 4 ? 60
                                          : abs (u - wide / 2) < 1 || abs (v - high / 2) < 1 ? 220 : unrelated.values[3 * ((gsize) (2 * v + 40) * unrelated.width + 2 * u + 60) + k];
    }
  return front;
}

/* Of one house or of two, which shift it is the wall alone knows. */
static void
check_windows (void)
{
  static const gint pitches[][2] = { { 50, 70 }, { 90, 110 }, { 160, 120 } };

  for (guint i = 0; i < G_N_ELEMENTS (pitches); i++)
    {
      CheckRandom random = { 31 + i };
      Photo       fixed = house (1, 0, 0, pitches[i][0], pitches[i][1]), other = house (2, 17, 23, pitches[i][0], pitches[i][1]);
      Aligned     found;

      photo_spoil (&fixed, 1, 2, &random);
      photo_spoil (&other, 1, 2, &random);
      found = align_photos (&other, &fixed);
      expect (! found.aligned, "equal windows of two houses: %s", found.reason);
      aligned_free (&found);
      photo_free (&fixed);
      photo_free (&other);
    }
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
  static const gchar *const formats[] = { NULL, "R'G'B' u16", "Y' u16", "RGBA float" };

  if (argc != 3)
    return 2;
  gegl_init (NULL, NULL);
  photograph = photo_load (argv[1]);
  unrelated = photo_load (argv[2]);
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      stored = formats[i];
      check_equal ();
    }
  stored = NULL;
  check_dust ();
  check_soft ();
  check_thing ();
  check_windows ();
  check_kinds ();
  check_stamp ();
  photo_free (&photograph);
  photo_free (&unrelated);
  gegl_exit ();
  return expect_told ();
}
