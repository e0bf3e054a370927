/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Texture and clarity in double, on straight R'G'B'A.  l = Y' (luma.h), G the bilateral grid of l over itself (plane-grid.h):
 *
 *   D1 = l - G(l; 2.5, 0.05),  D2 = G(l; 2.5, 0.05) - G(l; radius, 0.08)
 *   l' = l + texture h(D1; 0.05) D1^2/(D1^2 + protect^2) + clarity h(D2; 0.08)
 *   h(D; t) = D (1 - (D/2t)^2)^2, 0 where |D| >= 2t;  protect 0: the quotient is 1
 *   R', G', B' times l'/l; l' where l <= 0
 *
 * Chen, Paris, Durand, SIGGRAPH 2007; Fattal, Agrawala, Rusinkiewicz, SIGGRAPH 2007.
 *
 * A pixel that gives the grid nothing (alpha 0, a NaN or Inf in any component, an l that is no float) stays as it is; so do all
 * with both amounts 0.  Both means of a pixel whose weights sum to 0 are l, so it stays too.
 *
 * scale: |out| and what the largest l of the support is worth in it, as in bilateral-grid.c.  slack: h has a slope of at most 1,
 * with the quotient 9/8, so errors e of l and of the means make the factor at most (9/8 |texture| e(D1) + |clarity| e(D2)) / l
 * wrong.  INFINITY where it is open whether l <= 0.
 */
#include "luma.h"
#include "plane-grid.h"

#define FINE_SIGMA    2.5
#define FINE_RANGE    0.05
#define COARSE_RANGE  0.08
#define STEEPEST      1.125

typedef struct
{
  double texture, clarity, protect;
} Amounts;

static double
held (double d, double t)
{
  double q = d / (2.0 * t);

  return fabs (q) < 1.0 ? d * (1.0 - q * q) * (1.0 - q * q) : 0.0;
}

static double
protected_share (double d, double protect)
{
  return protect == 0.0 ? 1.0 : d * d / (d * d + protect * protect);
}

/* What l gains: its error is for an l that is wrong by `error`. */
static PlaneMean
gain (double l, double error, PlaneMean fine, PlaneMean coarse, const Amounts *a)
{
  double    d1 = l - fine.value, d2 = fine.value - coarse.value;
  double    texture = fabs (a->texture), clarity = fabs (a->clarity);
  PlaneMean gain = { a->texture * held (d1, FINE_RANGE) * protected_share (d1, a->protect)
                     + a->clarity * held (d2, COARSE_RANGE), 0.0, 0.0 };

  if (texture > 0.0)
    gain.error += texture * STEEPEST * (error + fine.error);
  if (clarity > 0.0)
    gain.error += clarity * (fine.error + coarse.error);
  gain.largest = texture * fine.largest + clarity * fmax (fine.largest, coarse.largest);
  return gain;
}

static PlanePixel
plane_pixel (const double *pixel, const double weights[3], double input_error)
{
  Luma       luma = luma_of (pixel, weights, input_error);
  PlanePixel result = { luma.value, luma.overflows || input_error >= 1.0 ? INFINITY : luma.deviation, pixel[3], 1 };

  for (int c = 0; c < 4; c++)
    result.gives &= fabs (pixel[c]) <= FLT_MAX;
  result.gives &= pixel[3] != 0.0 && fabs (luma.value) <= FLT_MAX;
  return result;
}

static void
apply (double value, double l, double error, PlaneMean gain, double input_error, double *out, double *scale, double *slack)
{
  double share = value / l;

  if (l <= 0.0)
    {
      *out = l + gain.value;
      *slack = error + gain.error;
      *scale = fabs (*out) + gain.largest;
    }
  else
    {
      *out = value + share * gain.value;
      *slack = fabs (share) * (gain.error + fabs (gain.value) * error / l) + input_error * fabs (*out);
      *scale = fabs (*out) + fabs (value) + fabs (share) * gain.largest;
    }
  if (fabs (l) <= fmax (error, FLT_MIN) || *scale > LUMA_OVERFLOW || isinf (error))
    *slack = INFINITY;
}

static void
store (const RefImage *image, const PlanePixel *pixels, const PlaneGrid grids[2], const Amounts *a, int x, int y,
       double *out, double *scale, double *slack)
{
  size_t            at = (size_t) y * image->width + x;
  const PlanePixel *own = &pixels[at];
  int               stays = !own->gives || (a->texture == 0.0 && a->clarity == 0.0);
  PlaneMean         gained = { 0.0, 0.0, 0.0 };

  if (!stays)
    gained = gain (own->value, own->error, plane_grid_mean (&grids[0], x, y), plane_grid_mean (&grids[1], x, y), a);
  for (int c = 0; c < 4; c++)
    {
      out[c] = image->pixels[at * 4 + c];
      scale[c] = 0.0;
      slack[c] = isfinite (out[c]) ? image->error * fabs (out[c]) : 0.0;
      if (c < 3 && !stays)
        apply (out[c], own->value, own->error, gained, image->error, out + c, scale + c, slack + c);
    }
}

void
reference_detail (const RefImage *image, double texture, double clarity, double radius, double protect,
                  const double weights[3], RefResult *result)
{
  size_t      count = (size_t) image->width * image->height;
  Amounts     amounts = { texture, clarity, protect };
  PlanePixel *pixels = ref_allocate (count, sizeof (PlanePixel));
  PlaneGrid   grids[2];

  for (size_t i = 0; i < count; i++)
    pixels[i] = plane_pixel (image->pixels + i * 4, weights, image->error);
  plane_grid_open (&grids[0], pixels, image->width, image->height, FINE_SIGMA, FINE_RANGE);
  plane_grid_open (&grids[1], pixels, image->width, image->height, radius, COARSE_RANGE);
  for (int i = 0; i < result->width * result->height; i++)
    store (image, pixels, grids, &amounts, result->x + i % result->width, result->y + i / result->width,
           result->out + 4 * i, result->scale + 4 * i, result->slack + 4 * i);
  for (int i = 0; i < 2; i++)
    plane_grid_close (&grids[i]);
  free (pixels);
}
