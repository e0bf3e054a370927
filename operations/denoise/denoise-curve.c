/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Noise as a function of tone: s2(v) = c0 + d(v)^2 (a x(v) + b), x the linear light of v and d = dv/dx, fitted to the
 * survey's bins in double (Foi et al. 2008).
 */
#include "config.h"

#include "denoise.h"

#include <math.h>
#include <string.h>

#define LEAST_BLOCKS 32
#define MOST_WEIGHT  400
#define QUANTILE     0.02
#define SPREAD       1.7321896  /* 36 / the 2 % quantile of chi-square with 36 degrees of freedom */
#define ROUNDS       12
#define LEAST_PIVOT  1e-12
#define FEWER        32         /* times fewer blocks than another channel: this one is clipped in most places */
#define LEAST_SQUARE (DENOISE_LEAST * DENOISE_LEAST)

/* A bin of tones that has enough blocks. */
typedef struct
{
  gdouble tone, square, weight;
  gdouble columns[3];
} Bin;

/* dv/dx */
static gdouble
slope (gdouble tone)
{
  return tone < 0.04045 ? 12.92 : 1.055 / 2.4 / tessera_exp (7.0 / 12.0 * denoise_logarithm (MAX (tessera_linear (tone), 1e-6)));
}

static void
columns_of (gdouble tone, gdouble columns[3])
{
  const gdouble square = slope (tone) * slope (tone);

  columns[0] = 1.0;
  columns[1] = square * tessera_linear (tone);
  columns[2] = square / 1000.0;
}

/* Linear inside its class. */
static gdouble
quantile (const guint32 *n, gdouble all)
{
  gdouble before = 0.0;
  gint    class = 0;

  while (class < TONE_CLASSES - 1 && before + n[class] < QUANTILE * all)
    before += n[class++];
  return denoise_class_at (class, (QUANTILE * all - before) / n[class]);
}

static gint
find_bins (const DenoiseTones *tones, gint c, Bin *bins)
{
  gint n_bins = 0;

  for (gint tone = 0; tone < SURVEY_TONES; tone++)
    {
      gdouble n = 0.0;

      for (gint class = 0; class < TONE_CLASSES; class++)
        n += tones->n[c][tone][class];
      if (n < LEAST_BLOCKS)
        continue;
      bins[n_bins].tone = tones->means[c][tone] / (65536.0 * n);
      bins[n_bins].square = quantile (tones->n[c][tone], n) * SPREAD;
      bins[n_bins].weight = sqrt (MIN (n, MOST_WEIGHT));
      columns_of (bins[n_bins].tone, bins[n_bins].columns);
      n_bins++;
    }
  return n_bins;
}

/* ------------------------------------------------------------------- fit -- */

static gdouble
square_of (gdouble x)
{
  return x * x;
}

static gdouble
value_at (const gdouble fit[3], const gdouble columns[3])
{
  return (fit[0] * columns[0] + fit[1] * columns[1]) + fit[2] * columns[2];
}

/* Gauss without exchanges: the matrix is symmetric and positive, but for what is not used.  FALSE: columns depend on one another, as
 * those of more parts than there are tones do. */
static gboolean
solve (gdouble m[3][4], guint used, gdouble fit[3])
{
  const gdouble whole[3] = { m[0][0], m[1][1], m[2][2] };

  for (gint i = 0; i < 3; i++)
    for (gint j = 0; j < 4; j++)
      if (! (used & 1u << i) || (j < 3 && ! (used & 1u << j)))
        m[i][j] = i == j;
  for (gint k = 0; k < 3; k++)
    {
      if (used & 1u << k && ! (m[k][k] >= LEAST_PIVOT * whole[k]))
        return FALSE;
      for (gint i = 0; i < 3; i++)
        {
          const gdouble factor = m[i][k] / m[k][k];

          for (gint j = k; j < 4 && i != k; j++)
            m[i][j] -= factor * m[k][j];
        }
    }
  for (gint k = 0; k < 3; k++)
    fit[k] = m[k][3] / m[k][k];
  return isfinite (fit[0] + fit[1] + fit[2]);
}

/* The least squares of weights times differences, with all parts >= 0: the best of the seven choices of parts. */
static void
fit_once (const Bin *bins, const gdouble *weights, gint n, gdouble best[3])
{
  gdouble least = INFINITY;

  for (guint used = 1; used < 8; used++)
    {
      gdouble m[3][4] = { { 0.0 } }, fit[3], sum = 0.0;

      for (gint k = 0; k < n; k++)
        for (gint i = 0; i < 3; i++)
          for (gint j = 0; j < 4; j++)
            m[i][j] += weights[k] * weights[k] * bins[k].columns[i] * (j < 3 ? bins[k].columns[j] : bins[k].square);
      if (! solve (m, used, fit) || MIN (MIN (fit[0], fit[1]), fit[2]) < 0.0)
        continue;
      for (gint k = 0; k < n; k++)
        sum += square_of (weights[k] * (value_at (fit, bins[k].columns) - bins[k].square));
      if (sum < least)
        {
          least = sum;
          memcpy (best, fit, sizeof fit);
        }
    }
}

static void
fit_bins (const Bin *bins, gint n, gdouble fit[3])
{
  gdouble now[SURVEY_TONES], weights[SURVEY_TONES], sum = 0.0, all = 0.0;

  for (gint k = 0; k < n; k++)
    {
      sum += bins[k].weight * denoise_logarithm (bins[k].square);
      all += bins[k].weight;
    }
  for (gint k = 0; k < n; k++)
    now[k] = tessera_exp (MIN (sum / all, 0.0));
  for (gint round = 0; round < ROUNDS; round++)
    {
      for (gint k = 0; k < n; k++)
        {
          const gdouble share = now[k] / bins[k].square;

          weights[k] = bins[k].weight * (share >= 1.0 ? 1.0 : share * sqrt (share)) / now[k];
        }
      fit_once (bins, weights, n, fit);
      for (gint k = 0; k < n; k++)
        now[k] = MAX (value_at (fit, bins[k].columns), LEAST_SQUARE / 10.0);
    }
}

/* FALSE: the channel has no bin. */
static gboolean
find_curve (const Bin *bins, gint n, gdouble sigma[DENOISE_KNOTS])
{
  gdouble fit[3] = { 0.0, 0.0, 0.0 };

  if (n == 0)
    return FALSE;
  fit_bins (bins, n, fit);
  for (gint k = 0; k < DENOISE_KNOTS; k++)
    {
      gdouble columns[3];

      columns_of (CLAMP (k / (DENOISE_KNOTS - 1.0), bins[0].tone, bins[n - 1].tone), columns);
      sigma[k] = sqrt (MAX (value_at (fit, columns), LEAST_SQUARE));
    }
  return TRUE;
}

gint
denoise_curves (const DenoiseTones *tones, gdouble sigma[3][DENOISE_KNOTS])
{
  gboolean has[3];
  gint     n_curves = 0;

  for (gint c = 0; c < 3; c++)
    {
      Bin bins[SURVEY_TONES];

      has[c] = find_curve (bins, find_bins (tones, c, bins), sigma[c]);
      n_curves += has[c];
    }
  for (gint c = 0; c < 3; c++)
    for (gint k = 0; k < DENOISE_KNOTS && ! has[c]; k++)
      {
        gdouble sum = 0.0;

        for (gint other = 0; other < 3; other++)
          sum += has[other] ? sigma[other][k] : 0.0;
        sigma[c][k] = n_curves > 0 ? sum / n_curves : DENOISE_LEAST;
      }
  return n_curves;
}

/* --------------------------------------------------------------- clipped -- */

/* Not even one pixel of a block is something else. */
guint
denoise_clipped (const DenoiseTones *tones)
{
  guint clipped = 0;

  for (gint c = 0; c < 3; c++)
    clipped |= tones->alive[c] < tones->blocks ? 1u << c : 0;
  return clipped;
}

guint
denoise_seen (const DenoiseTones *tones)
{
  guint64 n[3] = { 0 };
  guint   seen = 0;

  for (gint c = 0; c < 3; c++)
    for (gint i = 0; i < SURVEY_TONES * TONE_CLASSES; i++)
      n[c] += (&tones->n[c][0][0])[i];
  for (gint c = 0; c < 3; c++)
    seen |= FEWER * n[c] >= MAX (MAX (n[0], n[1]), n[2]) ? 1u << c : 0;
  return seen;
}
