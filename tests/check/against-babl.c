/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:cielab beside babl's "CIE Lab float" (D50), of colours in three spaces; there and
 * back with each white and encoding; and greys, which must be neutral to the last bit.
 * In C and on OpenCL.
 */
#include <gegl.h>
#include <math.h>

#include "tessera-control.h"

#define SIDE        256         /* pixels */
#define BABL_BOUND  1.5e-3f     /* babl is 1.1e-4, 3.7e-4, 3.2e-4 off its own formula */
#define ROUND_TRIP  1e-5f       /* of R', G', B' in 0..1 */

static const GeglRectangle image = { 0, 0, SIDE, SIDE };

static gint passed, failed;

static void
verdict (gboolean good, const gchar *what, TesseraOpenclMode mode, gdouble worst)
{
  g_print ("%s cielab %s, %s: worst difference %.2g\n", good ? "ok  " : "FAIL", what,
           mode == TESSERA_OPENCL_FORCE ? "OpenCL" : "C", worst);
  if (good)
    passed++;
  else
    failed++;
}

/* Colours over the whole cube, some of them near its faces; or greys. */
static GeglBuffer *
colours (const Babl *space, gboolean grey, GRand *random)
{
  const Babl *format = babl_format_with_space ("R'G'B'A float", space);
  GeglBuffer *buffer = gegl_buffer_new (&image, format);
  gfloat     *pixels = g_new (gfloat, 4 * SIDE * SIDE);

  for (gint i = 0; i < SIDE * SIDE; i++)
    {
      for (gint c = 0; c < 3; c++)
        {
          gdouble value = g_rand_double (random);

          pixels[4 * i + c] = i % 4 == c ? 0.04 * value : i % 8 > 4 ? 1 - value * value : value;
        }
      if (grey)
        pixels[4 * i + 1] = pixels[4 * i + 2] = pixels[4 * i] = i / (SIDE * SIDE - 1.0f);
      pixels[4 * i + 3] = (gfloat) g_rand_double (random);
    }
  gegl_buffer_set (buffer, NULL, 0, format, pixels, GEGL_AUTO_ROWSTRIDE);
  g_free (pixels);
  return buffer;
}

static gfloat *
pixels_of (GeglBuffer *buffer, const Babl *format)
{
  gfloat *pixels = g_new (gfloat, babl_format_get_n_components (format) * SIDE * SIDE);

  gegl_buffer_get (buffer, &image, 1.0, format, pixels, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
  return pixels;
}

/* The result as it is delivered. */
static GeglBuffer *
converted (GeglBuffer *input, const gchar *name, gint direction, gint white, gint encoding)
{
  GeglNode   *graph = gegl_node_new ();
  GeglNode   *source = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", input, NULL);
  GeglNode   *lab = gegl_node_new_child (graph, "operation", "tessera:cielab", "direction", direction,
                                         "white", white, "encoding", encoding, NULL);
  const Babl *space = direction ? NULL : babl_format_get_space (gegl_buffer_get_format (input));
  GeglBuffer *result = gegl_buffer_new (&image, babl_format_with_space (name, space));

  gegl_node_link (source, lab);
  gegl_node_blit_buffer (lab, result, &image, 0, GEGL_ABYSS_NONE);
  g_object_unref (graph);
  return result;
}

static void
compare_with_babl (const gchar *space_name, TesseraOpenclMode mode, GRand *random)
{
  const Babl *space = babl_space (space_name);
  GeglBuffer *input = colours (space, FALSE, random);
  GeglBuffer *result = converted (input, "RGBA float", 0, 1, 0);
  gfloat     *ours = pixels_of (result, gegl_buffer_get_format (result));
  gfloat     *theirs = pixels_of (input, babl_format_with_space ("CIE Lab float", space));
  gfloat      worst = 0.0f;

  for (gint i = 0; i < SIDE * SIDE; i++)
    for (gint c = 0; c < 3; c++)
      worst = MAX (worst, fabsf (ours[4 * i + c] - theirs[3 * i + c]));
  verdict (worst <= BABL_BOUND, space_name, mode, worst);
  g_free (theirs);
  g_free (ours);
  g_object_unref (result);
  g_object_unref (input);
}

/* `grey`: L, a, b must have a and b of 0, and the result R = G = B. */
static void
there_and_back (gint white, gint encoding, gboolean grey, TesseraOpenclMode mode, GRand *random)
{
  GeglBuffer *input = colours (NULL, grey, random);
  GeglBuffer *lab = converted (input, encoding ? "R'G'B'A float" : "RGBA float", 0, white, encoding);
  GeglBuffer *result = converted (lab, "R'G'B'A float", 1, white, encoding);
  gfloat     *before = pixels_of (input, gegl_buffer_get_format (input));
  gfloat     *numbers = pixels_of (lab, gegl_buffer_get_format (lab));
  gfloat     *after = pixels_of (result, gegl_buffer_get_format (result));
  gfloat      neutral = encoding ? 128.0f / 255.0f : 0.0f, worst = 0.0f;
  gboolean    good = TRUE;
  gchar      *what = g_strdup_printf ("%s, %s, %s and back", grey ? "greys" : "colours", white ? "D50" : "D65",
                                      encoding ? "display" : "raw");

  for (gint i = 0; i < SIDE * SIDE; i++)
    {
      const gfloat *p = after + 4 * i, *n = numbers + 4 * i;

      for (gint c = 0; c < 4; c++)
        worst = MAX (worst, fabsf (p[c] - before[4 * i + c]));
      good &= p[3] == before[4 * i + 3];
      good &= ! grey || (n[1] == neutral && n[2] == neutral && p[0] == p[1] && p[1] == p[2]);
    }
  verdict (good && worst <= ROUND_TRIP, what, mode, worst);
  g_free (what);
  g_free (before);
  g_free (numbers);
  g_free (after);
  g_object_unref (result);
  g_object_unref (lab);
  g_object_unref (input);
}

int
main (void)
{
  static const gchar *const spaces[] = { "sRGB", "Adobish", "Apple" };
  GRand *random = g_rand_new_with_seed (1);

  g_setenv ("GEGL_SWAP", "RAM", FALSE);
  g_setenv ("GEGL_USE_OPENCL", "cpu", FALSE);
  g_setenv ("GEGL_PATH", CHECK_OPERATIONS_DIR G_SEARCHPATH_SEPARATOR_S CHECK_PLUGINS_DIR, FALSE);
  gegl_init (NULL, NULL);
  if (! gegl_has_operation ("tessera:cielab") || ! tessera_device_name ())
    {
      g_printerr ("against-babl: the operation or the OpenCL device is missing\n");
      return 1;
    }
  for (gint i = 0; i < 2; i++)
    {
      const TesseraOpenclMode mode = i ? TESSERA_OPENCL_FORCE : TESSERA_OPENCL_OFF;

      tessera_set_opencl_mode (mode);
      for (guint s = 0; s < G_N_ELEMENTS (spaces); s++)
        compare_with_babl (spaces[s], mode, random);
      for (gint k = 0; k < 8; k++)
        there_and_back (k & 1, k >> 1 & 1, k >> 2, mode, random);
    }
  g_rand_free (random);
  gegl_exit ();
  g_print ("%d passed, %d failed\n", passed, failed);
  return failed > 0;
}
