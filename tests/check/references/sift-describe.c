/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The orientations of a keypoint and its descriptor, in double, in G[layer] around the integer place (row, column).
 *
 *   dx = G(x+1) - G(x-1), dy = G(y+1) - G(y-1), where all four neighbours are in the octave;  s: sigma in its pixels
 *   orientation: |i|, |j| <= round (4.5 s), weight exp (-(i^2 + j^2) / (2 (1.5 s)^2)) sqrt (dx^2 + dy^2), 36 bins at
 *     round (degrees / 10), smoothed by (1 4 6 4 1) / 16; peaks above both neighbours and >= .8 of the highest; parabola
 *   descriptor: c = (j cos a + i sin a) / (3 s), r = (i cos a - j sin a) / (3 s), bins c + 1.5 and r + 1.5 in (-1, 4),
 *     direction (a - atan2 (dy, dx)) 8 / 360, weight exp (-(c^2 + r^2) / 8) sqrt (dx^2 + dy^2), spread over the 8 nearest
 *     bins; clipped at .2 of its length, then 512 v / max (length, 1.2e-7), at most 255
 *
 * round (v) = floor (v + .5).  An element before it is rounded does not jump with the angle, the place or the scale: a sample
 * that enters does so with weight 0.  Only the two radii and the peaks are decisions.
 */
#include "sift.h"

#include <math.h>
#include <string.h>

#define BINS        36
#define CELLS       4
#define DIRECTIONS  8
#define DEGREES     57.295779513082320876798154814105   /* of a radian */
/* Of what is computed in some thousand steps of 2^-53, exp and atan2 with an ulp or two among them. */
#define SUM_ERROR   1e-12
#define RADIUS_NEAR 1e-9

typedef struct
{
  double length, angle;         /* radians, clockwise */
} Gradient;

/* FALSE where a neighbour is missing. */
static int
gradient_at (const RefOctave *octave, int layer, int row, int column, Gradient *gradient)
{
  const float *at = octave->levels[layer] + (ptrdiff_t) row * octave->width + column;
  double       dx, dy;

  if (row < 1 || column < 1 || row > octave->height - 2 || column > octave->width - 2)
    return 0;
  dx = (double) at[1] - (double) at[-1];
  dy = (double) at[octave->width] - (double) at[-octave->width];
  gradient->length = sqrt (dx * dx + dy * dy);
  gradient->angle = atan2 (dy, dx);
  return 1;
}

static int
is_near_integer (double value, double error)
{
  return fabs (value - floor (value + 0.5)) <= RADIUS_NEAR * fabs (value) + error;
}

/* ---------------------------------------------------------- orientation -- */

/* What the levels' error can do to the bin of a sample, and to that beside it. */
static void
add_error (const RefOctave *octave, const Gradient *gradient, double weight, int bin, double errors[BINS])
{
  double off = sqrt (8.0) * octave->error, tens = gradient->angle * DEGREES / 10.0;
  double left = tens + 0.5 - floor (tens + 0.5), near = fmin (left, 1.0 - left) * 10.0 / DEGREES;

  if (octave->error == 0.0)
    return;
  errors[(bin + BINS) % BINS] += weight * off;
  if (near * gradient->length <= off)
    {
      errors[(bin + BINS) % BINS] += weight * gradient->length;
      errors[(bin + BINS + (left < 0.5 ? -1 : 1)) % BINS] += weight * (gradient->length + off);
    }
}

static void
smooth (const double raw[BINS], double smoothed[BINS])
{
  for (int b = 0; b < BINS; b++)
    smoothed[b] = (raw[(b + BINS - 2) % BINS] + 4.0 * raw[(b + BINS - 1) % BINS] + 6.0 * raw[b]
                   + 4.0 * raw[(b + 1) % BINS] + raw[(b + 2) % BINS]) / 16.0;
}

/* Samples of exactly 45 degrees are at a border of bins, and the upper is theirs; no other angle of two floats is. */
static void
fill_histogram (const RefOctave *octave, const RefPoint *point, double s, double histogram[BINS], double errors[BINS])
{
  int    radius = (int) floor (4.5 * s + 0.5);
  double raw[BINS] = { 0.0 }, off[BINS] = { 0.0 }, width = 1.5 * s;

  for (int i = -radius; i <= radius; i++)
    for (int j = -radius; j <= radius; j++)
      {
        Gradient gradient;

        if (gradient_at (octave, point->layer, point->row + i, point->column + j, &gradient))
          {
            int    bin = (int) floor (gradient.angle * 180.0 / M_PI / 10.0 + 0.5);
            double weight = exp (-(double) (i * i + j * j) / (2.0 * width * width));

            raw[(bin + BINS) % BINS] += weight * gradient.length;
            add_error (octave, &gradient, weight, bin, off);
          }
      }
  smooth (raw, histogram);
  smooth (off, errors);
}

int
reference_sift_orient (const RefOctave *octave, const RefPoint *point, double s, int root, RefSift *found)
{
  double histogram[BINS], errors[BINS], highest = 0.0, error, top = 0.0;
  int    doubt = is_near_integer (4.5 * s + 0.5, 4.5 * point->place_error)
                 || is_near_integer (3.0 * s * sqrt (2.0) * 2.5 + 0.5, 11.0 * point->place_error);

  fill_histogram (octave, point, s, histogram, errors);
  for (int b = 0; b < BINS; b++)
    {
      highest = fmax (highest, histogram[b]);
      top = fmax (top, histogram[b] + errors[b]);
    }
  error = (SUM_ERROR + 4.0 * point->place_error) * highest + top - highest;
  for (int b = 0; b < BINS; b++)
    {
      int      left = (b + BINS - 1) % BINS, right = (b + 1) % BINS;
      double   l = histogram[left], p = histogram[b], r = histogram[right], bend = fabs (l - 2.0 * p + r);
      double   most = fmax (errors[left], errors[right]) + errors[b] + error;
      double   least = fmin (p - l, fmin (p - r, p - 0.8 * highest));
      RefPoint oriented = *point;

      doubt |= highest > 0.0 && fabs (least) <= most;
      if (!(p > l && p > r && p >= 0.8 * highest))
        continue;
      oriented.bin = b;
      oriented.angle = fmod (10.0 * (b + 0.5 * (l - r) / (l - 2.0 * p + r)) + 360.0, 360.0);
      oriented.angle_error = bend > 4.0 * most ? 20.0 * most / (bend - 4.0 * most) : 10.0;
      reference_sift_describe (octave, s, root, &oriented);
      reference_sift_add (found, &oriented);
    }
  return doubt;
}

/* ----------------------------------------------------------- descriptor -- */

/* Row and column beyond the cells are dropped; direction goes round. */
static void
add_sample (double row, double column, double direction, double weight, double elements[REF_SIFT_LENGTH])
{
  int r0 = (int) floor (row), c0 = (int) floor (column), d0 = (int) floor (direction);

  for (int r = r0; r <= r0 + 1; r++)
    for (int c = c0; c <= c0 + 1; c++)
      for (int d = d0; d <= d0 + 1; d++)
        if (r >= 0 && c >= 0 && r < CELLS && c < CELLS)
          elements[(r * CELLS + c) * DIRECTIONS + (d + DIRECTIONS) % DIRECTIONS]
            += weight * (1.0 - fabs (row - r)) * (1.0 - fabs (column - c)) * (1.0 - fabs (direction - d));
}

static double
length_of (const double elements[REF_SIFT_LENGTH])
{
  double squares = 0.0;

  for (int e = 0; e < REF_SIFT_LENGTH; e++)
    squares += elements[e] * elements[e];
  return sqrt (squares);
}

void
reference_sift_describe (const RefOctave *octave, double s, int root, RefPoint *point)
{
  double a = point->angle / DEGREES, length, sum = 0.0;
  int    radius = (int) floor (3.0 * s * sqrt (2.0) * 2.5 + 0.5);

  memset (point->elements, 0, sizeof point->elements);
  for (int i = -radius; i <= radius; i++)
    for (int j = -radius; j <= radius; j++)
      {
        double   c = (j * cos (a) + i * sin (a)) / (3.0 * s), r = (i * cos (a) - j * sin (a)) / (3.0 * s);
        Gradient gradient;

        if (c + 1.5 > -1.0 && c + 1.5 < CELLS && r + 1.5 > -1.0 && r + 1.5 < CELLS
            && gradient_at (octave, point->layer, point->row + i, point->column + j, &gradient))
          {
            double direction = (point->angle - gradient.angle * DEGREES) * DIRECTIONS / 360.0;

            direction -= DIRECTIONS * floor (direction / DIRECTIONS);
            add_sample (r + 1.5, c + 1.5, direction, exp (-(c * c + r * r) / 8.0) * gradient.length, point->elements);
          }
      }
  length = length_of (point->elements);
  for (int e = 0; e < REF_SIFT_LENGTH; e++)
    point->elements[e] = fmin (point->elements[e], 0.2 * length);
  length = length_of (point->elements);
  for (int e = 0; e < REF_SIFT_LENGTH; e++)
    sum += point->elements[e];
  point->sum = 512.0 * sum / fmax (length, 1.2e-7);
  for (int e = 0; e < REF_SIFT_LENGTH; e++)
    {
      const double all = root ? 512.0 * sqrt (point->elements[e] / fmax (sum, 1.2e-7)) : 512.0 * point->elements[e] / fmax (length, 1.2e-7);

      point->elements[e] = fmin (255.0, all);
      point->descriptor[e] = (unsigned char) floor (fmin (255.0, point->elements[e] + 0.5));
    }
}
