/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Harris corners, from the specification alone.  p is the perceptual luminance times alpha, what is not finite 0,
 * clamped at the border of the image:
 *
 *   d(y) = p(x+1, y) - p(x-1, y),  gx = ((d(y-1) + d(y+1)) + 2 d(y)) / 8,  gy with x and y exchanged
 *   a, b, c = G(gx gx), G(gx gy), G(gy gy);  G: Gaussian of sigma, 2 ceil(3 sigma) + 1 taps, along rows, then columns
 *   t = a + c,  R = (a c - b b) - k (t t)
 *   a corner: R > threshold^4, R > each neighbour before it and R >= each after it in raster order; alpha is not 0
 *
 * Harris & Stephens, A combined corner and edge detector, Alvey 1988.  It is computed here and, otherwise, in harris-steps.h.
 *
 * reference_harris_corners () computes in double and carries beside each value how far a float may be from it, step by
 * step in the written order.  u = 2^-24, e the errors of the operands:
 *
 *   a + b: e(a) + e(b) + u (|a + b| + e(a) + e(b));   a b: e = |a| e(b) + |b| e(a) + e(a) e(b), and u (|a b| + e)
 *
 * and the least normal float where a device may flush the result.  Factors of 2 and 1/8 round nothing.  Weights, k and
 * threshold^4 are floats of their own and have no error.  On exact input that comes to 3 u of each gradient, 7 u of
 * each product, (2 n + 7) u of a and c, and as much of G(|gx gy|) of b, n the number of taps.
 *
 * The error of p.  The filter reads what babl makes of the pixels, which is off by 5e-7 (measured: 8e-7 up to 1.5,
 * 2e-6 of -13).  PERCEPTUAL_ERROR is twice the former.  Besides the input's own error, carried through
 * the luminance and the slope of its curve, and where components cancel, 4 u of what did.  Above 1.5 babl's curves are wrong by
 * anything (measured: 4e-5 of 4, then 140 %, or infinite, which counts as 0): there the error is 1.5 p, and HDR is tested through
 * the steps below, on pictures that need no conversion.  babl takes alphas below 2^-16 for that; a premultiplied
 * pixel of alpha 0 may be black or have that much light.
 *
 * Slack: that error of R; of strength what it makes of the fourth root, and 8 ulp.  INFINITY where an overflow in float is
 * possible and not certain, in corners and overlay where the error can turn a comparison that decides, and where
 * strength is of a NaN.  Scale: 0, in overlay the pixel.
 *
 * harris-steps.h rounds each step to a float instead.  It has the bits that the filter must give for a plane of Y~.
 */
#include "harris-steps.h"
#include "numbers.h"
#include "srgb.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define CANCEL_ERROR     (4.0 * UNIT_ROUNDOFF)
#define PERCEPTUAL_ERROR 1e-6
#define BABL_LIMIT       1.5            /* encoded; above it babl's curves are no measure */
#define LEAST_ALPHA      0x1p-16
#define STRENGTH_OF_EDGE 0.2325         /* of an ideal corner of contrast 1 */
#define STRENGTH_ERROR   (16.0 * UNIT_ROUNDOFF)
#define ARM              3              /* of a cross */
#define COLOR_ERROR      2e-6           /* of red in another space */

typedef struct
{
  int     x, y, width, height;          /* from the image's origin; may lie outside */
  Number *numbers;
} Plane;

typedef struct
{
  const RefImage *image, *light;
  const double   *weights;
  int             straight, curved;
  double          sigma, k, threshold;
} Source;

/* ----------------------------------------------------------------- input -- */

/* Y~ of a pixel, before alpha. */
static Number
luminance (const Source *source, const double *pixel)
{
  double linear = 0.0, size = 0.0, largest = 0.0, value, reach;

  for (int c = 0; c < 3; c++)
    {
      linear += source->weights[c] * pixel[c];
      size += source->weights[c] * fabs (pixel[c]);
      largest = fmax (largest, fabs (pixel[c]));
    }
  value = linear_to_srgb (linear);
  if (linear_to_srgb (largest) > BABL_LIMIT)
    return (Number) { value, 1.5 * (fabs (value) + linear_to_srgb (size)) };
  reach = 2.4 * source->image->error * size + CANCEL_ERROR * fmax (size - fabs (linear), 0.0);
  return (Number) { value, PERCEPTUAL_ERROR * fmax (1.0, fabs (value)) + reach * linear_to_srgb_slope (linear - reach) };
}

/* p: seen on black.  What is not finite is 0.  Infinite light may be finite behind
 * the curve that the filter reads. */
static Number
seen (const Source *source, const double *pixel)
{
  double alpha = pixel[3];
  Number light;

  if (alpha == 0.0 && source->straight)
    return (Number) { 0.0, 0.0 };
  for (int c = 0; c < 4; c++)
    if (!isfinite (pixel[c]))
      return (Number) { 0.0, alpha == 0.0 || (source->curved && isinf (pixel[c])) ? INFINITY : 0.0 };
  light = luminance (source, pixel);
  if (alpha == 1.0)
    return light;
  light.error = fabs (alpha) * light.error + (UNIT_ROUNDOFF + source->image->error) * fabs (alpha * light.value);
  if (fabs (alpha) <= LEAST_ALPHA)
    light.error += 2.0 * LEAST_ALPHA * (fabs (light.value) + light.error);
  light.value *= alpha;
  if (fabs (light.value) + light.error > FLT_MAX)
    light.error = INFINITY;
  return light;
}

/* ---------------------------------------------------------------- planes -- */

static Plane
plane_new (int x, int y, int width, int height)
{
  return (Plane) { x, y, width, height, ref_allocate ((size_t) width * height, sizeof (Number)) };
}

static Number *
plane_at (const Plane *plane, int x, int y)
{
  return plane->numbers + (size_t) (y - plane->y) * plane->width + x - plane->x;
}

static Plane
read_input (const Source *source)
{
  Plane plane = plane_new (0, 0, source->image->width, source->image->height);

  for (int y = 0; y < plane.height; y++)
    for (int x = 0; x < plane.width; x++)
      *plane_at (&plane, x, y) = seen (source, ref_pixel (source->light, x, y, REF_CLAMP));
  return plane;
}

static Number
clamped (const Plane *input, int x, int y)
{
  return *plane_at (input, ref_coordinate (x, input->width, REF_CLAMP), ref_coordinate (y, input->height, REF_CLAMP));
}

static Number
gradient (const Plane *input, int x, int y, int along_y)
{
  Number d[3];

  for (int i = -1; i <= 1; i++)
    d[i + 1] = along_y ? difference (clamped (input, x + i, y + 1), clamped (input, x + i, y - 1))
                       : difference (clamped (input, x + 1, y + i), clamped (input, x - 1, y + i));
  return scaled (sum (sum (d[0], d[2]), scaled (d[1], 2.0)), 0.125);
}

/* One axis; the plane that is read reaches `radius` further on it. */
static void
blur_axis (const Plane *from, const float *weights, int radius, int along_y, Plane *to)
{
  for (int y = to->y; y < to->y + to->height; y++)
    for (int x = to->x; x < to->x + to->width; x++)
      {
        Number total = { 0.0, 0.0 };

        for (int i = -radius; i <= radius; i++)
          {
            Number tap = product (*plane_at (from, along_y ? x : x + i, along_y ? y + i : y),
                                  (Number) { weights[i + radius], 0.0 });

            total = i == -radius ? tap : sum (total, tap);
          }
        *plane_at (to, x, y) = total;
      }
}

/* a, b or c (first and second: which gradients are multiplied) on the rectangle of `to`. */
static void
structure (const Source *source, const Plane *input, int first, int second, Plane *to)
{
  float weights[HARRIS_MOST_TAPS];
  int   radius = harris_weights (source->sigma, weights);
  Plane products = plane_new (to->x - radius, to->y - radius, to->width + 2 * radius, to->height + 2 * radius);
  Plane rows = plane_new (to->x, products.y, to->width, products.height);

  for (int y = products.y; y < products.y + products.height; y++)
    for (int x = products.x; x < products.x + products.width; x++)
      *plane_at (&products, x, y) = product (gradient (input, x, y, first), gradient (input, x, y, second));
  blur_axis (&products, weights, radius, 0, &rows);
  blur_axis (&rows, weights, radius, 1, to);
  free (products.numbers);
  free (rows.numbers);
}

/* The same rectangle, grown by `reach` within the image. */
static Plane
plane_around (const RefImage *image, const RefResult *result, int reach)
{
  int x0 = result->x - reach < 0 ? 0 : result->x - reach, y0 = result->y - reach < 0 ? 0 : result->y - reach;
  int x1 = result->x + result->width + reach, y1 = result->y + result->height + reach;

  return plane_new (x0, y0, (x1 > image->width ? image->width : x1) - x0,
                    (y1 > image->height ? image->height : y1) - y0);
}

/* R, in place of a. */
static Plane
response_around (const Source *source, const RefResult *result, int reach)
{
  Plane  input = read_input (source);
  Plane  a = plane_around (source->image, result, reach), b = plane_around (source->image, result, reach);
  Plane  c = plane_around (source->image, result, reach);
  Number k = { (double) (float) source->k, 0.0 };

  structure (source, &input, 0, 0, &a);
  structure (source, &input, 0, 1, &b);
  structure (source, &input, 1, 1, &c);
  for (size_t i = 0; i < (size_t) a.width * a.height; i++)
    {
      Number trace = sum (a.numbers[i], c.numbers[i]);
      Number determinant = difference (product (a.numbers[i], c.numbers[i]), product (b.numbers[i], b.numbers[i]));

      a.numbers[i] = difference (determinant, product (k, product (trace, trace)));
    }
  free (input.numbers);
  free (b.numbers);
  free (c.numbers);
  return a;
}

/* --------------------------------------------------------------- outputs -- */

static int
is_inside (const RefImage *image, int x, int y)
{
  return x >= 0 && y >= 0 && x < image->width && y < image->height;
}

static Verdict
is_corner (const Source *source, const Plane *response, int x, int y)
{
  const RefImage *image = source->image;
  Number          here = *plane_at (response, x, y), threshold = { 0.0, 0.0 };
  Verdict         verdict;

  threshold.value = (double) (float) (source->threshold * source->threshold * source->threshold * source->threshold);
  if (ref_pixel (image, x, y, REF_CLAMP)[3] == 0.0)
    return NO;
  verdict = exceeds (here, threshold, 0);
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++)
      if ((dx != 0 || dy != 0) && is_inside (image, x + dx, y + dy))
        {
          int     is_after = dy > 0 || (dy == 0 && dx > 0);
          Verdict beside = exceeds (here, *plane_at (response, x + dx, y + dy), is_after);

          verdict = beside < verdict ? beside : verdict;
        }
  return verdict;
}

/* Is the pixel one of the cross of a corner? */
static Verdict
is_marked (const Source *source, const Plane *response, int x, int y)
{
  Verdict verdict = NO;

  for (int i = -ARM; i <= ARM; i++)
    for (int along_y = 0; along_y < 2; along_y++)
      {
        int column = along_y ? x : x + i, row = along_y ? y + i : y;

        if (is_inside (source->image, column, row))
          {
            Verdict beside = is_corner (source, response, column, row);

            verdict = beside > verdict ? beside : verdict;
          }
      }
  return verdict;
}

static void
store (RefResult *result, size_t at, double out, double slack)
{
  result->out[at] = out;
  result->slack[at] = slack;
}

static void
store_strength (RefResult *result, size_t at, Number response)
{
  double low = fmax (response.value - response.error, 0.0), high = fmax (response.value + response.error, 0.0);
  double root = pow (fmax (response.value, 0.0), 0.25);

  if (isnan (response.value) || isinf (response.error))
    store (result, at, 0.0, INFINITY);
  else if (isinf (root))
    store (result, at, root, 0.0);
  else
    store (result, at, root / STRENGTH_OF_EDGE,
           (fmax (root - pow (low, 0.25), pow (high, 0.25) - root) + STRENGTH_ERROR * root) / STRENGTH_OF_EDGE);
}

static void
store_overlay (const Source *source, const Plane *response, int x, int y, const double color[4], RefResult *result,
               size_t at)
{
  const double *pixel = ref_pixel (source->image, x, y, REF_CLAMP);
  Verdict       marked = is_marked (source, response, x, y);

  for (int c = 0; c < 4; c++)
    {
      double value = marked == YES ? (c == 3 ? 1.0 : color[c]) : pixel[c];

      store (result, at + c, value, marked == PERHAPS ? INFINITY : marked == YES && c < 3 ? COLOR_ERROR : 0.0);
      result->scale[at + c] = isfinite (value) ? fabs (value) : 0.0;
    }
}

void
reference_harris_corners (const RefImage *image, const RefImage *light, int straight, int curved, const double weights[3],
                          double sigma, double k, double threshold, const char *output, const double color[4],
                          RefResult *result)
{
  Source source = { image, light, weights, straight, curved, sigma, k, threshold };
  int    overlay = strcmp (output, "overlay") == 0, corners = strcmp (output, "corners") == 0;
  Plane  response = response_around (&source, result, overlay ? ARM + 1 : corners ? 1 : 0);

  memset (result->scale, 0, (size_t) result->width * result->height * 4 * sizeof (double));
  for (int y = result->y; y < result->y + result->height; y++)
    for (int x = result->x; x < result->x + result->width; x++)
      {
        size_t  at = ((size_t) (y - result->y) * result->width + x - result->x) * 4;
        Number  here = *plane_at (&response, x, y);
        Verdict verdict = corners ? is_corner (&source, &response, x, y) : NO;

        for (int c = 0; c < 4; c++)
          store (result, at + c, 0.0, 0.0);
        if (overlay)
          store_overlay (&source, &response, x, y, color, result, at);
        else if (corners)
          store (result, at, verdict == YES, verdict == PERHAPS ? INFINITY : 0.0);
        else if (strcmp (output, "strength") == 0)
          store_strength (result, at, here);
        else
          store (result, at, here.value, here.error);
      }
  free (response.numbers);
}
