/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:gaussian-blur: along x, then along y,
 * out(x) = sum of g(i) in(x + i) over |i| <= r, g(i) = exp (-i^2 / 2 sigma^2) / sum, r = ceil (3 sigma).
 *
 * Deviations: from sigma 12.5 on an axis is filtered on cells of several pixels (gaussian.h), at a
 * cost that does not grow with sigma, with an error of at most 1/2000 of max - min an axis.
 *
 * NaN and Inf follow the arithmetic within the support, which is 3 sigma, or up to 4 with cells.
 */
#include "config.h"
#include <glib/gi18n-lib.h>

#ifdef GEGL_PROPERTIES

enum_start (tessera_gaussian_blur_border)
  enum_value (TESSERA_GAUSSIAN_BLUR_CLAMP, "clamp", N_("Clamp"))
  enum_value (TESSERA_GAUSSIAN_BLUR_NONE,  "none",  N_("None"))
  enum_value (TESSERA_GAUSSIAN_BLUR_LOOP,  "loop",  N_("Loop"))
enum_end (TesseraGaussianBlurBorder)

/* No "unit": beside an axis GIMP 3 would forget the gamma. */
property_double (std_dev_x, _("Size X"), 1.5)
    description (_("Standard deviation across, in pixels; 0 does not blur in this direction"))
    value_range (0.0, 500.0)
    ui_range    (0.0, 100.0)
    ui_gamma    (3.0)
    ui_steps    (0.5, 5.0)
    ui_digits   (2)
    ui_meta     ("axis", "x")

property_double (std_dev_y, _("Size Y"), 1.5)
    description (_("Standard deviation downwards, in pixels; 0 does not blur in this direction"))
    value_range (0.0, 500.0)
    ui_range    (0.0, 100.0)
    ui_gamma    (3.0)
    ui_steps    (0.5, 5.0)
    ui_digits   (2)
    ui_meta     ("axis", "y")

property_enum (border, _("Border"), TesseraGaussianBlurBorder, tessera_gaussian_blur_border,
               TESSERA_GAUSSIAN_BLUR_CLAMP)
    description (_("What lies beyond the edge: the nearest pixel, nothing (the image fades there), "
                   "or the image again"))

#else

#define GEGL_OP_FILTER
#define GEGL_OP_NAME     tessera_gaussian_blur
#define GEGL_OP_C_SOURCE tessera-gaussian-blur.c

#include "gegl-op.h"
#include "menus.h"
#include "gaussian.h"
#include "gaussian-blur.cl.h"

static void
blur_area (const TesseraRequest *request, const GeglRectangle *area)
{
  const Gaussian *gaussian = request->params;

  separable_area (request, area, &gaussian->fir);
}

static void
blur_whole (const TesseraRequest *request)
{
  gaussian_whole (request, request->params);
}

static gsize
blur_device_bytes (const TesseraRequest *request, gint width, gint height)
{
  return gaussian_device_bytes (request, request->params, width, height);
}

static gint
blur_device (TesseraBand *band)
{
  return gaussian_device (band, band->request->params, NULL, NULL, NULL, 0);
}

static const TesseraFilter exact = {
  .name = "gaussian-blur",
  .source = tessera_gaussian_blur_cl,
  .area = blur_area,
  .device_bytes = blur_device_bytes,
  .device = blur_device
};

static const TesseraFilter by_cells = {
  .name = "gaussian-blur",
  .source = tessera_gaussian_blur_cl,
  .spread = blur_whole,
  .device_bytes = blur_device_bytes,
  .device = blur_device
};

/* ------------------------------------------------------------- operation -- */

/* Premultiplied and linear within; out of it as the input is. */
static void
prepare (GeglOperation *operation)
{
  tessera_set_formats (operation, "RaGaBaA float");
}

static GeglRectangle
get_bounding_box (GeglOperation *operation)
{
  return tessera_bounds (operation, "input");
}

static GeglRectangle
get_required_for_output (GeglOperation *operation, const gchar *pad, const GeglRectangle *roi)
{
  GeglProperties   *o = GEGL_PROPERTIES (operation);
  const TesseraHalo halo = gaussian_reach (o->std_dev_x, o->std_dev_y);

  return tessera_required (operation, pad, roi, &halo, (TesseraBorder) o->border);
}

static GeglRectangle
get_invalidated_by_change (GeglOperation *operation, const gchar *pad, const GeglRectangle *changed)
{
  GeglProperties   *o = GEGL_PROPERTIES (operation);
  const TesseraHalo halo = gaussian_reach (o->std_dev_x, o->std_dev_y);

  return tessera_invalidated (operation, pad, changed, &halo, (TesseraBorder) o->border);
}

static gboolean
process (GeglOperation *operation, GeglBuffer *input, GeglBuffer *output,
         const GeglRectangle *roi, gint level G_GNUC_UNUSED)
{
  GeglProperties *o = GEGL_PROPERTIES (operation);
  Gaussian       *gaussian;
  gboolean        success;

  if (! input)
    return TRUE;
  gaussian = g_new0 (Gaussian, 1);
  gaussian_init (gaussian, o->std_dev_x, o->std_dev_y);
  success = tessera_process (&(TesseraRequest) {
    .filter = gaussian->x.step == 1 && gaussian->y.step == 1 ? &exact : &by_cells,
    .operation = operation,
    .input = input,
    .output = output,
    .input_format = gegl_operation_get_format (operation, "input"),
    .output_format = gegl_operation_get_format (operation, "input"),
    .roi = *roi,
    .bounds = tessera_bounds (operation, "input"),
    .halo = gaussian_reach (o->std_dev_x, o->std_dev_y),
    .border = (TesseraBorder) o->border,
    .params = gaussian,
    .cost_class = MIN (255, gaussian->fir.x.n + gaussian->fir.y.n)
  });
  g_free (gaussian);
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

  tessera_set_menu (operation_class, "tessera:gaussian-blur");
  gegl_operation_class_set_key (operation_class, "reference", "V. Oliveira, MSc thesis, 2013, chapter 4.2");
}

#endif
