/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The check table of tessera:tone. */
#include "check.h"
#include "greys.h"

enum { COMPRESSION, RANGE, SHADOWS, HIGHLIGHTS, DETAIL, RADIUS, EDGE };

/* Light of many stops; of few, of which most is in one bin. */
static const gchar *const corners[] = {
  "compression=1,content=hdr,format=working,width=90,height=70", "compression=1,radius=0,edge=0.5,content=far,specials=0,format=working,width=100,height=80",
  "compression=0.5,shadows=2.4,content=ties,format=working", NULL
};

static const gchar *const neutral[] = { "compression=0,shadows=0,highlights=0,detail=1", NULL };

static gboolean
passes (const gdouble *values)
{
  return values[COMPRESSION] == 0 && values[SHADOWS] == 0 && values[HIGHLIGHTS] == 0 && values[DETAIL] == 1;
}

/* A plane of one colour has another brightness. */
static gboolean
changes_planes (const gdouble *values)
{
  return ! passes (values);
}

/* A guess, as bilateral-grid's. */
static gdouble
cost (const gdouble *values G_GNUC_UNUSED)
{
  return 80;
}

static void
reference (const CheckReferenceArgs *args, RefResult *result)
{
  reference_tone (args->image, args->values[COMPRESSION], args->values[RANGE], args->values[SHADOWS], args->values[HIGHLIGHTS],
                  args->values[DETAIL], args->values[RADIUS], args->values[EDGE], args->weights, result);
  check_excuse_delivery (args, TRUE, FALSE, result);
}

static gboolean
is_whole (const gdouble *values)
{
  return values[COMPRESSION] > 0;
}

static void
reach_far (gdouble *values)
{
  values[COMPRESSION] = 1;
  values[RANGE] = 3;            /* less than the picture's: its ends count too */
}

/* --------------------------------------------------------- what is promised -- */

#define LINE 256

/* By how many stops the result leaves what both sides of a step have become, far from it.  The upper side is `top` stops. */
static gdouble
overshoot (const CheckOptions *options, gdouble top, gdouble height, gdouble edge, GString *why)
{
  const gdouble values[] = { 0, 7, 2, 0, 1, 16, edge };
  Greys         greys = greys_new (LINE, 2);
  gdouble       least = G_MAXDOUBLE, most = -G_MAXDOUBLE, low, high;

  for (gint i = 0; i < 2 * LINE; i++)
    greys.before[i] = (gfloat) exp2 (top - (i % LINE < LINE / 2 ? height : 0));
  greys_run (options, &check_tone, values, &greys, why);
  for (gint i = 0; i < 2 * LINE; i++)
    {
      least = MIN (least, log2 (greys.after[i]));
      most = MAX (most, log2 (greys.after[i]));
    }
  low = log2 (greys.after[0]);
  high = log2 (greys.after[LINE - 1]);
  greys_clear (&greys);
  return MAX (most - MAX (low, high), MIN (low, high) - least);
}

static gdouble
worst_overshoot (const CheckOptions *options, gdouble edge, gdouble from, gdouble to, GString *why)
{
  gdouble worst = 0;

  for (gdouble height = from; height <= to; height += (to - from) / 4)
    for (gint top = -3; top <= -1; top += 2)
      worst = MAX (worst, overshoot (options, top, height, edge, why));
  return worst;
}

/* The smallest step, in stops, from one pixel of a ramp of 16 stops to the next.  (With shadows 2.4, or compression 1, range 3 and
 * highlights 1, the curve is so flat that the grid's ripple, 9 % of the base's slope, makes steps of -0.002.) */
static gdouble
least_rise (const CheckOptions *options, gdouble compression, gdouble shadows, gdouble highlights, GString *why)
{
  const gdouble values[] = { compression, 7, shadows, highlights, 1, 16, 1.6 };
  Greys         greys = greys_new (3 * LINE, 2);
  gdouble       least = G_MAXDOUBLE;

  for (gint i = 0; i < 6 * LINE; i++)
    greys.before[i] = (gfloat) exp2 (-14 + 16.0 * (i % (3 * LINE)) / (3 * LINE - 1));
  greys_run (options, &check_tone, values, &greys, why);
  for (gint x = 1; x < 3 * LINE; x++)
    least = MIN (least, log2 (greys.after[x]) - log2 (greys.after[x - 1]));
  greys_clear (&greys);
  return least;
}

/* By how many stops the upper half of a picture, a ramp of 10 stops, becomes another if the lower half is black. */
static gdouble
black_does (const CheckOptions *options, GString *why)
{
  const gdouble values[] = { 1, 7, 0, 0, 1, 16, 1.6 };
  Greys         greys[2] = { greys_new (LINE, 4), greys_new (LINE, 4) };
  gdouble       worst = 0;

  for (gint half = 0; half < 2; half++)
    {
      for (gint i = 0; i < 4 * LINE; i++)
        greys[half].before[i] = half && i >= 2 * LINE ? 0 : (gfloat) exp2 (-8 + 10.0 * (i % LINE) / (LINE - 1));
      greys_run (options, &check_tone, values, &greys[half], why);
    }
  for (gint i = 0; i < 2 * LINE; i++)
    worst = MAX (worst, fabs (log2 (greys[1].after[i] / greys[0].after[i])));
  greys_clear (&greys[0]);
  greys_clear (&greys[1]);
  return worst;
}

/* By how much a picture so long that 2 % of it is 800 pixels is another with radius 0 and with 400. */
static gdouble
radius_leaves (const CheckOptions *options, GString *why)
{
  Greys   greys[2] = { greys_new (40000, 1), greys_new (40000, 1) };
  gdouble worst = 0;

  for (gint i = 0; i < 2; i++)
    {
      const gdouble values[] = { 0, 7, 2, 0, 1, i ? 400 : 0, 1.6 };

      for (gint x = 0; x < 40000; x++)
        greys[i].before[x] = (gfloat) exp2 (-4 - 2 * (x / 600 % 2));
      greys_run (options, &check_tone, values, &greys[i], why);
    }
  for (gint x = 0; x < 40000; x++)
    worst = MAX (worst, fabs (greys[1].after[x] - greys[0].after[x]));
  greys_clear (&greys[0]);
  greys_clear (&greys[1]);
  return worst;
}

/* The bars of the definition: steps, and a ramp that stays one.  Steps of less than 2.5 edges count as detail, which the curve of the
 * shadows raises: most, 0.52 stops, where the upper side is 3 stops below white; 0.3 is held 2 stops below it, and at white. */
static void
promises (const CheckOptions *options, CheckStats *stats)
{
  GString *why = g_string_new (NULL);

  greys_hold (options, stats, &check_tone, "no overshoot at steps from 2.5 edges on", FALSE, worst_overshoot (options, 1.6, 4.01, 8, why), 0.01, why);
  greys_hold (options, stats, &check_tone, "little overshoot at a lower step", FALSE, overshoot (options, -2, 1.5, 1.6, why), 0.3, why);
  greys_hold (options, stats, &check_tone, "little overshoot at lower steps, everywhere", FALSE, worst_overshoot (options, 1.6, 0.5, 3.9, why), 0.55, why);
  greys_hold (options, stats, &check_tone, "a ramp rises", TRUE, least_rise (options, 0, 0.7, 0.3, why), 0, why);
  greys_hold (options, stats, &check_tone, "a ramp rises, lifted", TRUE, least_rise (options, 0, 2, 1, why), 0, why);
  greys_hold (options, stats, &check_tone, "a ramp rises, compressed", TRUE, least_rise (options, 1, 0.7, 0.3, why), 0, why);
  greys_hold (options, stats, &check_tone, "black bars do not change the rest", FALSE, black_does (options, why), 0.001, why);
  greys_hold (options, stats, &check_tone, "radius 0 is 400 at most", FALSE, radius_leaves (options, why), 0, why);
  g_string_free (why, TRUE);
}

static const BenchRow timed[] = {
  { .title = "tone (shadows 0.7, highlights 0.3)", .ours = "tessera:tone", .rival = "gegl:shadows-highlights shadows=50 highlights=-50 radius=40" },
  { .title = "tone, HDR compression", .ours = "tessera:tone compression=1", .rival = "gegl:reinhard05" },
  { .title = NULL }
};

const CheckFilter check_tone =
{
  .name = "tone",
  .operation = "tessera:tone",
  .timed = timed,
  .corners = corners,
  .n_properties = 7,
  .properties =
    {
      { "compression", CHECK_DOUBLE, CHECK_UNIFORM, 0, 1, 1, 0.25, NULL },      /* the operation's default, 0, has no survey */
      { "range", CHECK_DOUBLE, CHECK_UNIFORM, 3, 12, 7, 0.5, NULL },
      { "shadows", CHECK_DOUBLE, CHECK_UNIFORM, -1, 2.4, 0.7, 0.25, NULL },
      { "highlights", CHECK_DOUBLE, CHECK_UNIFORM, 0, 1, 0.3, 0.25, NULL },
      { "detail", CHECK_DOUBLE, CHECK_UNIFORM, 0.5, 2, 1, 0.25, NULL },
      { "radius", CHECK_DOUBLE, CHECK_LOG, 0, 400, 0, 0.5, NULL },
      { "edge", CHECK_DOUBLE, CHECK_UNIFORM, 0.5, 4, 1.6, 0.1, NULL }
    },
  .format = "RGBA float", .cost = cost, .changes_planes = changes_planes,
  .neutral = neutral, .passes = passes, .reference = reference,
  .to_reference = { 1e-5, "float grid sums and interpolation, as bilateral-grid's" },
  .exact_shift = TRUE,
  .special = promises,
  .whole = TRUE, .is_whole = is_whole, .reach_far = reach_far, .requests = 2,
  .nan_policy = "NaN and Inf pixels do not contribute and pass through"
};
