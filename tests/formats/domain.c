/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The pixels to try: every code of an integer or a half; of floats a sweep of all bit
 * patterns, the neighbourhood of everything where the conversion changes, and each
 * threshold between two codes of the target. */
#include "formats.h"

#include <math.h>
#include <string.h>

/* With an alpha other than 1 every n-th of them is tried. */
#define THIN_FLOATS 47
#define THIN_HALVES 3

typedef struct
{
  const FormatsConversion *conversion;
  GByteArray              *pixels;
} Builder;

static guint32
float_bits (gdouble value)
{
  gfloat  single = value;
  guint32 bits;

  memcpy (&bits, &single, 4);
  return bits;
}

static gfloat
bits_float (guint32 bits)
{
  gfloat value;

  memcpy (&value, &bits, 4);
  return value;
}

/* --------------------------------------------------------------- codes -- */

static void
add (GArray *codes, guint32 code)
{
  g_array_append_val (codes, code);
}

/* The float nearest to `value` and its neighbours up to `reach` ulps away. */
static void
add_around (GArray *codes, gdouble value, gint reach)
{
  for (gint i = -reach; i <= reach; i++)
    add (codes, float_bits (value) + i);
}

static void
add_sweep (GArray *codes, guint stride)
{
  static const gdouble places[] = { 0.04045, 0.0031308, 1, 1.0 / 65536, 16, 1024, 65504, 65520,
                                    0x1p-14, 0x1p-24, 0x1p-126, 1e15, 1.13e16, 1.1972e16, 3e38, 1e-3, 0.5 };

  for (guint64 bits = 0; bits < 0x100000000; bits += stride)
    add (codes, bits);
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      add_around (codes, places[i], 40);
      add_around (codes, -places[i], 10);
    }
  for (guint i = 0; i < 40; i++)
    {
      add (codes, i);                           /* 0, denormals */
      add (codes, 0x80000000 + i);
      add (codes, 0x7f800000 - i);              /* infinity and below */
      add (codes, 0xff800000 - i);
    }
  add (codes, 0x7f800001);                      /* NaN with the least payload */
  add (codes, 0x7fc00000);
  add (codes, 0xffffffff);
}

/* Where the target goes on to its next code, in the curve of the source. */
static void
add_thresholds (GArray *codes, const FormatsConversion *conversion)
{
  static const gint  offsets[] = { -12, -3, -1, 0, 1, 3, 12 };
  const FormatsKind *from = conversion->from, *to = conversion->to;
  const gint         most = to->type == TYPE_U8 ? 255 : to->type == TYPE_U16 ? 65535 : 0x7bff;

  for (gint k = 1; k <= most && to->type != TYPE_FLOAT; k++)
    {
      gdouble value = to->type == TYPE_HALF ? (formats_from_half (k - 1) + formats_from_half (k)) / 2
                      : (k - 0.5) / most;

      if (to->perceptual && ! from->perceptual)
        value = formats_linear (value);
      else if (from->perceptual && ! to->perceptual)
        value = formats_perceptual (value);
      for (guint i = 0; i < G_N_ELEMENTS (offsets); i++)
        add (codes, float_bits (value) + offsets[i]);
    }
}

static GArray *
colour_codes (const FormatsConversion *conversion, guint stride)
{
  const FormatsType type = conversion->from->type;
  GArray           *codes = g_array_new (FALSE, FALSE, sizeof (guint32));

  if (type == TYPE_FLOAT)
    {
      add_sweep (codes, stride);
      add_thresholds (codes, conversion);
    }
  else
    for (guint32 code = 0; code < (type == TYPE_U8 ? 256u : 65536u); code++)
      add (codes, code);
  return codes;
}

/* The first is 1. */
static GArray *
alpha_codes (FormatsType type)
{
  static const gdouble floats[] = { 1, 0, 1e-30, 1e-6, 1e-3, 1.0 / 3, 0.7, 2.5, 1e30, 3e38, -0.0, -1e-6, -0.5, INFINITY, NAN };
  static const guint16 halves[] = { 0x3c00, 0, 1, 0xff, 0x100, 0x101, 0x3555, 0x4100, 0x7bff, 0x8100, 0xb800, 0xfc00, 0x7e00 };
  static const guint16 words[] = { 65535, 0, 1, 2, 21845, 65534 };
  GArray              *codes = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (gint i = 255; type == TYPE_U8 && i >= 0; i--)
    add (codes, i);
  for (guint i = 0; type == TYPE_U16 && i < G_N_ELEMENTS (words); i++)
    add (codes, words[i]);
  for (guint i = 0; type == TYPE_HALF && i < G_N_ELEMENTS (halves); i++)
    add (codes, halves[i]);
  for (guint i = 0; type == TYPE_FLOAT && i < G_N_ELEMENTS (floats); i++)
    add (codes, float_bits (floats[i]));
  if (type == TYPE_FLOAT)
    {
      add_around (codes, 1.0 / 65536, 1);
      add_around (codes, -1.0 / 65536, 1);
    }
  return codes;
}

/* -------------------------------------------------------------- pixels -- */

static void
add_pixel (Builder *builder, const guint32 colour[3], guint32 alpha)
{
  const FormatsKind *kind = builder->conversion->from;
  union
  {
    guint8  bytes[4];
    guint16 words[4];
    guint32 singles[4];
  } pixel;

  for (gint c = 0; c < kind->components; c++)
    {
      guint32 code = c < kind->colours ? colour[c] : alpha;

      if (kind->type == TYPE_U8)
        pixel.bytes[c] = code;
      else if (kind->type == TYPE_FLOAT)
        pixel.singles[c] = code;
      else
        pixel.words[c] = code;
    }
  g_byte_array_append (builder->pixels, pixel.bytes, kind->bytes);
}

/* A float made for alpha 1 such that it meets the same threshold with this alpha. */
static guint32
adapted (const FormatsConversion *conversion, guint32 code, guint32 alpha)
{
  gboolean from = conversion->from->premultiplied, to = conversion->to->premultiplied;
  gfloat   factor = bits_float (alpha);

  if (conversion->from->type != TYPE_FLOAT || from == to)
    return code;
  factor = fabsf (factor) <= 1.0f / 65536 ? 1.0f / 65536 : factor;
  return float_bits (from ? bits_float (code) * factor : bits_float (code) / factor);
}

/* Every step-th colour, three a pixel; where the target is grey, also one alone. */
static void
add_colours (Builder *builder, const GArray *codes, guint first, guint step, guint32 alpha)
{
  const FormatsConversion *conversion = builder->conversion;
  const gboolean           to_grey = conversion->to->colours < conversion->from->colours;
  guint32                  colour[3];
  gint                     filled = 0;

  for (guint i = first; i < codes->len; i += step)
    {
      guint32 code = adapted (conversion, g_array_index (codes, guint32, i), alpha);

      if (to_grey)
        {
          colour[0] = colour[1] = colour[2] = code;
          add_pixel (builder, colour, alpha);
          if (i % 5)
            continue;
          colour[1] = adapted (conversion, g_array_index (codes, guint32, (i * 7 + 3) % codes->len), alpha);
          colour[2] = adapted (conversion, g_array_index (codes, guint32, (i * 11 + 5) % codes->len), alpha);
          add_pixel (builder, colour, alpha);
          continue;
        }
      colour[filled++] = code;
      if (filled == conversion->from->colours || i + step >= codes->len)
        {
          while (filled < 3)
            colour[filled++] = code;
          add_pixel (builder, colour, alpha);
          filled = 0;
        }
    }
}

/* babl takes the last pixels of a run one by one, with other results: leave it these. */
static void
add_tail (Builder *builder)
{
  static const guint32 black[3] = { 0, 0, 0 };

  for (gint i = 0; i < 32; i++)
    add_pixel (builder, black, 0);
}

/* Every alpha with one pixel of three colours: 1, about a third and a small one. */
static void
add_alphas (Builder *builder, const GArray *alphas)
{
  static const guint32 colours[4][3] = {
    { 255, 85, 1 }, { 65535, 21845, 7 }, { 0x3c00, 0x3555, 0x0c01 }, { 0x3f800000, 0x3eaaaaab, 0x38d1b717 }
  };
  const guint32 *colour = colours[builder->conversion->from->type];

  for (guint i = 0; i < alphas->len; i++)
    add_pixel (builder, colour, g_array_index (alphas, guint32, i));
}

FormatsDomain
formats_domain (const FormatsConversion *conversion, guint stride)
{
  const FormatsKind *from = conversion->from;
  Builder            builder = { conversion, g_byte_array_new () };
  GArray            *codes = colour_codes (conversion, stride);
  FormatsDomain      domain;

  if (! from->alpha)
    add_colours (&builder, codes, 0, 1, 0);
  else
    {
      GArray *alphas = alpha_codes (from->type);

      for (guint i = 0; i < alphas->len; i++)
        {
          guint step = i == 0 ? 1 : from->type == TYPE_FLOAT ? THIN_FLOATS : from->type == TYPE_HALF ? THIN_HALVES : 1;

          add_colours (&builder, codes, i % step, step, g_array_index (alphas, guint32, i));
        }
      add_alphas (&builder, codes);
      g_array_free (alphas, TRUE);
    }
  add_tail (&builder);
  g_array_free (codes, TRUE);
  domain.n = builder.pixels->len / from->bytes;
  domain.pixels = g_byte_array_free (builder.pixels, FALSE);
  return domain;
}
