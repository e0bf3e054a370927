/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Times Tessera's filters beside GEGL's own in one process, for each size, pixel
 * format and way to ask GEGL for the result.  bench.py starts this program for C
 * and for OpenCL and makes one report; alone it prints a markdown table:
 *
 *   GEGL_USE_OPENCL=no bench [--mpix N,N] [--runs N] [--rows TEXT] [--rivals no] ...
 *   bench --rows "motion-blur length/CLAHE" --runs 5 --turns 5         rows in turn: their ratio in one process.  Start it several times
 *   bench --formats u8 --sinks merge --side 2048       GIMP's rectangles depend on the time a filter takes; these are the same for all
 *
 * OpenCL is whatever GEGL_USE_OPENCL and TESSERA_OPENCL say.  Exit code 2: a
 * measurement was refused because it would mean nothing; 1: it is not to be trusted.
 */
#include "bench.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static gchar   *sizes, *formats, *sinks, *rows, *rivals, *first;
static gboolean json, chains, list, device, home, walk;
static BenchWishes wishes = { .runs = 7, .rivals = TRUE, .rival_limit = 10.0, .rival_mpix = -1.0 };

static gint band_rows, side, turns = 1;

static const GOptionEntry options[] = {
  { "mpix", 0, 0, G_OPTION_ARG_STRING, &sizes, "Image sizes in Mpix, 3:2, or like 2048x2048 (4)", "N,N" },
  { "formats", 0, 0, G_OPTION_ARG_STRING, &formats, "float, u8, or babl formats (float)", "A,B" },
  { "sinks", 0, 0, G_OPTION_ARG_STRING, &sinks, "whole, write, chunks, processor, preview, merge (whole)", "A,B" },
  { "side", 0, 0, G_OPTION_ARG_INT, &side, "preview, merge: squares of N pixels, the same for all rows (0: as GIMP asks)", "N" },
  { "rows", 0, 0, G_OPTION_ARG_STRING, &rows, "Rows whose title contains one of these", "TEXT/TEXT" },
  { "only", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_STRING, &rows, "The same", "TEXT" },
  { "chains", 0, 0, G_OPTION_ARG_NONE, &chains, "Chains of filters too", NULL },
  { "runs", 0, 0, G_OPTION_ARG_INT, &wishes.runs, "Timed runs of each (7)", "N" },
  { "turns", 0, 0, G_OPTION_ARG_INT, &turns, "Rows take turns: all of it so many times (1)", "N" },
  { "rivals", 0, 0, G_OPTION_ARG_STRING, &rivals, "no: Tessera alone", "no" },
  { "rival-sinks", 0, 0, G_OPTION_ARG_STRING, &wishes.rival_sinks, "Time rivals with these alone", "A,B" },
  { "rival-limit", 0, 0, G_OPTION_ARG_DOUBLE, &wishes.rival_limit,
    "Rivals slower than this get a smaller picture (10 s)", "S" },
  { "rival-mpix", 0, 0, G_OPTION_ARG_DOUBLE, &wishes.rival_mpix,
    "Largest picture for rivals (0: any; 1 where OpenCL runs on a processor)", "N" },
  { "band-rows", 0, 0, G_OPTION_ARG_INT, &band_rows, "Height of the engine's bands (0: its own choice)", "N" },
  { "home", 0, 0, G_OPTION_ARG_NONE, &home, "Each result goes to the host, also between filters of ours", NULL },
  { "json", 0, 0, G_OPTION_ARG_NONE, &json, "One JSON object a line", NULL },
  { "list", 0, 0, G_OPTION_ARG_NONE, &list, "The rows, as JSON", NULL },
  { "first", 0, 0, G_OPTION_ARG_STRING, &first, "One run of CHAIN (1024x768, u8) at once: when its pixels were there, as JSON", "CHAIN" },
  { "walk", 0, 0, G_OPTION_ARG_NONE, &walk, "All settings of the filters (1 Mpix): does `auto` take the faster path?", NULL },
  { "device", 0, 0, G_OPTION_ARG_NONE, &device, "What the OpenCL device can do at best, as JSON", NULL },
  { NULL, 0, 0, 0, NULL, NULL, NULL }
};

static void refuse (const gchar *format, ...) G_GNUC_PRINTF (1, 2) G_GNUC_NORETURN;

static void
refuse (const gchar *format, ...)
{
  va_list arguments;
  gchar  *text;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_printerr ("bench: refused: %s\n", text);
  exit (2);
}

/* ------------------------------------------------------------- refusals -- */

static void
refuse_missing (const gchar *chain)
{
  gchar *missing = bench_missing (chain);

  if (missing)
    refuse ("there is no operation %s, and GEGL would pass pixels through unchanged; GEGL_PATH must list "
            "Tessera's modules (build/operations) and GEGL's own plug-in folder", missing);
}

static void
refuse_disk_swap (void)
{
  g_autofree gchar *swap = NULL;

  g_object_get (gegl_config (), "swap", &swap, NULL);
  if (swap && *swap && g_ascii_strcasecmp (swap, "ram") != 0)
    refuse ("GEGL swaps tiles to disk (%s), which would be timed instead of the filter; "
            "set GEGL_SWAP=RAM or leave it out", swap);
}

static void
refuse_nonsense (void)
{
  gboolean any = FALSE;

  for (const BenchRow *row = bench_rows (); row->title; row++)
    any = any || bench_row_wanted (row, rows, chains);
  if (! any)
    refuse ("no row's title contains %s; bench --list names them", rows);
  if (wishes.runs < 1)
    refuse ("--runs %d: at least 1 is needed", wishes.runs);
  if (turns < 1)
    refuse ("--turns %d: at least 1 is needed", turns);
}

static gchar **
words (const gchar *text, const gchar *otherwise)
{
  return g_strsplit (text ? text : otherwise, ",", -1);
}

static BenchSink
sink_named (const gchar *name)
{
  for (gint i = 0; i < BENCH_SINKS; i++)
    if (strcmp (name, bench_sink_names[i]) == 0)
      return i;
  refuse ("no sink %s; there are whole, write, chunks, processor, preview, merge", name);
}

/* ------------------------------------------------------------- the loop -- */

/* One row at one size and format; FALSE: not on the path that was asked for. */
static gboolean
bench_row (const BenchRow *row, gint width, gint height, const Babl *format)
{
  const gdouble tolerance = bench_is_u8 (format) ? 1.01 / 255.0 : 1e-5;
  BenchJob      job = { .row = row, .format = format, .input = bench_picture (width, height, format, row->dots) };
  BenchResult  *first = NULL;
  gchar       **names = words (bench_steps (row->ours) > 1 ? "whole" : sinks, "whole");
  gboolean      good = TRUE;

  bench_job_start (&job, &wishes);
  for (gint i = 0; names[i]; i++)
    {
      BenchResult  *result = bench_measure (&job, sink_named (names[i]), &wishes);
      const gdouble off = first ? bench_difference (first->samples, result->samples) : 0.0;

      if (! (off <= tolerance))
        refuse ("%s, %s: the sinks %s and %s give results that differ by %g (allowed: %g): mend the filter, "
                "then measure", row->title, babl_get_name (format), names[0], names[i], off, tolerance);
      if (json)
        bench_print_json (&job, result);
      else
        bench_print_row (&job, result);
      good = good && ! result->astray;
      if (first)
        bench_result_free (result);
      else
        first = result;
    }
  bench_result_free (first);
  g_strfreev (names);
  bench_job_clear (&job);
  return good;
}

/* Of the words in --mpix and --formats. */
static void
parse_size (const gchar *mpix, gint *width, gint *height)
{
  if (! bench_size (mpix, width, height))
    refuse ("--mpix %s: sizes are from 0.0001 to 1000 Mpix, or like 2048x2048", mpix);
}

static const Babl *
parse_format (const gchar *name)
{
  const Babl *format = bench_format (name);

  if (! format)
    refuse ("no pixel format %s; float and u8, or a name that babl knows", name);
  return format;
}

static gboolean
bench_all (void)
{
  g_auto (GStrv) mpix = words (sizes, "4"), names = words (formats, "float");
  gboolean good = TRUE;

  for (gint i = 0; mpix[i]; i++)
    for (gint j = 0; names[j]; j++)
      {
        const Babl *format = parse_format (names[j]);
        gint        width, height;

        parse_size (mpix[i], &width, &height);
        for (const BenchRow *row = bench_rows (); row->title; row++)
          if (bench_row_wanted (row, rows, chains))
            {
              refuse_missing (row->ours);
              if (wishes.rivals && row->rival)
                refuse_missing (row->rival);
              good = bench_row (row, width, height, format) && good;
            }
      }
  return good;
}

/* Nothing that takes time comes before. */
static void
print_first (void)
{
  gint width, height;

  refuse_missing (first);
  parse_size (sizes ? sizes : "1024x768", &width, &height);
  bench_print_first (first, width, height, parse_format (formats ? formats : "u8"));
}

static gboolean
take_walk (void)
{
  gint width, height;

  parse_size (sizes ? sizes : "1", &width, &height);
  return bench_walk (rows, width, height, parse_format (formats ? formats : "float"));
}

static void
print_device (const gchar *kind, const BenchDevice *best)
{
  g_autoptr (JsonBuilder) json = json_builder_new ();

  put_object (json, NULL);
  put_text (json, "type", "device");
  put_text (json, "name", tessera_device_name () ? tessera_device_name () : "");
  put_text (json, "kind", kind);
  put_number (json, "copy_gb_s", "%.2f", best->copy);
  put_number (json, "upload_pinned_gb_s", "%.2f", best->upload_pinned);
  put_number (json, "download_pinned_gb_s", "%.2f", best->download_pinned);
  put_number (json, "upload_pageable_gb_s", "%.2f", best->upload_pageable);
  put_number (json, "download_pageable_gb_s", "%.2f", best->download_pageable);
  put_number (json, "gflops", "%.1f", best->gflops);
  json_print_line (json);
}

static gboolean
measure_device (gpointer context, gpointer handle)
{
  BenchDevice best = { 0 };
  gboolean    done = TRUE;

  if (handle)
    done = bench_device_measure (context, handle, &best);
  if (done)
    print_device (handle ? bench_device_kind (handle) : "none", &best);
  return done;
}

static void
parse_options (int argc, char **argv)
{
  GOptionContext *context = g_option_context_new ("- times Tessera's filters");
  GError         *error = NULL;

  g_option_context_add_main_entries (context, options, NULL);
  if (! g_option_context_parse (context, &argc, &argv, &error))
    refuse ("%s", error->message);
  if (argc > 1)
    refuse ("%s is no option", argv[1]);
  g_option_context_free (context);
  wishes.rivals = ! rivals || strcmp (rivals, "no") != 0;
}

int
main (int argc, char **argv)
{
  gpointer context = NULL, handle = NULL;
  gboolean good = TRUE;

  parse_options (argc, argv);
  if (list)
    {
      bench_print_list ();
      return 0;
    }
  g_setenv ("GEGL_SWAP", "RAM", FALSE);
  g_setenv ("GEGL_CACHE_SIZE", "8000", FALSE);
  gegl_init (NULL, NULL);
  g_object_set (gegl_config (), "application-license", "GPL3", NULL);   /* else GEGL hides those of its operations that are under the GPL */
  tessera_set_band_rows (MAX (band_rows, 0));
  tessera_set_residence (! home);
  bench_gimp_set_side (MAX (side, 0));
  refuse_disk_swap ();
  if (first)
    {
      print_first ();
      gegl_exit ();
      return 0;
    }
  refuse_nonsense ();
  if (tessera_device_name ())
    bench_gegl_device (&context, &handle);
  if (wishes.rival_mpix < 0.0)
    wishes.rival_mpix = handle && strcmp (bench_device_kind (handle), "cpu") == 0 ? 1.0 : 0.0;
  if (device)
    good = measure_device (context, handle);
  else if (walk)
    good = take_walk ();
  else
    for (gint i = 0; i < turns; i++)
      good = bench_all () && good;
  gegl_exit ();
  return good ? 0 : 1;
}
