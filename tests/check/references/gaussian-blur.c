/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Gaussian blur of premultiplied RGBA in double: the normalised Gaussian truncated at
 * r = ceil (3 sigma) on each axis,
 *
 *   G(I)(x, y) = sum over |i| <= rx, |j| <= ry of g(i, sx) g(j, sy) I(x + i, y + j)
 *   g(i, s) = exp (-i^2 / 2 s^2) / sum over |k| <= r of exp (-k^2 / 2 s^2),  sigma 0: a copy
 *
 * No paper: the specification's text.  The error bound up to sigma 8 is
 * (nx + ny + 6) u G(|I|), n = 2 r + 1 and u = 2^-24.
 *
 * scale: G(|I|) of the finite samples.  slack: denormals (1e-37), the input's error times
 * G(|I|), and where an axis has sigma > 8 a thousandth of max - min of the channel over
 * |dx| <= ceil (4 sx), |dy| <= ceil (4 sy), border included.  INFINITY where a finite sample
 * is so large (FLT_MAX / 4) that a sum in float may overflow.
 *
 * NaN and Inf follow the arithmetic: NaN, or Inf of both signs, within r is NaN.  On an axis
 * of sigma > 8 samples beyond r, as far as ceil (4 sigma), may or may not reach, and an Inf
 * may come out as NaN (the method may have negative weights).  On one of so small a sigma that
 * a weight is no normal float, neither need those taps reach.  Both are a slack of INFINITY.
 */
#include "reference.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#define LARGEST_EXACT_SIGMA 8.0
#define RANGE_FRACTION      1e-3
#define DENORMAL_SLACK      1e-37
#define OVERFLOW_LIMIT      (FLT_MAX / 4.0)
#define SMALLEST_WEIGHT     (4.0 * FLT_MIN)     /* a smaller one may be 0 in float */

typedef struct
{
  double *taps;             /* 0..radius */
  int     radius;
  int     range_radius;     /* of the window of max - min */
  int     reach_radius;     /* of the samples that a method may read */
  int     approximate;
  int     has_tiny_taps;
} Axis;

/* `lines` lines of `length` samples, each line contiguous. */
typedef struct
{
  double *samples;
  int     lines, length;
} Plane;

/* The positions start .. start + count - 1 of one axis. */
typedef struct
{
  int       start, count;
  RefBorder border;
} Span;

typedef struct
{
  Plane blurred, magnitude, largest, non_finite, maximum, minus_minimum;
} Measures;

typedef enum { VALUE, MAGNITUDE, LARGEST, NON_FINITE, MAXIMUM, MINUS_MINIMUM } Measure;

static Plane
new_plane (int lines, int length)
{
  return (Plane) { ref_allocate ((size_t) lines * length, sizeof (double)), lines, length };
}

static Axis
build_axis (double sigma)
{
  Axis   axis = { .radius = (int) ceil (3.0 * sigma), .approximate = sigma > LARGEST_EXACT_SIGMA };
  double sum = 1.0;

  axis.range_radius = (int) ceil (4.0 * sigma);
  axis.reach_radius = axis.approximate ? axis.range_radius : axis.radius;
  axis.taps = ref_allocate ((size_t) axis.radius + 1, sizeof (double));
  axis.taps[0] = 1.0;
  for (int i = 1; i <= axis.radius; i++)
    {
      double distance = i / sigma;

      axis.taps[i] = exp (-0.5 * distance * distance);
      sum += 2.0 * axis.taps[i];
    }
  for (int i = 0; i <= axis.radius; i++)
    {
      axis.taps[i] /= sum;
      if (axis.taps[i] > 0.0 && axis.taps[i] < SMALLEST_WEIGHT)
        axis.has_tiny_taps = 1;
    }
  return axis;
}

/* weights[s]: what sample s of the line weighs at `position`, the border's copies included. */
static void
fold_weights (const Axis *axis, int position, RefBorder border, int length, double *weights)
{
  for (int s = 0; s < length; s++)
    weights[s] = 0.0;
  for (int i = -axis->radius; i <= axis->radius; i++)
    {
      int s = ref_coordinate (position + i, length, border);

      if (s >= 0)
        weights[s] += axis->taps[abs (i)];
    }
}

/* Weighted sums along the lines.  The result's lines are the source's columns. */
static Plane
sum_lines (const Plane *source, const Axis *axis, const Span *span)
{
  int     length = source->length;
  Plane   sums = new_plane (span->count, source->lines);
  double *weights = ref_allocate ((size_t) length, sizeof (double));

  for (int p = 0; p < span->count; p++)
    {
      int first = 0, last = length - 1;

      fold_weights (axis, span->start + p, span->border, length, weights);
      while (first < last && weights[first] == 0.0)
        first++;
      while (last > first && weights[last] == 0.0)
        last--;
      for (int line = 0; line < source->lines; line++)
        {
          const double *samples = source->samples + (size_t) line * length;
          double        sum = 0.0;

          for (int s = first; s <= last; s++)
            if (weights[s] >= SMALLEST_WEIGHT || (weights[s] > 0.0 && isfinite (samples[s])))
              sum += weights[s] * samples[s];
          sums.samples[(size_t) p * source->lines + line] = sum;
        }
    }
  free (weights);
  return sums;
}

/* The largest sample within `radius` along the lines, transposed as by sum_lines ().  An
 * outside sample of border none is 0. */
static Plane
maximum_lines (const Plane *source, int radius, const Span *span)
{
  int            length = source->length;
  Plane          maxima = new_plane (span->count, source->lines);
  unsigned char *inside = ref_allocate ((size_t) length, 1);

  for (int p = 0; p < span->count; p++)
    {
      int outside = 0, first = length, last = -1;

      for (int s = 0; s < length; s++)
        inside[s] = 0;
      for (int i = -radius; i <= radius; i++)
        {
          int s = ref_coordinate (span->start + p + i, length, span->border);

          if (s < 0)
            {
              outside = 1;
              continue;
            }
          inside[s] = 1;
          first = s < first ? s : first;
          last = s > last ? s : last;
        }
      for (int line = 0; line < source->lines; line++)
        {
          const double *samples = source->samples + (size_t) line * length;
          double        largest = outside ? 0.0 : -INFINITY;

          for (int s = first; s <= last; s++)
            if (inside[s] && samples[s] > largest)
              largest = samples[s];
          maxima.samples[(size_t) p * source->lines + line] = largest;
        }
    }
  free (inside);
  return maxima;
}

/* A sample of the plane of which sums or maxima are taken. */
static double
measured_sample (double value, Measure measure)
{
  switch (measure)
    {
    case VALUE:
      return value;
    case NON_FINITE:
      return isfinite (value) ? 0.0 : 1.0;
    case MAXIMUM:
      return isfinite (value) ? value : -INFINITY;
    case MINUS_MINIMUM:
      return isfinite (value) ? -value : -INFINITY;
    default:
      return isfinite (value) ? fabs (value) : 0.0;
    }
}

static Plane
measure_component (const RefImage *image, int component, Measure measure, const Axis axes[2],
                   const Span spans[2])
{
  Plane  source = new_plane (image->height, image->width);
  Plane  half, whole;
  size_t pixels = (size_t) image->width * image->height;

  for (size_t i = 0; i < pixels; i++)
    source.samples[i] = measured_sample (image->pixels[i * 4 + component], measure);
  if (measure == VALUE || measure == MAGNITUDE)
    {
      half = sum_lines (&source, &axes[0], &spans[0]);
      whole = sum_lines (&half, &axes[1], &spans[1]);
    }
  else
    {
      int is_range = measure == MAXIMUM || measure == MINUS_MINIMUM;

      half = maximum_lines (&source, is_range ? axes[0].range_radius : axes[0].reach_radius,
                            &spans[0]);
      whole = maximum_lines (&half, is_range ? axes[1].range_radius : axes[1].reach_radius,
                             &spans[1]);
    }
  free (source.samples);
  free (half.samples);
  return whole;
}

static double
sample_slack (const Measures *measures, size_t i, const Axis axes[2], double error)
{
  int    approximate = axes[0].approximate || axes[1].approximate;
  int    has_tiny_taps = axes[0].has_tiny_taps || axes[1].has_tiny_taps;
  double largest = measures->largest.samples[i];
  double slack = DENORMAL_SLACK + error * measures->magnitude.samples[i];

  if (isnan (measures->blurred.samples[i]))
    return slack;
  if (largest > OVERFLOW_LIMIT)
    return INFINITY;
  if ((approximate || has_tiny_taps) && measures->non_finite.samples[i] > 0.0)
    return INFINITY;
  if (has_tiny_taps)
    slack += 4.0 * SMALLEST_WEIGHT * largest;
  if (approximate)
    {
      double range = measures->maximum.samples[i] + measures->minus_minimum.samples[i];

      slack += RANGE_FRACTION * (fmax (range, 0.0) + 2.0 * error * largest);
    }
  return slack;
}

static void
blur_component (const RefImage *image, int component, const Axis axes[2], const Span spans[2],
                RefResult *result)
{
  Measures measures =
    {
      .blurred = measure_component (image, component, VALUE, axes, spans),
      .magnitude = measure_component (image, component, MAGNITUDE, axes, spans),
      .largest = measure_component (image, component, LARGEST, axes, spans),
      .non_finite = measure_component (image, component, NON_FINITE, axes, spans),
    };
  size_t   count = (size_t) result->width * result->height;

  if (axes[0].approximate || axes[1].approximate)
    {
      measures.maximum = measure_component (image, component, MAXIMUM, axes, spans);
      measures.minus_minimum = measure_component (image, component, MINUS_MINIMUM, axes, spans);
    }
  for (size_t i = 0; i < count; i++)
    {
      result->out[i * 4 + component] = measures.blurred.samples[i];
      result->scale[i * 4 + component] = measures.magnitude.samples[i];
      result->slack[i * 4 + component] = sample_slack (&measures, i, axes, image->error);
    }
  free (measures.blurred.samples);
  free (measures.magnitude.samples);
  free (measures.largest.samples);
  free (measures.non_finite.samples);
  free (measures.maximum.samples);
  free (measures.minus_minimum.samples);
}

/* The largest |I| of the samples that a method may read. */
void
reference_gaussian_reach (const RefImage *image, double std_dev_x, double std_dev_y,
                          RefBorder border, RefResult *result)
{
  Axis   axes[2] = { build_axis (std_dev_x), build_axis (std_dev_y) };
  Span   spans[2] = { { result->x, result->width, border }, { result->y, result->height, border } };
  size_t count = (size_t) result->width * result->height;

  for (int c = 0; c < 4; c++)
    {
      Plane largest = measure_component (image, c, LARGEST, axes, spans);

      for (size_t i = 0; i < count; i++)
        result->out[i * 4 + c] = largest.samples[i];
      free (largest.samples);
    }
  free (axes[0].taps);
  free (axes[1].taps);
}

void
reference_gaussian_blur (const RefImage *image, double std_dev_x, double std_dev_y,
                         RefBorder border, RefResult *result)
{
  Axis axes[2] = { build_axis (std_dev_x), build_axis (std_dev_y) };
  Span spans[2] = { { result->x, result->width, border }, { result->y, result->height, border } };

  for (int c = 0; c < 4; c++)
    blur_component (image, c, axes, spans, result);
  free (axes[0].taps);
  free (axes[1].taps);
}
