/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The host's side of the conversions between float formats: the same code as the
 * device's (opencl/math/tessera-convert.h), a block of pixels at a time.
 */
#include "config.h"

#include "formats.h"

#include <string.h>

#include "../math/tessera-convert.h"

#define BLOCK 256               /* pixels */

gboolean
tessera_converts_on_host (const TesseraTravel *travel)
{
  return travel->converts && (travel->stored & LAYOUT_TYPE) == LAYOUT_FLOAT;
}

TESSERA_CLONES static void
to_linear (gfloat *restrict values, gint n)
{
  for (gint i = 0; i < n; i++)
    values[i] = linear_from_perceptual (values[i]);
}

TESSERA_CLONES static void
to_perceptual (gfloat *restrict values, gint n)
{
  for (gint i = 0; i < n; i++)
    values[i] = perceptual_from_linear (values[i]);
}

typedef gfloat Pixel __attribute__ ((vector_size (16), aligned (4), may_alias));

static void
divide_by_alpha (gfloat *pixels, gint n)
{
  Pixel *pixel = (Pixel *) pixels;

  for (gint i = 0; i < n; i++)
    {
      const gfloat over = 1.0f / alpha_factor (pixel[i][3]);

      pixel[i] *= (Pixel) { over, over, over, 1.0f };
    }
}

static void
multiply_by_alpha (gfloat *pixels, gint n)
{
  Pixel *pixel = (Pixel *) pixels;

  for (gint i = 0; i < n; i++)
    {
      const gfloat alpha = alpha_factor (pixel[i][3]);

      pixel[i] *= (Pixel) { alpha, alpha, alpha, 1.0f };
    }
}

/* convert_pixel for n of them. */
static void
convert_pixels (gfloat *pixels, gint n, gint from, gint to)
{
  const gint curve = (from ^ to) & LAYOUT_PERCEPTUAL;
  gfloat     alphas[BLOCK];

  if (! curve && ! ((from ^ to) & LAYOUT_PREMULTIPLIED))
    return;
  if (from & LAYOUT_PREMULTIPLIED)
    divide_by_alpha (pixels, n);
  if (curve)
    {
      for (gint i = 0; i < n; i++)
        alphas[i] = pixels[4 * i + 3];
      if (to & LAYOUT_PERCEPTUAL)
        to_perceptual (pixels, 4 * n);
      else
        to_linear (pixels, 4 * n);
      for (gint i = 0; i < n; i++)
        pixels[4 * i + 3] = alphas[i];
    }
  if (to & LAYOUT_PREMULTIPLIED)
    multiply_by_alpha (pixels, n);
}

void
tessera_convert_in_place (gint from, gint to, gfloat *pixels, gsize n)
{
  for (gsize first = 0; first < n; first += BLOCK)
    convert_pixels (pixels + 4 * first, MIN (BLOCK, n - first), from, to);
}

void
tessera_decode_floats (const TesseraTravel *travel, const gfloat *stored, gfloat *working, gsize n)
{
  const gint colours = travel->stored & LAYOUT_GREY ? 1 : 3;
  const gint components = colours + (travel->stored & LAYOUT_ALPHA ? 1 : 0);

  for (gsize first = 0; first < n; first += BLOCK)
    {
      const gint    count = MIN (BLOCK, n - first);
      const gfloat *from = stored + first * components;
      gfloat       *to = working + 4 * first;

      for (gint i = 0; i < count; i++)
        {
          for (gint c = 0; c < 3; c++)
            to[4 * i + c] = from[i * components + (colours == 3 ? c : 0)];
          to[4 * i + 3] = components > colours ? from[i * components + colours] : 1.0f;
        }
      convert_pixels (to, count, travel->stored, travel->working);
    }
}

void
tessera_encode_floats (const TesseraTravel *travel, const gfloat *working, gfloat *stored, gsize n)
{
  const gint    colours = travel->stored & LAYOUT_GREY ? 1 : 3;
  const gint    components = colours + (travel->stored & LAYOUT_ALPHA ? 1 : 0);
  const gfloat *w = travel->weights;
  gfloat        pixels[4 * BLOCK];

  for (gsize first = 0; first < n; first += BLOCK)
    {
      const gint count = MIN (BLOCK, n - first);
      gfloat    *to = stored + first * components;
      gint       from = travel->working;

      memcpy (pixels, working + 4 * first, 4 * count * sizeof (gfloat));
      if (colours == 1)
        {
          convert_pixels (pixels, count, from, 0);
          from = 0;
          for (gint i = 0; i < count; i++)
            pixels[4 * i] = (w[0] * pixels[4 * i] + w[1] * pixels[4 * i + 1]) + w[2] * pixels[4 * i + 2];
        }
      convert_pixels (pixels, count, from, travel->stored);
      for (gint i = 0; i < count; i++)
        {
          for (gint c = 0; c < colours; c++)
            to[i * components + c] = pixels[4 * i + c];
          if (components > colours)
            to[i * components + colours] = pixels[4 * i + 3];
        }
    }
}
