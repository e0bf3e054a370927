/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A program of the harness: C, OpenCL and a double-precision reference of every filter on the
 * same random input.  `check --help` lists the options; a failure prints the line that repeats it.
 *
 *   check --self-test                                          filters that are wrong on purpose must be caught
 *   check --hashes tests/check/hashes.txt --legs c             the same bits as everywhere (--print-hashes makes the file)
 */
#include "check.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define MANY_VERDICTS 50
#define EXCUSED_LIMIT 0.3
#define EXCUSED_CASES 100       /* fewer may have some cases of NaN by chance */
#define MOST_WAITING 4          /* times a limit by the clock */
#define HASHED_CASES 200        /* as in hashes.txt */

static gchar   *only_filter, *legs_wanted, *set_wanted, *seed_wanted, *hashes_file;
static gint     n_cases = -1, one_case = -1, max_size = 700;
static gboolean only_parity, only_laws, only_faults, only_edges, only_self_test, skip_without_device, print_hashes, tight_memory;
static gdouble  seconds;

static const GOptionEntry entries[] =
{
  { "filter", 'f', 0, G_OPTION_ARG_STRING, &only_filter, "This filter alone", "NAME" },
  { "cases", 'n', 0, G_OPTION_ARG_INT, &n_cases, "Cases (and law cases) of each filter", "N" },
  { "seed", 's', 0, G_OPTION_ARG_STRING, &seed_wanted, "Seed of the run", "S" },
  { "case", 'c', 0, G_OPTION_ARG_INT, &one_case, "This case alone", "K" },
  { "set", 0, 0, G_OPTION_ARG_STRING, &set_wanted, "Override parts of the cases", "k=v,..." },
  { "legs", 0, 0, G_OPTION_ARG_STRING, &legs_wanted, "Of c, opencl, reference", "c,..." },
  { "parity", 0, 0, G_OPTION_ARG_NONE, &only_parity, "The random cases on three legs alone", NULL },
  { "edges", 0, 0, G_OPTION_ARG_NONE, &only_edges, "Empty, endless and all-NaN input alone", NULL },
  { "laws", 0, 0, G_OPTION_ARG_NONE, &only_laws, "The laws alone", NULL },
  { "faults", 0, 0, G_OPTION_ARG_NONE, &only_faults, "Fault injection alone", NULL },
  { "self-test", 0, 0, G_OPTION_ARG_NONE, &only_self_test, "The harness's own test alone", NULL },
  { "hashes", 0, 0, G_OPTION_ARG_FILENAME, &hashes_file, "The hashes of 200 fixed cases (or N) alone, beside those of FILE", "FILE" },
  { "print-hashes", 0, 0, G_OPTION_ARG_NONE, &print_hashes, "The lines of such a file; with --filter, each case's too", NULL },
  { "max-size", 0, 0, G_OPTION_ARG_INT, &max_size, "Largest width and height drawn", "PX" },
  { "tight-memory", 0, 0, G_OPTION_ARG_NONE, &tight_memory, "No byte of device memory to spare", NULL },
  { "skip-without-device", 0, 0, G_OPTION_ARG_NONE, &skip_without_device, "Exit 77 where there is no OpenCL device", NULL },
  { "seconds", 0, 0, G_OPTION_ARG_DOUBLE, &seconds, "Time limit of the cases of each filter", "T" },
  { NULL, 0, 0, 0, NULL, NULL, NULL }
};

static CheckStats        done;          /* of the filters that are done */
static const CheckStats *now;           /* of the one that is being looked at */
static void            (*otherwise[NSIG]) (int number);         /* a sanitizer's handlers, or none */

/* A missed bound in a kernel or in C may kill the process.  The last line is then the count all the same.  After
 * the return, abort or the faulty access happens once more. */
static void
say_killed (int number)
{
  gchar text[128];
  gint  length = g_snprintf (text, sizeof text, "FAIL killed by signal %d\n%d passed, %d failed\n", number,
                             done.passed + (now ? now->passed : 0), done.failed + (now ? now->failed : 0) + 1);

  signal (number, otherwise[number]);
  if (write (STDOUT_FILENO, text, length) != length)
    _exit (1);
}

static void
add_done (const CheckStats *stats)
{
  now = NULL;
  done.passed += stats->passed;
  done.failed += stats->failed;
}

gboolean
check_exists (const CheckFilter *filter)
{
  return gegl_has_operation (filter->operation);
}

static guint
parse_legs (const gchar *text)
{
  gchar **names;
  guint   legs = 0;

  if (! text)
    return CHECK_LEGS_ALL;
  names = g_strsplit (text, ",", -1);
  for (gint i = 0; names[i]; i++)
    legs |= ! strcmp (names[i], "c") ? CHECK_LEG_C : ! strcmp (names[i], "opencl") ? CHECK_LEG_OPENCL
            : ! strcmp (names[i], "reference") ? CHECK_LEG_REFERENCE : 0;
  g_strfreev (names);
  return legs;
}

static void
run_case (const CheckFilter *filter, const CheckOptions *options, gint number, gboolean laws, CheckStats *stats)
{
  CheckCase c;
  GError   *error = NULL;

  check_draw (filter, options->seed, number, options->max_size, &c);
  if (laws)
    check_draw_law (filter, number, &c);
  if (options->set && ! check_override (filter, &c, options->set, &error))
    {
      g_printerr ("check: %s\n", error->message);
      exit (2);
    }
  check_normalise (filter, &c);
  check_report (filter, &c, options, stats);
}

static void
print_summary (const CheckFilter *filter, const CheckStats *stats, gdouble time)
{
  static const gchar *const names[] = { "C/ref", "OpenCL/ref", "OpenCL/C" };
  gint                      law_cases = 0;

  for (gint i = 1; i < CHECK_LAWS; i++)
    law_cases += stats->cases[i];
  g_print ("%s: %d cases, %d law cases, %d passed, %d failed;", filter->name, stats->cases[0], law_cases,
           stats->passed, stats->failed);
  for (gint i = 0; i < CHECK_PAIRS; i++)
    g_print (" %s %.2g of tolerance (%.2g)%s", names[i], stats->worst_units[i], stats->worst_abs[i],
             i < CHECK_PAIRS - 1 ? "," : ";");
  g_print (" %.2g %% excused; %.1f cases/s; %s\n", 100.0 * stats->excused / MAX (stats->compared, 1),
           (stats->cases[0] + law_cases) / time, tessera_device_name () ? tessera_device_name () : "no device");
}

gint64
check_time_spent (gint64 clock, gint64 processor)
{
  return MIN (clock, MAX (processor, clock / MOST_WAITING));
}

typedef struct { gint64 clock, processor; } Began;

static gint64
processor_time (void)
{
  return (gint64) clock () * G_USEC_PER_SEC / CLOCKS_PER_SEC;
}

static gint64
elapsed (const Began *began)
{
  return check_time_spent (g_get_monotonic_time () - began->clock, processor_time () - began->processor);
}

static void
check_table (const CheckFilter *filter, CheckStats *stats)
{
  g_autoptr (GString) why = g_string_new (NULL);
  g_autofree gchar *title = g_strdup_printf ("%s: its table against %s", filter->name, filter->operation);

  if (! check_properties (filter, why))
    check_verdict (stats, FALSE, title, why, FALSE);
}

static void
check_filter (const CheckFilter *filter, const CheckOptions *options, CheckStats *stats)
{
  gboolean all = ! (only_parity || only_laws || only_faults || only_edges);
  gint64   limit;
  Began    began;

  if (! check_exists (filter))
    {
      g_print ("FAIL %s: there is no operation %s\n", filter->name, filter->operation);
      stats->failed++;
      return;
    }
  check_table (filter, stats);
  if ((only_faults || all) && options->number < 0 && (options->legs & CHECK_LEG_OPENCL))
    check_faults (filter, options, stats);
  began = (Began) { g_get_monotonic_time (), processor_time () };
  limit = options->seconds > 0 ? (gint64) (options->seconds * G_USEC_PER_SEC) : G_MAXINT64;
  if (options->number >= 0)
    run_case (filter, options, options->number, only_laws, stats);
  else
    {
      for (gint i = 0; (all || only_parity) && i < options->cases && elapsed (&began) < limit; i++)
        run_case (filter, options, i, FALSE, stats);
      limit += limit / 2 < G_MAXINT64 / 2 ? limit / 2 : 0;
      for (gint i = 0; (all || only_laws) && i < options->laws && elapsed (&began) < limit; i++)
        run_case (filter, options, i, TRUE, stats);
      if (all || only_edges)
        check_edges (filter, options, stats);
    }
  print_summary (filter, stats, (g_get_monotonic_time () - began.clock) / 1e6);
  if (stats->excused > EXCUSED_LIMIT * stats->compared && stats->cases[0] >= EXCUSED_CASES)
    {
      g_print ("FAIL %s: more than %.0f %% of the components were excused, in the mean of all cases\n", filter->name, 100 * EXCUSED_LIMIT);
      stats->failed++;
    }
}

/* GEGL reads the size of tiles once.  Small ones let small results be sent straight into tiles. */
static const gchar *
tile_size (guint64 seed)
{
  static const gchar *const sizes[] = { "128x128", "16x16", "13x8", "7x11" };

  g_setenv ("GEGL_TILE_SIZE", only_faults ? sizes[1] : sizes[seed % G_N_ELEMENTS (sizes)], FALSE);
  return g_getenv ("GEGL_TILE_SIZE");
}

static void
start_gegl (void)
{
  g_setenv ("GEGL_USE_OPENCL", "cpu", FALSE);
  g_setenv ("GEGL_SWAP", "RAM", FALSE);
  check_watch_warnings ();
  gegl_init (NULL, NULL);
  g_object_set (gegl_config (), "use-opencl", TRUE, NULL);
  g_free (check_take_warnings ());
}

static void
parse_options (int *argc, char ***argv, CheckOptions *options)
{
  GOptionContext *context = g_option_context_new ("- C, OpenCL and reference on the same input");
  GError         *error = NULL;

  g_option_context_add_main_entries (context, entries, NULL);
  if (! g_option_context_parse (context, argc, argv, &error))
    {
      g_printerr ("check: %s\n", error->message);
      exit (2);
    }
  g_option_context_free (context);
  options->seed = seed_wanted ? g_ascii_strtoull (seed_wanted, NULL, 0) : (guint64) g_get_real_time () % 1000000007;
  options->cases = n_cases >= 0 ? n_cases : 300;
  options->laws = n_cases >= 0 ? n_cases : 150;
  options->every_fault = only_filter != NULL;
  options->number = one_case;
  options->max_size = CLAMP (max_size, 1, 4096);
  options->legs = parse_legs (legs_wanted);
  options->seconds = seconds;
  options->set = set_wanted;
}

/* GEGL 0.4.42 makes an empty folder for GEGL_SWAP=RAM. */
static void
finish (gboolean had_folder)
{
  gegl_exit ();
  if (! had_folder)
    g_rmdir ("RAM");
}

/* Of all filters or the one; the exit code. */
static gint
look_at_hashes (const CheckSuite *suite, const CheckOptions *options)
{
  const gint cases = n_cases > 0 ? n_cases : HASHED_CASES;
  CheckStats stats = { 0 };

  for (guint i = 0; i < suite->n_filters; i++)
    if (only_filter && strcmp (only_filter, suite->filters[i]->name) != 0)
      continue;
    else if (print_hashes)
      check_print_hash (suite->filters[i], cases, options->legs, only_filter != NULL);
    else
      check_hashes (suite->filters[i], cases, hashes_file, options->legs, &stats);
  if (print_hashes)
    return 0;
  g_print ("%d passed, %d failed\n", stats.passed, stats.failed);
  return stats.failed || ! stats.passed;
}

/* Tells whether there was a filter whose results may go straight into tiles. */
static gboolean
check_filters (const CheckSuite *suite, const CheckOptions *options)
{
  gboolean sends = FALSE;

  for (guint i = 0; i < suite->n_filters && ! only_self_test; i++)
    if (! only_filter || ! strcmp (only_filter, suite->filters[i]->name))
      {
        CheckStats stats = { 0 };

        now = &stats;
        sends |= ! suite->filters[i]->draws_points;
        check_filter (suite->filters[i], options, &stats);
        add_done (&stats);
      }
  return sends;
}

/* The harness itself, if it was asked for or if nothing was left out. */
static void
check_harness (const CheckSuite *suite, const CheckOptions *options)
{
  const gboolean all = ! only_filter && ! only_parity && ! only_laws && ! only_faults && ! only_edges && one_case < 0;
  CheckStats     stats = { 0 };

  if (! suite->self_test || (! only_self_test && ! all))
    return;
  now = &stats;
  suite->self_test (options, &stats);
  add_done (&stats);
}

/* With small tiles, some results must have gone straight into them. */
static void
check_tiles (const CheckOptions *options, const gchar *tiles)
{
  TesseraCounters counters;

  tessera_get_counters (&counters);
  if (done.passed > MANY_VERDICTS && (options->legs & CHECK_LEG_OPENCL) && tessera_device_name ()
      && ! only_self_test && ! only_edges && strcmp (tiles, "128x128") != 0 && counters.tiles == 0)
    {
      g_print ("FAIL no result was sent straight into tiles\n");
      done.failed++;
    }
}

int
check_suite (int argc, char **argv, const CheckSuite *suite)
{
  CheckOptions options = { 0 };
  gboolean     had_folder = g_file_test ("RAM", G_FILE_TEST_EXISTS), sends;
  const gchar *tiles;
  gint         code;

  otherwise[SIGABRT] = signal (SIGABRT, say_killed);
  otherwise[SIGSEGV] = signal (SIGSEGV, say_killed);
  parse_options (&argc, &argv, &options);
  tiles = tile_size (options.seed);
  start_gegl ();
  tessera_set_proof (FALSE);            /* what a device computes otherwise is to be seen here, not avoided */
  tessera_set_tight_memory (tight_memory);
  if (skip_without_device && ! tessera_device_name ())
    {
      g_print ("skipped: there is no OpenCL device\n");
      gegl_exit ();
      return 77;
    }
  if (hashes_file || print_hashes)
    {
      code = look_at_hashes (suite, &options);
      finish (had_folder);
      return code;
    }
  g_print ("seed %" G_GUINT64_FORMAT ", tiles of %s\n", options.seed, tiles);
  if ((options.legs & CHECK_LEG_OPENCL) && ! tessera_device_name ())
    {
      g_print ("FAIL there is no OpenCL device (GEGL_USE_OPENCL=%s)\n", g_getenv ("GEGL_USE_OPENCL"));
      done.failed++;
    }
  sends = check_filters (suite, &options);
  check_harness (suite, &options);
  if (sends)
    check_tiles (&options, tiles);
  g_print ("%d passed, %d failed\n", done.passed, done.failed);
  finish (had_folder);
  return done.failed || ! done.passed;
}

int
check_main (int argc, char **argv, const CheckFilter *const *filters, guint n_filters)
{
  return check_suite (argc, argv, &(CheckSuite) { filters, n_filters, NULL });
}
