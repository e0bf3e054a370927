/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * One case: run, report, shrink. */
#include "check.h"

#define SHRINK_RUNS 150
#define SHRINK_SECONDS 10

/* The three legs on one input. */
static gboolean
check_legs (const CheckFilter *filter, const CheckCase *c, guint legs, CheckStats *stats, GString *why)
{
  CheckSource  *source = check_source_draw (filter, c), *aux = check_aux_draw (filter, c);
  GeglRectangle roi = check_roi (filter, c);
  CheckPixels   in_c = { 0 }, in_cl = { 0 };
  CheckTruth    truth = { 0 };
  gboolean      good = TRUE;

  if (legs & CHECK_LEG_C)
    good &= check_run (filter, c, source, aux, &roi, CHECK_LEG_C, &in_c, why);
  if (legs & CHECK_LEG_OPENCL)
    good &= check_run (filter, c, source, aux, &roi, CHECK_LEG_OPENCL, &in_cl, why);
  check_truth_init (&truth, filter, c, source, aux, &roi);
  if (legs & CHECK_LEG_REFERENCE)
    {
      if (in_c.pixels)
        good &= check_against (filter, c, &truth, &in_c, NULL, CHECK_PAIR_C_REFERENCE, stats, why);
      if (in_cl.pixels)
        good &= check_against (filter, c, &truth, &in_cl, NULL, CHECK_PAIR_OPENCL_REFERENCE, stats, why);
    }
  if (in_c.pixels && in_cl.pixels)
    good &= check_against (filter, c, &truth, &in_cl, &in_c, CHECK_PAIR_C_OPENCL, stats, why);
  check_truth_clear (&truth);
  check_pixels_clear (&in_c);
  check_pixels_clear (&in_cl);
  check_source_free (source);
  check_source_free (aux);
  return good;
}

gboolean
check_case (const CheckFilter *filter,
            const CheckCase   *c,
            guint              legs,
            CheckStats        *stats,
            GString           *why)
{
  gboolean good = TRUE;

  if (c->field[CHECK_LAW] == CHECK_LAW_NONE)
    return check_legs (filter, c, legs, stats, why);
  for (guint leg = CHECK_LEG_C; leg <= CHECK_LEG_OPENCL; leg <<= 1)
    if (legs & leg)
      good &= check_law (filter, c, leg, why);
  return good;
}

/* --------------------------------------------------------------- shrink -- */

static const CheckField smaller[] = { CHECK_HEIGHT, CHECK_WIDTH, CHECK_ROI_H, CHECK_ROI_W, CHECK_ROI_X, CHECK_ROI_Y };
static const CheckField simpler[] =
  { CHECK_SPECIALS, CHECK_AUX, CHECK_AUX_CONTENT, CHECK_AUX_SPACE, CHECK_AUX_W, CHECK_SINK, CHECK_STORAGE, CHECK_PAD, CHECK_BANDS, CHECK_SENT,
    CHECK_THREADS, CHECK_SPACE, CHECK_FORMAT, CHECK_ALPHA, CHECK_X, CHECK_Y };
static const CheckContent plain_contents[] =
  { CHECK_CONTENT_CONSTANT, CHECK_CONTENT_IMPULSE, CHECK_CONTENT_RAMP, CHECK_CONTENT_NOISE };

typedef struct
{
  const CheckFilter *filter;
  guint              legs;
  gint               runs;
  gint64             deadline;
  CheckCase          best;
} Shrinker;

/* Takes the candidate if it fails too. */
static gboolean
try_case (Shrinker *s, const CheckCase *candidate)
{
  CheckCase  c = *candidate;
  CheckStats stats = { 0 };
  GString   *why;
  gboolean   good;

  check_normalise (s->filter, &c);
  if (s->runs <= 0 || g_get_monotonic_time () > s->deadline
      || (! memcmp (c.field, s->best.field, sizeof c.field)
          && ! memcmp (c.value, s->best.value, sizeof c.value)))
    return FALSE;
  s->runs--;
  why = g_string_new (NULL);
  good = check_case (s->filter, &c, s->legs, &stats, why);
  g_string_free (why, TRUE);
  if (! good)
    s->best = c;
  return ! good;
}

static gboolean
try_field (Shrinker *s, CheckField field, gint value)
{
  CheckCase c = s->best;

  c.field[field] = value;
  return try_case (s, &c);
}

static gboolean
try_value (Shrinker *s, gint property, gdouble value)
{
  CheckCase c = s->best;

  c.value[property] = value;
  return try_case (s, &c);
}

static gboolean
shrink_sizes (Shrinker *s)
{
  gboolean progress = FALSE;

  if (! s->best.field[CHECK_ROI_W])
    {
      CheckCase     c = s->best;
      GeglRectangle box = check_output_box (s->filter, &c);

      c.field[CHECK_ROI_X] = box.x - c.field[CHECK_X];
      c.field[CHECK_ROI_Y] = box.y - c.field[CHECK_Y];
      c.field[CHECK_ROI_W] = (box.width + 1) / 2;
      c.field[CHECK_ROI_H] = box.height;
      if (box.width > 1)
        progress |= try_case (s, &c);
    }
  for (guint i = 0; i < G_N_ELEMENTS (smaller); i++)
    {
      CheckField field = smaller[i];

      while (s->best.field[field] > 1 && try_field (s, field, s->best.field[field] / 2))
        progress = TRUE;
      if (s->best.field[field] > 1 && try_field (s, field, s->best.field[field] - 1))
        progress = TRUE;
    }
  if (s->best.field[CHECK_ROI_W])
    progress |= try_field (s, CHECK_ROI_W, 0);
  return progress;
}

static gboolean
shrink_rest (Shrinker *s)
{
  gboolean progress = FALSE;

  for (guint i = 0; i < G_N_ELEMENTS (simpler); i++)
    if (s->best.field[simpler[i]])
      progress |= try_field (s, simpler[i], 0);
  for (guint i = 0; i < G_N_ELEMENTS (plain_contents); i++)
    {
      if (s->best.field[CHECK_CONTENT] == (gint) plain_contents[i])
        break;
      progress |= try_field (s, CHECK_CONTENT, plain_contents[i]);
    }
  for (gint i = 0; i < s->filter->n_properties; i++)
    {
      gdouble now = s->best.value[i];

      if (now == s->filter->properties[i].def)
        continue;
      progress |= try_value (s, i, s->filter->properties[i].def)
                  || (now != floor (now + 0.5) && try_value (s, i, floor (now + 0.5)))
                  || (fabs (now) > 2 && now == floor (now) && try_value (s, i, trunc (now / 2)));
    }
  return progress;
}

static void
shrink (const CheckFilter *filter, const CheckOptions *options, CheckCase *c)
{
  Shrinker s = { filter, options->legs, SHRINK_RUNS, g_get_monotonic_time () + SHRINK_SECONDS * G_USEC_PER_SEC, *c };

  while (shrink_sizes (&s) | shrink_rest (&s));
  *c = s.best;
}

/* --------------------------------------------------------------- report -- */

static const gchar *
legs_text (guint legs)
{
  return legs == CHECK_LEGS_ALL ? "" : legs == (CHECK_LEG_C | CHECK_LEG_REFERENCE) ? " --legs c,reference"
         : legs == (CHECK_LEG_OPENCL | CHECK_LEG_REFERENCE) ? " --legs opencl,reference"
         : legs == CHECK_LEG_C ? " --legs c" : legs == CHECK_LEG_OPENCL ? " --legs opencl" : " --legs c,opencl";
}

static void
print_repro (const CheckFilter *filter, const CheckCase *c, const CheckOptions *options, const gchar *label)
{
  CheckCase base;
  GString  *changes = g_string_new (NULL);

  check_draw (filter, c->seed, c->number, options->max_size, &base);
  check_difference (filter, c, &base, changes);
  g_print ("  %s check --filter %s --seed %" G_GUINT64_FORMAT " --case %d --max-size %d%s%s%s\n", label,
           filter->name, c->seed, c->number, options->max_size, legs_text (options->legs),
           changes->len ? " --set " : "", changes->str);
  g_string_free (changes, TRUE);
}

gboolean
check_report (const CheckFilter  *filter,
              const CheckCase    *c,
              const CheckOptions *options,
              CheckStats         *stats)
{
  GString   *why = g_string_new (NULL), *text;
  CheckStats ignored = { 0 };
  CheckCase  smallest = *c;
  gboolean   good = check_case (filter, c, options->legs, stats, why);

  stats->cases[c->field[CHECK_LAW]]++;
  good ? stats->passed++ : stats->failed++;
  if (! good && ! options->quiet && stats->failed <= 10)
    {
      text = g_string_new (NULL);
      check_describe (filter, c, text);
      g_print ("FAIL %s case %d seed %" G_GUINT64_FORMAT " law %s\n%s%s", filter->name, c->number, c->seed,
               check_law_name (c->field[CHECK_LAW]), text->str, why->str);
      print_repro (filter, c, options, "again:   ");
      shrink (filter, options, &smallest);
      g_string_truncate (why, 0);
      check_case (filter, &smallest, options->legs, &ignored, why);
      g_string_truncate (text, 0);
      check_describe (filter, &smallest, text);
      g_print ("  smallest that fails:\n%s%s", text->str, why->str);
      print_repro (filter, &smallest, options, "smallest:");
      g_string_free (text, TRUE);
    }
  else if (! good && ! options->quiet && stats->failed == 11)
    g_print ("FAIL %s: more failures of this filter are counted, not shown\n", filter->name);
  g_string_free (why, TRUE);
  return good;
}

void
check_verdict (CheckStats    *stats,
               gboolean       good,
               const gchar   *what,
               const GString *why,
               gboolean       quiet)
{
  good ? stats->passed++ : stats->failed++;
  if (! good && ! quiet)
    g_print ("FAIL %s\n%s", what, why ? why->str : "");
}
