/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * accounting: TESSERA_MEMORY holds to the byte, what is allocated is released, no
 * request falls back without need, and a steady load allocates nothing.  `accounting [--more] [OPERATION]`; --more: the
 * first of these for more formats and larger pictures, which takes long. */
#include "accounting.h"

#include <glib/gstdio.h>
#include <math.h>

#include "apply-settings.h"
#include "history.h"

static const Setting settings[] =
{
  { "tessera:motion-blur", "length=13 angle=30", "RaGaBaA float", 15, 1, FALSE, NULL },
  { "tessera:motion-blur", "length=90 angle=77", "RaGaBaA float", 100, 1, FALSE, NULL },
  { "tessera:motion-blur", "length=31 angle=-20 border=2", "RaGaBaA float", 35, 1, FALSE, NULL },
  { "tessera:bilateral-grid", "spatial-sigma=8 range-sigma=0.1 guide=0 tone=0", "RGBA float", 40, 1, FALSE, NULL },
  { "tessera:bilateral-grid", "spatial-sigma=45 range-sigma=0.05 guide=1 tone=0", "RGBA float", 40, 1, TRUE, NULL },
  { "tessera:bilateral-grid", "spatial-sigma=3 range-sigma=0.05 guide=0 tone=0", "RGBA float", 60, 1, FALSE, NULL },
  { "tessera:bilateral-grid", "spatial-sigma=12 range-sigma=0.05 guide=0 tone=1", "R'G'B'A float", 60, 40, FALSE, NULL },
  { "tessera:detail", "radius=12", "R'G'B'A float", 60, 1, FALSE, NULL },
  { "tessera:gaussian-blur", "std-dev-x=3 std-dev-y=2", "RaGaBaA float", 40, 1, FALSE, NULL },
  { "tessera:gaussian-blur", "std-dev-x=20 std-dev-y=15 border=1", "RaGaBaA float", 40, 1, FALSE, NULL },
  { "tessera:unsharp-mask", "std-dev=2 amount=0.5", "R'G'B'A float", 40, 1, FALSE, NULL },
  { "tessera:mean-blur", "radius=9", "RaGaBaA float", 40, 1, FALSE, NULL },
  { "tessera:median-blur", "radius=2", "R'G'B'A float", 60, 1, FALSE, NULL },
  { "tessera:convolution", "preset=2", "RGBA float", 15, 1, FALSE, NULL },
  { "tessera:harris-corners", "sigma=3", "RGBA float", 30, 1, FALSE, NULL },
  { "tessera:sobel", "result=4", "RGBA float", 15, 1, FALSE, NULL },
  { "tessera:cielab", "white=1 encoding=0", "R'G'B'A float", 20, 1, FALSE, NULL },
  { "tessera:sift", "upsample=0 octaves=3", "RGBA float", 150, 1, FALSE, "count" },
  { "tessera:estimate-shift", "method=2 max-shift=5", "Y float", 150, 1, TRUE, "shift-x shift-y error pixels steps" },
  { "tessera:background-whiten", "history=10", "Y' float", 120, 1, FALSE, NULL },
  { "tessera:background-whiten", "history=4 result=2", "Y' float", 120, 1, FALSE, NULL },
  { "tessera:sharpen-lens", "radius=0.5 iterations=4", "RGBA float", 40, 1, FALSE, NULL },
  { "tessera:tone", "shadows=1 radius=12", "RGBA float", 60, 1, FALSE, NULL },
  { "tessera:template", "strength=1", "RGBA float", 10, 1, FALSE, NULL }
};

/* ---------------------------------------------------------------- verdicts -- */

gchar *
case_name (const Case *c)
{
  return g_strdup_printf ("%s %s%s of %dx%d %s", c->setting->operation, c->setting->settings,
                          c->setting->has_aux ? " with aux" : "", c->width, c->height,
                          c->format ? c->format : c->setting->working);
}

/* ---------------------------------------------------------------- pictures -- */

static GeglBuffer *
paint (const Case *c, const Babl *format, guint32 state)
{
  const GeglRectangle box = { 0, 0, c->width, c->height };
  GeglBuffer         *buffer = gegl_buffer_new (&box, format);
  gfloat             *pixels = g_new (gfloat, 4 * (gsize) c->width * c->height);

  for (gsize i = 0; i < 4 * (gsize) c->width * c->height; i++)
    {
      state ^= state << 13;
      state ^= state >> 17;
      state ^= state << 5;
      pixels[i] = (i % 4 == 3 ? 1 : c->setting->range) * (gfloat) (state >> 12) / (1 << 20);
    }
  gegl_buffer_set (buffer, &box, 0, babl_format (c->setting->working), pixels, GEGL_AUTO_ROWSTRIDE);
  g_free (pixels);
  return buffer;
}

static GeglNode *
source_node (GeglNode *graph, GeglBuffer *buffer)
{
  return gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", buffer, NULL);
}

void
picture_init (Picture *picture, const Case *c)
{
  const Babl *format = babl_format (c->format ? c->format : c->setting->working);

  *picture = (Picture) { .graph = gegl_node_new (), .format = babl_format (c->setting->working), .width = c->width,
                         .height = c->height, .input = paint (c, format, 12345),
                         .aux = c->setting->has_aux ? paint (c, format, 777) : NULL,
                         .results = g_strsplit (c->setting->results ? c->setting->results : "", " ", -1) };
  picture->node = gegl_node_new_child (picture->graph, "operation", c->setting->operation, NULL);
  g_object_set (picture->node, "dont-cache", TRUE, NULL);
  apply_settings (picture->node, c->setting->settings);
  history_give (picture->node, c->width, c->height);
  gegl_node_connect_to (source_node (picture->graph, picture->input), "output", picture->node, "input");
  if (picture->aux)
    gegl_node_connect_to (source_node (picture->graph, picture->aux), "output", picture->node, "aux");
}

void
picture_clear (Picture *picture)
{
  g_clear_object (&picture->graph);
  g_clear_object (&picture->input);
  g_clear_object (&picture->aux);
  g_clear_pointer (&picture->results, g_strfreev);
}

static gsize
pixels_bytes (const Picture *picture)
{
  return (gsize) picture->width * picture->height * babl_format_get_bytes_per_pixel (picture->format);
}

gsize
picture_bytes (const Picture *picture)
{
  return pixels_bytes (picture) + g_strv_length (picture->results) * sizeof (gfloat);
}

void
picture_blit (const Picture *picture, gpointer pixels)
{
  gegl_node_blit (picture->node, 1.0, GEGL_RECTANGLE (0, 0, picture->width, picture->height), picture->format,
                  pixels, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
  for (guint i = 0; picture->results[i]; i++)
    {
      GValue value = G_VALUE_INIT;

      g_value_init (&value, G_TYPE_FLOAT);
      gegl_node_get_property (picture->node, picture->results[i], &value);
      ((gfloat *) ((guchar *) pixels + pixels_bytes (picture)))[i] = g_value_get_float (&value);
      g_value_unset (&value);
    }
}

void
expect_same (const Picture *picture, gconstpointer in_c, gconstpointer pixels, const gchar *name, const gchar *what,
             guint number)
{
  const gfloat *a = in_c, *b = pixels;
  const gsize   n = picture_bytes (picture) / sizeof (gfloat);
  gsize         first = 0, count = 0;
  gdouble       worst = 0;

  for (gsize i = n; i-- > 0;)
    if (memcmp (&a[i], &b[i], sizeof (gfloat)))
      {
        first = i;
        count++;
        worst = MAX (worst, fabs ((gdouble) a[i] - b[i]));
      }
  expect (count == 0, "%s, %s %u: %" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT " components are not what C makes, worst %.3g;"
          " at %d,%d channel %d %.9g instead of %.9g", name, what, number, count, n, worst,
          (gint) (first / 4 % picture->width), (gint) (first / 4 / picture->width), (gint) (first % 4), b[first], a[first]);
}

/* -------------------------------------------------------------------- main -- */

/* Those of an operation whose name has `only`. */
static guint
choose (const gchar *only, Setting *chosen)
{
  guint n = 0;

  for (guint i = 0; i < G_N_ELEMENTS (settings); i++)
    if (strstr (settings[i].operation, only))
      chosen[n++] = settings[i];
  return n;
}

static gboolean
all_there (void)
{
  gboolean there = tessera_device_name () != NULL;

  expect (there, "there is no OpenCL device (GEGL_USE_OPENCL=%s)", g_getenv ("GEGL_USE_OPENCL"));
  for (guint i = 0; i < G_N_ELEMENTS (settings); i++)
    if (! gegl_has_operation (settings[i].operation))
      {
        expect (FALSE, "there is no operation %s", settings[i].operation);
        there = FALSE;
      }
  return there;
}

int
main (int argc, char **argv)
{
  gboolean more = argc > 1 && strcmp (argv[1], "--more") == 0;
  gboolean had_folder = g_file_test ("RAM", G_FILE_TEST_EXISTS);
  gint64   began = g_get_monotonic_time ();
  Setting  chosen[G_N_ELEMENTS (settings)];
  guint    n = choose (argc > 1 + more ? argv[1 + more] : "", chosen);

  g_setenv ("GEGL_USE_OPENCL", "cpu", FALSE);
  g_setenv ("GEGL_SWAP", "RAM", FALSE);
  g_setenv ("GEGL_PATH", TEST_OPERATIONS_DIR G_SEARCHPATH_SEPARATOR_S TEST_PLUGINS_DIR, FALSE);
  ledger_open ();
  gegl_init (NULL, NULL);
  tessera_set_proof (FALSE);
  g_object_set (gegl_config (), "use-opencl", TRUE, NULL);
  if (all_there ())
    {
      g_print ("%s\n", tessera_device_name ());
      accounting_limits (chosen, n, more);
      g_print ("limits: %.1f s\n", (g_get_monotonic_time () - began) / 1e6);
      if (! more)
        accounting_steady (chosen, n);
    }
  g_print ("%.1f s\n", (g_get_monotonic_time () - began) / 1e6);
  gegl_exit ();
  if (! had_folder)
    g_rmdir ("RAM");            /* GEGL 0.4.42 makes an empty one for GEGL_SWAP=RAM */
  return expect_told ();
}
