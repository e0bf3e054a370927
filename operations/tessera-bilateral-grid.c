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

#include <math.h>

/* ---------------------------------------------------------------- tables -- */

/* The first pixel x with floor (x/s + 1/2) >= cell. */
static gint
cell_start (gint cell, gdouble s)
{
  gint x = ceil ((cell - 0.5) * s);

  while (floor ((x - 1) / s + 0.5) >= cell)
    x--;
  while (floor (x / s + 0.5) < cell)
    x++;
  return x;
}

/* Pixels from .. from + size - 1 of an axis whose image is 0 .. length - 1 (of any length if `infinite`). */
static void
axis_init (GridAxis *axis, gint from, gint size, gint length, gboolean infinite, gdouble s)
{
  const gint first = (gint) floor (from / s) - 1;

  axis->from = from;
  axis->size = size;
  axis->n_cells = (gint) floor ((from + size - 1) / s) + 3 - first;
  axis->starts = g_malloc ((axis->n_cells + 1) * sizeof (gint) + size * (sizeof (gint) + sizeof (gfloat)));
  axis->cells = axis->starts + axis->n_cells + 1;
  axis->fractions = (gfloat *) (axis->cells + size);
  for (gint i = 0; i <= axis->n_cells; i++)
    {
      gint start = cell_start (first + i, s);

      axis->starts[i] = infinite ? start : CLAMP (start, 0, length);
    }
  for (gint i = 0; i < size; i++)
    {
      gdouble place = (from + i) / s;

      axis->cells[i] = (gint) floor (place) - first;
      axis->fractions[i] = (gfloat) (place - floor (place));
    }
}

/* One a process. */
static gint
odd_number (void)
{
  static gsize odd;

  if (g_once_init_enter (&odd))
    g_once_init_leave (&odd, g_random_int () | 1u);
  return (gint) (guint32) odd;
}

static void
params_init (GridParams *params, const GeglProperties *o, gboolean has_aux, const Babl *working,
             const GeglRectangle *bounds, const GeglRectangle *roi)
{
  const gdouble  s = o->spatial_sigma;
  const gint     side = ceil (s);       /* pixels on a cell's side, at most */
  const gboolean infinite = gegl_rectangle_is_infinite_plane (bounds);

  *params = (GridParams) {
    .by_luminance = has_aux || o->guide == TESSERA_BILATERAL_GRID_LUMINANCE,
    .parts = (side + GRID_PART - 1) / GRID_PART,
    .capacity = 2,
    .odd = odd_number (),
    .most_planes = CLAMP (32 * s * s, 64, 65536),
    .range_sigma = (gfloat) o->range_sigma,
    .per_plane = (gfloat) (1.0 / o->range_sigma),
    .origin_x = infinite ? 0 : bounds->x,
    .origin_y = infinite ? 0 : bounds->y
  };
  tessera_luminance (working, params->weights);
  params->values = params->by_luminance ? 4 : 1;
  params->lanes = params->by_luminance ? 1 : 4;
  while (params->capacity < 3 * side * side / 2)
    params->capacity *= 2;
  axis_init (&params->x, roi->x - params->origin_x, roi->width, bounds->width, infinite, s);
  axis_init (&params->y, roi->y - params->origin_y, roi->height, bounds->height, infinite, s);
}

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

/* Do all filtered values lie in 0 .. 1?  Only with sRGB's curve and primaries, and if colour is not divided by
 * alpha. babl's curve of gamma 1.8 goes below 0 near black, and ACES has a negative luminance of blue. */
static gboolean
is_of_range (GeglBuffer *buffer, const Babl *working)
{
  const Babl         *format = gegl_buffer_get_format (buffer);
  const Babl         *type = babl_format_get_type (format, 0);
  const Babl         *srgb = babl_space ("sRGB");
  const BablModelFlag flags = babl_get_model_flags (format);

  return (type == babl_type ("u8") || type == babl_type ("u16"))
         && flags & (BABL_MODEL_FLAG_RGB | BABL_MODEL_FLAG_GRAY) && ! (flags & BABL_MODEL_FLAG_ASSOCIATED)
         && babl_format_get_space (format) == srgb && babl_format_get_space (working) == srgb;
}

/* ------------------------------------------------------------- operation -- */

/* A pixel's support: 2.5 s, and one for the rounding. */
static TesseraHalo
find_halo (const GeglProperties *o)
{
  const gint pixels = (gint) ceil (2.5 * o->spatial_sigma) + 1;

  return (TesseraHalo) { pixels, pixels, pixels, pixels };
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
  GridParams           params;
  gboolean             success;

  params_init (&params, o, request->aux != NULL, request->input_format, &request->bounds,
               &request->roi);
  params.has_alpha = tessera_has_alpha (request);
  /* Measured, unless the planes of all possible values are known, and few.  Price: 1.2 (24 Mpix u8; H200, 2026-11-22). */
  request->filter = params.per_plane <= MOST_KNOWN && is_of_range (guide, request->input_format) ? &bilateral_grid : &measured_bilateral_grid;
  request->border = TESSERA_BORDER_NONE;        /* cells beyond the image are empty: it is never read */
  request->params = &params;
  request->cost_class = (params.by_luminance ? 1 : 0) | (request->aux ? 2 : 0);
  success = tessera_process (request);
  g_free (params.x.starts);
  g_free (params.y.starts);
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
    .menu_path = "<Image>/Filters/Enhance", .find_halo = find_halo, .run = run
  });
}

#endif
