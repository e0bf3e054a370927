/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The check table of tessera:median-blur. */
#include "check.h"

enum { RADIUS, PERCENTILE, NEIGHBORHOOD, BORDER, FILTER_ALPHA };

static const gchar *const neighborhoods[] = { "square", "circle", NULL };
static const gchar *const borders[] = { "clamp", "none", "loop", NULL };

/* More keys of one code than the device copies; small groups that lie beyond the picture; the networks; ranks that a rounded percentile misses; the largest. */
static const gchar *const corners[] =
{
  "radius=50,percentile=50,neighborhood=square,content=natural,alpha=opaque,specials=0,format=rgba-float,x=0,y=0,width=160,height=170,"
  "roi-x=60,roi-y=50,roi-w=32,roi-h=64",
  "radius=3,percentile=30,neighborhood=square,x=0,y=0,width=2,height=5,roi-x=0,roi-y=0,roi-w=2,roi-h=5,bands=0",
  "radius=1,percentile=50,neighborhood=square", "radius=2,percentile=50,neighborhood=square",
  "radius=3,percentile=50,neighborhood=square", "radius=2,percentile=28,neighborhood=square",
  "radius=2,percentile=56,neighborhood=square", "radius=12,percentile=0.16,neighborhood=square",
  "radius=100", NULL
};

static void
halo (const gdouble *values, gint *x, gint *y)
{
  *x = *y = (gint) values[RADIUS];
}

/* The reference's reads and its search. */
static gdouble
cost (const gdouble *values)
{
  return 1.5 * (2 * values[RADIUS] + 1) * (2 * values[RADIUS] + 1);
}

/* Where the input is converted, babl, which converts the reference's, is that far from the formula:
 * of the value (image->error) and besides. */
#define BABL_CURVE_ERROR 5e-7

static const gchar *const neutral[] = { "radius=0", "radius=0,percentile=0,neighborhood=circle,border=none", "radius=0,percentile=100,filter-alpha=1", NULL };

static gboolean
passes (const gdouble *values)
{
  return values[RADIUS] == 0;
}

static gboolean
sees (const gdouble *values G_GNUC_UNUSED)
{
  return TRUE;
}

static void
reference (const CheckReferenceArgs *args, RefResult *result)
{
  const gsize n = 4 * (gsize) result->width * result->height;

  reference_median_blur (args->image, (int) args->values[RADIUS], args->values[PERCENTILE],
                         (int) args->values[NEIGHBORHOOD], (RefBorder) args->values[BORDER],
                         (int) args->values[FILTER_ALPHA], result);
  for (gsize i = 0; i < n && args->image->error > 0; i++)
    result->slack[i] += BABL_CURVE_ERROR;
}

static const BenchRow timed[] = {
  { .title = "median-blur radius 1", .ours = "tessera:median-blur radius=1", .rival = "gegl:median-blur radius=1",
    .peer = "median 1" },
  { .title = "median-blur radius 2", .ours = "tessera:median-blur radius=2", .rival = "gegl:median-blur radius=2",
    .peer = "median 2" },
  { .title = "median-blur radius 3", .ours = "tessera:median-blur radius=3", .rival = "gegl:median-blur radius=3" },
  { .title = "median-blur radius 10", .ours = "tessera:median-blur radius=10", .rival = "gegl:median-blur radius=10" },
  { .title = "median-blur radius 40", .ours = "tessera:median-blur radius=40", .rival = "gegl:median-blur radius=40" },
  { .title = NULL }
};

const CheckFilter check_median_blur =
{
  .name = "median-blur",
  .operation = "tessera:median-blur",
  .timed = timed,
  .corners = corners,
  .n_properties = 5,
  .properties =
    {
      { "radius", CHECK_INT, CHECK_LOG, 0, 100, 2, 0, NULL },
      { "percentile", CHECK_DOUBLE, CHECK_UNIFORM, 0, 100, 50, 1, NULL },
      { "neighborhood", CHECK_ENUM, CHECK_UNIFORM, 0, 1, 0, 0, neighborhoods },
      { "border", CHECK_ENUM, CHECK_UNIFORM, 0, 2, 0, 0, borders },
      { "filter-alpha", CHECK_BOOLEAN, CHECK_UNIFORM, 0, 1, 0, 0, NULL }
    },
  .format = "R'G'B'A float", .working_linear = "RGBA float", .sees = sees, .halo = halo, .cost = cost, .holds = CHECK_MIRRORS | (1u << CHECK_LAW_CONSTANT),
  /* Mirrored, a neighbourhood is itself.  Isolated pixels vanish, so no impulse. */
  .neutral = neutral, .passes = passes, .reference = reference,
  .to_reference = { 0, "one of the samples, no arithmetic" },
  .exact_shift = TRUE,
  .nan_policy = "NaN is a sample that sorts after +Inf"
};
