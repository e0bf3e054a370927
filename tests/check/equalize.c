/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The check table of tessera:equalize. */
#include "check.h"

enum { MODE, CLIP_LIMIT, TILES, BINS };

static const gchar *const modes[] = { "luminance", "channels", NULL };

/* Values that lie on a bin's edge. */
static const gchar *const corners[] =
  { "bins=256,mode=channels,content=ties,format=working", "bins=4096,mode=channels,content=ties,format=working", NULL };

static const gchar *
working (const gdouble *values G_GNUC_UNUSED)
{
  return "R'G'B'A float";
}

static void
bounds (const gdouble *values G_GNUC_UNUSED, GeglRectangle *box G_GNUC_UNUSED)
{
}

/* A guess: the reference's tables count for more than its pixels. */
static gdouble
cost (const gdouble *values)
{
  return values[CLIP_LIMIT] > 0 ? 40 : 20;
}

/* One colour has one bin: it stays.  Tiles do not begin at the same pixels in a mirror. */
static guint
laws (const gdouble *values)
{
  return values[CLIP_LIMIT] > 0 ? 0 : (1u << CHECK_LAW_CONSTANT) | (1u << CHECK_LAW_MIRROR_X)
                                      | (1u << CHECK_LAW_MIRROR_Y);
}

static void
mirror (gdouble *values G_GNUC_UNUSED, gboolean along_y G_GNUC_UNUSED)
{
}

static void
reference (const CheckReferenceArgs *args, RefResult *result)
{
  reference_equalize (args->image, args->values[MODE] == 1, (int) args->values[BINS], args->values[CLIP_LIMIT],
                      (int) args->values[TILES], args->weights, result);
  for (gsize i = 0; i < 4 * (gsize) result->width * result->height; i++)
    result->scale[i] = fabs (result->out[i]);
  if (args->image->error > 0)
    check_excuse_round_trip (result);
}

const CheckFilter check_equalize =
{
  .name = "equalize",
  .operation = "tessera:equalize",
  .corners = corners,
  .n_properties = 4,
  .properties =
    {
      { "mode", CHECK_ENUM, CHECK_UNIFORM, 0, 1, 0, 0, modes },
      { "clip-limit", CHECK_DOUBLE, CHECK_LOG, 0, 100, 0, 0.5, NULL },
      { "tiles", CHECK_INT, CHECK_UNIFORM, 1, 32, 8, 0, NULL },
      { "bins", CHECK_INT, CHECK_LOG, 256, 65536, 4096, 0, NULL }
    },
  .working = working, .bounds = bounds, .cost = cost, .laws = laws, .mirror = mirror,
  .reference = reference,
  .to_reference = { 0, "the reference's slack holds the specification's bounds" },
  .to_each_other = { 0, "integer counts, the same tables, the same order of operations" },
  .exact_shift = TRUE,
  .whole = TRUE,
  .requests = 2,
  .nan_policy = "NaN passes unchanged and is not counted; infinities lie in the first and last bin"
};
