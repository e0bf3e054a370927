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

/* Beside an infinite component the largest finite one counts as 0: 3 x 3 pixels, of which the last of one row or column is infinite. */
static void
largest_beside_infinite (const CheckOptions *options, CheckStats *stats)
{
  static const gdouble angles[] = { 0.0, 0.5 * G_PI };

  for (gint i = 0; i < 4; i++)
    {
      const CheckLeg leg = i & 1 ? CHECK_LEG_OPENCL : CHECK_LEG_C;
      CheckCase      c = { .content_seed = options->seed, .field = { [CHECK_WIDTH] = 3, [CHECK_HEIGHT] = 3 } };
      gfloat         painted[36] = { 0 };
      CheckPixels    pixels = { 0 };
      GeglRectangle  middle = { 1, 1, 1, 1 };
      GString       *why = g_string_new (NULL);
      CheckSource   *source;
      gchar         *title;

      if (! (options->legs & leg))
        continue;
      check_default_values (&check_sobel, c.value);
      c.value[RESULT] = ANGLE;
      c.value[INPUT_CHANNEL] = c.value[TONE] = 1;
      c.value[DISPLAY] = 0;
      for (gint k = 0; k < 9; k++)
        {
          const gint across = k % 3 - 1, down = k / 3 - 1, to = i < 2 ? across : down, beside = i < 2 ? down : across;

          for (gint channel = 0; channel < 3; channel++)
            painted[4 * k + channel] = beside != 0 ? beside * G_MAXFLOAT : to > 0 ? INFINITY : 0.0f;
          painted[4 * k + 3] = 1.0f;
        }
      source = check_source_new (&check_sobel, &c, painted);
      if (check_run (&check_sobel, &c, source, NULL, &middle, leg, &pixels, why) && ! (fabs (pixels.pixels[0] - angles[i / 2]) < 1e-6))
        g_string_append_printf (why, "  the angle is %g, not %g\n", pixels.pixels[0], angles[i / 2]);
      title = g_strdup_printf ("sobel: the largest float along %s beside infinity, %s leg", i < 2 ? "y" : "x", check_leg_name (leg));
      check_verdict (stats, why->len == 0, title, why, options->quiet);
      g_free (title);
      g_string_free (why, TRUE);
      check_pixels_clear (&pixels);
      check_source_free (source);
    }
}

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
  .special = largest_beside_infinite,
  .nan_policy = "NaN and Inf follow the arithmetic within 3x3; pixels of weight 0 do not count"
};
