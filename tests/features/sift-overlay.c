/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * sift-overlay: what tessera:sift leaves of the picture under its circles.  In each format that is delivered as it is stored a pixel without a mark keeps
 * its bits, hidden colors and NaN among them, and has them in each part that is asked for; on and beside the circles the marks alone, laid over the picture,
 * are the same.  In C and on the device the results have the same bits, also in formats of another space. */
#include "sift-points.h"

#include <math.h>

#include "../engine/verdict.h"
#include "sift-test.h"

#define WIDTH  333
#define HEIGHT 299                      /* in part of a tile */
#define PIXELS (WIDTH * HEIGHT)
#define NEAR   1e-4f                    /* as in sift-marks.c */

static GeglRectangle box = { -41, 0, WIDTH, HEIGHT };   /* above and below the row 0 in turn: tiles begin there */

/* Blobs and noise on a picture whose bytes are drawn for alpha and hidden colors; of floats some are NaN. */
static GeglBuffer *
picture_of (const Babl *format, CheckRandom *random)
{
  GeglBuffer        *buffer = gegl_buffer_new (&box, format);
  const gint         n = babl_format_get_n_components (format);
  const gboolean     is_float = babl_format_get_type (format, 0) == babl_type ("float"), has_alpha = babl_format_has_alpha (format);
  g_autofree gfloat *pixels = g_new (gfloat, 4 * PIXELS), *floats = g_new (gfloat, 4 * PIXELS);

  for (gint i = 0; i < PIXELS; i++)
    {
      const gint    x = i % WIDTH, y = i / WIDTH;
      const gdouble dx = x % 37 - 18.3, dy = y % 41 - 20.4, sigma = 2 + x / 37 % 4;

      for (gint c = 0; c < 4; c++)
        pixels[4 * i + c] = 0.1 + 0.6 * exp (-(dx * dx + dy * dy) / (2 * sigma * sigma)) + 0.05 * check_uniform (random);
      pixels[4 * i + 3] = check_chance (random, 20) ? check_uniform (random) : 1;
    }
  gegl_buffer_set (buffer, NULL, 0, babl_format ("RGBA float"), pixels, GEGL_AUTO_ROWSTRIDE);
  if (! is_float || ! has_alpha)
    return buffer;
  gegl_buffer_get (buffer, NULL, 1.0, format, floats, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
  for (gint i = 0; i < PIXELS; i++)
    if (check_chance (random, 5))
      {
        floats[n * i + n - 1] = 0;
        for (gint c = 0; c < n - 1; c++)
          floats[n * i + c] = check_chance (random, 20) ? NAN : 9 * check_uniform (random);
      }
  gegl_buffer_set (buffer, NULL, 0, format, floats, GEGL_AUTO_ROWSTRIDE);
  return buffer;
}

/* `roi` of the result, in a buffer of that format. */
static GeglBuffer *
drawn (GeglBuffer *picture, const Babl *format, const gchar *result, const GeglRectangle *roi)
{
  GeglBuffer *buffer = gegl_buffer_new (roi, format);
  GeglNode   *graph = gegl_node_new ();
  GeglNode   *source = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", picture, NULL);
  GeglNode   *node = gegl_node_new_child (graph, "operation", "tessera:sift", "draw-max", 60, NULL);
  GeglNode   *sink = gegl_node_new_child (graph, "operation", "gegl:write-buffer", "buffer", buffer, NULL);
  GParamSpec *spec = gegl_node_find_property (node, "result");
  GeglProcessor *processor;

  gegl_node_set (node, "result", g_enum_get_value_by_nick (g_type_class_peek (spec->value_type), result)->value, NULL);
  gegl_node_link_many (source, node, sink, NULL);
  processor = gegl_node_new_processor (sink, roi);
  while (gegl_processor_work (processor, NULL));
  g_object_unref (processor);
  g_object_unref (graph);
  return buffer;
}

static guint8 *
bytes_of (GeglBuffer *buffer, const Babl *format, const GeglRectangle *roi)
{
  guint8 *bytes = g_malloc ((gsize) roi->width * roi->height * babl_format_get_bytes_per_pixel (format));

  gegl_buffer_get (buffer, roi, 1.0, format, bytes, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
  return bytes;
}

/* Parts that begin and end anywhere in tiles, two of them in corners of the picture. */
static void
check_parts (GeglBuffer *picture, const Babl *format, const guint8 *whole, const gchar *name)
{
  static const GeglRectangle places[] = { { 44, 8, 131, 90 }, { 141, 106, 7, 140 }, { 0, 0, 64, 64 }, { WIDTH - 42, HEIGHT - 32, 42, 32 } };
  const gsize bytes = babl_format_get_bytes_per_pixel (format);

  for (guint k = 0; k < G_N_ELEMENTS (places); k++)
    {
      const GeglRectangle *at = &places[k], roi = { box.x + at->x, box.y + at->y, at->width, at->height };
      GeglBuffer          *part = drawn (picture, format, "overlay", &roi);
      g_autofree guint8   *found = bytes_of (part, format, &roi);
      gint                 bad = 0;

      for (gint y = 0; y < at->height; y++)
        bad += memcmp (found + y * at->width * bytes, whole + ((gsize) (at->y + y) * WIDTH + at->x) * bytes, at->width * bytes) != 0;
      expect (! bad, "%s: %d rows of part %u are not those of the whole", name, bad, k);
      g_object_unref (part);
    }
}

/* Straight alpha, in linear light. */
static gboolean
is_laid_over (const gfloat *found, const gfloat *mark, const gfloat *under, gfloat level)
{
  const gfloat below = under[3] * (1 - mark[3]), alpha = below + mark[3];

  for (gint c = 0; c < 3; c++)
    if (fabsf (found[c] - (mark[c] * mark[3] + (below > 0 ? under[c] * below : 0)) / alpha) > level / alpha)
      return FALSE;
  return fabsf (found[3] - alpha) <= level;
}

/* The result's bytes. */
static guint8 *
check_stored (const gchar *name, const gchar *light, gboolean on_device)
{
  const Babl  *format = babl_format (name), *floats = babl_format (light);
  const gsize  bytes = babl_format_get_bytes_per_pixel (format);
  const Babl  *type = babl_format_get_type (format, 0);
  const gfloat level = type == babl_type ("u8") ? 0.02f : type == babl_type ("half") ? 0.001f : NEAR;   /* two steps: sRGB's are up to 0.009 of light */
  CheckRandom  random = { check_hash (bytes) };
  GeglBuffer  *picture = picture_of (format, &random), *result, *marks;
  guint8      *after;
  g_autofree guint8 *before = NULL, *found = NULL, *under = NULL, *mark = NULL;
  gint         n_marks = 0, changed = 0, wrong = 0;

  tessera_set_opencl_mode (on_device ? TESSERA_OPENCL_FORCE : TESSERA_OPENCL_OFF);
  result = drawn (picture, format, "overlay", &box);
  marks = drawn (picture, floats, "points", &box);
  before = bytes_of (picture, format, &box);
  after = bytes_of (result, format, &box);
  found = bytes_of (result, floats, &box);
  under = bytes_of (picture, floats, &box);
  mark = bytes_of (marks, floats, &box);
  for (gint i = 0; i < PIXELS; i++)
    {
      const gfloat *m = (const gfloat *) mark + 4 * i;

      n_marks += m[3] > 0;
      if (m[3] > 0)
        wrong += ! is_laid_over ((const gfloat *) found + 4 * i, m, (const gfloat *) under + 4 * i, level);
      else
        changed += memcmp (before + i * bytes, after + i * bytes, bytes) != 0;
    }
  expect (n_marks > 1000 && n_marks < PIXELS / 2, "%s: %d pixels have a mark", name, n_marks);
  expect (! changed, "%s: %d of %d pixels without a mark have other bits than the picture", name, changed, PIXELS - n_marks);
  expect (! wrong, "%s: %d of %d pixels with a mark are not the mark over the picture", name, wrong, n_marks);
  check_parts (picture, format, after, name);
  g_object_unref (picture);
  g_object_unref (result);
  g_object_unref (marks);
  return after;
}

static void
check_both (gint number, const gchar *name, const gchar *light)
{
  g_autofree guint8 *in_c = NULL, *on_device = NULL;

  box.y = number % 2 ? 23 : -177;
  tessera_set_band_rows (number % 2 ? 0 : 70);
  in_c = check_stored (name, light, FALSE);
  on_device = check_stored (name, light, TRUE);
  expect (! memcmp (in_c, on_device, PIXELS * babl_format_get_bytes_per_pixel (babl_format (name))), "%s: OpenCL draws something else than C", name);
}

static void
check_space (const gchar *name)
{
  const Babl        *format = babl_format_with_space (name, babl_space ("Adobish"));
  CheckRandom        random = { check_hash (1) };
  GeglBuffer        *picture = picture_of (format, &random);
  g_autofree guint8 *found[2] = { NULL, NULL };

  for (gint on_device = 0; on_device < 2; on_device++)
    {
      GeglBuffer *result;

      tessera_set_opencl_mode (on_device ? TESSERA_OPENCL_FORCE : TESSERA_OPENCL_OFF);
      result = drawn (picture, format, "overlay", &box);
      found[on_device] = bytes_of (result, format, &box);
      g_object_unref (result);
    }
  expect (! memcmp (found[0], found[1], PIXELS * babl_format_get_bytes_per_pixel (format)), "%s of another space: OpenCL draws something else than C", name);
  g_object_unref (picture);
}

int
sift_overlay_test (int argc G_GNUC_UNUSED, char **argv G_GNUC_UNUSED)
{
  static const gchar *const formats[][2] = { /* and the light in which marks are mixed */
    { "RGBA float", "RGBA float" }, { "RaGaBaA float", "RGBA float" }, { "R'G'B'A float", "RGBA float" }, { "R'G'B'A u8", "RGBA float" },
    { "R'G'B'A u16", "RGBA float" }, { "R'G'B' u8", "RGBA float" }, { "RGBA half", "RGBA float" }
  };

  g_setenv ("GEGL_PATH", TEST_OPERATIONS_DIR G_SEARCHPATH_SEPARATOR_S TEST_PLUGINS_DIR, FALSE);
  gegl_init (NULL, NULL);
  tessera_set_proof (FALSE);
  tessera_set_delivery (TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    check_both (i, formats[i][0], formats[i][1]);
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    check_space (formats[i][0]);
  gegl_exit ();
  return expect_told ();
}
