/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * One bilateral grid whose guide is its value: the means G(l; s, r) of a plane, alpha weighs.  |mean - l| is at most 2.5 r. */
#ifndef PLANE_GRID_H
#define PLANE_GRID_H

#include "bilateral-cells.h"

#define PLANE_ROUNDING  0x1p-22         /* of the position l/r in float */
#define PLANE_SUMS      1e-5            /* of float sums, where weights cancel */

typedef struct
{
  double value, error;          /* error: how far a float's value may be from it */
  double weight;
  int    gives;                 /* else it gives the grid nothing */
} PlanePixel;

typedef struct
{
  double value, error, largest; /* largest: |l| of what it is made of */
} PlaneMean;

typedef struct
{
  const PlanePixel *pixels;
  int               width, cancels;     /* cancels: some weight is negative */
  double            r;
  Sample           *samples;
  Grid              grid;
} PlaneGrid;

static inline Sample
plane_sample (const PlanePixel *pixel, double r)
{
  double value = pixel->value, weight = pixel->weight;
  Sample sample = { .cell.sums = { .count = weight, .sum = { weight * value }, .largest = { fabs (value), pixel->error },
                                   .magnitude = fabs (weight) * fmax (1.0, fabs (value)) } };

  sample.error = PLANE_ROUNDING * fmax (1.0, fabs (value / r)) + pixel->error / r;
  place_sample (&sample, value / r, sample.error);
  sample.valid &= pixel->gives && weight != 0.0 && fabs (weight) <= FLT_MAX && fabs (weight * value) <= FLT_MAX;
  return sample;
}

static inline void
plane_grid_open (PlaneGrid *plane, const PlanePixel *pixels, int width, int height, double s, double r)
{
  size_t count = (size_t) width * height;

  plane->pixels = pixels;
  plane->width = width;
  plane->r = r;
  plane->cancels = 0;
  plane->samples = ref_allocate (count, sizeof (Sample));
  for (size_t i = 0; i < count; i++)
    {
      plane->samples[i] = plane_sample (&pixels[i], r);
      plane->cancels |= pixels[i].weight < 0.0;
    }
  plane->grid = build_grid (plane->samples, width, height, s, ref_allocate (count, sizeof (Cell)));
}

static inline void
plane_grid_close (PlaneGrid *plane)
{
  free (plane->samples);
  free (plane->grid.cells);
}

/* Where a share f of the weights may belong elsewhere, the mean moves by f/(1 - f) times what its samples are from it at most. */
static inline double
plane_error (const PlaneGrid *plane, const Sample *sample, const Sums *sums, double apart)
{
  double steep = sums->steep / fabs (sums->count), r = plane->r;
  double share = sample->error * steep + 0.25 * sums->tied / fabs (sums->count);
  double widest = 5.0 * r * (1.0 + sample->error), error = INFINITY;

  if (share < 0.5 && sums->magnitude <= CELL_OVERFLOW)
    error = share / (1.0 - share) * (2.5 * r + apart) + (plane->cancels ? 4.0 * PLANE_SUMS * steep * sums->largest[0] : 0.0);
  return (plane->cancels || sums->magnitude > CELL_OVERFLOW ? error : fmin (error, widest)) + sums->largest[1];
}

/* A pixel that gives nothing, or whose weights sum to 0, is its own mean. */
static inline PlaneMean
plane_grid_mean (const PlaneGrid *plane, int x, int y)
{
  size_t        at = (size_t) y * plane->width + x;
  const Sample *sample = &plane->samples[at];
  double        own = plane->pixels[at].value;
  PlaneMean     mean = { own, 0.0, fabs (own) };
  Sums          sums;

  if (!sample->valid)
    return mean;
  sums = slice_grid (&plane->grid, x, y, sample->position, sample->error);
  if (sums.count == 0.0)
    return (PlaneMean) { own, INFINITY, sums.largest[0] };
  mean.value = sums.sum[0] / sums.count;
  mean.largest = sums.largest[0];
  mean.error = plane_error (plane, sample, &sums, fabs (mean.value - own));
  return mean;
}

#endif
