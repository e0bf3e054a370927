/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * work [--in-c] TABLE: computes each row of the table (work.txt) and prints what that took.
 *
 * On a device: launches, bytes sent and fetched and the most device memory of a request, and the allocations of the same request once more.  With
 * --in-c only `measured` is called, for the instructions that callgrind counts within it (run-work.py). */
#include <gegl.h>
#include <string.h>

#include "tessera-control.h"

#define WIDTH  320
#define HEIGHT 240

#if GEGL_MICRO_VERSION >= 60
#define gegl_node_connect_to gegl_node_connect
#endif

/* Blobs of several sizes under noise: something to find for what looks for points, objects and edges. */
static GeglBuffer *
paint (const Babl *format, gint moved)
{
  const GeglRectangle box = { 0, 0, WIDTH, HEIGHT };
  GeglBuffer         *buffer = gegl_buffer_new (&box, format);
  g_autofree gfloat  *pixels = g_new (gfloat, 4 * WIDTH * HEIGHT);
  guint32             state = 12345;

  for (gint i = 0; i < WIDTH * HEIGHT; i++)
    {
      const gint x = i % WIDTH + moved, y = i / WIDTH, cell = x / 24 * 7 + y / 20 * 13;
      const gint dx = x % 24 - 6 - cell % 12, dy = y % 20 - 5 - cell % 9;

      for (gint c = 0; c < 3; c++)
        {
          state ^= state << 13;
          state ^= state >> 17;
          state ^= state << 5;
          pixels[4 * i + c] = 0.3f + 0.5f / (1 + (dx * dx + dy * dy) / (2.0f + cell % 5)) + 0.1f * (state >> 12) / (1 << 20);
        }
      pixels[4 * i + 3] = 1;
    }
  gegl_buffer_set (buffer, &box, 0, babl_format ("RGBA float"), pixels, GEGL_AUTO_ROWSTRIDE);
  return buffer;
}

/* callgrind counts what runs within it. */
static __attribute__ ((noinline)) void
measured (GeglNode *node, GeglBuffer *result)
{
  gegl_node_blit_buffer (node, result, gegl_buffer_get_extent (result), 0, GEGL_ABYSS_NONE);
}

static GeglNode *
source (GeglNode *graph, GeglBuffer *buffer)
{
  return gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", buffer, NULL);
}

/* NULL: the chain cannot be made. */
static GeglNode *
make (GeglNode *graph, const gchar *chain, GeglBuffer *input, GeglBuffer *aux)
{
  GeglNode *end = gegl_node_new_child (graph, "operation", "gegl:nop", NULL), *filter;
  GError   *error = NULL;

  gegl_create_chain (chain, source (graph, input), end, 0, 0, NULL, &error);
  filter = error ? NULL : gegl_node_get_producer (end, "input", NULL);
  if (! filter || ! g_str_has_prefix (chain, gegl_node_get_operation (filter)))
    {
      g_printerr ("%s: %s\n", chain, error ? error->message : "there is no such operation");
      return NULL;
    }
  g_object_set (filter, "dont-cache", TRUE, NULL);
  if (gegl_node_has_pad (filter, "aux"))
    gegl_node_connect_to (source (graph, aux), "output", filter, "aux");
  return filter;
}

static void
print_device (GeglNode *filter, GeglBuffer *result)
{
  TesseraCounters before, after, later;

  measured (filter, result);            /* programs are built */
  tessera_trim ();
  tessera_restart_peaks ();
  tessera_get_counters (&before);
  measured (filter, result);
  tessera_get_counters (&after);
  measured (filter, result);
  tessera_get_counters (&later);
  g_print ("%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %.2f %.2f %.2f %" G_GUINT64_FORMAT "\n",
           after.c_requests - before.c_requests, after.launches - before.launches,
           (gdouble) (after.uploaded_bytes - before.uploaded_bytes) / (WIDTH * HEIGHT),
           (gdouble) (after.downloaded_bytes - before.downloaded_bytes) / (WIDTH * HEIGHT),
           (gdouble) after.peak_bytes / (WIDTH * HEIGHT), later.allocations - after.allocations);
}

/* A row of the table is CHAIN | FORMAT | numbers. */
static gboolean
run (const gchar *row, gboolean in_c)
{
  g_auto (GStrv)        fields = g_strsplit (row, " | ", 3);
  const Babl           *format = babl_format (fields[1]);
  g_autoptr (GeglNode)  graph = gegl_node_new ();
  g_autoptr (GeglBuffer) input = paint (format, 0), aux = paint (format, 3);
  g_autoptr (GeglBuffer) result = NULL;
  GeglNode             *filter = make (graph, fields[0], input, aux);

  if (! filter)
    return FALSE;
  result = gegl_buffer_new (GEGL_RECTANGLE (0, 0, WIDTH, HEIGHT), format);
  if (in_c)
    {
      /* The process's first conversion of a kind makes babl search for a way: a corner that is not counted does that. */
      gegl_node_blit (filter, 1, GEGL_RECTANGLE (0, 0, 16, 16), format, g_alloca (16 * 16 * 16), GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
      measured (filter, result);
    }
  else
    print_device (filter, result);
  return TRUE;
}

int
main (int argc, char **argv)
{
  const gboolean    in_c = argc > 2 && strcmp (argv[1], "--in-c") == 0;
  g_autofree gchar *text = NULL;
  g_auto (GStrv)    rows = NULL;
  gboolean          is_good = TRUE;

  if (argc < 2 || ! g_file_get_contents (argv[argc - 1], &text, NULL, NULL))
    return 2;
  gegl_init (NULL, NULL);
  tessera_set_proof (FALSE);
  tessera_set_opencl_mode (in_c ? TESSERA_OPENCL_OFF : TESSERA_OPENCL_TRY);
  rows = g_strsplit (text, "\n", -1);
  for (gint i = 0; rows[i]; i++)
    if (rows[i][0] && rows[i][0] != '#')
      is_good &= run (rows[i], in_c);
  gegl_exit ();
  return ! is_good;
}
