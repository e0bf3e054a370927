/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The bilateral grid in double.  With g the guide of a pixel, s and r the two sigmas:
 *
 *   splat: (value, 1) into cell (floor (x/s + 1/2), floor (y/s + 1/2), floor (g/r + 1/2))
 *   blur:  [1 2 1]/4 along each of the three axes
 *   slice: trilinear at (x/s, y/s, g/r) of both sums, then divide
 *
 * Blur and slice together weigh a raw cell, along each axis, by max (0, 2 - |d|) / 4, d
 * its distance: ((1-f), 2(1-f) + f, (1-f) + 2f, f) / 4 for the cells i-1 .. i+2 of i + f.
 * Channels: guide = value = one component; R, G, B splat (a value, a), A itself (value, 1).
 * Luminance: guide = luminance of the image or of aux, values = premultiplied RGBA; the mean colour is divided by the
 * mean alpha, and alpha stays as it is.  Pixels of alpha 0 splat nothing, but into the grid of A by channels.  Such a
 * pixel, and one whose weights sum to 0, stays as it is.
 *
 * A pixel of aux of alpha 0 has no colour, so no luminance: what it guides is as with a guide of NaN, it does not
 * contribute and stays.
 *
 * Paris & Durand, A Fast Approximation of the Bilateral Filter using a Signal Processing
 * Approach, ECCV 2006; Chen, Paris & Durand, Real-time Edge-Aware Image Processing with
 * the Bilateral Grid, SIGGRAPH 2007; Oliveira, MSc thesis 2013, ch. 4.4.
 */
#include "reference.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#define LARGEST_POSITION  1e37             /* of g/r; beyond it a pixel passes through */
#define HUGE_POSITION     0x1p22           /* float knows g/r to about a plane */
#define UNKNOWN_POSITION  0x1p20           /* the same for a sum of products */
#define CHANNEL_TIE       0x1p-21
#define LUMINANCE_TIE     0x1p-20
#define CHANNEL_ERROR     0x1p-22          /* of the position g/r and its fraction in float */
#define LUMINANCE_ERROR   (8.0 * 0x1p-24)
#define LEAST_ALPHA       1e-4
#define OVERFLOW_LIMIT    (FLT_MAX / 64.0) /* [1 2 1] along three axes may be summed before it is divided */

typedef struct
{
  double count, sum[4], largest[4];
  double magnitude;  /* of all that is added, whatever its weight: what a sum in float may reach */
  double steep; /* how fast count's weights change with the position, in all */
  int    tied;  /* unsure which samples belong to it */
} Sums;

/* The samples of one column of the grid that round to one plane. */
typedef struct
{
  size_t column;
  double plane;
  int    may_drop, may_rise;  /* holds a tie with the plane below, above */
  Sums   sums;
} Cell;

/* One pixel: its own cell and where it reads the grid. */
typedef struct
{
  int    valid;     /* else it does not contribute and passes through */
  double position;  /* g/r */
  double error;     /* of the position in float */
  double slack;
  Cell   cell;
} Sample;

typedef struct
{
  double spatial_sigma;
  int    columns, rows;
  size_t count;
  Cell  *cells;  /* those that hold samples, sorted by column and plane */
} Grid;

static void
add_sums (Sums *total, const Sums *sums, double weight)
{
  total->count += weight * sums->count;
  total->magnitude += sums->magnitude;
  for (int c = 0; c < 4; c++)
    {
      total->sum[c] += weight * sums->sum[c];
      total->largest[c] = fmax (total->largest[c], sums->largest[c]);
    }
}

/* Within tie_distance of half way between two planes float may take either. */
static void
place_sample (Sample *sample, double position, double tie_distance)
{
  double below = floor (position), fraction = position - below;
  int    tie = fabs (fraction - 0.5) <= tie_distance;

  sample->position = position;
  sample->valid = fabs (position) <= LARGEST_POSITION;  /* false for NaN */
  sample->cell.plane = fraction < 0.5 ? below : below + 1.0;
  sample->cell.may_rise = tie && fraction < 0.5;
  sample->cell.may_drop = tie && fraction >= 0.5;
}

/* weight: the alpha, or 1 */
static Sample
channel_sample (double value, double weight, double r, double input_error)
{
  Sample sample = { .cell.sums = { .count = weight, .sum = { weight * value }, .largest = { fabs (value) },
                                   .magnitude = fabs (weight * value) } };
  double magnitude = fabs (value / r);
  int    huge = magnitude >= HUGE_POSITION;  /* most are ties: the slack stands for them */

  place_sample (&sample, value / r, huge ? -1.0 : (CHANNEL_TIE + input_error) * fmax (1.0, magnitude));
  sample.valid &= weight != 0.0 && fabs (weight) <= FLT_MAX && fabs (weight * value) <= FLT_MAX;
  sample.slack = huge ? 3.0 * r : 0.0;
  sample.error = CHANNEL_ERROR * fmax (1.0, magnitude) + input_error * magnitude;
  return sample;
}

static Sample
luminance_sample (const double *pixel, const double *guide, const double weights[3], double r,
                  double input_error)
{
  double a = pixel[3];
  Sample sample = { .cell.sums = { .count = 1.0,
                                   .sum = { pixel[0] * a, pixel[1] * a, pixel[2] * a, a } } };
  double luminance = 0.0, magnitude = 0.0;

  for (int c = 0; c < 3; c++)
    {
      luminance += weights[c] * guide[c];
      magnitude += fabs (weights[c] * guide[c]) / r;
    }
  place_sample (&sample, luminance / r, (LUMINANCE_TIE + input_error) * fmax (1.0, magnitude));
  for (int c = 0; c < 4; c++)
    {
      sample.cell.sums.largest[c] = fabs (sample.cell.sums.sum[c]);
      sample.cell.sums.magnitude = fmax (sample.cell.sums.magnitude, sample.cell.sums.largest[c]);
      sample.valid &= sample.cell.sums.largest[c] <= FLT_MAX;  /* finite as a float */
    }
  sample.valid &= a != 0.0 && guide[3] != 0.0;
  sample.slack = magnitude >= UNKNOWN_POSITION ? INFINITY : 0.0;
  sample.error = LUMINANCE_ERROR * fmax (1.0, magnitude) + input_error * magnitude;
  return sample;
}

static int
compare_cells (const void *first, const void *second)
{
  const Cell *a = first, *b = second;

  if (a->column != b->column)
    return a->column < b->column ? -1 : 1;
  return (a->plane > b->plane) - (a->plane < b->plane);
}

/* Sorts the cells and joins the equal ones; returns how many remain. */
static size_t
merge_cells (Cell *cells, size_t count)
{
  size_t merged = 0;

  qsort (cells, count, sizeof *cells, compare_cells);
  for (size_t i = 0; i < count; i++)
    if (merged > 0 && compare_cells (&cells[merged - 1], &cells[i]) == 0)
      {
        cells[merged - 1].may_drop |= cells[i].may_drop;
        cells[merged - 1].may_rise |= cells[i].may_rise;
        add_sums (&cells[merged - 1].sums, &cells[i].sums, 1.0);
      }
    else
      cells[merged++] = cells[i];
  return merged;
}

static Grid
build_grid (const Sample *samples, int width, int height, double s, Cell *cells)
{
  Grid grid = { .spatial_sigma = s, .cells = cells };

  grid.columns = (int) floor ((width - 1) / s + 0.5) + 1;
  grid.rows = (int) floor ((height - 1) / s + 0.5) + 1;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++, samples++)
      if (samples->valid)
        {
          size_t column = (size_t) floor (x / s + 0.5), row = (size_t) floor (y / s + 0.5);

          cells[grid.count] = samples->cell;
          cells[grid.count++].column = row * grid.columns + column;
        }
  grid.count = merge_cells (cells, grid.count);
  return grid;
}

/* [1 2 1]/4, then linear interpolation */
static double
axis_weight (double distance)
{
  return fmax (0.0, 2.0 - fabs (distance)) / 4.0;
}

/* Adds planes z-1 .. z+2, z = floor (position).  A tie matters if one of its two planes is in
 * z-2 .. z+3.  Planes are compared by their difference, which is exact: where z + 1 is no
 * double, that plane does not exist. */
static void
add_column (Sums *total, const Grid *grid, size_t column, double position, double column_weight)
{
  double z = floor (position);
  Cell   lowest = { .column = column, .plane = z - 3.0 };
  size_t low = 0, high = grid->count;

  while (low < high)
    {
      size_t middle = low + (high - low) / 2;

      if (compare_cells (&grid->cells[middle], &lowest) < 0)
        low = middle + 1;
      else
        high = middle;
    }
  for (const Cell *cell = grid->cells + low;
       cell < grid->cells + grid->count && cell->column == column && cell->plane - z <= 4.0; cell++)
    {
      double d = cell->plane - z, weight = column_weight * axis_weight (cell->plane - position);

      if (weight > 0.0)
        add_sums (total, &cell->sums, weight);
      else
        total->magnitude += cell->sums.magnitude;            /* 0 times a sum that overflowed */
      if (column_weight == 0.0)
        continue;
      total->tied |= (cell->may_drop && d >= -2.0) || (cell->may_rise && d >= -3.0 && d <= 3.0);
      if (fabs (cell->plane - position) <= 2.0 + 1e-5)     /* the tent's slope is 1/4 */
        total->steep += column_weight * 0.25 * fabs (cell->sums.count);
    }
}

static Sums
slice_grid (const Grid *grid, int x, int y, double position)
{
  Sums   total = { .count = 0.0 };
  double across = x / grid->spatial_sigma, down = y / grid->spatial_sigma;
  int    left = (int) floor (across) - 1, top = (int) floor (down) - 1;

  for (int row = top < 0 ? 0 : top; row < top + 4 && row < grid->rows; row++)
    for (int column = left < 0 ? 0 : left; column < left + 4 && column < grid->columns; column++)
      {
        double weight = axis_weight (column - across) * axis_weight (row - down);

        add_column (&total, grid, (size_t) row * grid->columns + column, position, weight);
      }
  return total;
}

/* The mean; of four components the first three divided by the mean of the fourth, which stays.  Where the
 * position is off by e planes, the mean moves by e sum |w'| n |v - mean| / sum w n,
 * w' the slope of the weights: little as a rule, much where few samples are near
 * the position and many at the tent's foot.  By channels |v - mean| <= 4 r. */
static void
filter_pixel (const Grid *grid, int x, int y, const Sample *sample, int components, double r,
              double input_error, const double *own, double *out, double *scale, double *slack)
{
  Sums   sums = slice_grid (grid, x, y, sample->position);
  double alpha = sums.sum[3] / sums.count;
  double moved = sample->error * fmax (1.0, sums.steep / fabs (sums.count));

  for (int c = 0; c < (components == 4 ? 3 : components) && sums.count != 0.0; c++)
    {
      int colour = components == 4;
      int weak = colour && (alpha == 0.0 || fabs (alpha) < LEAST_ALPHA * sums.largest[3]);

      out[c] = sums.sum[c] / sums.count;
      scale[c] = sums.largest[c];
      if (colour)
        {
          out[c] = alpha != 0.0 ? out[c] / alpha : own[c];
          scale[c] = weak ? 0.0 : (scale[c] + fabs (out[c]) * sums.largest[3]) / fabs (alpha);
        }
      slack[c] = sums.tied || weak || input_error >= 1.0 || sums.magnitude > OVERFLOW_LIMIT ? INFINITY
                 : sample->slack + input_error * scale[c]
                   + moved * (components == 4 ? 2.0 * scale[c] : 4.0 * r);
    }
}

/* Pixels outside the image, which the definition does not know, become 0. */
static void
filter_by_grid (const RefImage *image, const Sample *samples, const Grid *grid,
                int components, int channel, double r, RefResult *result)
{
  for (int i = 0; i < result->width * result->height; i++)
    {
      int     x = result->x + i % result->width, y = result->y + i / result->width;
      int     inside = x >= 0 && x < image->width && y >= 0 && y < image->height;
      size_t  pixel = inside ? (size_t) y * image->width + x : 0, at = (size_t) i * 4 + channel;
      double *out = result->out + at, *scale = result->scale + at, *slack = result->slack + at;

      for (int c = 0; c < components; c++)
        {
          out[c] = inside ? image->pixels[pixel * 4 + channel + c] : 0.0;
          scale[c] = 0.0;
          slack[c] = image->error >= 1.0 ? INFINITY
                     : image->error > 0.0 && isfinite (out[c]) ? image->error * fabs (out[c]) : 0.0;
        }
      if (inside && samples[pixel].valid && image->pixels[pixel * 4 + 3] != 0.0)
        filter_pixel (grid, x, y, &samples[pixel], components, r, image->error, image->pixels + pixel * 4 + channel,
                      out, scale, slack);
    }
}

void
reference_bilateral_grid (const RefImage *image, const RefImage *aux,
                          double spatial_sigma, double range_sigma, int luminance,
                          const double weights[3], RefResult *result)
{
  const RefImage *guide = aux ? aux : image;
  size_t          pixels = (size_t) image->width * image->height;
  Sample         *samples = ref_allocate (pixels, sizeof (Sample));
  Cell           *cells = ref_allocate (pixels, sizeof (Cell));
  int             components = luminance || aux ? 4 : 1;

  for (int channel = 0; channel < 4; channel += components)
    {
      for (size_t i = 0; i < pixels; i++)
        samples[i] = components == 1
                       ? channel_sample (image->pixels[i * 4 + channel], channel < 3 ? image->pixels[i * 4 + 3] : 1.0,
                                         range_sigma, image->error)
                       : luminance_sample (image->pixels + i * 4, guide->pixels + i * 4, weights,
                                           range_sigma, guide->error);
      Grid grid = build_grid (samples, image->width, image->height, spatial_sigma, cells);
      filter_by_grid (image, samples, &grid, components, channel, range_sigma, result);
    }
  free (samples);
  free (cells);
}
