/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The check table of tessera:sift: which pixels have points.  What it draws and saves is compared in tests/features. */
#include "check.h"
#include "sift.h"

#include "../../../opencl/engine/tessera.h"
#include "../../../opencl/math/tessera-convert.h"

enum { OCTAVES, INTERVALS, CONTRAST, EDGE, SIGMA, UPSAMPLE, MAX_FEATURES, RESULT };

static const gchar *const results[] = { "mask", NULL };

/* Chance draws pictures of few points, small as they have to be. */
#define MANY "width=50,height=50,contrast-threshold=0,sigma=0.8,edge-threshold=100,max-features=0,octaves=0,specials=0,alpha=opaque"
static const gchar *const corners[] =
  { MANY ",content=noise,format=working,space=sRGB,intervals=3,upsample=1", MANY ",content=natural,intervals=2,upsample=0", NULL };

static const gchar *
working (const gdouble *values G_GNUC_UNUSED)
{
  return "RGBA float";
}

static const gchar *
delivers (const gdouble *values G_GNUC_UNUSED)
{
  return "Y float";
}

static gdouble
cost (const gdouble *values)
{
  return values[UPSAMPLE] ? 800 : 200;
}

static gboolean
changes_planes (const gdouble *values G_GNUC_UNUSED)
{
  return TRUE;
}

static gfloat
luminance_of (const gdouble *pixel, const gdouble *weights)
{
  const gfloat w[3] = { (gfloat) weights[0], (gfloat) weights[1], (gfloat) weights[2] };
  const gfloat light = (w[0] * (gfloat) pixel[0] + w[1] * (gfloat) pixel[1]) + w[2] * (gfloat) pixel[2];
  const gfloat value = perceptual_from_linear (light) * (gfloat) pixel[3];

  return pixel[3] != 0.0 && isfinite (value) ? value : 0.0f;
}

/* What overflows on one way may not on the other. */
static gboolean
may_overflow (const RefImage *image)
{
  for (gsize i = 0; i < 4 * (gsize) image->width * image->height; i++)
    if (! (fabs (image->pixels[i]) <= 1e6))
      return TRUE;
  return FALSE;
}

/* The luminance as the filter has it, and how far it may be off: where babl has converted the input, and in what the sum
 * and the curve round. */
static gfloat *
read_luminance (const CheckReferenceArgs *args, gdouble *error)
{
  const gsize n = (gsize) args->image->width * args->image->height;
  gfloat     *seen = g_new0 (gfloat, n + 1);
  gdouble     largest = 1.0;

  for (gsize i = 0; i < n; i++)
    {
      seen[i] = luminance_of (args->image->pixels + 4 * i, args->weights);
      if (fabs (seen[i]) > largest)
        largest = fabs (seen[i]);
    }
  if (args->image->error > 0.0)
    *error = may_overflow (args->image) ? INFINITY : (1e-6 + 16 * args->image->error) * largest;
  return seen;
}

/* A point whose nearest pixel may be another one, and places where there may be one or not. */
static void
excuse (const RefImage *image, double x, double y, double reach, RefResult *result)
{
  for (gint row = MAX (0, (gint) floor (y - reach + 0.5)); row <= MIN (image->height - 1, (gint) floor (y + reach + 0.5)); row++)
    for (gint column = MAX (0, (gint) floor (x - reach + 0.5)); column <= MIN (image->width - 1, (gint) floor (x + reach + 0.5)); column++)
      {
        const gint i = row - result->y, k = column - result->x;

        if (i >= 0 && i < result->height && k >= 0 && k < result->width)
          result->slack[4 * ((gsize) i * result->width + k)] = INFINITY;
      }
}

static void
mark (const RefPoint *point, const RefImage *image, RefResult *result)
{
  const gint x = (gint) floor (point->x + 0.5) - result->x, y = (gint) floor (point->y + 0.5) - result->y;

  if (x >= 0 && x < result->width && y >= 0 && y < result->height)
    result->out[4 * ((gsize) y * result->width + x)] = 1.0;
  if (fabs (point->x - floor (point->x) - 0.5) <= point->place_error || fabs (point->y - floor (point->y) - 0.5) <= point->place_error)
    excuse (image, point->x, point->y, 1.0, result);
}

static void
reference (const CheckReferenceArgs *args, RefResult *result)
{
  const gdouble  *v = args->values;
  RefSiftSettings settings = { (int) v[OCTAVES], (int) v[INTERVALS], v[CONTRAST], v[EDGE], v[SIGMA], v[UPSAMPLE] != 0,
                               (int) v[MAX_FEATURES], 0.0, 0 };
  const gsize     n = (gsize) result->width * result->height;
  gfloat         *seen = read_luminance (args, &settings.input_error);
  RefSift         found;

  if (isinf (settings.input_error))
    {
      for (gsize i = 0; i < 4 * n; i++)
        result->slack[i] = INFINITY;
      g_free (seen);
      return;
    }
  reference_sift (seen, args->image->width, args->image->height, &settings, &found);
  for (gsize i = 0; i < found.n; i++)
    {
      mark (&found.points[i], args->image, result);
      if (found.points[i].response >= found.cut_low && found.points[i].response <= found.cut_high)
        excuse (args->image, found.points[i].x, found.points[i].y, 1.0, result);
    }
  for (gsize i = 0; i < found.n_doubts; i++)
    excuse (args->image, found.doubts[i].x, found.doubts[i].y, found.doubts[i].reach, result);
  for (gsize i = 0; i < n && found.n_doubts > 0 && settings.max_features > 0; i++)
    result->slack[4 * i] = INFINITY;    /* one more is another one less */
  reference_sift_free (&found);
  g_free (seen);
}

#define DRAWING "of circles: tests/features/sift-marks.c draws it"
static const CheckUndrawn undrawn[] =
  { { "output", CHECK_ALIAS },
    { "count", CHECK_RESULT },
    { "draw-scale", DRAWING },
    { "draw-max", DRAWING },
    { "by-octave", DRAWING },
    { "color", DRAWING },
    { NULL, NULL } };

const CheckFilter check_sift =
{
  .name = "sift",
  .operation = "tessera:sift",
  .corners = corners,
  .n_properties = 8,
  .properties =
    {
      { "octaves", CHECK_INT, CHECK_UNIFORM, 0, 3, 1, 0, NULL },        /* 1: one request, while the picture is small */
      { "intervals", CHECK_INT, CHECK_UNIFORM, 1, 8, 3, 0, NULL },
      { "contrast-threshold", CHECK_DOUBLE, CHECK_UNIFORM, 0, 0.2, 0.04, 0.04, NULL },
      { "edge-threshold", CHECK_DOUBLE, CHECK_LOG, 2, 100, 10, 0, NULL },
      { "sigma", CHECK_DOUBLE, CHECK_UNIFORM, 0.8, 4, 1.6, 0, NULL },
      { "upsample", CHECK_BOOLEAN, CHECK_UNIFORM, 0, 1, 1, 0, NULL },
      { "max-features", CHECK_INT, CHECK_LOG, 0, 200, 0, 0, NULL },
      { "result", CHECK_ENUM, CHECK_UNIFORM, 0, 0, 0, 0, results }
    },
  .undrawn = undrawn,
  .working = working, .delivers = delivers, .cost = cost,
  .changes_planes = changes_planes, .reference = reference,
  .to_reference = { 0, "0 or 1" },
  .exact_shift = TRUE,
  .whole = TRUE, .draws_points = TRUE,
  .nan_policy = "a luminance that is not finite, or of alpha 0, is black"
};
