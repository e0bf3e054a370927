/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:template: the 3x3 binomial [1 2 1]/4 x [1 2 1]/4 of R, G, B, mixed with
 * the image by `strength`; alpha is copied.  Built and tested, not installed.
 *
 * TEMPLATE: copy this file, opencl/kernels/template.cl, tests/check/template.c and a
 * README row; replace what is marked TEMPLATE.  State here what is computed in two
 * lines with the formula, then the paper (authors, title, venue, year, equation),
 * then "Deviations:", then what NaN and Inf do.
 *
 * Deviations: none.  NaN and Inf follow the arithmetic within the 3x3 support.
 */
#include "config.h"
#include <glib/gi18n-lib.h>

/* TEMPLATE: properties.  Each has a label, a blurb with unit, range and what 0
 * does, a value_range that is checked, and a ui_range that is comfortable. */
#ifdef GEGL_PROPERTIES

property_double (strength, _("Strength"), 1.0)
    description (_("Share of the blurred image in the result, 0 to 1; 0 leaves the image as it is"))
    value_range (0.0, 1.0)
    ui_steps    (0.01, 0.1)

#else

/* TEMPLATE: name and file carry the project's prefix: both make global type names. */
#define GEGL_OP_NAME     tessera_template
#define GEGL_OP_C_SOURCE tessera-template.c

#include "tessera-op.h"

#include "../opencl/math/tessera-template.h"
#include "template.cl.h"

#define BLOCK_ROWS 64

/* TEMPLATE: what both paths share: radii, taps, tables, computed on the host in
 * double and rounded once to float. */
typedef struct
{
  gfloat strength;
} Params;

static const TesseraHalo halo = { 1, 1, 1, 1 };

/* --------------------------------------------------------------- C rows -- */

/* TEMPLATE: rows, so that the compiler can vectorise: no branches, restrict. */
TESSERA_CLONES static void
blur_row (const gfloat *restrict above, gsize stride, gfloat *restrict out, gint width,
          gfloat strength)
{
  const gfloat *restrict middle = above + stride;
  const gfloat *restrict below = middle + stride;

  for (gint i = 0; i < 4 * width; i++)
    {
      gfloat blurred = binomial_3 (binomial_3 (above[i],  above[i + 4],  above[i + 8]),
                                   binomial_3 (middle[i], middle[i + 4], middle[i + 8]),
                                   binomial_3 (below[i],  below[i + 4],  below[i + 8]));

      out[i] = mix_towards (middle[i + 4], blurred, strength);
    }
  for (gint x = 0; x < width; x++)
    out[4 * x + 3] = middle[4 * x + 7];
}

/* TEMPLATE: the C path for any part of the region, called from many threads. */
static void
blur_area (const TesseraRequest *request, const GeglRectangle *area)
{
  const Params *params = request->params;
  GeglRectangle block = *area;
  gsize         stride = 4 * ((gsize) area->width + 2);
  gfloat       *in = gegl_scratch_new (gfloat, stride * (BLOCK_ROWS + 2));
  gfloat       *out = gegl_scratch_new (gfloat, 4 * (gsize) area->width * BLOCK_ROWS);

  for (; block.y < area->y + area->height; block.y += BLOCK_ROWS)
    {
      GeglRectangle around;

      block.height = MIN (BLOCK_ROWS, area->y + area->height - block.y);
      around = tessera_grow (&block, &halo);
      tessera_read (request->input, &around, &request->bounds, request->border,
                    request->input_format, in);
      for (gint y = 0; y < block.height; y++)
        blur_row (in + y * stride, stride, out + 4 * (gsize) y * block.width, block.width,
                  params->strength);
      tessera_write (request->output, &block, request->output_format, out,
                     4 * block.width * sizeof (gfloat));
    }
  gegl_scratch_free (out);
  gegl_scratch_free (in);
}

/* ---------------------------------------------------------------- device -- */

/* TEMPLATE: the passes of a band.  The input image has the halo around it, the
 * border is there already. */
static gint
template_device (TesseraBand *band)
{
  const Params *params = band->request->params;

  return tessera_launch (band, &(TesseraLaunch) {
    .kernel = "template_blur",
    .size = { band->output.width, band->output.height },
    .cost = 9,
    .args = { TESSERA_MEMORY_ARG (band->input.memory), TESSERA_INT_ARG (band->input.stride),
              TESSERA_MEMORY_ARG (band->output.memory),
              TESSERA_INT_ARG (band->output.width), TESSERA_INT_ARG (band->output.height),
              TESSERA_FLOAT_ARG (params->strength) }
  });
}

static const TesseraFilter template_filter = {
  .name = "template",
  .source = tessera_template_cl,
  .area = blur_area,
  .device = template_device
};

/* ------------------------------------------------------------- operation -- */

/* TEMPLATE: how far a result pixel looks. */
static TesseraHalo
reach (GeglOperation *operation G_GNUC_UNUSED)
{
  return (TesseraHalo) { 1, 1, 1, 1 };
}

static gboolean
run (GeglOperation *operation, TesseraRequest *request)
{
  const Params params = { (gfloat) GEGL_PROPERTIES (operation)->strength };

  request->params = &params;
  return tessera_process (request);
}

/* TEMPLATE: each member is explained in tessera-op.h.  Texts of an installed filter are translated: _("..."). */
static void
gegl_op_class_init (GeglOpClass *klass)
{
  tessera_operation_describe (klass, &(TesseraOperationInfo) {
    .name = "tessera:template",
    .title = "Template",
    .categories = "blur",
    .description = "A 3x3 binomial blur, the example to copy",
    .reference = "the binomial kernel",
    .filter = &template_filter,
    .working = "RGBA float",
    .reach = reach,
    .run = run
  });
}

#endif
