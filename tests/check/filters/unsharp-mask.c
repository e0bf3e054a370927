/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The check table of tessera:unsharp-mask. */
#include "check.h"

enum { STD_DEV, AMOUNT, THRESHOLD };

/* As gaussian-blur's. */
static void
halo (const gdouble *values, gint *x, gint *y)
{
  *x = *y = (gint) ceil ((values[STD_DEV] > 8 ? 4 : 3) * values[STD_DEV]);
}

static gdouble
cost (const gdouble *values)
{
  return 12 * values[STD_DEV] + 4;
}

static const gchar *const neutral[] = { "amount=0", "std-dev=0", NULL };

static gboolean
passes (const gdouble *values)
{
  return values[AMOUNT] == 0 || values[STD_DEV] == 0;
}

static void
reference (const CheckReferenceArgs *args, RefResult *result)
{
  reference_unsharp_mask (args->image, args->values[STD_DEV], args->values[AMOUNT],
                          args->values[THRESHOLD], result);
  check_excuse_delivery (args, TRUE, TRUE, result);
  /* A neutral setting hands on what is stored, and babl makes floats of it for the harness: u16 times the float nearest to 1/65535. */
  for (gsize i = 3; passes (args->values) && i < (gsize) result->width * result->height * 4; i += 4)
    result->slack[i] += ldexp (fabs (result->out[i]), -23);
}

static const BenchRow timed[] = {
  { .title = "unsharp-mask (1.5, 0.5)", .ours = "tessera:unsharp-mask std-dev=1.5 amount=0.5",
    .rival = "gegl:unsharp-mask std-dev=1.5 scale=0.5", .peer = "unsharp 1.5" },
  { .title = NULL }
};

const CheckFilter check_unsharp_mask =
{
  .name = "unsharp-mask",
  .operation = "tessera:unsharp-mask",
  .timed = timed,
  .n_properties = 3,
  .properties =
    {
      { "std-dev", CHECK_DOUBLE, CHECK_LOG, 0, 300, 3, 0.25, NULL },
      { "amount", CHECK_DOUBLE, CHECK_LOG, 0, 10, 0.5, 0.25, NULL },
      { "threshold", CHECK_DOUBLE, CHECK_UNIFORM, 0, 1, 0, 0.0625, NULL }
    },
  .format = "R'G'B'A float", .halo = halo, .cost = cost,
  /* Mirrors are gaussian-blur's affair: they need a tolerance, and here that is the slack. */
  .neutral = neutral, .passes = passes, .reference = reference,
  .to_reference = { 1e-9, "the reference's slack is the bound: amount times that of the blur over the blurred alpha, and four roundings of I" },
  .exact_shift = TRUE,
  .nan_policy = "where the difference from the blurred image is NaN the pixel stays; alpha is copied"
};
