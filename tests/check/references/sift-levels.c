/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The scale space of SIFT and its extrema, in float and in the written order.
 *
 *   doubled: out[2i] = .25 in[i-1] + .75 in[i],  out[2i+1] = .75 in[i] + .25 in[i+1], along x, then y
 *   G[0] = blur of sqrt (max (sigma^2 - (.5 or 1)^2, .01));  G[i] = blur of G[i-1] by sigma K^(i-1) sqrt (K^2 - 1)
 *   K = 2^(1/intervals),  D[i] = G[i+1] - G[i],  the next octave: every second pixel of G[intervals]
 *   a candidate: D > pre, beyond the neighbours before it and not below those after it; or so for -D
 *
 * A blur has 2 ceil (4 sigma) + 1 taps, along rows, then along columns.  A sum begins with its first product.  Beyond the edge
 * of the octave the nearest pixel counts.
 */
#include "sift.h"

#include <math.h>
#include <stdlib.h>

#define MOST_TAPS     256
#define LEAST_SIDE    11
#define CAMERA_BLUR   0.5               /* that an image has already */
#define LEVEL_ERROR   0.1               /* of the input's: blurs average.  Measured: an eighth of what follows */

static float *
plane_new (int width, int height)
{
  float *plane = malloc (((size_t) width * height + 1) * sizeof (float));

  if (!plane)
    abort ();
  return plane;
}

static int
clamp (int at, int n)
{
  return at < 0 ? 0 : at >= n ? n - 1 : at;
}

static int
smaller (int a, int b)
{
  return a < b ? a : b;
}

/* ---------------------------------------------------------------- blurs -- */

int
reference_sift_radius (const RefSiftSettings *settings, int layer, double *sigma)
{
  double k = pow (2.0, 1.0 / settings->intervals), blur = CAMERA_BLUR * (settings->upsample ? 2.0 : 1.0);

  *sigma = layer == 0 ? sqrt (fmax (settings->sigma * settings->sigma - blur * blur, 0.01))
                      : settings->sigma * pow (k, layer - 1) * sqrt (k * k - 1.0);
  return (int) ceil (4.0 * *sigma);
}

static void
weights_of (double sigma, int radius, float weights[MOST_TAPS])
{
  double exact[MOST_TAPS], total = 0.0;

  for (int i = -radius; i <= radius; i++)
    total += exact[i + radius] = exp (-(double) (i * i) / (2.0 * sigma * sigma));
  for (int i = 0; i <= 2 * radius; i++)
    weights[i] = (float) (exact[i] / total);
}

static float *
blurred (const float *in, int width, int height, double sigma, int radius)
{
  float *rows = plane_new (width, height), *out = plane_new (width, height), weights[MOST_TAPS];

  weights_of (sigma, radius, weights);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      {
        const float *row = in + (size_t) y * width;
        float        sum = weights[0] * row[clamp (x - radius, width)];

        for (int i = 1; i <= 2 * radius; i++)
          sum += weights[i] * row[clamp (x - radius + i, width)];
        rows[(size_t) y * width + x] = sum;
      }
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      {
        float sum = weights[0] * rows[(size_t) clamp (y - radius, height) * width + x];

        for (int i = 1; i <= 2 * radius; i++)
          sum += weights[i] * rows[(size_t) clamp (y - radius + i, height) * width + x];
        out[(size_t) y * width + x] = sum;
      }
  free (rows);
  return out;
}

/* ---------------------------------------------------------------- bases -- */

static float
between (float before, float here, int is_odd, float after)
{
  return is_odd ? 0.75f * here + 0.25f * after : 0.25f * before + 0.75f * here;
}

static float *
doubled (const float *in, int width, int height)
{
  float *wide = plane_new (2 * width, height), *out = plane_new (2 * width, 2 * height);

  for (int y = 0; y < height; y++)
    for (int x = 0; x < 2 * width; x++)
      {
        const float *row = in + (size_t) y * width;

        wide[(size_t) y * 2 * width + x] = between (row[clamp (x / 2 - 1, width)], row[x / 2], x % 2,
                                                    row[clamp (x / 2 + 1, width)]);
      }
  for (int y = 0; y < 2 * height; y++)
    for (int x = 0; x < 2 * width; x++)
      {
        const float *column = wide + x;
        size_t       step = (size_t) 2 * width;

        out[y * step + x] = between (column[clamp (y / 2 - 1, height) * step], column[y / 2 * step], y % 2,
                                     column[clamp (y / 2 + 1, height) * step]);
      }
  free (wide);
  return out;
}

static float *
cleaned (const float *in, int width, int height)
{
  float *out = plane_new (width, height);

  for (size_t i = 0; i < (size_t) width * height; i++)
    out[i] = isfinite (in[i]) ? in[i] : 0.0f;
  return out;
}

static float *
halved (const float *in, int width, int height)
{
  float *out = plane_new (width / 2, height / 2);

  for (int y = 0; y < height / 2; y++)
    for (int x = 0; x < width / 2; x++)
      out[(size_t) y * (width / 2) + x] = in[(size_t) 2 * y * width + 2 * x];
  return out;
}

/* -------------------------------------------------------------- octaves -- */

static int
count_octaves (int width, int height, const RefSiftSettings *settings)
{
  int n = (int) floor (log2 (smaller (width, height)) + 0.5) - 1;
  int fit = 0;

  if (settings->octaves > 0)
    n = smaller (n, settings->octaves);
  while (fit < n && smaller (width >> fit, height >> fit) >= LEAST_SIDE)
    fit++;
  return fit;
}

/* Takes over the base. */
static void
fill_octave (RefOctave *octave, float *base, const RefSiftSettings *settings)
{
  octave->intervals = settings->intervals;
  octave->levels[0] = base;
  for (int i = 1; i <= settings->intervals + 2; i++)
    {
      double sigma;
      int    radius = reference_sift_radius (settings, i, &sigma);

      octave->levels[i] = blurred (octave->levels[i - 1], octave->width, octave->height, sigma, radius);
    }
}

int
reference_sift_octaves (const float *luminance, int width, int height, const RefSiftSettings *settings,
                        RefOctave **octaves)
{
  int    factor = settings->upsample ? 2 : 1, n, radius;
  double sigma;
  float *clean, *base;

  *octaves = NULL;
  if (width < 1 || height < 1)
    return 0;
  n = count_octaves (width * factor, height * factor, settings);
  if (n < 1)
    return 0;
  *octaves = calloc ((size_t) n, sizeof (RefOctave));
  if (!*octaves)
    abort ();
  clean = cleaned (luminance, width, height);
  base = settings->upsample ? doubled (clean, width, height) : clean;
  radius = reference_sift_radius (settings, 0, &sigma);
  for (int i = 0; i < n; i++)
    {
      RefOctave *octave = *octaves + i, *before = octave - 1;

      octave->error = LEVEL_ERROR * settings->input_error;
      octave->index = settings->upsample ? i - 1 : i;
      octave->width = width * factor >> i;
      octave->height = height * factor >> i;
      fill_octave (octave, i == 0 ? blurred (base, octave->width, octave->height, sigma, radius)
                                  : halved (before->levels[settings->intervals], before->width, before->height),
                   settings);
    }
  if (base != clean)
    free (base);
  free (clean);
  return n;
}

void
reference_sift_octaves_free (RefOctave *octaves, int n)
{
  for (int i = 0; i < n; i++)
    for (int level = 0; level < octaves[i].intervals + 3; level++)
      free (octaves[i].levels[level]);
  free (octaves);
}

/* ----------------------------------------------------------- candidates -- */

float
reference_sift_difference (const RefOctave *octave, int layer, int row, int column)
{
  size_t at = (size_t) row * octave->width + column;

  return octave->levels[layer + 1][at] - octave->levels[layer][at];
}

/* By how much sign * D is beyond its neighbours and `pre`, at least, or less than -error.  `holds`: it is a maximum.  A NaN is
 * none, and beside one there is none. */
static double
margin_of (const RefOctave *octave, int layer, int row, int column, float sign, float pre, double error, int *holds)
{
  float  here = sign * reference_sift_difference (octave, layer, row, column);
  double margin = (double) here - (double) pre;

  *holds = here > pre;
  for (int l = -1; l <= 1; l++)
    for (int y = -1; y <= 1; y++)
      for (int x = -1; x <= 1; x++)
        {
          float beside = sign * reference_sift_difference (octave, layer + l, row + y, column + x);
          int   order = 9 * l + 3 * y + x;

          if (order == 0)
            continue;
          if (!*holds && !(margin >= -error))
            return margin;
          *holds = *holds && (order < 0 ? here > beside : here >= beside);
          margin = fmin (margin, (double) here - (double) beside);
        }
  return margin;
}

/* Two differences of two levels each are compared. */
static int
judge (const RefOctave *octave, float pre, RefCandidate *candidate)
{
  double error = 4.0 * octave->error;

  candidate->holds = candidate->doubt = 0;
  for (int sign = -1; sign <= 1; sign += 2)
    {
      int    holds;
      double margin = margin_of (octave, candidate->layer, candidate->row, candidate->column, (float) sign, pre, error,
                                 &holds);

      candidate->holds |= holds;
      candidate->doubt |= error > 0.0 && fabs (margin) <= error;
    }
  return candidate->holds || candidate->doubt;
}

size_t
reference_sift_candidates (const RefOctave *octave, const RefSiftSettings *settings, RefCandidate **candidates)
{
  float  pre = (float) (0.5 * settings->contrast_threshold / settings->intervals);
  size_t n = 0, room = 0;

  *candidates = NULL;
  for (int layer = 1; layer <= settings->intervals; layer++)
    for (int row = REF_SIFT_FRAME; row < octave->height - REF_SIFT_FRAME; row++)
      for (int column = REF_SIFT_FRAME; column < octave->width - REF_SIFT_FRAME; column++)
        {
          RefCandidate candidate = { layer, row, column, 0, 0 };

          if (!judge (octave, pre, &candidate))
            continue;
          if (n == room)
            *candidates = realloc (*candidates, (room = 2 * room + 64) * sizeof (RefCandidate));
          if (!*candidates)
            abort ();
          (*candidates)[n++] = candidate;
        }
  return n;
}
