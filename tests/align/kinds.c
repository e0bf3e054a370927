/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What tessera:align finds by itself: the kind of movement, in bright and dark pictures, and the scene's where a stamp stands still.
 *
 *   kinds PHOTOGRAPH UNRELATED */
#include "align.h"

#include <math.h>
#include <string.h>

#include "../engine/verdict.h"
#include "align-test.h"

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
align_as (const gchar *model, const Photo *moving, const Photo *fixed)
{
  GeglBuffer *buffer = buffer_of (moving), *reference = buffer_of (fixed);
  Aligned     found = align_buffers (buffer, reference, model, TRUE);

  g_object_unref (buffer);
  g_object_unref (reference);
  return found;
}

static Aligned
align_photos (const Photo *moving, const Photo *fixed)
{
  return align_as ("auto", moving, fixed);
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
  expect (found.aligned && found.error < 10 * most && error < 4 * found.error + 0.05, "%s: an error of %.3f px is told where %.3f are true", what, found.error, error);
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

/* A kind that is too small for a tilt lays a part of the picture well, and the rest does not deny it by itself: it is as near as it says. */
static void
check_small_kinds (void)
{
  static const gchar *const names[] = { "translation", "similarity", "affine" };
  static const gdouble      degrees[] = { 0.35, 0.4 };
  CheckRandom               random = { 21 };

  for (guint i = 0; i < G_N_ELEMENTS (degrees); i++)
    {
      gdouble matrix[9];
      Photo   moved;

      tilt (degrees[i], matrix);
      moved = photo_moved (&photograph, matrix);
      photo_spoil (&moved, 1, 2, &random);
      for (guint k = 0; k < G_N_ELEMENTS (names); k++)
        {
          Aligned       found = align_as (names[k], &moved, &photograph);
          const gdouble error = corner_error (found.matrix, matrix, photograph.width, photograph.height);

          expect (! found.aligned || (error < 2 * found.error + 0.1 && error < 2), "a tilt of %g degrees as %s: corners off by %.2f px where %.2f are told",
                  degrees[i], names[k], error, found.error);
          expect (! strstr (found.reason, "inf"), "a tilt of %g degrees as %s, in words: %s", degrees[i], names[k], found.reason);
          aligned_free (&found);
        }
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

/* So soft and noisy that few points are found: all pixels at once know.  Parts are blown out in the brightest. */
static void
check_soft (void)
{
  static const gdouble brightness[] = { 0.3, 0.8, 1.7 };
  Photo                fixed = photo_softened (&photograph, 12), other = photo_softened (&unrelated, 12);

  for (guint i = 0; i < 2 * G_N_ELEMENTS (brightness); i++)
    {
      gdouble     matrix[9] = { 1, 0, i < 2 ? 40 : 150, 0, 1, i < 2 ? -22 : -90, 0, 0, 1 };
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

int
kinds_test (int argc, char **argv)
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
  check_soft ();
  check_kinds ();
  check_small_kinds ();
  check_stamp ();
  photo_free (&photograph);
  photo_free (&unrelated);
  gegl_exit ();
  return expect_told ();
}
