/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Median (percentile) filter: of the n samples of the neighbourhood, sorted ascending,
 *
 *   out = the sample of rank max (ceil (n percentile / 100), 1), the first being 1
 *
 * of R', G', B' each alone, and of alpha if filter_alpha, else alpha is copied.  The
 * neighbourhood is |dx|, |dy| <= r or, as a circle, dx^2 + dy^2 <= (r + 1/2)^2; border none
 * leaves outside pixels out of the samples, and every border the colours of pixels of alpha 0; where no sample is left
 * the pixel stays.  No paper: the specification's text.
 *
 * The rank is exact: the smallest k with 100 k >= n percentile, percentile being the double
 * that is given (each comparison is one fused multiply-add, whose sign is exact).
 *
 * Tolerance: none.  Scale is 0; slack is 0 or, as the order statistic of values that are each
 * off by at most a fraction is off by at most that fraction of itself, the input's error times
 * |out|.
 *
 * NaN sorts after +Inf and is counted; +-Inf sort as numbers; -0 equals 0.
 */
#include "reference.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

typedef struct
{
  int dx, dy;
} Offset;

typedef struct
{
  Offset *offsets;
  double *samples;      /* room for one neighbourhood */
  int     count;
} Neighborhood;

static Neighborhood
make_neighborhood (int radius, int circle)
{
  size_t       side = (size_t) radius * 2 + 1;
  Neighborhood hood = { ref_allocate (side * side, sizeof (Offset)),
                        ref_allocate (side * side, sizeof (double)), 0 };

  for (int dy = -radius; dy <= radius; dy++)
    for (int dx = -radius; dx <= radius; dx++)
      if (!circle || dx * dx + dy * dy <= (radius + 0.5) * (radius + 0.5))
        hood.offsets[hood.count++] = (Offset) { dx, dy };
  return hood;
}

/* max (ceil (n percentile / 100), 1) in exact arithmetic. */
static int
exact_rank (int n, double percentile)
{
  double rank = ceil (n * percentile / 100.0);

  while (fma (n, percentile, -100.0 * (rank - 1.0)) <= 0.0)
    rank -= 1.0;
  while (fma (n, percentile, -100.0 * rank) > 0.0)
    rank += 1.0;
  return rank < 1.0 ? 1 : rank > n ? n : (int) rank;
}

/* The sample of the given rank (the first is 1) of numbers without NaN; reorders them.
 * Hoare's FIND: after each round what is left of i is <= pivot <= what is right of j. */
static double
select_rank (double *samples, int count, int rank)
{
  int first = 0, last = count - 1, wanted = rank - 1;

  while (first < last)
    {
      double pivot = samples[wanted];
      int    i = first, j = last;

      while (i <= j)
        {
          while (samples[i] < pivot)
            i++;
          while (samples[j] > pivot)
            j--;
          if (i <= j)
            {
              double held = samples[i];

              samples[i++] = samples[j];
              samples[j--] = held;
            }
        }
      if (j < wanted)
        first = i;
      if (wanted < i)
        last = j;
    }
  return samples[wanted];
}

static double
order_statistic (const RefImage *image, const Neighborhood *hood, double percentile,
                 RefBorder border, int x, int y, int c)
{
  const double *centre = image->pixels + ((size_t) y * image->width + x) * 4;
  int           count = 0, numbers = 0, rank;

  for (int i = 0; i < hood->count; i++)
    {
      const double *pixel = ref_pixel (image, x + hood->offsets[i].dx, y + hood->offsets[i].dy, border);

      if (!pixel)
        continue;
      if (c < 3 && pixel[3] == 0.0)
        continue;
      count++;
      if (!isnan (pixel[c]))
        hood->samples[numbers++] = pixel[c];
    }
  if (count == 0)
    return centre[c];
  rank = exact_rank (count, percentile);
  return rank > numbers ? NAN : select_rank (hood->samples, numbers, rank);
}

void
reference_median_blur (const RefImage *image, int radius, double percentile, int circle,
                       RefBorder border, int filter_alpha, RefResult *result)
{
  Neighborhood hood = make_neighborhood (radius, circle);

  for (int row = 0; row < result->height; row++)
    for (int column = 0; column < result->width; column++)
      {
        size_t at = ((size_t) row * result->width + column) * 4;
        int    x = result->x + column, y = result->y + row;

        for (int c = 0; c < 4; c++)
          {
            double value = image->pixels[((size_t) y * image->width + x) * 4 + c];

            if (c < 3 || filter_alpha)
              value = order_statistic (image, &hood, percentile, border, x, y, c);
            result->out[at + c] = value;
            result->scale[at + c] = 0.0;
            result->slack[at + c] = isfinite (value) ? image->error * fabs (value) : 0.0;
          }
      }
  free (hood.offsets);
  free (hood.samples);
}
