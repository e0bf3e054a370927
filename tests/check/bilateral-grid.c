/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The check tables of tessera:bilateral-grid and of its twin without aux, tessera:bilateral-filter. */
#include "check.h"

#define TWIN_CASES 40

enum { SPATIAL_SIGMA, RANGE_SIGMA, GUIDE, TONE };

static const gchar *const guides[] = { "channels", "luminance", NULL };
static const gchar *const tones[] = { "linear", "perceptual", NULL };

static const gchar *
working (const gdouble *values)
{
  return values[TONE] == 1 ? "R'G'B'A float" : "RGBA float";
}

static void
bounds (const gdouble *values G_GNUC_UNUSED, GeglRectangle *box G_GNUC_UNUSED)
{
}

/* Two cells of the blurred grid and half a cell of rounding. */
static void
halo (const gdouble *values, gint *x, gint *y)
{
  *x = *y = (gint) ceil (2.5 * values[SPATIAL_SIGMA]) + 1;
}

/* A guess: the grid costs about the same per pixel at any sigma. */
static gdouble
cost (const gdouble *values G_GNUC_UNUSED)
{
  return 60;
}

static guint
laws (const gdouble *values G_GNUC_UNUSED)
{
  return 1u << CHECK_LAW_CONSTANT;
}

static void
reference (const CheckReferenceArgs *args, RefResult *result)
{
  reference_bilateral_grid (args->image, args->aux, args->values[SPATIAL_SIGMA],
                            args->values[RANGE_SIGMA], args->values[GUIDE] == 1 || args->aux,
                            args->weights, result);
}

#define TABLE(suffix)                                                                              \
  .name = "bilateral-" suffix,                                                                     \
  .operation = "tessera:bilateral-" suffix,                                                        \
  .n_properties = 4,                                                                               \
  .properties =                                                                                    \
    {                                                                                              \
      { "spatial-sigma", CHECK_DOUBLE, CHECK_LOG, 1, 200, 8, 0.5, NULL },                          \
      { "range-sigma", CHECK_DOUBLE, CHECK_LOG, 0.005, 2, 0.1, 0.05, NULL },                       \
      { "guide", CHECK_ENUM, CHECK_UNIFORM, 0, 1, 0, 0, guides },                                  \
      { "tone", CHECK_ENUM, CHECK_UNIFORM, 0, 1, 0, 0, tones }                                     \
    },                                                                                             \
  .working = working, .bounds = bounds, .halo = halo, .cost = cost, .laws = laws,                  \
  .reference = reference,                                                                          \
  .to_reference = { 1e-5, "float grid sums and interpolation (specification: 1e-5)" },             \
  .to_each_other = { 2e-6, "the same cells and the same order of sums on both paths" },            \
  .slack_between = FALSE,                                                                          \
  .exact_shift = TRUE,                                                                             \
  .nan_policy = "NaN and Inf pixels do not contribute and pass through"

const CheckFilter check_bilateral_grid = { TABLE ("grid"), .has_aux = TRUE };

/* The two give the same bits: in C, and on the device. */
static void
twins (const CheckOptions *options, CheckStats *stats)
{
  GString *why = g_string_new (NULL);

  for (gint i = 0; i < 2 * TWIN_CASES; i++)
    {
      const CheckLeg leg = i & 1 ? CHECK_LEG_OPENCL : CHECK_LEG_C;
      CheckCase      c;
      CheckSource   *source;
      CheckPixels    one = { 0 }, other = { 0 };
      GeglRectangle  roi;
      gchar         *title;
      gboolean       good;

      if (! (options->legs & leg))
        continue;
      check_draw (&check_bilateral_filter, options->seed, i / 2, options->max_size, &c);
      check_normalise (&check_bilateral_filter, &c);
      source = check_source_draw (&check_bilateral_filter, &c);
      roi = check_roi (&check_bilateral_filter, &c);
      good = check_run (&check_bilateral_filter, &c, source, NULL, &roi, leg, &one, why)
             && check_run (&check_bilateral_grid, &c, source, NULL, &roi, leg, &other, why)
             && check_same_bits (&one, &other, "bilateral-filter vs bilateral-grid", why);
      title = g_strdup_printf ("bilateral-filter: case %d as bilateral-grid has it, %s leg", i / 2, check_leg_name (leg));
      check_verdict (stats, good, title, why, options->quiet);
      g_string_truncate (why, 0);
      g_free (title);
      check_pixels_clear (&one);
      check_pixels_clear (&other);
      check_source_free (source);
    }
  g_string_free (why, TRUE);
}

const CheckFilter check_bilateral_filter = { TABLE ("filter"), .special = twins };
