/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The check table of tessera:denoise. */
#include "check.h"

enum { LIGHTNESS, COLOR, DETAIL, LEVEL };

static const gchar *const neutral[] = { "lightness=0,color=0", NULL };

static gboolean
passes (const gdouble *values)
{
  return values[LIGHTNESS] == 0 && values[COLOR] == 0;
}

/* The noise is not told. */
static gboolean
is_whole (const gdouble *values)
{
  return values[LEVEL] == 0;
}

/* Two stages of windows of 8 on three scales, and the joint colours. */
static void
halo (const gdouble *values G_GNUC_UNUSED, gint *x, gint *y)
{
  *x = *y = 72;
}

static const CheckUndrawn undrawn[] = { { "measured-level", CHECK_RESULT }, { "measured-flat", CHECK_RESULT }, { NULL, NULL } };

static void
reference (const CheckReferenceArgs *args, RefResult *result)
{
  reference_denoise (args->image, args->values[LIGHTNESS], args->values[COLOR], args->values[DETAIL], args->values[LEVEL], result);
  check_excuse_delivery (args, TRUE, TRUE, result);
}

static const BenchRow timed[] = {
  { .title = "denoise", .ours = "tessera:denoise", .rival = "gegl:noise-reduction" },
  { .title = "denoise level 0.06", .ours = "tessera:denoise level=0.06", .rival = "gegl:denoise-dct sigma=15" },
  { .title = NULL }
};

const CheckFilter check_denoise =
{
  .name = "denoise",
  .operation = "tessera:denoise",
  .timed = timed,
  .n_properties = 4, .undrawn = undrawn,
  .properties =
    {
      { "lightness", CHECK_DOUBLE, CHECK_UNIFORM, 0, 3, 1, 0.1, NULL },
      { "color", CHECK_DOUBLE, CHECK_UNIFORM, 0, 3, 1, 0.1, NULL },
      { "detail", CHECK_DOUBLE, CHECK_UNIFORM, 0, 1, 0.25, 0.1, NULL },
      { "level", CHECK_DOUBLE, CHECK_UNIFORM, 0, 0.25, 0, 0.5, NULL }
    },
  .format = "R'G'B'A float", .halo = halo, .neutral = neutral, .passes = passes,
  .reference = reference, .to_reference = { 2e-4, "of the value range: some hundred roundings of 64 sums each" },
  .exact_shift = TRUE, .whole = TRUE, .is_whole = is_whole, .seldom_far = TRUE,
  .nan_policy = "pixels with NaN or Inf pass through, and nothing depends on them"
};
