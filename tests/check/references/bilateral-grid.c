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
#include "bilateral-cells.h"

#define HUGE_POSITION     0x1p22           /* float knows g/r to about a plane */
#define UNKNOWN_POSITION  0x1p20           /* the same for a sum of products */
#define CHANNEL_TIE       0x1p-21
#define LUMINANCE_TIE     0x1p-20
#define CHANNEL_ERROR     0x1p-22          /* of the position g/r and its fraction in float */
#define LUMINANCE_ERROR   (8.0 * 0x1p-24)
#define LEAST_ALPHA       1e-4

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

/* The mean; of four components the first three divided by the mean of the fourth, which stays.  Where the
 * position is off by e planes, the mean moves by e sum |w'| n |v - mean| / sum w n,
 * w' the slope of the weights: little as a rule, much where few samples are near
 * the position and many at the tent's foot.  By channels |v - mean| <= 4 r. */
static void
filter_pixel (const Grid *grid, int x, int y, const Sample *sample, int components, double r,
              double input_error, const double *own, double *out, double *scale, double *slack)
{
  Sums   sums = slice_grid (grid, x, y, sample->position, 1e-5);
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
      slack[c] = sums.tied != 0.0 || weak || input_error >= 1.0 || sums.magnitude > CELL_OVERFLOW ? INFINITY
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
