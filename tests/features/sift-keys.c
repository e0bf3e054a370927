/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Key files in C and on the device, byte for byte: of photographs, and of the first drawn pictures of sift-points.
 *
 *   sift-keys [--cases N] [--print] PHOTOGRAPH...
 *
 * --print: a line with a checksum of each file, to be compared between machines. */
#include "sift-points.h"

#include <glib/gstdio.h>

#include "../engine/verdict.h"
#include "sift-test.h"
#include "tessera-control.h"

#define SEED 1

static gint     n_cases = 24;
static gboolean prints;
static gchar  **photographs;
static gchar   *path;           /* of the key file */

static const GOptionEntry entries[] =
{
  { "cases", 'n', 0, G_OPTION_ARG_INT, &n_cases, "Drawn pictures", "N" },
  { "print", 'p', 0, G_OPTION_ARG_NONE, &prints, "A checksum of each file", NULL },
  { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &photographs, NULL, "PHOTOGRAPH..." },
  { NULL, 0, 0, 0, NULL, NULL, NULL }
};

/* The key file of the picture; NULL: there is none. */
static gchar *
key_file (GeglBuffer *buffer, const RefSiftSettings *s, TesseraOpenclMode mode, gsize *length)
{
  GeglNode *graph = gegl_node_new (), *source, *sink;
  gchar    *bytes = NULL;

  tessera_set_opencl_mode (mode);
  source = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", buffer, NULL);
  sink = gegl_node_new_child (graph, "operation", "tessera:sift-save", "path", path, NULL);
  if (s)
    gegl_node_set (sink, "octaves", s->octaves, "intervals", s->intervals, "contrast-threshold", s->contrast_threshold,
                   "edge-threshold", s->edge_threshold, "sigma", s->sigma, "upsample", s->upsample, "max-features", s->max_features,
                   "normalization", s->root, NULL);
  gegl_node_link (source, sink);
  gegl_node_process (sink);
  g_object_unref (graph);
  *length = 0;
  g_file_get_contents (path, &bytes, length, NULL);
  g_remove (path);
  return bytes;
}

static void
compare (GeglBuffer *buffer, const RefSiftSettings *settings, const gchar *name)
{
  TesseraCounters before, after;
  gsize           length, other;
  gchar          *c = key_file (buffer, settings, TESSERA_OPENCL_OFF, &length), *device, *sum;

  tessera_get_counters (&before);
  device = key_file (buffer, settings, TESSERA_OPENCL_FORCE, &other);
  tessera_get_counters (&after);
  expect (c && device && length == other && ! memcmp (c, device, length), "%s: %zu bytes in C, %zu on the device, or others", name, length, other);
  expect (after.launches > before.launches || length < 8, "%s: no kernel ran", name);          /* 0 128 */
  sum = g_compute_checksum_for_data (G_CHECKSUM_SHA256, (const guchar *) (c ? c : ""), length);
  if (prints)
    g_print ("%s %s\n", sum, name);
  g_free (sum);
  g_free (device);
  g_free (c);
}

static void
compare_photograph (const gchar *photograph)
{
  GeglNode   *graph = gegl_node_new (), *load = gegl_node_new_child (graph, "operation", "gegl:load", "path", photograph, NULL), *sink;
  GeglBuffer *buffer = NULL;
  gchar      *name = g_path_get_basename (photograph);

  sink = gegl_node_new_child (graph, "operation", "gegl:buffer-sink", "buffer", &buffer, NULL);
  gegl_node_link (load, sink);
  gegl_node_process (sink);
  compare (buffer, NULL, name);
  g_object_unref (buffer);
  g_object_unref (graph);
  g_free (name);
}

int
sift_keys_test (int argc, char **argv)
{
  GOptionContext *context = g_option_context_new (NULL);
  gchar          *folder;

  g_option_context_add_main_entries (context, entries, NULL);
  if (! g_option_context_parse (context, &argc, &argv, NULL) || ! photographs || ! photographs[0])
    return 2;
  g_option_context_free (context);
  g_setenv ("GEGL_PATH", TEST_OPERATIONS_DIR G_SEARCHPATH_SEPARATOR_S TEST_PLUGINS_DIR, FALSE);
  gegl_init (NULL, NULL);
  folder = g_dir_make_tmp ("sift-keys-XXXXXX", NULL);
  path = g_build_filename (folder, "points.key", NULL);
  for (gint i = 0; photographs[i]; i++)
    compare_photograph (photographs[i]);
  for (gint i = 0; i < n_cases; i++)
    {
      SiftCase    c;
      GeglBuffer *buffer;
      gchar      *name = g_strdup_printf ("drawn picture %d", i);

      sift_case_draw (SEED, i, (const gchar *const *) photographs, &c);
      buffer = sift_case_buffer (&c);
      compare (buffer, &c.settings, name);
      g_free (name);
      g_object_unref (buffer);
      sift_case_clear (&c);
    }
  expect (g_rmdir (folder) == 0, "files are left in %s", folder);
  g_free (path);
  g_free (folder);
  g_strfreev (photographs);
  gegl_exit ();
  return expect_told ();
}
