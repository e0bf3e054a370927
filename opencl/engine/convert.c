/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The host's side of the conversions, for the C path: the same code and the same
 * tables as on the device (opencl/kernels/engine.cl), one block of pixels at a time.
 */
#include "config.h"

#include "convert.h"

#include <string.h>

#include "../math/tessera-convert.h"

#define BLOCK 256               /* pixels */
#define RUN   16                /* values of whole pixels: the widest vector */

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
typedef gint   Bits __attribute__ ((vector_size (16), aligned (4), may_alias));

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
      const gfloat own = pixel[i][3], alpha = alpha_factor (own);
      const Pixel  light = pixel[i] * (Pixel) { alpha, alpha, alpha, 1.0f };

      pixel[i] = (Pixel) ((Bits) light & ((Pixel) { own, own, own, 1.0f } != 0.0f));
    }
}

/* Is every alpha 1?  Price: 1.2 (Gaussian 1.5, u8; EPYC, 2026-11-30). */
TESSERA_CLONES static gboolean
are_opaque (const gfloat *restrict pixels, gint n)
{
  const gint rest = n % (RUN / 4);
  gint       others[RUN] = { 0 }, any = 0;

  for (gint i = 0; i < 4 * (n - rest); i += RUN)
    for (gint k = 0; k < RUN; k++)
      others[k] |= tessera_as_int (pixels[i + k]) ^ 0x3f800000;
  for (gint i = n - rest; i < n; i++)
    any |= tessera_as_int (pixels[4 * i + 3]) ^ 0x3f800000;
  return ! (any | others[3] | others[7] | others[11] | others[15]);
}

/* convert_pixel for n of them. */
static void
convert_pixels (gfloat *pixels, gint n, gint from, gint to)
{
  const gint curve = (from ^ to) & LAYOUT_PERCEPTUAL;
  gfloat     alphas[BLOCK];

  if (! curve && ! ((from ^ to) & LAYOUT_PREMULTIPLIED))
    return;
  if ((from | to) & LAYOUT_PREMULTIPLIED && are_opaque (pixels, n))
    {
      from &= ~LAYOUT_PREMULTIPLIED;    /* dividing by 1 changes nothing */
      to &= ~LAYOUT_PREMULTIPLIED;
    }
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

/* ---------------------------------------------------------------- decode -- */

#define LOAD(type, values_of, alphas_of)                                        \
  for (gint i = 0; i < n; i++)                                                  \
    {                                                                           \
      const type *from = (const type *) stored + (gsize) i * components;        \
      gfloat     *to = working + 4 * i;                                         \
                                                                                \
      to[0] = values_of (from[0]);                                              \
      to[1] = colours == 3 ? values_of (from[1]) : to[0];                       \
      to[2] = colours == 3 ? values_of (from[2]) : to[0];                       \
      to[3] = components > colours ? alphas_of (from[colours]) : 1.0f;          \
    }

#define AS_IS(x)   (x)
#define BY_TABLE(x) values[x]
#define BY_ALPHAS(x) alphas[x]

static inline void
load (const TesseraTravel *travel, gconstpointer stored, gfloat *working, gint n, gint colours,
      gint components)
{
  const gfloat *values = travel->table, *alphas = values ? values + travel->alphas : NULL;

  switch (travel->stored & LAYOUT_TYPE)
    {
    case LAYOUT_U8:   LOAD (guint8, BY_TABLE, BY_ALPHAS); break;
    case LAYOUT_U16:  LOAD (guint16, BY_TABLE, BY_ALPHAS); break;
    case LAYOUT_HALF: LOAD (guint16, half_value, half_value); break;
    default:          LOAD (gfloat, AS_IS, AS_IS); break;
    }
}

void
tessera_decode (const TesseraTravel *travel, gconstpointer stored, gfloat *working, gsize n)
{
  gint from = travel->stored, into = travel->working;

  if (! (from & LAYOUT_ALPHA))          /* it is 1, which changes nothing */
    into &= ~LAYOUT_PREMULTIPLIED;
  if (travel->table && ! (from & LAYOUT_PREMULTIPLIED))         /* the table has changed the curve */
    from = (from & ~LAYOUT_PERCEPTUAL) | (travel->working & LAYOUT_PERCEPTUAL);
  for (gsize first = 0; first < n; first += BLOCK)
    {
      const gint     count = MIN (BLOCK, n - first);
      const guint8  *pixels = (const guint8 *) stored + first * travel->bytes;
      gfloat        *to = working + 4 * first;

      switch (travel->stored & (LAYOUT_GREY | LAYOUT_ALPHA))
        {
        case LAYOUT_GREY | LAYOUT_ALPHA: load (travel, pixels, to, count, 1, 2); break;
        case LAYOUT_GREY:                load (travel, pixels, to, count, 1, 1); break;
        case LAYOUT_ALPHA:               load (travel, pixels, to, count, 3, 4); break;
        default:                         load (travel, pixels, to, count, 3, 3); break;
        }
      convert_pixels (to, count, from, into);
    }
}

/* ---------------------------------------------------------------- encode -- */

/* About the codes that values become. */
TESSERA_CLONES static void
guess_codes (const gfloat *restrict near, gint n, gint most, gint *restrict codes)
{
  for (gint i = 0; i < n; i++)
    codes[i] = quantised (near[i], most);
}

/* As step_index, for u8: NaN becomes the last code.  Price: 1.9 (Gaussian 1.5, u8; EPYC, 2026-11-30). */
TESSERA_CLONES static void
find_codes (const TesseraCodeWords *codes, const gfloat *restrict values, gint n, guint8 *restrict found)
{
  const guint32 *restrict words = codes->words;
  const gfloat   least = codes->least;
  const gint     first = codes->first;

  for (gint i = 0; i < n; i++)
    {
      const gfloat below = values[i] < 1.0f ? values[i] : 1.0f, within = below > least ? below : least;
      const gint   bits = tessera_as_int (within);

      found[i] = (words[(bits >> 16) - first] + (bits & 0xffff)) >> 16;
    }
}

/* The same if no curve changes: 255 times the value, and 1/2, rounded down.  Both halves of the value's digits give
 * exact products.  Price: 2.2 (Sobel, u8; EPYC, 2026-11-30). */
TESSERA_CLONES static void
round_codes (const gfloat *restrict values, gint n, guint8 *restrict found)
{
  gint codes[4 * BLOCK];

  for (gint i = 0; i < n; i++)
    {
      const gfloat below = values[i] < 1.0f ? values[i] : 1.0f, value = below > 0.0f ? below : 0.0f;
      const gfloat high = half_digits (value), sum = high * 255.0f + 0.5f, rest = (value - high) * 255.0f;
      const gint   code = (gint) sum;

      codes[i] = code + (rest >= (gfloat) (code + 1) - sum);
    }
  for (gint i = 0; i < n; i++)          /* in the loop above, gcc would run out of registers */
    found[i] = codes[i];
}

/* Found without their steps: of u8, but for codes of light where the filter works behind the curve. */
static inline gboolean
has_fast_codes (const TesseraTravel *travel)
{
  return (travel->stored & LAYOUT_TYPE) == LAYOUT_U8
         && (travel->words || travel->stored & LAYOUT_PREMULTIPLIED
             || ! ((travel->stored ^ travel->working) & LAYOUT_PERCEPTUAL));
}

static void
find_colours (const TesseraTravel *travel, const gfloat *values, gint n, guint8 *found)
{
  if (travel->words)
    find_codes (travel->words, values, n, found);
  else
    round_codes (values, n, found);
}

static inline void
store_codes (const TesseraTravel *travel, const gfloat *values, guint8 *stored, gint n, gint colours, gint components)
{
  const gint width = colours == 3 ? 4 : 1;      /* values of a pixel that become codes, for whole vectors */
  guint8     codes[4 * BLOCK], alphas[BLOCK];
  gfloat     plane[BLOCK];

  if (components == 4 && ! travel->words)
    {
      round_codes (values, 4 * n, stored);
      return;
    }
  for (gint i = 0; i < n && colours == 1; i++)
    plane[i] = values[4 * i];
  find_colours (travel, colours == 1 ? plane : values, width * n, codes);
  for (gint i = 0; i < n && components > colours; i++)
    plane[i] = values[4 * i + 3];
  if (components > colours)
    round_codes (plane, n, alphas);
  for (gint i = 0; i < n; i++)
    for (gint c = 0; c < components; c++)
      stored[i * components + c] = c == colours ? alphas[i] : codes[width * i + c];
}

#define STORE(type, code_of)                                                    \
  for (gint i = 0; i < n; i++)                                                  \
    for (gint c = 0; c < components; c++)                                       \
      {                                                                         \
        const gboolean is_alpha = c == colours;                                 \
        const gint     k = 4 * i + (is_alpha ? 3 : c);                          \
                                                                                \
        ((type *) stored)[(gsize) i * components + c] = code_of;                \
      }

#define BY_STEPS step_index (values[k], codes[k], is_alpha ? alpha_steps : steps, most)

static inline void
store (const TesseraTravel *travel, const gfloat *values, const gfloat *near, gpointer stored, gint n,
       gint colours, gint components)
{
  const gfloat *steps = travel->table, *alpha_steps = steps ? steps + travel->alphas : NULL;
  const gint    most = travel->alphas - 1;
  gint          codes[4 * BLOCK];

  if (has_fast_codes (travel))
    {
      store_codes (travel, values, stored, n, colours, components);
      return;
    }
  if (steps)
    guess_codes (near, 4 * n, most, codes);
  switch (travel->stored & LAYOUT_TYPE)
    {
    case LAYOUT_U8:   STORE (guint8, BY_STEPS); break;
    case LAYOUT_U16:  STORE (guint16, BY_STEPS); break;
    case LAYOUT_HALF: STORE (guint16, half_code (near[k])); break;
    default:          STORE (gfloat, near[k]); break;
    }
}

/* Grey is the luminance of linear light.  The steps of integers are in the working curve. */
static gint
make_grey (const TesseraTravel *travel, gfloat *pixels, gint n)
{
  const gint    type = travel->stored & LAYOUT_TYPE;
  const gint    straight = travel->working & LAYOUT_PERCEPTUAL;
  const gfloat *w = travel->weights;

  convert_pixels (pixels, n, travel->working, 0);
  for (gint i = 0; i < n; i++)
    pixels[4 * i] = (w[0] * pixels[4 * i] + w[1] * pixels[4 * i + 1]) + w[2] * pixels[4 * i + 2];
  if (type != LAYOUT_U8 && type != LAYOUT_U16)
    return 0;
  convert_pixels (pixels, n, 0, straight);
  return straight;
}

/* Pixels that are no grey, of a block that is stored as grey: `pixels` and `near` get their luminance. */
static void
encode_luminance (const TesseraTravel *travel, const gfloat *working, gfloat *pixels, gfloat *near, gint n)
{
  gfloat values[4 * BLOCK], stored[4 * BLOCK];
  gint   curve;

  memcpy (values, working, 4 * n * sizeof (gfloat));
  curve = make_grey (travel, values, n);
  memcpy (stored, values, 4 * n * sizeof (gfloat));
  convert_pixels (stored, n, curve, travel->stored);
  for (gint i = 0; i < n; i++)
    if (! is_grey (working + 4 * i))
      {
        pixels[4 * i] = values[4 * i];
        near[4 * i] = stored[4 * i];
      }
}

TESSERA_CLONES static gboolean
are_grey (const gfloat *restrict working, gint n)
{
  gint others = 0;

  for (gint i = 0; i < n; i++)
    others |= ! is_grey (working + 4 * i);
  return ! others;
}

/* `values` are straight or as stored, in the working curve; `near` are as stored, where they are needed. */
static void
encode_block (const TesseraTravel *travel, const gfloat *working, guint8 *to, gint n)
{
  const gint     straight = travel->working & LAYOUT_PERCEPTUAL, premultiplied = travel->stored & LAYOUT_PREMULTIPLIED;
  const gint     from = premultiplied ? travel->working : straight;
  gfloat         pixels[4 * BLOCK], near[4 * BLOCK];
  const gfloat  *values = premultiplied ? near : pixels;

  if (from == travel->working && has_fast_codes (travel) && ! (travel->stored & LAYOUT_GREY) && ! premultiplied)
    values = working;
  else
    memcpy (pixels, working, 4 * n * sizeof (gfloat));
  if (from != travel->working)
    convert_pixels (pixels, n, travel->working, from);
  if (premultiplied || ! has_fast_codes (travel))
    {
      memcpy (near, pixels, 4 * n * sizeof (gfloat));
      convert_pixels (near, n, from, travel->stored);
    }
  if (travel->stored & LAYOUT_GREY && ! are_grey (working, n))
    encode_luminance (travel, working, pixels, near, n);
  switch (travel->stored & (LAYOUT_GREY | LAYOUT_ALPHA))
    {
    case LAYOUT_GREY | LAYOUT_ALPHA: store (travel, values, near, to, n, 1, 2); break;
    case LAYOUT_GREY:                store (travel, values, near, to, n, 1, 1); break;
    case LAYOUT_ALPHA:               store (travel, values, near, to, n, 3, 4); break;
    default:                         store (travel, values, near, to, n, 3, 3); break;
    }
}

void
tessera_encode (const TesseraTravel *travel, const gfloat *working, gpointer stored, gsize n)
{
  for (gsize first = 0; first < n; first += BLOCK)
    encode_block (travel, working + 4 * first, (guint8 *) stored + first * travel->bytes, MIN (BLOCK, n - first));
}
