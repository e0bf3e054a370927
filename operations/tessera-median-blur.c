/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:median-blur: of the n samples of a pixel's neighbourhood, sorted ascending, the one of
 * rank max(ceil(n percentile/100), 1), the first being 1; each channel by itself.
 *
 * Exact at every radius and percentile.  Medians of small squares: networks of minima and
 * maxima (median-blur-network.c; D. E. Knuth, The Art of Computer Programming, vol. 3, 5.3.4).
 * Everything else: a window that slides over ranks (median-blur-rank.c; T. S. Huang and others, IEEE
 * Trans. ASSP 27(1), 1979; B. Weiss, SIGGRAPH 2006); on the device a search (median-blur.cl).
 *
 * Deviations: linear images are filtered as they are, not as R'G'B'. A rising curve does not change the order
 * of values, so the result is the same.
 *
 * NaN sorts after +Inf and is a sample; -0 is 0.  Colours of alpha 0 are no samples; a pixel stays as it is if none is
 * left.
 */
#include "config.h"
#include <glib/gi18n-lib.h>

#ifdef GEGL_PROPERTIES

enum_start (tessera_median_blur_neighborhood)
  enum_value (TESSERA_MEDIAN_BLUR_SQUARE, "square", N_("Square"))
  enum_value (TESSERA_MEDIAN_BLUR_CIRCLE, "circle", N_("Circle"))
enum_end (TesseraMedianBlurNeighborhood)

property_int (radius, _("Radius"), 2)
    description (_("Pixels of the neighborhood on each side of the middle one; 0 leaves the image as it is"))
    value_range (0, 100)
    ui_range    (0, 40)
    ui_gamma    (2.0)
    ui_steps    (1, 5)
    ui_meta     ("unit", "pixel-distance")

property_double (percentile, _("Percentile"), 50.0)
    description (_("Which of the sorted values is taken, in percent: 50 is the median, 0 the darkest (bright specks go), "
                   "100 the brightest (dark specks go)"))
    value_range (0.0, 100.0)
    ui_slider   (0.0, 100.0, 1.0, 1.0, 10.0, 1)
    ui_meta     ("unit", "percent")

property_enum (neighborhood, _("Neighborhood"), TesseraMedianBlurNeighborhood,
               tessera_median_blur_neighborhood, TESSERA_MEDIAN_BLUR_SQUARE)
    description (_("Shape of the region whose values are sorted"))

property_enum (border, _("Border"), TesseraBorder, tessera_border, TESSERA_BORDER_CLAMP)
    description (_("What lies beyond the edge: the nearest pixel, nothing (fewer values are sorted), "
                   "or the image again"))

property_boolean (filter_alpha, _("Filter alpha"), FALSE)
    description (_("Filter alpha too, as a fourth channel; otherwise it is left as it is"))

#else

#define GEGL_OP_NAME     tessera_median_blur
#define GEGL_OP_C_SOURCE tessera-median-blur.c

#include "tessera-op.h"
#include "median-blur.h"
#include "../opencl/math/tessera-median-codes.h"
#include "median-blur.cl.h"

#include <math.h>

#define NETWORK_BLOCK 256       /* pixels on a side; a network needs only some rows of it in the cache */
#define LEAST_BLOCK   128       /* ranks: 4 passes over the samples in the second cache */
#define ROUNDS        16        /* of the device's search, usually; 33 at most */
#define FINE_RADIUS   32        /* with a larger radius, a launch may be a single row */
#define LEAST_CODED   3         /* radius: for a smaller one the codes cost what they save; Price: 6.9 for radius 10 (H200, 2026-11-28) */
#define CODED_BYTES   32768     /* of local memory, which each device has */
#define CODED_KEYS    1300      /* words, for keys that have one of the medians' codes */
#define CODED_COST    1000      /* of a work-item, in reads of a pixel, besides those around: more than usual, as keys of a code may have no room */

/* ---------------------------------------------------------------- params -- */

/* The least whole k >= 1 with 100 k >= n percentile: the sign of a fused sum is exact. */
static gint
exact_rank (gint n, gdouble percentile)
{
  gdouble rank = ceil (n * percentile / 100.0);

  while (fma (n, percentile, -100.0 * (rank - 1.0)) <= 0.0)
    rank -= 1.0;
  while (fma (n, percentile, -100.0 * rank) > 0.0)
    rank += 1.0;
  return MAX ((gint) rank, 1);
}

static MedianParams
params_new (const GeglProperties *o, gboolean has_alpha)
{
  const gint   radius = o->radius;
  MedianParams params = {
    .radius = radius, .is_circle = o->neighborhood == TESSERA_MEDIAN_BLUR_CIRCLE,
    .percentile = o->percentile, .channels = o->filter_alpha ? 4 : 3,
    .leaves_out = o->border == TESSERA_BORDER_NONE, .may_lack = has_alpha || o->border == TESSERA_BORDER_NONE,
    .half_widths = g_new (gint, radius + 1)
  };

  for (gint dy = 0; dy <= radius; dy++)
    {
      gint half = radius;

      while (params.is_circle && half * half + dy * dy > radius * radius + radius)      /* (r + 1/2)^2 - 1/4 */
        half--;
      params.half_widths[dy] = half;
      params.count += (dy ? 2 : 1) * (2 * half + 1);
    }
  params.rank = exact_rank (params.count, o->percentile);
  if (params.may_lack)
    {
      params.ranks = g_new (gint, params.count + 1);
      for (gint n = 0; n <= params.count; n++)
        params.ranks[n] = exact_rank (n, o->percentile);
    }
  return params;
}

/* --------------------------------------------------------------- C blocks -- */

TESSERA_CLONES static gboolean
has_clear_pixels (const gfloat *pixels, gsize n)
{
  gint count = 0;

  for (gsize i = 0; i < n; i++)
    count |= pixels[4 * i + 3] == 0.0f;
  return count != 0;
}

/* FALSE: bytes do not do. */
static gboolean
blur_bytes (const TesseraRequest *request, const GeglRectangle *block)
{
  const MedianParams *params = request->params;
  const GeglRectangle around = tessera_grow (block, &request->halo);
  const gsize         n = (gsize) around.width * around.height;
  const gboolean      has_network = median_has_network (params, FALSE);
  const Babl         *format = has_network || median_has_histogram (params) ? tessera_bytes_format (request) : NULL;
  const gint          values = format ? babl_format_get_n_components (format) : 0;
  tessera_autoscratch guint8 *bytes = NULL, *out = NULL;

  if (! format || (params->leaves_out && ! gegl_rectangle_contains (&request->bounds, &around)))
    return FALSE;
  bytes = gegl_scratch_alloc (n * values);
  tessera_read (request->input, &around, &request->bounds, request->border, format, (gfloat *) bytes);
  if (! median_bytes_are_whole (bytes, n, values))
    return FALSE;
  out = gegl_scratch_alloc ((gsize) block->width * block->height * values);
  (has_network ? median_by_bytes : median_by_histogram) (&(MedianBytes) { params, around.width, around.height, values, bytes, out });
  tessera_write_bytes (request, block, out, (gsize) block->width * values);
  return TRUE;
}

static void
blur_block (const TesseraRequest *request, const GeglRectangle *block)
{
  const MedianParams *params = request->params;
  const gint          radius = params->radius;
  const GeglRectangle around = tessera_grow (block, &request->halo);
  const gsize         n = (gsize) around.width * around.height;
  tessera_autoscratch gfloat *pixels = gegl_scratch_new (gfloat, 4 * n);
  MedianBlock         work = { params, around, request->bounds, FALSE, pixels };

  tessera_read_input (request, &around, pixels);
  work.lacks = params->may_lack && (median_has_network (params, TRUE) || has_clear_pixels (pixels, n));
  if (median_has_network (params, work.lacks))
    median_by_network (&work);
  else if (radius > 0)
    median_by_rank (&work);
  tessera_write_output (request, block, pixels + 4 * ((gsize) radius * around.width + radius), 4 * around.width * sizeof (gfloat));
}

/* Blocks of about the same size, large enough that the samples around them are the lesser part. */
static void
blur_area (const TesseraRequest *request, const GeglRectangle *area)
{
  const MedianParams *params = request->params;
  const gboolean      is_by_rows = median_has_network (params, FALSE) || (median_has_histogram (params) && tessera_bytes_format (request));
  const gint          side = MAX (is_by_rows ? NETWORK_BLOCK : LEAST_BLOCK, 3 * params->radius);
  const gint          columns = (area->width + side - 1) / side, rows = (area->height + side - 1) / side;

  for (gint j = 0; j < rows; j++)
    for (gint i = 0; i < columns; i++)
      {
        const gint x0 = (gint64) area->width * i / columns, x1 = (gint64) area->width * (i + 1) / columns;
        const gint y0 = (gint64) area->height * j / rows, y1 = (gint64) area->height * (j + 1) / rows;

        const GeglRectangle block = { area->x + x0, area->y + y0, x1 - x0, y1 - y0 };

        if (! blur_bytes (request, &block))
          blur_block (request, &block);
      }
}

/* ---------------------------------------------------------------- device -- */

/* Planes of keys, tables. */
static gsize
median_blur_scratch_bytes (const TesseraRequest *request, gint width, gint height)
{
  const MedianParams *params = request->params;

  return (tessera_pixels_around (request, width, height) * params->channels
          + params->count + params->radius + 2) * sizeof (gint);
}

/* Planes of keys from the band's input. */
static void
make_keys (TesseraBand *band, TesseraMemory **keys)
{
  const MedianParams  *params = band->request->params;
  const GeglRectangle *bounds = &band->request->bounds;
  const TesseraImage  *input = &band->input;
  gint                 left = 0, top = 0, right = input->width, bottom = input->height;

  if (params->leaves_out && ! gegl_rectangle_is_infinite_plane (bounds))
    {
      left = MAX (left, bounds->x - input->x);
      top = MAX (top, bounds->y - input->y);
      right = MIN (right, bounds->x + bounds->width - input->x);
      bottom = MIN (bottom, bounds->y + bounds->height - input->y);
    }
  tessera_scratch (band, (gsize) input->width * input->height * params->channels * sizeof (gint), keys);
  tessera_launch (band, &(TesseraLaunch) {
    .kernel = "median_keys", .size = { input->width, input->height }, .group = { 32, 4 }, .cost = 1,
    .args = { ARG (input->memory), ARG (input->stride), ARG (*keys), ARG (params->channels), ARG (input->width),
              ARG (input->height), ARG (left), ARG (top), ARG (right), ARG (bottom) }
  });
}

/* Work-items of a group on both sides, and its words of local memory (opencl/kernels/median-blur-codes.h). */
typedef struct
{
  gint wide, high, words;
} Group;

/* The first that the local memory of each device has room for.  FALSE: there is none (a circle of radius 51), the neighbourhood is too large (a square of
 * radius 64), or codes are not worth it. */
static gboolean
coded_group (const MedianParams *params, Group *group)
{
  static const gint sizes[][2] = { { 8, 8 }, { 8, 4 }, { 4, 4 }, { 4, 2 } };

  for (guint i = 0; i < G_N_ELEMENTS (sizes) && params->radius >= LEAST_CODED && params->count <= CODED_COUNT; i++)
    {
      const gint wide = sizes[i][0], high = sizes[i][1], pitch = CODED_PITCH (wide, params->radius), rows = CODED_ROWS (high, params->radius);
      const gint counts = params->is_circle ? rows * pitch : rows * wide + 2 * (rows / 4) * wide, pixels = CODED_SIDE * CODED_SIDE * wide * high;
      const gint before = CODED_TABLES + rows * pitch, least = before + MAX (counts, pixels + CODED_ROOM), most = CODED_BYTES / sizeof (gint);

      if (least <= most)
        {
          *group = (Group) { wide, high, CLAMP (before + pixels + CODED_KEYS, least, most) };
          return TRUE;
        }
    }
  return FALSE;
}

/* What is left is a search in global memory, which reads all samples many times. */
static gboolean
needs_search (const MedianParams *params)
{
  Group group;

  return params->radius >= LEAST_CODED && ! coded_group (params, &group);
}

/* All keys around a tile become codes, and the medians' codes are found together. */
static gint
select_medians (TesseraBand *band, Group group, TesseraMemory *keys, TesseraArg half_widths, TesseraArg ranks)
{
  const MedianParams *params = band->request->params;

  return tessera_launch (band, &(TesseraLaunch) {
    .kernel = params->is_circle ? "median_select_circle" : "median_select_square",
    .size = { (band->output.width + CODED_SIDE - 1) / CODED_SIDE, params->channels, (band->output.height + CODED_SIDE - 1) / CODED_SIDE },
    .group = { group.wide, 1, group.high }, .cost = CODED_COST + params->count / 4.0,
    .args = { ARG (keys), ARG (band->input.memory), ARG (band->output.memory), ARG (params->channels), ARG (band->output.width), ARG (band->output.height),
              ARG (params->radius), half_widths, ARG (params->rank), ARG (params->may_lack), ranks, ARG (params->count), ARG (group.words),
              LOCAL_ARG (group.words * sizeof (gint)) }
  });
}

#define PIXEL_SIZE { band->output.width, params->channels, band->output.height }
#define PIXEL_ARGS ARG (keys), ARG (band->input.memory), ARG (band->output.memory), ARG (params->channels), ARG (band->output.width), \
                   ARG (band->output.height)

static gint
sort_in_network (TesseraBand *band, TesseraMemory *keys)
{
  const MedianParams *params = band->request->params;
  const gint          radius = params->radius;

  return tessera_launch (band, &(TesseraLaunch) {
    .kernel = params->may_lack ? (radius == 1 ? "median_lacking_9" : radius == 2 ? "median_lacking_25" : "median_lacking_49")
                               : (radius == 1 ? "median_network_9" : radius == 2 ? "median_network_25" : "median_network_49"),
    .size = PIXEL_SIZE, .group = { 32, 1, 4 }, .cost = params->count / 4.0, .args = { PIXEL_ARGS }        /* reads of a pixel's four */
  });
}

/* A network, or a search for the rank. */
static gint
median_blur_device (TesseraBand *band)
{
  const MedianParams *params = band->request->params;
  const gint          radius = params->radius;
  const TesseraArg    half_widths = TABLE_ARG (params->half_widths, (radius + 1) * sizeof (gint));
  const TesseraArg    ranks = params->may_lack ? TABLE_ARG (params->ranks, (params->count + 1) * sizeof (gint)) : half_widths;
  TesseraMemory      *keys;
  Group               group;

  make_keys (band, &keys);
  if (median_has_network (params, params->may_lack))
    return sort_in_network (band, keys);
  if (coded_group (params, &group))
    return select_medians (band, group, keys, half_widths, ranks);
  return tessera_launch (band, &(TesseraLaunch) {
    .kernel = "median_search", .size = PIXEL_SIZE, .group = { 32, 1, radius > FINE_RADIUS ? 1 : 4 }, .cost = ROUNDS * params->count / 4.0,
    .args = { PIXEL_ARGS, ARG (radius), half_widths, ARG (params->rank), ARG (params->may_lack), ranks }
  });
}

/* A program of all kernels would take the compiler several times as long (measurements.md, what the engine's choices rest on). */
#define PART(part) \
  { .name = "median-blur", .source = tessera_median_blur_cl, .define = "MEDIAN_PART=" part, .area = blur_area, \
    .scratch_bytes = median_blur_scratch_bytes, .device = median_blur_device }

static const TesseraFilter by_network[] = { PART ("3"), PART ("5"), PART ("7") };       /* radius 1 to 3 */
static const TesseraFilter by_search = PART ("1"), of_square = PART ("2"), of_circle = PART ("4");

static const TesseraFilter *
filter_of (const MedianParams *params)
{
  Group group;

  if (median_has_network (params, params->may_lack))
    return &by_network[params->radius - 1];
  if (! coded_group (params, &group))
    return &by_search;
  return params->is_circle ? &of_circle : &of_square;
}

/* ------------------------------------------------------------- operation -- */

static TesseraHalo
find_halo (const GeglProperties *o)
{
  return (TesseraHalo) { o->radius, o->radius, o->radius, o->radius };
}

/* In the curve of the image: no curve changes an order, and the reader of the result wants the same. GEGL would convert on
 * one thread, which takes longer than the filter. */
static void
prepare (GeglOperation *operation)
{
  const Babl *seen = tessera_seen_format (operation), *space = gegl_operation_get_source_space (operation, "input");
  const Babl *format = seen ? seen : babl_format_with_space (tessera_input_is_light (operation) ? "RGBA float" : "R'G'B'A float", space);

  tessera_set_pads (operation, format, tessera_delivered_exactly (operation, format));
}

static gboolean
neutral (const GeglProperties *o)
{
  return o->radius == 0;
}

static gboolean
run (TesseraRequest *request, const GeglProperties *o)
{
  MedianParams         params = params_new (o, tessera_has_alpha (request));
  gboolean             success;

  request->filter = filter_of (&params);
  request->params = &params;
  request->has_slow_kernel = needs_search (&params);
  request->cost_class = params.radius + (median_has_network (&params, FALSE) ? 101 : 0) + (params.is_circle ? 128 : 0);       /* radii are up to 100 */
  success = tessera_process (request);
  g_free (params.half_widths);
  g_free (params.ranks);
  return success;
}

static void
gegl_op_class_init (GeglOpClass *klass)
{
  GEGL_OPERATION_CLASS (klass)->prepare = prepare;
  tessera_operation_describe (klass, &(TesseraOperationInfo) {
    .name = "tessera:median-blur", .title = _("Median Blur"), .categories = "blur",
    .description = _("Removes dust, scratches, speckles and noise and keeps edges (despeckle, denoise): each value becomes "
                     "the median, or another percentile, of those around it"),
    .reference = "T. S. Huang and others, A Fast Two-Dimensional Median Filtering Algorithm, "
                 "IEEE Trans. ASSP 27(1), 1979",
    .menu_path = "<Image>/Filters/Blur", .menu_label = _("Median Blur (Tessera)..."),
    .find_halo = find_halo, .neutral = neutral, .stays = TRUE, .run = run
  });
}

#endif
