/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Matches of descriptors, in C and on the device: whole numbers, so that they are those of a plain double loop. */
#include "answers.h"

#include <string.h>

#include "match-plain.h"
#include "matching.h"

#define LENGTH DESCRIPTOR_LENGTH

typedef struct
{
  gint         n_a, n_b, thousandths;
  gboolean     mutual;
  const gchar *kind;
  guint8      *a, *b;
} Pair;

static Pair *
pair_new (gint n_a, gint n_b, const gchar *kind)
{
  Pair *pair = g_new (Pair, 1);

  *pair = (Pair) { n_a, n_b, 800, TRUE, kind, g_malloc0 (n_a * LENGTH + 1), g_malloc0 (n_b * LENGTH + 1) };
  return pair;
}

static void
pair_free (gpointer input)
{
  Pair *pair = input;

  g_free (pair->a);
  g_free (pair->b);
  g_free (pair);
}

static gchar *
pair_words (gconstpointer input)
{
  const Pair *pair = input;

  return g_strdup_printf ("%s, %d and %d, ratio %d, mutual %d", pair->kind, pair->n_a, pair->n_b, pair->thousandths,
                          pair->mutual);
}

/* ---------------------------------------------------------------- draw -- */

/* The parts of a tile, of a chunk of rows, and one more; either list may be the longer one. */
static gint
draw_size (CheckRandom *random, gboolean is_small)
{
  static const gint sizes[] = { 0, 1, 2, 3, 8, 63, 64, 65, 119, 120, 121, 127, 129, 400, 513 };
  static const gint small_sizes[] = { 1, 9, 35 };

  return is_small ? small_sizes[check_below (random, G_N_ELEMENTS (small_sizes))]
                  : sizes[check_below (random, G_N_ELEMENTS (sizes))];
}

/* The same descriptor in several tiles, chunks, planes and threads: of rows and of columns the first counts. */
static Pair *
draw_far_ties (CheckRandom *random)
{
  const gint n_a = 1600, n_b = 1400;
  Pair      *pair = pair_new (n_a, n_b, "far ties");

  draw_descriptors (random, pair->a, n_a, pair->b, n_b, 256, n_b);
  for (gint k = 0; k < 40; k++)
    {
      memcpy (pair->b + 30 * k * LENGTH, pair->a + 20 * k * LENGTH, LENGTH);
      memcpy (pair->a + (n_a - 1 - 17 * k) * LENGTH, pair->a + 20 * k * LENGTH, LENGTH);
    }
  memcpy (pair->b + (n_b - 1) * LENGTH, pair->a, LENGTH);
  return pair;
}

/* As far apart as can be, or all the same; now and then one is nearer, or farther, by a bit. */
static void
draw_extremes (CheckRandom *random, Pair *pair)
{
  memset (pair->a, check_chance (random, 50) ? 255 : 0, pair->n_a * LENGTH);
  memset (pair->b, check_chance (random, 50) ? 255 : 0, pair->n_b * LENGTH);
  if (pair->n_b > 0 && check_chance (random, 60))
    pair->b[(check_chance (random, 50) ? 0 : pair->n_b - 1) * LENGTH] ^= 1;
  pair->kind = "extremes";
}

static gpointer
pair_draw (guint64 seed, gboolean is_small)
{
  static const gint thousandths[] = { 800, 980, 1000, 2000 };
  CheckRandom       random = { seed };
  const gint        kind = check_below (&random, 200), n_a = draw_size (&random, is_small);
  const gboolean    is_far = kind < 2 && ! is_small;
  Pair             *pair = is_far ? draw_far_ties (&random) : pair_new (n_a, draw_size (&random, is_small), "random");

  if (kind < 30 && ! is_far)
    draw_extremes (&random, pair);
  else if (kind < 110 && ! is_far)
    draw_descriptors (&random, pair->a, pair->n_a, pair->b, pair->n_b, 256, 3);
  else if (! is_far)
    {
      draw_descriptors (&random, pair->a, pair->n_a, pair->b, pair->n_b, 2, 1);         /* many of the same distance */
      pair->kind = "ties";
    }
  pair->thousandths = thousandths[check_below (&random, G_N_ELEMENTS (thousandths))];
  pair->mutual = check_chance (&random, 50);
  return pair;
}

/* So many in both. */
static gpointer
pair_sized (const gint *sizes)
{
  CheckRandom random = { 1 };
  Pair       *pair = pair_new (sizes[0], sizes[0], "random");

  draw_descriptors (&random, pair->a, pair->n_a, pair->b, pair->n_b, 256, 2);
  return pair;
}

/* -------------------------------------------------------------- answer -- */

/* How many; of each the places in both lists, and the distance. */
static gboolean
pair_match (const TesseraErrand *errand, gconstpointer input, GArray *numbers)
{
  const Pair      *pair = input;
  g_autofree Match *matches = NULL;
  const gint       n = match_descriptors (errand, pair->a, pair->n_a, pair->b, pair->n_b, pair->thousandths / 1000.0,
                                          pair->mutual, &matches);

  if (n < 0)
    return FALSE;
  answer_add (numbers, n);
  for (gint i = 0; i < n; i++)
    {
      answer_add (numbers, matches[i].a);
      answer_add (numbers, matches[i].b);
      answer_add (numbers, matches[i].distance);
    }
  return TRUE;
}

static void
pair_reference (gconstpointer input, const GArray *numbers G_GNUC_UNUSED, GArray *wanted)
{
  const Pair      *pair = input;
  g_autofree Match *matches = g_new (Match, pair->n_a + 1);
  const gint       n = match_plainly (pair->a, pair->n_a, pair->b, pair->n_b, pair->thousandths, pair->mutual, matches);

  answer_want (wanted, n, 0);
  for (gint i = 0; i < n; i++)
    {
      answer_want (wanted, matches[i].a, 0);
      answer_want (wanted, matches[i].b, 0);
      answer_want (wanted, matches[i].distance, 0);
    }
}

static gboolean
pair_is_asked (gconstpointer input)
{
  const Pair *pair = input;

  return pair->n_a > 0 && pair->n_b > 0;
}

/* ---------------------------------------------------------------- laws -- */

static void
turn_bytes (guint8 *descriptors, gint n)
{
  for (gint i = 0; i < n; i++)
    for (gint k = 0; k < LENGTH / 2; k++)
      {
        guint8 *one = &descriptors[i * LENGTH + k], *other = &descriptors[i * LENGTH + LENGTH - 1 - k], kept = *one;

        *one = (guint8) (255 - *other);
        *other = (guint8) (255 - kept);
      }
}

/* Distances know no order of the numbers, and no sign of their differences. */
static gboolean
inverted (guint64 seed G_GNUC_UNUSED, gpointer input, GArray *wanted G_GNUC_UNUSED)
{
  Pair *pair = input;

  turn_bytes (pair->a, pair->n_a);
  turn_bytes (pair->b, pair->n_b);
  return TRUE;
}

/* Whom one matches does not hang on the others of its list, unless these match too. */
static gboolean
the_other_way_round (guint64 seed G_GNUC_UNUSED, gpointer input, GArray *wanted)
{
  Pair         *pair = input;
  const gint    n = (gint) (wanted->len - 1) / 3;
  AnswerWanted *matches = &g_array_index (wanted, AnswerWanted, 1);
  guint8       *turned = g_malloc (pair->n_a * LENGTH + 1);

  for (gint i = 0; i < pair->n_a; i++)
    memcpy (turned + i * LENGTH, pair->a + (pair->n_a - 1 - i) * LENGTH, LENGTH);
  g_free (pair->a);
  pair->a = turned;
  for (gint i = 0; i < n; i++)
    matches[3 * i].value = pair->n_a - 1 - matches[3 * i].value;
  for (gint i = 0; i < n / 2; i++)
    for (gint k = 0; k < 3; k++)
      {
        const AnswerWanted kept = matches[3 * i + k];

        matches[3 * i + k] = matches[3 * (n - 1 - i) + k];
        matches[3 * (n - 1 - i) + k] = kept;
      }
  return ! pair->mutual;
}

const AnswerRow answer_matches = {
  .name = "matches", .cases = 300, .draw = pair_draw, .describe = pair_words, .clear = pair_free,
  .compute = pair_match, .reference = pair_reference, .tolerance = "none: whole numbers",
  .laws = { { "inverted", inverted }, { "the other way round", the_other_way_round } },
  .kernel = "match_tiles", .is_asked = pair_is_asked, .sized = pair_sized, .special = matching
};
