/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:motion-blur: the mean of n = ceil(length) + 1 bilinear samples along a
 * line through the pixel, at (x + t_i length cos a, y + t_i length sin a),
 * t_i = i/(n-1) - 1/2.
 *
 * V. Oliveira, MSc thesis, 2013, chapter 4.3 and appendix A; GEGL's
 * gegl:motion-blur-linear is its GIMP integration.
 *
 * The fractional offsets are the same for every pixel, so the 4 n bilinear
 * weights merge into a list of about 2 to 3 taps per pixel of length, built once
 * in double and used as the same floats by C and OpenCL.
 *
 * Deviations: borders (the thesis clamps, GEGL reads transparent black; here both can be chosen, and a
 * wrap-around). t_i length cos a is rounded to 2^-30 pixels, so that cos 90 degrees is 0.
 *
 * NaN and Inf follow the arithmetic within the support.
 */
#include "config.h"
#include <glib/gi18n-lib.h>

#ifdef GEGL_PROPERTIES

property_double (length, _("Length"), 10.0)
    description (_("Length of the blur in pixels; 0 leaves the image as it is"))
    value_range (0.0, 1000.0)
    ui_slider   (0.0, 300.0, 2.0, 1.0, 10.0, 1)
    ui_meta     ("unit", "pixel-distance")

property_double (angle, _("Angle"), 0.0)
    description (_("Direction of the blur in degrees, clockwise from the right; 0 is horizontal"))
    value_range (-180.0, 180.0)
    ui_slider   (-180.0, 180.0, 1.0, 1.0, 15.0, 1)
    ui_meta     ("unit", "degree")
    ui_meta     ("direction", "cw")

property_enum (border, _("Border"), TesseraBorder, tessera_border, TESSERA_BORDER_CLAMP)
    description (_("What lies beyond the edge: the nearest pixel, nothing (the image grows and fades), "
                   "or the image again"))

#else

#define GEGL_OP_NAME     tessera_motion_blur
#define GEGL_OP_C_SOURCE tessera-motion-blur.c

#include "tessera-op.h"
#include "tap-sum.h"

#include "../opencl/math/tessera-tap-group.h"
#include "motion-blur.cl.h"

#include <math.h>
#include <stdlib.h>

#define MAX_SAMPLES 1001

typedef struct { gint x, y; } Offset;

/* Sorted by row, then by column; no tap has weight 0, and no two are at one place. */
typedef struct
{
  gint   n;
  Offset offsets[4 * MAX_SAMPLES];
  gfloat weights[4 * MAX_SAMPLES];
} Taps;

/* ---------------------------------------------------------------- taps -- */

typedef struct { gint x, y; gdouble weight; } Sample;

static gint
compare_samples (gconstpointer a, gconstpointer b)
{
  const Sample *s = a, *t = b;

  return s->y != t->y ? (s->y > t->y) - (s->y < t->y) : (s->x > t->x) - (s->x < t->x);
}

static gdouble
snapped (gdouble offset)
{
  return ldexp (floor (ldexp (offset, 30) + 0.5), -30);
}

/* The four bilinear weights of each sample point, 4 n of them. */
static gint
scatter_samples (gdouble length, gdouble angle, Sample *samples)
{
  const gint n = (gint) ceil (length) + 1;
  gint       count = 0;

  for (gint i = 0; i < n; i++)
    {
      gdouble t = n == 1 ? 0.0 : (gdouble) i / (n - 1) - 0.5;
      gdouble px = snapped (t * length * tessera_cos_degrees (angle));
      gdouble py = snapped (t * length * tessera_sin_degrees (angle));
      gint    x = floor (px), y = floor (py);
      gdouble fx = px - x, fy = py - y;

      samples[count++] = (Sample) { x,     y,     (1.0 - fx) * (1.0 - fy) / n };
      samples[count++] = (Sample) { x + 1, y,     fx * (1.0 - fy) / n };
      samples[count++] = (Sample) { x,     y + 1, (1.0 - fx) * fy / n };
      samples[count++] = (Sample) { x + 1, y + 1, fx * fy / n };
    }
  return count;
}

static Taps *
taps_new (gdouble length, gdouble angle)
{
  Taps   *taps = g_new0 (Taps, 1);
  g_autofree Sample *samples = g_new (Sample, 4 * MAX_SAMPLES);
  gint    count = scatter_samples (length, angle, samples);

  qsort (samples, count, sizeof *samples, compare_samples);
  for (gint i = 0, next; i < count; i = next)
    {
      gdouble weight = 0.0;

      for (next = i; next < count && compare_samples (&samples[i], &samples[next]) == 0; next++)
        weight += samples[next].weight;
      if ((gfloat) weight == 0.0f)
        continue;
      taps->offsets[taps->n] = (Offset) { samples[i].x, samples[i].y };
      taps->weights[taps->n++] = (gfloat) weight;
    }
  return taps;
}

/* --------------------------------------------------------------- C rows -- */

static void
blur_block (const TesseraRequest *request, const TesseraBlock *block)
{
  const Taps        *taps = request->params;
  const TesseraHalo *halo = &request->halo;
  g_autofree gint   *places = g_new (gint, taps->n);
  const TapList      list = { taps->n, TAP_GROUP, 1, places, taps->weights, FALSE };

  for (gint i = 0; i < taps->n; i++)
    places[i] = (taps->offsets[i].y + halo->top) * (gint) block->in_stride + 4 * (taps->offsets[i].x + halo->left);
  for (gint y = 0; y < block->roi.height; y++)
    tap_sum (block->in + y * block->in_stride, &list, block->out + y * block->out_stride, block->roi.width);
}

/* ---------------------------------------------------------------- device -- */

static gsize
motion_blur_scratch_bytes (const TesseraRequest *request G_GNUC_UNUSED, gint width G_GNUC_UNUSED,
                           gint height G_GNUC_UNUSED)
{
  return sizeof (Taps);
}

static gint
motion_blur_device (TesseraBand *band)
{
  const Taps *taps = band->request->params;

  return tessera_launch (band, &(TesseraLaunch) {
    .kernel = "motion_blur_gather", .size = OUTPUT_SIZE (band), .group = { 32, 4 }, .cost = taps->n,
    .args = { INPUT_ARGS (band), OUTPUT_ARGS (band), TABLE_ARG (taps->offsets, taps->n * sizeof (Offset)),
              TABLE_ARG (taps->weights, taps->n * sizeof (gfloat)), ARG (taps->n) }
  });
}

static const TesseraFilter motion_blur = {
  .name = "motion-blur", .source = tessera_motion_blur_cl, .block = blur_block,
  .scratch_bytes = motion_blur_scratch_bytes, .device = motion_blur_device
};

/* ------------------------------------------------------------- operation -- */

/* ceil of half the extent on either side, as the taps reach. */
static TesseraHalo
find_halo (const GeglProperties *o)
{
  const gint x = ceil (fabs (snapped (0.5 * o->length * tessera_cos_degrees (o->angle))));
  const gint y = ceil (fabs (snapped (0.5 * o->length * tessera_sin_degrees (o->angle))));

  return (TesseraHalo) { x, y, x, y };
}

static gboolean
neutral (const GeglProperties *o)
{
  return o->length == 0.0;
}

static gboolean
run (TesseraRequest *request, const GeglProperties *o)
{
  g_autofree Taps *taps = taps_new (o->length, o->angle);

  request->params = taps;
  return tessera_process (request);
}

static void
gegl_op_class_init (GeglOpClass *klass)
{
  tessera_operation_describe (klass, &(TesseraOperationInfo) {
    .name = "tessera:motion-blur", .title = _("Motion Blur along a Line"), .categories = "blur",
    .description = _("Blurs as a camera does that moves in a straight line during the exposure: panning, speed, "
                     "streaks of light, camera shake"),
    .reference = "V. Oliveira, MSc thesis, 2013, chapter 4.3",
    .menu_path = "<Image>/Filters/Blur", .menu_label = _("Motion Blur along a Line (Tessera)..."),
    .filter = &motion_blur, .working = "RaGaBaA float", .keeps_grey = TRUE, .grows = TRUE, .find_halo = find_halo, .neutral = neutral, .stays = TRUE, .run = run
  });
}

#endif
