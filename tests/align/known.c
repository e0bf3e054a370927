/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:align with a matrix that is known: all of the moved picture, and no more; whole pixels keep their bits; what cannot be used is
 * told, and the picture passes on. */
#include "align.h"

#include <math.h>
#include <string.h>

#include "../engine/verdict.h"

/* `aux` may be NULL. */
static Aligned
moved_by (GeglBuffer *input, GeglBuffer *aux, const gchar *matrix)
{
  GeglNode *graph = gegl_node_new (), *align = gegl_node_new_child (graph, "operation", "tessera:align", "known-matrix", matrix, NULL);
  Aligned   found = { 0 };
  gchar    *text, *end;

  gegl_node_link (gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", input, NULL), align);
  if (aux)
    gegl_node_connect_to (gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", aux, NULL), "output", align, "aux");
  found.box = gegl_node_get_bounding_box (align);
  found.pixels = g_new0 (gfloat, 4 * (gsize) found.box.width * found.box.height);
  gegl_node_blit (align, 1.0, &found.box, babl_format ("RaGaBaA float"), found.pixels, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
  gegl_node_get (align, "aligned", &found.aligned, "reason", &found.reason, "matrix", &text, "inliers", &found.inliers, NULL);
  end = text;
  for (gint i = 0; i < 9; i++)
    found.matrix[i] = g_ascii_strtod (end, &end);
  g_free (text);
  g_object_unref (graph);
  return found;
}

static gchar *
text_of (const gdouble matrix[9])
{
  GString *text = g_string_new (NULL);
  gchar    number[G_ASCII_DTOSTR_BUF_SIZE];

  for (gint i = 0; i < 9; i++)
    g_string_append_printf (text, "%s%s", i ? " " : "", g_ascii_formatd (number, sizeof number, "%.9g", matrix[i]));
  return g_string_free (text, FALSE);
}

/* Whether each side of the box has something in it: within two pixels, because a corner may lie between two rows. */
static gboolean
is_tight (const Aligned *found)
{
  const gint width = found->box.width, height = found->box.height;
  gfloat     sides[4] = { 0 };

  for (gint i = 0; i < width * height; i++)
    {
      const gfloat alpha = found->pixels[4 * i + 3];

      sides[0] = i % width < 2 ? MAX (sides[0], alpha) : sides[0];
      sides[1] = i % width >= width - 2 ? MAX (sides[1], alpha) : sides[1];
      sides[2] = i / width < 2 ? MAX (sides[2], alpha) : sides[2];
      sides[3] = i / width >= height - 2 ? MAX (sides[3], alpha) : sides[3];
    }
  return sides[0] > 0 && sides[1] > 0 && sides[2] > 0 && sides[3] > 0;
}

/* Beyond the box a pixel more on each side is transparent by the definition: its places lie outside of the picture. */
static gint
count_lost (const Aligned *found, const GeglRectangle *input)
{
  const gdouble *m = found->matrix, s2 = m[0] * m[4] - m[1] * m[3];
  gint           lost = 0;

  for (gint y = found->box.y - 1; y <= found->box.y + found->box.height; y++)
    for (gint x = found->box.x - 1; x <= found->box.x + found->box.width; x++)
      {
        const gdouble u = (m[4] * (x - m[2]) - m[1] * (y - m[5])) / s2 - input->x, v = (m[0] * (y - m[5]) - m[3] * (x - m[2])) / s2 - input->y;
        const gboolean is_inside = x >= found->box.x && y >= found->box.y && x < found->box.x + found->box.width && y < found->box.y + found->box.height;

        lost += ! is_inside && u > -1 + 1e-5 && v > -1 + 1e-5 && u < input->width - 1e-5 && v < input->height - 1e-5;
      }
  return lost;
}

static void
check_whole (const Photo *photograph, gdouble size, gdouble degrees, gint x, gint y)
{
  const gdouble a = degrees * G_PI / 180, c = size * cos (a), s = size * sin (a), matrix[9] = { c, -s, 1234.3, s, c, -811.6, 0, 0, 1 };
  GeglBuffer   *input = photo_buffer (photograph, x, y);
  gchar        *text = text_of (matrix);
  Aligned       found = moved_by (input, NULL, text);
  const gdouble worst = worst_pixel (input, &found);
  const gint    lost = count_lost (&found, gegl_buffer_get_extent (input));

  expect (found.aligned && ! found.reason[0], "known, %g degrees: moved", degrees);
  expect (is_tight (&found) && lost == 0, "known, %g degrees: a box of %dx%d pixels has all of it, %d outside, and no more", degrees,
          found.box.width, found.box.height, lost);
  expect (worst < 3e-5, "known, %g degrees: the pixels are those of the definition, %.2g off", degrees, worst);
  aligned_free (&found);
  g_free (text);
  g_object_unref (input);
}

/* The pixels are those of the input, and lie where (x, y) takes them. */
static void
expect_copied (const gchar *what, const Aligned *found, GeglBuffer *input, gint x, gint y)
{
  const GeglRectangle *from = gegl_buffer_get_extent (input), to = { from->x + x, from->y + y, from->width, from->height };
  gfloat              *pixels = g_new (gfloat, 4 * (gsize) from->width * from->height);

  gegl_buffer_get (input, from, 1.0, babl_format ("RaGaBaA float"), pixels, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
  expect (gegl_rectangle_equal (&found->box, &to), "%s: the box", what);
  expect (gegl_rectangle_equal (&found->box, &to) && memcmp (pixels, found->pixels, 4 * sizeof (gfloat) * to.width * to.height) == 0, "%s: the same bits", what);
  g_free (pixels);
}

/* What is found, and what is made of it when it is known: the same where both are. */
static void
check_again (const Photo *photograph)
{
  const gdouble matrix[9] = { 0.98, -0.05, 21.3, 0.05, 0.98, -17.7, 1e-6, -2e-6, 1 };
  Photo         moved = photo_moved (photograph, matrix);
  GeglBuffer   *reference = photo_buffer (photograph, 3, -5), *input = photo_buffer (&moved, -4, 9);
  Aligned       found = align_buffers (input, reference, "homography", TRUE), again;
  gchar        *text = text_of (found.matrix);
  gdouble       worst = 0;
  gint          compared = 0;

  again = moved_by (input, reference, text);
  for (gint i = 0; i < again.box.width * again.box.height; i++)
    {
      const gint x = again.box.x + i % again.box.width - found.box.x, y = again.box.y + i / again.box.width - found.box.y;

      if (x < 0 || y < 0 || x >= found.box.width || y >= found.box.height)
        continue;
      compared++;
      for (gint k = 0; k < 4; k++)
        worst = MAX (worst, fabs (found.pixels[4 * (y * found.box.width + x) + k] - again.pixels[4 * i + k]));
    }
  expect (found.aligned && again.aligned && again.inliers == 0, "what was found is known: moved again");
  expect (compared > 0.8 * found.box.width * found.box.height && worst < 1e-4, "what was found is known: %d pixels are the same, %.2g off", compared, worst);
  expect (again.box.width != found.box.width || again.box.height != found.box.height, "what was found is known: not the box of the second picture");
  g_free (text);
  aligned_free (&again);
  aligned_free (&found);
  g_object_unref (input);
  g_object_unref (reference);
  photo_free (&moved);
}

void
check_known_matrix (const Photo *photograph)
{
  static const gchar *const refused[][2] = {
    { "1 0 0 0 1 0 0 0", "nine numbers" }, { "1 0 0 0 1 0 0 0 1 0", "nine numbers" }, { "1 0 x 0 1 0 0 0 1", "nine numbers" }, { "1 0 nan 0 1 0 0 0 1", "nine numbers" },
    { " ", "nine numbers" }, { "1 1 0 1 1 0 0 0 1", "no inverse" }, { "1 0 0 0 1 0 -0.01 0 1", "no end" }, { "900 0 0 0 900 0 0 0 1", "no end" },
    { "1e-9 0 0 0 1e-9 0.5 0 0 1", "empty" }, { "1 0 1e300 0 1 0 0 0 1", "no end" }
  };
  Photo       part = photo_part (photograph, 0, 0, 130, 90);
  GeglBuffer *picture = photo_buffer (&part, 6, -3), *input = gegl_buffer_new (gegl_buffer_get_extent (picture), babl_format ("RaGaBaA float"));
  Aligned     found;

  gegl_buffer_copy (picture, NULL, GEGL_ABYSS_NONE, input, NULL);
  check_whole (&part, 1.0, 1, 0, 0);
  check_whole (&part, 1.3, -33, 700, -90);
  check_whole (&part, 0.7, 120, -3, 9);
  check_again (photograph);
  found = moved_by (input, NULL, "1 0 -1000 0 1 77 0 0 1");
  expect_copied ("known, whole pixels", &found, input, -1000, 77);
  aligned_free (&found);
  for (guint i = 0; i < G_N_ELEMENTS (refused); i++)
    {
      found = moved_by (input, NULL, refused[i][0]);
      expect (! found.aligned && strstr (found.reason, refused[i][1]), "known \"%s\": %s", refused[i][0], found.reason);
      expect_copied ("a matrix that cannot be used", &found, input, 0, 0);
      aligned_free (&found);
    }
  g_object_unref (input);
  g_object_unref (picture);
  photo_free (&part);
}
