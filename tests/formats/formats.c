/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * formats: what the engine, on the device and in C, makes of pixels on their way between the
 * formats that buffers store and those that filters work in, against babl and the formula,
 * over the whole domain of each.  `formats --help` lists the options; `--table` shows the error of every conversion. */
#include "formats.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static gchar   *only;
static gint     stride = 20011;
static gboolean table;

static const GOptionEntry entries[] =
{
  { "table", 't', 0, G_OPTION_ARG_NONE, &table, "Print what was measured, as markdown", NULL },
  { "only", 'o', 0, G_OPTION_ARG_STRING, &only, "Conversions whose name (\"R'G'B' u8 -> RGBA float\") contains this", "TEXT" },
  { "stride", 's', 0, G_OPTION_ARG_INT, &stride, "Of floats, try every N-th bit pattern (20011; 97 takes much longer)", "N" },
  { NULL, 0, 0, 0, NULL, NULL, NULL }
};

static const gchar *const types[] = { "u8", "u16", "half", "float" };

/* ---------------------------------------------------------------- travel -- */

/* Bytes of the table that goes up with integers; halves and floats need none. */
static guint64
table_bytes (const FormatsKind *kind)
{
  guint64 codes = kind->type == TYPE_U8 ? 256 : 65536;

  return kind->type >= TYPE_HALF ? 0 : codes * (kind->alpha ? 2 : 1) * sizeof (gfloat);
}

/* Of all tiles that `pixels` meet: what is sent straight into tiles comes with the rest of each; the last band
 * may have too few whole ones for that. */
static guint64
pixels_of_tiles (guint64 pixels)
{
  const guint64 rows = pixels / FORMATS_WIDTH;
  gint          width, height;

  g_object_get (gegl_config (), "tile-width", &width, "tile-height", &height, NULL);
  return (guint64) ((FORMATS_WIDTH + width - 1) / width * width) * ((rows + height - 1) / height * height);
}

/* Did the pixels travel as they are stored? */
static gboolean
travelled_raw (const FormatsConversion *conversion, gsize n, const TesseraCounters *did, gboolean decodes,
               const gchar *name)
{
  const guint64 pixels = (n + FORMATS_WIDTH - 1) / FORMATS_WIDTH * FORMATS_WIDTH;
  const guint64 up = pixels * conversion->from->bytes
                     + did->requests * table_bytes (decodes ? conversion->from : conversion->to);
  const guint64 down = pixels * conversion->to->bytes;
  const guint64 most_down = (did->tiles ? pixels_of_tiles (pixels) : pixels) * conversion->to->bytes;

  if (did->device_requests > 0 && did->device_requests == did->requests && did->fallbacks == 0
      && did->uploaded_bytes == up && did->downloaded_bytes >= down && did->downloaded_bytes <= most_down)
    return TRUE;
  printf ("FAIL %s: %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " requests on the device; %" G_GUINT64_FORMAT
          " bytes up (%" G_GUINT64_FORMAT " expected), %" G_GUINT64_FORMAT " down (%" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT ")\n",
          name, did->device_requests, did->requests, did->uploaded_bytes, up, did->downloaded_bytes, down, most_down);
  return FALSE;
}

/* Did C alone do it? */
static gboolean
stayed_in_c (const TesseraCounters *did, const gchar *name)
{
  if (did->c_requests > 0 && did->c_requests == did->requests && did->device_requests == 0
      && did->uploaded_bytes == 0 && did->downloaded_bytes == 0)
    return TRUE;
  printf ("FAIL %s: without OpenCL %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " requests in C, %" G_GUINT64_FORMAT
          " on the device\n", name, did->c_requests, did->requests, did->device_requests);
  return FALSE;
}

/* ---------------------------------------------------------------- checks -- */

static gboolean
check_conversion (const FormatsConversion *conversion, gboolean decodes, const gchar *name)
{
  const FormatsKind *from = conversion->from, *to = conversion->to;
  const gchar       *working = babl_format_get_encoding (decodes ? to->babl : from->babl);
  FormatsDomain      domain = formats_domain (conversion, stride);
  FormatsRun         device = formats_run (from->babl, domain.pixels, domain.n, working, to->babl, TRUE);
  FormatsRun         c_path = formats_run (from->babl, domain.pixels, domain.n, working, to->babl, FALSE);
  guint8            *babl = g_malloc0 (domain.n * to->bytes);
  FormatsStats       stats = { 0 };
  gboolean           good;

  babl_process (babl_fish (from->babl, to->babl), domain.pixels, babl, domain.n);
  formats_compare (conversion, &domain, device.pixels, babl, c_path.pixels, &stats);
  good = travelled_raw (conversion, domain.n, &device.did, decodes, name);
  good = stayed_in_c (&c_path.did, name) && good;
  if (stats.failed)
    {
      good = FALSE;
      printf ("FAIL %s: %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " components; %s\n", name, stats.failed,
              stats.components, stats.first);
    }
  if (table)
    formats_table_row (conversion, domain.n, &stats);
  g_free (stats.first);
  g_free (babl);
  g_free (device.pixels);
  g_free (c_path.pixels);
  g_free (domain.pixels);
  return good;
}

static void
check_pair (const FormatsKind *stored, const FormatsKind *working, gint *passed, gint *failed)
{
  for (gint decodes = 1; decodes >= 0; decodes--)
    {
      const FormatsKind *from = decodes ? stored : working, *to = decodes ? working : stored;
      FormatsConversion  conversion = { from, to, { 0 } };
      gchar             *name = g_strdup_printf ("%s %s -> %s %s", from->model, types[from->type], to->model,
                                                 types[to->type]);

      babl_space_get_rgb_luminance (babl_format_get_space (stored->babl), &conversion.weights[0],
                                    &conversion.weights[1], &conversion.weights[2]);
      if (! only || strstr (name, only))
        {
          gboolean good = check_conversion (&conversion, decodes, name);

          *passed += good;
          *failed += ! good;
          fflush (stdout);
        }
      g_free (name);
    }
}

/* What the engine converts is tested here. */
static void
check_known (gint *passed, gint *failed)
{
  gchar *format;

  for (guint i = 0; (format = tessera_known_format (i)); i++)
    {
      const gboolean good = formats_has_type (format) && (formats_has_model (format) || formats_has_twin (format));

      if (! good)
        printf ("FAIL the engine converts %s (opencl/engine/formats.c); neither kinds.c nor the twins of foreign.c have "
                "it\n", format);
      *passed += good;
      *failed += ! good;
      g_free (format);
    }
}

/* ------------------------------------------------------------------ main -- */

/* babl remembers between processes, and in one file for all, by which way it converts; what a
 * loaded machine put there once is not what is compared here.  An empty folder for it; PoCL keeps its own. */
static gchar *
forget_babl (void)
{
  gchar *folder = g_dir_make_tmp ("tessera-formats-XXXXXX", NULL);
  gchar *kernels = g_build_filename (g_get_user_cache_dir (), "pocl", "kcache", NULL);

  g_setenv ("POCL_CACHE_DIR", kernels, FALSE);
  if (folder)
    g_setenv ("XDG_CACHE_HOME", folder, TRUE);
  g_free (kernels);
  return folder;
}

static void
remember_babl (gchar *folder)
{
  gchar *inner = folder ? g_build_filename (folder, "babl", NULL) : NULL;
  gchar *file = inner ? g_build_filename (inner, "babl-fishes", NULL) : NULL;

  if (file)
    {
      g_remove (file);
      g_rmdir (inner);
      g_rmdir (folder);
    }
  g_free (file);
  g_free (inner);
  g_free (folder);
}

/* Returns what remember_babl wants. */
static gchar *
start (int *argc, char ***argv)
{
  gchar          *babl_folder;
  GOptionContext *context = g_option_context_new ("- stored formats on the device, against babl and the formula");
  GError         *error = NULL;

  g_option_context_add_main_entries (context, entries, NULL);
  if (! g_option_context_parse (context, argc, argv, &error))
    {
      g_printerr ("formats: %s\n", error->message);
      exit (2);
    }
  g_option_context_free (context);
  stride = MAX (stride, 1);
  g_setenv ("GEGL_USE_OPENCL", "cpu", FALSE);
  g_setenv ("GEGL_SWAP", "RAM", FALSE);
  g_setenv ("GEGL_PATH", FORMATS_OPERATIONS_DIR G_SEARCHPATH_SEPARATOR_S FORMATS_PLUGINS_DIR, FALSE);
  babl_folder = forget_babl ();
  gegl_init (NULL, NULL);
  tessera_set_proof (FALSE);
  tessera_set_delivery (TRUE);
  g_object_set (gegl_config (), "use-opencl", TRUE, NULL);
  return babl_folder;
}

int
main (int argc, char **argv)
{
  gboolean had_folder = g_file_test ("RAM", G_FILE_TEST_EXISTS);
  gchar   *babl_folder;
  gint     passed = 0, failed = 0;

  babl_folder = start (&argc, &argv);
  if (! gegl_has_operation ("tessera:copy") || ! tessera_device_name ())
    {
      printf ("FAIL there is no %s\n0 passed, 1 failed\n",
              tessera_device_name () ? "operation tessera:copy (GEGL_PATH)" : "OpenCL device (GEGL_USE_OPENCL)");
      gegl_exit ();
      remember_babl (babl_folder);
      return 1;
    }
  printf ("%s, every %d-th float\n", tessera_device_name (), stride);
  if (table)
    formats_table_head ();
  for (gint i = 0; i < FORMATS_STORED; i++)
    for (gint k = 0; k < FORMATS_WORKING; k++)
      {
        FormatsKind stored = formats_stored (i), working = formats_working (k);

        check_pair (&stored, &working, &passed, &failed);
      }
  if (! only)
    {
      formats_foreign (&passed, &failed);
      check_known (&passed, &failed);
    }
  printf ("%d passed, %d failed\n", passed, failed);
  gegl_exit ();
  remember_babl (babl_folder);
  if (! had_folder)
    g_rmdir ("RAM");            /* GEGL 0.4.42 makes an empty one for GEGL_SWAP=RAM */
  return failed || ! passed;
}
