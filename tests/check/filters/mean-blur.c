/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The check table of tessera:mean-blur. */
#include "check.h"

enum { RADIUS, BORDER };

static const gchar *const borders[] = { "clamp", "none", "loop", NULL };

/* Where the device takes one launch more, and the largest. */
static const gchar *const corners[] = { "radius=15", "radius=16", "radius=255", "radius=256", "radius=1000", NULL };

static void
bounds (const gdouble *values, GeglRectangle *box)
{
  const gint r = (gint) values[RADIUS];

  if (values[BORDER] == REF_NONE)
    *box = (GeglRectangle) { box->x - r, box->y - r, box->width + 2 * r, box->height + 2 * r };
}

static void
halo (const gdouble *values, gint *x, gint *y)
{
  *x = *y = (gint) values[RADIUS];
}

/* The reference's reads. */
static gdouble
cost (const gdouble *values)
{
  return 2 * (2 * values[RADIUS] + 1);
}

static guint
laws (const gdouble *values)
{
  return values[BORDER] == REF_NONE ? CHECK_BLUR_LAWS & ~(1u << CHECK_LAW_CONSTANT) : CHECK_BLUR_LAWS;
}

static const gchar *const neutral[] = { "radius=0", NULL };

static gboolean
passes (const gdouble *values)
{
  return values[RADIUS] == 0;
}

static void
reference (const CheckReferenceArgs *args, RefResult *result)
{
  reference_mean_blur (args->image, (int) args->values[RADIUS], (RefBorder) args->values[BORDER], result);
  if (args->straight)
    check_excuse_lost_colour (result);
}

static const BenchRow timed[] = {
  { .title = "mean-blur radius 10", .ours = "tessera:mean-blur radius=10", .rival = "gegl:box-blur radius=10",
    .peer = "box 10" },
  { .title = NULL }
};

const CheckFilter check_mean_blur =
{
  .name = "mean-blur",
  .operation = "tessera:mean-blur",
  .timed = timed,
  .corners = corners,
  .n_properties = 2,
  .properties =
    {
      { "radius", CHECK_INT, CHECK_LOG, 0, 1000, 4, 0, NULL },
      { "border", CHECK_ENUM, CHECK_UNIFORM, 0, 2, 0, 0, borders }
    },
  .format = "RaGaBaA float", .bounds = bounds, .halo = halo, .cost = cost, .laws = laws,
  .neutral = neutral, .passes = passes, .reference = reference,
  .to_reference = { 1.6e-6, "11 additions, a product and the rounding of its scale on each axis: 26 u = 1.55e-6 at radius 1000" },
  .exact_shift = TRUE,
  .nan_policy = "NaN and Inf follow the arithmetic inside the box"
};
