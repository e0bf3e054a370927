/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Formats by the formula, in double: the reference's input and the results as they leave. */
#include "check.h"

#include "references/srgb.h"

#include <gegl-plugin.h>

/* Formats in sRGB's space are converted by the engine itself on both paths, and here by the formula: IEC 61966-2-1, continued linearly below 0, and alpha taken
 * for 1/65536 where it is less. */
static gdouble
alpha_of (const gdouble *pixel)
{
  return fabs (pixel[3]) <= 1.0 / 65536 ? 1.0 / 65536 : pixel[3];
}

static gboolean
is_linear_space (const Babl *space)
{
  return space == babl_space (CHECK_LINEAR_SPACE);
}

gboolean
check_is_curved (const Babl *format)
{
  const BablModelFlag flags = babl_get_model_flags (format);

  return (flags & BABL_MODEL_FLAG_PERCEPTUAL)
         || ((flags & BABL_MODEL_FLAG_NONLINEAR) && ! is_linear_space (babl_format_get_space (format)));
}

/* Behind one curve.  ' and ~ are the same in sRGB. */
static gboolean
is_of_one_curve (const Babl *a, const Babl *b)
{
  const BablModelFlag curves = BABL_MODEL_FLAG_NONLINEAR | BABL_MODEL_FLAG_PERCEPTUAL;

  if (babl_format_get_space (a) == babl_space ("sRGB") || ! check_is_curved (a) || ! check_is_curved (b))
    return check_is_curved (a) == check_is_curved (b);
  return (babl_get_model_flags (a) & curves) == (babl_get_model_flags (b) & curves);
}

/* Behind a curve of the space's own, which is neither linear nor sRGB's. */
static gboolean
is_of_another_curve (const Babl *format)
{
  return babl_get_model_flags (format) & BABL_MODEL_FLAG_NONLINEAR && check_is_curved (format)
         && babl_format_get_space (format) != babl_space ("sRGB");
}

/* Light and sRGB's curve everywhere, another curve if it stays. */
static gboolean
is_known (const Babl *a, const Babl *b)
{
  return babl_format_get_space (a) == babl_format_get_space (b)
         && (is_of_one_curve (a, b) || ! (is_of_another_curve (a) || is_of_another_curve (b)));
}

gboolean
check_is_own_conversion (const CheckSource *source, const Babl *working)
{
  return source->format != working && is_known (source->format, working);
}

gboolean
check_is_exact (const Babl *stored, const Babl *working)
{
  const BablModelFlag changed = babl_get_model_flags (stored) ^ babl_get_model_flags (working);

  return babl_format_get_type (stored, 0) == babl_type ("float") && ! (changed & BABL_MODEL_FLAG_ASSOCIATED)
         && is_known (stored, working) && is_of_one_curve (stored, working);
}

/* A pixel of four components of one model as another has it.  Straight colour of alpha 0 is none, so it makes no light. */
static void
convert_by_formula (const Babl *stored, const Babl *wanted, gdouble *pixel)
{
  const BablModelFlag from = babl_get_model_flags (stored), to = babl_get_model_flags (wanted);
  const gboolean curve = ! is_of_one_curve (stored, wanted);
  const gboolean straightens = (from & BABL_MODEL_FLAG_ASSOCIATED) && (curve || ! (to & BABL_MODEL_FLAG_ASSOCIATED));
  const gboolean premultiplies = (to & BABL_MODEL_FLAG_ASSOCIATED) && (curve || ! (from & BABL_MODEL_FLAG_ASSOCIATED));

  if (premultiplies && pixel[3] == 0)
    pixel[0] = pixel[1] = pixel[2] = 0;
  for (gint k = 0; k < 3; k++)
    {
      if (straightens)
        pixel[k] /= alpha_of (pixel);
      if (curve && ! check_is_curved (wanted))
        pixel[k] = srgb_to_linear (pixel[k]);
      if (fabs (pixel[k]) > G_MAXFLOAT)
        pixel[k] = copysign (INFINITY, pixel[k]);       /* straight light is a float */
      if (curve && check_is_curved (wanted))
        pixel[k] = linear_to_srgb (pixel[k]);
      if (premultiplies && pixel[3] != 0)
        pixel[k] *= alpha_of (pixel);
      pixel[k] = (gfloat) pixel[k];
    }
}

static gdouble
half_value (guint16 code)
{
  const gint    exponent = (code >> 10) & 31, digits = code & 1023;
  const gdouble size = exponent == 0 ? ldexp (digits, -24)
                       : exponent < 31 ? ldexp (digits + 1024, exponent - 25) : digits ? NAN : INFINITY;

  return code & 0x8000 ? -size : size;
}

/* A component of the source as it was stored. */
static gdouble
component_at (const CheckSource *source, gsize index)
{
  const Babl   *type = babl_format_get_type (source->format, 0);
  const guint8 *raw = source->raw;

  if (type == babl_type ("u8"))
    return raw[index] / 255.0;
  if (type == babl_type ("u16"))
    return ((const guint16 *) raw)[index] / 65535.0;
  return type == babl_type ("half") ? half_value (((const guint16 *) raw)[index]) : ((const gfloat *) raw)[index];
}

void
check_convert_source (const CheckSource *source, const Babl *working, gdouble *pixels)
{
  const gint          components = babl_format_get_n_components (source->format);
  const gsize         n = (gsize) source->box.width * source->box.height;

  for (gsize i = 0; i < n; i++)
    {
      gdouble *pixel = pixels + 4 * i;

      pixel[3] = components % 2 ? 1.0 : component_at (source, i * components + components - 1);
      for (gint k = 0; k < 3; k++)
        pixel[k] = component_at (source, i * components + (components < 3 ? 0 : k));
      convert_by_formula (source->format, working, pixel);
      pixel[3] = (gfloat) pixel[3];
    }
}

/* The floats of a picture's model, or NULL.  babl only has to scale its integers then. */
static const Babl *
as_floats (const Babl *format)
{
  const Babl *space = babl_format_get_space (format);
  gchar      *name;
  const Babl *floats;

  if (! (babl_get_model_flags (format) & (BABL_MODEL_FLAG_RGB | BABL_MODEL_FLAG_GRAY)))
    return NULL;
  name = g_strconcat (babl_get_name (babl_format_get_model (format)), " float", NULL);
  floats = babl_format_with_space (name, space);
  g_free (name);
  return floats;
}

const Babl *
check_read_format (const CheckFilter *filter,
                   const CheckCase   *c,
                   GeglNode          *node)
{
  const Babl *wanted = check_result_format (filter, c), *given;

  gegl_node_get_bounding_box (node);    /* lets it prepare */
  given = gegl_operation_get_format (gegl_node_get_gegl_operation (node), "output");
  given = given && babl_format_get_n_components (wanted) == 4 && as_floats (wanted) ? as_floats (given) : NULL;
  return given && is_known (given, wanted) ? given : wanted;
}

/* One component of a result that has but one, or all four of R, G, B, A. */
static void
spread (const gfloat *from, gint components, gboolean is_picture, gdouble *pixel)
{
  for (gint k = 0; k < 3; k++)
    pixel[k] = components >= 3 ? from[k] : is_picture || k == 0 ? from[0] : 0;
  pixel[3] = components % 2 == 0 ? from[components - 1] : is_picture ? 1 : 0;
}

void
check_pixels_spread (const CheckFilter *filter, const CheckCase *c, const Babl *read, CheckPixels *pixels)
{
  const Babl         *wanted = check_result_format (filter, c);
  const gint          components = babl_format_get_n_components (read);

  for (gsize i = (gsize) pixels->roi.width * pixels->roi.height; i-- > 0 && (read != wanted || components != 4);)
    {
      gdouble pixel[4];

      spread (pixels->pixels + components * i, components, read != wanted, pixel);
      if (read != wanted)
        convert_by_formula (read, wanted, pixel);
      for (gint k = 0; k < 4; k++)
        pixels->pixels[4 * i + k] = (gfloat) pixel[k];
    }
}
