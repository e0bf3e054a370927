/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Linear motion blur in double: the mean of n = ceil (L) + 1 bilinear samples on a
 * segment of length L and angle a centred on the pixel,
 *
 *   out(x, y) = 1/n sum_i I(x + t_i L cos a, y + t_i L sin a),  t_i = i/(n-1) - 1/2
 *
 * (t_0 = 0 when n = 1).  Oliveira, MSc thesis 2013, ch. 4.3 and appendix A.
 *
 * The samples are the same at every pixel, so they are written once as a list of
 * whole-pixel taps.  Offsets are rounded to multiples of 2^-30 px, so that cos 90
 * degrees is 0; taps of weight 0 are left out, so that a NaN below one stays there.
 */
#include "reference.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#define OFFSET_STEPS     1073741824.0  /* 2^30 steps a pixel */
#define DENORMAL_SLACK   1e-37
#define OVERFLOW_LIMIT   (FLT_MAX / 4.0)

typedef struct
{
  int    dx, dy;
  double weight;
} Tap;

typedef struct
{
  Tap   *taps;
  size_t count;
} TapList;

static double
round_offset (double offset)
{
  return round (offset * OFFSET_STEPS) / OFFSET_STEPS;
}

static void
append_tap (TapList *list, int dx, int dy, double weight)
{
  if (weight != 0.0)
    list->taps[list->count++] = (Tap) { dx, dy, weight };
}

/* The up to four pixels below one bilinear sample. */
static void
append_sample (TapList *list, double offset_x, double offset_y, double weight)
{
  double left = floor (offset_x), top = floor (offset_y);
  double fx = offset_x - left, fy = offset_y - top;
  int    dx = (int) left, dy = (int) top;

  append_tap (list, dx,     dy,     weight * (1.0 - fx) * (1.0 - fy));
  append_tap (list, dx + 1, dy,     weight * fx * (1.0 - fy));
  append_tap (list, dx,     dy + 1, weight * (1.0 - fx) * fy);
  append_tap (list, dx + 1, dy + 1, weight * fx * fy);
}

static int
compare_taps (const void *first, const void *second)
{
  const Tap *a = first, *b = second;

  if (a->dy != b->dy)
    return a->dy < b->dy ? -1 : 1;
  return (a->dx > b->dx) - (a->dx < b->dx);
}

/* Sorts the list and joins the taps of the same pixel. */
static void
merge_taps (TapList *list)
{
  size_t kept = 0;

  qsort (list->taps, list->count, sizeof (Tap), compare_taps);
  for (size_t i = 1; i < list->count; i++)
    {
      if (compare_taps (&list->taps[kept], &list->taps[i]) == 0)
        list->taps[kept].weight += list->taps[i].weight;
      else
        list->taps[++kept] = list->taps[i];
    }
  list->count = kept + 1;
}

static TapList
build_taps (double length, double angle)
{
  int     samples = (int) ceil (length) + 1;
  double  radians = angle * M_PI / 180.0;
  TapList list = { ref_allocate ((size_t) samples * 4, sizeof (Tap)), 0 };

  for (int i = 0; i < samples; i++)
    {
      double t = samples == 1 ? 0.0 : (double) i / (samples - 1) - 0.5;

      append_sample (&list,
                     round_offset (t * length * cos (radians)),
                     round_offset (t * length * sin (radians)),
                     1.0 / samples);
    }
  merge_taps (&list);
  return list;
}

static void
blur_pixel (const RefImage *image, const TapList *list, RefBorder border, int x, int y,
            double *out, double *scale, double *slack)
{
  double sum[4] = { 0.0 }, magnitude_sum[4] = { 0.0 }, largest[4] = { 0.0 };

  for (size_t i = 0; i < list->count; i++)
    {
      const Tap    *tap = &list->taps[i];
      const double *pixel = ref_pixel (image, x + tap->dx, y + tap->dy, border);

      if (!pixel)
        continue;
      for (int c = 0; c < 4; c++)
        {
          sum[c] += tap->weight * pixel[c];
          if (isfinite (pixel[c]))
            {
              magnitude_sum[c] += tap->weight * fabs (pixel[c]);
              largest[c] = fmax (largest[c], fabs (pixel[c]));
            }
        }
    }
  for (int c = 0; c < 4; c++)
    {
      int overflows;

      out[c] = sum[c];
      scale[c] = fmax (largest[c], magnitude_sum[c]);
      overflows = scale[c] > OVERFLOW_LIMIT
                  || (isfinite (sum[c]) && fabs (sum[c]) > OVERFLOW_LIMIT);
      slack[c] = overflows ? INFINITY : DENORMAL_SLACK;
    }
}

void
reference_motion_blur (const RefImage *image, double length, double angle,
                       RefBorder border, RefResult *result)
{
  TapList list = build_taps (length, angle);

  for (int row = 0; row < result->height; row++)
    for (int column = 0; column < result->width; column++)
      {
        size_t at = ((size_t) row * result->width + column) * 4;

        blur_pixel (image, &list, border, result->x + column, result->y + row,
                    result->out + at, result->scale + at, result->slack + at);
      }
  free (list.taps);
}
