/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The check table of tessera:sobel. */
#include "check.h"

enum { RESULT, INPUT_CHANNEL, TONE, DISPLAY, GAIN };
enum { MAGNITUDE, ANGLE, X, Y, VECTOR };

static const gchar *const results[] = { "magnitude", "angle", "x", "y", "vector", NULL };
static const gchar *const channels[] = { "luminance", "channels", NULL };
static const gchar *const tones[] = { "perceptual", "linear", NULL };

static gboolean
of_channels (const gdouble *values)
{
  return values[INPUT_CHANNEL] == 1 && values[RESULT] != VECTOR;
}

static gboolean
is_perceptual (const gdouble *values)
{
  return values[TONE] == 0;
}

/* An angle of almost a whole turn. */
static const gchar *const corners[] =
  { "result=angle,tone=linear,display=1,content=faint,alpha=opaque,specials=0,format=working,width=40,height=30", NULL };

static const gchar *
working (const gdouble *values)
{
  return of_channels (values) && is_perceptual (values) ? "R'G'B'A float" : "RGBA float";
}

static gboolean
sees (const gdouble *values)
{
  return is_perceptual (values) && ! of_channels (values);
}

/* For eyes a picture with the alpha of the input, else numbers. */
static gboolean
is_picture (const gdouble *values)
{
  return values[RESULT] != VECTOR && values[DISPLAY] == 1;
}

static const gchar *
delivers (const gdouble *values)
{
  if (is_picture (values))
    return is_perceptual (values) ? "R'G'B'A float" : "RGBA float";
  return values[RESULT] == VECTOR || of_channels (values) ? "RGBA float" : "Y float";
}

static gdouble
cost (const gdouble *values G_GNUC_UNUSED)
{
  return 30;
}

/* Of mirrored images only the magnitude is mirrored: gx or gy changes sign. */
static guint
laws (const gdouble *values)
{
  return values[RESULT] == MAGNITUDE ? CHECK_MIRRORS : 0;
}

static gboolean
changes_planes (const gdouble *values G_GNUC_UNUSED)
{
  return TRUE;
}

/* Which side of the jump a faint gradient is on is excused, but no angle is a whole turn; a curve may make it one. */
static gdouble
below (const gdouble *values)
{
  return values[RESULT] == ANGLE && values[DISPLAY] == 1 && ! is_perceptual (values) ? 1 : INFINITY;
}

static void
reference (const CheckReferenceArgs *args, RefResult *result)
{
  reference_sobel (args->image, is_perceptual (args->values), of_channels (args->values),
                   args->seen, results[(gint) args->values[RESULT]], args->values[DISPLAY] == 1,
                   args->values[GAIN], args->weights, result);
  if (is_picture (args->values))
    check_excuse_delivery (args, TRUE, is_perceptual (args->values), result);
}

static const BenchRow timed[] = {
  { .title = "sobel magnitude of luminance", .ours = "tessera:sobel", .rival = "gegl:edge-sobel", .peer = "sobel" },
  { .title = "sobel magnitude of channels", .ours = "tessera:sobel input-channel=channels tone=linear",
    .rival = "gegl:edge-sobel" },
  { .title = NULL }
};

static const CheckUndrawn undrawn[] =
  { { "output", CHECK_ALIAS },
    { NULL, NULL } };

const CheckFilter check_sobel =
{
  .name = "sobel",
  .operation = "tessera:sobel",
  .timed = timed,
  .corners = corners,
  .n_properties = 5,
  .properties =
    {
      { "result", CHECK_ENUM, CHECK_UNIFORM, 0, 4, 0, 0, results },
      { "input-channel", CHECK_ENUM, CHECK_UNIFORM, 0, 1, 0, 0, channels },
      { "tone", CHECK_ENUM, CHECK_UNIFORM, 0, 1, 0, 0, tones },
      { "display", CHECK_BOOLEAN, CHECK_UNIFORM, 0, 1, 1, 0, NULL },
      { "gain", CHECK_DOUBLE, CHECK_LOG, 0, 100, 4, 0.5, NULL }
    },
  .undrawn = undrawn,
  .working = working, .sees = sees, .delivers = delivers, .reach = 1, .cost = cost, .laws = laws,
  .changes_planes = changes_planes, .below = below, .reference = reference,
  .to_reference = { 8.0 / 16777216, "8u: 5u of the luminance behind its curve, 3u of the sum" },
  .exact_shift = TRUE,
  .nan_policy = "NaN and Inf follow the arithmetic within 3x3; pixels of weight 0 do not count"
};
