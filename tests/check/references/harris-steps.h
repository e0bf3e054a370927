/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The floats of tessera:harris-corners, each step rounded for itself in the order of the specification (in
 * references/harris-corners.c).  A result of double +, - or * on floats, rounded to a float, is that of the float operation,
 * whatever a compiler contracts.
 */
#ifndef HARRIS_STEPS_H
#define HARRIS_STEPS_H

#include "reference.h"

#include <math.h>
#include <stdlib.h>

#define HARRIS_MOST_TAPS 64

typedef struct
{
  int          width, height;
  const float *values;          /* Y~ times alpha */
} HarrisPlane;

static inline float
harris_add (float a, float b)
{
  return (float) ((double) a + (double) b);
}

static inline float
harris_times (float a, float b)
{
  return (float) ((double) a * (double) b);
}

/* Returns the radius. */
static inline int
harris_weights (double sigma, float weights[HARRIS_MOST_TAPS])
{
  int    radius = (int) ceil (3.0 * sigma);
  double exact[HARRIS_MOST_TAPS], total = 0.0;

  for (int i = -radius; i <= radius; i++)
    total += exact[i + radius] = exp (-(double) (i * i) / (2.0 * sigma * sigma));
  for (int i = 0; i <= 2 * radius; i++)
    weights[i] = (float) (exact[i] / total);
  return radius;
}

static inline float
harris_input (const HarrisPlane *plane, int x, int y)
{
  float value = plane->values[(size_t) ref_coordinate (y, plane->height, REF_CLAMP) * plane->width
                              + ref_coordinate (x, plane->width, REF_CLAMP)];

  return isfinite (value) ? value : 0.0f;
}

static inline float
harris_gradient (const HarrisPlane *plane, int x, int y, int along_y)
{
  float d[3];

  for (int i = -1; i <= 1; i++)
    d[i + 1] = along_y ? harris_add (harris_input (plane, x + i, y + 1), -harris_input (plane, x + i, y - 1))
                       : harris_add (harris_input (plane, x + 1, y + i), -harris_input (plane, x - 1, y + i));
  return harris_times (harris_add (harris_add (d[0], d[2]), harris_times (2.0f, d[1])), 0.125f);
}

/* A sum begins with its first product. */
static inline float
harris_sum (const float *values, size_t step, const float *weights, int taps)
{
  float sum = harris_times (values[0], weights[0]);

  for (int i = 1; i < taps; i++)
    sum = harris_add (sum, harris_times (values[i * step], weights[i]));
  return sum;
}

/* The blurred product of two gradients; a new array of the plane's size. */
static inline float *
harris_structure (const HarrisPlane *plane, double sigma, int first, int second)
{
  float  weights[HARRIS_MOST_TAPS];
  int    radius = harris_weights (sigma, weights), taps = 2 * radius + 1;
  size_t width = (size_t) plane->width, height = (size_t) plane->height, wide = width + 2 * radius;
  float *products = malloc (wide * (height + 2 * radius) * sizeof (float));
  float *rows = malloc (width * (height + 2 * radius) * sizeof (float)), *result = malloc (width * height * sizeof (float));

  if (!products || !rows || !result)
    abort ();
  for (size_t y = 0; y < height + 2 * radius; y++)
    for (size_t x = 0; x < wide; x++)
      products[y * wide + x] = harris_times (harris_gradient (plane, (int) x - radius, (int) y - radius, first),
                                             harris_gradient (plane, (int) x - radius, (int) y - radius, second));
  for (size_t y = 0; y < height + 2 * radius; y++)
    for (size_t x = 0; x < width; x++)
      rows[y * width + x] = harris_sum (products + y * wide + x, 1, weights, taps);
  for (size_t y = 0; y < height; y++)
    for (size_t x = 0; x < width; x++)
      result[y * width + x] = harris_sum (rows + y * width + x, width, weights, taps);
  free (products);
  free (rows);
  return result;
}

static inline void
harris_response (const HarrisPlane *plane, double sigma, double k, float *response)
{
  float *a = harris_structure (plane, sigma, 0, 0), *b = harris_structure (plane, sigma, 0, 1);
  float *c = harris_structure (plane, sigma, 1, 1);

  for (size_t i = 0; i < (size_t) plane->width * plane->height; i++)
    {
      float t = harris_add (a[i], c[i]);
      float determinant = harris_add (harris_times (a[i], c[i]), -harris_times (b[i], b[i]));

      response[i] = harris_add (determinant, -harris_times ((float) k, harris_times (t, t)));
    }
  free (a);
  free (b);
  free (c);
}

static inline int
harris_is_corner (const float *response, int width, int height, double threshold, int x, int y)
{
  float here = response[(size_t) y * width + x];
  int   corner = here > (float) (threshold * threshold * threshold * threshold);

  for (int row = y - 1; row <= y + 1; row++)
    for (int column = x - 1; column <= x + 1; column++)
      if (row >= 0 && column >= 0 && row < height && column < width && (row != y || column != x))
        {
          float beside = response[(size_t) row * width + column];

          corner = corner && (row < y || (row == y && column < x) ? here > beside : here >= beside);
        }
  return corner;
}

#endif
