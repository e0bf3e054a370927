/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Shadows, highlights and compression in double, on straight linear RGBA.  Y = w . RGB, G the bilateral grid of l over itself
 * (plane-grid.h), k = compression:
 *
 *   l = log2 max (Y, 2^-16),  B = G(l; radius, edge),  D = l - B,  mid = log2 0.18
 *   c = 1 - k (1 - min (1, range / max (hi - lo, 1e-3)))
 *   B1 = c (B - m) + m + k (mid - m)
 *   B2 = B1 + shadows t (2 - t),  t = clamp ((mid - B1) / 5, 0, 1)
 *   B3 = B2 - highlights (w < 1 ? 0.7 uw w (1 - w) : 0.5 uw (w - 1)),  w = max (B1 - mid, 0) / uw,  uw = -mid
 *   v = 2^(B3 + detail D),  v' = (1 - k) v + k q(v),  q(v) = v up to 0.5, then 0.5 + 0.5 z/(1 + z), z = (v - 0.5)/0.5
 *   R, G, B times v' / max (Y, 2^-16)
 *
 * lo, m, hi: 0.5, 50 and 99.5 % of the histogram of l in bins of 1/16 from -16 to 16, of the pixels with alpha > 0, Y > 0 and no
 * NaN or Inf in a component; what lies beyond is in the first or last bin.  A quantile lies in the first bin up to which its share is
 * counted.  With k = 0, or where no pixel counts, B1 = B.
 *
 * Durand & Dorsey, SIGGRAPH 2002; Reinhard et al., SIGGRAPH 2002.
 *
 * Readings: a pixel that gives the grid nothing (alpha 0, Y <= 0, a NaN or Inf in a
 * component, a Y that is no float) stays.  A radius of 0 is min (400, max (8, 0.02 max (width, height))), no whole number.
 *
 * scale: |out|, and what the largest |l| of the support is worth in it, as in bilateral-grid.c.  slack: the errors of l (2e-7 of
 * log2, 8 u of the sum), of B by ties between planes, of exp2, and what pixels that may lie in either of two bins of the histogram
 * can do: each step rises with B1, so the ends of c and m are the ends of the result.
 */
#include "plane-grid.h"

#define LEAST_LIGHT     0x1p-16
#define BINS            512
#define BINS_A_STOP     16.0
#define POWER_ERROR     2e-7            /* of exp2 and log2 */
#define LIGHT_ERROR     (8.0 * 0x1p-24) /* of Y, of the sum of the sizes of its terms */
#define STEEPEST        1.4             /* of B3 over B, with shadows -1 */
#define LARGEST         (FLT_MAX / 4.0)
#define SHARE_ERROR     1e-12

typedef struct
{
  double compression, range, shadows, highlights, detail;
} Settings;

typedef struct
{
  double light, error;          /* Y */
  int    finite;
} Light;

/* B1 = c (B - middle) + middle + k (mid - middle): the value, and the ends of what float may have. */
typedef struct
{
  double c[3], middle[3];
  int    empty;
} Survey;

static Light
light_of (const double *pixel, const double weights[3], double input_error)
{
  Light  light = { 0.0, 0.0, 1 };
  double size = 0.0;

  for (int c = 0; c < 3; c++)
    {
      light.light += weights[c] * pixel[c];
      size += fabs (weights[c] * pixel[c]);
    }
  for (int c = 0; c < 4; c++)
    light.finite &= fabs (pixel[c]) <= FLT_MAX;
  light.error = (LIGHT_ERROR + input_error) * size;
  light.finite &= fabs (light.light) <= FLT_MAX;
  if (size > LARGEST)
    light.error = INFINITY;
  return light;
}

static PlanePixel
plane_pixel (const double *pixel, Light light)
{
  PlanePixel result = { log2 (fmax (light.light, LEAST_LIGHT)), 0.0, pixel[3], 0 };

  result.gives = light.finite && pixel[3] != 0.0 && light.light > 0.0;
  result.error = POWER_ERROR * fmax (1.0, fabs (result.value)) + light.error / (fmax (light.light, LEAST_LIGHT) * M_LN2);
  if (fabs (light.light) <= light.error && light.error > 0.0)
    result.error = INFINITY;            /* it may be no light at all */
  return result;
}

static int
bin_of (double l)
{
  double bin = floor ((l + 16.0) * BINS_A_STOP);

  return bin < 0.0 ? 0 : bin >= BINS ? BINS - 1 : (int) bin;
}

static double
quantile (const double counts[BINS], double wanted)
{
  double below = 0.0;
  int    b = 0;

  while (b < BINS - 1 && below + counts[b] < wanted)
    below += counts[b++];
  return -16.0 + (b + fmin (1.0, (wanted - below) / fmax (1.0, counts[b]))) / BINS_A_STOP;
}

static double
squeeze (double low, double high, const Settings *s)
{
  return 1.0 - s->compression * (1.0 - fmin (1.0, s->range / fmax (high - low, 1e-3)));
}

/* [0]: the bins as they are, [1]: each pixel in its lowest, [2]: in its highest.  One that may have no light is in the first, and in the
 * last: what it does where it does not count is between. */
static Survey
survey (const RefImage *image, const PlanePixel *pixels, const Light *lights, const Settings *s)
{
  double counts[3][BINS] = { { 0.0 } }, n[3] = { 0.0 }, low[3], high[3];
  Survey result = { .empty = 0 };

  for (size_t i = 0; i < (size_t) image->width * image->height; i++)
    for (int k = 0; k < 3; k++)
      if (lights[i].finite && image->pixels[i * 4 + 3] > 0.0 && (pixels[i].gives || (k > 0 && isinf (pixels[i].error))))
        {
          n[k] += 1.0;
          counts[k][bin_of (k == 0 ? pixels[i].value : pixels[i].value + (k == 1 ? -1.0 : 1.0) * pixels[i].error)] += 1.0;
        }
  for (int k = 0; k < 3; k++)
    {
      double wanted = n[k] * (k == 0 ? 1.0 : k == 1 ? 1.0 - SHARE_ERROR : 1.0 + SHARE_ERROR);

      low[k] = quantile (counts[k], 0.005 * wanted);
      result.middle[k] = quantile (counts[k], 0.5 * wanted);
      high[k] = quantile (counts[k], 0.995 * wanted);
    }
  result.c[0] = squeeze (low[0], high[0], s);
  result.c[1] = squeeze (low[1], high[2], s);
  result.c[2] = squeeze (low[2], high[1], s);
  result.empty = n[0] == 0.0;
  return result;
}

static double
lift (double b1, const Settings *s)
{
  double mid = log2 (0.18), white = -mid, u = b1 - mid;
  double t = fmin (fmax (-u / 5.0, 0.0), 1.0), w = fmax (u, 0.0) / white;

  return b1 + s->shadows * t * (2.0 - t)
         - s->highlights * (w < 1.0 ? 0.7 * white * w * (1.0 - w) : 0.5 * white * (w - 1.0));
}

static double
shoulder (double v, double compression)
{
  double z = (v - 0.5) / 0.5;

  return (1.0 - compression) * v + compression * (v <= 0.5 ? v : 0.5 + 0.5 * z / (1.0 + z));
}

/* v' */
static double
toned (double base, double fine, double c, double middle, const Settings *s)
{
  double b1 = s->compression == 0.0 ? base : c * (base - middle) + middle + s->compression * (log2 (0.18) - middle);

  return shoulder (exp2 (lift (b1, s) + s->detail * fine), s->compression);
}

typedef struct
{
  double factor, error, scale;  /* relative to the factor: its error, and what the tolerance counts for */
} Factor;

static Factor
factor_of (const PlanePixel *pixel, Light light, PlaneMean base, const Survey *survey, const Settings *s)
{
  double y = fmax (light.light, LEAST_LIGHT), fine = pixel->value - base.value;
  double v = toned (base.value, fine, survey->c[0], survey->middle[0], s), spread = 0.0;
  Factor result = { v / y, 0.0, 0.0 };

  for (int k = 0; k < 4 && s->compression > 0.0; k++)
    spread = fmax (spread, fabs (toned (base.value, fine, survey->c[1 + k % 2], survey->middle[1 + k / 2], s) / v - 1.0));
  result.error = spread + M_LN2 * (STEEPEST * base.error + s->detail * (pixel->error + base.error))
                 + POWER_ERROR * (1.0 + fabs (log2 (v))) + light.error / y + 2.0 * LIGHT_ERROR;
  result.scale = 1.0 + M_LN2 * (STEEPEST + s->detail) * base.largest;
  if (!(result.error < 0.5) || v > LARGEST || (survey->empty && s->compression > 0.0))
    result.error = INFINITY;
  return result;
}

static void
store (const RefImage *image, size_t at, const Factor *factor, double *out, double *scale, double *slack)
{
  for (int c = 0; c < 4; c++)
    {
      out[c] = image->pixels[at * 4 + c];
      scale[c] = 0.0;
      slack[c] = isfinite (out[c]) ? image->error * fabs (out[c]) : 0.0;
      if (c == 3 || !factor)
        continue;
      out[c] *= factor->factor;
      scale[c] = fabs (out[c]) * factor->scale;
      slack[c] = isinf (factor->error) || fabs (out[c]) > LARGEST ? INFINITY : fabs (out[c]) * (factor->error + image->error);
    }
}

void
reference_tone (const RefImage *image, double compression, double range, double shadows, double highlights, double detail,
                double radius, double edge, const double weights[3], RefResult *result)
{
  size_t      count = (size_t) image->width * image->height;
  int         longer = image->width > image->height ? image->width : image->height;
  int         stays = compression == 0.0 && shadows == 0.0 && highlights == 0.0 && detail == 1.0;
  Settings    settings = { compression, range, shadows, highlights, detail };
  Light      *lights = ref_allocate (count, sizeof (Light));
  PlanePixel *pixels = ref_allocate (count, sizeof (PlanePixel));
  PlaneGrid   grid;
  Survey      found;

  for (size_t i = 0; i < count; i++)
    {
      lights[i] = light_of (image->pixels + i * 4, weights, image->error);
      pixels[i] = plane_pixel (image->pixels + i * 4, lights[i]);
    }
  found = survey (image, pixels, lights, &settings);
  plane_grid_open (&grid, pixels, image->width, image->height, radius == 0.0 ? fmin (400.0, fmax (8.0, 0.02 * longer)) : radius, edge);
  for (int i = 0; i < result->width * result->height; i++)
    {
      int    x = result->x + i % result->width, y = result->y + i / result->width;
      size_t at = (size_t) y * image->width + x;
      int    changes = !stays && pixels[at].gives;
      Factor factor = { 1.0, 0.0, 0.0 };

      if (changes)
        factor = factor_of (&pixels[at], lights[at], plane_grid_mean (&grid, x, y), &found, &settings);
      store (image, at, changes ? &factor : NULL, result->out + 4 * i, result->scale + 4 * i, result->slack + 4 * i);
      for (int c = 0; c < 3 && !stays && lights[at].finite && image->pixels[at * 4 + 3] != 0.0; c++)
        if (fabs (lights[at].light) <= lights[at].error && lights[at].error > 0.0)
          result->slack[4 * i + c] = INFINITY;
    }
  plane_grid_close (&grid);
  free (lights);
  free (pixels);
}
