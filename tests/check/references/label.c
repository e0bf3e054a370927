/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Connected components of the foreground {value >= (float) threshold}, by flood fill in
 * raster order; components of fewer than min_area pixels are dropped, the others numbered
 * 1..count in the raster order of their first pixel.
 *
 *   index = the label, rounded to float;  mask = 1 on what is kept;  both 0 elsewhere
 *
 * Rosenfeld & Pfaltz, Sequential operations in digital picture processing, JACM 1966.
 *
 * Tolerance: none; scale is 0 and slack is 0 when the input is exact.  With an input error a
 * pixel whose value lies within that fraction of itself of the threshold may fall on either
 * side.  Then the slack is INFINITY: in a mask without min_area at such pixels; otherwise at
 * all pixels but those that are background for certain, for one pixel can join, drop or
 * renumber any component; the count returned may differ too.
 *
 * NaN is background; +Inf is foreground, -Inf background.  Whoever calls gives NaN where alpha is 0, which is
 * background.
 */
#include "reference.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { BACKGROUND = 0, FOREGROUND = -1, DROPPED = -2 };      /* labels are 1.. */

typedef struct
{
  int     width, height, connectivity;
  int    *labels;
  size_t *queue;        /* the pixels of the component being filled */
} Plane;

static double
value_at (const RefImage *image, size_t at)
{
  return image->pixels[at * 4];
}

/* The input's error may move the value over the threshold. */
static int
is_uncertain (const RefImage *image, double threshold, size_t at)
{
  double value = value_at (image, at);

  return image->error > 0.0 && isfinite (value)
         && fabs (value - threshold) <= image->error * fabs (value);
}

/* Adds the pixel to the queue if it is foreground without a label. */
static void
visit (Plane *plane, int x, int y, int label, size_t *count)
{
  size_t at = (size_t) y * plane->width + x;

  if (x < 0 || y < 0 || x >= plane->width || y >= plane->height
      || plane->labels[at] != FOREGROUND)
    return;
  plane->labels[at] = label;
  plane->queue[(*count)++] = at;
}

/* Labels the component of the pixel; returns its area.  Its pixels are left in the queue. */
static size_t
fill (Plane *plane, size_t start, int label)
{
  size_t count = 0;

  visit (plane, (int) (start % plane->width), (int) (start / plane->width), label, &count);
  for (size_t i = 0; i < count; i++)
    {
      int x = (int) (plane->queue[i] % plane->width), y = (int) (plane->queue[i] / plane->width);

      for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
          if (plane->connectivity == 8 || dx == 0 || dy == 0)
            visit (plane, x + dx, y + dy, label, &count);
    }
  return count;
}

static int
label_components (Plane *plane, int min_area)
{
  size_t total = (size_t) plane->width * plane->height;
  int    labels = 0;

  for (size_t at = 0; at < total; at++)
    {
      size_t area;

      if (plane->labels[at] != FOREGROUND)
        continue;
      area = fill (plane, at, labels + 1);
      if (area >= (size_t) min_area)
        {
          labels++;
          continue;
        }
      for (size_t i = 0; i < area; i++)
        plane->labels[plane->queue[i]] = DROPPED;
    }
  return labels;
}

static void
write_result (const RefImage *image, const Plane *plane, double threshold, int mask,
              int any_uncertain, int local, RefResult *result)
{
  memset (result->out, 0, (size_t) result->width * result->height * 4 * sizeof (double));
  memset (result->scale, 0, (size_t) result->width * result->height * 4 * sizeof (double));
  memset (result->slack, 0, (size_t) result->width * result->height * 4 * sizeof (double));
  for (int row = 0; row < result->height; row++)
    for (int column = 0; column < result->width; column++)
      {
        size_t from = (size_t) (result->y + row) * image->width + result->x + column;
        size_t at = ((size_t) row * result->width + column) * 4;
        int    label = plane->labels[from] > 0 ? plane->labels[from] : 0;
        int    uncertain = is_uncertain (image, threshold, from);

        result->out[at] = mask ? (double) (label > 0) : (double) (float) label;
        if (uncertain || (any_uncertain && !local && plane->labels[from] != BACKGROUND))
          result->slack[at] = INFINITY;
      }
}

int
reference_label (const RefImage *image, double threshold, int connectivity, int min_area,
                 const char *output, RefResult *result)
{
  size_t total = (size_t) image->width * image->height;
  Plane  plane = { image->width, image->height, connectivity,
                   ref_allocate (total, sizeof (int)), ref_allocate (total, sizeof (size_t)) };
  double limit = (double) (float) threshold;
  int    mask = strcmp (output, "mask") == 0, any_uncertain = 0, count;

  for (size_t at = 0; at < total; at++)
    {
      plane.labels[at] = value_at (image, at) >= limit ? FOREGROUND : BACKGROUND;
      any_uncertain |= is_uncertain (image, limit, at);
    }
  count = label_components (&plane, min_area);
  write_result (image, &plane, limit, mask, any_uncertain, mask && min_area <= 1, result);
  free (plane.labels);
  free (plane.queue);
  return count;
}
