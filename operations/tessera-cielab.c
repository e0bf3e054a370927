/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:cielab: sRGB to CIELAB and back.  L = 116 f(Y/Yn) - 16,
 * a = 500 (f(X/Xn) - f(Y/Yn)), b = 200 (f(Y/Yn) - f(Z/Zn)); f(t) is the cube root of t,
 * (841/108) t + 4/29 for t up to 216/24389; X, Y, Z a matrix times linear R, G, B.
 *
 * CIE 15, Colorimetry; IEC 61966-2-1 (sRGB); V. Oliveira, MSc thesis, 2013, chapter 4.1.
 *
 * The matrix of D65 follows in double from sRGB's primaries and the white 95.047, 100,
 * 108.883; that of D50 is the sRGB profile's, adapted (Bradford): what ICC software and
 * babl call CIE Lab.  Colours are read, and made, in sRGB's space, whatever the image's;
 * the numbers L, a, b are in the image's space, where they stay the numbers they are.
 *
 * Deviations: the thesis prints 100.883 for Zn (its code has 108.883); nothing is clipped,
 * the straight parts of both curves go on below 0.  Linear light is read as it is.
 *
 * NaN and Inf follow the arithmetic of their pixel; alpha is copied.
 */
#include "config.h"
#include <glib/gi18n-lib.h>

#ifdef GEGL_PROPERTIES

enum_start (tessera_cielab_direction)
  enum_value (TESSERA_CIELAB_FORWARD, "forward", N_("Colors to L, a, b"))
  enum_value (TESSERA_CIELAB_INVERSE, "inverse", N_("L, a, b to colors"))
enum_end (TesseraCielabDirection)

enum_start (tessera_cielab_white)
  enum_value (TESSERA_CIELAB_D65, "D65", N_("D65 (daylight, of the screen)"))
  enum_value (TESSERA_CIELAB_D50, "D50", N_("D50 (print, ICC profiles)"))
enum_end (TesseraCielabWhite)

enum_start (tessera_cielab_encoding)
  enum_value (TESSERA_CIELAB_RAW,     "raw",     N_("Raw numbers"))
  enum_value (TESSERA_CIELAB_DISPLAY, "display", N_("Display, 0 to 1"))
enum_end (TesseraCielabEncoding)

property_enum (direction, _("Direction"), TesseraCielabDirection, tessera_cielab_direction,
               TESSERA_CIELAB_FORWARD)
    description (_("From colors to L, a, b in place of red, green, blue, or back"))

property_enum (white, _("White"), TesseraCielabWhite, tessera_cielab_white, TESSERA_CIELAB_D65)
    description (_("The white that has L = 100, a = b = 0: D65, or D50 as in ICC profiles"))

property_enum (encoding, _("Encoding"), TesseraCielabEncoding, tessera_cielab_encoding,
               TESSERA_CIELAB_DISPLAY)
    description (_("How L, a, b are stored: as L/100, (a + 128)/255, (b + 128)/255, which any image can show and "
                   "hold, or as raw numbers (L 0 to 100; needs a float image)"))

#else

#define GEGL_OP_NAME     tessera_cielab
#define GEGL_OP_C_SOURCE tessera-cielab.c

#include "tessera-op.h"
#include "planes.h"

#include "../opencl/math/tessera-convert.h"
#include "../opencl/math/tessera-lab.h"
#include "cielab.cl.h"

#define RUN 256        /* pixels taken apart into planes at a time */

/* rows[i]: the weights of the first and last component in a row of matrix / white, or of
 * its inverse; that of green, or of Y, is 1 less these.  scales: of g(Y), g(X) - g(Y),
 * g(Y) - g(Z) in the encoding's numbers, or from them; offset: of a, b there. */
typedef struct
{
  gfloat   rows[3][2];
  gfloat   scales[3];
  gfloat   offset;
  gboolean is_inverse, is_linear;       /* is_linear: its colours are linear light, no curve comes before or after */
  gboolean is_grey;                     /* L stands in place of a and b too, and is read alone */
} Lab;

/* --------------------------------------------------------------- matrices -- */

static void
invert (gdouble m[3][3], gdouble inverse[3][3])
{
  gdouble determinant = 0.0;

  for (gint i = 0; i < 3; i++)
    for (gint j = 0; j < 3; j++)
      {
        gint r = (j + 1) % 3, s = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;

        inverse[i][j] = m[r][c] * m[s][d] - m[r][d] * m[s][c];
      }
  for (gint j = 0; j < 3; j++)
    determinant += m[0][j] * inverse[j][0];
  for (gint i = 0; i < 3; i++)
    for (gint j = 0; j < 3; j++)
      inverse[i][j] /= determinant;
}

/* Linear R, G, B to X/Xn, Y/Yn, Z/Zn.  The columns of D65's are the primaries, scaled so
 * that they add up to the white. */
static void
make_matrix (TesseraCielabWhite white, gdouble matrix[3][3])
{
  static const gdouble primaries[3][2] = { { 0.64, 0.33 }, { 0.30, 0.60 }, { 0.15, 0.06 } };
  static const gdouble daylight[3] = { 0.95047, 1.0, 1.08883 };
  static const gdouble profile_white[3] = { 0.96420288, 1.0, 0.82490540 };
  static const gdouble profile[3][3] = { { 0.43603516, 0.38511658, 0.14305115 },
                                         { 0.22248840, 0.71690369, 0.06060791 },
                                         { 0.01391602, 0.09706116, 0.71392822 } };
  gdouble              columns[3][3], inverse[3][3];

  for (gint c = 0; c < 3; c++)
    {
      columns[0][c] = primaries[c][0] / primaries[c][1];
      columns[1][c] = 1.0;
      columns[2][c] = (1.0 - primaries[c][0] - primaries[c][1]) / primaries[c][1];
    }
  invert (columns, inverse);
  for (gint c = 0; c < 3; c++)
    {
      gdouble luminance = inverse[c][0] * daylight[0] + inverse[c][1] * daylight[1]
                          + inverse[c][2] * daylight[2];

      for (gint r = 0; r < 3; r++)
        matrix[r][c] = white == TESSERA_CIELAB_D50 ? profile[r][c] / profile_white[r]
                                                   : columns[r][c] * luminance / daylight[r];
    }
}

static Lab
lab_new (const GeglProperties *o)
{
  static const gdouble factors[3] = { 116.0, 500.0, 200.0 };
  const gboolean       is_display = o->encoding == TESSERA_CIELAB_DISPLAY;
  Lab                  lab = { .is_inverse = o->direction == TESSERA_CIELAB_INVERSE };
  gdouble              matrix[3][3], inverse[3][3];

  make_matrix (o->white, matrix);
  invert (matrix, inverse);
  for (gint i = 0; i < 3; i++)
    {
      const gdouble scale = factors[i] / (is_display ? i == 0 ? 100.0 : 255.0 : 1.0);

      lab.rows[i][0] = lab.is_inverse ? inverse[i][0] : matrix[i][0];
      lab.rows[i][1] = lab.is_inverse ? inverse[i][2] : matrix[i][2];
      lab.scales[i] = lab.is_inverse ? 1.0 / scale : scale;
    }
  lab.offset = is_display ? 128.0 / 255.0 : 0.0;
  return lab;
}

/* --------------------------------------------------------------- C rows -- */

TESSERA_CLONES static void
forward_run (const Lab *lab, gfloat *pixels, gint n)
{
  const gfloat (*rows)[2] = lab->rows;
  gfloat p[4][RUN];

  planes_take_apart (pixels, n, p[0], p[1], p[2], p[3]);
  for (gint c = 0; c < 3 && ! lab->is_linear; c++)
    for (gint i = 0; i < n; i++)
      p[c][i] = linear_from_perceptual (p[c][i]);
  for (gint i = 0; i < n; i++)
    {
      gfloat r = p[0][i], g = p[1][i], b = p[2][i];
      gfloat x = lab_curve (lab_positive_mixed (g, r, b, rows[0][0], rows[0][1]));
      gfloat y = lab_curve (lab_positive_mixed (g, r, b, rows[1][0], rows[1][1]));
      gfloat z = lab_curve (lab_positive_mixed (g, r, b, rows[2][0], rows[2][1]));

      p[0][i] = lab->scales[0] * y;
      p[1][i] = lab->scales[1] * (x - y) + lab->offset;
      p[2][i] = lab->scales[2] * (y - z) + lab->offset;
    }
  if (lab->is_grey)
    planes_put_together (p[0], p[0], p[0], p[3], n, pixels);
  else
    planes_put_together (p[0], p[1], p[2], p[3], n, pixels);
}

TESSERA_CLONES static void
inverse_run (const Lab *lab, gfloat *pixels, gint n)
{
  const gfloat (*rows)[2] = lab->rows;
  gfloat p[4][RUN];

  planes_take_apart (pixels, n, p[0], p[1], p[2], p[3]);
  for (gint i = 0; i < n && lab->is_grey; i++)
    p[1][i] = p[2][i] = lab->offset;
  for (gint i = 0; i < n; i++)
    {
      gfloat g = p[0][i] * lab->scales[0];
      gfloat x = lab_curve_inverse (g + (p[1][i] - lab->offset) * lab->scales[1]);
      gfloat y = lab_curve_inverse (g);
      gfloat z = lab_curve_inverse (g - (p[2][i] - lab->offset) * lab->scales[2]);

      p[0][i] = lab_mixed (y, x, z, rows[0][0], rows[0][1]);
      p[1][i] = lab_mixed (y, x, z, rows[1][0], rows[1][1]);
      p[2][i] = lab_mixed (y, x, z, rows[2][0], rows[2][1]);
    }
  for (gint c = 0; c < 3 && ! lab->is_linear; c++)
    for (gint i = 0; i < n; i++)
      p[c][i] = perceptual_from_linear (p[c][i]);
  planes_put_together (p[0], p[1], p[2], p[3], n, pixels);
}

/* There is no halo: pixels are converted in place, in `in`. */
static void
convert_block (const TesseraRequest *request, const TesseraBlock *block)
{
  const Lab  *lab = request->params;
  const gsize n = (gsize) block->roi.width * block->roi.height;

  for (gsize first = 0; first < n; first += RUN)
    (lab->is_inverse ? inverse_run : forward_run) (lab, block->out + 4 * first, MIN (RUN, n - first));
}

/* ---------------------------------------------------------------- device -- */

static gint
cielab_device (TesseraBand *band)
{
  const Lab *lab = band->request->params;

  return tessera_launch (band, &(TesseraLaunch) {
    .kernel = lab->is_inverse ? "cielab_inverse" : "cielab_forward", .size = OUTPUT_SIZE (band), .cost = 2,
    .args = { INPUT_ARGS (band), OUTPUT_ARGS (band),
              FLOAT4_ARG (lab->rows[0][0], lab->rows[1][0], lab->rows[2][0], lab->is_linear),
              FLOAT4_ARG (lab->rows[0][1], lab->rows[1][1], lab->rows[2][1], lab->is_grey),
              FLOAT4_ARG (lab->scales[0], lab->scales[1], lab->scales[2], lab->offset) }
  });
}

static const TesseraFilter cielab = {
  .name = "cielab", .source = tessera_cielab_cl, .block = convert_block, .device = cielab_device
};

/* ------------------------------------------------------------- operation -- */

/* A space of greys has no room for a and b. */
static gboolean
is_of_greys (GeglOperation *operation)
{
  const Babl *space = gegl_operation_get_source_space (operation, "input");

  return space && babl_space_is_gray (space);
}

/* Of sRGB's colours.  Where the input is linear light, they are: no curve has to be undone. */
static const Babl *
colour_format (GeglOperation *operation)
{
  if (is_of_greys (operation))
    return tessera_format (operation, "RGBA float");
  return babl_format (tessera_input_is_light (operation) ? "RGBA float" : "R'G'B'A float");
}

/* Of L, a, b. */
static const Babl *
number_format (GeglOperation *operation, const GeglProperties *o)
{
  return tessera_format (operation, o->encoding == TESSERA_CIELAB_DISPLAY ? "R'G'B'A float" : "RGBA float");
}

/* Pictures leave as the input is stored, but never as grey, which has no room for a and b; raw numbers stay linear.  In a
 * space of greys L goes alone. */
static void
prepare (GeglOperation *operation)
{
  const GeglProperties *o = GEGL_PROPERTIES (operation);
  const Babl           *colours = colour_format (operation), *numbers = number_format (operation, o);

  if (o->direction == TESSERA_CIELAB_INVERSE)
    tessera_set_pads (operation, numbers, tessera_delivered (operation, colours, FALSE));
  else
    tessera_set_pads (operation, colours, o->encoding == TESSERA_CIELAB_RAW && ! is_of_greys (operation) ? numbers : tessera_delivered (operation, numbers, FALSE));
}

static gboolean
run (TesseraRequest *request, const GeglProperties *o)
{
  const Babl *colours = colour_format (request->errand.operation);
  Lab         lab = lab_new (o);

  lab.is_linear = ! (babl_get_model_flags (colours) & BABL_MODEL_FLAG_NONLINEAR);
  lab.is_grey = is_of_greys (request->errand.operation);
  request->output_format = lab.is_inverse ? colours : number_format (request->errand.operation, o);
  request->params = &lab;
  request->cost_class = lab.is_inverse + 2 * lab.is_linear;
  return tessera_process (request);
}

static void
gegl_op_class_init (GeglOpClass *klass)
{
  GEGL_OPERATION_CLASS (klass)->prepare = prepare;
  tessera_operation_describe (klass, &(TesseraOperationInfo) {
    .name = "tessera:cielab", .title = _("CIELAB"), .categories = "color",
    .description = _("Colors as lightness L and the color axes a (green to red) and b (blue to yellow), "
                     "and back: Lab color space"),
    .reference = "CIE 15, Colorimetry; V. Oliveira, MSc thesis, 2013, chapter 4.1",
    .menu_path = "<Image>/Colors", .menu_label = _("CIELAB (Tessera)..."),
    .filter = &cielab, .stays = TRUE, .run = run
  });
}

#endif
