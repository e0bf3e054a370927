/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:label: connected components of the foreground, value >= threshold; label = 1 to
 * count in raster order of each component's first pixel, components of fewer than min-area
 * pixels left out.
 *
 * A. Rosenfeld, J. L. Pfaltz, Sequential Operations in Digital Picture Processing, Journal
 * of the ACM 13, 1966; in C with runs (L. He, Y. Chao, K. Suzuki, A Run-Based Two-Scan
 * Labeling Algorithm, IEEE Transactions on Image Processing 17, 2008), on the device with
 * one tree over the pixels (opencl/kernels/label.cl).  Time is linear, without recursion.
 *
 * The value is alpha, or Y = (wR R + wG G) + wB B of linear light, in floats in this order.
 *
 * Deviations: labels above 2^24 are rounded to the nearest float in `index`; an image
 * without end, or of 2^31 pixels and more, has no components; `count` is a result, but it can be written, because
 * GEGL has no read-only properties.  It is that
 * of the last computation.
 *
 * NaN is background; +Inf is foreground; a pixel of alpha 0 is background.  Colours have the alpha of the input.
 */
#include "config.h"
#include <glib/gi18n-lib.h>

#ifdef GEGL_PROPERTIES

enum_start (tessera_label_source)
  enum_value (TESSERA_LABEL_LUMINANCE, "luminance", N_("Luminance"))
  enum_value (TESSERA_LABEL_ALPHA,     "alpha",     N_("Alpha"))
enum_end (TesseraLabelSource)

/* The values equal the names, because GIMP writes 8 into its presets and reads it as a number. */
enum_start (tessera_label_connectivity)
  enum_value_skip (TESSERA_LABEL_BEFORE_4 = 3)
  enum_value (TESSERA_LABEL_4, "4", N_("4 neighbors"))
  enum_value_skip (TESSERA_LABEL_BEFORE_8 = 7)
  enum_value (TESSERA_LABEL_8, "8", N_("8 neighbors"))
enum_end (TesseraLabelConnectivity)

enum_start (tessera_label_result)
  enum_value (TESSERA_LABEL_RESULT_COLORS, "colors", N_("Colors"))
  enum_value (TESSERA_LABEL_RESULT_INDEX,  "index",  N_("Index"))
  enum_value (TESSERA_LABEL_RESULT_MASK,   "mask",   N_("Mask"))
enum_end (TesseraLabelResult)

property_enum (source, _("Source"), TesseraLabelSource, tessera_label_source, TESSERA_LABEL_LUMINANCE)
    description (_("What is compared with the threshold: the luminance of linear light, or alpha"))

property_double (threshold, _("Threshold"), 0.5)
    description (_("Pixels of this value or more are foreground, in linear light, where middle gray is 0.2 and white 1; "
                   "0 leaves only negative values out"))
    value_range (-G_MAXFLOAT, G_MAXFLOAT)
    ui_slider   (0.0, 1.0, 2.0, 0.01, 0.1, 3)

property_enum (connectivity, _("Connectivity"), TesseraLabelConnectivity, tessera_label_connectivity,
               TESSERA_LABEL_8)
    description (_("Whether pixels that touch at a corner only belong together (8) or not (4)"))

property_int (min_area, _("Smallest area"), 1)
    description (_("Components of fewer pixels are left out; 1 keeps all"))
    value_range (1, G_MAXINT)
    ui_range    (1, 1000)
    ui_gamma    (3.0)
    ui_steps    (1, 10)
    ui_meta     ("unit", "pixels")

#define RESULT_PROPERTY(name) \
property_enum (name, _("Result"), TesseraLabelResult, tessera_label_result, TESSERA_LABEL_RESULT_COLORS) \
    description (_("A color for each label on black, the label as a number (for programs), or 1 on all " \
                   "that is kept and 0 elsewhere"))

RESULT_PROPERTY (result)

/* Alias of `result` for scripts.  GIMP's dialog hides a property named like a pad, and GIMP's scripts set every
 * property; so `output` wins only when it is not the default. */
RESULT_PROPERTY (output)
    ui_meta     ("visible", "0")

property_int (count, _("Count (result)"), 0)
    description (_("How many components there are, once the image has been processed"))
    value_range (0, G_MAXINT)
    ui_meta     ("sensitive", "0")

#else

#define GEGL_OP_NAME     tessera_label
#define GEGL_OP_C_SOURCE tessera-label.c

#include "tessera-op.h"
#include "dialog.h"
#include "label.h"
#include "../opencl/math/tessera-label.h"
#include "label.cl.h"

#include <math.h>

/* ---------------------------------------------------------------- device -- */

#define LEVELS  8               /* CHUNK^LEVELS is more than an int can hold */

/* Numbers, their sums by chunks, the sums of these, ... until they are one chunk: the begin and length of each level in
 * memory. */
typedef struct
{
  gint levels, begin[LEVELS], n[LEVELS], all;
} Pyramid;

static Pyramid
pyramid_of (gint pixels)
{
  Pyramid p = { 0 };

  for (gint n = pixels; p.levels == 0 || n > CHUNK; n = p.n[p.levels - 1])
    {
      p.begin[p.levels] = p.all;
      p.n[p.levels] = (n + CHUNK - 1) / CHUNK;
      p.all += p.n[p.levels++];
    }
  return p;
}

static gsize
label_scratch_bytes (const TesseraRequest *request, gint width, gint height)
{
  const gsize pixels = tessera_pixels_around (request, width, height);

  return (2 * pixels + pixels / (CHUNK - 1) + LEVELS) * sizeof (gint) + 256 * sizeof (gfloat);
}

/* Builds trees over the rows that have come, together with the rows above.  Price: 1.1 (as index, 24 Mpix; H200, 2026-11-22). */
static gint
label_arrived (TesseraBand *band, gint top, gint bottom)
{
  const Label  *label = band->request->params;
  const gint    width = band->input.width;
  const gsize   bytes = (gsize) width * band->input.height * sizeof (gint);

  if (top == 0)
    {
      tessera_scratch (band, bytes, label->labels);
      tessera_scratch (band, bytes, label->ranks);
    }
  tessera_launch (band, &(TesseraLaunch) {
    .kernel = "label_find", .size = { width, bottom - top }, .group = { SEGMENT, 4 },
    .args = { ARG (band->input.memory), ARG (width), ARG (top), ARG (bottom),
              FLOAT4_ARG (label->weights[0], label->weights[1], label->weights[2], 0.0f), ARG (label->by_alpha),
              ARG (label->threshold), ARG (*label->labels), ARG (*label->ranks) }
  });
  tessera_launch (band, &(TesseraLaunch) {
    .kernel = "label_join", .size = { width, bottom - top }, .group = { SEGMENT, 4 }, .cost = 8,
    .args = { ARG (*label->labels), ARG (*label->ranks), ARG (width), ARG (top), ARG (bottom), ARG (label->diagonals) }
  });
  return tessera_launch (band, &(TesseraLaunch) {
    .kernel = "label_shorten", .size = { width, bottom - top }, .group = { SEGMENT, 4 }, .cost = 8,
    .args = { ARG (*label->labels), ARG (width), ARG (top), ARG (bottom) }
  });
}

/* Roots are counted, or given their ranks. */
static gint
launch_roots (TesseraBand *band, gboolean ranks, const Pyramid *p, TesseraMemory *counts)
{
  const Label *label = band->request->params;
  const gint   pixels = band->input.width * band->input.height;

  return tessera_launch (band, &(TesseraLaunch) {
    .kernel = ranks ? "label_rank" : "label_count", .size = { p->n[0] }, .cost = 2 * CHUNK,
    .args = { ARG (*label->labels), ARG (*label->ranks), ARG (pixels), ARG (label->min_area), ARG (counts) }
  });
}

#define LEVEL(name, p, level) .kernel = name, .size = { ((p).n[level] + CHUNK - 1) / CHUNK }, .cost = CHUNK
#define LEVEL_ARGS(p, level)  ARG (counts), ARG ((p).begin[level]), ARG ((p).n[level])

/* Gives each pixel its root and each root its area; then ranks in place of areas, and the count. */
static gint
label_measure (TesseraBand *band, TesseraMemory *total)
{
  const Label   *label = band->request->params;
  const gint     width = band->input.width, height = band->input.height;
  const Pyramid  p = pyramid_of (width * height);
  TesseraMemory *counts;

  tessera_launch (band, &(TesseraLaunch) {
    .kernel = "label_flatten", .size = { width, height }, .group = { SEGMENT, 4 }, .cost = 8,
    .args = { ARG (*label->labels), ARG (*label->ranks), ARG (width), ARG (height) }
  });
  tessera_scratch (band, p.all * sizeof (gint), &counts);
  launch_roots (band, FALSE, &p, counts);
  for (gint level = 0; level + 1 < p.levels; level++)
    tessera_launch (band, &(TesseraLaunch) {
      LEVEL ("label_sum", p, level), .args = { LEVEL_ARGS (p, level), ARG (p.begin[level + 1]) } });
  for (gint level = p.levels - 1; level >= 0; level--)
    tessera_launch (band, &(TesseraLaunch) {
      LEVEL ("label_offsets", p, level),
      .args = { LEVEL_ARGS (p, level), ARG (level + 1 < p.levels ? p.begin[level + 1] : -1), ARG (total) } });
  return launch_roots (band, TRUE, &p, counts);
}

#define PIXELS(name) .kernel = name, .size = OUTPUT_SIZE (band), .group = { SEGMENT, 4 }, .cost = 2
#define PIXEL_ARGS   ARG (*label->labels), ARG (*label->ranks), ARG (band->input.width), ARG (band->roi.x - band->input.x), \
                     ARG (band->roi.y - band->input.y), OUTPUT_ARGS (band)
#define COLOR_ARGS   PIXEL_ARGS, ARG (band->input.memory), ARG (label->has_alpha)

static gint
label_device (TesseraBand *band)
{
  const Label *label = band->request->params;

  label_answer (band->request, *(const gint *) band->measured);
  if (label->result == LABEL_BYTES)
    return tessera_launch (band, &(TesseraLaunch) { PIXELS ("label_bytes"), .args = { COLOR_ARGS } });
  if (label->result == LABEL_COLORS)
    return tessera_launch (band, &(TesseraLaunch) {
      PIXELS ("label_colors"), .args = { COLOR_ARGS, ARG (label->is_associated), TABLE_ARG (label->values, 256 * sizeof (gfloat)) } });
  return tessera_launch (band, &(TesseraLaunch) { PIXELS ("label_values"), .args = { PIXEL_ARGS, ARG (label->result == LABEL_MASK) } });
}

static const TesseraFilter label_filter = {
  .name = "label", .source = tessera_label_cl, .spread = label_spread, .scratch_bytes = label_scratch_bytes,
  .arrived = label_arrived, .device = label_device, .measure = label_measure, .measure_bytes = sizeof (gint),
  .whole = TRUE
};

/* ------------------------------------------------------------- operation -- */

static gboolean
is_of_greys (const Babl *source)
{
  return source && babl_space_is_gray (babl_format_get_space (source));
}

/* Colours leave in 8 bits, or in floats like the input's.  Otherwise GEGL would convert them on one thread.  They are codes
 * of the image's curve. */
static const Babl *
colors_format (GeglOperation *operation)
{
  const Babl         *source = gegl_operation_get_source_format (operation, "input");
  const BablModelFlag flags = tessera_input_flags (operation);
  const gboolean      is_bytes = ! source || (babl_format_get_type (source, 0) == babl_type ("u8") && ! is_of_greys (source));

  return babl_format_with_space (is_bytes ? "R'G'B'A u8" : ! (flags & BABL_MODEL_FLAG_LINEAR) ? "R'G'B'A float"
                                 : flags & BABL_MODEL_FLAG_ASSOCIATED ? "RaGaBaA float" : "RGBA float", source);
}

static TesseraLabelResult
wanted_result (const GeglProperties *o)
{
  return o->output != TESSERA_LABEL_RESULT_COLORS ? o->output : o->result;
}

static const Babl *
result_format (GeglOperation *operation, const GeglProperties *o)
{
  return wanted_result (o) == TESSERA_LABEL_RESULT_COLORS ? colors_format (operation) : tessera_format (operation, "Y float");
}

static void
prepare (GeglOperation *operation)
{
  GeglProperties *o = GEGL_PROPERTIES (operation);
  GeglRectangle   bounds = tessera_bounds (operation, "input");
  const Babl     *result = result_format (operation, o);

  if (gegl_rectangle_is_empty (&bounds))
    o->count = 0;               /* GEGL does not ask for the pixels of an empty image */
  gegl_operation_set_format (operation, "input", tessera_format (operation, "RGBA float"));
  gegl_operation_set_format (operation, "output",
                             wanted_result (o) == TESSERA_LABEL_RESULT_COLORS
                             && is_of_greys (gegl_operation_get_source_format (operation, "input"))
                             ? tessera_delivered (operation, result, FALSE) : result);
}

/* The value of each of the 256 codes in a format of floats: by formula for sRGB's curve, by babl for others. babl
 * is asked once for each format, because it makes a table of 256 MiB for a conversion from 8 bits that is
 * used often. */
static gfloat *
make_values (const Babl *format)
{
  const Babl    *space = babl_format_get_space (format);
  const gboolean is_code = (babl_get_model_flags (format) & BABL_MODEL_FLAG_NONLINEAR) != 0;
  gfloat        *values = g_new (gfloat, 256);
  guint8         codes[256][4];
  gfloat         pixels[256][4];

  for (gint i = 0; i < 256; i++)
    for (gint k = 0; k < 4; k++)
      codes[i][k] = k < 3 ? i : 255;
  if (! is_code && space != babl_space ("sRGB"))
    babl_process (babl_fish (babl_format_with_space ("R'G'B'A u8", space), format), codes, pixels, 256);
  for (gint i = 0; i < 256; i++)
    values[i] = is_code ? (gfloat) (i / 255.0)
                : space == babl_space ("sRGB") ? (gfloat) tessera_linear (i / 255.0) : pixels[i][0];
  return values;
}

static const gfloat *
values_of (const Babl *format)
{
  static GMutex      lock;
  static GHashTable *known;             /* format -> gfloat[256], for good */

  gfloat *values;

  g_mutex_lock (&lock);
  known = known ? known : g_hash_table_new (NULL, NULL);
  values = g_hash_table_lookup (known, format);
  if (! values)
    g_hash_table_insert (known, (gpointer) format, values = make_values (format));
  g_mutex_unlock (&lock);
  return values;
}

static Label
label_params (const GeglProperties *o, const Babl *format)
{
  const TesseraLabelResult result = wanted_result (o);
  Label                    label = { .by_alpha = o->source == TESSERA_LABEL_ALPHA, .threshold = o->threshold,
                                     .diagonals = o->connectivity == TESSERA_LABEL_8, .min_area = o->min_area };

  tessera_luminance (format, label.weights);
  label.is_associated = (babl_get_model_flags (format) & BABL_MODEL_FLAG_ASSOCIATED) != 0;
  label.result = result == TESSERA_LABEL_RESULT_INDEX ? LABEL_INDEX
                 : result == TESSERA_LABEL_RESULT_MASK ? LABEL_MASK
                 : babl_format_get_type (format, 0) == babl_type ("u8") ? LABEL_BYTES : LABEL_COLORS;
  if (label.result == LABEL_COLORS)
    label.values = values_of (format);
  return label;
}

static gboolean
run (TesseraRequest *request, const GeglProperties *o)
{
  const Babl          *format = result_format (request->errand.operation, o);
  const GeglRectangle *roi = &request->roi, *bounds = &request->bounds;
  Label                label = label_params (o, format);
  TesseraMemory       *labels = NULL, *ranks = NULL;
  const gint           before = o->count;
  TesseraAnswer        answer = { NULL, 0 };
  gint                 count;
  gboolean             success;

  GEGL_PROPERTIES (request->errand.operation)->count = 0;
  if (tessera_is_endless (bounds))
    label.threshold = NAN;
  else
    request->halo = (TesseraHalo) { roi->x - bounds->x, roi->y - bounds->y,
                                    bounds->x + bounds->width - roi->x - roi->width,
                                    bounds->y + bounds->height - roi->y - roi->height };
  label.labels = &labels;
  label.ranks = &ranks;
  label.has_alpha = tessera_has_alpha (request);
  request->output_format = format;
  request->params = &label;
  request->answer = &answer;
  request->cost_class = label.result;
  success = tessera_process (request);
  count = success && answer.bytes > 0 ? *(const gint *) answer.data : 0;
  g_free (answer.data);
  GEGL_PROPERTIES (request->errand.operation)->count = count;           /* without a notification, which would invalidate the node */
  if (count != before)
    dialog_show (request->errand.operation, "count");
  return success;
}

static void
gegl_op_class_init (GeglOpClass *klass)
{
  GEGL_OPERATION_CLASS (klass)->prepare = prepare;
  tessera_operation_describe (klass, &(TesseraOperationInfo) {
    .name = "tessera:label", .title = _("Label Connected Components"), .categories = "generic",
    .description = _("Gives each separate bright part a color of its own and counts them: stars, cells, grains "
                     "(blobs, segmentation)"),
    .reference = "A. Rosenfeld, J. L. Pfaltz, Sequential Operations in Digital Picture Processing, "
                 "Journal of the ACM 13, 1966",
    .menu_path = "<Image>/Filters/Generic", .menu_label = _("Label Connected Components (Tessera)..."),
    .filter = &label_filter, .is_whole = TRUE, .run = run
  });
}

#endif
