/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The formula in double, with a running bound of what float arithmetic may miss it by.
 *
 * Reasons, in units of u = 2^-24, half an ulp's largest share of a value (a rounding):
 * - a product, a sum, a constant: 1 each.
 * - x^2.4 on the device: five products that make the result, z^5 (3) times 0.6 for the
 *   rest, one sum: 8; its argument (c + 0.055) / 1.055: 3 times 2.4, the exponent: 7.2.
 * - x^(5/12): four products, z^12 (6) times 7/12, one sum, 0.2 of the series: 9; times
 *   1.055: 2; minus 0.055: 1 of 0.055 (which is 1.36 of the smallest result) and 1.
 * - c / 12.92 as a product: 2.  12.92 l: 2.
 * - tables of integers are the formula rounded once: 1; with a curve too, and their steps are exact.
 *   babl's own, measured over all codes of u16: to linear light 9.2e-7 of the value, 15.4; to the curve
 *   2.9e-7 near its straight part and 4e-7 of the value: 5 and 7; without a curve 3.
 * - halves: none as such, each is a float; and a float becomes the nearest half.
 */
#include "formats.h"

#include <float.h>
#include <math.h>

#define U           0x1p-24
#define DENORMAL    0x1p-149
#define ALPHA_FLOOR (1.0 / 65536.0)

static FormatsBound
checked (gdouble value, gdouble error, gboolean overflows)
{
  FormatsBound bound = { value, error, overflows };

  if (! isfinite (value))
    bound.error = 0;
  if (isfinite (value) && fabs (value) + error > FLT_MAX)
    bound.overflows = TRUE;
  return bound;
}

/* Each rounding also loses up to half a denormal. */
static FormatsBound
scaled (FormatsBound x, gdouble factor, gdouble roundings)
{
  gdouble value = x.value * factor;

  return checked (value, x.error * fabs (factor) + roundings * (U * fabs (value) + DENORMAL / 2), x.overflows);
}

static gdouble
alpha_factor (gdouble alpha)
{
  return fabs (alpha) <= ALPHA_FLOOR ? ALPHA_FLOOR : alpha;
}

/* 1 / alpha and a product, and `rounded`: of alpha itself; 1 / alpha is a denormal for the largest. */
static FormatsBound
unpremultiplied (FormatsBound x, gdouble alpha, gint rounded)
{
  gdouble      factor = alpha_factor (alpha);
  FormatsBound bound = scaled (x, 1 / factor, 2 + rounded);

  if (isinf (factor) && isfinite (x.value))
    bound.value = 0;
  else if (isfinite (bound.value))
    bound.error += fabs (x.value) * DENORMAL / 2;
  return bound;
}

/* Under alpha 0 there is no colour, whatever is stored. */
static FormatsBound
premultiplied (FormatsBound x, gdouble alpha, gint rounded)
{
  return alpha == 0 ? checked (0, 0, FALSE) : scaled (x, alpha_factor (alpha), 1 + rounded);
}

/* `own`: the error of the curve itself, at x exactly. */
static FormatsBound
curved (FormatsBound x, gdouble (*curve) (gdouble), gdouble own)
{
  gdouble value = curve (x.value), up = 0, down = 0;

  if (x.error > 0)
    {
      up = fabs (curve (x.value + x.error) - value);
      down = fabs (curve (x.value - x.error) - value);
    }
  return checked (value, fmax (up, down) + own + DENORMAL, x.overflows);
}

/* How the engine changes a curve: in floats; by a table of an integer's codes; by steps between them. */
typedef enum { BY_FLOATS, BY_TABLE, BY_STEPS } Means;

static FormatsBound
decoded (FormatsBound x, Means means)
{
  gdouble size = fabs (formats_linear (x.value));

  if (means == BY_TABLE)
    return checked (formats_linear (x.value), U * size, x.overflows);
  return curved (x, formats_linear, means == BY_STEPS ? 0 : x.value > 0.04 ? 15.2 * U * size : 2 * U * size);
}

static FormatsBound
encoded (FormatsBound x, Means means)
{
  gdouble size = fabs (formats_perceptual (x.value));

  if (means == BY_TABLE)
    return checked (formats_perceptual (x.value), U * size, x.overflows);
  return curved (x, formats_perceptual, means == BY_STEPS ? 0 : x.value < 0.0031 ? 3 * U * size
                                        : U * (11 * (size + 0.055) + 0.055 + size));
}

static FormatsBound
luminance (const FormatsBound colour[3], const gdouble weights[3])
{
  FormatsBound sum = { 0, 0, FALSE };

  for (gint c = 0; c < 3; c++)
    {
      FormatsBound term = scaled (colour[c], weights[c], 4);    /* weight, product, two sums */

      sum.value += term.value;
      sum.error += term.error;
      sum.overflows |= term.overflows;
    }
  return checked (sum.value, sum.error, sum.overflows);
}

static gboolean
is_integer (const FormatsKind *kind)
{
  return kind->type == TYPE_U8 || kind->type == TYPE_U16;
}

/* A component as a value, still in the format's own curve. */
static FormatsBound
loaded (const FormatsKind *kind, const guint8 *pixel, gint component)
{
  gdouble value = formats_load (kind, pixel, component);

  return checked (value, is_integer (kind) ? U * fabs (value) : 0, FALSE);
}

/* Such a pixel is stored as it is; another one's luminance is that of its straight colours. */
static gboolean
is_grey (const FormatsBound colour[3])
{
  return colour[0].value == colour[1].value && colour[1].value == colour[2].value;
}

static void
convert_colours (const FormatsConversion *conversion, FormatsBound colour[3], gdouble alpha)
{
  const FormatsKind *from = conversion->from, *to = conversion->to;
  gboolean           grey = to->colours == 1;
  gboolean           from_table = is_integer (from) && ! from->premultiplied;      /* else codes tell nothing of the curve */
  gboolean           to_steps = is_integer (to) && ! to->premultiplied;
  gboolean           curve = from->perceptual != to->perceptual;
  gboolean           opens = from->premultiplied && (curve || (grey && ! is_grey (colour)) || ! to->premultiplied);

  for (gint c = 0; c < 3; c++)
    {
      if (opens)
        colour[c] = unpremultiplied (colour[c], alpha, is_integer (from));
      if (from->perceptual && (curve || grey))
        colour[c] = decoded (colour[c], from_table ? BY_TABLE : to_steps && ! grey ? BY_STEPS : BY_FLOATS);
    }
  if (grey)
    colour[0] = luminance (colour, conversion->weights);
  for (gint c = 0; c < to->colours; c++)
    {
      if (to->perceptual && (curve || grey))
        colour[c] = encoded (colour[c], from_table ? BY_TABLE : to_steps && ! from->perceptual ? BY_STEPS : BY_FLOATS);
      if (to->premultiplied && (opens || ! from->premultiplied))
        colour[c] = premultiplied (colour[c], alpha, is_integer (from));
    }
}

void
formats_truth (const FormatsConversion *conversion, const guint8 *pixel, FormatsBound truth[4])
{
  const FormatsKind *from = conversion->from, *to = conversion->to;
  FormatsBound       colour[3], alpha = { 1, 0, FALSE };

  for (gint c = 0; c < 3; c++)
    colour[c] = loaded (from, pixel, from->colours == 3 ? c : 0);
  if (from->alpha)
    alpha = loaded (from, pixel, from->colours);
  convert_colours (conversion, colour, alpha.value);
  for (gint c = 0; c < to->colours; c++)
    truth[c] = colour[c];
  if (to->alpha)
    truth[to->colours] = alpha;
  for (gint c = 0; c < to->components && is_integer (to); c++)
    {
      gdouble most = to->type == TYPE_U8 ? 255 : 65535;

      /* To grey by way of the working curve, there and back. */
      if (c < to->colours && to->colours == 1 && from->perceptual)
        truth[c].error += U * (5 + 32 * fabs (truth[c].value));
      truth[c] = scaled (truth[c], most, 0);
    }
  for (gint c = 0; c < to->components && formats_is_exact (conversion); c++)
    truth[c].error = 0;
}

gdouble
formats_babl_error (const FormatsConversion *conversion, gdouble value)
{
  const gboolean curve = conversion->from->perceptual != conversion->to->perceptual;

  if (conversion->to->type != TYPE_FLOAT)
    return 1;
  return (curve ? 20 : 4) * U * fabs (value) + (curve && conversion->to->perceptual ? 5 * U : 0);
}

gboolean
formats_is_exact (const FormatsConversion *conversion)
{
  const FormatsKind *from = conversion->from, *to = conversion->to;

  if (to->colours < from->colours || from->type == TYPE_HALF || to->type == TYPE_HALF)
    return FALSE;
  if (is_integer (from) || is_integer (to))
    return from->premultiplied == to->premultiplied && ! (from->premultiplied && from->perceptual != to->perceptual);
  return from->premultiplied == to->premultiplied && from->perceptual == to->perceptual;
}
