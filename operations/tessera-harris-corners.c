/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:harris-corners: R = (a c - b^2) - k (a + c)^2, where a, b, c are the Gaussian means of gx^2, gx gy, gy^2
 * and (gx, gy) is Sobel's gradient; corners are the maxima of R in 3x3 pixels above threshold^4.
 *
 * C. Harris, M. Stephens, A Combined Corner and Edge Detector, Alvey Vision Conference, 1988;
 * V. Oliveira, MSc thesis, 2013, equations 4.15 to 4.17.
 *
 * The gradient is that of the luminance behind the sRGB curve, on black; beyond the edge the nearest pixel counts.  So
 * the fourth root of R is a gradient, and grows as contrast does.  The Gaussian ends at ceil (3 sigma).
 *
 * Deviations: the thesis's C code has no derivative along x, and its mask marks almost every pixel (it forgets to
 * compare maxima with the threshold).  Of a plateau the first pixel is the corner.  There is no corner where alpha is 0.
 *
 * A luminance that is not finite is black.  What overflows to NaN is no corner.
 */
#include "config.h"
#include <glib/gi18n-lib.h>

#ifdef GEGL_PROPERTIES

enum_start (tessera_harris_result)
  enum_value (TESSERA_HARRIS_OVERLAY,  "overlay",  N_("Crosses on the image"))
  enum_value (TESSERA_HARRIS_CORNERS,  "corners",  N_("Corners"))
  enum_value (TESSERA_HARRIS_STRENGTH, "strength", N_("Strength"))
  enum_value (TESSERA_HARRIS_RESPONSE, "response", N_("Response (raw)"))
enum_end (TesseraHarrisResult)

property_double (sigma, _("Size"), 1.6)
    description (_("Standard deviation of the window around a pixel, in pixels: more finds larger corners, and fewer; "
                   "less finds finer ones, and more of the noise"))
    value_range (0.5, 8.0)
    ui_gamma    (2.0)
    ui_steps    (0.1, 0.5)
    ui_digits   (2)
    ui_meta     ("unit", "pixel-distance")

property_double (k, _("Edge rejection"), 0.04)
    description (_("How firmly edges are left out: more keeps only sharp corners, 0 keeps slight bends of edges too"))
    value_range (0.0, 0.25)
    ui_steps    (0.01, 0.05)
    ui_digits   (3)

property_double (threshold, _("Threshold"), 0.04)
    description (_("How strong a corner must be: more leaves only strong ones, 0 keeps the faintest; a corner of black and "
                   "white has 0.23, the noise of a photograph 0.01 to 0.03"))
    value_range (0.0, 0.5)
    ui_slider   (0.0, 0.25, 2.0, 0.005, 0.02, 3)

property_enum (result, _("Result"), TesseraHarrisResult, tessera_harris_result, TESSERA_HARRIS_OVERLAY)
    description (_("The image with a cross on each corner; 1 on corners and 0 elsewhere; how strong a corner each pixel "
                   "would be; or the same as a signed number for programs, negative on edges"))

property_color (color, _("Color"), "red")
    description (_("Color of the crosses"))
    ui_meta     ("sensitive", "result {overlay}")

/* Alias of `result` for scripts.  GIMP's dialog hides a property named like a pad, and GIMP's scripts set every
 * property; so `output` wins only when it is not the default. */
property_enum (output, _("Result"), TesseraHarrisResult, tessera_harris_result, TESSERA_HARRIS_OVERLAY)
    description (_("The image with a cross on each corner; 1 on corners and 0 elsewhere; how strong a corner each pixel "
                   "would be; or the same as a signed number for programs, negative on edges"))
    ui_meta     ("visible", "0")

#else

#define GEGL_OP_NAME     tessera_harris_corners
#define GEGL_OP_C_SOURCE tessera-harris-corners.c

#include "tessera-op.h"

#include "harris-corners.h"
#include "harris-corners.cl.h"

static const TesseraFilter harris = {
  .name = "harris-corners", .source = tessera_harris_corners_cl, .area = harris_area,
  .scratch_bytes = harris_scratch_bytes, .device = harris_device
};

/* ------------------------------------------------------------- operation -- */

static TesseraHarrisResult
result_of (const GeglProperties *o)
{
  return o->output != TESSERA_HARRIS_OVERLAY ? o->output : o->result;
}

/* How far R is computed around the result: the neighbours of a corner, the arms of a cross. */
static gint
margin_of (TesseraHarrisResult result)
{
  return result == TESSERA_HARRIS_OVERLAY ? HARRIS_ARM + 1 : result == TESSERA_HARRIS_CORNERS ? 1 : 0;
}

static TesseraHalo
find_halo (const GeglProperties *o)
{
  const gint pixels = 1 + gaussian_reach (o->sigma, o->sigma).left + margin_of (result_of (o));

  return (TesseraHalo) { pixels, pixels, pixels, pixels };
}

/* Numbers are linear. */
static const Babl *
output_format (GeglOperation *operation, TesseraHarrisResult result)
{
  const Babl *space = gegl_operation_get_source_space (operation, "input");

  return result == TESSERA_HARRIS_OVERLAY ? perceived_picture (operation)
         : babl_format_with_space (result == TESSERA_HARRIS_STRENGTH ? "Y~ float" : "Y float", space);
}

static void
prepare (GeglOperation *operation)
{
  const TesseraHarrisResult result = result_of (GEGL_PROPERTIES (operation));
  const Babl               *output = output_format (operation, result);
  const gboolean            is_picture = result == TESSERA_HARRIS_OVERLAY;

  tessera_set_pads (operation, perceived_format (operation, is_picture),
                    is_picture ? tessera_delivered (operation, output, FALSE) : output);
}

static gboolean
run (TesseraRequest *request, const GeglProperties *o)
{
  const TesseraHarrisResult  result = result_of (o);
  const gboolean             is_picture = result == TESSERA_HARRIS_OVERLAY;
  g_autofree Harris         *params = g_new0 (Harris, 1);

  request->output_format = output_format (request->errand.operation, result);
  *params = (Harris) {
    .result = result, .margin = margin_of (result), .halo = request->halo.left,
    .input = perceived_input (request->errand.operation, is_picture), .components = babl_format_get_n_components (request->input_format),
    .k = (gfloat) o->k, .threshold = (gfloat) (o->threshold * o->threshold * o->threshold * o->threshold)
  };
  tessera_luminance (request->input_format, params->weights);
  perceived_color (o->color, perceived_picture (request->errand.operation), params->color);
  gaussian_init (&params->gaussian, o->sigma, o->sigma);
  request->params = params;
  request->cost_class = 4 * params->gaussian.fir.x.n + params->result;
  return tessera_process (request);
}

static void
gegl_op_class_init (GeglOpClass *klass)
{
  GEGL_OPERATION_CLASS (klass)->prepare = prepare;
  tessera_operation_describe (klass, &(TesseraOperationInfo) {
    .name = "tessera:harris-corners", .title = _("Harris Corners"), .categories = "edge-detect",
    .description = _("Finds and marks corners, points of interest and features to track (corner detection by Harris and "
                     "Stephens)"),
    .reference = "C. Harris, M. Stephens, A Combined Corner and Edge Detector, Alvey Vision Conference, 1988",
    .menu_path = "<Image>/Filters/Edge-Detect", .menu_label = _("Harris Corners (Tessera)..."),
    .filter = &harris, .find_halo = find_halo, .run = run
  });
}

#endif
