/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:convolution: any kernel of odd size,
 *
 *   out(x, y) = sum of w(i, j) in(x + i, y + j) / divisor + offset.
 *
 * Imagination Technologies, PowerVR: image convolution with work-groups in local memory,
 * a case study, 2015, and the tutorial on local memory, 2016.
 *
 * Alpha is copied, or it takes part like the colours.  Where it is copied and not 1 throughout the support, colours are
 * weighed by it: (sum of w a I) (sum of |w| / sum of |w| a) / divisor + offset, the offset alone where the last sum is 0.
 *
 * The divisor goes into the weights, in double; they are rounded once.  A kernel that is a
 * column times a row runs as two passes (separable.h).  For any other kernel, each row of the kernel is summed
 * first, then the rows.  A pixel that was read serves
 * several rows of results.
 *
 * Deviations: no pixels are staged in local memory; borders are extended, not skipped.
 *
 * NaN and Inf follow the arithmetic within the support; weights of 0 are left out.
 */
#include "config.h"
#include <glib/gi18n-lib.h>

#ifdef GEGL_PROPERTIES

enum_start (tessera_convolution_preset)
  enum_value (TESSERA_CONVOLUTION_CUSTOM,    "custom",    N_("Custom"))
  enum_value (TESSERA_CONVOLUTION_BOX,       "box",       N_("Box"))
  enum_value (TESSERA_CONVOLUTION_GAUSSIAN,  "gaussian",  N_("Gaussian"))
  enum_value (TESSERA_CONVOLUTION_SHARPEN,   "sharpen",   N_("Sharpen"))
  enum_value (TESSERA_CONVOLUTION_LAPLACIAN, "laplacian", N_("Laplacian"))
  enum_value (TESSERA_CONVOLUTION_EMBOSS,    "emboss",    N_("Emboss"))
  enum_value (TESSERA_CONVOLUTION_EDGE,      "edge",      N_("Edge"))
  enum_value (TESSERA_CONVOLUTION_MOTION,    "motion",    N_("Motion"))
enum_end (TesseraConvolutionPreset)

enum_start (tessera_convolution_channels)
  enum_value (TESSERA_CONVOLUTION_RGB,  "rgb",  N_("Colors"))
  enum_value (TESSERA_CONVOLUTION_RGBA, "rgba", N_("Colors and alpha"))
enum_end (TesseraConvolutionChannels)

property_enum (preset, _("Preset"), TesseraConvolutionPreset, tessera_convolution_preset,
               TESSERA_CONVOLUTION_CUSTOM)
    description (_("A kernel to use in place of the text; custom uses the text"))

property_string (kernel, _("Kernel"), "0 -1 0\n-1 5 -1\n0 -1 0")
    description (_("The weights: blanks or commas between numbers, a semicolon or a new line between rows; "
                   "odd numbers of rows and columns up to 63. The one in the middle is that of the pixel itself"))
    ui_meta     ("multiline", "true")
    ui_meta     ("visible", "preset {custom}")

property_double (divisor, _("Divisor"), 0.0)
    description (_("The sum is divided by this number; 0 stands for the sum of the weights, or for 1 "
                   "where that is 0"))
    value_range (-1e9, 1e9)
    ui_slider   (0.0, 100.0, 2.0, 1.0, 10.0, 3)

property_double (offset, _("Offset"), 0.0)
    description (_("Added to the result, where black to white is 1: 0 adds nothing, 0.5 puts edges on gray"))
    value_range (-1e9, 1e9)
    ui_slider   (-1.0, 1.0, 1.0, 0.01, 0.1, 3)

property_enum (border, _("Border"), TesseraBorder, tessera_border_or_crop, TESSERA_BORDER_CLAMP)
    description (_("What lies beyond the edge: the nearest pixel, nothing, the image again; or the "
                   "image is cropped to where no pixel beyond the edge is needed"))

property_enum (channels, _("Channels"), TesseraConvolutionChannels, tessera_convolution_channels,
               TESSERA_CONVOLUTION_RGB)
    description (_("Colors alone, alpha is kept; or colors and alpha together, as light and coverage"))

property_string (error, _("The kernel cannot be used"), "")
    description (_("What is wrong with the text of the kernel; the image is left as it is then. Set by the "
                   "operation"))
    ui_meta     ("error", "true")
    ui_meta     ("visible", "unusable")

property_boolean (unusable, _("The kernel cannot be used"), FALSE)
    description (_("Whether there is an error to show. Set by the operation"))
    ui_meta     ("visible", "0")

#else

#define GEGL_OP_NAME     tessera_convolution
#define GEGL_OP_C_SOURCE tessera-convolution.c

#include "tessera-op.h"
#include "convolution.h"
#include "convolution.cl.h"

#include <string.h>

/* ---------------------------------------------------------------- kernel -- */

/* By the enum's values; NULL: the property's text. */
static const gchar *const presets[] = {
  NULL,
  "1 1 1; 1 1 1; 1 1 1",
  "1 2 1; 2 4 2; 1 2 1",
  "0 -1 0; -1 5 -1; 0 -1 0",
  "0 1 0; 1 -4 1; 0 1 0",
  "-2 -1 0; -1 1 1; 0 1 2",
  "-1 -1 -1; -1 8 -1; -1 -1 -1",
  "1 0 0 0 0 0 0 0 0; 0 1 0 0 0 0 0 0 0; 0 0 1 0 0 0 0 0 0; 0 0 0 1 0 0 0 0 0; 0 0 0 0 1 0 0 0 0;"
  "0 0 0 0 0 1 0 0 0; 0 0 0 0 0 0 1 0 0; 0 0 0 0 0 0 0 1 0; 0 0 0 0 0 0 0 0 1"
};

#define TEXT "tessera-kernel"   /* The property's text once more, for threads that read it while another one sets it: GLib locks this. */

static gpointer
copy_text (gpointer text, gpointer data G_GNUC_UNUSED)
{
  return g_strdup (text);
}

/* NULL: the text is no kernel; *error, if asked for, says why. */
static ConvolutionKernel *
kernel_new (const GeglProperties *o, gchar **error)
{
  const gchar       *preset = (guint) o->preset < G_N_ELEMENTS (presets) ? presets[o->preset] : NULL;
  g_autofree gchar  *text = preset ? NULL : g_object_dup_data (o->user_data, TEXT, copy_text, NULL);
  ConvolutionKernel *kernel = g_new (ConvolutionKernel, 1);
  g_autofree gchar  *message = NULL;

  if (! convolution_kernel_parse (preset ? preset : text, kernel, &message))
    g_clear_pointer (&kernel, g_free);
  if (error)
    *error = g_steal_pointer (&message);
  return kernel;
}

/* ---------------------------------------------------------------- device -- */

/* Nothing is staged in local memory: no device that was measured gains by that (NVIDIA H200; PoCL on two cores; 2026-11).
 * `tools/case-study/case-study` compares such schedules on any device. */

static gsize
convolution_scratch_bytes (const TesseraRequest *request, gint width, gint height)
{
  const Convolution *convolution = request->params;

  return convolution->in_two_passes ? separable_scratch_bytes (&convolution->two_pass, width, height)
                                    : sizeof convolution->stepped;
}

/* Magnitudes of 0: no pixel is weighed. */
#define FINISH_ARGS(c) \
  FLOAT4_ARG ((c)->offset[0], (c)->offset[1], (c)->offset[2], (c)->offset[3]), ARG ((c)->copies_alpha), \
  ARG ((c)->is_weighed ? (c)->magnitudes : 0.0f)

static gint
convolution_device (TesseraBand *band)
{
  const Convolution *convolution = band->request->params;
  const TesseraHalo *halo = &band->request->halo;
  const gint         width = band->output.width, height = band->output.height;
  const gint         rows = convolution->rows + CONVOLUTION_STEP - 1, columns = convolution->columns;
  const SeparableKernels own = { convolution->is_weighed ? "convolution_rows" : NULL, "convolution_columns", NULL,
                                 { FINISH_ARGS (convolution) } };

  if (convolution->is_weighed && tessera_has_alpha (band->request))
    separable_weigh_band (band, band->input.memory);    /* what lies beyond the image is no light already */
  if (convolution->in_two_passes)
    return separable_device (band, band->input.memory, &convolution->two_pass, &own);
  return tessera_launch (band, &(TesseraLaunch) {
    .kernel = "convolution_direct",
    .size = { width, (height + CONVOLUTION_STEP - 1) / CONVOLUTION_STEP }, .group = { 128, 1 },
    .cost = (gdouble) CONVOLUTION_STEP * convolution->rows * columns,
    .args = { ARG (band->input.memory), ARG (band->input.stride), ARG (band->output.x - halo->left - band->input.x),
              ARG (band->output.y - halo->top - band->input.y), ARG (halo->top * band->input.stride + halo->left),
              OUTPUT_ARGS (band), TABLE_ARG (convolution->stepped, (gsize) rows * columns * CONVOLUTION_STEP * sizeof (gfloat)),
              ARG (rows), ARG (columns), FINISH_ARGS (convolution) }
  });
}

/* ------------------------------------------------------------- operation -- */

static const TesseraFilter convolution = {
  .name = "convolution", .source = tessera_convolution_cl, .area = convolution_area,
  .scratch_bytes = convolution_scratch_bytes, .device = convolution_device
};

/* Done when the property changes: notifying from `prepare` deadlocks. */
static void
kernel_set (GObject *object, GParamSpec *property, gpointer data G_GNUC_UNUSED)
{
  GeglProperties               *o = GEGL_PROPERTIES (object);
  g_autofree gchar             *error = NULL;
  g_autofree ConvolutionKernel *kernel = NULL;

  if (! property || strcmp (property->name, "kernel") == 0)
    g_object_set_data_full (object, TEXT, g_strdup (o->kernel), g_free);
  kernel = kernel_new (o, &error);
  if (o->unusable != ! kernel)
    g_object_set (object, "unusable", ! kernel, NULL);
  if (g_strcmp0 (o->error, error ? error : "") != 0)
    g_object_set (object, "error", error ? error : "", NULL);
}

static void
constructed (GObject *object)
{
  G_OBJECT_CLASS (gegl_op_parent_class)->constructed (object);
  GEGL_PROPERTIES (object)->user_data = object;
  kernel_set (object, NULL, NULL);
  g_signal_connect (object, "notify", G_CALLBACK (kernel_set), NULL);   /* an error too: that of a file may be stale */
}

/* Works on straight colours, or on premultiplied ones if alpha takes part.  The result leaves as the input is stored. */
static void
prepare (GeglOperation *operation)
{
  GeglProperties    *o = GEGL_PROPERTIES (operation);
  const Babl        *source = gegl_operation_get_source_format (operation, "input");
  const gchar       *working = o->channels == TESSERA_CONVOLUTION_RGBA ? "RaGaBaA float" : "RGBA float";
  g_autofree gchar  *error = NULL;
  g_autofree ConvolutionKernel *kernel = kernel_new (o, &error);
  const Babl        *input = ! kernel && source ? source : tessera_format (operation, working);

  tessera_set_pads (operation, input, kernel ? tessera_delivered (operation, input, TRUE) : input);
  if (! kernel)
    gegl_operation_set_format (operation, "output", input);     /* the input itself */
  if (error)
    tessera_say_once ("convolution: the kernel cannot be used, the image stays as it is: %s", error);
}

static TesseraHalo
halo_of (const ConvolutionKernel *kernel)
{
  const gint x = kernel ? kernel->columns / 2 : 0, y = kernel ? kernel->rows / 2 : 0;

  return (TesseraHalo) { x, y, x, y };
}

static TesseraHalo
find_halo (const GeglProperties *o)
{
  g_autofree ConvolutionKernel *kernel = kernel_new (o, NULL);

  return halo_of (kernel);
}

/* Without a kernel the input passes unchanged, in its own format. */
static gboolean
passes_through (GeglOperation *operation)
{
  g_autofree ConvolutionKernel *kernel = kernel_new (GEGL_PROPERTIES (operation), NULL);

  return ! kernel;
}

/* One weight, the middle one, that is 1, and nothing added. */
static gboolean
neutral (const GeglProperties *o)
{
  g_autofree ConvolutionKernel *kernel = kernel_new (o, NULL);
  gint                          n;

  if (! kernel || o->offset != 0.0 || (o->border == TESSERA_BORDER_CROP && kernel->rows * kernel->columns > 1))
    return FALSE;
  convolution_kernel_divide (kernel, o->divisor);
  n = kernel->rows * kernel->columns;
  for (gint i = 0; i < n; i++)
    if (kernel->weights[i] != (i == n / 2 ? 1.0 : 0.0))
      return FALSE;
  return TRUE;
}

static gboolean
run (TesseraRequest *request, const GeglProperties *o)
{
  g_autofree ConvolutionKernel *kernel = request->output ? kernel_new (o, NULL) : NULL;
  g_autofree Convolution       *params = g_new0 (Convolution, 1);

  if (! kernel)
    return TRUE;
  convolution_kernel_divide (kernel, o->divisor);
  convolution_prepare (params, kernel, o->offset, o->channels == TESSERA_CONVOLUTION_RGB,
                       tessera_has_alpha (request) || request->border == TESSERA_BORDER_NONE);
  request->params = params;
  request->halo = halo_of (kernel);     /* the text may be another one than when the request was made */
  request->cost_class = params->in_two_passes ? (kernel->rows + kernel->columns) / 2
                                              : 64 + MIN (191, kernel->rows * kernel->columns / 16);
  return tessera_process (request);
}

static void
gegl_op_class_init (GeglOpClass *klass)
{
  G_OBJECT_CLASS (klass)->constructed = constructed;
  GEGL_OPERATION_CLASS (klass)->prepare = prepare;
  tessera_operation_describe (klass, &(TesseraOperationInfo) {
    .name = "tessera:convolution", .title = _("Convolution with any Kernel"), .categories = "generic",
    .description = _("Sharpens, embosses, finds edges or blurs: each pixel becomes a weighted sum of those around it, "
                     "with a matrix of your own"),
    .reference = "Imagination Technologies, PowerVR image convolution case study, 2015",
    .menu_path = "<Image>/Filters/Generic", .menu_label = _("Convolution with any Kernel (Tessera)..."),
    .filter = &convolution, .find_halo = find_halo, .passes_through = passes_through, .neutral = neutral, .run = run
  });
}

#endif
