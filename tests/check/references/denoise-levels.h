/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * One plane of denoise.c: windows of 8x8, thresholds, then Wiener's factors by what that left, on three levels.
 *
 * Yu & Sapiro, DCT image denoising, IPOL 2011; Pierazzo, Morel, Facciolo, Multi-Scale DCT Denoising, IPOL 2017. */
#ifndef DENOISE_LEVELS_H
#define DENOISE_LEVELS_H

#include "denoise-survey.h"

#define DENOISE_THRESHOLD  2.7
#define DENOISE_WIENER     1.4
#define DENOISE_MARGIN     1e-4

typedef struct
{
  int            width, height;
  double        *values;
  unsigned char *holes;
} DenoisePlane;

/* P of the plane with its slider, the step of its windows, what is left of texture; lean: see denoise-survey.h */
typedef struct
{
  double p[64];
  int    step;
  double detail;
  int    lean;
  double error;                 /* of a value, relative to the largest near it */
} DenoiseStep;

static inline DenoisePlane
denoise_plane_new (int width, int height)
{
  size_t count = (size_t) width * height;

  return (DenoisePlane) { width, height, ref_allocate (count, sizeof (double)), ref_allocate (count, 1) };
}

static inline void
denoise_plane_free (DenoisePlane *plane)
{
  free (plane->values);
  free (plane->holes);
}

/* -1 is 0 */
static inline int
denoise_mirror (int position, int size)
{
  int within = (position % (2 * size) + 2 * size) % (2 * size);

  return within < size ? within : 2 * size - 1 - within;
}

static inline size_t
denoise_at (const DenoisePlane *plane, int x, int y)
{
  return (size_t) denoise_mirror (y, plane->height) * plane->width + denoise_mirror (x, plane->width);
}

/* Holes have the mean of the others.  0: all are holes. */
static inline int
denoise_window (const DenoisePlane *plane, const double *values, int x, int y, double window[64], double *largest)
{
  double sum = 0.0;
  int    n = 0;

  *largest = 0.0;
  for (int i = 0; i < 64; i++)
    {
      size_t at = denoise_at (plane, x + i % 8, y + i / 8);

      if (plane->holes[at])
        continue;
      sum += values[at];
      n++;
      *largest = fmax (*largest, fabs (values[at]));
    }
  for (int i = 0; i < 64 && n > 0; i++)
    {
      size_t at = denoise_at (plane, x + i % 8, y + i / 8);

      window[i] = plane->holes[at] ? sum / n : values[at];
    }
  return n > 0;
}

static inline double
denoise_total (const double p[64])
{
  double total = 0.0;

  for (int i = 0; i < 64; i++)
    total += p[i] * p[i];
  return total;
}

/* The first stage of a window: its weight. */
static inline double
denoise_cut (const DenoiseStep *step, double f[64], double largest)
{
  double kept = 0.0, error = (16.0 * DENOISE_UNIT + step->error) * largest;

  for (int i = 0; i < 64; i++)
    {
      double threshold = DENOISE_THRESHOLD * step->p[i];
      int    passes = fabs (f[i]) + step->lean * (DENOISE_MARGIN * threshold + error) > threshold;

      kept += passes ? step->p[i] * step->p[i] : 0.0;
      f[i] = passes || i == 0 ? f[i] : 0.0;
    }
  return 1.0 / (kept + denoise_total (step->p) / 64.0);
}

/* The second stage, g the transform of what the first one left. */
static inline double
denoise_weigh (const DenoiseStep *step, double f[64], const double g[64])
{
  double texture = 0.0, total = denoise_total (step->p), sum = 0.0;

  for (int i = 1; i < 64; i++)
    texture += g[i] * g[i];
  for (int i = 0; i < 64; i++)
    {
      double square = g[i] * g[i], noise = step->p[i] * step->p[i], factor = square / (square + DENOISE_WIENER * noise);

      factor += (1.0 - factor) * step->detail * texture / (texture + 2.0 * total);
      sum += factor * factor * noise;
      f[i] *= i ? factor : 1.0;
    }
  return 1.0 / (sum + total / 64.0);
}

static inline void
denoise_add (const DenoisePlane *plane, int x, int y, const double window[64], double weight, double *sums, double *weights)
{
  for (int i = 0; i < 64; i++)
    if (x + i % 8 >= 0 && x + i % 8 < plane->width && y + i / 8 >= 0 && y + i / 8 < plane->height)
      {
        size_t at = denoise_at (plane, x + i % 8, y + i / 8);

        sums[at] += weight * window[i];
        weights[at] += weight;
      }
}

/* All windows of a stage; pilot NULL: the first.  Holes stay. */
static inline void
denoise_stage (const DenoisePlane *plane, const DenoiseStep *step, const double *pilot, double *result)
{
  size_t  count = (size_t) plane->width * plane->height;
  double *sums = ref_allocate (count, sizeof (double)), *weights = ref_allocate (count, sizeof (double));
  int     first = step->step - 8;
  double  window[64], f[64], g[64], largest, weight;

  for (int y = first; y < plane->height; y += step->step)
    for (int x = first; x < plane->width; x += step->step)
      {
        if (!denoise_window (plane, plane->values, x, y, window, &largest))
          continue;
        denoise_transform (window, f, 0);
        if (pilot)
          {
            denoise_window (plane, pilot, x, y, window, &largest);
            denoise_transform (window, g, 0);
          }
        weight = pilot ? denoise_weigh (step, f, g) : denoise_cut (step, f, largest);
        denoise_transform (f, window, 1);
        denoise_add (plane, x, y, window, weight, sums, weights);
      }
  for (size_t i = 0; i < count; i++)
    result[i] = plane->holes[i] ? plane->values[i] : sums[i] / weights[i];
  free (sums);
  free (weights);
}

/* -------------------------------------------------------------- levels -- */

/* Means of 2x2 pixels without holes; four holes make one. */
static inline DenoisePlane
denoise_halve (const DenoisePlane *plane, const double *values)
{
  DenoisePlane half = denoise_plane_new ((plane->width + 1) / 2, (plane->height + 1) / 2);

  for (int i = 0; i < half.width * half.height; i++)
    {
      double sum = 0.0;
      int    n = 0;

      for (int k = 0; k < 4; k++)
        {
          size_t at = denoise_at (plane, i % half.width * 2 + k % 2, i / half.width * 2 + k / 2);

          sum += plane->holes[at] ? 0.0 : values[at];
          n += !plane->holes[at];
        }
      half.holes[i] = n == 0;
      half.values[i] = n ? sum / n : 0.0;
    }
  return half;
}

/* The coarse pixel beside the one that x lies in. */
static inline int
denoise_beside (int x, int size)
{
  int beside = x % 2 ? x / 2 + 1 : x / 2 - 1;

  return beside < 0 ? 0 : beside >= size ? size - 1 : beside;
}

static inline double
denoise_up (const double *coarse, int width, int height, int x, int y)
{
  const double *near = coarse + (size_t) (y / 2) * width, *far = coarse + (size_t) denoise_beside (y, height) * width;
  int           beside = denoise_beside (x, width);

  return 0.75 * (0.75 * near[x / 2] + 0.25 * near[beside]) + 0.25 * (0.75 * far[x / 2] + 0.25 * far[beside]);
}

static inline DenoiseStep
denoise_coarser (const DenoiseStep *step)
{
  DenoiseStep coarser = *step;

  for (int i = 0; i < 64; i++)
    coarser.p[i] = step->p[(i / 8 + 1) / 2 * 8 + (i % 8 + 1) / 2] / 2.0;
  coarser.p[0] = coarser.p[1];
  return coarser;
}

static inline void
denoise_correct (const DenoisePlane *plane, const DenoisePlane *coarse, const double *coarse_result, double *result)
{
  DenoisePlane down = denoise_halve (plane, result);

  for (int i = 0; i < coarse->width * coarse->height; i++)
    down.values[i] = coarse->holes[i] ? 0.0 : coarse_result[i] - down.values[i];
  for (int i = 0; i < plane->width * plane->height; i++)
    if (!plane->holes[i])
      result[i] += denoise_up (down.values, down.width, down.height, i % plane->width, i / plane->width);
  denoise_plane_free (&down);
}

/* result: the plane without noise; `levels` of them, this one counted. */
static inline void
denoise_levels (const DenoisePlane *plane, const DenoiseStep *step, int levels, double *result)
{
  double *pilot = ref_allocate ((size_t) plane->width * plane->height, sizeof (double));

  denoise_stage (plane, step, NULL, pilot);
  denoise_stage (plane, step, pilot, result);
  free (pilot);
  if (levels > 1)
    {
      DenoisePlane coarse = denoise_halve (plane, plane->values);
      DenoiseStep  coarser = denoise_coarser (step);
      double      *below = ref_allocate ((size_t) coarse.width * coarse.height, sizeof (double));

      denoise_levels (&coarse, &coarser, levels - 1, below);
      denoise_correct (plane, &coarse, below, result);
      denoise_plane_free (&coarse);
      free (below);
    }
}

#endif
