/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The check table of tessera:tone. */
#include "check.h"

enum { COMPRESSION, RANGE, SHADOWS, HIGHLIGHTS, DETAIL, RADIUS, EDGE };

/* Light of many stops; of few, of which most is in one bin. */
static const gchar *const corners[] = {
  "compression=1,content=hdr,format=working,width=90,height=70", "compression=1,radius=0,edge=0.5,content=far,specials=0,format=working,width=100,height=80",
  "compression=0.5,shadows=2.4,content=ties,format=working", NULL
};

static const gchar *const neutral[] = { "compression=0,shadows=0,highlights=0,detail=1", NULL };

static gboolean
passes (const gdouble *values)
{
  return values[COMPRESSION] == 0 && values[SHADOWS] == 0 && values[HIGHLIGHTS] == 0 && values[DETAIL] == 1;
}

/* A plane of one colour has another brightness. */
static gboolean
changes_planes (const gdouble *values)
{
  return ! passes (values);
}

/* A guess, as bilateral-grid's. */
static gdouble
cost (const gdouble *values G_GNUC_UNUSED)
{
  return 80;
}

static void
reference (const CheckReferenceArgs *args, RefResult *result)
{
  reference_tone (args->image, args->values[COMPRESSION], args->values[RANGE], args->values[SHADOWS], args->values[HIGHLIGHTS],
                  args->values[DETAIL], args->values[RADIUS], args->values[EDGE], args->weights, result);
  check_excuse_delivery (args, TRUE, FALSE, result);
}

static void
reach_far (gdouble *values)
{
  values[COMPRESSION] = 1;
}

static const BenchRow timed[] = {
  { .title = "tone (shadows 0.7, highlights 0.3)", .ours = "tessera:tone", .rival = "gegl:shadows-highlights" },
  { .title = "tone, HDR compression", .ours = "tessera:tone compression=1", .rival = "gegl:reinhard05" },
  { .title = NULL }
};

const CheckFilter check_tone =
{
  .name = "tone",
  .operation = "tessera:tone",
  .timed = timed,
  .corners = corners,
  .n_properties = 7,
  .properties =
    {
      { "compression", CHECK_DOUBLE, CHECK_UNIFORM, 0, 1, 0, 0.25, NULL },
      { "range", CHECK_DOUBLE, CHECK_UNIFORM, 3, 12, 7, 0.5, NULL },
      { "shadows", CHECK_DOUBLE, CHECK_UNIFORM, -1, 2.4, 0.7, 0.25, NULL },
      { "highlights", CHECK_DOUBLE, CHECK_UNIFORM, 0, 1, 0.3, 0.25, NULL },
      { "detail", CHECK_DOUBLE, CHECK_UNIFORM, 0.5, 2, 1, 0.25, NULL },
      { "radius", CHECK_DOUBLE, CHECK_LOG, 0, 400, 0, 0.5, NULL },
      { "edge", CHECK_DOUBLE, CHECK_UNIFORM, 0.5, 4, 1.6, 0.1, NULL }
    },
  .format = "RGBA float", .cost = cost, .changes_planes = changes_planes,
  .neutral = neutral, .passes = passes, .reference = reference,
  .to_reference = { 1e-5, "float grid sums and interpolation, as bilateral-grid's" },
  .exact_shift = TRUE,
  .whole = TRUE, .reach_far = reach_far,
  .nan_policy = "NaN and Inf pixels do not contribute and pass through"
};
