/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The luminance as it is seen: see perceived.h.
 */
#include "config.h"

#include "perceived.h"

#include <gegl-plugin.h>

#include "../../opencl/math/tessera-convert.h"
#include "../../opencl/math/tessera-seen.h"

/* --------------------------------------------------------------- formats -- */

static gboolean
is_format (const Babl *format, const gchar *name)
{
  return format == babl_format_with_space (name, babl_format_get_space (format));
}

static Perceived
classify (const Babl *format, gboolean is_picture)
{
  if (is_format (format, "Y~ float") || format == babl_format ("Y' float"))
    return PERCEIVED_LUMINANCE;
  if (is_format (format, "Y~aA float") && ! is_picture)
    return PERCEIVED_WEIGHED;
  return is_format (format, "R~G~B~A float") || format == babl_format ("R'G'B'A float") ? PERCEIVED_ENCODED : PERCEIVED_LINEAR;
}

Perceived
perceived_of (const Babl **format)
{
  const Perceived input = classify (*format, FALSE);

  if (input == PERCEIVED_LINEAR)
    *format = babl_format_with_space ("RGBA float", babl_format_get_space (*format));
  return input;
}

/* Greys and floats behind sRGB's curve need not be sent through light either. */
static const Babl *
encoded_format (GeglOperation *operation)
{
  const Babl *source = gegl_operation_get_source_format (operation, "input"), *seen = tessera_seen_format (operation);

  return seen && (tessera_input_flags (operation) & BABL_MODEL_FLAG_GRAY || babl_format_get_type (source, 0) == babl_type ("float"))
         ? seen : NULL;
}

Perceived
perceived_input (GeglOperation *operation, gboolean is_picture)
{
  const Babl     *source = gegl_operation_get_source_format (operation, "input");
  const Perceived input = source ? classify (source, is_picture) : PERCEIVED_LINEAR;

  return input == PERCEIVED_LINEAR && encoded_format (operation) ? PERCEIVED_ENCODED : input;
}

const Babl *
perceived_format (GeglOperation *operation, gboolean is_picture)
{
  const Babl *source = gegl_operation_get_source_format (operation, "input"), *seen = encoded_format (operation);

  if (source && classify (source, is_picture) != PERCEIVED_LINEAR)
    return source;
  return seen ? seen : babl_format_with_space ("RGBA float", gegl_operation_get_source_space (operation, "input"));
}

const Babl *
perceived_picture (GeglOperation *operation)
{
  const Perceived input = perceived_input (operation, TRUE);

  return input == PERCEIVED_LINEAR || input == PERCEIVED_ENCODED
         ? perceived_format (operation, TRUE)
         : babl_format_with_space ("R~G~B~A float", gegl_operation_get_source_space (operation, "input"));
}

/* 0 and 1 are exact. */
static gfloat
encoded (gdouble light)
{
  return light >= 0.0 && light <= 1.0 ? (gfloat) tessera_perceptual (light) : perceptual_from_linear ((gfloat) light);
}

/* By way of light in double, because each processor's babl has a curve of its own; in memory of ours, because GEGL
 * (0.4.42) keeps a color where babl's vectors may not read it: a matrix from there to the image's space crashes. */
void
perceived_color (GeglColor *color, const Babl *format, gfloat pixel[4])
{
  const Babl    *light_format = babl_format_with_space ("RGBA double", babl_format_get_space (format));
  const gboolean is_encoded = (babl_get_model_flags (format) & BABL_MODEL_FLAG_NONLINEAR
                               || babl_get_model_flags (format) & BABL_MODEL_FLAG_PERCEPTUAL) != 0;
  gdouble        srgb[4] __attribute__ ((aligned (16))) = { 0 }, light[4] __attribute__ ((aligned (16)));

  gegl_color_get_rgba (color, &srgb[0], &srgb[1], &srgb[2], &srgb[3]);
  babl_process (babl_fish (babl_format ("RGBA double"), light_format), srgb, light, 1);
  for (gint c = 0; c < 4; c++)
    pixel[c] = is_encoded && c < 3 ? encoded (light[c]) : (gfloat) light[c];
}

/* ------------------------------------------------------------- luminance -- */

TESSERA_CLONES static void
see_colours (const gfloat *restrict pixels, gint n, const gfloat weights[3], gboolean are_encoded, gfloat *restrict seen)
{
  const gfloat red = weights[0], green = weights[1], blue = weights[2];

  if (are_encoded)
    for (gint i = 0; i < n; i++)
      seen[i] = perceptual_luminance (pixels[4 * i], pixels[4 * i + 1], pixels[4 * i + 2], red, green, blue);
  else
    {
      for (gint i = 0; i < n; i++)
        seen[i] = (red * pixels[4 * i] + green * pixels[4 * i + 1]) + blue * pixels[4 * i + 2];
      for (gint i = 0; i < n; i++)
        seen[i] = perceptual_from_linear (seen[i]);
    }
  for (gint i = 0; i < n; i++)
    seen[i] = seen_on_black (seen[i], pixels[4 * i + 3]);
}

TESSERA_CLONES static void
see_luminance (const gfloat *restrict pixels, gint components, gint n, gfloat *restrict seen)
{
  for (gint i = 0; i < n; i++)
    seen[i] = seen_on_black (pixels[components * i], 1.0f);
}

void
perceived_luminance (Perceived input, const gfloat *pixels, gint components, const gfloat weights[3], gint n, gfloat *seen)
{
  if (input == PERCEIVED_LINEAR || input == PERCEIVED_ENCODED)
    see_colours (pixels, n, weights, input == PERCEIVED_ENCODED, seen);
  else
    see_luminance (pixels, components, n, seen);
}
