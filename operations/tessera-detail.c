/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:detail: texture and clarity.  l = Y', the luminance on the sRGB curve; B1 and B2 are what bilateral grids of (2.5 px, 0.05)
 * and (radius, 0.08) make of it; D1 = l - B1, D2 = B1 - B2;
 * l' = l + texture h(D1; 0.05) D1^2/(D1^2 + protect^2) + clarity h(D2; 0.08), h(D; t) = D max (0, 1 - (D/2t)^2)^2 where |D| < 2t, else 0.
 *
 * J. Chen, S. Paris, F. Durand, Real-time Edge-Aware Image Processing with the Bilateral Grid, SIGGRAPH 2007; R. Fattal, M. Agrawala,
 * S. Rusinkiewicz, Multiscale Shape and Detail Enhancement from Multi-light Image Collections, SIGGRAPH 2007 (bilateral details at
 * several scales).
 *
 * Deviations: details are limited, so that edges are never raised and have no halo.  R', G', B' are multiplied by l'/l, which keeps
 * the chroma; where l <= 0 they become a grey of l'.
 *
 * Alpha weighs in the grids as in tessera:bilateral-grid, and is kept.  A pixel of alpha 0, and one whose luminance is NaN or infinite,
 * gives nothing and stays as it is.  Nothing is clipped.
 */
#include "config.h"
#include <glib/gi18n-lib.h>

#ifdef GEGL_PROPERTIES

property_double (texture, _("Texture"), 0.5)
    description (_("How much fine detail (skin, bark, fabric) is raised: 1 doubles it, -1 smooths it away, 0 leaves it as it is"))
    value_range (-1.0, 2.0)
    ui_slider   (-1.0, 2.0, 1.0, 0.05, 0.25, 2)

property_double (clarity, _("Clarity"), 0.5)
    description (_("How much the local contrast of larger shapes (clouds, rocks, folds) is raised: 1 doubles it, -1 takes it away, 0 leaves "
                   "it as it is; edges get no halo"))
    value_range (-1.0, 2.0)
    ui_slider   (-1.0, 2.0, 1.0, 0.05, 0.25, 2)

property_double (radius, _("Clarity radius"), 16.0)
    description (_("Size of the shapes that clarity raises, in pixels: 4 is hardly more than texture, 200 are whole parts of the picture"))
    value_range (4.0, 200.0)
    ui_slider   (4.0, 100.0, 2.0, 1.0, 10.0, 1)
    ui_meta     ("unit", "pixel-distance")

property_double (protect, _("Protect from noise"), 0.012)
    description (_("Texture fainter than about this is taken for noise and is not raised, where black to white is 1; 0 raises noise too"))
    value_range (0.0, 0.1)
    ui_slider   (0.0, 0.1, 2.0, 0.001, 0.01, 3)

#else

#define GEGL_OP_NAME     tessera_detail
#define GEGL_OP_C_SOURCE tessera-detail.c

#include "tessera-op.h"
#include "grid.h"
#include "planes.h"

#include "../opencl/math/tessera-convert.h"
#include "../opencl/math/tessera-equalize.h"
#include "../opencl/math/tessera-detail.h"
#include "detail.cl.h"

#define TEXTURE_SIGMA 2.5

typedef struct
{
  GridParams fine, coarse;      /* coarse: only with clarity */
  gboolean   has_coarse;
  gfloat     texture, clarity, protect; /* protect: squared */
  gfloat     weights[3];
} Detail;

/* --------------------------------------------------------------- C rows -- */

TESSERA_CLONES static void
find_luminance (const gfloat *restrict red, const gfloat *restrict green, const gfloat *restrict blue, const gfloat weights[3], gint n,
                gfloat *restrict luminance)
{
  const gfloat r = weights[0], g = weights[1], b = weights[2];

  for (gint i = 0; i < n; i++)
    luminance[i] = equalize_luminance (red[i], green[i], blue[i], r, g, b, FALSE);
}

TESSERA_CLONES static void
raise_row (const Detail *detail, const gfloat *restrict luminance, const gfloat *restrict fine, const gfloat *restrict coarse, gint n,
           gfloat *restrict raised, gfloat *restrict quotients)
{
  const gfloat texture = detail->texture, clarity = detail->clarity, protect = detail->protect;

  for (gint i = 0; i < n; i++)
    {
      raised[i] = detail_raised (luminance[i], fine[i], coarse[i], texture, clarity, protect);
      quotients[i] = equalize_quotient (raised[i], luminance[i]);
    }
}

TESSERA_CLONES static void
scale_row (const gfloat *restrict luminance, const gfloat *restrict alpha, const gfloat *restrict raised, const gfloat *restrict quotients,
           gint n, gfloat *restrict values)
{
  for (gint i = 0; i < n; i++)
    values[i] = grid_weighs (luminance[i], alpha[i]) ? detail_scaled (values[i], luminance[i], raised[i], quotients[i]) : values[i];
}

static void
make_luminance (gconstpointer data, const gfloat *pixels, gint n, gfloat *values, gfloat *weights)
{
  const Detail *detail = data;
  gfloat        colours[3][GRID_CHUNK];

  planes_take_apart (pixels, n, colours[0], colours[1], colours[2], weights);
  find_luminance (colours[0], colours[1], colours[2], detail->weights, n, values);
}

static void
raise_pixels (gconstpointer data, gfloat *pixels, gint n, const gfloat *luminance, const gfloat *const smoothed[GRID_PLANES])
{
  gfloat colours[3][GRID_CHUNK], alpha[GRID_CHUNK], raised[GRID_CHUNK], quotients[GRID_CHUNK];

  planes_take_apart (pixels, n, colours[0], colours[1], colours[2], alpha);
  raise_row (data, luminance, smoothed[0], smoothed[1], n, raised, quotients);
  for (gint c = 0; c < 3; c++)
    scale_row (luminance, alpha, raised, quotients, n, colours[c]);
  planes_put_together (colours[0], colours[1], colours[2], alpha, n, pixels);
}

static void
detail_area (const TesseraRequest *request, const GeglRectangle *area)
{
  const Detail *detail = request->params;

  grid_plane_area (request, area, &(GridJob) { { &detail->fine, detail->has_coarse ? &detail->coarse : NULL }, make_luminance, raise_pixels, detail });
}

/* ---------------------------------------------------------------- device -- */

static gsize
detail_scratch_bytes (const TesseraRequest *request, gint width, gint height)
{
  const Detail *detail = request->params;
  const gsize   pairs = tessera_pixels_around (request, width, height) * 2 * sizeof (gfloat);
  const gsize   planes = 2 * (gsize) width * height * sizeof (gfloat);

  return 2 * pairs + planes + grid_scratch_bytes (&detail->fine, height) + (detail->has_coarse ? grid_scratch_bytes (&detail->coarse, height) : 0);
}

static gint
detail_measure (TesseraBand *band, TesseraMemory *result)
{
  const Detail *detail = band->request->params;

  return grid_plane_measure (band, grid_pairs (band, detail->weights), result);
}

static gint
detail_device (TesseraBand *band)
{
  const Detail  *detail = band->request->params;
  const gfloat   known[2] = { 0.0f, 1.0f };
  const gsize    bytes = (gsize) band->output.width * band->output.height * sizeof (gfloat);
  TesseraMemory *pairs = grid_pairs (band, detail->weights), *fine, *coarse;

  tessera_scratch (band, bytes, &fine);
  grid_plane_band (band, &detail->fine, pairs, band->measured, known, fine);
  coarse = fine;
  if (detail->has_coarse)
    {
      tessera_scratch (band, bytes, &coarse);
      grid_plane_band (band, &detail->coarse, pairs, band->measured, known, coarse);
    }
  return tessera_launch (band, &(TesseraLaunch) {
    .kernel = "detail_apply", .size = OUTPUT_SIZE (band), .cost = 2,
    .args = { INPUT_ARGS (band), ARG (pairs), ARG (fine), ARG (coarse), ARG (detail->texture), ARG (detail->clarity), ARG (detail->protect),
              OUTPUT_ARGS (band) }
  });
}

#define DETAIL \
  .name = "detail", .source = tessera_detail_cl, .area = detail_area, .scratch_bytes = detail_scratch_bytes, .device = detail_device

static const TesseraFilter of_range = { DETAIL };
static const TesseraFilter of_any_range = { DETAIL, .measure = detail_measure, .measure_bytes = 2 * sizeof (gint) };

/* ------------------------------------------------------------- operation -- */

static TesseraHalo
find_halo (const GeglProperties *o)
{
  return grid_halo (o->clarity != 0.0 ? o->radius : TEXTURE_SIGMA);
}

static gboolean
neutral (const GeglProperties *o)
{
  return o->texture == 0.0 && o->clarity == 0.0;
}

static void
grid_init (GridParams *params, gdouble sigma, gfloat range, const TesseraRequest *request)
{
  grid_params_init (params, sigma, range, 1, 1, &request->bounds, &request->roi);
  params->of_plane = TRUE;
}

static gboolean
run (TesseraRequest *request, const GeglProperties *o)
{
  Detail   detail = { .has_coarse = o->clarity != 0.0, .texture = (gfloat) o->texture, .clarity = (gfloat) o->clarity,
                      .protect = (gfloat) (o->protect * o->protect) };
  gboolean success;

  tessera_luminance (request->input_format, detail.weights);
  grid_init (&detail.fine, TEXTURE_SIGMA, DETAIL_FINE_RANGE, request);
  if (detail.has_coarse)
    grid_init (&detail.coarse, o->radius, DETAIL_COARSE_RANGE, request);
  request->filter = grid_range_is_known (request->input, request->input_format) ? &of_range : &of_any_range;
  request->border = TESSERA_BORDER_NONE;        /* cells beyond the image are empty: it is never read */
  request->params = &detail;
  request->cost_class = detail.has_coarse;
  success = tessera_process (request);
  grid_params_clear (&detail.fine);
  grid_params_clear (&detail.coarse);
  return success;
}

static void
gegl_op_class_init (GeglOpClass *klass)
{
  tessera_operation_describe (klass, &(TesseraOperationInfo) {
    .name = "tessera:detail", .title = _("Texture and Clarity"), .categories = "enhance:sharpen",
    .description = _("Raises texture, structure and local contrast, or smooths them, without halos at edges: clarity, detail, dehaze, "
                     "sharpen, soften skin (Chen, Paris, Durand)"),
    .reference = "J. Chen, S. Paris, F. Durand, Real-time Edge-Aware Image Processing with the Bilateral Grid, SIGGRAPH 2007",
    .menu_path = "<Image>/Filters/Enhance", .menu_label = _("Texture and Clarity (Tessera)..."),
    .working = "R'G'B'A float", .keeps_grey = TRUE, .find_halo = find_halo, .neutral = neutral, .stays = TRUE, .run = run
  });
}

#endif
