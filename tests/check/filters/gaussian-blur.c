/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The check table of tessera:gaussian-blur. */
#include "check.h"

#define MOST_TAPS 49.0          /* of an exact axis: sigma 8 */

enum { STD_DEV_X, STD_DEV_Y, BORDER };

static const gchar *const borders[] = { "clamp", "none", "loop", NULL };

/* Exact taps to 3 sigma up to 8; above, a method that may reach as far as 4 sigma. */
static gint
reach (gdouble sigma)
{
  return (gint) ceil ((sigma > 8 ? 4 : 3) * sigma);
}

static void
halo (const gdouble *values, gint *x, gint *y)
{
  *x = reach (values[STD_DEV_X]);
  *y = reach (values[STD_DEV_Y]);
}

static void
grow (const gdouble *values, gint x, gint y, GeglRectangle *box)
{
  if (values[BORDER] == REF_NONE)
    *box = (GeglRectangle) { box->x - x, box->y - y, box->width + 2 * x, box->height + 2 * y };
}

/* By what the definition reaches, and a method for large sigmas may reach further. */
static void
bounds (const gdouble *values, GeglRectangle *box)
{
  grow (values, (gint) ceil (3 * values[STD_DEV_X]), (gint) ceil (3 * values[STD_DEV_Y]), box);
}

static void
most_bounds (const gdouble *values, GeglRectangle *box)
{
  gint x, y;

  halo (values, &x, &y);
  grow (values, x, y, box);
}

static gdouble
cost (const gdouble *values)
{
  return 6 * (values[STD_DEV_X] + values[STD_DEV_Y]) + 2;
}

/* A mirrored image has other cells. */
static guint
laws (const gdouble *values)
{
  guint laws = 0;

  if (values[BORDER] != REF_NONE)
    laws |= 1u << CHECK_LAW_CONSTANT;
  if (values[STD_DEV_X] <= 8 && values[STD_DEV_Y] <= 8)
    laws |= CHECK_MIRRORS | (1u << CHECK_LAW_IMPULSE);
  return laws;
}

static const gchar *const neutral[] = { "std-dev-x=0,std-dev-y=0", NULL };

static gboolean
passes (const gdouble *values)
{
  return values[STD_DEV_X] == 0 && values[STD_DEV_Y] == 0;
}

static void
reference (const CheckReferenceArgs *args, RefResult *result)
{
  const gdouble n_x = 2 * ceil (3 * args->values[STD_DEV_X]) + 1, n_y = 2 * ceil (3 * args->values[STD_DEV_Y]) + 1;

  reference_gaussian_blur (args->image, args->values[STD_DEV_X], args->values[STD_DEV_Y],
                           (RefBorder) args->values[BORDER], result);
  if (n_x <= MOST_TAPS && n_y <= MOST_TAPS)
    for (gsize i = 0; i < 4 * (gsize) result->width * result->height; i++)
      result->scale[i] *= (n_x + n_y + 6) / (2 * MOST_TAPS + 6);
  if (args->straight)
    check_excuse_lost_colour (result);
}

static const BenchRow timed[] = {
  { .title = "gaussian-blur sigma 1.5", .ours = "tessera:gaussian-blur std-dev-x=1.5 std-dev-y=1.5",
    .rival = "gegl:gaussian-blur std-dev-x=1.5 std-dev-y=1.5", .peer = "gaussian 1.5" },
  { .title = "gaussian-blur sigma 10", .ours = "tessera:gaussian-blur std-dev-x=10 std-dev-y=10",
    .rival = "gegl:gaussian-blur std-dev-x=10 std-dev-y=10", .peer = "stack 10" },
  { .title = "gaussian-blur sigma 40", .ours = "tessera:gaussian-blur std-dev-x=40 std-dev-y=40",
    .rival = "gegl:gaussian-blur std-dev-x=40 std-dev-y=40", .peer = "stack 40" },
  { .title = NULL }
};

const CheckFilter check_gaussian_blur =
{
  .name = "gaussian-blur",
  .operation = "tessera:gaussian-blur",
  .timed = timed,
  .n_properties = 3,
  .properties =
    {
      { "std-dev-x", CHECK_DOUBLE, CHECK_LOG, 0, 500, 1.5, 0.25, NULL },
      { "std-dev-y", CHECK_DOUBLE, CHECK_LOG, 0, 500, 1.5, 0.25, NULL },
      { "border", CHECK_ENUM, CHECK_UNIFORM, 0, 2, 0, 0, borders }
    },
  .format = "RaGaBaA float", .bounds = bounds, .most_bounds = most_bounds, .halo = halo, .cost = cost, .laws = laws,
  .neutral = neutral, .passes = passes, .reference = reference,
  .to_reference = { 6.2e-6, "(n_x + n_y + 6) 2^-24, here for 49 taps, sigma 8, and less for fewer; above, as many sums again are "
                            "made of more terms, but in three parts, and the slack is larger" },
  .exact_shift = TRUE,
  .nan_policy = "NaN and Inf follow the arithmetic inside the support; taps of weight 0 are left out"
};
