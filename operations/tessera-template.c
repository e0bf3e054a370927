/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:template: the 3x3 binomial [1 2 1]/4 x [1 2 1]/4 of premultiplied RGBA, so that no hidden colour counts,
 * mixed with the image by `strength`.  TEMPLATE: built and tested, not installed.
 *
 * TEMPLATE: CONTRIBUTING says what to copy.  Replace what is marked TEMPLATE.  State here what is computed in two lines
 * with the formula, then the paper (authors, title, venue, year, equation), "Deviations:", what NaN and Inf do.
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

#include "template.cl.h"

/* TEMPLATE: what both paths share, computed on the host in double and rounded once to float. */
typedef struct
{
  gfloat strength;
} Params;

/* TEMPLATE: the formula, [1 2 1]/4, as in the kernel; a longer one is a header of opencl/math for both. */
static inline gfloat
binomial_3 (gfloat before, gfloat here, gfloat after)
{
  return ((before + after) + 2.0f * here) * 0.25f;
}

/* TEMPLATE: its name, and the C path of a block, called from many threads.  Loops without branches over `restrict` rows, so that
 * the compiler can vectorise. */
TESSERA_CLONES static void
blur_block (const TesseraRequest *request, const TesseraBlock *block)
{
  const gfloat strength = ((const Params *) request->params)->strength;

  for (gint y = 0; y < block->roi.height; y++)
    {
      const gfloat *restrict above = block->in + y * block->in_stride;
      const gfloat *restrict middle = above + block->in_stride;
      const gfloat *restrict below = middle + block->in_stride;
      gfloat *restrict       out = block->out + y * block->out_stride;

      for (gint i = 0; i < 4 * block->roi.width; i++)
        {
          const gfloat here = middle[i + 4];
          const gfloat blurred = binomial_3 (binomial_3 (above[i],  above[i + 4], above[i + 8]),
                                             binomial_3 (middle[i], here,         middle[i + 8]),
                                             binomial_3 (below[i],  below[i + 4], below[i + 8]));

          out[i] = strength == 0.0f ? here : here + strength * (blurred - here);
        }
    }
}

/* TEMPLATE: the passes of a band.  The input image includes the halo, with the border already extended. */
static gint
template_device (TesseraBand *band)
{
  const Params *params = band->request->params;

  return tessera_launch (band, &(TesseraLaunch) {
    .kernel = "template_blur", .size = OUTPUT_SIZE (band), .cost = 9,
    .args = { INPUT_ARGS (band), OUTPUT_ARGS (band), ARG (params->strength) }
  });
}

static const TesseraFilter template_filter = {
  .name = "template", .source = tessera_template_cl, .block = blur_block, .device = template_device
};

static gboolean
neutral (const GeglProperties *o)
{
  return o->strength == 0.0;
}

static gboolean
run (TesseraRequest *request, const GeglProperties *o)
{
  const Params params = { (gfloat) o->strength };

  request->params = &params;
  return tessera_process (request);
}

/* TEMPLATE: tessera-op.h explains each member; halo: how far a pixel looks.  Installed, it has a .menu_path and a .menu_label, as sobel has, and
 * texts are translated: _("..."). */
static void
gegl_op_class_init (GeglOpClass *klass)
{
  tessera_operation_describe (klass, &(TesseraOperationInfo) {
    .name = "tessera:template", .title = "Template", .categories = "blur",
    .description = "A 3x3 binomial blur, the example to copy",
    .reference = "the binomial kernel",
    .filter = &template_filter, .working = "RaGaBaA float", .halo = { 1, 1, 1, 1 }, .neutral = neutral, .stays = TRUE, .run = run
  });
}

#endif
