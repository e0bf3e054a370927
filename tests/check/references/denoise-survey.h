/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What denoise.c knows of a picture's noise: its size by tone, from which come the stabilising tables, and its share by frequency.
 *
 * Foi et al., Practical Poissonian-Gaussian noise modeling, IEEE TIP 2008; Lebrun, Colom, Morel, The Noise Clinic, IPOL 2015.
 *
 * A lean of -1 or 1 takes each decision that float may take otherwise that way: what is within its error of the edge of a class is
 * in the class below or above, and of several fits that are equally good not the first is taken but the last. */
#ifndef DENOISE_SURVEY_H
#define DENOISE_SURVEY_H

#include "reference.h"
#include "srgb.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define DENOISE_UNIT      0x1p-24
#define DENOISE_KNOTS     33
#define DENOISE_TABLE     1024
#define DENOISE_INVERSE   2048
#define DENOISE_CLASSES   2048
#define DENOISE_TONES     32
#define DENOISE_LEAST     32              /* blocks of a tone, or of the second pass */
#define DENOISE_INVISIBLE (0.25 / 255.0)
#define DENOISE_QUANTUM   (DENOISE_INVISIBLE * DENOISE_INVISIBLE)
#define DENOISE_FLOOR     1e-3

/* planes: R', G', B' or Y, U, V */
typedef struct
{
  int            width, height;
  double        *planes[3];
  unsigned char *holes;
  double         error;         /* of a component, relative to the largest near it */
} DenoisePicture;

typedef struct
{
  double sigma[3][DENOISE_KNOTS];
  double table[3][DENOISE_TABLE], inverse[3][DENOISE_INVERSE], top[3];
  double squares[3][64];        /* P^2 of Y, U, V */
  double mix;
  int    stays[3], is_seen[3];  /* a channel that is clipped all over; one by which blocks are judged */
} DenoiseNoise;

/* 8x8, orthonormal; [8 v + u], v down */
static inline void
denoise_transform (const double from[64], double to[64], int back)
{
  static double basis[8][8];
  double        rows[64];

  for (int u = 0; u < 8 && basis[7][7] == 0.0; u++)
    for (int x = 0; x < 8; x++)
      basis[u][x] = sqrt (u ? 0.25 : 0.125) * cos ((2 * x + 1) * u * M_PI / 16.0);
  for (int i = 0; i < 64; i++)
    {
      rows[i] = 0.0;
      for (int k = 0; k < 8; k++)
        rows[i] += from[i / 8 * 8 + k] * (back ? basis[k][i % 8] : basis[i % 8][k]);
    }
  for (int i = 0; i < 64; i++)
    {
      to[i] = 0.0;
      for (int k = 0; k < 8; k++)
        to[i] += rows[k * 8 + i % 8] * (back ? basis[k][i / 8] : basis[i / 8][k]);
    }
}

/* --------------------------------------------------------- chi square -- */

/* The regularised incomplete gamma function P(a, x), by its series. */
static inline double
denoise_gamma (double a, double x)
{
  double term = exp (a * log (x) - x - lgamma (a + 1.0)), sum = term;

  for (int k = 1; term > sum * 1e-17; k++)
    sum += term *= x / (a + k);
  return sum;
}

static inline double
denoise_chi (double nu, double x)
{
  return denoise_gamma (nu / 2.0, x / 2.0);
}

static inline double
denoise_chi_quantile (double nu, double share)
{
  double low = 0.0, high = nu;

  for (int i = 0; i < 100; i++)
    *(denoise_chi (nu, (low + high) / 2.0) < share ? &low : &high) = (low + high) / 2.0;
  return (low + high) / 2.0;
}

/* ------------------------------------------------------------- classes -- */

/* Eight an octave: the float's bits, but the last 20. */
static inline int
denoise_class (double e)
{
  float    rounded = (float) e;
  uint32_t bits;

  memcpy (&bits, &rounded, sizeof bits);
  return (int) (bits >> 20);
}

static inline double
denoise_class_start (int class)
{
  uint32_t bits = (uint32_t) class << 20;
  float    start;

  memcpy (&start, &bits, sizeof start);
  return start;
}

/* The 2 % quantile: it is in the first class up to which its share is counted. */
static inline double
denoise_quantile (const double counts[DENOISE_CLASSES], double n)
{
  double below = 0.0, wanted = 0.02 * n, start;
  int    class = 0;

  while (class < DENOISE_CLASSES - 1 && below + counts[class] < wanted)
    below += counts[class++];
  start = denoise_class_start (class);
  return start + (denoise_class_start (class + 1) - start) * (wanted - below) / counts[class];
}

/* E, as a float that leans may have it: each F is off by `error`. */
static inline double
denoise_lean (double e, double error, int lean)
{
  return fmax (0.0, e + lean * (2.0 * sqrt (e) * error + error * error));
}

/* -------------------------------------------------------------- blocks -- */

/* Perhaps, for what may be off by `margin`; for -margin: for certain. */
static inline int
denoise_is_clipped (double v, double margin)
{
  return v <= margin || v >= 0.999999 - margin;     /* full: 1 less what the curve of floats loses */
}

/* The samples of a block, of which holes have the others' mean; how many are none, 0 where more than half are.  largest: |sample| */
static inline int
denoise_block (const DenoisePicture *picture, const double *plane, int x, int y, double samples[64], double *largest)
{
  double sum = 0.0;
  int    n = 0;

  *largest = 0.0;
  for (int i = 0; i < 64; i++)
    {
      size_t at = (size_t) (y + i / 8) * picture->width + x + i % 8;

      samples[i] = picture->holes[at] ? NAN : plane[at];
      if (picture->holes[at])
        continue;
      n++;
      sum += plane[at];
      *largest = fmax (*largest, fabs (plane[at]));
    }
  for (int i = 0; i < 64; i++)
    samples[i] = isnan (samples[i]) ? sum / n : samples[i];
  return n >= 32 ? n : 0;
}

/* What the noise of n pixels of 64 lacks, the rest being their mean. */
static inline double
denoise_lacks (int n)
{
  return 63.0 / (n - 1.0);
}

/* ------------------------------------------------------- first pass -- */

typedef struct
{
  double n, mean, counts[DENOISE_CLASSES];
} DenoiseTone;

/* Of a channel: its pixels that are not clipped, in so many blocks, of which `n` count. */
typedef struct
{
  double alive, blocks, n;
} DenoiseLife;

static inline void
denoise_count (const DenoisePicture *picture, int channel, int lean, DenoiseTone *tones, DenoiseLife *life)
{
  double samples[64], f[64], largest;

  for (int y = 4; y + 8 <= picture->height; y += 8)
    for (int x = 4; x + 8 <= picture->width; x += 8)
      {
        double e = 0.0, mean, error;
        int    clipped = 0, tone, there = denoise_block (picture, picture->planes[channel], x, y, samples, &largest);

        if (!there)
          continue;
        for (int i = 0; i < 64; i++)
          {
            size_t at = (size_t) (y + i / 8) * picture->width + x + i % 8;

            clipped += !picture->holes[at] && denoise_is_clipped (picture->planes[channel][at], lean * picture->error);
          }
        life->alive += there - clipped;
        life->blocks += 1.0;
        if (clipped > 8)
          continue;
        life->n += 1.0;
        denoise_transform (samples, f, 0);
        for (int i = 0; i < 64; i++)
          e += i / 8 + i % 8 >= 7 ? f[i] * f[i] / 36.0 * denoise_lacks (there) : 0.0;
        error = (4.0 * DENOISE_UNIT + picture->error) * largest;
        mean = f[0] / 8.0;
        tone = (int) fmin (fmax (floor (32.0 * (mean + lean * error)), 0.0), DENOISE_TONES - 1.0);
        tones[tone].n += 1.0;
        tones[tone].mean += round (65536.0 * mean) / 65536.0;
        tones[tone].counts[denoise_class (fmin (fmax (denoise_lean (e, error, lean), 0x1p-24), 1.0))] += 1.0;
      }
}

/* --------------------------------------------------------- noise curve -- */

typedef struct
{
  int    n;
  double v[DENOISE_TONES], squares[DENOISE_TONES], blocks[DENOISE_TONES];
} DenoisePoints;

static inline void
denoise_columns (double v, double columns[3])
{
  double x = srgb_to_linear (v), d = v < 0.04045 ? 12.92 : 1.055 / 2.4 * pow (fmax (x, 1e-6), 1.0 / 2.4 - 1.0);

  columns[0] = 1.0;
  columns[1] = d * d * x;
  columns[2] = d * d / 1000.0;
}

static inline double
denoise_fit_at (const double fit[3], double v)
{
  double columns[3];

  denoise_columns (v, columns);
  return fit[0] * columns[0] + fit[1] * columns[1] + fit[2] * columns[2];
}

/* Least squares with the columns of the subset, each scaled to length 1.  0 where they depend on one another. */
static inline int
denoise_solve (const DenoisePoints *points, const double *weights, int subset, double fit[3])
{
  double normal[3][4] = { { 0.0 } }, length[3] = { 0.0 }, columns[3];

  for (int i = 0; i < points->n; i++)
    {
      denoise_columns (points->v[i], columns);
      for (int a = 0; a < 3; a++)
        {
          for (int b = 0; b < 3; b++)
            normal[a][b] += weights[i] * weights[i] * columns[a] * columns[b];
          normal[a][3] += weights[i] * weights[i] * columns[a] * points->squares[i];
        }
    }
  for (int a = 0; a < 3; a++)
    length[a] = sqrt (normal[a][a]);
  for (int a = 0; a < 3; a++)
    {
      int used = subset >> a & 1;

      for (int b = 0; b < 3; b++)
        normal[a][b] = used && subset >> b & 1 ? normal[a][b] / (length[a] * length[b]) : a == b;
      normal[a][3] = used ? normal[a][3] / length[a] : 0.0;
    }
  for (int a = 0; a < 3; a++)
    {
      if (normal[a][a] < 1e-12)
        return 0;
      for (int row = 0; row < 3; row++)
        for (int b = 3; b >= a && row != a; b--)
          normal[row][b] -= normal[row][a] / normal[a][a] * normal[a][b];
    }
  for (int a = 0; a < 3; a++)
    fit[a] = normal[a][3] / normal[a][a] / length[a];
  return 1;
}

static inline void
denoise_best_fit (const DenoisePoints *points, const double *weights, int lean, double best[3])
{
  double least = INFINITY, all = 0.0, fit[3];

  for (int i = 0; i < points->n; i++)
    all += pow (weights[i] * points->squares[i], 2.0);
  for (int subset = 1; subset < 8; subset++)
    {
      double rest = 0.0;

      if (!denoise_solve (points, weights, subset, fit) || fit[0] < 0.0 || fit[1] < 0.0 || fit[2] < 0.0)
        continue;
      for (int i = 0; i < points->n; i++)
        rest += pow (weights[i] * (points->squares[i] - denoise_fit_at (fit, points->v[i])), 2.0);
      if (rest < least + (lean ? 1e-10 : -1e-10) * all)
        {
          memcpy (best, fit, sizeof fit);
          least = fmin (rest, least);
        }
    }
}

static inline void
denoise_curve (const DenoisePoints *points, int lean, double sigma[DENOISE_KNOTS])
{
  double now[DENOISE_TONES], weights[DENOISE_TONES], sum = 0.0, total = 0.0, fit[3] = { 0.0 };

  for (int i = 0; i < points->n; i++)
    {
      double weight = sqrt (fmin (points->blocks[i], 400.0));

      sum += weight * log (points->squares[i]);
      total += weight;
    }
  for (int i = 0; i < points->n; i++)
    now[i] = exp (sum / total);
  for (int round = 0; round < 12; round++)
    {
      for (int i = 0; i < points->n; i++)
        weights[i] = sqrt (fmin (points->blocks[i], 400.0)) / now[i] * fmin (1.0, pow (now[i] / points->squares[i], 1.5));
      denoise_best_fit (points, weights, lean, fit);
      for (int i = 0; i < points->n; i++)
        now[i] = fmax (denoise_fit_at (fit, points->v[i]), DENOISE_QUANTUM / 10.0);
    }
  for (int j = 0; j < DENOISE_KNOTS; j++)
    {
      double v = fmin (fmax (j / (DENOISE_KNOTS - 1.0), points->v[0]), points->v[points->n - 1]);

      sigma[j] = sqrt (fmax (denoise_fit_at (fit, v), DENOISE_QUANTUM));
    }
}

/* Whether the channel has a tone with enough blocks. */
static inline int
denoise_measure (const DenoisePicture *picture, int channel, int lean, double sigma[DENOISE_KNOTS], DenoiseLife *life)
{
  DenoiseTone  *tones = ref_allocate (DENOISE_TONES, sizeof (DenoiseTone));
  DenoisePoints points = { 0 };
  double        ratio = 36.0 / denoise_chi_quantile (36.0, 0.02);

  denoise_count (picture, channel, lean, tones, life);
  for (int k = 0; k < DENOISE_TONES; k++)
    if (tones[k].n >= DENOISE_LEAST)
      {
        points.v[points.n] = tones[k].mean / tones[k].n;
        points.squares[points.n] = ratio * denoise_quantile (tones[k].counts, tones[k].n);
        points.blocks[points.n++] = tones[k].n;
      }
  free (tones);
  if (points.n > 0)
    denoise_curve (&points, lean, sigma);
  return points.n > 0;
}

static inline void
denoise_curves (const DenoisePicture *picture, int lean, DenoiseNoise *noise)
{
  int    has[3], n = 0;
  double mean[DENOISE_KNOTS] = { 0.0 };
  DenoiseLife life[3] = { { 0.0, 0.0, 0.0 } };

  for (int c = 0; c < 3; c++)
    {
      has[c] = denoise_measure (picture, c, lean, noise->sigma[c], &life[c]);
      n += has[c];
      for (int j = 0; j < DENOISE_KNOTS && has[c]; j++)
        mean[j] += noise->sigma[c][j];
    }
  for (int c = 0; c < 3; c++)
    for (int j = 0; j < DENOISE_KNOTS && !has[c]; j++)
      noise->sigma[c][j] = n ? mean[j] / n : DENOISE_INVISIBLE;
  for (int c = 0; c < 3; c++)
    {
      noise->stays[c] = life[c].alive < life[c].blocks;
      noise->is_seen[c] = 32.0 * life[c].n >= fmax (life[0].n, fmax (life[1].n, life[2].n));
    }
}

/* -------------------------------------------------------------- tables -- */

static inline double
denoise_look_up (const double *table, int n, double position)
{
  int i = (int) fmin (fmax (floor (position), 0.0), n - 2.0);

  return table[i] + (table[i + 1] - table[i]) * (position - i);
}

static inline void
denoise_tables (DenoiseNoise *noise, int c)
{
  double sums[DENOISE_TABLE] = { 0.0 }, before = 0.0;
  int    i = 0;

  for (int k = 0; k < DENOISE_TABLE; k++)
    {
      double here = 1.0 / denoise_look_up (noise->sigma[c], DENOISE_KNOTS, (DENOISE_KNOTS - 1.0) * k / (DENOISE_TABLE - 1.0));

      sums[k] = k ? sums[k - 1] + (before + here) / 2.0 / (DENOISE_TABLE - 1.0) : 0.0;
      before = here;
      noise->table[c][k] = (float) sums[k];
    }
  noise->top[c] = sums[DENOISE_TABLE - 1];
  for (int k = 0; k < DENOISE_INVERSE; k++)
    {
      double t = noise->top[c] * k / (DENOISE_INVERSE - 1.0);

      while (i < DENOISE_TABLE - 2 && sums[i + 1] < t)
        i++;
      noise->inverse[c][k] = (float) ((i + (t - sums[i]) / (sums[i + 1] - sums[i])) / (DENOISE_TABLE - 1.0));
    }
}

static inline double
denoise_stabilise (const DenoiseNoise *noise, int c, double v)
{
  return denoise_look_up (noise->table[c], DENOISE_TABLE, v * (DENOISE_TABLE - 1.0));
}

static inline double
denoise_restore (const DenoiseNoise *noise, int c, double t)
{
  return denoise_look_up (noise->inverse[c], DENOISE_INVERSE, t / noise->top[c] * (DENOISE_INVERSE - 1.0));
}

/* ------------------------------------------------------- second pass -- */

typedef struct
{
  double n, counts[DENOISE_CLASSES], sums[DENOISE_CLASSES][192];
} DenoiseSquares;

/* A block's 192 F^2, and how far an F of float may be from its; 0 where the block does not count. */
static inline int
denoise_block_squares (const DenoisePicture *picture, const DenoisePicture *opponent, const int is_seen[3], int lean, int x, int y,
                       double squares[192], double *error)
{
  double samples[64], largest, most = 0.0;
  int    clipped = 0, there = 0;

  for (int i = 0; i < 64; i++)
    {
      size_t at = (size_t) (y + i / 8) * picture->width + x + i % 8;
      int    any = 0;

      for (int c = 0; c < 3; c++)
        any |= is_seen[c] && denoise_is_clipped (picture->planes[c][at], lean * picture->error);
      clipped += any && !picture->holes[at];
    }
  for (int c = 0; c < 3; c++)
    {
      there = denoise_block (opponent, opponent->planes[c], x, y, samples, &largest);
      if (clipped > 8 || !there)
        return 0;
      most = fmax (most, largest);
      denoise_transform (samples, squares + 64 * c, 0);
    }
  for (int i = 0; i < 192; i++)
    squares[i] *= squares[i] * denoise_lacks (there);
  *error = (8.0 * DENOISE_UNIT + picture->error) * most;
  return 1;
}

static inline void
denoise_gather (const DenoisePicture *picture, const DenoisePicture *opponent, const int is_seen[3], int lean, DenoiseSquares *found)
{
  double squares[192], error;

  for (int y = 4; y + 8 <= picture->height; y += 8)
    for (int x = 4; x + 8 <= picture->width; x += 8)
      {
        double e = 0.0;
        int    class;

        if (!denoise_block_squares (picture, opponent, is_seen, lean, x, y, squares, &error))
          continue;
        for (int i = 0; i < 192; i++)
          e += i % 64 / 8 + i % 8 >= 3 ? squares[i] / 174.0 : 0.0;
        class = denoise_class (denoise_lean (e, error, lean));
        found->n += 1.0;
        found->counts[class] += 1.0;
        for (int i = 0; i < 192; i++)
          found->sums[class][i] += round (65536.0 * fmin (squares[i], 32768.0));
      }
}

/* Mean squares of the blocks up to `most`, of whose class a part counts, as in a quantile; their number. */
static inline double
denoise_mean_squares (const DenoiseSquares *found, double most, double mean[192])
{
  double n = 0.0;

  memset (mean, 0, 192 * sizeof *mean);
  for (int class = 0; class <= denoise_class (most); class++)
    {
      const double start = denoise_class_start (class);
      const double part = fmin ((most - start) / (denoise_class_start (class + 1) - start), 1.0);

      n += part * found->counts[class];
      for (int i = 0; i < 192; i++)
        mean[i] += part * found->sums[class][i] / 65536.0;
    }
  for (int i = 0; i < 192; i++)
    mean[i] /= n;
  return n;
}

/* P^2 of a plane from the mean squares of n blocks. */
static inline void
denoise_shares (const double mean[64], double n, double squares[64])
{
  double drawn[64], cap;

  for (int i = 0; i < 64; i++)
    drawn[i] = (mean[i] * n + 32.0) / (n + 32.0);
  for (int i = 0; i < 64; i++)
    squares[i] = (drawn[i] + drawn[i % 8 * 8 + i / 8]) / 2.0;
  cap = 1.5 * (squares[2] + squares[9] + squares[16]) / 3.0;
  squares[0] = fmin (squares[0], cap);
  squares[1] = fmin (squares[1], cap);
  squares[8] = fmin (squares[8], cap);
  for (int i = 0; i < 64; i++)
    squares[i] = fmax (squares[i], DENOISE_FLOOR);
}

static inline double
denoise_mix (const DenoiseNoise *noise)
{
  double high = 0.0, low = 0.0;

  for (int i = 64; i < 192; i++)
    {
      int    order = i % 64 / 8 + i % 8;
      double square = noise->squares[i / 64][i % 64];

      high += order >= 7 ? square / 72.0 : 0.0;
      low += order >= 1 && order <= 2 ? square / 10.0 : 0.0;
    }
  return fmin (fmax ((0.9 - sqrt (high / low)) / 0.4, 0.0), 1.0);
}

static inline void
denoise_frequencies (const DenoisePicture *picture, const DenoisePicture *opponent, int lean, DenoiseNoise *noise)
{
  DenoiseSquares *found = ref_allocate (1, sizeof (DenoiseSquares));
  double          mean[192], q, n, sum = 0.0, squares = 0.0, nu, k;

  denoise_gather (picture, opponent, noise->is_seen, lean, found);
  if (found->n >= DENOISE_LEAST)
    {
      q = denoise_quantile (found->counts, found->n) * (1.0 + lean * 4.0 * DENOISE_UNIT);
      denoise_mean_squares (found, 1.25 * q, mean);
      for (int i = 0; i < 192; i++)
        if (i % 64 / 8 + i % 8 >= 3)
          {
            sum += mean[i];
            squares += mean[i] * mean[i];
          }
      nu = sum > 0.0 ? fmax (30.0, sum * sum / squares) : 30.0;
      k = denoise_chi (nu, nu) / denoise_chi (nu + 2.0, nu);
      n = denoise_mean_squares (found, nu / denoise_chi_quantile (nu, 0.02) * q, mean);
      for (int i = 0; i < 192; i++)
        mean[i] *= k;
      for (int c = 0; c < 3; c++)
        denoise_shares (mean + 64 * c, n, noise->squares[c]);
      for (int i = 0; i < 192 && sum == 0.0; i++)
        noise->squares[i / 64][i % 64] = DENOISE_FLOOR;
    }
  noise->mix = denoise_mix (noise);
  free (found);
}

#endif
