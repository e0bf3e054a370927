/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The check table of tessera:detail. */
#include "check.h"
#include "greys.h"

enum { TEXTURE, CLARITY, RADIUS, PROTECT };

/* Many planes: sparse cells, of one part and of several. */
static const gchar *const corners[] = {
  "texture=1,clarity=1,radius=40,content=far,specials=0,format=working,width=100,height=80",
  "texture=2,clarity=1,radius=4,content=hdr,format=working,width=70,height=60", NULL
};

static const gchar *const neutral[] = { "texture=0,clarity=0", NULL };

static gboolean
passes (const gdouble *values)
{
  return values[TEXTURE] == 0 && values[CLARITY] == 0;
}

/* Two cells of the blurred grid and half a cell of rounding. */
static void
halo (const gdouble *values, gint *x, gint *y)
{
  *x = *y = (gint) ceil (2.5 * (values[CLARITY] == 0 ? 2.5 : values[RADIUS])) + 1;
}

/* A guess, as bilateral-grid's: two grids. */
static gdouble
cost (const gdouble *values G_GNUC_UNUSED)
{
  return 120;
}

static void
reference (const CheckReferenceArgs *args, RefResult *result)
{
  reference_detail (args->image, args->values[TEXTURE], args->values[CLARITY], args->values[RADIUS], args->values[PROTECT], args->weights,
                    result);
  check_excuse_delivery (args, TRUE, TRUE, result);
}

/* --------------------------------------------------------- what is promised -- */

static void
run_detail (const CheckOptions *options, gdouble texture, gdouble clarity, gdouble protect, Greys *greys, GString *why)
{
  const gdouble values[] = { texture, clarity, 16, protect };

  greys_run (options, &check_detail, values, greys, why);
}

#define LINE 384        /* pixels of a line */

/* By how much the result leaves the range of the two sides of an edge, `soft` pixels wide. */
static gdouble
overshoot (const CheckOptions *options, gdouble texture, gdouble clarity, gdouble height, gdouble soft, GString *why)
{
  Greys   greys = greys_new (LINE, 2);
  gdouble most = 0;

  for (gint i = 0; i < 2 * LINE; i++)
    greys.before[i] = 0.5 + height * CLAMP ((i % LINE - LINE / 2 + 0.5) / MAX (soft, 1e-3), -0.5, 0.5);
  run_detail (options, texture, clarity, 0.012, &greys, why);
  for (gint i = 0; i < 2 * LINE; i++)
    most = MAX (most, fabs (greys.after[i] - 0.5) - height / 2);
  greys_clear (&greys);
  return most;
}

/* How often a wave is what it was. */
static gdouble
wave_gain (const CheckOptions *options, gdouble texture, gdouble clarity, gint period, GString *why)
{
  const gdouble step = 2 * G_PI / period;
  Greys         greys = greys_new (LINE, 2);
  gdouble       sum = 0;
  gint          n = 0;

  for (gint i = 0; i < 2 * LINE; i++)
    greys.before[i] = 0.5 + 0.02 * sin (step * (i % LINE));
  run_detail (options, texture, clarity, 0, &greys, why);
  for (gint x = 64; x < 64 + 256; x++, n++)
    sum += (greys.after[x] - 0.5) * sin (step * x);
  greys_clear (&greys);
  return sum / (0.02 * n / 2);
}

/* How often flat noise is what it was. */
static gdouble
noise_gain (const CheckOptions *options, gdouble texture, gdouble clarity, gdouble protect, GString *why)
{
  Greys       greys = greys_new (96, 96);
  CheckRandom random = { 20261130 };
  gdouble     sums[2] = { 0 };

  for (gint i = 0; i < 96 * 96; i++)
    {
      gdouble sum = 0;

      for (gint k = 0; k < 12; k++)             /* nearly a normal distribution, of variance 1 */
        sum += check_uniform (&random);
      greys.before[i] = 0.5 + 3 / 255.0 * (sum - 6);
    }
  run_detail (options, texture, clarity, protect, &greys, why);
  for (gint i = 0; i < 96 * 96; i++)
    {
      sums[0] += (greys.before[i] - 0.5) * (greys.before[i] - 0.5);
      sums[1] += (greys.after[i] - 0.5) * (greys.after[i] - 0.5);
    }
  greys_clear (&greys);
  return sqrt (sums[1] / sums[0]);
}

static void
hold (const CheckOptions *options, CheckStats *stats, const gchar *what, gboolean at_least, gdouble value, gdouble bar, GString *why)
{
  greys_hold (options, stats, &check_detail, what, at_least, value, bar, why);
}

/* Steps: high ones are left as they are, lower ones count as detail. */
static void
hold_steps (const CheckOptions *options, CheckStats *stats, GString *why)
{
  const gdouble high[] = { 0.125, 0.2, 0.6 }, low[] = { 0.06, 0.1, 0.14 };
  gdouble       texture = 0, clarity = 0, texture_low = 0, clarity_low = 0;

  for (guint i = 0; i < G_N_ELEMENTS (high); i++)
    {
      texture = MAX (texture, overshoot (options, 1, 0, high[i], 0, why) / high[i]);
      clarity = MAX (clarity, high[i] < 0.2 ? 0 : overshoot (options, 0, 1, high[i], 0, why) / high[i]);
    }
  for (guint i = 0; i < G_N_ELEMENTS (low); i++)
    {
      texture_low = MAX (texture_low, overshoot (options, 1, 0, low[i], 0, why));
      clarity_low = MAX (clarity_low, overshoot (options, 0, 1, low[i], 0, why));
    }
  hold (options, stats, "texture does not overshoot at steps from 0.125 on", FALSE, texture, 0.005, why);
  hold (options, stats, "clarity does not overshoot at steps from 0.2 on", FALSE, clarity, 0.005, why);
  hold (options, stats, "texture adds little to low steps", FALSE, texture_low, 0.014, why);
  hold (options, stats, "clarity adds little to low steps", FALSE, clarity_low, 0.035, why);
}

/* The bars of the definition: steps, soft edges, noise on a flat grey, waves of amplitude 0.02. */
static void
promises (const CheckOptions *options, CheckStats *stats)
{
  GString *why = g_string_new (NULL);

  hold_steps (options, stats, why);
  hold (options, stats, "clarity at a soft edge of 0.3", FALSE, overshoot (options, 0, 1, 0.3, 6, why) / 0.3, 0.025, why);
  hold (options, stats, "clarity at a soft edge of 0.6", FALSE, overshoot (options, 0, 1, 0.6, 6, why) / 0.6, 0.008, why);
  hold (options, stats, "texture at a soft edge of 0.3", FALSE, overshoot (options, 1, 0, 0.3, 6, why) / 0.3, 0.04, why);
  hold (options, stats, "texture at a soft edge of 0.6", FALSE, overshoot (options, 1, 0, 0.6, 6, why) / 0.6, 0.005, why);
  hold (options, stats, "clarity leaves noise", FALSE, noise_gain (options, 0, 1, 0.012, why), 1.1, why);
  hold (options, stats, "texture protects noise", FALSE, noise_gain (options, 1, 0, 0.012, why), 1.61, why);
  hold (options, stats, "texture protects noise, of 6 of 255", FALSE, noise_gain (options, 1, 0, 6 / 255.0, why), 1.36, why);
  hold (options, stats, "texture protects noise, of 9 of 255", FALSE, noise_gain (options, 1, 0, 9 / 255.0, why), 1.23, why);
  hold (options, stats, "texture raises what it is not to protect", FALSE, noise_gain (options, 1, 0, 0, why), 1.94, why);
  hold (options, stats, "clarity raises waves of 32 pixels", TRUE, wave_gain (options, 0, 1, 32, why), 1.8, why);
  hold (options, stats, "clarity raises waves of 64 pixels", TRUE, wave_gain (options, 0, 1, 64, why), 1.5, why);
  hold (options, stats, "clarity leaves waves of 4 pixels", FALSE, wave_gain (options, 0, 1, 4, why), 1.05, why);
  hold (options, stats, "texture raises waves of 4 pixels", TRUE, wave_gain (options, 1, 0, 4, why), 1.7, why);
  hold (options, stats, "texture raises waves of 8 pixels", TRUE, wave_gain (options, 1, 0, 8, why), 1.7, why);
  hold (options, stats, "texture leaves waves of 32 pixels", FALSE, wave_gain (options, 1, 0, 32, why), 1.1, why);
  g_string_free (why, TRUE);
}

static const BenchRow timed[] = {
  { .title = "detail (0.5, 0.5, 16)", .ours = "tessera:detail texture=0.5 clarity=0.5 radius=16",
    .rival = "gegl:unsharp-mask std-dev=30 scale=0.5" },
  { .title = NULL }
};

const CheckFilter check_detail =
{
  .name = "detail",
  .operation = "tessera:detail",
  .timed = timed,
  .corners = corners,
  .n_properties = 4,
  .properties =
    {
      { "texture", CHECK_DOUBLE, CHECK_UNIFORM, -1, 2, 0.5, 0.25, NULL },
      { "clarity", CHECK_DOUBLE, CHECK_UNIFORM, -1, 2, 0.5, 0.25, NULL },
      { "radius", CHECK_DOUBLE, CHECK_LOG, 4, 200, 16, 0.5, NULL },
      { "protect", CHECK_DOUBLE, CHECK_UNIFORM, 0, 0.1, 0.012, 0.001, NULL }
    },
  .format = "R'G'B'A float", .halo = halo, .cost = cost, .holds = 1u << CHECK_LAW_CONSTANT,
  .neutral = neutral, .passes = passes, .reference = reference,
  .to_reference = { 1e-5, "float grid sums and interpolation, as bilateral-grid's" },
  .exact_shift = TRUE,
  .special = promises,
  .nan_policy = "NaN and Inf pixels do not contribute and pass through"
};
