/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The check table of tessera:cielab. */
#include "check.h"

enum { DIRECTION, WHITE, ENCODING };

static const gchar *const directions[] = { "forward", "inverse", NULL };
static const gchar *const whites[] = { "D65", "D50", NULL };
static const gchar *const encodings[] = { "raw", "display", NULL };

static const gchar *
format_of (const gdouble *values, gboolean of_colours)
{
  return of_colours || values[ENCODING] == 1 ? "R'G'B'A float" : "RGBA float";
}

static const gchar *
working (const gdouble *values)
{
  return format_of (values, values[DIRECTION] == 0);
}

static const gchar *
delivers (const gdouble *values)
{
  return format_of (values, values[DIRECTION] == 1);
}

/* Colours, or L, a and b as colours; the raw numbers stay as they are. */
static gboolean
is_picture (const gdouble *values)
{
  return values[DIRECTION] == 1 || values[ENCODING] == 1;
}

static void
halo (const gdouble *values G_GNUC_UNUSED, gint *x, gint *y)
{
  *x = *y = 0;
}

static gdouble
cost (const gdouble *values G_GNUC_UNUSED)
{
  return 4;
}

static guint
laws (const gdouble *values G_GNUC_UNUSED)
{
  return (1u << CHECK_LAW_MIRROR_X) | (1u << CHECK_LAW_MIRROR_Y);
}

static gboolean
changes_planes (const gdouble *values G_GNUC_UNUSED)
{
  return TRUE;
}

static void
reference (const CheckReferenceArgs *args, RefResult *result)
{
  reference_cielab (args->image, args->values[DIRECTION] == 1, args->values[WHITE] == 1,
                    args->values[ENCODING] == 1, result);
  if (is_picture (args->values))
    check_excuse_delivery (args, TRUE, TRUE, result);
}

/* Raw numbers are linear and reach 100: a picture of 8 bits cannot hold them, so they go into floats. */
static const BenchRow timed[] = {
  { .title = "cielab forward", .ours = "tessera:cielab encoding=raw", .rival = "gegl:nop", .peer = "lab",
    .rival_result = "CIE Lab alpha float", .result = "RGBA float" },
  { .title = "cielab forward, beside the formula", .ours = "tessera:cielab encoding=raw", .peer = "formula cielab",
    .result = "RGBA float" },
  { .title = "cielab for eyes", .ours = "tessera:cielab" },
  { .title = "cielab inverse", .ours = "tessera:cielab encoding=raw direction=inverse" },
  { .title = NULL }
};

const CheckFilter check_cielab =
{
  .name = "cielab",
  .operation = "tessera:cielab",
  .timed = timed,
  .n_properties = 3,
  .properties =
    {
      { "direction", CHECK_ENUM, CHECK_UNIFORM, 0, 1, 0, 0, directions },
      { "white", CHECK_ENUM, CHECK_UNIFORM, 0, 1, 0, 0, whites },
      { "encoding", CHECK_ENUM, CHECK_UNIFORM, 0, 1, 1, 0, encodings }
    },
  .working = working, .delivers = delivers, .halo = halo, .cost = cost, .laws = laws,
  .changes_planes = changes_planes, .reference = reference,
  .to_reference = { 1e-4, "the specification's 1e-4 in L, of which a float of 100 takes 1e-5" },
  .only_srgb = TRUE,
  .exact_shift = TRUE,
  .nan_policy = "NaN and Inf follow the arithmetic of their pixel; alpha is copied"
};
