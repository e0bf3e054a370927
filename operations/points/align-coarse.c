/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What two pictures show at large: see align-coarse.h.
 *
 * Each picture becomes some dozen cells a side, means of the root of luminance over what is neither left out, nor transparent, nor blown out.  Blocks
 * of cells of A are compared with B's cells there, less their means.  A block whose cells differ by noise alone has no vote.
 */
#include "config.h"

#include "align-coarse.h"

#include <math.h>

#include "matrix.h"
#include "median.h"

#define CELLS      64           /* along the larger side */
#define BLOCK      6            /* cells */
#define LEAST      18           /* cells of a block that both pictures have */
#define BLOWN_OUT  0.9f         /* luminance */
#define SEE_THROUGH 0.5f        /* alpha */
#define AROUND     5.0          /* sigma around a point, and some pixels */
#define RIM        3.0
#define SPARSE     7            /* pixels from one to the next that tells of the noise */
#define SEEN       6.0          /* times the variance of noise */
#define UNSEEN     1e-3         /* a deviation of the root of luminance that nobody sees */
#define ALIKE      0.7          /* correlation: of what is the same it is above 0.9 */
#define WHOLLY     0.97         /* ... without the noise */

typedef struct
{
  gint    width, height;        /* in cells */
  gint    side;                 /* of a cell, in pixels of the picture that is matched */
  gfloat *cells;                /* NaN: nothing is known */
  gdouble noise;                /* variance of a cell */
} Plane;

/* Roots of luminance of the half picture; NaN where it shows nothing. */
static gfloat *
read_roots (const RefinePicture *picture, gint n)
{
  gfloat *ya = g_new (gfloat, 2 * (gsize) n), *roots = g_new (gfloat, n);

  gegl_buffer_get (picture->buffer, &picture->bounds, 1.0, gegl_buffer_get_format (picture->buffer), ya, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
  for (gint i = 0; i < n; i++)
    roots[i] = ya[2 * i + 1] >= SEE_THROUGH && ya[2 * i] < BLOWN_OUT ? sqrtf (MAX (ya[2 * i], 0.0f)) : NAN;
  g_free (ya);
  return roots;
}

/* Of pixels, from how neighbours differ.  What is textured counts as noise. */
static gdouble
noise_of (const gfloat *roots, gint width, gint n)
{
  gfloat *differences = g_new (gfloat, n);
  gint    m = 0;
  gdouble deviation;

  for (gint i = 0; i + width + 1 < n; i += SPARSE)
    {
      const gfloat difference = fabsf (roots[i] - roots[i + 1] - roots[i + width] + roots[i + width + 1]);

      if (isfinite (difference))
        differences[m++] = difference;
    }
  deviation = m > 0 ? 1.4826 * median_rank (differences, m, m / 2) / 2 : 0;
  g_free (differences);
  return deviation * deviation;
}

static void
leave_out (gfloat *roots, gint width, gint height, const CoarseSpots *spots)
{
  for (gint i = 0; i < spots->n; i++)
    {
      const gdouble x = 0.5 * spots->places[i].x, y = 0.5 * spots->places[i].y, reach = 0.5 * (AROUND * spots->places[i].sigma + RIM);

      for (gint v = MAX (0, (gint) (y - reach)); v <= MIN (height - 1, y + reach); v++)
        for (gint u = MAX (0, (gint) (x - reach)); u <= MIN (width - 1, x + reach); u++)
          if ((u - x) * (u - x) + (v - y) * (v - y) <= reach * reach)
            roots[v * width + u] = NAN;
    }
}

static void
plane_init (Plane *plane, AlignPicture *picture, const CoarseSpots *spots)
{
  const RefinePicture *half = align_picture_coarse (picture, 1);
  const gint           width = half->bounds.width, height = half->bounds.height, side = MAX (1, (MAX (width, height) + CELLS - 1) / CELLS);
  gfloat              *roots = read_roots (half, width * height);

  *plane = (Plane) { .width = width / side, .height = height / side, .side = 2 * side };
  plane->cells = g_new (gfloat, plane->width * plane->height + 1);
  plane->noise = noise_of (roots, width, width * height) / (side * side);
  leave_out (roots, width, height, spots);
  for (gint i = 0; i < plane->width * plane->height; i++)
    {
      gdouble sum = 0;
      gint    n = 0;

      for (gint k = 0; k < side * side; k++)
        {
          const gfloat root = roots[(i / plane->width * side + k / side) * width + i % plane->width * side + k % side];

          if (isfinite (root))
            {
              sum += root;
              n++;
            }
        }
      plane->cells[i] = 2 * n >= side * side ? (gfloat) (sum / n) : NAN;
    }
  g_free (roots);
}

/* Between four cells. */
static gfloat
cell_at (const Plane *plane, gdouble x, gdouble y)
{
  const gint    column = (gint) floor (x), row = (gint) floor (y);
  const gfloat *cells = plane->cells + row * plane->width + column;
  const gfloat  s = (gfloat) (x - column), t = (gfloat) (y - row);

  if (! (x >= 0 && y >= 0 && column < plane->width - 1 && row < plane->height - 1))
    return NAN;
  return (1 - t) * ((1 - s) * cells[0] + s * cells[1]) + t * ((1 - s) * cells[plane->width] + s * cells[plane->width + 1]);
}

/* FALSE: one of them shows nothing there. */
static gboolean
correlate_block (const Plane *a, const Plane *b, gint left, gint top, const gdouble inverse[9], gdouble *alike, gdouble *without_noise)
{
  gdouble n = 0, p = 0, q = 0, pp = 0, qq = 0, pq = 0;

  for (gint i = 0; i < BLOCK * BLOCK; i++)
    {
      const gint    column = left + i % BLOCK, row = top + i / BLOCK;
      const gfloat  of_a = a->cells[row * a->width + column];
      gdouble       u, v;
      gfloat        of_b;

      matrix_map (inverse, (column + 0.5) * a->side - 0.5, (row + 0.5) * a->side - 0.5, &u, &v);
      of_b = cell_at (b, (u + 0.5) / b->side - 0.5, (v + 0.5) / b->side - 0.5);
      if (! isfinite (of_a) || ! isfinite (of_b))
        continue;
      n++;
      p += of_a;
      q += of_b;
      pp += of_a * of_a;
      qq += of_b * of_b;
      pq += of_a * of_b;
    }
  if (n < LEAST)
    return FALSE;
  pp = pp / n - p / n * (p / n);
  qq = qq / n - q / n * (q / n);
  pq = pq / n - p / n * (q / n);
  if (pp < SEEN * a->noise + UNSEEN * UNSEEN || qq < SEEN * b->noise + UNSEEN * UNSEEN)
    return FALSE;
  *alike = pq / sqrt (pp * qq);
  *without_noise = pq / sqrt ((pp - a->noise) * (qq - b->noise));
  return TRUE;
}

/* Over all blocks. */
static void
correlate (const Plane *a, const Plane *b, const gdouble inverse[9], CoarseVote *vote)
{
  *vote = (CoarseVote) { 0, 0, 0 };
  for (gint top = 0; top + BLOCK <= a->height; top += BLOCK)
    for (gint left = 0; left + BLOCK <= a->width; left += BLOCK)
      {
        gdouble alike, without_noise;

        if (! correlate_block (a, b, left, top, inverse, &alike, &without_noise))
          continue;
        vote->seen++;
        vote->agree += alike > ALIKE;
        vote->wholly += without_noise > WHOLLY;
      }
}

void
coarse_vote (AlignPicture *a, const CoarseSpots *in_a, AlignPicture *b, const CoarseSpots *in_b, const gdouble matrix[9], CoarseVote *vote)
{
  Plane   of_a, of_b;
  gdouble inverse[9];

  *vote = (CoarseVote) { 0, 0, 0 };
  if (! matrix_invert (matrix, inverse))
    return;
  plane_init (&of_a, a, in_a);
  plane_init (&of_b, b, in_b);
  correlate (&of_a, &of_b, inverse, vote);
  g_free (of_a.cells);
  g_free (of_b.cells);
}
