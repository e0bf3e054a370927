/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:unsharp-mask: D = I - G(I), G a Gaussian blur;
 * out = I + amount (D - T sign D) where |D| > T, else I.
 *
 * V. Oliveira, MSc thesis, 2013, chapter 4.2 (appendix A has its OpenCL code).
 *
 * Deviations: the thesis prints D = G - I, which blurs, and its C and OpenCL disagree on the sign
 * of the threshold; here both signs of D are treated alike.  G is that of tessera:gaussian-blur.
 *
 * R', G', B' of straight alpha, which takes no part and is copied; nothing is clipped.  Where D is
 * NaN (a NaN within the blur's support, or Inf of both signs) the pixel stays as it is; an Inf
 * makes the finite pixels around it infinite.
 */
#include "config.h"
#include <glib/gi18n-lib.h>

#ifdef GEGL_PROPERTIES

property_double (std_dev, _("Radius"), 3.0)
    description (_("Standard deviation of the blur that the image is compared with, in pixels: "
                   "the size of what is sharpened; 0 leaves the image as it is"))
    value_range (0.0, 300.0)
    ui_range    (0.0, 40.0)
    ui_gamma    (3.0)
    ui_steps    (0.5, 5.0)
    ui_digits   (2)
    ui_meta     ("unit", "pixel-distance")

property_double (amount, _("Amount"), 0.5)
    description (_("How much of the difference is added; 0 leaves the image as it is"))
    value_range (0.0, 10.0)
    ui_range    (0.0, 5.0)
    ui_gamma    (2.0)
    ui_steps    (0.05, 0.5)
    ui_digits   (2)

property_double (threshold, _("Threshold"), 0.0)
    description (_("Differences up to this, in pixel values from 0 to 1, are left alone, "
                   "and larger ones lessened by it; 0 sharpens all"))
    value_range (0.0, 1.0)
    ui_range    (0.0, 0.25)
    ui_gamma    (2.0)
    ui_steps    (0.005, 0.05)
    ui_digits   (3)

#else

#define GEGL_OP_FILTER
#define GEGL_OP_NAME     tessera_unsharp_mask
#define GEGL_OP_C_SOURCE tessera-unsharp-mask.c

#include "gegl-op.h"
#include "menus.h"
#include "gaussian.h"

#include "../opencl/math/tessera-unsharp.h"
#include "unsharp-mask.cl.h"

typedef struct
{
  Gaussian gaussian;
  gfloat   amount, threshold;
} Params;

/* --------------------------------------------------------------- C rows -- */

TESSERA_CLONES static void
sharpen_row (gfloat *restrict sums, const gfloat *restrict in, gint n_pixels, gconstpointer data)
{
  const Params *params = data;
  const gfloat  amount = params->amount, threshold = params->threshold;

  for (gint i = 0; i < 4 * n_pixels; i++)
    sums[i] = unsharp_sharpened (in[i], sums[i], amount, threshold);
  for (gint x = 0; x < n_pixels; x++)
    sums[4 * x + 3] = in[4 * x + 3];
}

static void
unsharp_area (const TesseraRequest *request, const GeglRectangle *area)
{
  const Params *params = request->params;

  separable_area (request, area, &params->gaussian.fir);
}

static void
unsharp_whole (const TesseraRequest *request)
{
  const Params *params = request->params;

  gaussian_whole (request, &params->gaussian);
}

/* ---------------------------------------------------------------- device -- */

static gsize
unsharp_device_bytes (const TesseraRequest *request, gint width, gint height)
{
  const Params *params = request->params;

  return gaussian_device_bytes (request, &params->gaussian, width, height);
}

static gint
unsharp_device (TesseraBand *band)
{
  const Params    *params = band->request->params;
  const TesseraArg more[2] = { TESSERA_FLOAT_ARG (params->amount), TESSERA_FLOAT_ARG (params->threshold) };

  return gaussian_device (band, &params->gaussian, "unsharp_columns", "unsharp_up_rows", more, 2);
}

static const TesseraFilter exact = {
  .name = "unsharp-mask",
  .source = tessera_unsharp_mask_cl,
  .area = unsharp_area,
  .device_bytes = unsharp_device_bytes,
  .device = unsharp_device
};

static const TesseraFilter by_cells = {
  .name = "unsharp-mask",
  .source = tessera_unsharp_mask_cl,
  .spread = unsharp_whole,
  .device_bytes = unsharp_device_bytes,
  .device = unsharp_device
};

/* ------------------------------------------------------------- operation -- */

/* An amount of 0 needs no blur. */
static gdouble
sigma_of (const GeglProperties *o)
{
  return o->amount > 0.0 ? o->std_dev : 0.0;
}

/* R'G'B'A within; out of it as the input is. */
static void
prepare (GeglOperation *operation)
{
  tessera_set_formats (operation, "R'G'B'A float");
}

static GeglRectangle
get_bounding_box (GeglOperation *operation)
{
  return tessera_bounds (operation, "input");
}

static GeglRectangle
get_required_for_output (GeglOperation *operation, const gchar *pad, const GeglRectangle *roi)
{
  const gdouble     sigma = sigma_of (GEGL_PROPERTIES (operation));
  const TesseraHalo halo = gaussian_reach (sigma, sigma);

  return tessera_required (operation, pad, roi, &halo, TESSERA_BORDER_CLAMP);
}

static GeglRectangle
get_invalidated_by_change (GeglOperation *operation, const gchar *pad, const GeglRectangle *changed)
{
  const gdouble     sigma = sigma_of (GEGL_PROPERTIES (operation));
  const TesseraHalo halo = gaussian_reach (sigma, sigma);

  return tessera_invalidated (operation, pad, changed, &halo, TESSERA_BORDER_CLAMP);
}

static gboolean
process (GeglOperation *operation, GeglBuffer *input, GeglBuffer *output,
         const GeglRectangle *roi, gint level G_GNUC_UNUSED)
{
  GeglProperties *o = GEGL_PROPERTIES (operation);
  const gdouble   sigma = sigma_of (o);
  Params         *params;
  gboolean        success;

  if (! input)
    return TRUE;
  params = g_new0 (Params, 1);
  params->amount = (gfloat) o->amount;
  params->threshold = (gfloat) o->threshold;
  params->gaussian.fir.finish = sharpen_row;
  params->gaussian.fir.finish_data = params;
  gaussian_init (&params->gaussian, sigma, sigma);
  success = tessera_process (&(TesseraRequest) {
    .filter = params->gaussian.x.step == 1 ? &exact : &by_cells,
    .operation = operation,
    .input = input,
    .output = output,
    .input_format = gegl_operation_get_format (operation, "input"),
    .output_format = gegl_operation_get_format (operation, "input"),
    .roi = *roi,
    .bounds = tessera_bounds (operation, "input"),
    .halo = gaussian_reach (sigma, sigma),
    .border = TESSERA_BORDER_CLAMP,
    .params = params,
    .cost_class = params->gaussian.fir.x.n
  });
  g_free (params);
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

  tessera_set_menu (operation_class, "tessera:unsharp-mask");
  gegl_operation_class_set_key (operation_class, "reference", "V. Oliveira, MSc thesis, 2013, chapter 4.2");
}

#endif
