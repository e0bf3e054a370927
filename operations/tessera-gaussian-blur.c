/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:gaussian-blur: along x, then along y,
 * out(x) = sum of g(i) in(x + i) over |i| <= r, g(i) = exp (-i^2 / 2 sigma^2) / sum, r = ceil (3 sigma).
 *
 * Deviations: from sigma 12.5 on, an axis is filtered on cells of several pixels (gaussian.h).  The cost does
 * not grow with sigma.  The error is at most 1/2000 of max - min for each axis.
 *
 * NaN and Inf follow the arithmetic within the support, which is 3 sigma, or up to 4 with cells.
 */
#include "config.h"
#include <glib/gi18n-lib.h>

#ifdef GEGL_PROPERTIES

/* No "unit": with a unit and an axis, GIMP 3 forgets the gamma. */
property_double (std_dev_x, _("Size X"), 1.5)
    description (_("Standard deviation across, in pixels; 0 does not blur in this direction"))
    value_range (0.0, 500.0)
    ui_slider   (0.0, 100.0, 3.0, 0.5, 5.0, 2)
    ui_meta     ("axis", "x")

property_double (std_dev_y, _("Size Y"), 1.5)
    description (_("Standard deviation downwards, in pixels; 0 does not blur in this direction"))
    value_range (0.0, 500.0)
    ui_slider   (0.0, 100.0, 3.0, 0.5, 5.0, 2)
    ui_meta     ("axis", "y")

property_enum (border, _("Border"), TesseraBorder, tessera_border, TESSERA_BORDER_CLAMP)
    description (_("What lies beyond the edge: the nearest pixel, nothing (the image grows and fades), "
                   "or the image again"))

#else

#define GEGL_OP_NAME     tessera_gaussian_blur
#define GEGL_OP_C_SOURCE tessera-gaussian-blur.c

#include "tessera-op.h"
#include "gaussian.h"
#include "gaussian-blur.cl.h"

#include <math.h>

static gint
blur_device (TesseraBand *band)
{
  return gaussian_device (band, band->input.memory, NULL);
}

#define GAUSSIAN_BLUR \
  .name = "gaussian-blur", .source = tessera_gaussian_blur_cl, .scratch_bytes = gaussian_scratch_bytes, \
  .device = blur_device

static const TesseraFilter exact = { GAUSSIAN_BLUR, .area = gaussian_area };
static const TesseraFilter by_cells = { GAUSSIAN_BLUR, .spread = gaussian_whole };

/* ------------------------------------------------------------- operation -- */

/* By how much the image grows: what may reach, by whichever method. */
static gint
most_reach (gdouble sigma)
{
  return (gint) ceil ((sigma > 8.0 ? 4.0 : 3.0) * sigma);
}

static TesseraHalo
find_halo (const GeglProperties *o)
{
  const gint x = most_reach (o->std_dev_x), y = most_reach (o->std_dev_y);

  return o->border == TESSERA_BORDER_NONE ? (TesseraHalo) { x, y, x, y } : gaussian_reach (o->std_dev_x, o->std_dev_y);
}

static gboolean
neutral (const GeglProperties *o)
{
  return o->std_dev_x == 0.0 && o->std_dev_y == 0.0;
}

static gboolean
run (TesseraRequest *request, const GeglProperties *o)
{
  g_autofree Gaussian *gaussian = g_new0 (Gaussian, 1);

  gaussian_init (gaussian, o->std_dev_x, o->std_dev_y);
  request->filter = gaussian->x.step == 1 && gaussian->y.step == 1 ? &exact : &by_cells;
  request->params = gaussian;
  request->cost_class = MIN (255, gaussian->fir.x.n + gaussian->fir.y.n);
  return tessera_process (request);
}

static void
gegl_op_class_init (GeglOpClass *klass)
{
  tessera_operation_describe (klass, &(TesseraOperationInfo) {
    .name = "tessera:gaussian-blur", .title = _("Gaussian Blur"), .categories = "blur",
    .description = _("Softens and blurs evenly by a bell curve of any width: soft focus, smooth backgrounds"),
    .reference = "V. Oliveira, MSc thesis, 2013, chapter 4.2",
    .menu_path = "<Image>/Filters/Blur", .menu_label = _("Gaussian Blur (Tessera)..."),
    .working = "RaGaBaA float", .keeps_grey = TRUE, .grows = TRUE, .find_halo = find_halo, .neutral = neutral, .stays = TRUE, .run = run
  });
}

#endif
