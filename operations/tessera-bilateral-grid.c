/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:bilateral-grid: edge-preserving smoothing. tessera-bilateral-filter.c compiles the same
 * without `aux`.  A pixel of value v at (x, y)
 * adds (v, 1) to the nearest cell of a coarse grid over (x/s, y/s, v/r); the grid
 * is blurred by [1 2 1]/4 along its three axes; the result is the ratio of the
 * two sums, interpolated at (x/s, y/s, v/r).
 *
 * S. Paris, F. Durand, A Fast Approximation of the Bilateral Filter using a Signal
 * Processing Approach, ECCV 2006; J. Chen, S. Paris, F. Durand, Real-time Edge-Aware
 * Image Processing with the Bilateral Grid, SIGGRAPH 2007; V. Oliveira, MSc thesis,
 * 2013, chapter 4.4 (GEGL's bilateral-filter-fast).
 *
 * Deviations: the thesis's C code blurs along y twice and never along z; here, as in
 * the papers and in its OpenCL kernel, all three axes are blurred.  Values are
 * stored as their distance from the plane, which keeps the error below some 1e-6 r.
 * v/r is one float product: a value within 2^-22 |v/r| of the middle between two
 * planes may be added to either.  By luminance, the guide is the weighted sum of the working format's R, G, B
 * (with tone=perceptual:
 * luma).  If `aux` is connected, it is that of `aux`; beyond its edge, its nearest pixel counts.
 *
 * Alpha weighs: by channels R, G, B add (a v, a), and A itself (v, 1); by luminance R, G, B are premultiplied, alpha
 * stays, because its steps are no steps of the luminance, and a pixel of alpha 0, in the image or in the guide, adds
 * nothing.  A pixel of alpha 0, and a value whose weights sum to 0, stays as it is.
 *
 * NaN, Inf: by channels such a component, by luminance such a pixel, adds nothing and passes unchanged.  So
 * does a value more than 1e37 planes from 0.
 */
#include "config.h"
#include <glib/gi18n-lib.h>

/* The names of types are global: each of the two operations has its own.  tessera:bilateral-grid has the thesis's defaults,
 * tessera:bilateral-filter a photographer's: by channels and in linear light a dusk photograph loses its shadows. */
#ifdef TESSERA_BILATERAL_FILTER
#define GEGL_OP_NAME      tessera_bilateral_filter
#define GEGL_OP_C_SOURCE  tessera-bilateral-filter.c
#define FILTER_NAME       "bilateral-filter"
#define GUIDE_TYPE        TesseraBilateralFilterGuide
#define TONE_TYPE         TesseraBilateralFilterTone
#define DEFAULT_SIZE      4.0
#define DEFAULT_THRESHOLD 0.08
#define DEFAULT_GUIDE     TESSERA_BILATERAL_GRID_LUMINANCE
#define DEFAULT_TONE      TESSERA_BILATERAL_GRID_PERCEPTUAL
#else
#define GEGL_OP_NAME      tessera_bilateral_grid
#define GEGL_OP_C_SOURCE  tessera-bilateral-grid.c
#define FILTER_NAME       "bilateral-grid"
#define GUIDE_TYPE        TesseraBilateralGridGuide
#define TONE_TYPE         TesseraBilateralGridTone
#define DEFAULT_SIZE      8.0
#define DEFAULT_THRESHOLD 0.1
#define DEFAULT_GUIDE     TESSERA_BILATERAL_GRID_CHANNELS
#define DEFAULT_TONE      TESSERA_BILATERAL_GRID_LINEAR
#endif

#ifdef GEGL_PROPERTIES

#define enum_end_of(type) enum_end (type)       /* the macro is not expanded here */

enum_start (tessera_bilateral_grid_guide)
  enum_value (TESSERA_BILATERAL_GRID_CHANNELS,  "channels",  N_("Channels"))
  enum_value (TESSERA_BILATERAL_GRID_LUMINANCE, "luminance", N_("Luminance"))
enum_end_of (GUIDE_TYPE)

enum_start (tessera_bilateral_grid_tone)
  enum_value (TESSERA_BILATERAL_GRID_LINEAR,     "linear",     N_("Linear"))
  enum_value (TESSERA_BILATERAL_GRID_PERCEPTUAL, "perceptual", N_("Perceptual"))
enum_end_of (TONE_TYPE)

property_double (spatial_sigma, _("Size of details"), DEFAULT_SIZE)
    description (_("Details up to about this size are smoothed away, in pixels: 1 takes fine grain, 200 large "
                   "shapes too"))
    value_range (1.0, 200.0)
    ui_slider   (1.0, 50.0, 2.0, 0.5, 5.0, 1)
    ui_meta     ("unit", "pixel-distance")

property_double (range_sigma, _("Edge threshold"), DEFAULT_THRESHOLD)
    description (_("Steps in brightness larger than this are edges and are kept, where black to white is 1; thin lines "
                   "need 2.5 times as much. 0.005 keeps nearly everything, 2 blurs across all edges"))
    value_range (0.005, 2.0)
    ui_slider   (0.01, 0.5, 2.0, 0.01, 0.1, 3)

property_enum (guide, _("Guide"), GUIDE_TYPE, tessera_bilateral_grid_guide, DEFAULT_GUIDE)
#ifdef TESSERA_BILATERAL_FILTER
    description (_("What decides where an edge is: the luminance for all colors (no color fringes, faster), or each "
                   "channel for itself, which keeps what differs in color alone, as a ridge before an equally bright sky"))
#else
    description (_("What decides where an edge is: the luminance for all colors (no color fringes, faster), or each "
                   "channel for itself, which keeps what differs in color alone, as a ridge before an equally bright sky; "
                   "a connected aux image always guides by its luminance"))
#endif

property_enum (tone, _("Tone"), TONE_TYPE, tessera_bilateral_grid_tone, DEFAULT_TONE)
    description (_("Whether steps in brightness are measured as they are seen, or in linear light, where those in "
                   "the shadows count for little"))

#else

#include "tessera-op.h"
#include "bilateral-grid.h"

#include "bilateral-grid.cl.h"

/* ---------------------------------------------------------------- filter -- */

#define MOST_KNOWN 32           /* with so few planes, measuring them does not pay */

#define BILATERAL_GRID                                  \
  .name = FILTER_NAME,                                  \
  .source = tessera_bilateral_grid_cl,                  \
  .area = bilateral_grid_area,                          \
  .scratch_bytes = bilateral_grid_scratch_bytes,        \
  .device = bilateral_grid_device

static const TesseraFilter bilateral_grid = { BILATERAL_GRID };
static const TesseraFilter measured_bilateral_grid = {
  BILATERAL_GRID, .measure = bilateral_grid_measure, .measure_bytes = 2 * sizeof (gint)
};

/* ------------------------------------------------------------- operation -- */

static TesseraHalo
find_halo (const GeglProperties *o)
{
  return grid_halo (o->spatial_sigma);
}

static void
prepare (GeglOperation *operation)
{
  const gboolean is_perceptual = GEGL_PROPERTIES (operation)->tone == TESSERA_BILATERAL_GRID_PERCEPTUAL;

  tessera_set_formats (operation, is_perceptual ? "R'G'B'A float" : "RGBA float", TRUE);
}

static gboolean
run (TesseraRequest *request, const GeglProperties *o)
{
  GeglBuffer          *guide = request->aux ? request->aux : request->input;
  const gboolean       by_luminance = request->aux || o->guide == TESSERA_BILATERAL_GRID_LUMINANCE;
  GridParams           params;
  gboolean             success;

  grid_params_init (&params, o->spatial_sigma, o->range_sigma, by_luminance ? 1 : 4, by_luminance ? 4 : 1, &request->bounds, &request->roi);
  params.by_luminance = by_luminance;
  tessera_luminance (request->input_format, params.weights);
  params.has_alpha = tessera_has_alpha (request);
  /* Measured, unless the planes of all possible values are known, and few.  Price: 1.2 (24 Mpix u8; H200, 2026-11-22). */
  request->filter = params.per_plane <= MOST_KNOWN && grid_range_is_known (guide, request->input_format) ? &bilateral_grid : &measured_bilateral_grid;
  request->border = TESSERA_BORDER_NONE;        /* cells beyond the image are empty: it is never read */
  request->params = &params;
  request->cost_class = (params.by_luminance ? 1 : 0) | (request->aux ? 2 : 0);
  success = tessera_process (request);
  grid_params_clear (&params);
  return success;
}

static void
gegl_op_class_init (GeglOpClass *klass)
{
  GEGL_OPERATION_CLASS (klass)->prepare = prepare;
  tessera_operation_describe (klass, &(TesseraOperationInfo) {
    .name = "tessera:" FILTER_NAME,
#ifdef TESSERA_BILATERAL_FILTER
    .title = _("Bilateral Filter"),
    .description = _("Smooths noise, skin and sky and keeps edges: denoise, noise reduction, surface blur, base of a "
                     "frequency separation (Paris, Durand)"),
    .menu_label = _("Bilateral Filter (Tessera)..."),
#else
    .title = _("Bilateral Grid"),
    .description = _("Smooths by the edges of another picture, the second (aux) input: flash and no flash "
                     "(joint bilateral filter; Paris, Durand)"),
    .menu_label = _("Bilateral Grid (Tessera)..."),
    .has_aux = TRUE,
#endif
    .categories = "enhance:noise-reduction",
    .reference = "J. Chen, S. Paris, F. Durand, Real-time Edge-Aware Image Processing with the Bilateral Grid, "
                 "SIGGRAPH 2007",
    .menu_path = "<Image>/Filters/Enhance", .find_halo = find_halo, .stays = TRUE, .run = run
  });
}

#endif
