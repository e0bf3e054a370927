/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The formats under test, and what their codes mean: IEEE 754 halves, integers as
 * code / most, the sRGB curve of IEC 61966-2-1. */
#include "formats.h"

#include <math.h>
#include <string.h>

static const FormatsKind models[] =
{
  { .model = "RGBA",    .colours = 3, .alpha = TRUE },
  { .model = "RGB",     .colours = 3 },
  { .model = "RaGaBaA", .colours = 3, .alpha = TRUE, .premultiplied = TRUE },
  { .model = "R'G'B'A", .colours = 3, .alpha = TRUE, .perceptual = TRUE },
  { .model = "R'G'B'",  .colours = 3, .perceptual = TRUE },
  { .model = "YA",      .colours = 1, .alpha = TRUE },
  { .model = "Y",       .colours = 1 },
  { .model = "Y'A",     .colours = 1, .alpha = TRUE, .perceptual = TRUE },
  { .model = "Y'",      .colours = 1, .perceptual = TRUE },
  { .model = "YaA",     .colours = 1, .alpha = TRUE, .premultiplied = TRUE },
  { .model = "R'aG'aB'aA", .colours = 3, .alpha = TRUE, .perceptual = TRUE, .premultiplied = TRUE },
  { .model = "Y'aA",    .colours = 1, .alpha = TRUE, .perceptual = TRUE, .premultiplied = TRUE }
};
G_STATIC_ASSERT (FORMATS_STORED == 4 * G_N_ELEMENTS (models));

static const gchar *const types[] = { "u8", "u16", "half", "float", NULL };
static const gint         type_bytes[] = { 1, 2, 2, 4 };

static FormatsKind
kind_of (gint model, FormatsType type)
{
  FormatsKind kind = models[model];
  gchar      *name = g_strconcat (kind.model, " ", types[type], NULL);

  kind.type = type;
  kind.components = kind.colours + (kind.alpha ? 1 : 0);
  kind.bytes = kind.components * type_bytes[type];
  kind.babl = babl_format (name);
  g_free (name);
  return kind;
}

FormatsKind
formats_stored (gint i)
{
  return kind_of (i / 4, i % 4);
}

gboolean
formats_has_model (const gchar *format)
{
  const gsize length = strcspn (format, " ");

  for (guint i = 0; i < G_N_ELEMENTS (models); i++)
    if (strlen (models[i].model) == length && strncmp (models[i].model, format, length) == 0)
      return TRUE;
  return FALSE;
}

gboolean
formats_has_type (const gchar *format)
{
  return g_strv_contains (types, format + strcspn (format, " ") + 1);
}

FormatsKind
formats_working (gint i)
{
  static const gint model[FORMATS_WORKING] = { 0, 2, 3 };

  return kind_of (model[i], TYPE_FLOAT);
}

gdouble
formats_from_half (guint16 code)
{
  gint    exponent = (code >> 10) & 31, digits = code & 1023;
  gdouble size = exponent == 0 ? ldexp (digits, -24)
                 : exponent < 31 ? ldexp (digits + 1024, exponent - 25) : digits ? NAN : INFINITY;

  return code & 0x8000 ? -size : size;
}

guint16
formats_to_half (gdouble value)
{
  guint16 sign = signbit (value) ? 0x8000 : 0;
  gdouble size = fabs (value);
  gint    exponent;

  if (isnan (value))
    return 0x7e00;
  if (size >= 65520)            /* half a step beyond the largest */
    return sign | 0x7c00;
  if (size < ldexp (1, -14))
    return sign | (guint16) nearbyint (ldexp (size, 24));
  exponent = ilogb (size);      /* a carry goes to the exponent, as it should */
  return sign + ((exponent + 15) << 10) + ((gint) nearbyint (ldexp (size, 10 - exponent)) - 1024);
}

guint
formats_code (const FormatsKind *kind, const guint8 *pixel, gint component)
{
  guint16 word;
  guint32 bits;

  switch (kind->type)
    {
    case TYPE_U8:
      return pixel[component];
    case TYPE_U16:
    case TYPE_HALF:
      memcpy (&word, pixel + 2 * component, 2);
      return word;
    default:
      memcpy (&bits, pixel + 4 * component, 4);
      return bits;
    }
}

gdouble
formats_load (const FormatsKind *kind, const guint8 *pixel, gint component)
{
  gfloat value;

  switch (kind->type)
    {
    case TYPE_U8:   return pixel[component] / 255.0;
    case TYPE_U16:  return formats_code (kind, pixel, component) / 65535.0;
    case TYPE_HALF: return formats_from_half (formats_code (kind, pixel, component));
    default:
      memcpy (&value, pixel + 4 * component, 4);
      return value;
    }
}

gdouble
formats_linear (gdouble perceptual)
{
  return perceptual > 0.04045 ? pow ((perceptual + 0.055) / 1.055, 2.4) : perceptual / 12.92;
}

gdouble
formats_perceptual (gdouble linear)
{
  return linear > 0.0031308 ? 1.055 * pow (linear, 1 / 2.4) - 0.055 : linear * 12.92;
}
