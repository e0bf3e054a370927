/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The background with stars as wide as the frame's: it is spread, or drawn together, by a kernel of rings that leaves least of the stars.
 *
 *   background = sky + sum c_r (sum over ring r of (background - its sky))
 *
 * A ring is all places at one distance, up to REACH px.  C. Alard and R. H. Lupton, "A Method for Optimal Image Subtraction", ApJ 503 (1998); the kernel's pixels are free, as those of
 * D. M. Bramich, MNRAS 386 (2008), but equal on a ring. */
#include "sequence.h"

#include <math.h>
#include <string.h>

#include "median.h"
#include "solve.h"

#define REACH  3                /* px */
#define SIDE   (2 * REACH + 1)
#define RINGS  10               /* of so many pixels around one */
#define TERMS  (RINGS + 1)      /* and the sky */
#define BRIGHT 30.0f            /* standard deviations of a star's pixel */
#define EXACT  0.01f            /* of its light, to which a star's pixel is known */
#define FEWEST 200              /* pixels beside stars */
#define CLIP   5.0f             /* standard deviations: what lies farther away is an object */
#define LEAST  1e-9             /* of a pivot */

static const gint8 ring_of[SIDE * SIDE] = {
  9, 8, 7, 6, 7, 8, 9,
  8, 5, 4, 3, 4, 5, 8,
  7, 4, 2, 1, 2, 4, 7,
  6, 3, 1, 0, 1, 3, 6,
  7, 4, 2, 1, 2, 4, 7,
  8, 5, 4, 3, 4, 5, 8,
  9, 8, 7, 6, 7, 8, 9,
};

typedef struct
{
  const CountPlane *current;
  CountPlane        padded;     /* the background as it was, less its sky; beyond its ends it goes on as it ends */
  gfloat            sky;        /* of the frame */
  gsize            *pixels;     /* of the frame: beside stars, where all is known */
  gsize             n;
  gfloat            width;      /* of the noise */
} Match;

static void
pad (const CountPlane *background, gfloat sky, CountPlane *padded)
{
  count_plane_init (padded, background->width + 2 * REACH, background->height + 2 * REACH);
  for (gint y = 0; y < padded->height; y++)
    for (gint x = 0; x < padded->width; x++)
      padded->pixels[(gsize) y * padded->width + x]
        = background->pixels[(gsize) CLAMP (y - REACH, 0, background->height - 1) * background->width + CLAMP (x - REACH, 0, background->width - 1)] - sky;
}

/* The first pixel within reach of one of the frame. */
static const gfloat *
reached (const Match *match, gsize at)
{
  const gsize width = match->current->width;

  return match->padded.pixels + at / width * match->padded.width + at % width;
}

/* The background's light there, less its sky. */
static gfloat
light_there (const Match *match, gsize at)
{
  return reached (match, at)[REACH * match->padded.width + REACH];
}

static void
sum_rings (const Match *match, gsize at, gdouble rings[TERMS])
{
  const gfloat *first = reached (match, at);

  for (gint r = 0; r < RINGS; r++)
    rings[r] = 0.0;
  rings[RINGS] = 1.0;
  for (gint j = 0; j < SIDE; j++)
    for (gint i = 0; i < SIDE; i++)
      rings[ring_of[j * SIDE + i]] += first[j * match->padded.width + i];
}

/* Is there a star within reach, and is all known? */
static gboolean
is_beside_star (const Match *match, gsize at)
{
  const gfloat *first = reached (match, at);
  gfloat        most = 0.0f, sum = match->current->pixels[at];

  for (gint j = 0; j < SIDE; j++)
    for (gint i = 0; i < SIDE; i++)
      {
        const gfloat value = first[j * match->padded.width + i];

        sum += value;
        most = MAX (most, value);
      }
  return isfinite (sum) && most > BRIGHT * match->width;
}

static gdouble
value_of (const gdouble rings[TERMS], const gdouble kernel[TERMS])
{
  gdouble value = 0.0;

  for (gint r = 0; r < TERMS; r++)
    value += kernel[r] * rings[r];
  return value;
}

/* What the kernel leaves of a pixel, in the deviations that its light has by itself. */
static gdouble
left_at (const Match *match, gsize at, const gdouble rings[TERMS], const gdouble kernel[TERMS])
{
  return (match->current->pixels[at] - match->sky - value_of (rings, kernel)) / hypot (match->width, EXACT * light_there (match, at));
}

static void
add_pixel (const Match *match, gsize at, const gdouble rings[TERMS], gdouble matrix[TERMS][TERMS], gdouble right[TERMS])
{
  const gdouble deviation = hypot (match->width, EXACT * light_there (match, at)), weight = 1.0 / (deviation * deviation);

  for (gint r = 0; r < TERMS; r++)
    {
      right[r] += weight * rings[r] * (match->current->pixels[at] - match->sky);
      for (gint s = 0; s <= r; s++)
        matrix[r][s] += weight * rings[r] * rings[s];
    }
}

/* Pixels of which the kernel as it is leaves more than `most` do not count.  FALSE: there is no one kernel. */
static gboolean
fit (const Match *match, gdouble most, gdouble kernel[TERMS])
{
  gdouble matrix[TERMS][TERMS] = { { 0.0 } }, right[TERMS] = { 0.0 }, rings[TERMS];

  for (gsize k = 0; k < match->n; k++)
    {
      sum_rings (match, match->pixels[k], rings);
      if (fabs (left_at (match, match->pixels[k], rings, kernel)) <= most)
        add_pixel (match, match->pixels[k], rings, matrix, right);
    }
  if (! solve_positive (matrix[0], TERMS, TERMS, LEAST, right))
    return FALSE;
  memcpy (kernel, right, sizeof right);
  return TRUE;
}

/* The standard deviation of what the kernel leaves, in the same. */
static gdouble
left_by (const Match *match, const gdouble kernel[TERMS])
{
  g_autofree gfloat *left = g_new (gfloat, match->n);
  gdouble            rings[TERMS];

  for (gsize k = 0; k < match->n; k++)
    {
      sum_rings (match, match->pixels[k], rings);
      left[k] = (gfloat) fabs (left_at (match, match->pixels[k], rings, kernel));
    }
  return 1.4826 * median_of (left, match->n);
}

/* Where not all within reach is known, a pixel's own light counts for all. */
static void
apply (const Match *match, const gdouble kernel[TERMS], WhitenPlanes *planes)
{
  const gsize n_pixels = (gsize) match->current->width * match->current->height;
  gdouble     rings[TERMS];

  for (gsize at = 0; at < n_pixels; at++)
    {
      gdouble value;

      sum_rings (match, at, rings);
      value = value_of (rings, kernel);
      planes->background.pixels[at] = match->sky + (isnan (value) ? light_there (match, at) : (gfloat) value);
      planes->whitened.pixels[at] = match->current->pixels[at] - planes->background.pixels[at];
    }
}

gboolean
width_match (const CountPlane *current, WhitenPlanes *planes)
{
  const gsize       n_pixels = (gsize) current->width * current->height;
  const SkyLevel    sky = left_level (planes);
  g_autofree gsize *pixels = g_new (gsize, n_pixels);
  Match             match = { .current = current, .sky = left_sky (current, SKY_APART).level, .pixels = pixels, .width = sky.width };
  gdouble           kernel[TERMS] = { 1.0 };
  gboolean          success;

  pad (&planes->background, sky.level, &match.padded);
  for (gsize at = 0; at < n_pixels; at++)
    if (is_beside_star (&match, at))
      pixels[match.n++] = at;
  success = match.n >= FEWEST && match.width > 0.0f && fit (&match, INFINITY, kernel) && fit (&match, CLIP * left_by (&match, kernel), kernel);
  if (success)
    apply (&match, kernel, planes);
  count_plane_clear (&match.padded);
  return success;
}
