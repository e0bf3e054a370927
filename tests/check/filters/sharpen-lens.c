/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The check table of tessera:sharpen-lens. */
#include "check.h"
#include "greys.h"

enum { RADIUS, ITERATIONS, PROTECT };

/* Light of many stops, and weights of many sizes; one round alone, whose correction is the first and the last. */
static const gchar *const corners[] = {
  "iterations=8,content=hdr,format=working,width=60,height=50", "iterations=1,content=ties,format=working",
  "radius=0.3,iterations=12,protect=0,content=noise,format=working", NULL
};

static const gchar *const neutral[] = { "iterations=0", NULL };

static gint
taps_radius (const gdouble *values)
{
  return MAX (1, (gint) ceil (2.5 * values[RADIUS]));
}

static void
halo (const gdouble *values, gint *x, gint *y)
{
  *x = *y = 2 * (gint) values[ITERATIONS] * taps_radius (values);
}

/* Taps, of two blurs an iteration. */
static gdouble
cost (const gdouble *values)
{
  return 4 + values[ITERATIONS] * (4 * (2 * taps_radius (values) + 1) + 16);
}

static gboolean
passes (const gdouble *values)
{
  return values[ITERATIONS] == 0;
}

static void
reference (const CheckReferenceArgs *args, RefResult *result)
{
  reference_sharpen_lens (args->image, args->values[RADIUS], (gint) args->values[ITERATIONS], args->values[PROTECT], args->weights, result);
  check_excuse_delivery (args, TRUE, FALSE, result);
  /* A neutral setting hands on what is stored, and babl makes floats of it for the harness: u16 times the float nearest to 1/65535. */
  for (gsize i = 0; passes (args->values) && i < (gsize) result->width * result->height * 4; i++)
    result->slack[i] += ldexp (fabs (result->out[i]), -23);
}

/* --------------------------------------------------------- what is promised -- */

#define SIDE  96
#define BLUR  1.5       /* pixels, of the made picture */
#define REACH 9         /* of the blur that is planted: 6 of its sigmas */

static void
run_lens (const CheckOptions *options, gdouble radius, gint iterations, gdouble protect, Greys *greys, GString *why)
{
  const gdouble values[] = { radius, iterations, protect };

  greys_run (options, &check_sharpen_lens, values, greys, why);
}

/* Points, lines, steps and a ramp, in light. */
static gdouble
truth_at (gint x, gint y)
{
  if (y < 32)
    return x % 12 == 6 && y % 12 == 6 ? 0.9 : 0.1;
  if (y < 64)
    return x / 8 % 2 ? 0.6 : 0.15;
  return x < 48 ? 0.02 + 0.01 * x : x % 5 < 2 ? 0.5 : 0.3;
}

static void
blur_truth (gfloat *blurred)
{
  gdouble taps[2 * REACH + 1], sum = 0;

  for (gint i = -REACH; i <= REACH; i++)
    sum += taps[i + REACH] = exp (-i * i / (2 * BLUR * BLUR));
  for (gint at = 0; at < SIDE * SIDE; at++)
    {
      gdouble light = 0;

      for (gint j = -REACH; j <= REACH; j++)
        for (gint i = -REACH; i <= REACH; i++)
          light += taps[i + REACH] * taps[j + REACH] * truth_at (CLAMP (at % SIDE + i, 0, SIDE - 1), CLAMP (at / SIDE + j, 0, SIDE - 1));
      blurred[at] = (gfloat) (light / (sum * sum));
    }
}

/* Mean square of what is wrong with the sharpened picture, over that of the blurred one. */
static gdouble
left_over (const CheckOptions *options, gdouble radius, gint iterations, GString *why)
{
  Greys   greys = greys_new (SIDE, SIDE);
  gdouble before = 0, after = 0;

  blur_truth (greys.before);
  run_lens (options, radius, iterations, 0.006, &greys, why);
  for (gint at = 0; at < SIDE * SIDE; at++)
    {
      const gdouble truth = truth_at (at % SIDE, at / SIDE);

      before += (greys.before[at] - truth) * (greys.before[at] - truth);
      after += (greys.after[at] - truth) * (greys.after[at] - truth);
    }
  greys_clear (&greys);
  return after / before;
}

/* How often flat noise, of 0.006 of the root of light, is what it was. */
static gdouble
noise_gain (const CheckOptions *options, gdouble protect, GString *why)
{
  Greys       greys = greys_new (SIDE, SIDE);
  CheckRandom random = { 20261130 };
  gdouble     sums[2] = { 0 };

  for (gint at = 0; at < SIDE * SIDE; at++)
    {
      gdouble sum = 0;

      for (gint k = 0; k < 12; k++)             /* nearly a normal distribution, of variance 1 */
        sum += check_uniform (&random);
      greys.before[at] = 0.25 + 0.006 * (sum - 6);
    }
  run_lens (options, 1, 8, protect, &greys, why);
  for (gint at = 0; at < SIDE * SIDE; at++)
    {
      sums[0] += (greys.before[at] - 0.25) * (greys.before[at] - 0.25);
      sums[1] += (greys.after[at] - 0.25) * (greys.after[at] - 0.25);
    }
  greys_clear (&greys);
  return sqrt (sums[1] / sums[0]);
}

/* A sharp step, which no lens has blurred: by how much it is overdone, or, of the pixels further away than the reach, changed. */
static gdouble
overdone (const CheckOptions *options, gboolean is_near, GString *why)
{
  Greys   greys = greys_new (256, 2);
  gdouble most = 0;

  for (gint at = 0; at < 2 * 256; at++)
    greys.before[at] = at % 256 < 128 ? 0.2f : 0.6f;
  run_lens (options, 1, 8, 0.006, &greys, why);
  for (gint at = 0; at < 2 * 256; at++)
    if ((ABS (at % 256 - 128) < 50) == is_near)
      most = MAX (most, fabs (greys.after[at] - greys.before[at]));
  greys_clear (&greys);
  return most;
}

/* A disc of one colour, cut out with a soft rim, hides `hidden` around it: by how much the colour changes. */
static gdouble
cut_out (const CheckOptions *options, gfloat hidden, GString *why)
{
  CheckCase     c = { .value = { 1.5, 8, 0 }, .content_seed = options->seed };
  GeglRectangle roi = { 0, 0, SIDE, SIDE };
  CheckPixels   result = { 0 };
  CheckSource  *source;
  gfloat       *pixels = g_new (gfloat, 4 * SIDE * SIDE);
  gdouble       most = 0;

  c.field[CHECK_WIDTH] = c.field[CHECK_HEIGHT] = SIDE;
  for (gint at = 0; at < SIDE * SIDE; at++)
    {
      const gfloat alpha = CLAMP (30 - hypot (at % SIDE - SIDE / 2, at / SIDE - SIDE / 2), 0, 2) / 2;

      for (gint k = 0; k < 3; k++)
        pixels[4 * at + k] = alpha > 0 ? 0.2f * (k + 1) : hidden;
      pixels[4 * at + 3] = alpha;
    }
  source = check_source_new (&check_sharpen_lens, &c, pixels);
  if (check_run (&check_sharpen_lens, &c, source, NULL, &roi, CHECK_LEG_C, &result, why))
    for (gint i = 0; i < 4 * SIDE * SIDE; i++)
      if (result.pixels[i | 3] > 0 && i % 4 < 3)
        most = MAX (most, fabs (result.pixels[i] - pixels[i]));
  check_pixels_clear (&result);
  check_source_free (source);
  g_free (pixels);
  return most;
}

static void
promises (const CheckOptions *options, CheckStats *stats)
{
  GString *why = g_string_new (NULL);
  const struct { const gchar *what; gboolean at_least; gdouble value, bar; } rows[] = {
    { "a known blur: what is left of it", FALSE, left_over (options, BLUR, 8, why), 0.65 },
    { "a known blur, mild", FALSE, left_over (options, BLUR, 3, why), 0.81 },
    { "more rounds leave less", FALSE, left_over (options, BLUR, 12, why), 0.6 },
    { "radius a fifth too small", FALSE, left_over (options, 0.8 * BLUR, 8, why), 0.69 },
    { "radius a fifth too large", FALSE, left_over (options, 1.2 * BLUR, 8, why), 0.76 },
    { "radius twice as large is wrong", TRUE, left_over (options, 2 * BLUR, 8, why), 2 },
    { "noise, protected", FALSE, noise_gain (options, 0.006, why), 1.8 },
    { "noise, well protected", FALSE, noise_gain (options, 0.03, why), 1.16 },
    { "noise, sharpened too", TRUE, noise_gain (options, 0, why), 2 },
    { "a sharp step is overdone", FALSE, overdone (options, TRUE, why), 0.2 },
    { "far from a step nothing changes", FALSE, overdone (options, FALSE, why), 1e-6 },
    { "a cut-out keeps its color", FALSE, cut_out (options, 0, why), 1e-5 },
    { "a cut-out keeps its color, bright around", FALSE, cut_out (options, 1e6f, why), 1e-5 },
    { "a cut-out keeps its color, no number around", FALSE, cut_out (options, NAN, why), 1e-5 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    greys_hold (options, stats, &check_sharpen_lens, rows[i].what, rows[i].at_least, rows[i].value, rows[i].bar, why);
  g_string_free (why, TRUE);
}

static const BenchRow timed[] = {
  { .title = "sharpen-lens (1.5, 8)", .ours = "tessera:sharpen-lens radius=1.5 iterations=8",
    .rival = "gegl:unsharp-mask std-dev=1.5 scale=0.5" },
  { .title = NULL }
};

const CheckFilter check_sharpen_lens =
{
  .name = "sharpen-lens",
  .operation = "tessera:sharpen-lens",
  .timed = timed,
  .corners = corners,
  .n_properties = 3,
  .properties =
    {
      { "radius", CHECK_DOUBLE, CHECK_LOG, 0.3, 10, 1, 0.1, NULL },
      { "iterations", CHECK_INT, CHECK_UNIFORM, 0, 12, 8, 1, NULL },
      { "protect", CHECK_DOUBLE, CHECK_UNIFORM, 0, 0.1, 0.006, 0.001, NULL }
    },
  .format = "RGBA float", .halo = halo, .cost = cost, .holds = 1u << CHECK_LAW_CONSTANT,
  .neutral = neutral, .passes = passes, .reference = reference,
  .to_reference = { 2640 * 0x1p-24, "each of N iterations rounds 4 (2 r + 1) products and sums of the blurs and about 16 more; here for 12 of "
                                    "radius 25, and the reference's scale is less for fewer" },
  .exact_shift = TRUE,
  .special = promises,
  .nan_policy = "a pixel of NaN or Inf gives nothing and stays as it is"
};
