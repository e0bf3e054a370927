/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * foreign: formats that babl converts, whose floats depend on the length of a run.  The device's results are compared with C's all the
 * same (proof.c), and a device that is right stays in use: each request of each filter goes to it. */
#include <gegl.h>
#include <math.h>

#include "tessera-control.h"
#include "verdict.h"

#define RUNS 6                  /* of each, in sizes and with settings of their own: new settings are compared */

static const gchar *const filters[] = {
  "tessera:bilateral-filter", "tessera:bilateral-grid", "tessera:cielab", "tessera:convolution", "tessera:detail", "tessera:equalize", "tessera:gaussian-blur",
  "tessera:harris-corners", "tessera:label", "tessera:mean-blur", "tessera:median-blur", "tessera:motion-blur", "tessera:sobel", "tessera:tone",
  "tessera:unsharp-mask"
};

static const struct { const gchar *format, *space; } stored[] = {
  { "R'G'B'A float", "sRGB" }, { "RGBA float", "Apple" }, { "R'G'B'A double", "sRGB" }, { "RaGaBaA half", "Apple" }, { "R'G'B'A float", "Apple" }, { "Y' double", "sRGB" }
};

/* Light of many stops, and now and then no number or one beyond all: babl then harms what it converts beside it. */
static GeglBuffer *
picture (const Babl *format, gint width, gint height, gint x, gint y)
{
  const GeglRectangle box = { x, y, width, height };
  GeglBuffer         *buffer = gegl_buffer_new (&box, format);
  g_autofree gfloat  *pixels = g_new (gfloat, 4 * width * height);
  guint32             state = 2463534242u;

  for (gint i = 0; i < 4 * width * height; i++)
    {
      state ^= state << 13;
      state ^= state >> 17;
      state ^= state << 5;
      pixels[i] = i % 4 == 3 ? 0.5f + (state >> 9) * 0x1p-24f : state % 41 == 0 ? NAN : state % 43 == 0 ? 1e25f : exp2f ((state >> 8) * 0x1p-21f - 4);
    }
  gegl_buffer_set (buffer, &box, 0, babl_format_with_space ("RGBA float", babl_format_get_space (format)), pixels, GEGL_AUTO_ROWSTRIDE);
  return buffer;
}

static void
set_something (GeglNode *node, gint number)
{
  guint                    n;
  g_autofree GParamSpec **specs = gegl_operation_list_properties (gegl_node_get_operation (node), &n);

  for (guint i = 0; i < n; i++)
    if (G_IS_PARAM_SPEC_DOUBLE (specs[i]) && (specs[i]->flags & G_PARAM_WRITABLE))
      {
        gegl_node_set (node, specs[i]->name, G_PARAM_SPEC_DOUBLE (specs[i])->default_value * (1 + 0.01 * number), NULL);
        return;
      }
}

/* How many of the requests were computed in C. */
static guint64
run (const gchar *filter, const Babl *format, gint number)
{
  const gint             width = 1 + 67 * number, height = 40 + 31 * number;
  g_autoptr (GeglBuffer) input = picture (format, width, height, number % 2 ? 1048576 : -64, 13 * number);
  g_autoptr (GeglNode)   graph = gegl_node_new ();
  GeglNode              *source = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", input, NULL);
  GeglNode              *node = gegl_node_new_child (graph, "operation", filter, NULL);
  g_autofree gfloat     *result = g_new (gfloat, 4 * width * height);
  TesseraCounters        before, after;

  gegl_node_link (source, node);
  set_something (node, number);
  tessera_set_band_rows (number % 3 == 2 ? 0 : 17);
  tessera_get_counters (&before);
  gegl_node_blit (node, 1.0, gegl_buffer_get_extent (input), babl_format ("RGBA float"), result, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
  tessera_get_counters (&after);
  return after.c_requests - before.c_requests + (after.device_requests == before.device_requests);
}

int
main (int argc, char **argv)
{
  g_setenv ("GEGL_PATH", TEST_OPERATIONS_DIR G_SEARCHPATH_SEPARATOR_S TEST_PLUGINS_DIR, FALSE);
  gegl_init (&argc, &argv);
  tessera_set_opencl_mode (TESSERA_OPENCL_TRY);
  expect (tessera_device_name () != NULL, "there is no OpenCL device");
  for (guint f = 0; f < G_N_ELEMENTS (filters); f++)
    for (guint k = 0; k < G_N_ELEMENTS (stored); k++)
      for (gint i = 0; i < RUNS; i++)
        {
          const guint64 in_c = run (filters[f], babl_format_with_space (stored[k].format, babl_space (stored[k].space)), i);

          expect (in_c == 0, "%s of %s in %s, picture %d: %d requests left to C", filters[f], stored[k].format, stored[k].space, i, (gint) in_c);
        }
  tessera_trim ();
  gegl_exit ();
  return expect_told ();
}
