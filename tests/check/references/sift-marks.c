/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The marks of keypoints: a circle of radius max (2, scale * sigma) and its radius at the angle, 1.5 pixels wide, on a black rim.
 *
 *   coverage of a pixel = clamp (w / 2 + .5 - distance, 0, 1), the maximum over all marks
 */
#include "sift.h"

#include <math.h>
#include <stdlib.h>

#define LEAST_RADIUS 2.0

static double
distance_to_mark (const RefPoint *point, double radius, double x, double y)
{
  double a = point->angle * M_PI / 180.0, dx = x - point->x, dy = y - point->y;
  double along = dx * cos (a) + dy * sin (a), across = dy * cos (a) - dx * sin (a);
  double on = fmin (fmax (along, 0.0), radius);

  return fmin (fabs (hypot (dx, dy) - radius), hypot (along - on, across));
}

static int
by_response (const void *first, const void *second)
{
  const RefPoint *a = *(const RefPoint *const *) first, *b = *(const RefPoint *const *) second;

  return a->response != b->response ? (a->response > b->response ? -1 : 1) : a < b ? -1 : a > b;
}

size_t
reference_sift_strongest (const RefSift *found, int most, const RefPoint ***points)
{
  *points = malloc ((found->n + 1) * sizeof (RefPoint *));
  if (!*points)
    abort ();
  for (size_t i = 0; i < found->n; i++)
    (*points)[i] = found->points + i;
  qsort (*points, found->n, sizeof (RefPoint *), by_response);
  return most > 0 && (size_t) most < found->n ? (size_t) most : found->n;
}

void
reference_sift_cover (const RefPoint *const *points, size_t n, double scale, double width_of_line, int width, int height,
                      double *coverage)
{
  for (size_t i = 0; i < (size_t) width * height; i++)
    coverage[i] = 0.0;
  for (size_t p = 0; p < n; p++)
    {
      double radius = fmax (LEAST_RADIUS, scale * points[p]->sigma);
      int    reach = (int) ceil (radius + width_of_line) + 2, x0 = (int) points[p]->x, y0 = (int) points[p]->y;

      for (int y = y0 < reach ? 0 : y0 - reach; y < height && y <= y0 + reach; y++)
        for (int x = x0 < reach ? 0 : x0 - reach; x < width && x <= x0 + reach; x++)
          {
            double cover = width_of_line / 2.0 + 0.5 - distance_to_mark (points[p], radius, x, y);
            size_t at = (size_t) y * width + x;

            coverage[at] = fmax (coverage[at], fmin (fmax (cover, 0.0), 1.0));
          }
    }
}
