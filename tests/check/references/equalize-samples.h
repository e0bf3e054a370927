/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The values that equalize.c counts: in which bins they may lie, and how many there are of each. */
#ifndef EQUALIZE_SAMPLES_H
#define EQUALIZE_SAMPLES_H

#include "luma.h"
#include "reference.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#define UNIT_ROUNDOFF    0x1p-24
#define DENORMAL_SLACK   1e-37
#define OVERFLOW_LIMIT   (FLT_MAX / 4.0)

typedef struct
{
  double value, deviation;      /* deviation: how far a float's value may be from it */
  int    bin, low, high;        /* the bin and those that a float's value may fall into */
  int    counted, overflows;
} Sample;

typedef struct
{
  double value, low, high;
} Estimate;

typedef struct
{
  double   count, least, most;  /* pixels in the bin; the fewest and the most there can be */
  Estimate cdf;                 /* pixels in the bins up to this */
} Bin;

typedef enum { TABLE_MAPS, TABLE_UNCHANGED, TABLE_UNKNOWN } TableUse;

typedef struct
{
  const RefImage *image;
  const double   *weights;
  int             channels, channel, bins;
  double          clip_limit;
  Sample         *samples;              /* of all pixels */
  int             tiles_x, tiles_y;     /* 1, 1: global */
  TableUse        use;
  Estimate       *tables[2];            /* of the two rows of tiles that are in use */
  int             rows[2];              /* which they are, or -1 */
} Plane;

static void
set_luminance (const Plane *plane, const double *pixel, Sample *sample)
{
  Luma luma = luma_of (pixel, plane->weights, plane->image->error);

  sample->value = luma.value;
  sample->deviation = luma.deviation;
  sample->overflows |= luma.overflows;
}

/* Rounding to float can take a position up to a whole number, never down from one to below it. */
static int
clamp_bin (double position, int bins)
{
  return position >= bins ? bins - 1 : position < 0.0 ? 0 : (int) floor (position);
}

static Sample
make_sample (const Plane *plane, const double *pixel)
{
  Sample sample = { pixel[plane->channel], 0.0, 0, 0, 0, 0, 0 };
  double high;

  if (!plane->channels)
    set_luminance (plane, pixel, &sample);
  else if (isfinite (sample.value))
    sample.deviation = plane->image->error * fabs (sample.value);
  if (isnan (sample.value))
    return sample;
  sample.bin = clamp_bin (sample.value * plane->bins, plane->bins);
  sample.low = clamp_bin ((sample.value - sample.deviation) * plane->bins, plane->bins);
  high = (sample.value + sample.deviation) * plane->bins;
  sample.high = clamp_bin ((float) fmax (fmin (high, plane->bins), -1.0), plane->bins);
  sample.counted = pixel[3] != 0.0;
  return sample;
}

/* Counts the rectangle; low: every pixel in its highest bin, high: in its lowest.  Returns n. */
static int
count_pixels (const Plane *plane, int x0, int y0, int x1, int y1, Bin *bins)
{
  int n = 0;

  for (int y = y0; y < y1; y++)
    for (int x = x0; x < x1; x++)
      {
        const Sample *sample = &plane->samples[(size_t) y * plane->image->width + x];

        if (!sample->counted)
          continue;
        n++;
        bins[sample->bin].count += 1.0;
        bins[sample->bin].cdf.value += 1.0;
        bins[sample->high].cdf.low += 1.0;
        bins[sample->low].cdf.high += 1.0;
        if (sample->low == sample->high)
          bins[sample->bin].least += 1.0;
        for (int b = sample->low; b <= sample->high; b++)
          bins[b].most += 1.0;
      }
  for (int b = 1; b < plane->bins; b++)
    {
      bins[b].cdf.value += bins[b - 1].cdf.value;
      bins[b].cdf.low += bins[b - 1].cdf.low;
      bins[b].cdf.high += bins[b - 1].cdf.high;
    }
  return n;
}

#endif
