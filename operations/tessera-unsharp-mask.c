/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:unsharp-mask: D = I - G(I), G a Gaussian blur;
 * out = I + amount (D - T sign D) where |D| > T, else I.
 *
 * V. Oliveira, MSc thesis, 2013, chapter 4.2 (appendix A has its OpenCL code).
 *
 * Deviations: the thesis prints D = G - I, which blurs, and its C and OpenCL disagree on the sign
 * of the threshold; here both signs of D are treated alike.  G is that of tessera:gaussian-blur, weighed by alpha: the
 * blur of a R', a G', a B' over that of a, so that transparent pixels leave no rim (T. Porter, T. Duff, Compositing
 * Digital Images, SIGGRAPH 1984).  D is 0 where the blur of a is 0.
 *
 * Works on R', G', B' of straight alpha; alpha is copied.  Nothing is clipped.  If D is NaN (a NaN within the
 * blur's support, or Inf of both signs), the pixel stays as it is.  An Inf makes the finite pixels around
 * it infinite.
 */
#include "config.h"
#include <glib/gi18n-lib.h>

#ifdef GEGL_PROPERTIES

property_double (std_dev, _("Radius"), 3.0)
    description (_("Size of what is sharpened, in pixels: 1 brings out fine detail, 50 large shapes. It is the standard "
                   "deviation of the blur that the image is compared with; 0 leaves the image as it is"))
    value_range (0.0, 300.0)
    ui_slider   (0.0, 40.0, 3.0, 0.5, 5.0, 2)
    ui_meta     ("unit", "pixel-distance")

property_double (amount, _("Amount"), 0.5)
    description (_("How much of the difference is added; 0 leaves the image as it is"))
    value_range (0.0, 10.0)
    ui_slider   (0.0, 5.0, 2.0, 0.05, 0.5, 2)

property_double (threshold, _("Threshold"), 0.0)
    description (_("Differences up to this, in pixel values from 0 to 1, are left alone, "
                   "and larger ones lessened by it; 0 sharpens all"))
    value_range (0.0, 1.0)
    ui_slider   (0.0, 0.25, 2.0, 0.005, 0.05, 3)

#else

#define GEGL_OP_NAME     tessera_unsharp_mask
#define GEGL_OP_C_SOURCE tessera-unsharp-mask.c

#include "tessera-op.h"
#include "gaussian.h"
#include "planes.h"

#include "../opencl/math/tessera-unsharp.h"
#include "unsharp-mask.cl.h"

typedef struct
{
  Gaussian gaussian;            /* first: see gaussian_area */
  gfloat   amount, threshold;
  gboolean is_weighed;          /* the input has alpha */
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

/* unsharp_blurred of whole pixels. */
static void
divide_row (gfloat *sums, const gfloat *in, const gfloat *wholes, gint n_pixels)
{
  for (gint x = 0; x < n_pixels; x++)
    {
      const Pixel  sum = ((const Pixel *) sums)[x], pixel = ((const Pixel *) in)[x];
      const gfloat part = sum[3] / wholes[x];
      const Pixel  parts = { part, part, part, part };
      const Bits   counts = parts != 0.0f;

      ((Pixel *) sums)[x] = (Pixel) (((Bits) (sum / parts) & counts) | ((Bits) pixel & ~counts));
    }
}

/* ---------------------------------------------------------------- device -- */

static gsize
unsharp_scratch_bytes (const TesseraRequest *request, gint width, gint height)
{
  const Params  *params = request->params;
  const gboolean weighs = params->is_weighed && params->gaussian.x.step == 1;

  return gaussian_scratch_bytes (request, width, height)
         + (weighs ? tessera_pixels_around (request, width, height) * 4 * sizeof (gfloat) : 0);
}

/* Cells are made of weighed pixels; else these are an image of their own, because each is read many times. */
static gint
unsharp_device (TesseraBand *band)
{
  const Params    *params = band->request->params;
  const gint       step = params->gaussian.x.step;
  SeparableKernels own = { NULL, "unsharp_columns", "unsharp_up_rows", { ARG (params->amount), ARG (params->threshold) } };
  TesseraMemory   *source = band->input.memory;
  GaussianSpan     x, y;

  if (! params->is_weighed)
    return gaussian_device (band, source, &own);
  gaussian_spans (band->request, &band->roi, &x, &y);
  own = (SeparableKernels) { step > 1 ? "unsharp_down" : NULL, "unsharp_weighed_columns", "unsharp_weighed_up_rows",
                             { ARG (params->amount), ARG (params->threshold), TABLE_ARG (params->gaussian.ones, step * sizeof (gfloat)),
                               step > 1 ? ARG (x.phase) : NO_ARG } };
  if (step == 1)
    {
      tessera_scratch (band, (gsize) band->input.stride * band->input.height * 4 * sizeof (gfloat), &source);
      separable_weigh_band (band, source);
    }
  return gaussian_device (band, source, &own);
}

#define UNSHARP_MASK \
  .name = "unsharp-mask", .source = tessera_unsharp_mask_cl, .scratch_bytes = unsharp_scratch_bytes, \
  .device = unsharp_device

static const TesseraFilter exact = { UNSHARP_MASK, .area = gaussian_area };
static const TesseraFilter by_cells = { UNSHARP_MASK, .spread = gaussian_whole };

/* ------------------------------------------------------------- operation -- */

/* An amount of 0 needs no blur. */
static gdouble
sigma_of (const GeglProperties *o)
{
  return o->amount > 0.0 ? o->std_dev : 0.0;
}

static TesseraHalo
find_halo (const GeglProperties *o)
{
  const gdouble sigma = sigma_of (o);

  return gaussian_reach (sigma, sigma);
}

/* Without a blur there is no difference to add. */
static gboolean
neutral (const GeglProperties *o)
{
  return o->amount == 0.0 || o->std_dev == 0.0;
}

static gboolean
run (TesseraRequest *request, const GeglProperties *o)
{
  const gdouble        sigma = sigma_of (o);
  g_autofree Params   *params = g_new0 (Params, 1);

  params->amount = (gfloat) o->amount;
  params->threshold = (gfloat) o->threshold;
  params->gaussian.fir.finish = sharpen_row;
  params->gaussian.fir.finish_data = params;
  gaussian_init (&params->gaussian, sigma, sigma);
  params->is_weighed = tessera_has_alpha (request);
  if (params->is_weighed)
    {
      gaussian_ones (&params->gaussian);
      params->gaussian.fir.begin = separable_weigh;
      params->gaussian.fir.divide = divide_row;
    }
  request->filter = params->gaussian.x.step == 1 ? &exact : &by_cells;
  request->params = params;
  request->cost_class = params->gaussian.fir.x.n;
  return tessera_process (request);
}

static void
gegl_op_class_init (GeglOpClass *klass)
{
  tessera_operation_describe (klass, &(TesseraOperationInfo) {
    .name = "tessera:unsharp-mask", .title = _("Unsharp Mask"), .categories = "enhance:sharpen",
    .description = _("Sharpens, or lifts local contrast (clarity) where the radius is large: adds what a blur would take away, "
                     "above a threshold"),
    .reference = "V. Oliveira, MSc thesis, 2013, chapter 4.2",
    .menu_path = "<Image>/Filters/Enhance", .menu_label = _("Unsharp Mask (Tessera)..."),
    .working = "R'G'B'A float", .keeps_grey = TRUE, .find_halo = find_halo, .neutral = neutral, .stays = TRUE, .run = run
  });
}

#endif
