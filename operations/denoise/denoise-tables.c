/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What the host makes of the surveys, in double, rounded once to float.
 */
#include "config.h"

#include "denoise.h"

#include <math.h>
#include <string.h>

#define LEAST_SQUARE 0x1p-60    /* of P: sliders may be tiny */
#define KEPT         (2.7 * 2.7)
#define WIENER       1.4
#define COARSE       7          /* u + v of fine noise */

gdouble
denoise_logarithm (gdouble x)
{
  gint    exponent;
  gdouble part = frexp (x, &exponent), z, sum = 0.0;

  if (part < G_SQRT2 / 2)
    {
      part *= 2.0;
      exponent--;
    }
  z = (part - 1.0) / (part + 1.0);
  for (gint k = 21; k > 0; k -= 2)
    sum = sum * (z * z) + 1.0 / k;
  return exponent * G_LN2 + 2.0 * z * sum;
}

/* ------------------------------------------------------------------ tones -- */

static gdouble
sigma_at (const gdouble sigma[DENOISE_KNOTS], gdouble tone)
{
  const gint    knot = MIN ((gint) (tone * (DENOISE_KNOTS - 1)), DENOISE_KNOTS - 2);
  const gdouble part = tone * (DENOISE_KNOTS - 1) - knot;

  return sigma[knot] + part * (sigma[knot + 1] - sigma[knot]);
}

/* T by trapezoids; its inverse, linear between T's values. */
static void
make_tone (const gdouble sigma[DENOISE_KNOTS], gfloat *tones, gfloat *inverse, gfloat *scale)
{
  const gint    last = DENOISE_FORWARD - 1;
  const gdouble step = 1.0 / last;
  gdouble       t[DENOISE_FORWARD] = { 0.0 };
  gint          at = 0;

  for (gint i = 1; i <= last; i++)
    t[i] = t[i - 1] + 0.5 * step * (1.0 / sigma_at (sigma, (i - 1) * step) + 1.0 / sigma_at (sigma, i * step));
  for (gint i = 0; i <= last; i++)
    tones[i] = (gfloat) t[i];
  for (gint i = 0; i < DENOISE_INVERSE; i++)
    {
      const gdouble value = t[last] * i / (DENOISE_INVERSE - 1);

      while (at < last - 1 && t[at + 1] < value)
        at++;
      inverse[i] = (gfloat) ((at + (value - t[at]) / (t[at + 1] - t[at])) * step);
    }
  *scale = (gfloat) ((DENOISE_INVERSE - 1) / t[last]);
}

void
denoise_make_tones (Denoise *d, gdouble sigma[3][DENOISE_KNOTS])
{
  for (gint c = 0; c < 3; c++)
    make_tone (sigma[c], d->tones[c], d->inverse[c], &d->scale[c]);
}

/* ------------------------------------------------------------------ noise -- */

static void
make_level (const gdouble squares[64], gdouble detail, gfloat noise[DENOISE_ROUGH])
{
  gdouble sum = 0.0;

  for (gint i = 0; i < 64; i++)
    {
      const gdouble square = MAX (squares[i], LEAST_SQUARE);

      sum += square;
      noise[i] = (gfloat) square;
      noise[64 + i] = (gfloat) (KEPT * square);
      noise[128 + i] = (gfloat) (WIENER * square);
    }
  noise[192] = (gfloat) (sum / 64.0);
  noise[193] = (gfloat) (2.0 * sum);
  noise[194] = (gfloat) detail;
}

/* What the means of 2 x 2 pixels leave. */
static void
coarsen (gdouble squares[64])
{
  gdouble next[64];

  for (gint i = 0; i < 64; i++)
    next[i] = squares[(i / 8 + 1) / 2 * 8 + (i % 8 + 1) / 2] / 4.0;
  next[0] = next[1];
  memcpy (squares, next, sizeof next);
}

static void
make_plane (Denoise *d, gint plane, const gdouble squares[64], gdouble slider, gdouble detail)
{
  gdouble now[64];

  for (gint i = 0; i < 64; i++)
    now[i] = squares[i] * (slider * slider);
  for (gint level = 0; level < DENOISE_LEVELS; level++)
    {
      make_level (now, detail, d->noise[level][plane]);
      coarsen (now);
    }
}

/* How much of the joint step there is: none where the noise of colours is as fine as white noise. */
static gdouble
mix_of (gdouble squares[3][64])
{
  gdouble fine = 0.0, coarse = 0.0;
  gint    n_fine = 0, n_coarse = 0;

  for (gint plane = 1; plane < 3; plane++)
    for (gint i = 1; i < 64; i++)
      if (i / 8 + i % 8 >= COARSE)
        {
          fine += squares[plane][i];
          n_fine++;
        }
      else if (i / 8 + i % 8 <= 2)
        {
          coarse += squares[plane][i];
          n_coarse++;
        }
  return CLAMP ((0.9 - sqrt (fine / n_fine / (coarse / n_coarse))) / 0.4, 0.0, 1.0);
}

void
denoise_make_noise (Denoise *d, gdouble squares[3][64], const gdouble sliders[2], gdouble detail, gboolean joint)
{
  const gint middle = DENOISE_WINDOW / 2;
  gdouble    mean = 0.0;

  for (gint plane = 0; plane < 3; plane++)
    {
      const gdouble slider = sliders[plane > 0];

      d->changes[plane] = slider > 0.0;
      make_plane (d, plane, squares[plane], slider, plane == 0 ? detail : 0.0);
      for (gint i = 0; i < 64; i++)
        mean += squares[plane][i] * (slider * slider) / 192.0;
    }
  d->mix = joint && sliders[1] > 0.0 ? (gfloat) mix_of (squares) : 0.0f;
  d->share = (gfloat) (1.0 / (16.0 * MAX (mean, LEAST_SQUARE)));
  for (gint y = 0; y < DENOISE_WINDOW; y++)
    for (gint x = 0; x < DENOISE_WINDOW; x++)
      d->weights[y * DENOISE_WINDOW + x] = (gfloat) (tessera_exp (-(x - middle) * (x - middle) / 8.0)
                                                     * tessera_exp (-(y - middle) * (y - middle) / 8.0));
}
