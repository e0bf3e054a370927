/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * grey-profiles [opencl]: pictures of spaces whose curve is not sRGB's.
 *
 * A grey picture with a grey profile goes through every filter to a grey file: gegl:png-save writes nothing of colours with
 * such a profile.  Where the profile's curve is linear, what is perceptual is so for the eye: every filter gives the light
 * that it gives for the same light in sRGB.  In both, the device gives C's bits.  And bytes or floats make no difference. */
#include <gegl.h>
#include <gegl-plugin.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "tessera-control.h"

#define WIDTH  53
#define HEIGHT 37
#define N      (WIDTH * HEIGHT)

static gint passed, failed;

static void G_GNUC_PRINTF (2, 3)
expect (gboolean good, const gchar *format, ...)
{
  va_list rest;

  passed += good;
  failed += ! good;
  if (good)
    return;
  va_start (rest, format);
  g_print ("FAIL ");
  vprintf (format, rest);
  g_print ("\n");
  va_end (rest);
}

/* -------------------------------------------------------------- profiles -- */

static void
put (GByteArray *into, guint32 value, gint bytes)
{
  for (gint k = bytes - 1; k >= 0; k--)
    g_byte_array_append (into, &(guint8) { value >> 8 * k & 255 }, 1);
}

static void
put_text (GByteArray *into, const gchar *text)
{
  g_byte_array_append (into, (const guint8 *) text, strlen (text));
}

typedef enum { GAMMA_22, LINEAR, LINEAR_TABLE, DOT_GAIN, CURVES } Curve;

static const gchar *const curve_names[CURVES] = { "gamma 2.2", "linear", "linear table", "dot gain" };

static void
put_curve (GByteArray *into, Curve curve)
{
  put_text (into, "curv");
  put (into, 0, 4);
  put (into, curve == LINEAR ? 0 : curve == GAMMA_22 ? 1 : 256, 4);
  if (curve == GAMMA_22)
    put (into, 563, 2);
  for (gint i = 0; i < 256 && curve >= LINEAR_TABLE; i++)
    {
      const gdouble x = i / 255.0;

      put (into, (guint32) (65535 * (curve == DOT_GAIN ? 0.7 * x * x + 0.3 * x : x) + 0.5), 2);
    }
}

/* A grey ICC profile of version 2: white point and curve. */
static const Babl *
grey_space (Curve curve)
{
  GByteArray  *icc = g_byte_array_new (), *tag = g_byte_array_new ();
  const gchar *error = NULL;
  const Babl  *space;

  put_curve (tag, curve);
  while (tag->len % 4)
    put (tag, 0, 1);
  put (icc, 128 + 4 + 24 + 20 + tag->len, 4);
  put_text (icc, "test");
  put (icc, 0x02400000, 4);
  put_text (icc, "mntrGRAYXYZ ");
  for (gint i = 0; i < 6; i++)
    put (icc, 1, 2);
  put_text (icc, "acsp");
  for (gint i = 0; i < 7; i++)
    put (icc, 0, 4);
  put (icc, 0xf6d6, 4), put (icc, 0x10000, 4), put (icc, 0xd32d, 4);
  for (gint i = 0; i < 12; i++)
    put (icc, 0, 4);
  put (icc, 2, 4);
  put_text (icc, "wtpt"), put (icc, 156, 4), put (icc, 20, 4);
  put_text (icc, "kTRC"), put (icc, 176, 4), put (icc, tag->len, 4);
  put_text (icc, "XYZ "), put (icc, 0, 4), put (icc, 0xf6d6, 4), put (icc, 0x10000, 4), put (icc, 0xd32d, 4);
  g_byte_array_append (icc, tag->data, tag->len);
  space = babl_space_from_icc ((const gchar *) icc->data, icc->len, BABL_ICC_INTENT_RELATIVE_COLORIMETRIC, &error);
  if (! space)
    g_error ("the %s profile: %s", curve_names[curve], error);
  g_byte_array_unref (icc);
  g_byte_array_unref (tag);
  return space;
}

/* -------------------------------------------------------------- pictures -- */

/* Noise, an edge and a gradient, of 16 bits; the same of all channels, or not. */
static GeglBuffer *
picture (const gchar *name, const Babl *space)
{
  const Babl *format = babl_format_with_space (name, space);
  const gint  components = babl_format_get_n_components (format);
  const Babl *type = babl_format_get_type (format, 0);
  GeglBuffer *buffer = gegl_buffer_new (GEGL_RECTANGLE (0, 0, WIDTH, HEIGHT), format);
  g_autofree guint16 *pixels = g_new (guint16, N * 4);
  g_autofree guint8  *bytes = g_new (guint8, N * 4);
  g_autofree gfloat  *floats = g_new (gfloat, N * 4);
  guint       state = 1;

  for (gint i = 0; i < N * components; i++)
    {
      const gint x = i / components % WIDTH, y = i / components / WIDTH, c = i % components;
      const gboolean is_alpha = components % 2 == 0 && c == components - 1;

      state = state * 1103515245u + 12345u;
      pixels[i] = is_alpha ? (y < 30 ? 65535 : 20000) : (state >> 16) % 4000 + x * 800 + (y > HEIGHT / 2 ? 9000 : 0) + c * 2000;
    }
  for (gint i = 0; i < N * components; i++)
    {
      bytes[i] = pixels[i] >> 8;
      floats[i] = pixels[i] / 65535.0f;
    }
  gegl_buffer_set (buffer, NULL, 0, format, type == babl_type ("u8") ? (gconstpointer) bytes
                                            : type == babl_type ("float") ? (gconstpointer) floats : pixels, GEGL_AUTO_ROWSTRIDE);
  return buffer;
}

static GeglNode *
filter_node (GeglNode *graph, GeglBuffer *buffer, const gchar *words)
{
  g_auto (GStrv) parts = g_strsplit (words, " ", -1);
  GeglNode *source = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", buffer, NULL);
  GeglNode *node = gegl_node_new_child (graph, "operation", parts[0], NULL);

  for (gint i = 1; parts[i]; i++)
    {
      g_auto (GStrv) pair = g_strsplit (parts[i], "=", 2);
      GParamSpec    *spec = gegl_node_find_property (node, pair[0]);
      GEnumValue    *value = G_IS_PARAM_SPEC_ENUM (spec) ? g_enum_get_value_by_nick (G_PARAM_SPEC_ENUM (spec)->enum_class, pair[1]) : NULL;

      if (value)
        gegl_node_set (node, pair[0], value->value, NULL);
      else if (G_IS_PARAM_SPEC_INT (spec))
        gegl_node_set (node, pair[0], atoi (pair[1]), NULL);
      else if (G_IS_PARAM_SPEC_BOOLEAN (spec))
        gegl_node_set (node, pair[0], (gboolean) atoi (pair[1]), NULL);
      else
        gegl_node_set (node, pair[0], g_ascii_strtod (pair[1], NULL), NULL);
    }
  gegl_node_link (source, node);
  return node;
}

static gfloat *
result_of (GeglNode *node, const Babl *format)
{
  gfloat *pixels = g_new0 (gfloat, N * 4);

  gegl_node_blit (node, 1.0, GEGL_RECTANGLE (0, 0, WIDTH, HEIGHT), format, pixels, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
  return pixels;
}

/* In the format in which it leaves, in C and on the device: to the bit. */
static void
compare_paths (GeglNode *node, const gchar *words, const gchar *what)
{
  const Babl *format;
  gfloat     *c, *device;

  gegl_node_get_bounding_box (node);
  format = gegl_operation_get_format (gegl_node_get_gegl_operation (node), "output");
  g_object_set (node, "dont-cache", TRUE, NULL);
  tessera_set_opencl_mode (TESSERA_OPENCL_OFF);
  c = result_of (node, format);
  tessera_set_opencl_mode (TESSERA_OPENCL_FORCE);
  device = result_of (node, format);
  tessera_set_opencl_mode (TESSERA_OPENCL_OFF);
  expect (memcmp (c, device, N * babl_format_get_bytes_per_pixel (format)) == 0, "%s of %s: the device gives other bits", words, what);
  g_free (c);
  g_free (device);
}

/* ------------------------------------------------------------ grey files -- */

static gboolean
is_grey (const Babl *format)
{
  return format && (babl_get_model_flags (format) & BABL_MODEL_FLAG_GRAY);
}

/* The codes in the file, beside those that the node gives, within what babl makes of gammas; gegl:png-save leaves a grey
 * profile out. */
static void
save_and_load (GeglNode *graph, GeglNode *node, const gchar *words, const gchar *what)
{
  g_autofree gchar *path = g_build_filename (g_get_tmp_dir (), "tessera-grey-XXXXXX.png", NULL);
  const gint   file = g_mkstemp (path);
  GeglNode    *save = gegl_node_new_child (graph, "operation", "gegl:png-save", "path", path, NULL), *load, *other;
  GeglRectangle box;
  const Babl  *format;

  g_close (file, NULL);
  gegl_node_link (node, save);
  gegl_node_process (save);
  gegl_node_disconnect (save, "input");
  other = gegl_node_new ();
  load = gegl_node_new_child (other, "operation", "gegl:png-load", "path", path, NULL);
  box = gegl_node_get_bounding_box (load);
  format = gegl_operation_get_format (gegl_node_get_gegl_operation (load), "output");
  expect (box.width == WIDTH && box.height == HEIGHT && is_grey (format), "%s of %s: the file is %d x %d, %s", words, what, box.width,
          box.height, format ? babl_get_name (format) : "of no format");
  if (is_grey (format) && box.width == WIDTH)
    {
      const Babl *given = gegl_operation_get_format (gegl_node_get_gegl_operation (node), "output");
      gfloat     *there = result_of (load, babl_format_with_space ("Y'A float", format));
      gfloat     *here = result_of (node, babl_format_with_space ("Y'A float", given));
      gdouble     worst = 0.0;

      for (gint i = 0; i < 2 * N; i++)
        worst = fmax (worst, fabs (there[i] - CLAMP (here[i], 0.0f, 1.0f)));
      expect (worst < 1e-3, "%s of %s: the file is %g off", words, what, worst);
      g_free (there);
      g_free (here);
    }
  g_object_unref (other);
  g_unlink (path);
}

static const gchar *const grey_words[] = {
  "tessera:bilateral-filter", "tessera:bilateral-grid", "tessera:cielab", "tessera:cielab encoding=raw", "tessera:cielab direction=inverse",
  "tessera:convolution", "tessera:convolution channels=rgba border=none", "tessera:equalize", "tessera:equalize mode=channels", "tessera:gaussian-blur",
  "tessera:gaussian-blur std-dev-x=0 std-dev-y=0", "tessera:harris-corners threshold=0.05", "tessera:harris-corners result=strength",
  "tessera:label threshold=0.2", "tessera:label result=mask", "tessera:mean-blur", "tessera:median-blur", "tessera:motion-blur", "tessera:sift",
  "tessera:sift result=points", "tessera:sift result=mask", "tessera:sobel", "tessera:sobel tone=linear", "tessera:sobel input-channel=channels",
  "tessera:sobel input-channel=channels display=0", "tessera:sobel result=x display=0", "tessera:unsharp-mask", "tessera:unsharp-mask amount=0",
  "tessera:align", NULL
};

static void
check_grey (const gchar *words, const gchar *name, Curve curve, gboolean with_device)
{
  g_autofree gchar *what = g_strconcat (name, " with ", curve_names[curve], NULL);
  GeglBuffer *buffer = picture (name, grey_space (curve));
  GeglNode   *graph = gegl_node_new (), *node = filter_node (graph, buffer, words);
  const Babl *format;

  gegl_node_get_bounding_box (node);
  format = gegl_operation_get_format (gegl_node_get_gegl_operation (node), "output");
  expect (is_grey (format) && babl_space_is_gray (babl_format_get_space (format)), "%s of %s leaves as %s", words, what, format ? babl_get_name (format) : "nothing");
  if (with_device)
    compare_paths (node, words, what);
  else
    save_and_load (graph, node, words, what);
  g_object_unref (graph);
  g_object_unref (buffer);
}

/* ---------------------------------------------------------- linear spaces -- */

static const gchar *const light_words[] = {
  "tessera:bilateral-filter", "tessera:bilateral-grid tone=perceptual", "tessera:bilateral-grid", "tessera:convolution", "tessera:equalize",
  "tessera:equalize mode=channels clip-limit=0", "tessera:gaussian-blur", "tessera:harris-corners result=strength", "tessera:label result=mask",
  "tessera:mean-blur", "tessera:median-blur", "tessera:motion-blur", "tessera:sift", "tessera:sobel", "tessera:sobel tone=linear",
  "tessera:sobel input-channel=channels", "tessera:unsharp-mask amount=2", NULL
};

/* `name` in a space of linear curve and `light` in sRGB are the same numbers. */
static void
check_light (const gchar *words, const gchar *name, const gchar *light, const Babl *space, gboolean with_device)
{
  g_autofree gchar *what = g_strconcat (name, " of linear light", NULL);
  GeglBuffer *own = picture (name, space), *srgb = picture (light, NULL);
  GeglNode   *graph = gegl_node_new (), *node = filter_node (graph, own, words), *other = filter_node (graph, srgb, words);
  gfloat     *got = result_of (node, babl_format_with_space ("RGBA float", space)), *wanted = result_of (other, babl_format ("RGBA float"));
  gdouble     worst = 0.0;

  for (gint i = 0; i < 4 * N; i++)
    worst = fmax (worst, fabs (got[i] - wanted[i]) / fmax (1.0, fabs (wanted[i])));
  expect (worst < 2e-5, "%s of %s is %g off what it is in sRGB", words, what, worst);
  if (with_device)
    compare_paths (node, words, what);
  g_free (got);
  g_free (wanted);
  g_object_unref (graph);
  g_object_unref (own);
  g_object_unref (srgb);
}

/* ----------------------------------------------------- bytes and floats -- */

/* The same codes, of 8 bits and as floats, in sRGB: circles are laid over either in light. */
static void
check_stored (const gchar *words, const gchar *model)
{
  g_autofree gchar *name = g_strconcat (model, " u8", NULL), *floats = g_strconcat (model, " float", NULL);
  const Babl *format = babl_format (floats);
  GeglBuffer *bytes = picture (name, NULL), *same = gegl_buffer_new (GEGL_RECTANGLE (0, 0, WIDTH, HEIGHT), format);
  GeglNode   *graph = gegl_node_new (), *node, *other;
  g_autofree gfloat *codes = g_new (gfloat, N * 4), *got = NULL, *wanted = NULL;
  g_autofree guint8 *raw = g_new (guint8, N * 4);
  gdouble     worst = 0.0;

  gegl_buffer_get (bytes, NULL, 1.0, babl_format (name), raw, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
  for (gint i = 0; i < N * babl_format_get_n_components (format); i++)
    codes[i] = (gfloat) (raw[i] / 255.0);
  gegl_buffer_set (same, NULL, 0, format, codes, GEGL_AUTO_ROWSTRIDE);
  node = filter_node (graph, bytes, words);
  other = filter_node (graph, same, words);
  got = result_of (other, babl_format ("R'G'B'A float"));
  wanted = result_of (node, babl_format ("R'G'B'A float"));
  for (gint i = 0; i < 4 * N; i++)
    worst = fmax (worst, fabs (got[i] - wanted[i]));
  expect (worst < 1e-3, "%s of %s: %g off what it is of bytes", words, floats, worst);
  g_object_unref (graph);
  g_object_unref (bytes);
  g_object_unref (same);
}

static void
check_all (gboolean with_device)
{
  static const gchar *const drawn[] = { "tessera:sift contrast-threshold=0", "tessera:sift contrast-threshold=0 result=points",
                                        "tessera:harris-corners threshold=0.05", "tessera:sobel", "tessera:unsharp-mask", "tessera:median-blur", NULL };

  static const gchar *const greys[] = { "Y' u8", "Y'A u16", "Y' u16", "Y' float" };

  for (gint i = 0; grey_words[i]; i++)
    for (Curve curve = GAMMA_22; curve < CURVES; curve++)
      check_grey (grey_words[i], greys[(i + curve) % G_N_ELEMENTS (greys)], curve, with_device);
  for (gint i = 0; drawn[i] && ! with_device; i++)
    {
      check_stored (drawn[i], "Y'");
      check_stored (drawn[i], "R'G'B'A");
      check_stored (drawn[i], "Y~");
    }
  for (gint i = 0; light_words[i]; i++)
    {
      check_light (light_words[i], "R'G'B' u16", "RGB u16", babl_space ("scRGB"), with_device);
      check_light (light_words[i], "R'G'B'A u16", "RGBA u16", babl_space ("scRGB"), with_device);
      check_light (light_words[i], "Y' u16", "Y u16", grey_space (LINEAR), with_device);
    }
}

int
main (int argc, char *argv[])
{
  const gboolean with_device = argc > 1 && g_str_equal (argv[1], "opencl");

  g_setenv ("GEGL_PATH", FORMATS_FILTERS_DIR G_SEARCHPATH_SEPARATOR_S FORMATS_PLUGINS_DIR, TRUE);
  g_setenv ("GEGL_USE_OPENCL", with_device ? "yes" : "no", FALSE);
  gegl_init (NULL, NULL);
  tessera_set_opencl_mode (TESSERA_OPENCL_OFF);
  check_all (with_device);
  g_print ("%d passed, %d failed\n", passed, failed);
  gegl_exit ();
  return failed > 0 || passed == 0;
}
