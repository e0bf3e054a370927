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
    ui_meta     ("visible", "0")

#else

#define GEGL_OP_NAME     tessera_label
#define GEGL_OP_C_SOURCE tessera-label.c

#include "tessera-op.h"

#include "label.h"
#include "label.cl.h"

#include <math.h>

static const TesseraFilter label_filter = {
  .name = "label", .source = tessera_label_cl, .spread = label_spread, .scratch_bytes = label_scratch_bytes,
  .arrived = label_arrived, .device = label_device, .measure = label_measure, .measure_bytes = sizeof (gint),
  .whole = TRUE
};

/* ------------------------------------------------------------- operation -- */

/* Colours leave in 8 bits, or in floats like the input's.  Otherwise GEGL would convert them on one thread. */
static const Babl *
colors_format (GeglOperation *operation)
{
  const Babl         *source = gegl_operation_get_source_format (operation, "input");
  const BablModelFlag flags = tessera_input_flags (operation);

  return tessera_format (operation, ! source || babl_format_get_type (source, 0) == babl_type ("u8") ? "R'G'B'A u8"
                                    : ! (flags & BABL_MODEL_FLAG_LINEAR) ? "R'G'B'A float"
                                    : flags & BABL_MODEL_FLAG_ASSOCIATED ? "RaGaBaA float" : "RGBA float");
}

static TesseraLabelResult
wanted_result (const GeglProperties *o)
{
  return o->output != TESSERA_LABEL_RESULT_COLORS ? o->output : o->result;
}

static void
prepare (GeglOperation *operation)
{
  GeglProperties *o = GEGL_PROPERTIES (operation);
  GeglRectangle   bounds = tessera_bounds (operation, "input");

  if (gegl_rectangle_is_empty (&bounds))
    o->count = 0;               /* GEGL does not ask for the pixels of an empty image */
  gegl_operation_set_format (operation, "input", tessera_format (operation, "RGBA float"));
  gegl_operation_set_format (operation, "output",
                             wanted_result (o) == TESSERA_LABEL_RESULT_COLORS
                             ? colors_format (operation) : tessera_format (operation, "Y float"));
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
  const Babl          *format = gegl_operation_get_format (request->operation, "output");
  const GeglRectangle *roi = &request->roi, *bounds = &request->bounds;
  Label                label = label_params (o, format);
  TesseraMemory       *labels = NULL, *ranks = NULL;
  gint                 count = 0;
  gboolean             success;

  GEGL_PROPERTIES (request->operation)->count = 0;
  if (tessera_is_endless (bounds))
    label.threshold = NAN;
  else
    request->halo = (TesseraHalo) { roi->x - bounds->x, roi->y - bounds->y,
                                    bounds->x + bounds->width - roi->x - roi->width,
                                    bounds->y + bounds->height - roi->y - roi->height };
  label.count = &count;
  label.labels = &labels;
  label.ranks = &ranks;
  label.has_alpha = tessera_has_alpha (request);
  request->output_format = format;
  request->params = &label;
  request->cost_class = label.result;
  success = tessera_process (request);
  GEGL_PROPERTIES (request->operation)->count = count;           /* without a notification, which would invalidate the node */
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
