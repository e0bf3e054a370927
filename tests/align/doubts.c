/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Where the right answer may be that nobody knows: what tessera:align lays on one another is never off by two pixels at a corner.  Things that move while
 * the scene hardly shows, dust that stands, one thing alone, stripes, equal windows, patterns that two grounds have, lamps that drift.
 *
 *   doubts PHOTOGRAPH UNRELATED */
#include "align.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../engine/verdict.h"
#include "align-test.h"

#define OFF 2.0                 /* pixels at a corner */

static Photo photograph, unrelated;

static void
expect_not_wrong (const gchar *what, gdouble how, gdouble much, const Photo *moving, const Photo *fixed, const gdouble matrix[9])
{
  GeglBuffer   *buffer = photo_buffer (moving, 0, 0), *reference = photo_buffer (fixed, 0, 0);
  Aligned       found = align_buffers (buffer, reference, "auto", TRUE);
  const gdouble error = matrix ? corner_error (found.matrix, matrix, fixed->width, fixed->height) : INFINITY;

  expect (! found.aligned || error < OFF, "%s (%g, %g): corners off by %.3f px where %.3f are told, %s", what, how, much, error, found.error, found.reason);
  aligned_free (&found);
  g_object_unref (buffer);
  g_object_unref (reference);
}

/* Of a size, in pictures of the photograph's: noise around a mean, softened. */
static Photo
rough (guint64 seed, gdouble mean, gdouble range, gdouble softness)
{
  Photo       noise = photo_part (&photograph, 0, 0, photograph.width, photograph.height), soft;
  CheckRandom random = { seed };

  for (gint i = 0; i < noise.width * noise.height; i++)
    for (gint k = 0, value = (gint) (range * (check_uniform (&random) - 0.5)); k < 3; k++)
      noise.values[3 * (gsize) i + k] = (gfloat) (mean + value);
  soft = photo_softened (&noise, softness);
  photo_free (&noise);
  return soft;
}

/* Dark spots of a sensor. */
static void
soil (Photo *photo, gint spots, gdouble least, CheckRandom *random)
{
  for (gint i = 0; i < spots; i++)
    {
      const gdouble x = photo->width * check_uniform (random), y = photo->height * check_uniform (random);
      const gdouble radius = least + 2 * least * check_uniform (random), depth = 0.3 + 0.5 * check_uniform (random);

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
  static const gdouble softness[] = { 8, 16 };
  static const gint    spots[] = { 30, 120 };

  for (guint i = 0; i < 8; i++)
    {
      const gint    far = i % 2 ? 24 : 96;
      const gdouble shift[9] = { 1, 0, far, 0, 1, -0.6 * far, 0, 0, 1 }, soft = softness[i / 4];
      CheckRandom   noise = { 5 + i }, at[2] = { { 77 + i }, { 77 + i } };
      Photo         fixed = photo_softened (&photograph, soft), moved = photo_moved (&fixed, shift);

      soil (&fixed, spots[i / 2 % 2], 2, &at[0]);
      soil (&moved, spots[i / 2 % 2], 2, &at[1]);
      photo_spoil (&fixed, 1, 4, &noise);
      photo_spoil (&moved, 1, 4, &noise);
      expect_not_wrong ("dust that stands while a soft scene moves", soft, spots[i / 2 % 2], &moved, &fixed, shift);
      photo_free (&fixed);
      photo_free (&moved);
    }
}

/* Hundreds of small spots: they are on each part of what a scene that is a little soft shows. */
static void
check_specks (void)
{
  static const gint spots[] = { 300, 800 };

  for (guint i = 0; i < 8; i++)
    {
      const gint    far = i % 2 ? 24 : 96;
      const gdouble shift[9] = { 1, 0, far, 0, 1, -0.6 * far, 0, 0, 1 }, soft = i / 4 ? 8 : 4;
      CheckRandom   noise = { 5 + i }, at[2] = { { 77 + i }, { 77 + i } };
      Photo         fixed = photo_softened (&photograph, soft), moved = photo_moved (&fixed, shift);

      soil (&fixed, spots[i / 2 % 2], 1, &at[0]);
      soil (&moved, spots[i / 2 % 2], 1, &at[1]);
      photo_spoil (&fixed, 1, 2, &noise);
      photo_spoil (&moved, 1, 2, &noise);
      expect_not_wrong ("specks that stand while the scene moves", soft, spots[i / 2 % 2], &moved, &fixed, shift);
      photo_free (&fixed);
      photo_free (&moved);
    }
}

/* A bright part of another photograph. */
static void
hold (Photo *photo, gint x, gint y, gint side)
{
  for (gint i = 0; i < side * side; i++)
    for (gint k = 0; k < 3; k++)
      photo->values[3 * ((gsize) (y + i / side) * photo->width + x + i % side) + k] = unrelated.values[3 * ((gsize) (i / side) * unrelated.width + i % side) + k];
}

/* The scene stands, under the same specks, and what covers a third of one picture is not in the other: that is no dust. */
static void
check_tripod (void)
{
  static const gdouble identity[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };

  for (guint i = 0; i < 4; i++)
    {
      const gdouble soft = i / 2 ? 4 : 1;
      CheckRandom   noise = { 5 + i }, at[2] = { { 77 + i }, { 77 + i } };
      Photo         fixed = photo_softened (&photograph, soft), moved = photo_softened (&photograph, soft);
      GeglBuffer   *buffer, *reference;
      Aligned       found;

      hold (&moved, 200, 90, i % 2 ? 320 : 160);
      soil (&fixed, 40, 2, &at[0]);
      soil (&moved, 40, 2, &at[1]);
      photo_spoil (&fixed, 1, 4, &noise);
      photo_spoil (&moved, 1.4, 4, &noise);
      buffer = photo_buffer (&moved, 0, 0);
      reference = photo_buffer (&fixed, 0, 0);
      found = align_buffers (buffer, reference, "auto", TRUE);
      expect (found.aligned && corner_error (found.matrix, identity, fixed.width, fixed.height) < 0.3, "a scene that stands (%g, %d): %s, %.3f px are told",
              soft, i % 2, found.reason, found.error);
      aligned_free (&found);
      g_object_unref (buffer);
      g_object_unref (reference);
      photo_free (&fixed);
      photo_free (&moved);
    }
}

/* Before a dark soft scene that a hand moved a thing goes elsewhere: it is seen best, and what it does is not what the scene does. */
static void
check_thing (void)
{
  static const gdouble brightness[] = { 0.1, 0.16, 0.24 };
  Photo soft = photo_softened (&photograph, 5);

  for (guint i = 0; i < 2 * G_N_ELEMENTS (brightness); i++)
    {
      const gdouble shift[9] = { 1, 0, 7, 0, 1, -5, 0, 0, 1 };
      const gint    side = photograph.height / (i % 2 ? 2 : 3);
      CheckRandom   random = { 60 + i };
      Photo         fixed = photo_part (&soft, 0, 0, soft.width, soft.height), moved = photo_moved (&soft, shift);

      photo_spoil (&fixed, brightness[i / 2], 0, &random);
      photo_spoil (&moved, brightness[i / 2], 0, &random);
      hold (&fixed, 10, 20, side);
      hold (&moved, 90, 60, side);
      photo_spoil (&fixed, 1, 4, &random);
      photo_spoil (&moved, 1, 4, &random);
      expect_not_wrong ("a thing that moves before a dark scene", brightness[i / 2], side, &moved, &fixed, shift);
      photo_free (&fixed);
      photo_free (&moved);
    }
  photo_free (&soft);
}

/* One soft thing before nothing: where it went is known, but not whether the camera turned. */
static void
check_alone (void)
{
  for (guint i = 0; i < 6; i++)
    {
      const gdouble angle = 0.03 * (i % 3), x = 0.5 * photograph.width, y = 0.5 * photograph.height;
      const gdouble turn[9] = { cos (angle), -sin (angle), x - cos (angle) * x + sin (angle) * y + 9, sin (angle), cos (angle), y - sin (angle) * x - cos (angle) * y, 0, 0, 1 };
      CheckRandom   random = { 40 + i };
      Photo         fixed = photo_part (&photograph, 0, 0, photograph.width, photograph.height), moved;

      for (gint k = 0; k < 3 * fixed.width * fixed.height; k++)
        fixed.values[k] = (gfloat) (20 + (i < 3 ? 150 : 40) * exp (-0.5 * (pow (k / 3 % fixed.width - 0.3 * fixed.width, 2) + pow (k / 3 / fixed.width - y, 2)) / 400));
      moved = photo_moved (&fixed, turn);
      photo_spoil (&fixed, 1, 3, &random);
      photo_spoil (&moved, 1, 3, &random);
      expect_not_wrong ("one soft thing alone", i < 3 ? 150 : 40, angle, &moved, &fixed, turn);
      photo_free (&fixed);
      photo_free (&moved);
    }
}

/* Along the stripes nobody knows. */
static void
check_stripes (void)
{
  static const gdouble shift[9] = { 1, 0, 23, 0, 1, 6, 0, 0, 1 };

  for (guint i = 0; i < 3; i++)
    {
      CheckRandom random = { 80 + i };
      Photo       noise = rough (3, 120, 500, 2), fixed = photo_part (&noise, 0, 0, noise.width, noise.height), moved;

      for (gint k = 0; k < 3 * fixed.width * fixed.height; k++)
        fixed.values[k] = noise.values[3 * (gsize) (k / 3 / fixed.width) * fixed.width];
      moved = photo_moved (&fixed, shift);
      photo_spoil (&fixed, 1, 2 * i, &random);
      photo_spoil (&moved, 1, 2 * i, &random);
      expect_not_wrong ("stripes", i, 0, &moved, &fixed, shift);
      photo_free (&noise);
      photo_free (&fixed);
      photo_free (&moved);
    }
}

/* A front of equal windows, on a wall of its own. */
static Photo
house (guint64 wall, gint x, gint y, gint across, gint down)
{
  Photo front = rough (wall, 150, 120, 2), glass = rough (5, 90, 900, 1.5);

  for (gint i = 0; i < front.width * front.height; i++)
    {
      const gint u = (i % front.width + x) % across - 8, v = (i / front.width + y) % down - 8, wide = across * 2 / 3, high = down * 2 / 3;

      if (u < 0 || v < 0 || u >= wide || v >= high)
        continue;
      for (gint k = 0; k < 3; k++)
        front.values[3 * (gsize) i + k] = MIN (MIN (u, wide - 1 - u), MIN (v, high - 1 - v)) < 4 ? 60
                                          : abs (u - wide / 2) < 1 || abs (v - high / 2) < 1 ? 220 : glass.values[3 * ((gsize) v * glass.width + u) + k];
    }
  photo_free (&glass);
  return front;
}

/* Of two houses: no shift is right.  Of one, the wall alone knows which. */
static void
check_windows (void)
{
  static const gint pitches[][2] = { { 50, 70 }, { 90, 110 }, { 160, 120 } };
  static const gdouble shift[9] = { 1, 0, 30, 0, 1, 10, 0, 0, 1 };

  for (guint i = 0; i < G_N_ELEMENTS (pitches); i++)
    {
      CheckRandom random = { 31 + i };
      Photo       fixed = house (1, 0, 0, pitches[i][0], pitches[i][1]), other = house (2, 17, 23, pitches[i][0], pitches[i][1]), moved = photo_moved (&fixed, shift);

      photo_spoil (&fixed, 1, 2, &random);
      photo_spoil (&other, 1, 2, &random);
      photo_spoil (&moved, 1, 2, &random);
      expect_not_wrong ("equal windows of two houses", pitches[i][0], pitches[i][1], &other, &fixed, NULL);
      expect_not_wrong ("equal windows of one house", pitches[i][0], pitches[i][1], &moved, &fixed, shift);
      photo_free (&fixed);
      photo_free (&other);
      photo_free (&moved);
    }
}

/* ------------------------------------------------------------------- tiles -- */

/* A cell of soft spots, over and over: no edge between two of them shows. */
static Photo
tile (gint across, gint down, gdouble softness, CheckRandom *random)
{
  Photo cells = { 3 * across, 3 * down, g_new (gfloat, 27 * across * down) }, soft, wall = photo_part (&photograph, 0, 0, photograph.width, photograph.height);

  for (gint i = 0; i < 3 * across * down; i++)
    cells.values[i / 3 / across * 9 * across + i % (3 * across)] = (gfloat) (128 + 420 * softness * (check_uniform (random) - 0.5));
  for (gint i = 0; i < 9 * across * 3 * down; i++)
    cells.values[i] = cells.values[i / (9 * across) % down * 9 * across + i % (3 * across)];
  soft = photo_softened (&cells, softness);
  for (gint i = 0; i < 3 * wall.width * wall.height; i++)
    wall.values[i] = soft.values[((i / 3 / wall.width % down + down) * 3 * across + i / 3 % wall.width % across + across) * 3 + i % 3];
  photo_free (&cells);
  photo_free (&soft);
  return wall;
}

/* The wall from this place on. */
static Photo
wall_from (const Photo *wall, gint x, gint y, gint across, gint down)
{
  Photo part = photo_part (wall, 0, 0, wall->width, wall->height);

  for (gint i = 0; i < wall->width * wall->height; i++)
    memcpy (part.values + 3 * (gsize) i,
            wall->values + 3 * ((gsize) ((i / wall->width + y + 9 * down) % down) * wall->width + (i % wall->width + x + 9 * across) % across), 3 * sizeof (gfloat));
  return part;
}

/* Part of another photograph, with grain. */
static void
hold_before (Photo *photo, gint x, gint y, gint width, gint height, guint64 seed)
{
  CheckRandom random = { seed };

  for (gint i = 0; i < width * height; i++)
    for (gint k = 0; k < 3; k++)
      photo->values[3 * ((gsize) (y + i / width) * photo->width + x + i % width) + k] =
        unrelated.values[3 * ((gsize) (i / width) * unrelated.width + i % width) + k] + (gfloat) (160 * (check_uniform (&random) - 0.5));
}

static gint
draw_between (CheckRandom *random, gint least, gint most)
{
  return least + (gint) ((most - least) * check_uniform (random));
}

/* A sharp thing goes before a wall of soft tiles, and the camera elsewhere: after a shift by any tile as much of the wall shows the same. */
static void
check_tiles (void)
{
  static const guint64 seeds[] = { 401, 402, 404, 406 };

  for (guint i = 0; i < G_N_ELEMENTS (seeds); i++)
    {
      CheckRandom random = { seeds[i] };
      const gint  across = draw_between (&random, 36, 90), down = draw_between (&random, 36, 90), x = draw_between (&random, -90, 91), y = draw_between (&random, -90, 91);
      const gint  width = draw_between (&random, 260, 420), height = draw_between (&random, 200, 300);
      const gint  left = draw_between (&random, 30, photograph.width - width - 30), top = draw_between (&random, 30, photograph.height - height - 30);
      const gdouble shift[9] = { 1, 0, x, 0, 1, y, 0, 0, 1 }, noise = (gint) (3 * check_uniform (&random));
      Photo         fixed = tile (across, down, 4 + 3 * check_uniform (&random), &random), moved = wall_from (&fixed, x, y, across, down);

      hold_before (&fixed, left, top, width, height, seeds[i]);
      hold_before (&moved, left + draw_between (&random, -25, 26), top + draw_between (&random, -25, 26), width, height, seeds[i]);
      photo_spoil (&fixed, 1, noise, &random);
      photo_spoil (&moved, 1, noise, &random);
      expect_not_wrong ("a thing that goes before soft tiles", seeds[i], across, &moved, &fixed, shift);
      photo_free (&fixed);
      photo_free (&moved);
    }
}

#define GRAIN_WIDTH  256
#define GRAIN_HEIGHT 192

/* Softened noise, nearly grey, of this deviation. */
static Photo
grain (CheckRandom *random, gdouble softness, gdouble deviation)
{
  const gint n = 3 * GRAIN_WIDTH * GRAIN_HEIGHT;
  Photo      noise = { GRAIN_WIDTH, GRAIN_HEIGHT, g_new (gfloat, n) }, soft;
  gdouble    sum = 0, squares = 0;

  for (gint i = 0; i < n; i++)
    noise.values[i] = (gfloat) (i % 3 == 0 ? check_uniform (random) : noise.values[i - i % 3] + 0.1 * check_uniform (random));
  soft = photo_softened (&noise, softness);
  photo_free (&noise);
  for (gint i = 0; i < n; i++)
    {
      sum += soft.values[i] / n;
      squares += soft.values[i] * soft.values[i] / n;
    }
  for (gint i = 0; i < n; i++)
    soft.values[i] = (gfloat) (120 + deviation * (soft.values[i] - sum) / sqrt (squares - sum * sum));
  return soft;
}

static void
copy_rows (Photo *to, const Photo *from, gint top, gint bottom)
{
  memcpy (to->values + 3 * (gsize) top * to->width, from->values + 3 * (gsize) top * to->width, 3 * sizeof (gfloat) * (bottom - top) * to->width);
}

/* Two grounds that have nothing in common, with the same pattern on no more than half of both: a faint one of the sensor, which shows in the upper half
 * alone, or a strong one, printed above and below. */
static void
expect_denied (gboolean is_faint, guint64 seed)
{
  CheckRandom  random = { seed };
  Photo        pattern = is_faint ? grain (&random, 1.9, 12) : grain (&random, 2.6, 22);
  Photo        fixed = is_faint ? grain (&random, 0.9, 26) : grain (&random, 1.8, 10), other = is_faint ? grain (&random, 0.9, 26) : grain (&random, 1.8, 10);
  Photo *const both[] = { &fixed, &other };

  for (gint k = 0; k < 2; k++)
    {
      copy_rows (both[k], &pattern, 0, is_faint ? GRAIN_HEIGHT / 2 : GRAIN_HEIGHT / 5);
      copy_rows (both[k], &pattern, is_faint ? GRAIN_HEIGHT : GRAIN_HEIGHT - GRAIN_HEIGHT / 5, GRAIN_HEIGHT);
      photo_spoil (both[k], 1, is_faint ? 1 : 2, &random);
    }
  expect_not_wrong (is_faint ? "a faint pattern on two grounds" : "a printed pattern on two grounds", seed, 0, &other, &fixed, NULL);
  photo_free (&pattern);
  photo_free (&fixed);
  photo_free (&other);
}

/* Of some dozen drawn ones those that one rule alone denies: what both show is less than half the same; the pictures at large are not. */
static void
check_patterns (void)
{
  static const guint64 faint[] = { 203, 208 }, printed[] = { 200, 208, 214 };

  for (guint i = 0; i < G_N_ELEMENTS (faint); i++)
    expect_denied (TRUE, faint[i]);
  for (guint i = 0; i < G_N_ELEMENTS (printed); i++)
    expect_denied (FALSE, printed[i]);
}

#define DARK_WIDTH  224
#define DARK_HEIGHT 160

/* Adds a lamp to the dark. */
static void
light (Photo *photo, gdouble x, gdouble y)
{
  for (gint i = 0; i < 3 * photo->width * photo->height; i++)
    photo->values[i] += (gfloat) (75 * exp (-0.5 * (pow (i / 3 % photo->width - x, 2) + pow (i / 3 / photo->width - y, 2)) / 20));
}

/* The camera stands still, the lamps drift, each as it will: four of them always lie on one another after some homography.  Few blocks show them. */
static void
check_lamps (void)
{
  static const gdouble identity[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
  static const guint64 seeds[] = { 302, 303, 309 };

  for (guint i = 0; i < G_N_ELEMENTS (seeds); i++)
    {
      CheckRandom random = { seeds[i] };
      Photo       pictures[2];

      for (gint k = 0; k < 2; k++)
        {
          pictures[k] = (Photo) { DARK_WIDTH, DARK_HEIGHT, g_new (gfloat, 3 * DARK_WIDTH * DARK_HEIGHT) };
          for (gint p = 0; p < 3 * DARK_WIDTH * DARK_HEIGHT; p++)
            pictures[k].values[p] = 30;
        }
      for (gint lamp = 0; lamp < 4; lamp++)
        {
          const gdouble x = (lamp % 2 ? 160 : 50) + 20 * check_uniform (&random), y = (lamp / 2 ? 110 : 40) + 15 * check_uniform (&random);

          for (gint k = 0; k < 2; k++)
            {
              const gdouble to_x = x + k * 10 * (check_uniform (&random) - 0.5), to_y = y + k * 10 * (check_uniform (&random) - 0.5);

              light (&pictures[k], to_x, to_y);
            }
        }
      for (gint k = 0; k < 2; k++)
        photo_spoil (&pictures[k], 1, 1, &random);
      expect_not_wrong ("lamps that drift", seeds[i], 4, &pictures[1], &pictures[0], identity);
      photo_free (&pictures[0]);
      photo_free (&pictures[1]);
    }
}

int
doubts_test (int argc, char **argv)
{
  Photo whole;

  if (argc != 3)
    return 2;
  gegl_init (NULL, NULL);
  whole = photo_load (argv[1]);
  photograph = photo_part (&whole, 192, 144, 640, 480);
  photo_free (&whole);
  unrelated = photo_load (argv[2]);
  check_tiles ();
  check_lamps ();
  check_patterns ();
  check_dust ();
  check_specks ();
  check_tripod ();
  check_thing ();
  check_alone ();
  check_stripes ();
  check_windows ();
  photo_free (&photograph);
  photo_free (&unrelated);
  gegl_exit ();
  return expect_told ();
}
