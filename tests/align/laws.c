/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What holds for tessera:align on any picture: the result is the input at the places of the matrix that it tells, in the box of the
 * second picture, with the same bits whatever the threads and tiles; a picture that does not align stays as it is.
 *
 *   laws PHOTOGRAPH UNRELATED */
#include "align.h"

#include <math.h>
#include <string.h>

#include "../engine/verdict.h"
#include "align-test.h"

#define SIDE 400
#define EDGE 16         /* more than any kernel and Gaussian here reaches */

static Photo photograph, unrelated;

static GeglBuffer *
part_buffer (const Photo *photo, gint x, gint y, gint width, gint height, gint to_x, gint to_y)
{
  Photo       part = photo_part (photo, x, y, width, height);
  GeglBuffer *buffer = photo_buffer (&part, to_x, to_y);

  photo_free (&part);
  return buffer;
}

static gboolean
same (const Aligned *a, const Aligned *b)
{
  return gegl_rectangle_equal (&a->box, &b->box) && memcmp (a->matrix, b->matrix, sizeof a->matrix) == 0
         && memcmp (a->pixels, b->pixels, 4 * sizeof (gfloat) * a->box.width * a->box.height) == 0;
}

static gfloat *
pixels_of (GeglBuffer *buffer, const GeglRectangle *box)
{
  gfloat *pixels = g_new0 (gfloat, 4 * (gsize) box->width * box->height);

  gegl_buffer_get (buffer, box, 1.0, babl_format ("RaGaBaA float"), pixels, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
  return pixels;
}

/* ---------------------------------------------------------------- no alignment -- */

static gdouble
worst_difference (const gfloat *a, const gfloat *b, gsize n)
{
  gdouble worst = 0;

  for (gsize i = 0; i < n; i++)
    worst = fabs (a[i] - b[i]) <= worst ? worst : fabs (a[i] - b[i]);
  return worst;
}

/* The input within the box, as babl has it; transparent around it. */
static void
expect_unchanged (const gchar *what, GeglBuffer *input, GeglBuffer *aux, const GeglRectangle *box)
{
  Aligned found = align_buffers (input, aux, "similarity", TRUE);
  gfloat *pixels = pixels_of (input, box);

  expect (! found.aligned && found.reason[0], "%s: not aligned (%s)", what, found.reason);
  expect (gegl_rectangle_equal (&found.box, box), "%s: the box", what);
  expect (gegl_rectangle_equal (&found.box, box)
          && worst_difference (pixels, found.pixels, 4 * (gsize) box->width * box->height) < 1e-6, "%s: the input as it is", what);
  g_free (pixels);
  aligned_free (&found);
}

static void
check_not_aligned (void)
{
  GeglBuffer *buffer = part_buffer (&photograph, 100, 100, 300, 200, 7, -5);
  GeglBuffer *other = part_buffer (&unrelated, 60, 80, 350, 150, -20, 30);
  GeglBuffer *one = part_buffer (&photograph, 10, 10, 1, 1, 3, 4), *small = part_buffer (&photograph, 10, 10, 9, 7, 0, 0);
  GeglBuffer *empty = gegl_buffer_new (GEGL_RECTANGLE (0, 0, 0, 0), babl_format ("R'G'B' u8"));
  Aligned     nothing;

  expect_unchanged ("no second picture", buffer, NULL, gegl_buffer_get_extent (buffer));
  expect_unchanged ("an empty second picture", buffer, empty, gegl_buffer_get_extent (buffer));
  expect_unchanged ("an unrelated picture", buffer, other, gegl_buffer_get_extent (other));
  expect_unchanged ("1x1 on 1x1", one, one, gegl_buffer_get_extent (one));
  expect_unchanged ("1x1 on a picture", one, buffer, gegl_buffer_get_extent (buffer));
  expect_unchanged ("a picture on 9x7", buffer, small, gegl_buffer_get_extent (small));
  nothing = align_buffers (empty, buffer, "similarity", TRUE);
  expect (! nothing.aligned && gegl_rectangle_is_empty (&nothing.box), "an empty input: nothing");
  aligned_free (&nothing);
  nothing = align_buffers (NULL, buffer, "similarity", TRUE);
  expect (! nothing.aligned, "no input: nothing");
  aligned_free (&nothing);
  g_object_unref (buffer);
  g_object_unref (other);
  g_object_unref (one);
  g_object_unref (small);
  g_object_unref (empty);
}

/* ------------------------------------------------------------------ the result -- */

/* Lanczos' kernel of 6 pixels; the weights of all pixels together are 1. */
static gdouble
weight (gdouble t, gint k)
{
  gdouble sum = 0;

  for (gint i = -2; i < 4; i++)
    sum += lanczos (t - i, 3);
  return lanczos (t - k, 3) / sum;
}

/* The input with EDGE pixels more on each side, the nearest ones; softened by a Gaussian, in double. */
static gdouble *
softened (const gfloat *in, gint in_width, gint in_height, gdouble sigma)
{
  const gint width = in_width + 2 * EDGE, height = in_height + 2 * EDGE, r = (gint) ceil (3 * sigma), n = 4 * width * height;
  gdouble   *rows = g_new (gdouble, n), *out = g_new (gdouble, n);

  for (gint pass = 0; pass < 2; pass++)
    for (gint i = 0; i < n; i++)
      {
        gdouble sum = 0, all = 0;

        for (gint k = -r; k <= r; k++)
          {
            const gdouble weight = r ? exp (-0.5 * k * k / (sigma * sigma)) : 1;
            const gint    x = i / 4 % width, y = i / 4 / width;

            sum += weight * (pass == 0 ? in[4 * (CLAMP (y - EDGE, 0, in_height - 1) * in_width + CLAMP (x + k - EDGE, 0, in_width - 1)) + i % 4]
                                       : rows[4 * (CLAMP (y + k, 0, height - 1) * width + x) + i % 4]);
            all += weight;
          }
        (pass == 0 ? rows : out)[i] = sum / all;
      }
  g_free (rows);
  return out;
}

gdouble
worst_pixel (GeglBuffer *input, const Aligned *found)
{
  const GeglRectangle *box = gegl_buffer_get_extent (input);
  const gdouble       *m = found->matrix, s2 = m[0] * m[4] - m[1] * m[3];
  gfloat              *in = pixels_of (input, box);
  gdouble             *soft = softened (in, box->width, box->height, s2 < 1 ? 0.5 * sqrt (1 / s2 - 1) : 0), worst = 0;

  for (gint i = 0; i < 4 * found->box.width * found->box.height; i++)
    {
      const gdouble x = found->box.x + i / 4 % found->box.width - m[2], y = found->box.y + i / 4 / found->box.width - m[5];
      const gdouble u = (m[4] * x - m[1] * y) / s2 - box->x, v = (m[0] * y - m[3] * x) / s2 - box->y;
      gdouble       sum = 0;

      if (u > -1 && u < box->width && v > -1 && v < box->height)
        for (gint j = -2; j < 4; j++)
          for (gint k = -2; k < 4; k++)
            sum += weight (u - floor (u), k) * weight (v - floor (v), j)
                   * soft[4 * (((gint) floor (v) + j + EDGE) * (box->width + 2 * EDGE) + (gint) floor (u) + k + EDGE) + i % 4];
      sum *= MIN (1, MIN (u + 1, box->width - u)) * MIN (1, MIN (v + 1, box->height - v));
      worst = MAX (worst, fabs (sum - found->pixels[i]));
    }
  g_free (soft);
  g_free (in);
  return worst;
}

static void
check_result (const gchar *what, gdouble size, gdouble degrees, gint x, gint y)
{
  const gdouble a = degrees * G_PI / 180, c = size * cos (a), s = size * sin (a);
  const gdouble known[9] = { c, -s, 20.3 - c * x + s * y, s, c, -11.6 - s * x - c * y, 0, 0, 1 };
  const gdouble local[9] = { c, -s, 20.3, s, c, -11.6, 0, 0, 1 };
  Photo         moved = photo_moved (&photograph, local);
  GeglBuffer   *reference = photo_buffer (&photograph, 0, 0), *input = photo_buffer (&moved, x, y);
  Aligned       found = align_buffers (input, reference, "similarity", TRUE);
  gdouble       off, worst;

  off = found.aligned ? hypot (found.matrix[2] + found.matrix[0] * x + found.matrix[1] * y - known[2] - known[0] * x - known[1] * y,
                               found.matrix[5] + found.matrix[3] * x + found.matrix[4] * y - known[5] - known[3] * x - known[4] * y) : 99;
  worst = found.aligned ? worst_pixel (input, &found) : 99;
  expect (found.aligned && off < 0.1, "%s: found, %.3f px off at the origin", what, off);
  expect (gegl_rectangle_equal (&found.box, gegl_buffer_get_extent (reference)), "%s: the box of the reference", what);
  expect (worst < 3e-5, "%s: the pixels are those of the definition, %.2g off", what, worst);
  aligned_free (&found);
  g_object_unref (input);
  g_object_unref (reference);
  photo_free (&moved);
}

/* Of more than 6 megapixels smaller pictures are matched: the movement is one of the whole pictures. */
static void
check_large (void)
{
  const gdouble larger[9] = { 1.0 / 6, 0, 0, 0, 1.0 / 6, 0, 0, 0, 1 };
  Photo         whole = photo_moved_to (&photograph, larger, 3004, 2107), a = photo_part (&whole, 0, 7, 3000, 2100), b = photo_part (&whole, 4, 0, 3000, 2100);
  GeglBuffer   *reference = photo_buffer (&a, 0, 0), *input = photo_buffer (&b, 0, 0);
  Aligned       found = align_buffers (input, reference, "translation", TRUE);

  expect (found.aligned && hypot (found.matrix[2] - 4, found.matrix[5] + 7) < 0.1, "6.3 megapixels: moved by %.3f, %.3f (%s)", found.matrix[2], found.matrix[5],
          found.reason);
  aligned_free (&found);
  g_object_unref (input);
  g_object_unref (reference);
  photo_free (&a);
  photo_free (&b);
  photo_free (&whole);
}

/* ------------------------------------------------------------ threads and tiles -- */

static void
check_threads (void)
{
  const gdouble turned[9] = { 0.9, -0.2, 40, 0.2, 0.9, -30, 1e-5, 2e-5, 1 };
  Photo         moved = photo_moved (&photograph, turned);
  GeglBuffer   *reference = photo_buffer (&photograph, 0, 0), *input = photo_buffer (&moved, 0, 0), *tiled;
  Aligned       first, other;

  g_object_set (gegl_config (), "threads", 1, NULL);
  first = align_buffers (input, reference, "homography", TRUE);
  expect (first.aligned, "threads: aligned");
  g_object_set (gegl_config (), "threads", 4, NULL);
  other = align_buffers (input, reference, "homography", TRUE);
  expect (same (&first, &other), "one thread and four: the same bits");
  aligned_free (&other);
  g_object_set (gegl_config (), "threads", 2, "tile-width", 96, "tile-height", 50, NULL);
  tiled = photo_buffer (&moved, 0, 0);
  other = align_buffers (tiled, reference, "homography", TRUE);
  expect (same (&first, &other), "other tiles: the same bits");
  g_object_set (gegl_config (), "tile-width", 128, "tile-height", 128, NULL);
  aligned_free (&other);
  aligned_free (&first);
  g_object_unref (tiled);
  g_object_unref (input);
  g_object_unref (reference);
  photo_free (&moved);
}

/* ------------------------------------------------------------- hard pictures -- */

/* Transparent but for an ellipse: the rest of the result is transparent too. */
static void
check_alpha (void)
{
  const GeglRectangle box = { 0, 0, photograph.width, photograph.height };
  GeglBuffer         *reference = photo_buffer (&photograph, 0, 0);
  GeglBuffer         *input = gegl_buffer_new (&box, babl_format ("RaGaBaA float"));
  gfloat             *pixels = pixels_of (reference, &box);
  Aligned             found;
  gint                wrong = 0, compared = 0;

  for (gint i = 0; i < box.width * box.height; i++)
    {
      const gdouble x = (i % box.width - 0.5 * box.width) / (0.4 * box.width), y = (i / box.width - 0.5 * box.height) / (0.4 * box.height);

      if (x * x + y * y > 1)
        memset (pixels + 4 * i, 0, 4 * sizeof (gfloat));
    }
  gegl_buffer_set (input, &box, 0, babl_format ("RaGaBaA float"), pixels, GEGL_AUTO_ROWSTRIDE);
  found = align_buffers (input, reference, "translation", TRUE);
  for (gint y = 4; y < box.height - 4 && found.aligned; y++)
    for (gint x = 4; x < box.width - 4; x++)
      {
        const gint i = y * box.width + x;
        gboolean   is_flat = TRUE;

        for (gint k = 0; k < 49; k++)
          is_flat = is_flat && pixels[4 * (i + (k / 7 - 3) * box.width + k % 7 - 3) + 3] == pixels[4 * i + 3];
        if (is_flat)
          {
            compared++;
            wrong += fabs (found.pixels[4 * i + 3] - pixels[4 * i + 3]) > 1e-5;
          }
      }
  expect (found.aligned && compared > 1000 && wrong == 0, "alpha: %d of %d pixels have another (%s)", wrong, compared, found.reason);
  aligned_free (&found);
  g_free (pixels);
  g_object_unref (input);
  g_object_unref (reference);
}

static void
check_nan (void)
{
  const GeglRectangle box = { 0, 0, photograph.width, photograph.height };
  GeglBuffer         *reference = photo_buffer (&photograph, 0, 0), *input = gegl_buffer_new (&box, babl_format ("RaGaBaA float"));
  gfloat             *pixels = pixels_of (reference, &box);
  const gfloat        hard[] = { NAN, INFINITY, -INFINITY, 1e30f, -1.0f };
  Aligned             found;
  gint                finite = 0;

  for (gint i = 0; i < box.width * box.height; i += 997)
    pixels[4 * i + i % 3] = hard[i % G_N_ELEMENTS (hard)];
  gegl_buffer_set (input, &box, 0, babl_format ("RaGaBaA float"), pixels, GEGL_AUTO_ROWSTRIDE);
  found = align_buffers (input, reference, "homography", TRUE);
  for (gint i = 0; i < box.width * box.height; i++)
    finite += isfinite (found.pixels[4 * i]) != 0;
  expect (found.aligned && finite > 0.9 * box.width * box.height, "NaN: aligned, and %d of %d pixels are numbers (%s)", finite,
          box.width * box.height, found.reason);
  aligned_free (&found);
  for (gint i = 0; i < 4 * box.width * box.height; i++)
    pixels[i] = NAN;
  gegl_buffer_set (input, &box, 0, babl_format ("RaGaBaA float"), pixels, GEGL_AUTO_ROWSTRIDE);
  found = align_buffers (input, reference, "homography", TRUE);
  expect (! found.aligned && found.reason[0], "only NaN: %s", found.reason);
  aligned_free (&found);
  g_free (pixels);
  g_object_unref (input);
  g_object_unref (reference);
}

/* Squares are all alike: rightly, or not at all. */
static void
check_checkerboard (void)
{
  static const gchar *models[] = { "translation", "similarity", "homography" };
  const gdouble       matrix[9] = { 0.995, -0.0998, 21.3, 0.0998, 0.995, 3.7, 0, 0, 1 }, shift[9] = { 1, 0, 9.4, 0, 1, 5.2, 0, 0, 1 };
  Photo               board = { SIDE, SIDE, g_new (gfloat, 3 * SIDE * SIDE) };

  for (gint i = 0; i < 3 * SIDE * SIDE; i++)
    board.values[i] = (i / 3 % SIDE / 16 + i / 3 / SIDE / 16) % 2 ? 230 : 20;
  for (gint i = 0; i < 3; i++)
    {
      const gdouble *known = i == 0 ? shift : matrix;
      Photo          moved = photo_moved (&board, known);
      GeglBuffer    *reference = photo_buffer (&board, 0, 0), *input = photo_buffer (&moved, 0, 0);
      Aligned        found = align_buffers (input, reference, models[i], TRUE);
      const gdouble  error = found.aligned ? corner_error (found.matrix, known, SIDE, SIDE) : 0;

      expect (error <= 2, "a checkerboard, %s: %s, %.2f px off (%s)", models[i], found.aligned ? "aligned" : "refused", error, found.reason);
      aligned_free (&found);
      g_object_unref (input);
      g_object_unref (reference);
      photo_free (&moved);
    }
  photo_free (&board);
}

int
laws_test (int argc, char **argv)
{
  Photo whole;

  if (argc != 3)
    return 2;
  gegl_init (NULL, NULL);
  whole = photo_load (argv[1]);
  photograph = photo_part (&whole, 200, 200, SIDE + 100, SIDE);
  unrelated = photo_load (argv[2]);
  check_not_aligned ();
  check_result ("the same size", 1.0, 4, 0, 0);
  check_result ("larger, elsewhere", 1.4, -12, 1000, -500);
  check_result ("smaller", 0.7, 20, -3, 9);
  check_large ();
  check_threads ();
  check_alpha ();
  check_nan ();
  check_checkerboard ();
  check_forced (&photograph);
  check_emptied (&photograph);
  check_known_matrix (&photograph);
  photo_free (&unrelated);
  photo_free (&photograph);
  photo_free (&whole);
  gegl_exit ();
  return expect_told ();
}
