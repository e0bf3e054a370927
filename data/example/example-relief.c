/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * example:relief: a filter of one's own, built outside Tessera.  README.md says how.
 *
 *   out = grey alpha + strength (in (x + 1, y + 1) - in (x - 1, y - 1)), alpha is copied.
 */
#ifdef GEGL_PROPERTIES

property_double (strength, "Strength", 1.0)
    description ("Height of the relief: 0 is flat grey, -10 to 10")
    value_range (-10.0, 10.0)
    ui_range    (0.0, 4.0)

#else

/* Both names are global in a program, so they have a prefix of their own. */
#define GEGL_OP_NAME     example_relief
#define GEGL_OP_C_SOURCE example-relief.c

#include <tessera-op.h>

#include "example-relief.cl.h"          /* tessera_example_relief_cl, made by embed.py */
#include "relief.h"

/* What both paths are told. */
typedef struct
{
  gfloat strength;
} Params;

/* The C path of a block.  Many threads call it.  `in` begins with the halo: one row and one pixel earlier than `out`. */
TESSERA_CLONES static void
relief_block (const TesseraRequest *request, const TesseraBlock *block)
{
  const gfloat strength = ((const Params *) request->params)->strength;

  for (gint y = 0; y < block->roi.height; y++)
    {
      const gfloat *restrict before = block->in + y * block->in_stride;
      const gfloat *restrict here = before + block->in_stride + 4;
      const gfloat *restrict after = here + block->in_stride + 4;
      gfloat *restrict       out = block->out + y * block->out_stride;

      for (gint i = 0; i < 4 * block->roi.width; i += 4)
        {
          for (gint c = 0; c < 3; c++)
            out[i + c] = relief (before[i + c], after[i + c], here[i + 3], strength);
          out[i + 3] = here[i + 3];
        }
    }
}

/* The OpenCL path of a band: one launch.  The border is there already, as in C. */
static gint
relief_device (TesseraBand *band)
{
  const Params *params = band->request->params;

  return tessera_launch (band, &(TesseraLaunch) {
    .kernel = "example_relief", .size = OUTPUT_SIZE (band), .cost = 3,
    .args = { INPUT_ARGS (band), OUTPUT_ARGS (band), ARG (params->strength) }
  });
}

static const TesseraFilter relief_filter = {
  .name = "example-relief", .source = tessera_example_relief_cl, .block = relief_block, .device = relief_device
};

static gboolean
run (TesseraRequest *request, const GeglProperties *o)
{
  const Params params = { (gfloat) o->strength };

  request->params = &params;
  return tessera_process (request);
}

static void
gegl_op_class_init (GeglOpClass *klass)
{
  tessera_operation_describe (klass, &(TesseraOperationInfo) {
    .name = "example:relief", .title = "Relief", .categories = "light",
    .description = "Makes the photograph look like a relief that is lit from one corner",
    .menu_path = "<Image>/Filters/Light and Shadow", .menu_label = "Relief (Example)...",
    .filter = &relief_filter, .working = "RaGaBaA float", .halo = { 1, 1, 1, 1 }, .run = run
  });
}

#endif
