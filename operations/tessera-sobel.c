/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:sobel: the gradient gx = [1 2 1]^T [-1 0 1] / 8 * I, gy its transpose, as
 * sqrt (gx^2 + gy^2), atan2 (gy, gx), gx, gy or all four; a unit ramp has gradient 1.
 *
 * I. Sobel, G. Feldman, A 3x3 Isotropic Gradient Operator for Image Processing,
 * Stanford AI project, 1968; V. Oliveira, MSc thesis, 2013.
 *
 * I is the luminance (or each of R, G, B), behind the sRGB curve (`perceptual`) or in
 * linear light, times alpha: as it is seen on black.  Beyond the edge, the nearest pixel counts.
 * For eyes (`display`): gain times the size; 0.5 + gain times gx or gy; the angle in turns.
 *
 * Deviations: gegl:edge-sobel answers one pixel down-right, 8 times as large.
 *
 * NaN and Inf follow the arithmetic within 3x3.  A pixel of weight 0 does not reach a gradient.  The size of
 * (Inf, NaN) is NaN.
 */
#include "config.h"
#include <glib/gi18n-lib.h>

#ifdef GEGL_PROPERTIES

enum_start (tessera_sobel_result)
  enum_value (TESSERA_SOBEL_MAGNITUDE, "magnitude", N_("Magnitude"))
  enum_value (TESSERA_SOBEL_ANGLE,     "angle",     N_("Angle"))
  enum_value (TESSERA_SOBEL_X,         "x",         N_("Change to the right"))
  enum_value (TESSERA_SOBEL_Y,         "y",         N_("Change downwards"))
  enum_value (TESSERA_SOBEL_VECTOR,    "vector",    N_("Vector (raw, in four channels)"))
enum_end (TesseraSobelResult)

enum_start (tessera_sobel_channel)
  enum_value (TESSERA_SOBEL_LUMINANCE, "luminance", N_("Luminance"))
  enum_value (TESSERA_SOBEL_CHANNELS,  "channels",  N_("Red, green, blue"))
enum_end (TesseraSobelChannel)

enum_start (tessera_sobel_tone)
  enum_value (TESSERA_SOBEL_PERCEPTUAL, "perceptual", N_("Perceptual"))
  enum_value (TESSERA_SOBEL_LINEAR,     "linear",     N_("Linear light"))
enum_end (TesseraSobelTone)

#define RESULT_PROPERTY(name) \
property_enum (name, _("Result"), TesseraSobelResult, tessera_sobel_result, TESSERA_SOBEL_MAGNITUDE) \
    description (_("Magnitude, direction (clockwise from the right) or one component of the gradient; or the " \
                   "x, y, magnitude and angle (in radians) of the luminance as red, green, blue and alpha"))

RESULT_PROPERTY (result)

property_enum (input_channel, _("Input channel"), TesseraSobelChannel, tessera_sobel_channel,
               TESSERA_SOBEL_LUMINANCE)
    description (_("The gradient of the luminance, or of each of red, green and blue. What is transparent counts as black: "
                   "merge dark text on it with a white layer first"))
    ui_meta     ("sensitive", "! result {vector}")

property_enum (tone, _("Tone"), TesseraSobelTone, tessera_sobel_tone, TESSERA_SOBEL_PERCEPTUAL)
    description (_("Whether edges count as they are seen, also in the shadows, or by their light"))

property_boolean (display, _("Display"), TRUE)
    description (_("For eyes and 8 bits: 0.5 is added to x and y, the angle is in turns, 0 to 1; off: signed "
                   "numbers, radians, no curve bends them"))
    ui_meta     ("sensitive", "! result {vector}")

property_double (gain, _("Gain"), 4.0)
    description (_("How bright edges are shown for eyes: more brings out weak ones, 1 shows the numbers as they are, "
                   "0 shows none"))
    value_range (0.0, 100.0)
    ui_slider   (0.0, 20.0, 2.0, 0.1, 1.0, 2)
    ui_meta     ("sensitive", "display & ! result {vector, angle}")

/* Alias of `result` for scripts.  GIMP's dialog hides a property named like a pad, and GIMP's scripts set every
 * property; so `output` wins only when it is not the default. */
RESULT_PROPERTY (output)
    ui_meta     ("visible", "0")

#else

#define GEGL_OP_NAME     tessera_sobel
#define GEGL_OP_C_SOURCE tessera-sobel.c

#include "tessera-op.h"
#include "planes.h"

#include "../opencl/math/tessera-convert.h"
#include "../opencl/math/tessera-gradient.h"
#include "sobel.cl.h"

#define MOST_WIDTH 256          /* of a block; its halo is 2 */

typedef struct
{
  gboolean of_luminance, is_perceptual;
  gboolean is_encoded;          /* what is read lies behind the sRGB curve */
  gint     result, display;     /* GRADIENT_..., 0 or 1 */
  gfloat   gain;
  gfloat   weights[3];          /* luminance of linear R, G, B */
} Params;

/* For eyes, with the picture's alpha; else numbers. */
static gboolean
is_picture (const Params *params)
{
  return params->display && params->result != GRADIENT_VECTOR;
}

static gint
result_components (const Params *params)
{
  return params->of_luminance && params->result != GRADIENT_VECTOR && ! params->display ? 1 : 4;
}

/* --------------------------------------------------------------- C rows -- */

/* The plane whose gradient is taken, divided by 8. */
TESSERA_CLONES static void
take_luminance (const gfloat *restrict pixels, gint n, const Params *params, gfloat *restrict plane)
{
  const gfloat red = params->weights[0], green = params->weights[1], blue = params->weights[2];

  if (params->is_encoded)
    for (gint i = 0; i < n; i++)
      plane[i] = perceptual_luminance (pixels[4 * i], pixels[4 * i + 1], pixels[4 * i + 2], red, green, blue);
  else
    for (gint i = 0; i < n; i++)
      plane[i] = (red * pixels[4 * i] + green * pixels[4 * i + 1]) + blue * pixels[4 * i + 2];
  if (params->is_perceptual && ! params->is_encoded)
    for (gint i = 0; i < n; i++)
      plane[i] = gradient_seen (perceptual_from_linear (plane[i]), pixels[4 * i + 3]);
  else
    for (gint i = 0; i < n; i++)
      plane[i] = gradient_seen (plane[i], pixels[4 * i + 3]);
}

TESSERA_CLONES static void
take_channels (const gfloat *restrict pixels, gint n, gfloat *restrict planes)
{
  gfloat *restrict green = planes + n;
  gfloat *restrict blue = green + n;

  for (gint i = 0; i < n; i++)
    {
      planes[i] = gradient_seen (pixels[4 * i], pixels[4 * i + 3]);
      green[i] = gradient_seen (pixels[4 * i + 1], pixels[4 * i + 3]);
      blue[i] = gradient_seen (pixels[4 * i + 2], pixels[4 * i + 3]);
    }
}

TESSERA_CLONES static void
gradient_row (const gfloat *restrict above, gint stride, gfloat *restrict gx, gfloat *restrict gy, gint n)
{
  const gfloat *restrict here = above + stride;
  const gfloat *restrict below = here + stride;

  for (gint i = 0; i < n; i++)
    {
      gx[i] = gradient_across (above[i], here[i], below[i], above[i + 2], here[i + 2], below[i + 2]);
      gy[i] = gradient_across (above[i], above[i + 1], above[i + 2], below[i], below[i + 1], below[i + 2]);
    }
}

TESSERA_CLONES static void
size_row (const gfloat *restrict gx, const gfloat *restrict gy, gint display, gfloat gain, gfloat *restrict out, gint n)
{
  for (gint i = 0; i < n; i++)
    out[i] = gradient_strength (gradient_size (gx[i], gy[i]), display, gain);
}

TESSERA_CLONES static void
angle_row (const gfloat *restrict gx, const gfloat *restrict gy, gint display, gfloat *restrict out, gint n)
{
  for (gint i = 0; i < n; i++)
    out[i] = gradient_angle (gx[i], gy[i]);
  for (gint i = 0; display && i < n; i++)
    out[i] = gradient_turn (out[i]);
}

/* One row of one plane as `params` wants it. */
static void
shown_row (const gfloat *above, gint stride, const Params *params, gfloat *out, gint n)
{
  gfloat gx[MOST_WIDTH], gy[MOST_WIDTH];

  gradient_row (above, stride, gx, gy, n);
  if (params->result == GRADIENT_MAGNITUDE)
    size_row (gx, gy, params->display, params->gain, out, n);
  else if (params->result == GRADIENT_ANGLE)
    angle_row (gx, gy, params->display, out, n);
  else
    for (gint i = 0; i < n; i++)
      out[i] = gradient_component (params->result == GRADIENT_X ? gx[i] : gy[i], params->display, params->gain);
}

/* A row of four components; `pixels` holds the alpha that is copied. */
TESSERA_CLONES static void
four_row (const gfloat *planes, gsize plane, gint stride, const gfloat *pixels, const Params *params,
          gfloat *out, gint n)
{
  const gboolean is_grey = params->of_luminance && params->result != GRADIENT_VECTOR;
  gfloat         rows[4][MOST_WIDTH];

  if (params->result == GRADIENT_VECTOR)
    {
      gradient_row (planes, stride, rows[0], rows[1], n);
      size_row (rows[0], rows[1], FALSE, 1.0f, rows[2], n);
      angle_row (rows[0], rows[1], FALSE, rows[3], n);
    }
  else
    {
      for (gint c = 0; c < (is_grey ? 1 : 3); c++)
        shown_row (planes + c * plane, stride, params, rows[c], n);
      for (gint i = 0; i < n; i++)
        rows[3][i] = pixels[4 * i + 3];
    }
  planes_put_together (rows[0], rows[is_grey ? 0 : 1], rows[is_grey ? 0 : 2], rows[3], n, out);
}

static void
sobel_block (const TesseraRequest *request, const TesseraBlock *block)
{
  const Params *params = request->params;
  const gint    width = block->roi.width, stride = width + 2;
  const gsize   n = (gsize) stride * (block->roi.height + 2);
  tessera_autoscratch gfloat *planes = gegl_scratch_new (gfloat, (params->of_luminance ? 1 : 3) * n);

  if (params->of_luminance)
    take_luminance (block->in, n, params, planes);
  else
    take_channels (block->in, n, planes);
  for (gint y = 0; y < block->roi.height; y++)
    {
      const gfloat *above = planes + (gsize) y * stride;
      gfloat       *out = block->out + y * block->out_stride;

      if (result_components (params) == 1)
        shown_row (above, stride, params, out, width);
      else
        four_row (above, n, stride, block->in + (y + 1) * block->in_stride + 4, params, out, width);
    }
}

/* ---------------------------------------------------------------- device -- */

static gsize
sobel_scratch_bytes (const TesseraRequest *request, gint width, gint height)
{
  const Params *params = request->params;

  return params->of_luminance ? tessera_pixels_around (request, width, height) * sizeof (gfloat) : 0;
}

static gint
sobel_device (TesseraBand *band)
{
  const Params  *params = band->request->params;
  TesseraImage  *input = &band->input, *output = &band->output;
  TesseraMemory *luminance;

  if (! params->of_luminance)
    return tessera_launch (band, &(TesseraLaunch) {
      .kernel = "sobel_channels", .size = OUTPUT_SIZE (band), .cost = 9,
      .args = { ARG (input->memory), ARG (input->stride), OUTPUT_ARGS (band), ARG (params->result), ARG (params->display),
                ARG (params->gain) }
    });
  tessera_scratch (band, (gsize) input->width * input->height * sizeof (gfloat), &luminance);
  tessera_launch (band, &(TesseraLaunch) {
    .kernel = "sobel_luminance", .size = { input->width, input->height }, .cost = 1,
    .args = { ARG (input->memory), ARG (input->stride), ARG (luminance), ARG (input->width), ARG (input->height),
              FLOAT4_ARG (params->weights[0], params->weights[1], params->weights[2], 0.0f), ARG (params->is_perceptual),
              ARG (params->is_encoded) }
  });
  return tessera_launch (band, &(TesseraLaunch) {
    .kernel = "sobel_grey", .size = OUTPUT_SIZE (band), .cost = 9,
    .args = { ARG (luminance), ARG (input->width), ARG (input->memory), ARG (input->stride), OUTPUT_ARGS (band),
              ARG (params->result), ARG (params->display), ARG (params->gain), ARG (output->components) }
  });
}

static const TesseraFilter sobel = {
  .name = "sobel", .source = tessera_sobel_cl, .block = sobel_block, .scratch_bytes = sobel_scratch_bytes,
  .device = sobel_device
};

/* ------------------------------------------------------------- operation -- */

static Params
params_new (const GeglProperties *o)
{
  const TesseraSobelResult result = o->output != TESSERA_SOBEL_MAGNITUDE ? o->output : o->result;

  return (Params) {
    .of_luminance = o->input_channel == TESSERA_SOBEL_LUMINANCE || result == TESSERA_SOBEL_VECTOR,
    .is_perceptual = o->tone == TESSERA_SOBEL_PERCEPTUAL,
    .result = result,
    .display = o->display,
    .gain = (gfloat) o->gain
  };
}

/* Of a picture, as the tone counts it; numbers are linear, and four of them are no grey. */
static const Babl *
output_format (GeglOperation *operation, const Params *params)
{
  const Babl *space = gegl_operation_get_source_space (operation, "input");

  if (params->result == GRADIENT_VECTOR && space && babl_space_is_gray (space))
    return babl_format ("RGBA float");
  return tessera_format (operation, result_components (params) == 1 ? "Y float"
                                    : is_picture (params) && params->is_perceptual ? "R'G'B'A float" : "RGBA float");
}

/* The luminance as it is seen comes of light, but that of a grey picture, and of floats, is not sent there first. */
static const Babl *
input_format (GeglOperation *operation, const Params *params)
{
  const Babl *source = gegl_operation_get_source_format (operation, "input");
  const Babl *seen = params->of_luminance && params->is_perceptual ? tessera_seen_format (operation) : NULL;

  if (seen && ! (tessera_input_flags (operation) & BABL_MODEL_FLAG_GRAY) && babl_format_get_type (source, 0) != babl_type ("float"))
    seen = NULL;
  return seen ? seen : tessera_format (operation, ! params->of_luminance && params->is_perceptual ? "R'G'B'A float" : "RGBA float");
}

static void
prepare (GeglOperation *operation)
{
  const Params params = params_new (GEGL_PROPERTIES (operation));
  const Babl  *result = output_format (operation, &params), *space = babl_format_get_space (result);

  tessera_set_pads (operation, input_format (operation, &params),
                    is_picture (&params) ? tessera_delivered (operation, result, TRUE)
                    : result_components (&params) == 4 && babl_space_is_gray (space) ? tessera_delivered_exactly (operation, result) : result);
}

static gboolean
run (TesseraRequest *request, const GeglProperties *o)
{
  Params params = params_new (o);

  params.is_encoded = (babl_get_model_flags (request->input_format) & BABL_MODEL_FLAG_LINEAR) == 0;
  tessera_luminance (request->input_format, params.weights);
  request->output_format = output_format (request->errand.operation, &params);
  request->params = &params;
  request->cost_class = 5 * params.of_luminance + params.result;
  return tessera_process (request);
}

static void
gegl_op_class_init (GeglOpClass *klass)
{
  GEGL_OPERATION_CLASS (klass)->prepare = prepare;
  tessera_operation_describe (klass, &(TesseraOperationInfo) {
    .name = "tessera:sobel", .title = _("Sobel Gradient"), .categories = "edge-detect",
    .description = _("Finds edges and outlines (edge detection): how much, and in which direction, "
                      "brightness or each color changes"),
    .reference = "I. Sobel, G. Feldman, A 3x3 Isotropic Gradient Operator for Image Processing, 1968",
    .menu_path = "<Image>/Filters/Edge-Detect", .menu_label = _("Sobel Gradient (Tessera)..."),
    .filter = &sobel, .halo = { 1, 1, 1, 1 }, .stays = TRUE, .run = run
  });
}

#endif
