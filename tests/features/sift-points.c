/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * sift-points: what tessera:sift-save writes of random pictures with random settings, against a reference that was written
 * from the specification alone (tests/check/references/sift.h).  In C and on the device, on one thread and on four, every
 * byte is the same.  The three kinds of files say the same.  A file takes its place whole, or stays what it was.
 *
 *   sift-points [--seed S] [--cases N] [--case K] PHOTOGRAPH... */
#include "sift-points.h"

#include <glib/gstdio.h>
#include <locale.h>

#include "../engine/verdict.h"
#include "sift-test.h"

#define USUAL_SEED 20261123
#define WIDE       1000         /* takes seconds */

static gint64   seed = USUAL_SEED;
static gint     n_cases = 60, only_case = -1;
static gchar  **photographs;
static gchar   *folder;
static gint     warnings;
static gboolean refuses;        /* a warning is what is waited for */

static const GOptionEntry entries[] =
{
  { "seed", 's', 0, G_OPTION_ARG_INT64, &seed, "Seed of the run", "S" },
  { "cases", 'n', 0, G_OPTION_ARG_INT, &n_cases, "Cases", "N" },
  { "case", 'c', 0, G_OPTION_ARG_INT, &only_case, "This case alone", "K" },
  { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &photographs, NULL, "PHOTOGRAPH..." },
  { NULL, 0, 0, 0, NULL, NULL, NULL }
};

typedef struct
{
  gchar *bytes;
  gsize  length;
} File;

/* ------------------------------------------------------------------ save -- */

/* SIFT_FILES: by the path's ending. */
static GeglNode *
sink_of (GeglNode *graph, const SiftCase *c, SiftFile file, const gchar *path)
{
  const RefSiftSettings *s = &c->settings;
  GeglNode              *node = gegl_node_new_child (graph, "operation", "tessera:sift-save", "path", path, NULL);
  GParamSpec            *spec = gegl_node_find_property (node, "format");

  if (file != SIFT_FILES)
    gegl_node_set (node, "format",
                   g_enum_get_value_by_nick (g_type_class_peek (spec->value_type), sift_file_nicks[file])->value, NULL);
  gegl_node_set (node, "octaves", s->octaves, "intervals", s->intervals, "contrast-threshold", s->contrast_threshold,
                 "edge-threshold", s->edge_threshold, "sigma", s->sigma, "upsample", s->upsample,
                 "max-features", s->max_features, "normalization", s->root, NULL);
  return node;
}

static void
save (const SiftCase *c, GeglBuffer *buffer, SiftFile file, gboolean on_device, gint threads, const gchar *path)
{
  GeglNode *graph = gegl_node_new (), *source, *sink;

  g_object_set (gegl_config (), "threads", threads, NULL);
  tessera_set_opencl_mode (on_device ? TESSERA_OPENCL_FORCE : TESSERA_OPENCL_OFF);
  source = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", buffer, NULL);
  sink = sink_of (graph, c, file, path);
  gegl_node_link (source, sink);
  gegl_node_process (sink);
  g_object_unref (graph);
}

/* What was written; no bytes where there is no file.  The name has no ending that could decide. */
static File
saved (const SiftCase *c, GeglBuffer *buffer, SiftFile file, gboolean on_device, gint threads)
{
  gchar *path = g_build_filename (folder, "points", NULL);
  File   result = { NULL, 0 };

  save (c, buffer, file, on_device, threads, path);
  g_file_get_contents (path, &result.bytes, &result.length, NULL);
  g_remove (path);
  g_free (path);
  return result;
}

static gboolean
same (const File *a, const File *b)
{
  return a->bytes && b->bytes && a->length == b->length && ! memcmp (a->bytes, b->bytes, a->length);
}

/* ------------------------------------------------------------------ case -- */

static void
check_paths (const SiftCase *c, GeglBuffer *buffer, const File *expected, SiftFile file, const gchar *text)
{
  static const struct { gboolean on_device; gint threads; } ways[] = { { FALSE, 4 }, { TRUE, 1 }, { TRUE, 4 } };

  for (guint i = c->box.width > WIDE ? 2 : 0; i < G_N_ELEMENTS (ways); i++)
    if (i < 2 || c->number % 4 == 0)
      {
        const gboolean on_device = ways[i].on_device;
        TesseraCounters before, after;
        File            other;

        tessera_get_counters (&before);
        other = saved (c, buffer, file, on_device, ways[i].threads);
        tessera_get_counters (&after);
        expect (same (expected, &other), "%s with %d threads writes another %s than C: %s", on_device ? "OpenCL" : "C",
                ways[i].threads, sift_file_nicks[file], text);
        expect ((after.launches > before.launches) == on_device || (on_device && expected->length < 1200),
                "%s takes another path: %s", on_device ? "OpenCL" : "C", text);
        g_free (other.bytes);
      }
}

static void
check_kinds (const SiftCase *c, GeglBuffer *buffer, const GArray *csv, const gchar *text)
{
  for (SiftFile kind = 0; kind < SIFT_CSV; kind++)
    {
      File    file = saved (c, buffer, kind, c->number % 2, 4);
      gchar  *why = NULL;
      GArray *rows = file.bytes ? sift_file_read (file.bytes, file.length, kind, &why) : NULL;

      if (rows)
        why = sift_files_differ (csv, rows, kind);
      expect (rows && ! why, "%s: %s: %s", sift_file_nicks[kind], why ? why : "no file", text);
      g_free (why);
      g_free (file.bytes);
      if (rows)
        g_array_unref (rows);
    }
}

/* The reference is given what babl makes of the buffer where the luminance is converted. */
static void
read_luminance (SiftCase *c, GeglBuffer *buffer)
{
  const gsize n = (gsize) c->box.width * c->box.height;
  gfloat     *pixels = g_new (gfloat, 2 * n);

  gegl_buffer_get (buffer, NULL, 1.0, babl_format ("Y~aA float"), pixels, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
  for (gsize i = 0; i < n; i++)
    c->luminance[i] = pixels[2 * i];
  g_free (pixels);
}

static void
one_case (gint number, SiftCount *count)
{
  SiftCase    c;
  RefSift     reference;
  GeglBuffer *buffer;
  GArray     *rows;
  File        csv;
  gchar      *text, *why = NULL;

  sift_case_draw (seed, number, (const gchar *const *) photographs, &c);
  text = sift_case_text (&c);
  buffer = sift_case_buffer (&c);
  if (c.format > SIFT_YA)
    read_luminance (&c, buffer);
  csv = saved (&c, buffer, SIFT_CSV, FALSE, 1);
  rows = csv.bytes ? sift_file_read (csv.bytes, csv.length, SIFT_CSV, &why) : NULL;
  expect (rows != NULL, "csv: %s: %s", why ? why : "no file", text);
  if (rows)
    {
      reference_sift (c.luminance, c.box.width, c.box.height, &c.settings, &reference);
      why = sift_differs (&c, rows, &reference, count);
      expect (! why, "%s: %s", why, text);
      expect (number != 3 || rows->len > 0, "nothing in the smallest octave");
      reference_sift_free (&reference);
      check_paths (&c, buffer, &csv, SIFT_CSV, text);
      if (c.box.width <= WIDE)
        check_kinds (&c, buffer, rows, text);
      g_array_unref (rows);
    }
  g_free (why);
  g_free (text);
  g_free (csv.bytes);
  g_object_unref (buffer);
  sift_case_clear (&c);
}

/* ---------------------------------------------------------------- places -- */

/* Where no format is asked for, the ending says it. */
static void
check_endings (const SiftCase *c, GeglBuffer *buffer)
{
  static const struct { const gchar *name; SiftFile file; } endings[] =
    { { "points.key", SIFT_LOWE }, { "points.csv", SIFT_CSV }, { "points.txt", SIFT_COLMAP }, { "points", SIFT_LOWE } };

  for (guint i = 0; i < G_N_ELEMENTS (endings); i++)
    {
      gchar    *path = g_build_filename (folder, endings[i].name, NULL);
      GeglNode *graph = gegl_node_new (), *sink = sink_of (graph, c, SIFT_FILES, path);
      File      expected = saved (c, buffer, endings[i].file, FALSE, 1), found = { NULL, 0 };
      gint      count = -1;

      gegl_node_link (gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", buffer, NULL), sink);
      gegl_node_process (sink);
      gegl_node_get (sink, "count", &count, NULL);
      g_file_get_contents (path, &found.bytes, &found.length, NULL);
      expect (same (&expected, &found), "%s is no %s file", endings[i].name, sift_file_nicks[endings[i].file]);
      expect (endings[i].file == SIFT_CSV || (found.bytes && count == atoi (found.bytes)), "count %d beside %.8s", count,
              found.bytes ? found.bytes : "");
      g_remove (path);
      g_free (path);
      g_free (expected.bytes);
      g_free (found.bytes);
      g_object_unref (graph);
    }
}

static gint
count_files (void)
{
  GDir *dir = g_dir_open (folder, 0, NULL);
  gint  n = 0;

  while (g_dir_read_name (dir))
    n++;
  g_dir_close (dir);
  return n;
}

/* Who has the old file open reads it to its end: it is not written into. */
static void
check_replaced (const SiftCase *c, GeglBuffer *buffer)
{
  const gchar *old = "the old file, to its end\n";
  gchar       *path = g_build_filename (folder, "points.key", NULL), *bytes, line[64] = "";
  FILE        *open;

  g_file_set_contents (path, old, -1, NULL);
  open = g_fopen (path, "r");
  save (c, buffer, SIFT_LOWE, FALSE, 1, path);
  expect (fgets (line, sizeof line, open) && ! strcmp (line, old), "the old file is written into: it begins with %.20s", line);
  expect (g_file_get_contents (path, &bytes, NULL, NULL) && strcmp (bytes, old) && g_str_has_suffix (bytes, "\n"),
          "the old file is not replaced");
  expect (count_files () == 1, "%d files in the folder, one was saved", count_files ());
  fclose (open);
  g_remove (path);
  g_free (bytes);
  g_free (path);
}

static GLogWriterOutput
count_warning (GLogLevelFlags level, const GLogField *fields, gsize n, gpointer data)
{
  warnings += (level & (G_LOG_LEVEL_WARNING | G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_MESSAGE)) != 0;
  return refuses ? G_LOG_WRITER_HANDLED : g_log_writer_default (level, fields, n, data);
}

static void
count_line (const gchar *line)
{
  warnings += line[0] != '\0';
}

/* A folder that is not there, a file for a folder, a folder for a file, no name. */
static void
check_refused (const SiftCase *c, GeglBuffer *buffer)
{
  gchar *file = g_build_filename (folder, "file", NULL), *inside = g_build_filename (folder, "inside", NULL);
  gchar *full = g_build_filename (inside, "kept", NULL);
  gchar *paths[] = { g_build_filename (folder, "missing", "points.key", NULL), g_build_filename (file, "points.key", NULL),
                     g_strdup (inside), g_strdup ("") };

  g_file_set_contents (file, "file", -1, NULL);
  g_mkdir (inside, 0700);
  g_file_set_contents (full, "kept", -1, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (paths); i++)
    {
      GPrintFunc before = g_set_printerr_handler (count_line);

      warnings = 0;
      refuses = TRUE;
      save (c, buffer, SIFT_LOWE, FALSE, 1, paths[i]);
      g_set_printerr_handler (before);
      refuses = FALSE;
      expect (warnings > 0, "no word about %s", paths[i]);
      expect (count_files () == 2, "%d files in the folder, two were there", count_files ());
      g_free (paths[i]);
    }
  expect (g_file_test (full, G_FILE_TEST_EXISTS), "the folder in the place of the file is gone");
  g_remove (full);
  g_remove (inside);
  g_remove (file);
  g_free (full);
  g_free (inside);
  g_free (file);
}

static void
check_places (void)
{
  SiftCase    c;
  GeglBuffer *buffer;

  /* Numbers have points, where the system has that language too. */
  setlocale (LC_NUMERIC, "de_DE.UTF-8");
  sift_case_draw (seed, 2, (const gchar *const *) photographs, &c);
  c.settings.max_features = 50;
  buffer = sift_case_buffer (&c);
  check_endings (&c, buffer);
  check_replaced (&c, buffer);
  check_refused (&c, buffer);
  g_object_unref (buffer);
  sift_case_clear (&c);
}

/* ------------------------------------------------------------------ main -- */

static gboolean
parse (gint *argc, gchar ***argv)
{
  GOptionContext *context = g_option_context_new (NULL);
  GError         *error = NULL;
  gboolean        good;

  g_option_context_add_main_entries (context, entries, NULL);
  good = g_option_context_parse (context, argc, argv, &error) && photographs;
  if (! good)
    g_printerr ("sift-points: %s\n", error ? error->message : "no photograph");
  g_option_context_free (context);
  return good;
}

int
sift_points_test (int argc, char **argv)
{
  SiftCount count = { 0, 0, 0, 0 };
  gint      code;

  if (! parse (&argc, &argv))
    return 2;
  g_setenv ("GEGL_PATH", TEST_OPERATIONS_DIR G_SEARCHPATH_SEPARATOR_S TEST_PLUGINS_DIR, FALSE);
  g_log_set_writer_func (count_warning, NULL, NULL);
  gegl_init (NULL, NULL);
  tessera_set_proof (FALSE);
  if (! gegl_has_operation ("tessera:sift-save"))
    g_error ("tessera:sift-save is missing");
  folder = g_dir_make_tmp ("sift-points-XXXXXX", NULL);
  for (gint i = only_case >= 0 ? only_case : 0; i <= (only_case >= 0 ? only_case : n_cases - 1); i++)
    one_case (i, &count);
  if (only_case < 0)
    check_places ();
  expect (g_rmdir (folder) == 0, "files are left in %s", folder);
  g_print ("%zu keypoints, %zu excused by %zu doubts, %zu elements between two numbers\n", count.points, count.excused,
           count.doubts, count.rounded);
  code = expect_told ();
  g_free (folder);
  g_strfreev (photographs);
  gegl_exit ();
  return code;
}
