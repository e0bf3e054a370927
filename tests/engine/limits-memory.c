/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * limits-memory.c: large blocks of memory; a host of little memory; results that a node keeps; an output that is a part of its owner's memory. */
#define _GNU_SOURCE
#include "limits-parts.h"

#include <dlfcn.h>
#include <gegl-plugin.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

GeglBuffer *
new_buffer (gint width, gint height, const gchar *format)
{
  return gegl_buffer_new (GEGL_RECTANGLE (0, 0, width, height), babl_format (format));
}

GeglNode *
new_filter (GeglNode *graph, GeglBuffer *input, const gchar *operation)
{
  GeglNode *source = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", input, NULL);
  GeglNode *node = gegl_node_new_child (graph, "operation", operation, NULL);

  gegl_node_link (source, node);
  return node;
}

/* ----------------------------------------------------------- large blocks -- */

#define BLOCKS       300
#define MOST_LEFT    64         /* MiB that may be left of them */

/* MiB that the process has mapped. */
static gint64
mapped (void)
{
  g_autofree gchar *text = NULL;

  if (! g_file_get_contents ("/proc/self/statm", &text, NULL, NULL))
    return -1;
  return g_ascii_strtoll (text, NULL, 10) * sysconf (_SC_PAGESIZE) >> 20;
}

/* Filters and commands take many of them, one after the other or several at a time. */
void
given_back (void)
{
  const gint64 before = mapped ();
  gpointer     some[3];

  for (gint i = 0; i < BLOCKS; i++)
    {
      for (guint k = 0; k < G_N_ELEMENTS (some); k++)
        {
          some[k] = tessera_large_new (((gsize) 1 << 20) * (k + 1) + i);
          memset (some[k], i, 4096);
        }
      for (guint k = 0; k < G_N_ELEMENTS (some); k++)
        tessera_large_free (some[k]);
    }
  tessera_large_free (NULL);
  expect (before > 0 && mapped () - before < MOST_LEFT, "%d blocks of 3 MiB have left %d MiB", 3 * BLOCKS, (gint) (mapped () - before));
}

/* ------------------------------------------------------------ small hosts -- */

static glong small_host;        /* pages that this machine is said to have, or 0 */

/* Stands before the C library's (the test exports it). */
__attribute__ ((visibility ("default"))) long
sysconf (int name)
{
  long (*real) (int) = dlsym (RTLD_NEXT, "sysconf");

  return name == _SC_PHYS_PAGES && small_host ? small_host : real (name);
}

static gboolean
labels_on_device (gint side)
{
  GeglBuffer     *input = new_buffer (side, side, "RGBA float"), *output = new_buffer (side, side, "RGBA float");
  GeglNode       *graph = gegl_node_new (), *node = new_filter (graph, input, "tessera:label");
  TesseraCounters before, after;

  tessera_trim ();
  tessera_set_opencl_mode (TESSERA_OPENCL_TRY);
  tessera_get_counters (&before);
  gegl_node_blit_buffer (node, output, gegl_buffer_get_extent (output), 0, GEGL_ABYSS_NONE);
  tessera_get_counters (&after);
  g_object_unref (graph);
  g_object_unref (input);
  g_object_unref (output);
  return after.device_requests > before.device_requests;
}

/* What travels is pinned, an eighth of the host's memory at most: with 512 MiB, 64. */
void
pinned (void)
{
  small_host = ((glong) 512 << 20) / sysconf (_SC_PAGESIZE);
  expect (labels_on_device (1200), "44 MiB were not pinned on a host of 512");
  expect (! labels_on_device (1600), "78 MiB were pinned on a host of 512");
  small_host = 0;
  expect (labels_on_device (1600), "78 MiB were not pinned on a host that has them");
}

/* A node keeps its last result.  The edge tiles that its first one made stay, so a little of that one's memory is held for good. */
void
held (void)
{
  GeglBuffer     *input = new_buffer (1000, 1000, "RGBA float"), *output = new_buffer (1000, 1000, "RGBA float");
  GeglNode       *graph = gegl_node_new (), *node = new_filter (graph, input, "tessera:label");
  TesseraCounters before, after;

  tessera_trim ();
  tessera_set_opencl_mode (TESSERA_OPENCL_FORCE);
  small_host = ((glong) 640 << 20) / sysconf (_SC_PAGESIZE);    /* a sixteenth: two results in tiles, but not three */
  for (gint i = 0; i < 5; i++)
    {
      gegl_node_set (node, "threshold", 0.5 - 0.1 * i, NULL);
      tessera_get_counters (&before);
      gegl_node_blit_buffer (node, output, gegl_buffer_get_extent (output), 0, GEGL_ABYSS_NONE);
      tessera_get_counters (&after);
      expect (after.tiles > before.tiles, "result %d was copied into its tiles", i + 1);
    }
  small_host = 0;
  g_object_unref (graph);
  g_object_unref (input);
  g_object_unref (output);
}

/* ------------------------------------------------------------- an owner's -- */

/* Settings that change nothing, asked for by a caller with buffers of its own. */
static void
neutral (GeglNode *node, GeglBuffer *input)
{
  const GeglRectangle *whole = gegl_buffer_get_extent (input);
  GeglBuffer          *output = gegl_buffer_new (whole, gegl_buffer_get_format (input));
  GeglOperation       *operation = gegl_node_get_gegl_operation (node);
  gfloat               pixel[4];

  gegl_node_set (node, "radius", 0, NULL);
  gegl_node_blit (node, 1.0, GEGL_RECTANGLE (0, 0, 1, 1), NULL, pixel, 0, GEGL_BLIT_DEFAULT);
  expect (GEGL_OPERATION_FILTER_GET_CLASS (operation)->process (operation, input, output, whole, 0), "a radius of 0 is a failure");
  gegl_buffer_sample (output, 300, 200, NULL, pixel, babl_format ("RaGaBaA float"), GEGL_SAMPLER_NEAREST, GEGL_ABYSS_NONE);
  expect (pixel[0] == 0.5f, "with a radius of 0 a pixel is %g", pixel[0]);
  g_object_unref (output);
}

void
owned (void)
{
  const GeglRectangle whole = { 0, 0, 512, 300 }, nothing = { 0, 0, 0, 0 };
  const Babl         *format = babl_format ("RaGaBaA float");
  GeglBuffer         *input = new_buffer (512, 300, "RaGaBaA float");
  gfloat             *memory = g_new (gfloat, 4 * 512 * 300);
  GeglNode           *graph = gegl_node_new (), *node = new_filter (graph, input, "tessera:mean-blur");
  GeglOperation      *operation;
  gfloat              pixel[4] = { 0.5f, 0.5f, 0.5f, 0.5f };

  gegl_buffer_set_color_from_pixel (input, &whole, pixel, format);
  gegl_node_blit (node, 1.0, GEGL_RECTANGLE (0, 0, 1, 1), NULL, pixel, 0, GEGL_BLIT_DEFAULT);   /* prepares it */
  operation = gegl_node_get_gegl_operation (node);
  expect (GEGL_OPERATION_FILTER_GET_CLASS (operation)->process (operation, NULL, input, &whole, 0), "no input is a failure");
  expect (GEGL_OPERATION_FILTER_GET_CLASS (operation)->process (operation, input, input, &nothing, 0), "no region is a failure");
  expect (tessera_process (&(TesseraRequest) { .roi = nothing }), "a request for nothing is a failure");
  for (gint deep = 0; deep < 3; deep++)
    {
      GeglBuffer *part, *deeper, *linear;

      memset (memory, 0, 4 * 512 * 300 * sizeof *memory);
      linear = gegl_buffer_linear_new_from_data (memory, format, &whole, 0, NULL, NULL);
      part = deep > 0 ? gegl_buffer_create_sub_buffer (linear, &whole) : g_object_ref (linear);
      deeper = deep > 1 ? gegl_buffer_create_sub_buffer (part, &whole) : g_object_ref (part);
      tessera_set_opencl_mode (TESSERA_OPENCL_FORCE);
      GEGL_OPERATION_FILTER_GET_CLASS (operation)->process (operation, input, deeper, &whole, 0);
      expect (fabsf (memory[4 * (150 * 512 + 200)] - 0.5f) < 1e-5f, "a part (%d) of a linear buffer: its owner's memory has %g",
              deep, memory[4 * (150 * 512 + 200)]);
      g_object_unref (deeper);
      g_object_unref (part);
      g_object_unref (linear);
    }
  neutral (node, input);
  g_object_unref (graph);
  g_object_unref (input);
  g_free (memory);
}
