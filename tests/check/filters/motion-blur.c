/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The check table of tessera:motion-blur. */
#include "check.h"

enum { LENGTH, ANGLE, BORDER };

static const gchar *const borders[] = { "clamp", "none", "loop", NULL };

/* Offsets are multiples of 2^-30 pixels, so that cos 90 degrees is 0. */
static gint
half_extent (gdouble extent)
{
  return (gint) ceil (fabs (ldexp (floor (ldexp (0.5 * extent, 30) + 0.5), -30)));
}

static void
halo (const gdouble *values, gint *x, gint *y)
{
  *x = half_extent (values[LENGTH] * cos (values[ANGLE] * G_PI / 180));
  *y = half_extent (values[LENGTH] * sin (values[ANGLE] * G_PI / 180));
}

static void
bounds (const gdouble *values, GeglRectangle *box)
{
  gint x, y;

  if (values[BORDER] != REF_NONE)
    return;
  halo (values, &x, &y);
  *box = (GeglRectangle) { box->x - x, box->y - y, box->width + 2 * x, box->height + 2 * y };
}

static gdouble
cost (const gdouble *values)
{
  return 4 * (ceil (values[LENGTH]) + 1);
}

static guint
laws (const gdouble *values)
{
  return values[BORDER] == REF_NONE ? CHECK_BLUR_LAWS & ~(1u << CHECK_LAW_CONSTANT) : CHECK_BLUR_LAWS;
}

/* A line through the pixel is its own mirror image with the other slope. */
static void
mirror (gdouble *values, gboolean along_y G_GNUC_UNUSED)
{
  values[ANGLE] = -values[ANGLE];
}

static const gchar *const neutral[] = { "length=0", NULL };

static gboolean
passes (const gdouble *values)
{
  return values[LENGTH] == 0;
}

static void
reference (const CheckReferenceArgs *args, RefResult *result)
{
  reference_motion_blur (args->image, args->values[LENGTH], args->values[ANGLE],
                         (RefBorder) args->values[BORDER], result);
  if (args->straight)
    check_excuse_lost_colour (result);
}

static const BenchRow timed[] = {
  { .title = "motion-blur length 40, angle 45", .ours = "tessera:motion-blur length=40 angle=45",
    .rival = "gegl:motion-blur-linear length=40 angle=45" },
  { .title = "motion-blur into linear floats, as cielab forward", .ours = "tessera:motion-blur length=40 angle=45",
    .rival = "gegl:motion-blur-linear length=40 angle=45", .rival_result = "RGBA float", .result = "RGBA float" },
  { .title = NULL }
};

const CheckFilter check_motion_blur =
{
  .name = "motion-blur",
  .operation = "tessera:motion-blur",
  .timed = timed,
  .n_properties = 3,
  .properties =
    {
      { "length", CHECK_DOUBLE, CHECK_LOG, 0, 1000, 10, 0.25, NULL },
      { "angle", CHECK_DOUBLE, CHECK_UNIFORM, -180, 180, 0, 15, NULL },
      { "border", CHECK_ENUM, CHECK_UNIFORM, 0, 2, 0, 0, borders }
    },
  .format = "RaGaBaA float", .bounds = bounds, .halo = halo, .cost = cost, .laws = laws,
  .neutral = neutral, .passes = passes, .mirror = mirror, .reference = reference,
  .to_reference = { 4e-6, "up to 3 float taps per pixel of length, summed in groups" },
  .exact_shift = TRUE,
  .nan_policy = "NaN and Inf follow the arithmetic inside the support; taps of weight 0 are left out"
};
