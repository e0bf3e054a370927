/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The check table of tessera:bilateral-grid. */
#include "check.h"

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

const CheckFilter check_bilateral_grid =
{
  .name = "bilateral-grid",
  .operation = "tessera:bilateral-grid",
  .n_properties = 4,
  .properties =
    {
      { "spatial-sigma", CHECK_DOUBLE, CHECK_LOG, 1, 200, 8, 0.5, NULL },
      { "range-sigma", CHECK_DOUBLE, CHECK_LOG, 0.005, 2, 0.1, 0.05, NULL },
      { "guide", CHECK_ENUM, CHECK_UNIFORM, 0, 1, 0, 0, guides },
      { "tone", CHECK_ENUM, CHECK_UNIFORM, 0, 1, 0, 0, tones }
    },
  .has_aux = TRUE,
  .working = working, .bounds = bounds, .halo = halo, .cost = cost, .laws = laws,
  .reference = reference,
  .to_reference = { 1e-5, "float grid sums and interpolation (specification: 1e-5)" },
  .to_each_other = { 2e-6, "the same cells and the same order of sums on both paths" },
  .slack_between = FALSE,
  .exact_shift = TRUE,
  .nan_policy = "NaN and Inf pixels do not contribute and pass through"
};
