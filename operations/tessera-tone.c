/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:tone: shadows, highlights, and the compression of HDR.  l = log2 max (Y, 2^-16), Y the luminance of linear light; B is what a
 * bilateral grid of (radius, edge) makes of l, D = l - B; mid = log2 0.18, uw = -mid;
 * B1 = c (B - m) + m + k (mid - m), k = compression, c = 1 - k (1 - min (1, range / max (hi - lo, 1e-3))), lo, m and hi 0.5, 50 and 99.5 %
 * of the image's l;
 * B2 = B1 + shadows t (2 - t), t = clamp ((mid - B1) / 5, 0, 1);
 * B3 = B2 - highlights (w < 1 ? 0.7 uw w (1 - w) : 0.5 uw (w - 1)), w = max (B1 - mid, 0) / uw;
 * v = 2^(B3 + detail D); v' = (1 - k) v + k q(v), q(v) = v up to 1/2, then 1/2 + 1/2 z/(1 + z), z = 2 v - 1.  R, G, B times v' / max (Y, 2^-16).
 *
 * F. Durand, J. Dorsey, Fast Bilateral Filtering for the Display of High-Dynamic-Range Images, SIGGRAPH 2002; the shoulder after E. Reinhard,
 * M. Stark, P. Shirley, J. Ferwerda, Photographic Tone Reproduction for Digital Images, SIGGRAPH 2002.
 *
 * Deviations: the grid of tessera:bilateral-grid in place of their piecewise linear filter.  lo, m and hi are read from whole counts, 16 bins a
 * stop from -16 to 16, of the pixels that have
 * light and alpha above 0; an image without end, or of 2^31 pixels and more, is not counted, and c is 1.
 *
 * Alpha weighs in the grid as in tessera:bilateral-grid, and is kept.  A pixel of alpha 0, one with NaN or Inf, and one without light (Y <= 0)
 * gives the grid nothing and stays as it is.
 */
#include "config.h"
#include <glib/gi18n-lib.h>

#ifdef GEGL_PROPERTIES

property_double (shadows, _("Shadows"), 0.7)
    description (_("How much shadows are lifted, in stops: 1 makes them twice as bright, 0 leaves them as they are, less than 0 darkens them; "
                   "middle tones stay"))
    value_range (-1.0, 2.4)
    ui_slider   (-1.0, 2.4, 1.0, 0.05, 0.25, 2)

property_double (highlights, _("Highlights"), 0.3)
    description (_("How much bright parts are held back, 0 to 1: 0 leaves them as they are; middle tones and white stay"))
    value_range (0.0, 1.0)
    ui_steps    (0.05, 0.25)

property_double (compression, _("HDR compression"), 0.0)
    description (_("How much of a large dynamic range is brought into what a display shows, 0 to 1: 1 for the light of an HDR picture, 0 for photographs "
                   "that are ready"))
    value_range (0.0, 1.0)
    ui_steps    (0.05, 0.25)

property_double (range, _("Range"), 7.0)
    description (_("Stops from dark to bright that the HDR compression leaves, 3 to 12: less is flatter and shows more in the shadows"))
    value_range (3.0, 12.0)
    ui_steps    (0.25, 1.0)

property_double (detail, _("Detail"), 1.0)
    description (_("How much of the detail there is in the result, 0.5 to 2: 1 leaves it as it is, more brings it out, less softens it"))
    value_range (0.5, 2.0)
    ui_steps    (0.05, 0.25)

property_double (radius, _("Radius"), 0.0)
    description (_("Size of what counts as detail, in pixels; 0 is 2 percent of the longer side, 8 at least, 400 at most"))
    value_range (0.0, 400.0)
    ui_slider   (0.0, 200.0, 2.0, 1.0, 10.0, 1)
    ui_meta     ("unit", "pixel-distance")

property_double (edge, _("Edge threshold"), 1.6)
    description (_("Steps in brightness larger than this are edges, in stops, 0.5 to 4: less follows weaker edges, more takes larger steps for detail"))
    value_range (0.5, 4.0)
    ui_steps    (0.1, 0.5)

#else

#define GEGL_OP_NAME     tessera_tone
#define GEGL_OP_C_SOURCE tessera-tone.c

#include "tessera-op.h"
#include "grid.h"
#include "planes.h"
#include "remembered.h"

#include "../opencl/math/tessera-convert.h"
#include "../opencl/math/tessera-equalize.h"
#include "../opencl/math/tessera-log.h"
#include "../opencl/math/tessera-tone.h"
#include "tone.cl.h"

#define USUAL_STOPS  24.0       /* from dark to bright: memory is planned for these */
#define SURVEY_PART  0.3        /* about this part of the work is counting */
#define COUNT_ITEMS  256        /* that share a row ... */
#define COUNT_GROUPS 256        /* ... and the rows */
#define BLOCK_HEIGHT 64         /* of GRID_CHUNK pixels: read and counted at once */

/* Kinds of requests with different costs a pixel. */
enum { COST_SURVEY = 1 };

typedef struct
{
  GridParams grid;
  gfloat     slope, offset;     /* of B, in B1 */
  gfloat     compression, shadows, highlights, detail;
  gfloat     weights[3];
} Tone;

/* --------------------------------------------------------------- C rows -- */

TESSERA_CLONES static void
find_stops (const gfloat *restrict red, const gfloat *restrict green, const gfloat *restrict blue, const gfloat weights[3], gint n,
            gfloat *restrict light, gfloat *restrict stops)
{
  const gfloat r = weights[0], g = weights[1], b = weights[2];

  for (gint i = 0; i < n; i++)
    {
      light[i] = tone_light (red[i], green[i], blue[i], r, g, b);
      stops[i] = tone_stops (light[i]);
    }
}

TESSERA_CLONES static void
weigh (const gfloat *restrict light, gint n, gfloat *restrict alpha)
{
  for (gint i = 0; i < n; i++)
    alpha[i] = tone_counts (light[i], alpha[i]) ? alpha[i] : 0.0f;
}

TESSERA_CLONES static void
find_factors (const Tone *tone, const gfloat *restrict light, const gfloat *restrict alpha, const gfloat *restrict stops,
              const gfloat *restrict bases, gint n, gfloat *restrict factors)
{
  const gfloat slope = tone->slope, offset = tone->offset, compression = tone->compression, shadows = tone->shadows;
  const gfloat highlights = tone->highlights, detail = tone->detail;

  for (gint i = 0; i < n; i++)
    {
      const gfloat factor = tone_factor (light[i], stops[i], bases[i], slope, offset, compression, shadows, highlights, detail);

      factors[i] = tone_counts (light[i], alpha[i]) ? factor : 1.0f;
    }
}

TESSERA_CLONES static void
multiply (const gfloat *restrict factors, gint n, gfloat *restrict pixels)
{
  for (gint i = 0; i < n; i++)
    for (gint c = 0; c < 3; c++)
      pixels[4 * i + c] *= factors[i];
}

static void
make_stops (gconstpointer data, const gfloat *pixels, gint n, gfloat *values, gfloat *weights)
{
  const Tone *tone = data;
  gfloat      colours[3][GRID_CHUNK], light[GRID_CHUNK];

  planes_take_apart (pixels, n, colours[0], colours[1], colours[2], weights);
  find_stops (colours[0], colours[1], colours[2], tone->weights, n, light, values);
  weigh (light, n, weights);
}

static void
apply_tone (gconstpointer data, gfloat *pixels, gint n, const gfloat *stops, const gfloat *const smoothed[GRID_PLANES])
{
  const Tone *tone = data;
  gfloat      colours[3][GRID_CHUNK], alpha[GRID_CHUNK], light[GRID_CHUNK], again[GRID_CHUNK], factors[GRID_CHUNK];

  planes_take_apart (pixels, n, colours[0], colours[1], colours[2], alpha);
  find_stops (colours[0], colours[1], colours[2], tone->weights, n, light, again);
  find_factors (tone, light, alpha, stops, smoothed[0], n, factors);
  multiply (factors, n, pixels);
}

static void
tone_area (const TesseraRequest *request, const GeglRectangle *area)
{
  const Tone *tone = request->params;

  grid_plane_area (request, area, &(GridJob) { { &tone->grid, NULL }, make_stops, apply_tone, tone });
}

/* ---------------------------------------------------------------- survey -- */

static void
count_row (const Tone *tone, const gfloat *pixels, gint n, guint32 *counts)
{
  gfloat colours[3][GRID_CHUNK], alpha[GRID_CHUNK], light[GRID_CHUNK], stops[GRID_CHUNK];

  planes_take_apart (pixels, n, colours[0], colours[1], colours[2], alpha);
  find_stops (colours[0], colours[1], colours[2], tone->weights, n, light, stops);
  for (gint i = 0; i < n; i++)
    if (tone_counts (light[i], alpha[i]) && alpha[i] > 0.0f)
      counts[tone_bin (stops[i])]++;
}

static void
tone_survey_area (const TesseraRequest *request, const GeglRectangle *area, gpointer part)
{
  tessera_autoscratch gfloat *pixels = gegl_scratch_new (gfloat, 4 * GRID_CHUNK * BLOCK_HEIGHT);

  for (gint y = area->y; y < area->y + area->height; y += BLOCK_HEIGHT)
    for (gint x = area->x; x < area->x + area->width; x += GRID_CHUNK)
      {
        const gint width = MIN (GRID_CHUNK, area->x + area->width - x), height = MIN (BLOCK_HEIGHT, area->y + area->height - y);

        tessera_read_input (request, GEGL_RECTANGLE (x, y, width, height), pixels);
        for (gint k = 0; k < height; k++)
          count_row (request->params, pixels + 4 * (gsize) k * width, width, part);
      }
}

static gint
tone_survey (TesseraBand *band, TesseraMemory *part)
{
  const Tone *tone = band->request->params;

  return tessera_launch (band, &(TesseraLaunch) {
    .kernel = "tone_count", .size = { COUNT_ITEMS * COUNT_GROUPS }, .group = { COUNT_ITEMS },
    .cost = (gdouble) band->roi.width * band->roi.height / (COUNT_ITEMS * COUNT_GROUPS),
    .args = { ARG (band->input.memory), ARG (band->input.stride), ARG (band->roi.x - band->input.x), ARG (band->roi.y - band->input.y),
              ARG (band->roi.width), ARG (band->roi.height), FLOAT4_ARG (tone->weights[0], tone->weights[1], tone->weights[2], 0.0f),
              ARG (part), ARG (COUNT_ITEMS * COUNT_GROUPS) }
  });
}

static void
tone_merge (const TesseraRequest *request G_GNUC_UNUSED, const GeglRectangle *area G_GNUC_UNUSED, gpointer result, gconstpointer part)
{
  for (gint b = 0; b < TONE_BINS; b++)
    ((guint32 *) result)[b] += ((const guint32 *) part)[b];
}

/* In the first bin up to which the share is counted, as if its pixels were evenly spread. */
static gdouble
quantile (const guint32 counts[TONE_BINS], gdouble wanted)
{
  gdouble below = 0.0;
  gint    b = 0;

  while (b < TONE_BINS - 1 && below + counts[b] < wanted)
    below += counts[b++];
  return -16.0 + (b + MIN (1.0, (wanted - below) / MAX (1u, counts[b]))) / 16.0;
}

static void
fit_range (Tone *tone, const guint32 counts[TONE_BINS], const GeglProperties *o)
{
  const gdouble mid = TONE_MID;
  gdouble       n = 0.0, low, middle, high, slope;

  for (gint b = 0; b < TONE_BINS; b++)
    n += counts[b];
  if (n == 0.0)
    return;
  low = quantile (counts, 0.005 * n);
  middle = quantile (counts, 0.5 * n);
  high = quantile (counts, 0.995 * n);
  slope = 1.0 - o->compression * (1.0 - MIN (1.0, o->range / MAX (high - low, 1e-3)));
  tone->slope = (gfloat) slope;
  tone->offset = (gfloat) (middle - slope * middle + o->compression * (mid - middle));
}

/* Counts do not depend on the settings. */
static gboolean
survey_image (const TesseraRequest *request, guint32 counts[TONE_BINS])
{
  TesseraRequest survey = *request;
  Remembered     asked;
  GBytes        *known;
  gboolean       success = TRUE;

  survey.output = NULL;
  survey.cost_class |= COST_SURVEY;
  survey.roi = survey.bounds;
  survey.halo = (TesseraHalo) { 0, 0, 0, 0 };
  survey.errand.progress_to = SURVEY_PART;
  known = remembered_find (&survey, "stops", sizeof "stops", &asked);
  if (known)
    {
      memcpy (counts, g_bytes_get_data (known, NULL), TONE_BINS * sizeof *counts);
      g_bytes_unref (known);
      return TRUE;
    }
  success = tessera_survey (&survey, counts, TONE_BINS * sizeof *counts);
  if (success)
    remembered_keep (&asked, counts, TONE_BINS * sizeof *counts);
  else
    remembered_give_up (&asked);
  return success;
}

/* ---------------------------------------------------------------- device -- */

static gsize
tone_scratch_bytes (const TesseraRequest *request, gint width, gint height)
{
  const Tone *tone = request->params;
  const gsize pairs = tessera_pixels_around (request, width, height) * 2 * sizeof (gfloat);

  return 2 * pairs + (gsize) width * height * sizeof (gfloat)
         + (request->cost_class & COST_SURVEY ? 0 : grid_scratch_bytes (&tone->grid, height));
}

static gint
tone_measure (TesseraBand *band, TesseraMemory *result)
{
  const Tone *tone = band->request->params;

  return grid_plane_measure (band, grid_pairs (band, tone->weights), result);
}

static gint
tone_device (TesseraBand *band)
{
  const Tone    *tone = band->request->params;
  const gfloat   known[2] = { -16.0f, 0.0f };
  TesseraMemory *pairs = grid_pairs (band, tone->weights), *bases;

  tessera_scratch (band, (gsize) band->output.width * band->output.height * sizeof (gfloat), &bases);
  grid_plane_band (band, &tone->grid, pairs, band->measured, known, bases);
  return tessera_launch (band, &(TesseraLaunch) {
    .kernel = "tone_apply", .size = OUTPUT_SIZE (band), .cost = 2,
    .args = { INPUT_ARGS (band), ARG (pairs), ARG (bases), FLOAT4_ARG (tone->weights[0], tone->weights[1], tone->weights[2], 0.0f),
              ARG (tone->slope), ARG (tone->offset), ARG (tone->compression), ARG (tone->shadows), ARG (tone->highlights),
              ARG (tone->detail), OUTPUT_ARGS (band) }
  });
}

#define TONE \
  .name = "tone", .source = tessera_tone_cl, .area = tone_area, .scratch_bytes = tone_scratch_bytes, .device = tone_device, \
  .survey_area = tone_survey_area, .survey = tone_survey, .merge = tone_merge

static const TesseraFilter of_range = { TONE };
static const TesseraFilter of_any_range = { TONE, .measure = tone_measure, .measure_bytes = 2 * sizeof (gint) };

/* ------------------------------------------------------------- operation -- */

static gdouble
radius_of (const GeglProperties *o, const GeglRectangle *bounds)
{
  if (o->radius > 0.0)
    return o->radius;
  return gegl_rectangle_is_infinite_plane (bounds) ? 8.0 : CLAMP (0.02 * MAX (bounds->width, bounds->height), 8.0, 400.0);
}

static TesseraHalo
find_halo (const GeglProperties *o, const GeglRectangle *bounds)
{
  return grid_halo (radius_of (o, bounds));
}

static gboolean
may_be_whole (const GeglProperties *o)
{
  return o->compression > 0.0;
}

static gboolean
neutral (const GeglProperties *o)
{
  return o->compression == 0.0 && o->shadows == 0.0 && o->highlights == 0.0 && o->detail == 1.0;
}

static void
tone_init (Tone *tone, const TesseraRequest *request, const GeglProperties *o)
{
  *tone = (Tone) { .slope = 1.0f, .compression = (gfloat) o->compression, .shadows = (gfloat) o->shadows,
                   .highlights = (gfloat) o->highlights, .detail = (gfloat) o->detail };
  tessera_luminance (request->input_format, tone->weights);
  grid_params_init (&tone->grid, radius_of (o, &request->bounds), o->edge, 1, 1, &request->bounds, &request->roi);
  tone->grid.of_plane = TRUE;
  tone->grid.usual_planes = (gint) (USUAL_STOPS / o->edge) + 4;
}

static gboolean
run (TesseraRequest *request, const GeglProperties *o)
{
  guint32  counts[TONE_BINS] = { 0 };
  Tone     tone;
  gboolean success = TRUE;

  tone_init (&tone, request, o);
  request->filter = grid_range_is_known (request->input, request->input_format) ? &of_range : &of_any_range;
  request->border = TESSERA_BORDER_NONE;        /* cells beyond the image are empty: it is never read */
  request->params = &tone;
  if (o->compression > 0.0 && ! gegl_rectangle_is_empty (&request->bounds) && ! tessera_is_endless (&request->bounds))
    {
      success = survey_image (request, counts);
      fit_range (&tone, counts, o);
      request->errand.progress_from = SURVEY_PART;
      request->errand.progress_to = 1.0;
    }
  success = success && tessera_process (request);
  grid_params_clear (&tone.grid);
  return success;
}

static void
gegl_op_class_init (GeglOpClass *klass)
{
  tessera_operation_describe (klass, &(TesseraOperationInfo) {
    .name = "tessera:tone", .title = _("Shadows and Highlights"), .categories = "color",
    .description = _("Lifts shadows, holds highlights back, and brings the dynamic range of HDR into a display, without halos: tone mapping, "
                     "exposure fusion, fill light, backlight (Durand, Dorsey)"),
    .reference = "F. Durand, J. Dorsey, Fast Bilateral Filtering for the Display of High-Dynamic-Range Images, SIGGRAPH 2002",
    .menu_path = "<Image>/Colors", .menu_label = _("Shadows and Highlights (Tessera)..."),
    .working = "RGBA float", .keeps_grey = TRUE, .find_halo_in = find_halo, .may_be_whole = may_be_whole, .neutral = neutral, .run = run
  });
}

#endif
