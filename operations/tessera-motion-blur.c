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
 * Deviations: borders (the thesis clamps, GEGL reads transparent black; here
 * both are on offer, and a wrap-around); t_i length cos a is rounded to 2^-30
 * pixels, so that cos 90 degrees is 0.
 *
 * NaN and Inf follow the arithmetic within the support.
 */
#include "config.h"
#include <glib/gi18n-lib.h>

#ifdef GEGL_PROPERTIES

enum_start (tessera_motion_blur_border)
  enum_value (TESSERA_MOTION_BLUR_CLAMP, "clamp", N_("Clamp"))
  enum_value (TESSERA_MOTION_BLUR_NONE,  "none",  N_("None"))
  enum_value (TESSERA_MOTION_BLUR_LOOP,  "loop",  N_("Loop"))
enum_end (TesseraMotionBlurBorder)

property_double (length, _("Length"), 10.0)
    description (_("Length of the blur in pixels; 0 leaves the image as it is"))
    value_range (0.0, 1000.0)
    ui_range    (0.0, 300.0)
    ui_gamma    (2.0)
    ui_steps    (1.0, 10.0)
    ui_digits   (1)
    ui_meta     ("unit", "pixel-distance")

property_double (angle, _("Angle"), 0.0)
    description (_("Direction of the blur in degrees, clockwise from the right; 0 is horizontal"))
    value_range (-180.0, 180.0)
    ui_steps    (1.0, 15.0)
    ui_digits   (1)
    ui_meta     ("unit", "degree")
    ui_meta     ("direction", "cw")

property_enum (border, _("Border"), TesseraMotionBlurBorder, tessera_motion_blur_border,
               TESSERA_MOTION_BLUR_CLAMP)
    description (_("What lies beyond the edge: the nearest pixel, nothing (the image grows and fades), "
                   "or the image again"))

#else

#define GEGL_OP_FILTER
#define GEGL_OP_NAME     tessera_motion_blur
#define GEGL_OP_C_SOURCE tessera-motion-blur.c

#include "gegl-op.h"
#include "menus.h"
#include "tap-sum.h"
#include "tessera.h"

#include "../opencl/math/tessera-tap-group.h"
#include "motion-blur.cl.h"

#include <math.h>
#include <stdlib.h>

#define MAX_SAMPLES 1001
#define BLOCK       TAP_SUM_BLOCK

typedef struct { gint x, y; } Offset;

/* Sorted by row, then column; no tap of weight 0, no two at one place. */
typedef struct
{
  gint        n;
  TesseraHalo halo;
  Offset      offsets[4 * MAX_SAMPLES];
  gfloat      weights[4 * MAX_SAMPLES];
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
  Sample *samples = g_new (Sample, 4 * MAX_SAMPLES);
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
      taps->halo.left   = MAX (taps->halo.left,   -samples[i].x);
      taps->halo.right  = MAX (taps->halo.right,   samples[i].x);
      taps->halo.top    = MAX (taps->halo.top,    -samples[i].y);
      taps->halo.bottom = MAX (taps->halo.bottom,  samples[i].y);
    }
  g_free (samples);
  return taps;
}

/* --------------------------------------------------------------- C rows -- */

/* One block of rows that is read, blurred and written at once.  Rows are
 * computed in whole BLOCKs: the scratch has room for one more at its end. */
static void
blur_block (const TesseraRequest *request, const GeglRectangle *block)
{
  const Taps    *taps = request->params;
  GeglRectangle  around = tessera_grow (block, &taps->halo);
  gint           padded = (block->width + BLOCK - 1) / BLOCK * BLOCK;
  gsize          n_in = 4 * ((gsize) around.width * around.height + BLOCK);
  gsize          n_out = 4 * (gsize) padded * block->height;
  gfloat        *in = gegl_scratch_new (gfloat, n_in);
  gfloat        *out = gegl_scratch_new (gfloat, n_out);
  gint          *places = g_new (gint, taps->n);
  const TapList  list = { taps->n, TAP_GROUP, 1, places, taps->weights };

  for (gint i = 0; i < taps->n; i++)
    places[i] = 4 * ((taps->offsets[i].y + taps->halo.top) * around.width
                     + taps->offsets[i].x + taps->halo.left);
  memset (in + n_in - 4 * BLOCK, 0, 4 * BLOCK * sizeof (gfloat));
  tessera_read (request->input, &around, &request->bounds, request->border,
                request->input_format, in);
  for (gint y = 0; y < block->height; y++)
    tap_sum (in + 4 * (gsize) y * around.width, &list, out + 4 * (gsize) y * padded, block->width);
  tessera_write (request->output, block, request->output_format, out, 4 * padded * sizeof (gfloat));
  g_free (places);
  gegl_scratch_free (out);
  gegl_scratch_free (in);
}

/* Blocks small enough for the cache, large enough that the halo is the smaller part. */
static void
blur_area (const TesseraRequest *request, const GeglRectangle *area)
{
  const gint width = MAX (256, request->halo.left + request->halo.right);
  const gint height = MAX (96, request->halo.top + request->halo.bottom);

  for (gint y = area->y; y < area->y + area->height; y += height)
    for (gint x = area->x; x < area->x + area->width; x += width)
      blur_block (request, GEGL_RECTANGLE (x, y, MIN (width, area->x + area->width - x),
                                           MIN (height, area->y + area->height - y)));
}

/* ---------------------------------------------------------------- device -- */

static gsize
motion_blur_device_bytes (const TesseraRequest *request, gint width, gint height)
{
  gsize around = ((gsize) width + request->halo.left + request->halo.right)
                 * (height + request->halo.top + request->halo.bottom);

  return (around + (gsize) width * height) * 4 * sizeof (gfloat) + sizeof (Taps);
}

static gint
motion_blur_device (TesseraBand *band)
{
  const Taps    *taps = band->request->params;
  TesseraMemory *offsets, *weights;
  gint           status;

  if ((status = tessera_table (band, taps->offsets, taps->n * sizeof (Offset), &offsets)) != 0
      || (status = tessera_table (band, taps->weights, taps->n * sizeof (gfloat), &weights)) != 0)
    return status;
  return tessera_launch (band, &(TesseraLaunch) {
    .kernel = "motion_blur_gather",
    .size = { band->output.width, band->output.height },
    .group = { 32, 4 },
    .cost = taps->n,
    .args = { TESSERA_MEMORY_ARG (band->input.memory), TESSERA_INT_ARG (band->input.stride),
              TESSERA_INT_ARG (taps->halo.left), TESSERA_INT_ARG (taps->halo.top),
              TESSERA_MEMORY_ARG (band->output.memory),
              TESSERA_INT_ARG (band->output.width), TESSERA_INT_ARG (band->output.height),
              TESSERA_MEMORY_ARG (offsets), TESSERA_MEMORY_ARG (weights),
              TESSERA_INT_ARG (taps->n) }
  });
}

static const TesseraFilter motion_blur = {
  .name = "motion-blur",
  .source = tessera_motion_blur_cl,
  .area = blur_area,
  .device_bytes = motion_blur_device_bytes,
  .device = motion_blur_device
};

/* ------------------------------------------------------------- operation -- */

/* ceil of half the extent on either side, as the taps reach. */
static TesseraHalo
reach (const GeglProperties *o)
{
  gint x = ceil (fabs (snapped (0.5 * o->length * tessera_cos_degrees (o->angle))));
  gint y = ceil (fabs (snapped (0.5 * o->length * tessera_sin_degrees (o->angle))));

  return (TesseraHalo) { x, y, x, y };
}

static void
prepare (GeglOperation *operation)
{
  tessera_set_formats (operation, "RaGaBaA float");
}

static GeglRectangle
get_bounding_box (GeglOperation *operation)
{
  GeglProperties   *o = GEGL_PROPERTIES (operation);
  GeglRectangle     bounds = tessera_bounds (operation, "input");
  const TesseraHalo halo = reach (o);

  return o->border == TESSERA_MOTION_BLUR_NONE ? tessera_grow (&bounds, &halo) : bounds;
}

static GeglRectangle
get_required_for_output (GeglOperation *operation, const gchar *pad, const GeglRectangle *roi)
{
  GeglProperties   *o = GEGL_PROPERTIES (operation);
  const TesseraHalo halo = reach (o);

  return tessera_required (operation, pad, roi, &halo, (TesseraBorder) o->border);
}

static GeglRectangle
get_invalidated_by_change (GeglOperation *operation, const gchar *pad, const GeglRectangle *changed)
{
  GeglProperties   *o = GEGL_PROPERTIES (operation);
  const TesseraHalo halo = reach (o);

  return tessera_invalidated (operation, pad, changed, &halo, (TesseraBorder) o->border);
}

static gboolean
process (GeglOperation *operation, GeglBuffer *input, GeglBuffer *output,
         const GeglRectangle *roi, gint level G_GNUC_UNUSED)
{
  GeglProperties *o = GEGL_PROPERTIES (operation);
  Taps           *taps;
  gboolean        success;

  if (! input)
    return TRUE;
  taps = taps_new (o->length, o->angle);
  success = tessera_process (&(TesseraRequest) {
    .filter = &motion_blur,
    .operation = operation,
    .input = input,
    .output = output,
    .input_format = gegl_operation_get_format (operation, "input"),
    .output_format = gegl_operation_get_format (operation, "input"),
    .roi = *roi,
    .bounds = tessera_bounds (operation, "input"),
    .halo = taps->halo,
    .border = (TesseraBorder) o->border,
    .params = taps
  });
  g_free (taps);
  return success;
}

static void
gegl_op_class_init (GeglOpClass *klass)
{
  GeglOperationClass       *operation_class = GEGL_OPERATION_CLASS (klass);
  GeglOperationFilterClass *filter_class = GEGL_OPERATION_FILTER_CLASS (klass);

  operation_class->prepare                   = prepare;
  operation_class->get_bounding_box          = get_bounding_box;
  operation_class->get_required_for_output   = get_required_for_output;
  operation_class->get_invalidated_by_change = get_invalidated_by_change;
  operation_class->opencl_support            = TRUE;
  operation_class->threaded                  = FALSE;    /* the engine spreads the work */
  operation_class->want_in_place             = FALSE;
  filter_class->process                      = process;

  tessera_set_menu (operation_class, "tessera:motion-blur");
  gegl_operation_class_set_key (operation_class, "reference", "V. Oliveira, MSc thesis, 2013, chapter 4.3");
}

#endif
