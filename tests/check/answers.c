/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * See answers.h. */
#include "answers.h"

#include <gegl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../engine/each-fault.h"
#include "../engine/verdict.h"
#include "check.h"

#define SMALL_CASES 6

static const TesseraErrand errand;      /* a program's */

static gint     n_cases = -1, times = 1, one_case = -1, seed_wanted = 20261123;
static gboolean is_small, is_checked;
static gchar   *sizes_wanted, **names;

static const GOptionEntry entries[] = {
  { "cases", 0, 0, G_OPTION_ARG_INT, &n_cases, "so many of a row", "N" },
  { "times", 0, 0, G_OPTION_ARG_INT, &times, "so many times as many as usual", "N" },
  { "case", 0, 0, G_OPTION_ARG_INT, &one_case, "that one alone", "N" },
  { "seed", 0, 0, G_OPTION_ARG_INT, &seed_wanted, "other cases", "20261123" },
  { "small", 0, 0, G_OPTION_ARG_NONE, &is_small, "few and small, for a slow device that looks at each access", NULL },
  { "checked", 0, 0, G_OPTION_ARG_NONE, &is_checked, "once, on a device that may compute anything", NULL },
  { "time", 0, 0, G_OPTION_ARG_STRING, &sizes_wanted, "how long a row takes in C and on the device", "A,B,C" },
  { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_STRING_ARRAY, &names, "rows", "ROW" },
  { NULL, 0, 0, 0, NULL, NULL, NULL }
};

void
answer_add (GArray *numbers, gdouble number)
{
  g_array_append_val (numbers, number);
}

void
answer_want (GArray *wanted, gdouble value, gdouble within)
{
  const AnswerWanted one = { value, within };

  g_array_append_val (wanted, one);
}

static guint64
seed_of (const AnswerRow *row, gint number)
{
  return check_hash (check_hash (g_str_hash (row->name) + ((guint64) seed_wanted << 32)) + number);
}

/* ------------------------------------------------------------- compare -- */

static GArray *
numbers_new (void)
{
  return g_array_new (FALSE, FALSE, sizeof (gdouble));
}

static GArray *
in_c (const AnswerRow *row, gconstpointer input)
{
  GArray *numbers = numbers_new ();

  row->compute (NULL, input, numbers);
  return numbers;
}

static gboolean
is_right (gdouble is, const AnswerWanted *wanted)
{
  if (isinf (wanted->within) || memcmp (&is, &wanted->value, sizeof is) == 0)
    return TRUE;
  return is == wanted->value || (isnan (is) && isnan (wanted->value)) || fabs (is - wanted->value) <= wanted->within;
}

static void
expect_wanted (const AnswerRow *row, const GArray *numbers, const GArray *wanted, const gchar *against,
               const gchar *name)
{
  guint wrong = 0, first = 0;

  for (guint i = 0; i < MIN (numbers->len, wanted->len); i++)
    if (! is_right (g_array_index (numbers, gdouble, i), &g_array_index (wanted, AnswerWanted, i)) && wrong++ == 0)
      first = i;
  if (wrong == 0)
    expect (numbers->len == wanted->len, "%s, %s: %u numbers, not %u", name, against, numbers->len, wanted->len);
  else
    expect (FALSE, "%s, %s: %u of %u numbers are off, the first is number %u: %.17g, %.17g is wanted within %.3g (%s)",
            name, against, wrong, numbers->len, first, g_array_index (numbers, gdouble, first),
            g_array_index (wanted, AnswerWanted, first).value, g_array_index (wanted, AnswerWanted, first).within,
            row->tolerance);
}

static gboolean
are_same (const GArray *a, const GArray *b)
{
  return a->len == b->len && (a->len == 0 || memcmp (a->data, b->data, a->len * sizeof (gdouble)) == 0);
}

static void
expect_same (const GArray *numbers, const GArray *right, const gchar *what, const gchar *name)
{
  guint first = 0;

  while (first < MIN (numbers->len, right->len)
         && memcmp (&g_array_index (numbers, gdouble, first), &g_array_index (right, gdouble, first), sizeof (gdouble))
                == 0)
    first++;
  if (are_same (numbers, right))
    expect (TRUE, "%s", what);
  else if (first == MIN (numbers->len, right->len))
    expect (FALSE, "%s, %s: %u numbers, not %u", name, what, numbers->len, right->len);
  else
    expect (FALSE, "%s, %s: other bits, the first at number %u: %.17g, not %.17g", name, what, first,
            g_array_index (numbers, gdouble, first), g_array_index (right, gdouble, first));
}

/* ----------------------------------------------------------- the cases -- */

static void
try_reference (const AnswerRow *row, gconstpointer input, const GArray *numbers, const gchar *name)
{
  GArray *wanted = g_array_new (FALSE, FALSE, sizeof (AnswerWanted));

  row->reference (input, numbers, wanted);
  expect_wanted (row, numbers, wanted, "the reference", name);
  g_array_unref (wanted);
}

static void
try_threads (const AnswerRow *row, gconstpointer input, const GArray *numbers, gint number, const gchar *name)
{
  static const gint threads[] = { 1, 5, 3, 16, 7 };
  gint              usual;
  GArray           *other;

  g_object_get (gegl_config (), "threads", &usual, NULL);
  g_object_set (gegl_config (), "threads", threads[number % G_N_ELEMENTS (threads)], NULL);
  other = in_c (row, input);
  expect_same (other, numbers, "other threads", name);
  g_array_unref (other);
  g_object_set (gegl_config (), "threads", usual, NULL);
}

/* One of all laws. */
static void
try_law (const AnswerRow *row, const GArray *numbers, guint64 seed, gint number, const gchar *name)
{
  gint n = 0;

  while (row->laws[n].name)
    n++;
  if (n > 0)
    {
      const AnswerLaw *law = &row->laws[number / 2 % n];
      gpointer         input = row->draw (seed, is_small);
      GArray          *wanted = g_array_new (FALSE, FALSE, sizeof (AnswerWanted));

      for (guint i = 0; i < numbers->len; i++)
        answer_want (wanted, g_array_index (numbers, gdouble, i), 0);
      if (law->change (check_hash (seed), input, wanted))
        {
          GArray *other = in_c (row, input);

          expect_wanted (row, other, wanted, law->name, name);
          g_array_unref (other);
        }
      g_array_unref (wanted);
      row->clear (input);
    }
}

static void
try_device (const AnswerRow *row, gconstpointer input, const GArray *numbers, const gchar *name)
{
  GArray         *other = numbers_new ();
  TesseraCounters before, after;
  gboolean        done;

  tessera_set_opencl_mode (TESSERA_OPENCL_FORCE);
  tessera_get_counters (&before);
  done = row->compute (&errand, input, other);
  tessera_get_counters (&after);
  expect (done && after.device_requests == before.device_requests + (! row->is_asked || row->is_asked (input))
              && after.fallbacks == before.fallbacks,
          "%s: it did not run on the device", name);
  expect_same (other, numbers, "the device", name);
  g_array_unref (other);
}

static void
try_case (const AnswerRow *row, gint number)
{
  const guint64    seed = seed_of (row, number);
  gpointer         input = row->draw (seed, is_small);
  g_autofree gchar *words = row->describe (input);
  g_autofree gchar *name = g_strdup_printf ("%s --seed %d --case %d, %s", row->name, seed_wanted, number, words);
  GArray          *numbers = in_c (row, input);

  if (! is_small)
    {
      try_reference (row, input, numbers, name);
      if (number % 2)
        try_threads (row, input, numbers, number, name);
      else
        try_law (row, numbers, seed, number, name);
    }
  if (row->kernel && tessera_device_name ())
    try_device (row, input, numbers, name);
  g_array_unref (numbers);
  row->clear (input);
}

/* ---------------------------------------------------------- the device -- */

/* Returns how often the row's kernel ran. */
static guint64
trust_once (const AnswerRow *row, gconstpointer input, const GArray *numbers)
{
  const guint64   launches = launches_of (row->kernel);
  GArray         *other = numbers_new ();
  TesseraCounters before, after;

  tessera_get_counters (&before);
  row->compute (&errand, input, other);
  tessera_get_counters (&after);
  expect (after.device_requests == before.device_requests + 1 && after.fallbacks == before.fallbacks,
          "%s: the check trusts the device", row->name);
  expect_same (other, numbers, "after the check", row->name);
  g_array_unref (other);
  return launches_of (row->kernel) - launches;
}

/* With the check that other programs have: the device is found to compute what C does, and is used; the check launches
 * nothing by itself, so that the first request launches what the second does. */
static void
try_proof (const AnswerRow *row, gconstpointer input, const GArray *numbers)
{
  guint64 first, second;

  tessera_set_opencl_mode (TESSERA_OPENCL_TRY);
  tessera_set_profiling (TRUE);
  first = trust_once (row, input, numbers);
  second = trust_once (row, input, numbers);
  tessera_set_profiling (FALSE);
  expect (first > 0 && first == second, "%s: the check launches nothing: %d launches, then %d", row->name, (gint) first,
          (gint) second);
}

typedef struct
{
  const AnswerRow *row;
  gconstpointer    input;
  const GArray    *numbers;
} Faulty;

static void
compute_under (const gchar *fault, gpointer data)
{
  const Faulty *faulty = data;
  GArray       *other = numbers_new ();

  expect (faulty->row->compute (&errand, faulty->input, other), "%s, %s: no answer", faulty->row->name, fault);
  expect_same (other, faulty->numbers, fault, faulty->row->name);
  g_array_unref (other);
}

/* C answers instead, and nothing is left behind; a device that is forced and fails is told. */
static void
walk_faults (const AnswerRow *row, gconstpointer input, const GArray *numbers)
{
  GArray *other = numbers_new ();

  tessera_set_opencl_mode (TESSERA_OPENCL_TRY);
  each_fault (FALSE, compute_under, &(Faulty) { row, input, numbers });
  tessera_set_opencl_mode (TESSERA_OPENCL_FORCE);
  tessera_set_fault ("enqueue:1");
  expect (! row->compute (&errand, input, other) && other->len == 0, "%s: a device that is forced and fails",
          row->name);
  tessera_set_fault (NULL);
  g_array_unref (other);
}

static void
with_input (const AnswerRow *row, void (*try) (const AnswerRow *, gconstpointer, const GArray *))
{
  static const gint sizes[] = { 64, 5, 9, 0 };
  gpointer          input = row->sized (sizes);
  GArray           *numbers = in_c (row, input);

  try (row, input, numbers);
  g_array_unref (numbers);
  row->clear (input);
}

/* --------------------------------------------------------------- times -- */

static gdouble
time_once (const AnswerRow *row, gconstpointer input, const TesseraErrand *of, const GArray *numbers)
{
  GArray      *other = numbers_new ();
  const gint64 began = g_get_monotonic_time ();
  gdouble      ms;

  row->compute (of, input, other);
  ms = (g_get_monotonic_time () - began) / 1e3;
  if (numbers)
    expect (are_same (other, numbers), "%s: other bits than in C", row->name);
  g_array_unref (other);
  return ms;
}

/* The last of --time says how often; where each stage is timed, the whole takes a little longer. */
static void
time_row (const AnswerRow *row)
{
  g_auto (GStrv)    words = g_strsplit (sizes_wanted, ",", 4);
  gint              sizes[4] = { 0 }, rounds = 5;
  TesseraKernelTime times[16];
  gpointer          input;
  GArray           *numbers;
  guint             n;

  for (guint i = 0; words[i]; i++)
    rounds = sizes[i] = atoi (words[i]);
  input = row->sized (sizes);
  numbers = in_c (row, input);
  g_print ("%s %s, %s\n", row->name, sizes_wanted, tessera_device_name () ? tessera_device_name () : "no device");
  for (gint i = 0; i < 3; i++)
    g_print ("C: %.2f ms\n", time_once (row, input, NULL, numbers));
  tessera_set_opencl_mode (TESSERA_OPENCL_FORCE);
  for (gint i = 0; i < 2 * rounds && tessera_device_name (); i++)
    {
      tessera_set_profiling (i >= rounds);
      g_print ("device%s: %.2f ms\n", i >= rounds ? ", timed" : "", time_once (row, input, &errand, numbers));
    }
  n = MIN (tessera_get_kernel_times (times, G_N_ELEMENTS (times)), G_N_ELEMENTS (times));
  for (guint i = 0; i < n; i++)
    g_print ("  %s: %.3f ms a request\n", times[i].kernel, times[i].ns / 1e6 / rounds);
  g_array_unref (numbers);
  row->clear (input);
}

/* ----------------------------------------------------------------- run -- */

gboolean
answers_are_small (void)
{
  return is_small;
}

static void
run_drawn (const AnswerRow *row)
{
  const gint     cases = is_small ? SMALL_CASES : n_cases >= 0 ? n_cases : row->cases * times;
  const gboolean on_device = row->kernel && tessera_device_name ();

  if (row->kernel && ! on_device)
    g_print ("%s: there is no device\n", row->name);
  tessera_set_proof (TRUE);
  if (on_device && ! is_small && one_case < 0)
    with_input (row, try_proof);
  tessera_set_proof (FALSE);
  tessera_set_tight_memory (is_small);
  if (is_checked)
    return;
  for (gint i = MAX (one_case, 0); i < (one_case >= 0 ? one_case + 1 : cases); i++)
    try_case (row, i);
  if (is_small || one_case >= 0)
    return;
  if (on_device)
    with_input (row, walk_faults);
  tessera_set_opencl_mode (TESSERA_OPENCL_AUTO);
  if (row->special)
    row->special ();
}

static void
run_row (const AnswerRow *row)
{
  if (sizes_wanted && row->sized)
    time_row (row);
  else if (row->draw)
    run_drawn (row);
  else
    row->special ();
  tessera_set_proof (TRUE);
}

static gboolean
is_wanted (const AnswerRow *row)
{
  return ! names || g_strv_contains ((const gchar *const *) names, row->name);
}

static gboolean
are_known (const AnswerRow *const *rows, gint n)
{
  for (gint k = 0; names && names[k]; k++)
    {
      gint i = 0;

      while (i < n && strcmp (rows[i]->name, names[k]) != 0)
        i++;
      if (i == n)
        {
          g_printerr ("there is no row %s\n", names[k]);
          return FALSE;
        }
    }
  return TRUE;
}

gint
answers_run (const AnswerRow *const *rows, gint n, gint argc, gchar **argv)
{
  gboolean        needs_gegl = FALSE;
  GOptionContext *context = g_option_context_new ("[ROW...] - answers against references, laws and the device");

  g_option_context_add_main_entries (context, entries, NULL);
  if (! g_option_context_parse (context, &argc, &argv, NULL) || ! are_known (rows, n))
    return 2;
  g_option_context_free (context);
  for (gint i = 0; i < n; i++)
    needs_gegl |= is_wanted (rows[i]) && ! rows[i]->is_plain;
  if (needs_gegl)
    gegl_init (NULL, NULL);
  for (gint i = 0; i < n; i++)
    if (is_wanted (rows[i]))
      run_row (rows[i]);
  g_strfreev (names);
  if (needs_gegl)
    gegl_exit ();
  return expect_told ();
}
