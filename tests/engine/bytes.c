/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * bytes: a picture of 8 bits gives the bits of the same picture in floats, where filters compute with its codes: medians
 * of squares, equalize of greys.  Delivered in 8 bits, it gives the nearest codes; of any float. */
#include <gegl.h>
#include <gegl-plugin.h>
#include <math.h>

#include "tessera.h"
#include "tessera-control.h"
#include "verdict.h"
#include "../../tools/connect.h"

#define WIDTH  61
#define HEIGHT 45

typedef enum { OPAQUE, HOLE, CLEAR_AT_EDGE, ALPHAS } Alpha;

static const struct { const gchar *name, *floats; gint values; } formats[] = {
  { "R'G'B'A u8", "R'G'B'A float", 4 }, { "R'G'B' u8", "R'G'B'A float", 3 }, { "Y' u8", "R'G'B'A float", 1 },
  { "Y'A u8", "R'G'B'A float", 2 }, { "RGBA u8", "RGBA float", 4 }
};

static guint8
code_at (gint x, gint y, gint c, gint values, Alpha alpha)
{
  const guint noise = ((y * WIDTH + x) * 4 + c) * 2654435761u >> 16;

  if (c < values - 1 || values % 2)
    return noise % 7 ? 40 * c + x + 2 * y : (gint) noise >> 8;
  if (alpha == HOLE)
    return x == 30 && y == 20 ? 0 : 255;
  if (alpha == CLEAR_AT_EDGE)
    return x == WIDTH - 1 && y == HEIGHT - 1 ? 0 : 200;
  return alpha == OPAQUE ? 255 : 1 + noise % 255;
}

static GeglBuffer *
picture (gint format, Alpha alpha, gboolean in_floats)
{
  const gint  values = formats[format].values, colours = values > 2 ? 3 : 1;
  GeglBuffer *buffer = gegl_buffer_new (GEGL_RECTANGLE (0, 0, WIDTH, HEIGHT),
                                        babl_format (in_floats ? formats[format].floats : formats[format].name));
  guint8      codes[WIDTH * HEIGHT * 4];
  gfloat      pixels[WIDTH * HEIGHT][4];

  for (gint i = 0; i < WIDTH * HEIGHT; i++)
    for (gint c = 0; c < 4; c++)
      {
        const gboolean lacks = c == 3 && values % 2;          /* then alpha is 1 */
        const gint     own = c < 3 ? MIN (c, colours - 1) : values - 1;
        const guint8   code = lacks ? 255 : code_at (i % WIDTH, i / WIDTH, own, values, alpha);

        pixels[i][c] = (gfloat) (code / 255.0);
        if (! lacks)
          codes[values * i + own] = code;
      }
  gegl_buffer_set (buffer, NULL, 0, NULL, in_floats ? (gpointer) pixels : (gpointer) codes, GEGL_AUTO_ROWSTRIDE);
  return buffer;
}

/* In the format in which it leaves. */
static gpointer
filtered (const gchar *chain, GeglBuffer *input, const GeglRectangle *roi, const Babl *delivered, const Babl **format)
{
  g_autoptr (GeglNode)   graph = gegl_node_new ();
  g_autoptr (GeglBuffer) output = delivered ? gegl_buffer_new (roi, delivered) : NULL;
  GeglNode *source = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", input, NULL);
  GeglNode *end = gegl_node_new_child (graph, "operation", "gegl:nop", NULL), *node;
  g_autoptr (GError) error = NULL;      /* GEGL 0.4.62 writes into it unasked */
  gpointer  pixels;

  gegl_create_chain (chain, source, end, 0, 0, NULL, &error);
  expect (! error, "%s: %s", chain, error ? error->message : "");
  node = gegl_node_get_producer (end, "input", NULL);
  gegl_node_disconnect (end, "input");
  if (delivered)
    {
      GeglNode *sink = gegl_node_new_child (graph, "operation", "gegl:write-buffer", "buffer", output, NULL);

      gegl_node_connect_to (node, "output", sink, "input");
    }
  tessera_set_delivery (delivered != NULL);
  gegl_node_get_bounding_box (node);            /* lets it prepare */
  *format = gegl_operation_get_format (gegl_node_get_gegl_operation (node), "output");
  pixels = g_malloc ((gsize) roi->width * roi->height * babl_format_get_bytes_per_pixel (*format));
  gegl_node_blit (node, 1.0, roi, *format, pixels, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
  return pixels;
}

/* Values that are not those of the floats. */
static gint
count_others (gconstpointer pixels, const Babl *format, const gfloat *floats, gint n)
{
  const gint     values = babl_format_get_n_components (format), colours = values > 2 ? 3 : 1;
  const gboolean is_coded = babl_format_get_type (format, 0) == babl_type ("u8");
  gint           others = 0;

  for (gint i = 0; i < n; i++)
    for (gint c = 0; c < values; c++)
      {
        const gfloat wanted = floats[4 * i + (c < colours ? c : 3)];

        if (is_coded)
          others += ((const guint8 *) pixels)[values * i + c] != floor (CLAMP (wanted, 0.0f, 1.0f) * 255.0 + 0.5);
        else
          others += ((const gfloat *) pixels)[values * i + c] != wanted;
      }
  return others;
}

static void
compare (const gchar *chain, gint format, Alpha alpha, const GeglRectangle *roi)
{
  g_autoptr (GeglBuffer) bytes = picture (format, alpha, FALSE), floats = picture (format, alpha, TRUE);
  const Babl            *left_as;
  g_autofree gfloat     *wanted = filtered (chain, floats, roi, NULL, &left_as);

  expect (left_as == babl_format (formats[format].floats), "%s: floats leave as %s", chain, babl_get_name (left_as));
  for (gint is_stored = 0; is_stored < 2; is_stored++)
    {
      const Babl         *delivered = is_stored ? babl_format (formats[format].name) : NULL;
      g_autofree gpointer pixels = filtered (chain, bytes, roi, delivered, &left_as);
      const gint          others = count_others (pixels, left_as, wanted, roi->width * roi->height);

      expect (others == 0, "%s, %s, alpha %d, %dx%d, as %s: %d values are not those of floats", chain,
              formats[format].name, alpha, roi->width, roi->height, babl_get_name (left_as), others);
    }
}

static void
compare_all (const gchar *chain, guint format)
{
  const Alpha last = formats[format].values % 2 ? OPAQUE : ALPHAS;

  for (Alpha alpha = OPAQUE; alpha <= last; alpha++)
    {
      compare (chain, format, alpha, GEGL_RECTANGLE (0, 0, WIDTH, HEIGHT));
      compare (chain, format, alpha, GEGL_RECTANGLE (7, 5, 41, 33));
    }
}

static void
medians (void)
{
  static const gchar *const borders[] = { "clamp", "none", "loop" };

  for (gint radius = 1; radius <= 4; radius++)
    for (guint border = 0; border < G_N_ELEMENTS (borders); border++)
      for (gint all = 0; all < 2; all++)
        for (guint format = 0; format < G_N_ELEMENTS (formats); format++)
          {
            g_autofree gchar *chain = g_strdup_printf ("tessera:median-blur radius=%d border=%s filter-alpha=%s",
                                                       radius, borders[border], all ? "true" : "false");

            compare_all (chain, format);
          }
}

/* Other ranks, larger squares than the picture, and the largest whose samples 16 bits count; of noise alone every window has another step. */
static void
ranks (void)
{
  static const gchar *const squares[] = { "1 percentile=0", "2 percentile=100", "3 percentile=97.5", "9 percentile=3", "13", "22 percentile=50.0001", "40 percentile=80", "100 percentile=99" };

  for (guint i = 0; i < G_N_ELEMENTS (squares); i++)
    for (guint format = 0; format < G_N_ELEMENTS (formats); format++)
      {
        g_autofree gchar *chain = g_strconcat ("tessera:median-blur border=loop radius=", squares[i], NULL);

        compare_all (chain, format);
      }
}

static void
equalized (void)
{
  static const gchar *const chains[] = {
    "tessera:equalize", "tessera:equalize clip-limit=0", "tessera:equalize tiles=1 bins=256",
    "tessera:equalize tiles=7 bins=1000 clip-limit=1.5", "tessera:equalize mode=channels"
  };

  for (guint i = 0; i < G_N_ELEMENTS (chains); i++)
    for (guint format = 0; format < G_N_ELEMENTS (formats); format++)
      if (formats[format].values < 3 || i == 0)
        compare_all (chains[i], format);
}

/* ------------------------------------------------------------------ codes -- */

#define ROW    1024
#define STRIDE 40009            /* of all floats, every so many */

/* Where each code begins. */
static void
find_starts (gdouble (*curve) (gdouble), gdouble starts[256])
{
  for (gint k = 0; k < 256; k++)
    {
      const gdouble start = (k - 0.5) / 255.0;

      starts[k] = k == 0 ? -INFINITY : curve ? curve (start) : start;
    }
}

static gint
code_of (gfloat value, const gdouble starts[256])
{
  gint code = 255;

  while (code > 0 && value < starts[code])      /* NaN is none */
    code--;
  return code;
}

/* All around the starts, and a sweep. */
static GArray *
draw_values (const gdouble starts[256])
{
  GArray *values = g_array_new (FALSE, FALSE, sizeof (gfloat));

  for (gint k = 1; k < 256; k++)
    for (gint ulps = -3; ulps <= 3; ulps++)
      {
        const gfloat value = tessera_as_float (tessera_as_int ((gfloat) starts[k]) + ulps);

        g_array_append_val (values, value);
      }
  for (guint64 bits = 0; bits <= G_MAXUINT32; bits += STRIDE)
    {
      const gfloat value = tessera_as_float ((gint) (guint32) bits);

      g_array_append_val (values, value);
    }
  return values;
}

/* Floats written into a buffer of codes.  No row is whole vectors. */
static void
codes (const gchar *working, const gchar *stored, gdouble (*curve) (gdouble))
{
  gdouble                 colours[256], alphas[256];
  g_autoptr (GArray)      values = (find_starts (curve, colours), draw_values (colours));
  const gint              n = values->len, rows = (n + ROW - 2) / (ROW - 1);
  const GeglRectangle     box = { 0, 0, ROW - 1, rows };
  g_autoptr (GeglBuffer)  buffer = gegl_buffer_new (&box, babl_format (stored));
  const gint              components = babl_format_get_n_components (gegl_buffer_get_format (buffer));
  g_autofree gfloat      *pixels = g_new0 (gfloat, 4 * ROW * rows);
  g_autofree guint8      *found = g_new (guint8, components * ROW * rows);
  gint                    others = 0;

  find_starts (NULL, alphas);
  for (gint i = 0; i < n; i++)
    for (gint c = 0; c < 4; c++)
      pixels[4 * i + c] = g_array_index (values, gfloat, i);
  tessera_write (buffer, &box, babl_format (working), pixels, 4 * (ROW - 1) * sizeof (gfloat));
  gegl_buffer_get (buffer, &box, 1.0, NULL, found, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
  for (gint i = 0; i < n; i++)
    for (gint c = 0; c < components; c++)
      others += found[components * i + c] != code_of (g_array_index (values, gfloat, i), c == 3 ? alphas : colours);
  expect (others == 0, "%s as %s: %d codes of %d are not the formula's", working, stored, others, components * n);
}

int
main (int argc, char **argv)
{
  gint code;

  g_setenv ("GEGL_PATH", TEST_OPERATIONS_DIR G_SEARCHPATH_SEPARATOR_S TEST_PLUGINS_DIR, FALSE);
  gegl_init (&argc, &argv);
  tessera_set_opencl_mode (TESSERA_OPENCL_OFF);
  codes ("R'G'B'A float", "R'G'B'A u8", NULL);
  codes ("R'G'B'A float", "R'G'B' u8", NULL);
  codes ("RGBA float", "R'G'B'A u8", tessera_linear);
  codes ("RGBA float", "R'G'B' u8", tessera_linear);
  codes ("RGBA float", "Y' u8", tessera_linear);
  codes ("R'G'B'A float", "RGBA u8", tessera_perceptual);
  medians ();
  ranks ();
  equalized ();
  code = expect_told ();
  gegl_exit ();
  return code;
}
