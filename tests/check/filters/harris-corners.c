/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The check table of tessera:harris-corners.
 *
 * Drawn cases feed R, G, B, A.  What the filter reads is then babl's luminance, which is off by some 5e-7, so the reference states
 * how far each number may be off, and excuses a corner only where that can turn a comparison.  harris-corners-bits.c
 * has tests of every bit. */
#include "harris-corners.h"

#include "srgb.h"

#define CURVES_ERROR 1e-5       /* measured: 2.8e-6, near 0, where a gamma's way back from linear light is steep */
#define CURVES_LIMIT 1.5        /* above it babl's curves are wrong by anything (references/harris-corners.c) */

static const gchar *const results[] = { "overlay", "corners", "strength", "response", NULL };

/* Corners as photographs have them; chance draws thresholds that nothing or everything exceeds. */
static const gchar *const corners[] =
  { "result=corners,content=natural,threshold=0.03,k=0.04,sigma=1.6,alpha=opaque",
    "result=overlay,content=natural,threshold=0.03,k=0.04,sigma=1.6",
    "result=corners,content=runs,threshold=0.1,sigma=0.5,alpha=patches",
    "result=overlay,content=runs,threshold=0.06,sigma=0.7,alpha=patches,width=37,height=29",
    "result=strength,content=natural,sigma=1.6", NULL };

static const gchar *
working (const gdouble *values)
{
  return values[RESULT] == OVERLAY ? DRAWN_IN : "RGBA float";
}

static const gchar *
delivers (const gdouble *values)
{
  return values[RESULT] == OVERLAY ? DRAWN_IN : values[RESULT] == STRENGTH ? "Y~ float" : "Y float";
}

/* Sobel, window, the neighbours that suppress, the cross. */
static void
halo (const gdouble *values, gint *x, gint *y)
{
  *x = *y = 1 + (gint) ceil (3 * values[SIGMA]) + (values[RESULT] == OVERLAY ? 1 + ARM : values[RESULT] == CORNERS);
}

static gdouble
cost (const gdouble *values)
{
  return 6 * (2 * ceil (3 * values[SIGMA]) + 1) + (values[RESULT] == OVERLAY ? 150 : 40);
}

/* No mirrors: which of two equal pixels wins depends on their order. */
static guint
laws (const gdouble *values)
{
  return values[RESULT] == OVERLAY ? 1u << CHECK_LAW_CONSTANT : 0;
}

static gboolean
changes_planes (const gdouble *values)
{
  return values[RESULT] != OVERLAY;
}

/* What an overlay is drawn in, as linear light. */
static gdouble *
light_of (const CheckReferenceArgs *args)
{
  const gsize n = (gsize) args->image->width * args->image->height;
  gdouble    *pixels = g_memdup2 (args->image->pixels, 4 * n * sizeof (gdouble));

  for (gsize i = 0; i < 4 * n; i++)
    pixels[i] = i % 4 < 3 ? srgb_to_linear (pixels[i]) : pixels[i];
  return pixels;
}

/* Pictures of another space have that space's curve.  Both ways between it and linear light are
 * babl's, which makes NaN of Inf there, of alpha too. */
static void
excuse_curves (const CheckReferenceArgs *args, RefResult *result)
{
  if (args->space == babl_space ("sRGB") || ! args->perceptual)
    return;
  for (gsize i = 0; i < (gsize) result->width * result->height * 4; i++)
    if (i % 4 < 3)
      result->slack[i] += fabs (result->out[i]) <= CURVES_LIMIT ? CURVES_ERROR : INFINITY;
    else if (! isfinite (result->out[i - 1]) || ! isfinite (result->out[i - 2]) || ! isfinite (result->out[i - 3]))
      result->slack[i] = INFINITY;
}

static void
reference (const CheckReferenceArgs *args, RefResult *result)
{
  static const gfloat red[4] = { 1, 0, 0, 1 };
  const gdouble      *values = args->values;
  gdouble            *pixels = values[RESULT] == OVERLAY ? light_of (args) : NULL;
  const RefImage      light = { args->image->width, args->image->height, pixels, args->image->error };
  gfloat              in_space[4];
  gdouble             color[4];

  babl_process (babl_fish (babl_format ("R'G'B'A float"), babl_format_with_space (DRAWN_IN, args->space)), red,
                in_space, 1);
  for (gint c = 0; c < 4; c++)
    color[c] = in_space[c];
  reference_harris_corners (args->image, pixels ? &light : args->image, args->straight, args->perceptual, args->weights, values[SIGMA],
                            values[K], values[THRESHOLD], results[(gint) values[RESULT]], color, result);
  if (values[RESULT] == OVERLAY)
    {
      check_excuse_delivery (args, TRUE, TRUE, result);
      excuse_curves (args, result);
    }
  g_free (pixels);
}

static const BenchRow timed[] = {
  { .title = "harris-corners overlay", .ours = "tessera:harris-corners", .peer = "harris" },
  { .title = "harris-corners response", .ours = "tessera:harris-corners result=response", .peer = "harris",
    .result = "Y float" },
  { .title = NULL }
};

static const CheckUndrawn undrawn[] =
  { { "output", CHECK_ALIAS },
    { "color", "that of the crosses, whose every pixel harris-corners-bits.c knows" },
    { NULL, NULL } };

const CheckFilter check_harris_corners =
{
  .name = "harris-corners",
  .operation = "tessera:harris-corners",
  .timed = timed,
  .corners = corners,
  .n_properties = 4,
  .properties =
    {
      { "result", CHECK_ENUM, CHECK_UNIFORM, 0, 3, 0, 0, results },
      { "sigma", CHECK_DOUBLE, CHECK_LOG, 0.5, 8, 1.6, 0.5, NULL },
      { "k", CHECK_DOUBLE, CHECK_UNIFORM, 0, 0.25, 0.04, 0.0625, NULL },
      { "threshold", CHECK_DOUBLE, CHECK_LOG, 0, 0.5, 0.04, 0.0625, NULL }
    },
  .undrawn = undrawn,
  .working = working, .delivers = delivers, .halo = halo, .cost = cost, .laws = laws,
  .changes_planes = changes_planes, .reference = reference,
  .to_reference = { 1e-9, "the reference's slack is the bound: the rounding of each step and the error of the luminance, "
                          "carried through the steps" },
  .exact_shift = TRUE,
  .special = check_harris_bits,
  .nan_policy = "a luminance that is not finite counts as 0; where R overflows, comparisons with it are false"
};
