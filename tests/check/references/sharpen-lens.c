/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The deconvolution of a Gaussian blur in double, on straight linear RGBA.  r = max (1, ceil (2.5 radius)), G the Gaussian
 * of 2 r + 1 taps on each axis, which are floats, and 0 beyond the picture:
 *
 *   Y = w . RGB,  L = max (Y, 0) + 2^-10,  a = min (alpha, 1)       of a pixel that counts: alpha finite, at least 2^-16; |Y| <= 2^64
 *   A = 1/G(a),  x0 = y0 = L
 *   c = G(a L / (G(a y) A)) A,  x' = y max (1.5 c - 0.5, 0.25),  y' = max (1.5 x' - 0.5 x, 0.5 x')      `iterations` times
 *   q = min (x/L, 16),  d = q - 1,  v = d^2 L/4,  R, G, B times 1 + d v/(v + max (protect^2, 2^-100))
 *
 * Richardson, JOSA 62, 1972; Lucy, AJ 79, 1974; Biggs, Andrews, Applied Optics 36, 1997.
 *
 * scale: the roundings of each iteration, of 4 (2 r + 1) products and sums and 16 more operations, add up; the tolerance is that of
 * 12 iterations of r = 25.  slack: what makes L relatively wrong by h moves the factor by at most 4 (N + 1) of the largest h that
 * reaches the pixel; INFINITY where that is no small number, or where it is open whether a pixel that reaches it counts.
 */
#include "reference.h"

#include <float.h>
#include <math.h>

#define TAPS_MOST   25
#define FLOOR       0x1p-10
#define ALPHA_LEAST 0x1p-16
#define LIGHT_MOST  0x1p64
#define FACTOR_MOST 16.0
#define UNIT        0x1p-24
#define SMALL       0.25                /* a shift of the factor that is still nearly linear */
#define WHOLE_WORK  2640.0              /* 12 iterations of 4 * 51 + 16 operations */

/* A part of the picture, row after row. */
typedef struct
{
  int     x, y, width, height;
  double *alpha, *light, *doubt;        /* a and L, 0 where a pixel does not count; how wrong L may be, relatively */
} Part;

typedef struct
{
  int    r;
  double at[2 * TAPS_MOST + 1];
} Taps;

static Taps
taps_of (double radius)
{
  Taps   taps = { .r = (int) fmax (1.0, ceil (2.5 * radius)) };
  double sum = 0.0;

  for (int i = -taps.r; i <= taps.r; i++)
    sum += exp (-(double) i * i / (2.0 * radius * radius));
  for (int i = -taps.r; i <= taps.r; i++)
    taps.at[i + taps.r] = (float) (exp (-(double) i * i / (2.0 * radius * radius)) / sum);
  return taps;
}

/* One axis: the steps to the next position on it and to the next line beside it. */
static void
blur_axis (const Taps *taps, const double *in, double *out, int n, int step, int lines, int line_step)
{
  for (int line = 0; line < lines; line++)
    for (int i = 0; i < n; i++)
      {
        double sum = 0.0;

        for (int k = -taps->r; k <= taps->r; k++)
          if (i + k >= 0 && i + k < n)
            sum += taps->at[k + taps->r] * in[(size_t) line * line_step + (size_t) (i + k) * step];
        out[(size_t) line * line_step + (size_t) i * step] = sum;
      }
}

static void
blur (const Taps *taps, const Part *part, const double *in, double *between, double *out)
{
  blur_axis (taps, in, between, part->height, part->width, part->width, 1);
  blur_axis (taps, between, out, part->width, 1, part->height, part->width);
}

/* What of a pixel enters, and how sure that is: `doubt` is INFINITY where it is open whether it counts. */
static void
part_pixel (Part *part, size_t at, const double *pixel, const double weights[3], double error)
{
  double light = 0.0, sum = 0.0, off, nearly = error > 0.0 ? 2.0 * error * ALPHA_LEAST : -1.0;

  for (int c = 0; c < 3; c++)
    {
      light += weights[c] * pixel[c];
      sum += weights[c] * fabs (pixel[c]);
    }
  off = (error + 3.0 * UNIT) * sum;
  if (isfinite (pixel[3]) && pixel[3] >= ALPHA_LEAST && fabs (light) <= LIGHT_MOST)
    {
      part->alpha[at] = fmin (pixel[3], 1.0);
      part->light[at] = fmax (light, 0.0) + FLOOR;
      part->doubt[at] = off / part->light[at];
    }
  if ((isfinite (sum) && fabs (fabs (light) - LIGHT_MOST) <= off) || fabs (pixel[3] - ALPHA_LEAST) <= nearly)
    part->doubt[at] = INFINITY;
}

static Part
part_new (const RefImage *image, const RefResult *result, int reach, const double weights[3])
{
  int    left = result->x > reach ? result->x - reach : 0, top = result->y > reach ? result->y - reach : 0;
  int    right = result->x + result->width + reach, bottom = result->y + result->height + reach;
  Part   part = { .x = left, .y = top };
  size_t count;

  part.width = (right < image->width ? right : image->width) - left;
  part.height = (bottom < image->height ? bottom : image->height) - top;
  count = (size_t) part.width * part.height;
  part.alpha = ref_allocate (count, sizeof (double));
  part.light = ref_allocate (count, sizeof (double));
  part.doubt = ref_allocate (count, sizeof (double));
  for (size_t i = 0; i < count; i++)
    part_pixel (&part, i, ref_pixel (image, left + (int) (i % part.width), top + (int) (i / part.width), REF_NONE), weights, image->error);
  return part;
}

static void
part_free (Part *part)
{
  free (part->alpha);
  free (part->light);
  free (part->doubt);
}

/* x of the last iteration. */
static double *
deconvolve (const Part *part, const Taps *taps, int iterations)
{
  size_t  count = (size_t) part->width * part->height;
  double *room = ref_allocate (5 * count, sizeof (double)), *x = ref_allocate (count, sizeof (double));
  double *ahead = room, *norm = room + count, *sums = room + 2 * count, *between = room + 3 * count, *ratio = room + 4 * count;

  blur (taps, part, part->alpha, between, norm);
  for (size_t i = 0; i < count; i++)
    x[i] = ahead[i] = part->light[i];
  for (int k = 0; k < iterations; k++)
    {
      for (size_t i = 0; i < count; i++)
        ratio[i] = part->alpha[i] * ahead[i];
      blur (taps, part, ratio, between, sums);
      for (size_t i = 0; i < count; i++)
        ratio[i] = part->alpha[i] > 0.0 ? part->alpha[i] * (part->light[i] / (sums[i] / norm[i])) : 0.0;
      blur (taps, part, ratio, between, sums);
      for (size_t i = 0; i < count; i++)
        if (part->alpha[i] > 0.0)
          {
            double before = x[i];

            x[i] = ahead[i] * fmax (1.5 * (sums[i] / norm[i]) - 0.5, 0.25);
            ahead[i] = fmax (1.5 * x[i] - 0.5 * before, 0.5 * x[i]);
          }
    }
  free (room);
  return x;
}

/* The largest doubt that reaches each pixel: along the rows, and of that along the columns. */
static void
most_on_axis (const double *in, double *out, int n, int step, int lines, int line_step, int reach)
{
  for (int line = 0; line < lines; line++)
    for (int i = 0; i < n; i++)
      {
        double most = 0.0;

        for (int k = i > reach ? i - reach : 0; k < n && k <= i + reach; k++)
          most = fmax (most, in[(size_t) line * line_step + (size_t) k * step]);
        out[(size_t) line * line_step + (size_t) i * step] = most;
      }
}

static double *
doubts_of (const Part *part, int reach)
{
  size_t  count = (size_t) part->width * part->height;
  double *rows = ref_allocate (count, sizeof (double)), *all = ref_allocate (count, sizeof (double));

  most_on_axis (part->doubt, rows, part->width, 1, part->height, part->width, reach);
  most_on_axis (rows, all, part->height, part->width, part->width, 1, reach);
  free (rows);
  return all;
}

static void
store (const double *pixel, double q, double factor, double work, double moves, double error, double *out, double *scale, double *slack)
{
  for (int c = 0; c < 3; c++)
    {
      out[c] = pixel[c] * factor;
      scale[c] = fabs (pixel[c]) * fmax (1.0, q) * work / WHOLE_WORK;
      slack[c] = moves > SMALL ? INFINITY : fabs (pixel[c]) * fmax (fmax (1.0, fabs (factor)), q) * moves + error * fabs (out[c]) + 1e-37;
      if (fabs (out[c]) > FLT_MAX / 4.0 || fabs (pixel[c]) * FACTOR_MOST > FLT_MAX / 4.0)
        slack[c] = INFINITY;
    }
}

static double
factor_of (double q, double light, double protect)
{
  double d = q - 1.0, v = d * d * 0.25 * light;

  return 1.0 + d * v / (v + fmax (protect * protect, 0x1p-100));
}

void
reference_sharpen_lens (const RefImage *image, double radius, int iterations, double protect, const double weights[3], RefResult *result)
{
  Taps    taps = taps_of (radius);
  int     reach = 2 * iterations * taps.r;
  double  work = iterations * (4.0 * (2 * taps.r + 1) + 16.0);
  Part    part = part_new (image, result, reach, weights);
  double *x = deconvolve (&part, &taps, iterations), *doubts = doubts_of (&part, reach);

  for (int i = 0; i < result->width * result->height; i++)
    {
      int           column = result->x + i % result->width, row = result->y + i / result->width;
      size_t        at = (size_t) (row - part.y) * part.width + column - part.x;
      const double *pixel = image->pixels + ((size_t) row * image->width + column) * 4;
      int           is_open = isinf (part.doubt[at]);

      for (int c = 0; c < 4; c++)
        {
          result->out[4 * i + c] = pixel[c];
          result->scale[4 * i + c] = 0.0;
          result->slack[4 * i + c] = isfinite (pixel[c]) ? image->error * fabs (pixel[c]) : 0.0;
          if (c < 3 && is_open && iterations > 0)
            result->slack[4 * i + c] = INFINITY;
        }
      if (part.alpha[at] > 0.0 && iterations > 0)
        {
          double q = fmin (x[at] / part.light[at], FACTOR_MOST);

          store (pixel, q, factor_of (q, part.light[at], protect), work, 4.0 * (iterations + 1) * doubts[at], image->error,
                 result->out + 4 * i, result->scale + 4 * i, result->slack + 4 * i);
        }
    }
  part_free (&part);
  free (x);
  free (doubts);
}
