/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Formats by the formula, in double: the reference's input and the results as they leave. */
#include "check.h"

#include <gegl-plugin.h>

/* Formats of floats and halves (RGBA) in sRGB's space are converted by the engine itself on both paths, and
 * here by the formula: IEC 61966-2-1, continued linearly below 0, and alpha taken
 * for 1/65536 where it is less. */
static gdouble
decoded (gdouble v)
{
  return v <= 0.04045 ? v / 12.92 : isnan (v) ? v : pow ((v + 0.055) / 1.055, 2.4);
}

static gdouble
encoded (gdouble v)
{
  return v <= 0.0031308 ? v * 12.92 : isnan (v) ? v : 1.055 * pow (v, 1 / 2.4) - 0.055;
}

static gdouble
alpha_of (const gdouble *pixel)
{
  return fabs (pixel[3]) <= 1.0 / 65536 ? 1.0 / 65536 : pixel[3];
}

gboolean
check_is_own_conversion (const CheckSource *source, const Babl *working)
{
  const Babl *type = babl_format_get_type (source->format, 0);

  return (type == babl_type ("float") || type == babl_type ("half"))
         && babl_format_get_space (source->format) == babl_space ("sRGB") && source->format != working;
}

/* A pixel of four components of one model as another has it. */
static void
convert_by_formula (BablModelFlag from, BablModelFlag to, gdouble *pixel)
{
  for (gint k = 0; k < 3; k++)
    {
      if ((from & BABL_MODEL_FLAG_ASSOCIATED) && ! (to & BABL_MODEL_FLAG_ASSOCIATED))
        pixel[k] /= alpha_of (pixel);
      if ((from & BABL_MODEL_FLAG_NONLINEAR) && ! (to & BABL_MODEL_FLAG_NONLINEAR))
        pixel[k] = decoded (pixel[k]);
      if (! (from & BABL_MODEL_FLAG_NONLINEAR) && (to & BABL_MODEL_FLAG_NONLINEAR))
        pixel[k] = encoded (pixel[k]);
      if (! (from & BABL_MODEL_FLAG_ASSOCIATED) && (to & BABL_MODEL_FLAG_ASSOCIATED))
        pixel[k] *= alpha_of (pixel);
      pixel[k] = (gfloat) pixel[k];
    }
}

void
check_convert_source (const CheckSource *source, const Babl *working, gdouble *pixels)
{
  const BablModelFlag from = babl_get_model_flags (source->format), to = babl_get_model_flags (working);
  const gint          components = babl_format_get_n_components (source->format);
  const gsize         n = (gsize) source->box.width * source->box.height;
  gfloat             *raw = g_new (gfloat, n * components);
  const Babl         *floats = babl_format_get_type (source->format, 0) == babl_type ("half")
                               ? babl_format ("RGBA float") : source->format;         /* the same, exactly */

  gegl_buffer_get (source->buffer, &source->box, 1.0, floats, raw, GEGL_AUTO_ROWSTRIDE,
                   GEGL_ABYSS_NONE);
  for (gsize i = 0; i < n; i++)
    {
      gdouble *pixel = pixels + 4 * i;

      pixel[3] = components % 2 ? 1.0 : raw[i * components + components - 1];
      for (gint k = 0; k < 3; k++)
        pixel[k] = raw[i * components + (components < 3 ? 0 : k)];
      convert_by_formula (from, to, pixel);
    }
  g_free (raw);
}

static gboolean
is_float_colour (const Babl *format)
{
  return babl_format_get_type (format, 0) == babl_type ("float") && babl_format_get_n_components (format) == 4
         && (babl_get_model_flags (format) & BABL_MODEL_FLAG_RGB) && babl_format_get_space (format) == babl_space ("sRGB");
}

const Babl *
check_read_format (const CheckFilter *filter,
                   const CheckCase   *c,
                   GeglNode          *node)
{
  const Babl *wanted = check_result_format (filter, c), *given;

  gegl_node_get_bounding_box (node);    /* lets it prepare */
  given = gegl_operation_get_format (gegl_node_get_gegl_operation (node), "output");
  return given && is_float_colour (given) && is_float_colour (wanted)
         && ((babl_get_model_flags (given) ^ babl_get_model_flags (wanted)) & BABL_MODEL_FLAG_NONLINEAR) ? given : wanted;
}

void
check_convert_read (const Babl *read, const Babl *wanted, CheckPixels *pixels)
{
  const BablModelFlag from = babl_get_model_flags (read), to = babl_get_model_flags (wanted);

  for (gsize i = 0; read != wanted && i < (gsize) pixels->roi.width * pixels->roi.height; i++)
    {
      gfloat *values = pixels->pixels + 4 * i;
      gdouble pixel[4] = { values[0], values[1], values[2], values[3] };

      convert_by_formula (from, to, pixel);
      for (gint k = 0; k < 3; k++)
        values[k] = (gfloat) pixel[k];
    }
}
