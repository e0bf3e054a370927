/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:estimate-shift in a graph: the bits of shift_find; the input as it is; reasons in words. */
#include <gegl-plugin.h>
#include <math.h>
#include <string.h>

#include "answers.h"
#include "counts.h"
#include "estimate-shift-graph.h"
#include "graphs.h"
#include "once.h"

#include "../check/references/srgb.h"
#include "../engine/verdict.h"

/* What shift_find says of the camera's own numbers. */
static Answer
direct (const StarsField *field, gint frame, const Settings *settings)
{
  const gint    n = field->settings.width * field->settings.height;
  ShiftSettings s = { SHIFT_PYRAMID, settings->max_shift, settings->saturation > 0 ? settings->saturation : 65535, settings->reject_hot };
  guint16      *adu = g_new (guint16, n);
  CountPlane    planes[2];
  Shift         found;

  s.method = strcmp (settings->method, "single") == 0 ? SHIFT_SINGLE : strcmp (settings->method, "iterated") == 0 ? SHIFT_ITERATED : SHIFT_PYRAMID;
  for (gint k = 0; k < 2; k++)
    {
      count_plane_init (&planes[k], field->settings.width, field->settings.height);
      stars_frame (field, k ? frame : 0, adu);
      for (gint i = 0; i < n; i++)
        planes[k].pixels[i] = adu[i];
    }
  shift_find (&planes[0], &planes[1], &s, &found);
  for (gint k = 0; k < 2; k++)
    count_plane_clear (&planes[k]);
  g_free (adu);
  return (Answer) { found.x, found.y, found.error, found.converged, found.pixels, found.steps, g_strdup ("") };
}

/* -------------------------------------------------------------------- the tests -- */

static void
check_counts (void)
{
  StarsField    *field = field_of ('A', 11, 150, 140);
  GeglBuffer    *a = buffer_of (field, 0, "Y' u16", 0, 0), *b = buffer_of (field, 2, "Y' u16", 0, 0);
  GeglBuffer    *linear_a = buffer_of (field, 0, "Y u16", 0, 0), *linear_b = buffer_of (field, 2, "Y u16", 0, 0);
  GeglBuffer    *float_a = buffer_of (field, 0, "Y float", 0, 0), *float_b = buffer_of (field, 2, "Y float", 0, 0);
  GeglBuffer    *colour_a = buffer_of (field, 0, "RGB float", 0, 0), *colour_b = buffer_of (field, 2, "RGB float", 0, 0);
  const Settings lower = { "iterated", 0, 20000, FALSE };
  Answer         right = direct (field, 2, &defaults), other;
  guint16        all[256 * 256];
  GeglBuffer    *codes = gegl_buffer_new (GEGL_RECTANGLE (0, 0, 256, 256), babl_format ("Y' u16"));
  CountPlane     plane;
  gint           wrong = 0;

  expect (right.converged, "16 bits: (%g, %g) in %d steps", right.x, right.y, right.steps);
  other = ask (b, a, &defaults, TESSERA_OPENCL_OFF, NULL);
  expect_same (&right, &other, "16 bits behind a tone curve");
  other = ask (linear_b, linear_a, &defaults, TESSERA_OPENCL_OFF, NULL);
  expect_same (&right, &other, "16 bits without one");
  other = ask (float_b, float_a, &defaults, TESSERA_OPENCL_OFF, NULL);
  expect (other.converged && hypot (other.x - right.x, other.y - right.y) < 1e-5, "float: (%g, %g)", other.x, other.y);
  g_free (other.reason);
  other = ask (colour_b, colour_a, &defaults, TESSERA_OPENCL_OFF, NULL);
  expect (other.converged && hypot (other.x - right.x, other.y - right.y) < 1e-4, "colours: (%g, %g)", other.x, other.y);
  g_free (other.reason);
  g_free (right.reason);
  right = direct (field, 2, &lower);
  other = ask (b, a, &lower, TESSERA_OPENCL_OFF, NULL);
  expect_same (&right, &other, "other settings");
  for (gint i = 0; i < 256 * 256; i++)
    all[i] = i;
  gegl_buffer_set (codes, NULL, 0, NULL, all, GEGL_AUTO_ROWSTRIDE);
  count_plane_init (&plane, 256, 256);
  counts_read (codes, gegl_buffer_get_extent (codes), &plane);
  for (gint i = 0; i < 256 * 256; i++)
    wrong += plane.pixels[i] != i;
  expect (wrong == 0, "%d of 65536 numbers of 16 bits are not read as they are", wrong);
  count_plane_clear (&plane);
  g_free (right.reason);
  g_object_unref (codes);
  g_object_unref (colour_a);
  g_object_unref (colour_b);
  g_object_unref (float_a);
  g_object_unref (float_b);
  g_object_unref (linear_a);
  g_object_unref (linear_b);
  g_object_unref (a);
  g_object_unref (b);
  stars_field_free (field);
}

/* The luminance of colours is within the roundings of one sum of floats: babl's ways to it, of which it takes another each day, differ by more. */
static void
check_colours (const gchar *name, gint components, gint bytes)
{
  const gint            width = 61, height = 47, n = width * height, most = bytes == 1 ? 255 : 65535;
  GeglBuffer           *buffer = gegl_buffer_new (GEGL_RECTANGLE (3, -2, width, height), babl_format (name));
  g_autofree guint16   *codes = g_new (guint16, n * components);
  g_autofree guint8    *bytes_of = g_new (guint8, n * components);
  g_autoptr (GRand)     random = g_rand_new_with_seed (20261127);
  gfloat                weights[3];
  gdouble               worst = 0.0;
  CountPlane            plane;

  for (gint i = 0; i < n * components; i++)
    bytes_of[i] = codes[i] = g_rand_int_range (random, 0, most + 1);
  gegl_buffer_set (buffer, NULL, 0, NULL, bytes == 1 ? (gpointer) bytes_of : codes, GEGL_AUTO_ROWSTRIDE);
  count_plane_init (&plane, width, height);
  counts_read (buffer, gegl_buffer_get_extent (buffer), &plane);
  tessera_luminance (babl_format (name), weights);
  for (gint i = 0; i < n; i++)
    {
      gdouble right = 0.0;

      for (gint c = 0; c < 3; c++)
        right += 65535.0 * weights[c] * srgb_to_linear (codes[i * components + c] / (gdouble) most);
      worst = MAX (worst, fabs (plane.pixels[i] - right) / MAX (right, 1.0));
    }
  expect (worst < 6 * 0x1p-24, "%s: luminances are off by %g of themselves", name, worst);
  count_plane_clear (&plane);
  g_object_unref (buffer);
}

/* White is full in any space, also where the luminances of a profile's primaries are rounded. */
static void
check_white (void)
{
  const Babl  *linear = babl_trc ("linear");
  const Babl  *spaces[] = { babl_space ("sRGB"), babl_space ("Adobish"), babl_space ("ProPhoto"), babl_space ("Rec2020"),
                            babl_space_from_rgbxyz_matrix (NULL, 0.9642, 1.0, 0.8249, 0.5151, 0.2920, 0.1571, 0.2412, 0.6922, 0.0665, -0.0011, 0.0419, 0.7841,
                                                           linear, linear, linear) };
  const gchar *names[] = { "R'G'B' u8", "R'G'B'A u16", "RGB u16" };

  for (guint space = 0; space < G_N_ELEMENTS (spaces); space++)
    for (guint k = 0; k < G_N_ELEMENTS (names); k++)
      {
        const Babl *format = babl_format_with_space (names[k], spaces[space]);
        GeglBuffer *buffer = gegl_buffer_new (GEGL_RECTANGLE (0, 0, 3, 2), format);
        guint8      white[3 * 2 * 8];
        CountPlane  plane;

        memset (white, 0xff, sizeof white);
        gegl_buffer_set (buffer, NULL, 0, NULL, white, GEGL_AUTO_ROWSTRIDE);
        count_plane_init (&plane, 3, 2);
        counts_read (buffer, gegl_buffer_get_extent (buffer), &plane);
        expect (plane.pixels[4] == counts_saturation (format), "%s of space %u: white is %.9g, full %.9g", names[k], space, plane.pixels[4], counts_saturation (format));
        count_plane_clear (&plane);
        g_object_unref (buffer);
      }
}

/* A pixel that is full in the camera's 16 bits is left out, also where the other picture is of floats, which are never full. */
static void
check_full (void)
{
  StarsField    *field = field_of ('A', 17, 150, 140);
  GeglBuffer    *of_floats = buffer_of (field, 0, "Y float", 0, 0), *of_counts = buffer_of (field, 1, "Y' u16", 0, 0);
  const Settings full = { "pyramid", 64, 65535, TRUE }, endless = { "pyramid", 64, 1e6, TRUE };
  guint16        white[36];
  Answer         right, other;

  memset (white, 0xff, sizeof white);
  gegl_buffer_set (of_counts, GEGL_RECTANGLE (60, 50, 6, 6), 0, NULL, white, GEGL_AUTO_ROWSTRIDE);
  right = ask (of_counts, of_floats, &full, TESSERA_OPENCL_OFF, NULL);
  other = ask (of_counts, of_floats, &defaults, TESSERA_OPENCL_OFF, NULL);
  expect_same (&right, &other, "full where nothing is said");
  other = ask (of_counts, of_floats, &endless, TESSERA_OPENCL_OFF, NULL);
  expect (! same (&right, &other), "a full square counts where nothing is full");
  g_free (other.reason);
  g_free (right.reason);
  g_object_unref (of_floats);
  g_object_unref (of_counts);
  stars_field_free (field);
}

/* The picture goes on as it is; boxes that begin elsewhere move the shift; other tiles change nothing. */
static void
check_graph (void)
{
  StarsField *field = field_of ('A', 12, 130, 111);
  GeglBuffer *a = buffer_of (field, 0, "Y' u16", 0, 0), *b = buffer_of (field, 1, "Y' u16", 0, 0), *far = buffer_of (field, 1, "Y' u16", 100, -7), *tiled;
  GeglBuffer *far_a = buffer_of (field, 0, "Y' u16", 40, -9);
  Answer      right, other;
  guchar     *through, *stored = g_malloc (2 * 130 * 111);

  right = ask (b, a, &defaults, TESSERA_OPENCL_OFF, &through);
  gegl_buffer_get (b, NULL, 1.0, NULL, stored, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
  expect (memcmp (through, stored, 2 * 130 * 111) == 0, "the input goes on as it is");
  other = ask (far, a, &defaults, TESSERA_OPENCL_OFF, NULL);
  expect (other.converged && fabs (other.x - right.x - 100) < 1e-9 && fabs (other.y - right.y + 7) < 1e-9, "a box that begins elsewhere: (%g, %g)",
          other.x, other.y);
  g_free (other.reason);
  other = ask (b, far_a, &defaults, TESSERA_OPENCL_OFF, NULL);
  expect (other.converged && fabs (other.x - right.x + 40) < 1e-9 && fabs (other.y - right.y - 9) < 1e-9, "a second picture that begins elsewhere: (%g, %g)",
          other.x, other.y);
  g_free (other.reason);
  g_object_set (gegl_config (), "threads", 5, "tile-width", 33, "tile-height", 18, NULL);
  tiled = buffer_of (field, 1, "Y' u16", 0, 0);
  other = ask (tiled, a, &defaults, TESSERA_OPENCL_OFF, NULL);
  expect_same (&right, &other, "other tiles and threads");
  g_object_set (gegl_config (), "threads", 2, "tile-width", 128, "tile-height", 128, NULL);
  g_object_unref (tiled);
  g_free (right.reason);
  g_free (through);
  g_free (stored);
  g_object_unref (far);
  g_object_unref (far_a);
  g_object_unref (b);
  g_object_unref (a);
  stars_field_free (field);
}

/* A graph that lives on tells of its new input. */
static void
check_change (void)
{
  StarsField *field = field_of ('D', 13, 128, 128);
  GeglBuffer *a = buffer_of (field, 0, "Y' u16", 0, 0), *b = buffer_of (field, 1, "Y' u16", 0, 0), *c = buffer_of (field, 2, "Y' u16", 0, 0);
  GeglNode   *graph = gegl_node_new (), *source = source_of (graph, b), *node = node_of (graph, &defaults);
  guint16    *pixels = g_new (guint16, 128 * 128);
  Answer      right[2], told;

  right[0] = ask (b, a, &defaults, TESSERA_OPENCL_OFF, NULL);
  right[1] = ask (c, a, &defaults, TESSERA_OPENCL_OFF, NULL);
  gegl_node_link (source, node);
  gegl_node_connect_to (source_of (graph, a), "output", node, "aux");
  for (gint k = 0; k < 2; k++)
    {
      gegl_node_set (source, "buffer", k ? c : b, NULL);
      gegl_node_blit (node, 1.0, GEGL_RECTANGLE (10, 10, 20, 20), babl_format ("Y' u16"), pixels, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_CACHE);
      told = answer_of (node);
      expect_same (&right[k], &told, k ? "another input in the same graph" : "a part of the result");
      g_free (right[k].reason);
    }
  g_free (pixels);
  g_object_unref (graph);
  g_object_unref (c);
  g_object_unref (b);
  g_object_unref (a);
  stars_field_free (field);
}

static void
expect_reason (const gchar *what, GeglBuffer *input, GeglBuffer *aux, const gchar *reason)
{
  for (gint device = 0; device < 2; device++)
    {
      Answer a = ask (input, aux, &defaults, device && tessera_device_name () ? TESSERA_OPENCL_FORCE : TESSERA_OPENCL_OFF, NULL);

      expect (! a.converged && a.x == 0 && a.y == 0 && a.error == 0 && strstr (a.reason, reason), "%s: (%g, %g), \"%s\"", what, a.x, a.y, a.reason);
      g_free (a.reason);
    }
}

static void
check_reasons (void)
{
  StarsField *field = field_of ('A', 14, 64, 64), *wide = field_of ('A', 14, 65, 64);
  GeglBuffer *a = buffer_of (field, 0, "Y' u16", 0, 0), *b = buffer_of (wide, 0, "Y' u16", 0, 0);
  GeglBuffer *flat = gegl_buffer_new (GEGL_RECTANGLE (0, 0, 64, 64), babl_format ("Y float"));
  GeglBuffer *one = gegl_buffer_new (GEGL_RECTANGLE (3, 3, 1, 1), babl_format ("Y float"));
  GeglBuffer *none = gegl_buffer_new (GEGL_RECTANGLE (3, 3, 0, 0), babl_format ("Y float"));
  GeglNode   *graph = gegl_node_new (), *node = node_of (graph, &defaults);
  guint16     pixels[16];
  Answer      endless;

  expect_reason ("alone", a, NULL, "no second picture");
  expect_reason ("another size", a, b, "64x64 and 65x64");
  expect_reason ("nothing to see", flat, flat, "too little to compare");
  expect_reason ("one pixel", one, one, "too little to compare: 0 pixels");
  gegl_node_link (source_of (graph, a), node);
  gegl_node_connect_to (gegl_node_new_child (graph, "operation", "gegl:color", NULL), "output", node, "aux");
  gegl_node_blit (node, 1.0, GEGL_RECTANGLE (0, 0, 4, 4), babl_format ("Y' u16"), pixels, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
  endless = answer_of (node);
  expect (strstr (endless.reason, "no end") != NULL, "a picture without end: \"%s\"", endless.reason);
  g_free (endless.reason);
  gegl_node_set (gegl_node_get_producer (node, "input", NULL), "buffer", none, NULL);
  endless = (gegl_node_get_bounding_box (node), answer_of (node));
  expect (strstr (endless.reason, "empty") != NULL, "an empty picture: \"%s\"", endless.reason);
  g_free (endless.reason);
  g_object_unref (graph);
  g_object_unref (none);
  g_object_unref (one);
  g_object_unref (flat);
  g_object_unref (b);
  g_object_unref (a);
  stars_field_free (wide);
  stars_field_free (field);
}

void
estimate_shift (void)
{
  if (answers_are_small ())
    {
      test_small ();
      return;
    }
  check_counts ();
  check_colours ("R'G'B' u8", 3, 1);
  check_colours ("R'G'B'A u8", 4, 1);
  check_colours ("R'G'B' u16", 3, 2);
  check_colours ("R'G'B'A u16", 4, 2);
  check_white ();
  check_full ();
  check_graph ();
  check_change ();
  check_reasons ();
  if (tessera_device_name ())
    test_device ();
  else
    g_print ("there is no device\n");
}
