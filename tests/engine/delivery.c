/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * delivery: a result leaves in the model, curve and alpha association of the input, so babl has nothing to convert for a
 * reader that wants what the input is.  This program exports babl's functions that convert; they count the pixels.  And what a
 * filter needs twice is sent to the device once. */
#include <dlfcn.h>
#include <gegl.h>
#include <gegl-plugin.h>
#include <string.h>

#include "tessera-control.h"
#include "verdict.h"

#define WIDTH  301
#define HEIGHT 203

/* Of which pictures the result leaves as they are; of grey ones it is grey. */
typedef enum { OF_ALL, OF_COLOURS, OF_GREYS } Of;

static const struct { const gchar *operation, *property, *values[3]; Of of; } filters[] = {
  { "tessera:bilateral-filter", "tone", { "linear", "perceptual", NULL }, OF_ALL },
  { "tessera:bilateral-grid", "tone", { "linear", "perceptual", NULL }, OF_ALL },
  { "tessera:sobel", "tone", { "linear", "perceptual", NULL }, OF_ALL },
  { "tessera:sobel", "input-channel", { "luminance", "channels", NULL }, OF_ALL },
  { "tessera:sobel", "result", { "angle", "x", NULL }, OF_ALL },
  { "tessera:convolution", "channels", { "rgb", "rgba", NULL }, OF_ALL },
  { "tessera:cielab", "direction", { "forward", "inverse", NULL }, OF_COLOURS },
  { "tessera:motion-blur", "border", { "clamp", NULL }, OF_ALL },
  { "tessera:gaussian-blur", "border", { "clamp", NULL }, OF_ALL },
  { "tessera:mean-blur", "border", { "clamp", NULL }, OF_ALL },
  { "tessera:unsharp-mask", NULL, { "", NULL }, OF_ALL },
  { "tessera:detail", NULL, { "", NULL }, OF_ALL },
  { "tessera:sharpen-lens", NULL, { "", NULL }, OF_ALL },
  { "tessera:tone", NULL, { "", NULL }, OF_ALL },
  { "tessera:median-blur", "neighborhood", { "square", "circle", NULL }, OF_GREYS },
  { "tessera:equalize", "mode", { "luminance", "channels", NULL }, OF_GREYS },
};

static const gchar *const formats[] = { "R'G'B'A float", "RGBA float", "RaGaBaA float", "Y'A float", "YA float" };

/* ------------------------------------------------------------------- babl -- */

static gint64 converted;        /* pixels, from one format to another */

#define REAL(name) static gpointer real; if (! real) real = dlsym (RTLD_NEXT, name)

G_MODULE_EXPORT long
babl_process (const Babl *fish, const void *from, void *to, long n)
{
  REAL ("babl_process");
  __atomic_add_fetch (&converted, n, __ATOMIC_RELAXED);
  return ((long (*) (const Babl *, const void *, void *, long)) real) (fish, from, to, n);
}

G_MODULE_EXPORT long
babl_process_rows (const Babl *fish, const void *from, int from_stride, void *to, int to_stride, long n, int rows)
{
  REAL ("babl_process_rows");
  __atomic_add_fetch (&converted, (gint64) n * rows, __ATOMIC_RELAXED);
  return ((long (*) (const Babl *, const void *, int, void *, int, long, int)) real) (fish, from, from_stride, to,
                                                                                      to_stride, n, rows);
}

/* ---------------------------------------------------------------- filters -- */

static GeglBuffer *
picture (const Babl *format)
{
  GeglBuffer *buffer = gegl_buffer_new (GEGL_RECTANGLE (0, 0, WIDTH, HEIGHT), format);
  const gint  n = WIDTH * HEIGHT * babl_format_get_n_components (format);
  gfloat     *values = g_new (gfloat, n);

  for (gint i = 0; i < n; i++)
    values[i] = (i * 2654435761u >> 8) * 0x1p-24f;
  gegl_buffer_set (buffer, NULL, 0, format, values, GEGL_AUTO_ROWSTRIDE);
  g_free (values);
  return buffer;
}

static void
run (const gchar *operation, const gchar *property, const gchar *value, const gchar *name, TesseraOpenclMode mode)
{
  const Babl *format = babl_format (name);
  GeglBuffer *input = picture (format), *output = gegl_buffer_new (gegl_buffer_get_extent (input), format);
  GeglNode   *graph = gegl_node_new (), *source, *node;
  GParamSpec *spec;
  TesseraCounters before, after;

  source = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", input, NULL);
  node = gegl_node_new_child (graph, "operation", operation, NULL);
  gegl_node_link (source, node);
  spec = property ? gegl_node_find_property (node, property) : NULL;
  if (spec)
    gegl_node_set (node, property, g_enum_get_value_by_nick (g_type_class_peek (spec->value_type), value)->value, NULL);
  tessera_set_opencl_mode (mode);
  converted = 0;
  tessera_get_counters (&before);
  gegl_node_blit_buffer (node, output, gegl_buffer_get_extent (input), 0, GEGL_ABYSS_NONE);
  tessera_get_counters (&after);
  expect ((after.device_requests > before.device_requests) == (mode == TESSERA_OPENCL_FORCE), "%s: on another path", operation);
  expect (converted == 0, "%s %s %s, %s: babl converts %" G_GINT64_FORMAT " pixels of %d (mode %d)", operation,
          property ? property : "", value, name, converted, WIDTH * HEIGHT, mode);
  expect (gegl_operation_get_format (gegl_node_get_gegl_operation (node), "output") == format,
          "%s %s %s: %s leaves as %s", operation, property ? property : "", value, name,
          babl_get_name (gegl_operation_get_format (gegl_node_get_gegl_operation (node), "output")));
  g_object_unref (graph);
  g_object_unref (input);
  g_object_unref (output);
}

/* A reader that wants something else is noticed. */
static void
notices (void)
{
  GeglBuffer *input = picture (babl_format ("R'G'B'A float"));
  GeglBuffer *output = gegl_buffer_new (gegl_buffer_get_extent (input), babl_format ("YA float"));

  converted = 0;
  gegl_buffer_copy (input, NULL, GEGL_ABYSS_NONE, output, NULL);
  expect (converted >= WIDTH * HEIGHT, "babl converts %" G_GINT64_FORMAT " pixels of %d", converted, WIDTH * HEIGHT);
  g_object_unref (input);
  g_object_unref (output);
}

/* The bytes that tessera:equalize sends to the device, with so much memory there (MiB; 0: plenty). */
static guint64
sent_by_equalize (GeglBuffer *input, gint tiles, guint memory, gfloat *result)
{
  const GeglRectangle *extent = gegl_buffer_get_extent (input);
  GeglNode            *graph = gegl_node_new (), *source, *node;
  TesseraCounters      before, after;

  source = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", input, NULL);
  node = gegl_node_new_child (graph, "operation", "tessera:equalize", "tiles", tiles, NULL);
  gegl_node_link (source, node);
  tessera_set_memory (memory);
  tessera_get_counters (&before);
  gegl_node_blit (node, 1.0, extent, babl_format ("R'G'B'A float"), result, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
  tessera_get_counters (&after);
  tessera_set_memory (0);
  expect (after.fallbacks == before.fallbacks, "equalize goes to C with %u MiB", memory);
  g_object_unref (graph);
  return after.uploaded_bytes - before.uploaded_bytes;
}

/* It looks at each pixel twice.  If there is room, pixels are sent once: they stay on the device between its two requests. */
static void
sends_once (void)
{
  const gsize bytes = 4 * sizeof (gfloat) * WIDTH * HEIGHT;
  GeglBuffer *input = picture (babl_format ("R'G'B'A float"));
  gfloat     *roomy = g_malloc (bytes), *tight = g_malloc (bytes);
  guint64     once, twice;

  tessera_set_opencl_mode (TESSERA_OPENCL_FORCE);
  sent_by_equalize (input, 2, 0, roomy);        /* the check of its kernels sends pictures of its own */
  once = sent_by_equalize (input, 2, 0, roomy);
  twice = sent_by_equalize (input, 2, 2, tight);
  expect (once >= bytes && once < bytes + bytes / 2, "equalize sends %" G_GUINT64_FORMAT " bytes of %" G_GSIZE_FORMAT, once, bytes);
  expect (twice >= 2 * bytes, "without room it sends %" G_GUINT64_FORMAT " bytes of %" G_GSIZE_FORMAT, twice, bytes);
  expect (memcmp (roomy, tight, bytes) == 0, "equalize depends on the device's memory");
  g_free (roomy);
  g_free (tight);
  g_object_unref (input);
}

/* Stored pixels that arrive in slices are decoded as they come; not where rows beyond the picture are wanted. */
static void
decodes_slices (void)
{
  const Babl *stored = babl_format ("R'G'B'A u8");
  const gsize bytes = 4 * sizeof (gfloat) * WIDTH * HEIGHT;
  GeglBuffer *floats = picture (babl_format ("R'G'B'A float")), *input = gegl_buffer_new (gegl_buffer_get_extent (floats), stored);
  gfloat     *results[2] = { g_malloc (bytes), g_malloc (bytes) };

  gegl_buffer_copy (floats, NULL, GEGL_ABYSS_NONE, input, NULL);
  tessera_set_tile_pixels (1);
  for (gint leg = 0; leg < 2; leg++)
    {
      GeglNode *graph = gegl_node_new ();
      GeglNode *source = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", input, NULL);
      GeglNode *node = gegl_node_new_child (graph, "operation", "tessera:motion-blur", "length", 120.0, "angle", 90.0, NULL);

      gegl_node_link (source, node);
      tessera_set_opencl_mode (leg ? TESSERA_OPENCL_FORCE : TESSERA_OPENCL_OFF);
      tessera_trim ();                  /* or the same pixels may be there from before */
      gegl_node_blit (node, 1.0, gegl_buffer_get_extent (input), babl_format ("R'G'B'A float"), results[leg], GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
      g_object_unref (graph);
    }
  tessera_set_tile_pixels (-1);
  expect (memcmp (results[0], results[1], bytes) == 0, "a picture that arrives in slices is not C's");
  g_free (results[0]);
  g_free (results[1]);
  g_object_unref (input);
  g_object_unref (floats);
}

int
main (int argc, char **argv)
{
  gint code;

  g_setenv ("GEGL_PATH", TEST_OPERATIONS_DIR G_SEARCHPATH_SEPARATOR_S TEST_PLUGINS_DIR, FALSE);
  gegl_init (&argc, &argv);
  notices ();
  sends_once ();
  decodes_slices ();
  for (guint i = 0; i < G_N_ELEMENTS (filters); i++)
    {
      if (! gegl_has_operation (filters[i].operation))
        g_error ("%s is missing", filters[i].operation);
      for (guint f = 0; f < G_N_ELEMENTS (formats); f++)
        for (gint v = 0; filters[i].values[v]; v++)
          for (gint leg = 0; leg < 2; leg++)
            if (filters[i].of != (formats[f][0] == 'R' ? OF_GREYS : OF_COLOURS))
              run (filters[i].operation, filters[i].property, filters[i].values[v], formats[f],
                   leg ? TESSERA_OPENCL_FORCE : TESSERA_OPENCL_OFF);
    }
  code = expect_told ();
  gegl_exit ();
  return code;
}
