/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:equalize: each value v becomes m(floor (v bins)), m(b) = max (0, cdf(b) - cdf(b0)) /
 * (n - cdf(b0)) over the image, b0 the first bin that is not empty; or, with a clip limit c,
 * cdf/n of tiles whose counts above max (1, c n / bins) are cut and spread over all bins,
 * bilinear between the tiles' centres (CLAHE).
 *
 * R. A. Hummel, Image Enhancement by Histogram Transformation, Computer Graphics and
 * Image Processing 6, 1977; K. Zuiderveld, Contrast Limited Adaptive Histogram
 * Equalization, Graphics Gems IV, 1994.
 *
 * Counts are integers, tables are made in double on the host and rounded once: C and
 * OpenCL use the same floats.  Local tables are kept for some rows of tiles at a time (TABLES_BYTES), and counted
 * for some tiles at
 * a time (COUNTS_BYTES).
 *
 * Linear light of sRGB's curve is read as it is and mapped as R'G'B' would be.
 *
 * Deviations: the excess is spread once, in double (Zuiderveld repeats, in integers);
 * luminance scales R', G', B' together, which keeps the chroma.  An image without end,
 * or of 2^31 pixels and more, passes unchanged.
 *
 * NaN is not counted and passes unchanged (in luminance the pixel); infinities lie in
 * the first and last bin.  Pixels of alpha 0 are not counted, but mapped.
 */
#include "config.h"
#include <glib/gi18n-lib.h>

#ifdef GEGL_PROPERTIES

enum_start (tessera_equalize_mode)
  enum_value (TESSERA_EQUALIZE_LUMINANCE, "luminance", N_("Luminance"))
  enum_value (TESSERA_EQUALIZE_CHANNELS,  "channels",  N_("Channels"))
enum_end (TesseraEqualizeMode)

property_enum (mode, _("Mode"), TesseraEqualizeMode, tessera_equalize_mode, TESSERA_EQUALIZE_LUMINANCE)
    description (_("Equalize the luminance and keep the hue of colors, or each channel alone"))

property_double (clip_limit, _("Clip limit"), 2.0)
    description (_("How much the contrast in a tile may grow, 0 to 100: 1 hardly, 2 looks natural, 10 shows noise too; "
                   "0 equalizes the whole image at once, without tiles"))
    value_range (0.0, 100.0)
    ui_slider   (0.0, 10.0, 2.0, 0.1, 1.0, 2)

property_int (tiles, _("Tiles"), 8)
    description (_("Number of tiles along each side, 1 to 32: more bring out smaller details; without effect where the "
                   "clip limit is 0"))
    value_range (1, 32)
    ui_steps    (1, 4)

property_int (bins, _("Bins"), 4096)
    description (_("Number of steps from black to white that are told apart, 256 to 65536"))
    value_range (256, 65536)
    ui_gamma    (3.0)
    ui_steps    (256, 1024)

#else

#define GEGL_OP_NAME     tessera_equalize
#define GEGL_OP_C_SOURCE tessera-equalize.c

#include "tessera-op.h"
#include "equalize.h"
#include "equalize.cl.h"
#include "remembered.h"

#define TABLES_BYTES (32 << 20) /* two rows of tiles may be more: 48 MiB at most */
#define SURVEY_PART  0.4        /* about this part of the work is counting */
#define COUNTS_BYTES (4 << 20)  /* ... of a survey, of each thread */
#define NEAR_BINS    4096       /* that are counted in local memory */
#define PIECE_PIXELS 16384      /* that one work-group counts */
#define LANES        32         /* of a work-group, and ... */
#define LINES        8          /* ... its rows: opencl/kernels/equalize.cl */

/* Kinds of requests with different costs a pixel; from COST_TABLES on a number for the size of all tables. */
enum { COST_SURVEY = 1, COST_CHANNELS = 2, COST_LOCAL = 4, COST_TABLES = 8 };

/* ---------------------------------------------------------------- device -- */

static gsize
tables_bytes (const Equalize *e)
{
  return e->table_rows * equalize_row_size (e) * sizeof (gfloat);
}

static gsize
equalize_scratch_bytes (const TesseraRequest *request, gint width G_GNUC_UNUSED, gint height G_GNUC_UNUSED)
{
  const Equalize *e = request->params;

  return (e->x.n + e->y.n) * sizeof (EqualizePlace)
         + (request->cost_class & COST_SURVEY ? 0 : tables_bytes (e));
}

/* opencl/kernels/equalize.cl has the same three, and INPUT_ARGS for `pixels`. */
#define VALUE_ARGS(e) ARG ((e)->channels), ARG ((e)->bins), \
                      FLOAT4_ARG ((e)->weights[0], (e)->weights[1], (e)->weights[2], 0.0f), ARG ((e)->is_linear)
#define TILES_ARGS(e, first, end, piece) TABLE_ARG ((e)->x.edges, ((e)->x.tiles + 1) * sizeof (gint)), \
                                         TABLE_ARG ((e)->y.edges, ((e)->y.tiles + 1) * sizeof (gint)), \
                                         ARG ((e)->surveyed.x), ARG ((e)->surveyed.width), ARG ((e)->surveyed.y), \
                                         ARG (first), ARG ((end) - (first)), ARG (piece)
/* What is not used has to be some memory: `pixels`. */
#define PLACES_ARG(e, axis, pixels) \
  has_places (e) ? TABLE_ARG ((e)->axis.places, (e)->axis.n * sizeof (EqualizePlace)) : ARG (pixels)
#define TABLES_ARGS(e, pixels) PLACES_ARG (e, x, pixels), PLACES_ARG (e, y, pixels), \
                               (e)->mapped ? TABLE_ARG ((e)->tables, tables_bytes (e)) : ARG (pixels), \
                               ARG ((e)->first_row), ARG ((e)->x.tiles), ARG ((e)->clip_limit > 0.0), ARG ((e)->mapped)

static gboolean
has_places (const Equalize *e)
{
  return e->mapped && e->clip_limit > 0.0;
}

static gsize
kept_bytes (const Equalize *e)
{
  return 4 * sizeof (gfloat) * e->bounds.width * e->bounds.height;
}

/* Price: 1.3 (24 Mpix u8; H200, 2026-11-23). */
static void
keep_pixels (TesseraBand *band)
{
  const Equalize *e = band->request->params;
  EqualizeKept   *kept = e->kept;
  const gint      y0 = band->input.y - e->bounds.y;
  TesseraMemory  *memory;
  gboolean        is_there;

  if (y0 == 0)
    kept->is_whole = ! kept->is_begun && e->surveyed.width == e->x.tiles && e->surveyed.height == e->y.tiles
                     && tessera_may_keep (band, kept_bytes (e));
  if (! kept->is_whole)
    return;
  kept->is_begun = TRUE;
  if (tessera_kept_memory (band, kept->pixels, kept_bytes (e), &memory, &is_there) != 0)
    return;
  kept->is_whole = is_there == (y0 > 0);        /* else the rows above are lost: a band has failed, and comes again */
  if (kept->is_whole)
    tessera_launch (band, &(TesseraLaunch) {
      .kernel = "equalize_keep", .size = { band->input.width, band->input.height }, .group = { 32, 4 },
      .args = { ARG (band->input.memory), ARG (band->input.stride), ARG (band->input.width), ARG (band->input.height),
                ARG (memory), ARG (y0) }
    });
}

static gint
equalize_survey (TesseraBand *band, TesseraMemory *part)
{
  const Equalize *e = band->request->params;
  const gint      x0 = band->input.x - e->bounds.x, y0 = band->input.y - e->bounds.y;
  const gint      width = e->bounds.width / e->x.tiles + 1, height = e->bounds.height / e->y.tiles + 1;
  const gint      piece = CLAMP (PIECE_PIXELS / width / LINES, 1, (height + LINES - 1) / LINES) * LINES;
  const gboolean  is_near = e->bins <= NEAR_BINS;
  gint            first = 0, end;

  while (e->y.edges[first + 1] <= y0)
    first++;
  for (end = first; end < e->y.tiles && e->y.edges[end] < y0 + band->input.height; end++);
  keep_pixels (band);
  return tessera_launch (band, &(TesseraLaunch) {
    .kernel = "equalize_count",
    .size = { (gsize) LANES * e->surveyed.width * e->channels, (gsize) LINES * ((height + piece - 1) / piece),
              end - first },
    .group = { LANES, LINES, 1 },
    .cost = (gdouble) width * piece / (LANES * LINES),
    .args = { ARG (band->input.memory), ARG (band->input.stride), ARG (x0), ARG (y0), ARG (band->input.height),
              TILES_ARGS (e, first, end, piece), VALUE_ARGS (e),
              ARG (part), LOCAL_ARG (is_near ? e->bins * sizeof (gint) : sizeof (gint)), ARG (is_near) }
  });
}

static gint
equalize_device (TesseraBand *band)
{
  const Equalize *e = band->request->params;
  const gint      x0 = band->output.x - e->bounds.x, y0 = band->output.y - e->bounds.y;
  const gboolean  is_kept = band->request->is_blind;
  TesseraMemory  *pixels = band->input.memory;

  if (is_kept)
    tessera_kept_memory (band, e->kept->pixels, kept_bytes (e), &pixels, NULL);
  return tessera_launch (band, &(TesseraLaunch) {
    .kernel = "equalize_map", .size = OUTPUT_SIZE (band), .group = { 32, 4 }, .cost = 4,
    .args = { ARG (pixels), ARG (is_kept ? e->bounds.width : band->input.stride), ARG (is_kept ? x0 : 0),
              ARG (is_kept ? y0 : 0), ARG (x0), ARG (y0), TABLES_ARGS (e, pixels), VALUE_ARGS (e), OUTPUT_ARGS (band) }
  });
}

#define EQUALIZE \
  .name = "equalize", .source = tessera_equalize_cl, .scratch_bytes = equalize_scratch_bytes, .device = equalize_device, \
  .survey = equalize_survey, .merge = equalize_merge

static const TesseraFilter equalize = { EQUALIZE, .block = equalize_block, .survey_area = equalize_survey_area };
static const TesseraFilter of_bytes = { EQUALIZE, .area = equalize_map_bytes, .survey_area = equalize_survey_bytes };

/* ----------------------------------------------------------- the request -- */

/* Counts do not depend on the clip limit, but for whether there are tiles. */
static GBytes *
remembered_counts (const TesseraRequest *survey, const Equalize *e, const GeglRectangle *tiles, Remembered *asked)
{
  const gint key[] = { e->channels, e->bins, e->x.tiles, e->y.tiles, tiles->x, tiles->y, tiles->width, tiles->height };

  return remembered_find (survey, key, sizeof key, asked);
}

/* Those of all tiles, if they are known, have those of some rows. */
static gboolean
take_rows (const TesseraRequest *survey, const Equalize *e, guint32 *counts, gsize bytes)
{
  const GeglRectangle all = { 0, 0, e->x.tiles, e->y.tiles };
  const gsize         row = equalize_row_size (e) * sizeof *counts;
  TesseraRequest      whole = *survey;
  Remembered          asked;
  GBytes             *known;

  if (e->surveyed.width < all.width || e->surveyed.height == all.height)
    return FALSE;
  whole.roi = whole.bounds;
  known = remembered_counts (&whole, e, &all, &asked);
  remembered_give_up (&asked);          /* it is not asked for itself */
  if (! known)
    return FALSE;
  memcpy (counts, (const guint8 *) g_bytes_get_data (known, NULL) + e->surveyed.y * row, bytes);
  g_bytes_unref (known);
  return TRUE;
}

static gboolean
survey_or_remember (const TesseraRequest *survey, const Equalize *e, guint32 *counts, gsize bytes)
{
  Remembered asked;
  GBytes    *known;
  gboolean   success;

  if (take_rows (survey, e, counts, bytes))
    return TRUE;
  known = remembered_counts (survey, e, &e->surveyed, &asked);
  if (known)
    {
      memcpy (counts, g_bytes_get_data (known, NULL), bytes);
      g_bytes_unref (known);
      return TRUE;
    }
  success = tessera_survey (survey, counts, bytes);
  if (success)
    remembered_keep (&asked, counts, bytes);
  else
    remembered_give_up (&asked);
  return success;
}

/* Counts the pixels of some tiles, e->surveyed. */
static gboolean
survey_tiles (const TesseraRequest *request, const Equalize *e, guint32 *counts)
{
  const GeglRectangle *tiles = &e->surveyed;
  TesseraRequest       survey = *request;
  const gint           left = e->x.edges[tiles->x], top = e->y.edges[tiles->y];

  survey.output = NULL;
  survey.cost_class |= COST_SURVEY;
  survey.roi = (GeglRectangle) { e->bounds.x + left, e->bounds.y + top,
                                 e->x.edges[tiles->x + tiles->width] - left,
                                 e->y.edges[tiles->y + tiles->height] - top };
  return survey_or_remember (&survey, e, counts, equalize_tile_size (e) * tiles->width * tiles->height * sizeof *counts);
}

/* The second request needs no pixels from the host if the survey has left them on the device. */
static gboolean
map_pixels (TesseraRequest *request)
{
  const Equalize *e = request->params;

  request->is_blind = e->kept->is_whole && tessera_is_kept (e->kept->pixels);
  return tessera_process (request);
}

static gboolean
equalize_globally (const TesseraRequest *request, Equalize *e)
{
  g_autofree guint32 *counts = g_new (guint32, equalize_tile_size (e));
  g_autofree gfloat  *tables = g_new0 (gfloat, equalize_tile_size (e));
  TesseraRequest survey = *request, rest = *request;

  survey.errand.progress_to = rest.errand.progress_from = SURVEY_PART;
  rest.errand.progress_to = 1.0;
  e->surveyed = (GeglRectangle) { 0, 0, 1, 1 };
  e->table_rows = 1;
  e->tables = tables;
  if (! survey_tiles (&survey, e, counts))
    return FALSE;
  equalize_global_tables (e, counts);
  return map_pixels (&rest);
}

/* The tables of `rows` rows of tiles from `row` on. */
static gboolean
make_rows (const TesseraRequest *request, Equalize *e, gint row, gint rows)
{
  const gsize tile_bytes = equalize_tile_size (e) * sizeof (guint32), row_bytes = tile_bytes * e->x.tiles;
  const gint  at_once = CLAMP (COUNTS_BYTES / row_bytes, 1, (gsize) rows);
  const gint  across = CLAMP (COUNTS_BYTES / tile_bytes, 1, (gsize) e->x.tiles);
  const gdouble from = request->errand.progress_from, span = request->errand.progress_to - from;
  g_autofree guint32 *counts = g_malloc (tile_bytes * across * at_once);

  for (gint y = row; y < row + rows; y += at_once)
    for (gint x = 0; x < e->x.tiles; x += across)
      {
        TesseraRequest part = *request;

        e->surveyed = (GeglRectangle) { x, y, MIN (across, e->x.tiles - x), MIN (at_once, row + rows - y) };
        part.errand.progress_from = from + span * (y - row) / rows;
        part.errand.progress_to = from + span * (y - row + e->surveyed.height) / rows;
        if (! survey_tiles (&part, e, counts))
          return FALSE;
        equalize_local_tables (e, counts);
      }
  return TRUE;
}

/* From top to bottom, each time for the rows of pixels whose tables fit. */
static gboolean
equalize_locally (const TesseraRequest *request, Equalize *e)
{
  const gsize          row_size = equalize_row_size (e);
  const gint           first = request->roi.y - e->bounds.y, end = first + request->roi.height;
  const EqualizePlace *last = &e->y.places[end - 1];
  const gint           end_row = last->tile + last->next + 1;
  const gint           first_row = e->y.places[first].tile;
  TesseraRequest       survey = *request, part = *request;
  gint                 known = first_row;       /* the first row of tiles that has no tables yet */
  const gint           table_rows = MIN (end_row - known, MAX (2, (gint) (TABLES_BYTES / (row_size * sizeof (gfloat)))));
  g_autofree gfloat   *tables = g_new (gfloat, table_rows * row_size);

  e->first_row = first_row;
  e->table_rows = table_rows;
  e->tables = tables;
  e->mapped = (1u << e->channels) - 1;
  for (gint y = first, y_end = y; y < end; y = y_end)
    {
      const gint kept = MAX (0, known - e->y.places[y].tile), rows = MIN (end_row - known, e->table_rows - kept);

      memmove (e->tables, e->tables + (e->y.places[y].tile - e->first_row) * row_size,
               kept * row_size * sizeof (gfloat));
      e->first_row = e->y.places[y].tile;
      survey.errand.progress_from = (known - first_row) / (gdouble) (end_row - first_row);
      part.errand.progress_to = (known + rows - first_row) / (gdouble) (end_row - first_row);
      survey.errand.progress_to = part.errand.progress_from
        = survey.errand.progress_from + SURVEY_PART * (part.errand.progress_to - survey.errand.progress_from);
      if (! make_rows (&survey, e, known, rows))
        return FALSE;
      known += rows;
      while (y_end < end && e->y.places[y_end].tile + e->y.places[y_end].next < known)
        y_end++;
      part.roi.y = e->bounds.y + y;
      part.roi.height = y_end - y;
      if (! map_pixels (&part))
        return FALSE;
    }
  return TRUE;
}

/* ------------------------------------------------------------- operation -- */

static gboolean
takes_srgb_curve (const Babl *format)
{
  return babl_format_get_space (format) == babl_space ("sRGB") || babl_get_model_flags (format) & BABL_MODEL_FLAG_PERCEPTUAL;
}

/* R'G'B'A.  Linear light of sRGB's curve is read as it is, and takes the curve on the way.  Otherwise it would be
 * converted back and forth, the last time by GEGL on one thread. */
static void
prepare (GeglOperation *operation)
{
  const Babl *format = tessera_format (operation, "R'G'B'A float");

  if (tessera_input_is_light (operation) && takes_srgb_curve (format))
    format = tessera_format (operation, "RGBA float");

  tessera_set_pads (operation, format, tessera_delivered_exactly (operation, format));
}

static gboolean
run (TesseraRequest *request, const GeglProperties *o)
{
  EqualizeKept          kept = { .pixels = NULL };
  Equalize              e = { .kept = &kept, .channels = o->mode == TESSERA_EQUALIZE_CHANNELS ? 3 : 1, .bins = o->bins,
                              .clip_limit = o->clip_limit, .bounds = request->bounds };
  gboolean              success;

  request->params = &e;
  request->cost_class = (e.channels == 3 ? COST_CHANNELS : 0) | (e.clip_limit > 0.0 ? COST_LOCAL : 0);
  if (gegl_rectangle_is_empty (&e.bounds) || tessera_is_endless (&e.bounds))
    return tessera_process (request);           /* nothing is mapped */
  kept.pixels = tessera_kept_new ();
  e.is_linear = (babl_get_model_flags (request->input_format) & BABL_MODEL_FLAG_LINEAR) != 0;
  tessera_luminance (request->input_format, e.weights);
  if (equalize_bytes_format (request, &e))
    request->filter = &of_bytes;
  equalize_axis_init (&e.x, e.bounds.width, e.clip_limit > 0.0 ? o->tiles : 1);
  equalize_axis_init (&e.y, e.bounds.height, e.clip_limit > 0.0 ? o->tiles : 1);
  request->cost_class |= COST_TABLES * g_bit_storage (((gulong) e.x.tiles * e.y.tiles * e.bins) >> 16);
  success = e.clip_limit > 0.0 ? equalize_locally (request, &e) : equalize_globally (request, &e);
  tessera_kept_unref (kept.pixels);
  g_free (e.x.edges);
  g_free (e.x.places);
  g_free (e.y.edges);
  g_free (e.y.places);
  return success;
}

static void
gegl_op_class_init (GeglOpClass *klass)
{
  GEGL_OPERATION_CLASS (klass)->prepare = prepare;
  tessera_operation_describe (klass, &(TesseraOperationInfo) {
    .name = "tessera:equalize", .title = _("Equalize Histogram"), .categories = "color",
    .description = _("Brings out detail in haze, shadows and clouds by spreading tones, tile by tile or over the whole "
                     "image: local contrast, dehaze, clarity, HDR look (CLAHE; Zuiderveld)"),
    .reference = "K. Zuiderveld, Contrast Limited Adaptive Histogram Equalization, Graphics Gems IV, 1994",
    .menu_path = "<Image>/Colors", .menu_label = _("Equalize Histogram (Tessera)..."),
    .filter = &equalize, .is_whole = TRUE, .run = run
  });
}

#endif
