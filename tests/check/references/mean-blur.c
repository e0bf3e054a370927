/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Mean blur (a box) of premultiplied RGBA in double,
 *
 *   out(x, y) = 1/(2r+1)^2 sum over |i|, |j| <= r of I(x + i, y + j)
 *
 * The divisor is (2r+1)^2 with every border: with `none` the outside pixels are zeros that
 * count.  No paper: the specification's text, whose error bound is
 * (4 log2 (2r+1) + 8) u mean |I|, u = 2^-24.
 *
 * scale: mean |I| over the box, of the finite samples.  slack: denormals (1e-37) and the input's
 * error times mean |I|.  INFINITY where the undivided sum of |I| exceeds FLT_MAX / 4, so that a
 * sum in float may overflow.
 *
 * NaN and Inf follow the arithmetic: NaN, or Inf of both signs, in the box is NaN, whatever the
 * order of the sums; nothing reaches beyond the box.
 */
#include "reference.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#define DENORMAL_SLACK   1e-37
#define OVERFLOW_LIMIT   (FLT_MAX / 4.0)

/* `lines` lines of `length` samples, each line contiguous. */
typedef struct
{
  double *samples;
  int     lines, length;
} Plane;

/* The positions start .. start + count - 1 of one axis. */
typedef struct
{
  int start, count;
} Span;

typedef struct
{
  int       radius;
  RefBorder border;
} Box;

static Plane
new_plane (int lines, int length)
{
  return (Plane) { ref_allocate ((size_t) lines * length, sizeof (double)), lines, length };
}

/* counts[s]: how often sample s of the line is in the box at `position`. */
static void
count_samples (const Box *box, int position, int length, int *counts)
{
  for (int s = 0; s < length; s++)
    counts[s] = 0;
  for (int i = -box->radius; i <= box->radius; i++)
    {
      int s = ref_coordinate (position + i, length, box->border);

      if (s >= 0)
        counts[s]++;
    }
}

/* Means along the lines.  The result's lines are the source's columns. */
static Plane
mean_lines (const Plane *source, const Box *box, Span span)
{
  int    length = source->length;
  double divisor = 2.0 * box->radius + 1.0;
  Plane  means = new_plane (span.count, source->lines);
  int   *counts = ref_allocate ((size_t) length, sizeof (int));

  for (int p = 0; p < span.count; p++)
    {
      int first = 0, last = length - 1;

      count_samples (box, span.start + p, length, counts);
      while (first < last && counts[first] == 0)
        first++;
      while (last > first && counts[last] == 0)
        last--;
      for (int line = 0; line < source->lines; line++)
        {
          const double *samples = source->samples + (size_t) line * length;
          double        sum = 0.0;

          for (int s = first; s <= last; s++)
            if (counts[s] > 0)
              sum += counts[s] * samples[s];
          means.samples[(size_t) p * source->lines + line] = sum / divisor;
        }
    }
  free (counts);
  return means;
}

/* The mean of a component, or of the absolute values of its finite samples. */
static Plane
mean_component (const RefImage *image, int component, int magnitudes, const Box *box,
                const RefResult *result)
{
  Plane  source = new_plane (image->height, image->width);
  Plane  half, whole;
  size_t pixels = (size_t) image->width * image->height;

  for (size_t i = 0; i < pixels; i++)
    {
      double value = image->pixels[i * 4 + component];

      if (magnitudes)
        value = isfinite (value) ? fabs (value) : 0.0;
      source.samples[i] = value;
    }
  half = mean_lines (&source, box, (Span) { result->x, result->width });
  whole = mean_lines (&half, box, (Span) { result->y, result->height });
  free (source.samples);
  free (half.samples);
  return whole;
}

void
reference_mean_blur (const RefImage *image, int radius, RefBorder border, RefResult *result)
{
  Box    box = { radius, border };
  double side = 2.0 * radius + 1.0;
  size_t count = (size_t) result->width * result->height;

  for (int c = 0; c < 4; c++)
    {
      Plane means = mean_component (image, c, 0, &box, result);
      Plane magnitudes = mean_component (image, c, 1, &box, result);

      for (size_t i = 0; i < count; i++)
        {
          double mean = means.samples[i], magnitude = magnitudes.samples[i];

          result->out[i * 4 + c] = mean;
          result->scale[i * 4 + c] = magnitude;
          result->slack[i * 4 + c] = DENORMAL_SLACK + image->error * magnitude;
          if (!isnan (mean) && magnitude * side * side > OVERFLOW_LIMIT)
            result->slack[i * 4 + c] = INFINITY;
        }
      free (means.samples);
      free (magnitudes.samples);
    }
}
