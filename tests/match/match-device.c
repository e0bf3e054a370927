/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Matches on the device are C's, whatever fails.
 * --checked: once, on a device that may compute anything.  --small: few, for a slow device that looks at each access.  --time N [rounds]: how long N descriptors and N take in C and on the device. */
#include "config.h"

#include <gegl-plugin.h>
#include <stdlib.h>
#include <string.h>

#include "../engine/each-fault.h"
#include "../engine/verdict.h"
#include "match-plain.h"
#include "tessera-control.h"

static const TesseraErrand errand;      /* a program's */

typedef struct
{
  guint8 *a, *b;
  gint    n_a, n_b;
} Pair;

static Pair
pair_new (gint n_a, gint n_b)
{
  return (Pair) { g_malloc0 (n_a * DESCRIPTOR_LENGTH + 1), g_malloc0 (n_b * DESCRIPTOR_LENGTH + 1), n_a, n_b };
}

static void
pair_clear (Pair *pair)
{
  g_free (pair->a);
  g_free (pair->b);
}

static gint
match (const Pair *pair, TesseraOpenclMode mode, gdouble ratio, gboolean mutual, Match **matches)
{
  tessera_set_opencl_mode (mode);
  return match_descriptors (&errand, pair->a, pair->n_a, pair->b, pair->n_b, ratio, mutual, matches);
}

static void
expect_equal (const gchar *what, gint n, const Match *wanted, gint n_got, const Match *got)
{
  gint same = 0;

  while (same < MIN (n, n_got) && memcmp (&got[same], &wanted[same], sizeof *got) == 0)
    same++;
  expect (n == n_got && same == n, "%s: %d matches, %d wanted, %d the same", what, n_got, n, same);
}

/* On the device, in C, and by the definition. */
static void
compare (const gchar *what, const Pair *pair, gint thousandths, gboolean mutual)
{
  Match          *wanted = g_new (Match, pair->n_a + 1), *in_c, *on_device;
  const gint      n = match_plainly (pair->a, pair->n_a, pair->b, pair->n_b, thousandths, mutual, wanted);
  gchar          *name = g_strdup_printf ("%s, %d and %d, ratio %d, mutual %d", what, pair->n_a, pair->n_b, thousandths, mutual);
  TesseraCounters before, after;
  gint            n_got;

  n_got = match (pair, TESSERA_OPENCL_OFF, thousandths / 1000.0, mutual, &in_c);
  expect_equal (name, n, wanted, n_got, in_c);
  tessera_get_counters (&before);
  n_got = match (pair, TESSERA_OPENCL_FORCE, thousandths / 1000.0, mutual, &on_device);
  tessera_get_counters (&after);
  expect (after.device_requests == before.device_requests + (pair->n_a > 0 && pair->n_b > 0), "%s: it ran on the device", name);
  expect_equal (name, n, wanted, n_got, on_device);
  g_free (in_c);
  g_free (on_device);
  g_free (wanted);
  g_free (name);
}

/* The parts of a tile, of a chunk of rows, and one more; either list may be the longer one. */
static const gint sizes[] = { 0, 1, 2, 3, 8, 127, 129, 513 };
static const gint small_sizes[] = { 1, 9, 35 };

static void
check_random (const gint *sizes, guint n)
{
  CheckRandom random = { 20261123 };

  for (guint i = 0; i < n; i++)
    for (guint k = 0; k < n; k++)
      {
        Pair pair = pair_new (sizes[i], sizes[k]);

        draw_descriptors (&random, pair.a, pair.n_a, pair.b, pair.n_b, 256, 3);
        compare ("random", &pair, 800, TRUE);
        draw_descriptors (&random, pair.a, pair.n_a, pair.b, pair.n_b, 2, 1);   /* many of the same distance */
        compare ("ties", &pair, 1000, TRUE);
        compare ("ties", &pair, 2000, FALSE);
        pair_clear (&pair);
      }
}

/* As far apart as can be, and all the same. */
static void
check_extremes (void)
{
  Pair pair = pair_new (140, 131);

  memset (pair.a, 255, 140 * DESCRIPTOR_LENGTH);
  compare ("all 255, all 0", &pair, 800, TRUE);
  pair.b[130 * DESCRIPTOR_LENGTH] = 1;
  compare ("the last is nearer by 509", &pair, 1000, TRUE);
  compare ("the last is nearer by 509", &pair, 1000, FALSE);
  memset (pair.b, 255, 131 * DESCRIPTOR_LENGTH);
  compare ("all 255", &pair, 800, TRUE);
  memset (pair.a, 0, 140 * DESCRIPTOR_LENGTH);
  memset (pair.b, 0, 131 * DESCRIPTOR_LENGTH);
  compare ("all 0", &pair, 1000, FALSE);
  pair_clear (&pair);
}

/* The same descriptor in several tiles, chunks and planes: of rows and of columns the first counts. */
static void
check_far_ties (void)
{
  const gint  n_a = 1600, n_b = 1400;
  CheckRandom random = { 20261124 };
  Pair        pair = pair_new (n_a, n_b);

  draw_descriptors (&random, pair.a, n_a, pair.b, n_b, 256, n_b);
  for (gint k = 0; k < 40; k++)
    {
      memcpy (pair.b + 30 * k * DESCRIPTOR_LENGTH, pair.a + 20 * k * DESCRIPTOR_LENGTH, DESCRIPTOR_LENGTH);
      memcpy (pair.a + (n_a - 1 - 17 * k) * DESCRIPTOR_LENGTH, pair.a + 20 * k * DESCRIPTOR_LENGTH, DESCRIPTOR_LENGTH);
    }
  memcpy (pair.b + (n_b - 1) * DESCRIPTOR_LENGTH, pair.a, DESCRIPTOR_LENGTH);
  compare ("far ties", &pair, 800, TRUE);
  compare ("far ties", &pair, 800, FALSE);
  compare ("far ties", &pair, 1000, TRUE);
  pair_clear (&pair);
}

/* With the check that other programs have, which finds points to match: the device is used. */
static void
check_proof (void)
{
  CheckRandom     random = { 20261125 };
  Pair            pair = pair_new (300, 200);
  TesseraCounters before, after;
  Match          *in_c, *on_device;
  gint            n, n_got;

  draw_descriptors (&random, pair.a, pair.n_a, pair.b, pair.n_b, 256, 3);
  n = match (&pair, TESSERA_OPENCL_OFF, 0.8, TRUE, &in_c);
  tessera_get_counters (&before);
  tessera_set_profiling (TRUE);
  n_got = match (&pair, TESSERA_OPENCL_TRY, 0.8, TRUE, &on_device);
  tessera_set_profiling (FALSE);
  tessera_get_counters (&after);
  expect (launches_of ("match_tiles") == 1, "the check launches nothing: %d launches", (gint) launches_of ("match_tiles"));
  expect (after.device_requests == before.device_requests + 1 && after.fallbacks == before.fallbacks, "the check trusts the device");
  expect_equal ("after the check", n, in_c, n_got, on_device);
  g_free (in_c);
  g_free (on_device);
  pair_clear (&pair);
}

typedef struct
{
  const Pair  *pair;
  const Match *in_c;
  gint         n;
} Faulty;

static void
match_under (const gchar *fault, gpointer data)
{
  const Faulty *faulty = data;
  Match        *other;
  const gint    n_got = match (faulty->pair, TESSERA_OPENCL_TRY, 0.8, TRUE, &other);

  expect_equal (fault, faulty->n, faulty->in_c, n_got, other);
  g_free (other);
}

/* C answers instead, and nothing is left behind. */
static void
walk_faults (void)
{
  CheckRandom random = { 20261126 };
  Pair        pair = pair_new (150, 170);
  Match      *in_c, *other;
  gint        n, n_got;

  draw_descriptors (&random, pair.a, pair.n_a, pair.b, pair.n_b, 256, 2);
  n = match (&pair, TESSERA_OPENCL_OFF, 0.8, TRUE, &in_c);
  n_got = match (&pair, TESSERA_OPENCL_TRY, 0.8, TRUE, &other);
  expect_equal ("before all faults", n, in_c, n_got, other);
  g_free (other);
  each_fault (FALSE, match_under, &(Faulty) { &pair, in_c, n });
  tessera_set_fault ("enqueue:1");
  n_got = match (&pair, TESSERA_OPENCL_FORCE, 0.8, TRUE, &other);
  tessera_set_fault (NULL);
  expect (n_got == -1 && other == NULL, "a device that is forced and fails: %d", n_got);
  g_free (in_c);
  pair_clear (&pair);
}

/* ------------------------------------------------------------------ times -- */

static void
time_path (const Pair *pair, const gchar *path, TesseraOpenclMode mode, gint rounds, gint n_in_c, const Match *in_c)
{
  for (gint i = 0; i < rounds; i++)
    {
      const gint64    began = g_get_monotonic_time ();
      TesseraCounters before, after;
      Match          *matches;
      gint            n;
      gdouble         ms;

      tessera_get_counters (&before);
      n = match (pair, mode, 0.8, TRUE, &matches);
      tessera_get_counters (&after);
      ms = (g_get_monotonic_time () - began) / 1e3;
      g_print ("%d and %d, %s: %.2f ms (read %.2f, upload %.2f, kernels %.2f, download %.2f), %d matches%s\n", pair->n_a, pair->n_b, path, ms,
               (after.read_ns - before.read_ns) / 1e6, (after.upload_ns - before.upload_ns) / 1e6, (after.run_ns - before.run_ns) / 1e6,
               (after.download_ns - before.download_ns) / 1e6, n,
               ! in_c ? "" : n == n_in_c && memcmp (in_c, matches, n * sizeof *matches) == 0 ? ", those of C" : ", NOT THOSE OF C");
      if (in_c && (n != n_in_c || memcmp (in_c, matches, n * sizeof *matches) != 0))
        expect (FALSE, "%d and %d: others than in C", pair->n_a, pair->n_b);
      g_free (matches);
    }
}

/* The device's first round builds the program, has it checked and takes memory.  Where each stage is timed, the whole takes a little longer. */
static gint
measure (gint n, gint rounds)
{
  CheckRandom      random = { 1 };
  Pair             pair = pair_new (n, n);
  Match           *in_c;
  TesseraKernelTime times[16];
  gint             n_in_c;
  guint            n_times;

  draw_descriptors (&random, pair.a, n, pair.b, n, 256, 2);
  g_print ("device: %s\n", tessera_device_name () ? tessera_device_name () : "none");
  n_in_c = match (&pair, TESSERA_OPENCL_OFF, 0.8, TRUE, &in_c);
  time_path (&pair, "C", TESSERA_OPENCL_OFF, rounds, n_in_c, in_c);
  if (tessera_device_name ())
    {
      time_path (&pair, "device", TESSERA_OPENCL_FORCE, rounds, n_in_c, in_c);
      tessera_set_profiling (TRUE);
      time_path (&pair, "device, timed", TESSERA_OPENCL_FORCE, rounds, n_in_c, in_c);
      n_times = tessera_get_kernel_times (times, G_N_ELEMENTS (times));
      for (guint i = 0; i < MIN (n_times, G_N_ELEMENTS (times)); i++)
        g_print ("  %s: %.3f ms a request\n", times[i].kernel, times[i].ns / 1e6 / rounds);
    }
  g_free (in_c);
  pair_clear (&pair);
  return expect_told ();
}

int
main (int argc, char **argv)
{
  gegl_init (NULL, NULL);
  if (argc > 2 && strcmp (argv[1], "--time") == 0)
    return measure (atoi (argv[2]), argc > 3 ? atoi (argv[3]) : 5);
  else if (! tessera_device_name ())
    g_print ("there is no device\n");
  else if (argc > 1 && strcmp (argv[1], "--small") == 0)
    {
      tessera_set_proof (FALSE);
      tessera_set_tight_memory (TRUE);
      check_random (small_sizes, G_N_ELEMENTS (small_sizes));
    }
  else if (argc > 1 && strcmp (argv[1], "--checked") == 0)
    check_proof ();
  else
    {
      check_proof ();
      tessera_set_proof (FALSE);
      check_random (sizes, G_N_ELEMENTS (sizes));
      check_extremes ();
      check_far_ties ();
      walk_faults ();
    }
  gegl_exit ();
  return expect_told ();
}
