/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * settings: a property that another thread sets while an operation computes. */
#include <gegl.h>
#include <gegl-plugin.h>
#include <string.h>

#define TESSERA_OPERATION_ITSELF
#include "tessera-op.h"
#include "tessera-control.h"
#include "verdict.h"

#define WIDTH  140
#define HEIGHT 90

/* Settings that reach less, and more; or whose results are in other formats. */
static const struct { const gchar *operation, *property; gdouble low, high; } changes[] = {
  { "tessera:gaussian-blur", "std-dev-x", 0.5, 6.0 },
  { "tessera:gaussian-blur", "std-dev-y", 0.5, 30.0 },
  { "tessera:unsharp-mask", "std-dev", 0.5, 6.0 },
  { "tessera:mean-blur", "radius", 1, 20 },
  { "tessera:median-blur", "radius", 1, 9 },
  { "tessera:motion-blur", "length", 1.0, 40.0 },
  { "tessera:convolution", "kernel", 0, 1 },
  { "tessera:harris-corners", "sigma", 0.5, 4.0 },
  { "tessera:harris-corners", "result", 3, 0 },
  { "tessera:bilateral-grid", "spatial-sigma", 4.0, 20.0 },
  { "tessera:detail", "radius", 4.0, 20.0 },
  { "tessera:sharpen-lens", "radius", 0.5, 1.5 },
  { "tessera:sharpen-lens", "iterations", 2, 8 },
  { "tessera:label", "result", 1, 0 },
  { "tessera:label", "output", 1, 0 },
  { "tessera:cielab", "encoding", 0, 1 },
  { "tessera:sobel", "result", 0, 4 },
};

/* --------------------------------------------------------------- requests -- */

static GeglBuffer *
picture (void)
{
  GeglBuffer *buffer = gegl_buffer_new (GEGL_RECTANGLE (0, 0, WIDTH, HEIGHT), babl_format ("RGBA float"));
  gfloat     *values = g_new (gfloat, 4 * WIDTH * HEIGHT);

  for (gint i = 0; i < 4 * WIDTH * HEIGHT; i++)
    values[i] = i % 4 == 3 ? 1.0f : (i * 2654435761u >> 8) * 0x1p-24f;
  gegl_buffer_set (buffer, NULL, 0, NULL, values, GEGL_AUTO_ROWSTRIDE);
  g_free (values);
  return buffer;
}

static void
set (GeglNode *node, const gchar *property, gdouble value)
{
  if (strcmp (property, "kernel") == 0)
    {
      gegl_node_set (node, "preset", value > 0 ? 0 : 1, NULL);  /* 1: 3 x 3 */
      if (value > 0)
        gegl_node_set (node, "kernel", "1 2 3 4 5 6 7; 7 6 5 4 3 2 1; 1 1 1 1 1 1 1; 2 1 2 1 2 1 2; 3 1 3 1 3 1 3", NULL);
    }
  else if (G_IS_PARAM_SPEC_DOUBLE (gegl_node_find_property (node, property)))
    gegl_node_set (node, property, value, NULL);
  else
    gegl_node_set (node, property, (gint) value, NULL);
  gegl_node_get_bounding_box (node);            /* prepares it */
}

static const TesseraOperationClass *
class_of (GeglNode *node)
{
  return (const TesseraOperationClass *) G_OBJECT_GET_CLASS (gegl_node_get_gegl_operation (node));
}

static TesseraHalo
reach_of (GeglNode *node, const GeglProperties *settings)
{
  return class_of (node)->info->find_halo ? class_of (node)->info->find_halo (settings) : (TesseraHalo) { 0, 0, 0, 0 };
}

/* The settings that the node has now; to be freed. */
static GeglProperties *
settings_of (GeglNode *node)
{
  return g_memdup2 (((TesseraAnyOperation *) gegl_node_get_gegl_operation (node))->properties, class_of (node)->properties_size);
}

/* What `run` answers with these settings to a request of this halo. */
static gfloat *
answer (GeglNode *node, GeglBuffer *input, const GeglProperties *settings, TesseraHalo halo)
{
  GeglOperation       *operation = gegl_node_get_gegl_operation (node);
  const GeglRectangle  roi = { 40, 30, 50, 30 };
  GeglBuffer          *output = gegl_buffer_new (&roi, babl_format ("RGBA float"));
  const Babl          *format = gegl_operation_get_format (operation, "input");
  gfloat              *values = g_new (gfloat, 4 * roi.width * roi.height);
  const TesseraOperationInfo *info = class_of (node)->info;
  TesseraRequest       request = { .filter = info->filter, .errand = { .operation = operation }, .input = input, .output = output, .input_format = format,
                                   .output_format = format, .roi = roi, .bounds = { 0, 0, WIDTH, HEIGHT }, .halo = halo };

  expect (info->run (&request, settings), "%s does not run", info->name);
  gegl_buffer_get (output, &roi, 1.0, babl_format ("RGBA float"), values, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
  g_object_unref (output);
  return values;
}

static GeglNode *
node_on (GeglNode *graph, const gchar *operation, GeglBuffer *input)
{
  GeglNode *source = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", input, NULL);
  GeglNode *node = gegl_node_new_child (graph, "operation", operation, NULL);

  gegl_node_link (source, node);
  return node;
}

/* A property that is set after the request has been made: the pixels are those of the settings by which it was made. */
static void
between_request_and_run (guint i, TesseraOpenclMode mode)
{
  GeglNode       *graph = gegl_node_new (), *node;
  GeglBuffer     *input = picture ();
  gfloat         *expected, *found;
  GeglProperties *low, *high;
  TesseraHalo     before, after;

  tessera_set_opencl_mode (mode);
  node = node_on (graph, changes[i].operation, input);
  set (node, changes[i].property, changes[i].low);
  low = settings_of (node);
  before = reach_of (node, low);
  set (node, changes[i].property, changes[i].high);
  high = settings_of (node);
  after = reach_of (node, high);
  expect (! class_of (node)->info->find_halo || after.left > before.left || after.top > before.top, "%s %s: reaches no farther",
          changes[i].operation, changes[i].property);
  expected = answer (node, input, high, after);
  set (node, changes[i].property, changes[i].low);
  found = answer (node, input, high, after);
  expect (memcmp (expected, found, 4 * 50 * 30 * sizeof (gfloat)) == 0, "%s %s: computes with other settings than its request's (mode %d)",
          changes[i].operation, changes[i].property, mode);
  g_free (low);
  g_free (high);
  g_free (found);
  g_free (expected);
  g_object_unref (graph);
  g_object_unref (input);
}

/* A text is freed when another one is set.  The new kernel is computed then, with its own halo. */
static void
another_kernel (void)
{
  const gchar    *small = "1 2 1; 2 4 2; 1 2 1                         ", *large = "1 2 3 4 5 4 3; 1 1 1 1 1 1 1; 3 2 1 2 3 2 10";
  GeglNode       *graph = gegl_node_new (), *node;
  GeglBuffer     *input = picture ();
  GeglProperties *settings;
  TesseraHalo     halo;
  gfloat         *expected, *found;

  tessera_set_opencl_mode (TESSERA_OPENCL_OFF);
  node = node_on (graph, "tessera:convolution", input);
  gegl_node_set (node, "preset", 0, "kernel", small, NULL);
  gegl_node_get_bounding_box (node);
  settings = settings_of (node);
  halo = reach_of (node, settings);
  gegl_node_set (node, "kernel", large, NULL);
  found = answer (node, input, settings, halo);
  g_free (settings);
  settings = settings_of (node);
  expected = answer (node, input, settings, reach_of (node, settings));
  expect (memcmp (expected, found, 4 * 50 * 30 * sizeof (gfloat)) == 0, "convolution: a kernel that is set meanwhile has another one's halo");
  g_free (settings);
  g_free (found);
  g_free (expected);
  g_object_unref (graph);
  g_object_unref (input);
}

int
main (int argc, char **argv)
{
  gint code;

  g_setenv ("GEGL_PATH", TEST_OPERATIONS_DIR G_SEARCHPATH_SEPARATOR_S TEST_PLUGINS_DIR, FALSE);
  gegl_init (&argc, &argv);
  tessera_set_proof (FALSE);            /* the pixels are compared here */
  for (guint i = 0; i < G_N_ELEMENTS (changes); i++)
    {
      between_request_and_run (i, TESSERA_OPENCL_OFF);
      between_request_and_run (i, TESSERA_OPENCL_TRY);
    }
  another_kernel ();
  code = expect_told ();
  gegl_exit ();
  return code;
}
