/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * From candidates to places between the pixels and the layers, and to angles.  In double; no sum depends on threads.
 */
#include "config.h"

#include "sift-parts.h"

#include <gegl-plugin.h>
#include <math.h>

#include "../opencl/math/tessera-angle.h"

#define ROUNDS      5
#define ACCEPTED    0.5         /* offset along each axis */
#define ANGLE_REACH 4.5         /* radius of an angle's window, in sigmas */
#define ANGLE_SIGMA 1.5         /* standard deviation of its weights */
#define ANGLE_PEAK  0.8         /* of the highest one */

/* ----------------------------------------------------------------- place -- */

/* Derivatives of D, the offset to its extreme, its value there. */
typedef struct
{
  gdouble x, y, s;
  gdouble xx, yy, ss, xy, xs, ys;
  gdouble dx, dy, ds;
  gdouble value;
} Fit;

/* FALSE: no extreme, or one at no finite place. */
static gboolean
solve (Fit *f)
{
  const gdouble a = f->yy * f->ss - f->ys * f->ys, b = f->xy * f->ss - f->ys * f->xs, c = f->xy * f->ys - f->yy * f->xs;
  const gdouble det = (f->xx * a - f->xy * b) + f->xs * c;

  if (det == 0.0)
    return FALSE;
  f->dx = -((f->x * a - f->xy * (f->y * f->ss - f->ys * f->s)) + f->xs * (f->y * f->ys - f->yy * f->s)) / det;
  f->dy = -((f->xx * (f->y * f->ss - f->ys * f->s) - f->x * b) + f->xs * (f->xy * f->s - f->y * f->xs)) / det;
  f->ds = -((f->xx * (f->yy * f->s - f->y * f->ys) - f->xy * (f->xy * f->s - f->y * f->xs)) + f->x * c) / det;
  return isfinite (f->dx) && isfinite (f->dy) && isfinite (f->ds);
}

/* By central differences. */
static gboolean
fit (const SiftLevels *levels, gint l, gint x, gint y, Fit *f)
{
  gdouble d[3][3][3];
  const gdouble (*at)[3] = d[1];

  for (gint i = 0; i < 3; i++)
    for (gint j = 0; j < 3; j++)
      for (gint k = 0; k < 3; k++)
        d[i][j][k] = sift_difference (levels, l - 1 + i, x - 1 + k, y - 1 + j);
  f->value = at[1][1];
  f->x = 0.5 * (at[1][2] - at[1][0]);
  f->y = 0.5 * (at[2][1] - at[0][1]);
  f->s = 0.5 * (d[2][1][1] - d[0][1][1]);
  f->xx = (at[1][2] + at[1][0]) - 2.0 * f->value;
  f->yy = (at[2][1] + at[0][1]) - 2.0 * f->value;
  f->ss = (d[2][1][1] + d[0][1][1]) - 2.0 * f->value;
  f->xy = 0.25 * ((at[2][2] - at[2][0]) - (at[0][2] - at[0][0]));
  f->xs = 0.25 * ((d[2][1][2] - d[2][1][0]) - (d[0][1][2] - d[0][1][0]));
  f->ys = 0.25 * ((d[2][2][1] - d[2][0][1]) - (d[0][2][1] - d[0][0][1]));
  return solve (f);
}

static gboolean
is_near (gint from, gdouble step, gint candidate, gint least, gint end)
{
  const gdouble to = from + step;

  return to >= least && to < end && fabs (to - candidate) <= SIFT_WALK;
}

/* Is it strong enough, and no edge? */
static gboolean
holds (const Fit *f, const SiftSettings *settings, gdouble response)
{
  const gdouble det = f->xx * f->yy - f->xy * f->xy, trace = f->xx + f->yy, r = settings->edge_threshold;

  return response * settings->intervals >= settings->contrast_threshold && det > 0.0
         && trace * trace * r < (r + 1.0) * (r + 1.0) * det;
}

gboolean
sift_refine (const SiftLevels *levels, const SiftSettings *settings, const SiftCandidate *candidate, SiftPlace *place)
{
  gint l = candidate->layer, x = candidate->column, y = candidate->row;

  for (gint round = 0; round < ROUNDS; round++)
    {
      Fit     f;
      gdouble right, down, up;

      if (! fit (levels, l, x, y, &f))
        return FALSE;
      if (fabs (f.dx) < ACCEPTED && fabs (f.dy) < ACCEPTED && fabs (f.ds) < ACCEPTED)
        {
          const gdouble response = fabs (f.value + 0.5 * ((f.x * f.dx + f.y * f.dy) + f.s * f.ds));

          *place = (SiftPlace) { l, y, x, f.dx, f.dy, f.ds,
                                 settings->sigma * sift_exp2 ((l + f.ds) / settings->intervals), response };
          return holds (&f, settings, response);
        }
      right = floor (f.dx + 0.5);
      down = floor (f.dy + 0.5);
      up = floor (f.ds + 0.5);
      if (! is_near (x, right, candidate->column, EXTREME_FRAME, levels->width - EXTREME_FRAME)
          || ! is_near (y, down, candidate->row, EXTREME_FRAME, levels->height - EXTREME_FRAME)
          || ! (l + up >= 1 && l + up <= settings->intervals))
        return FALSE;
      x += (gint) right;
      y += (gint) down;
      l += (gint) up;
    }
  return FALSE;
}

/* ---------------------------------------------------------------- angles -- */

/* Of n pixels of a row: the length of the gradient, weighed, and the bin of its angle.  `row` has the level's pixels from
 * the one left of the first on. */
TESSERA_CLONES static void
gradients (const gfloat *restrict above, const gfloat *restrict row, const gfloat *restrict below, gint n, gdouble weight,
           const gdouble *restrict weights, gdouble *restrict lengths, gint *restrict bins)
{
  for (gint i = 0; i < n; i++)
    {
      const gdouble dx = (gdouble) row[i + 2] - row[i], dy = (gdouble) below[i + 1] - above[i + 1];
      const gdouble place = angle_of (dx, dy) * 0.1 + 0.5;
      const gint    bin = (gint) (place >= 0.0 ? place : 0.0);          /* NaN where a level overflows; with floor gcc makes no vectors */

      lengths[i] = weight * weights[i] * sqrt (dx * dx + dy * dy);
      bins[i] = bin >= SIFT_BINS ? bin - SIFT_BINS : bin;
    }
}

static void
count_gradients (const SiftLevels *levels, const SiftPlace *place, gdouble bins[SIFT_BINS])
{
  const gint    radius = (gint) floor (ANGLE_REACH * place->sigma + 0.5), l = place->layer;
  const gint    left = MAX (place->column - radius, 1), right = MIN (place->column + radius, levels->width - 2);
  const gint    top = MAX (place->row - radius, 1), bottom = MIN (place->row + radius, levels->height - 2);
  const gint    n = right - left + 1, whole = sift_whole (n), row = whole + SIFT_SLACK, most = sift_whole (2 * radius + 1);
  gdouble      *weights = gegl_scratch_new0 (gdouble, 2 * most), *middle = weights + radius;
  gdouble      *lengths = gegl_scratch_new (gdouble, whole);
  gint         *which = gegl_scratch_new (gint, whole);
  gfloat       *room = gegl_scratch_new0 (gfloat, 3 * row);

  for (gint i = 0; i <= radius; i++)
    middle[i] = middle[-i] = tessera_exp (-(i * i) / (2.0 * (ANGLE_SIGMA * place->sigma) * (ANGLE_SIGMA * place->sigma)));
  for (gint y = top; y <= bottom; y++)
    {
      gradients (sift_row (levels, l, left - 1, y - 1, n + 2, room), sift_row (levels, l, left - 1, y, n + 2, room + row),
                 sift_row (levels, l, left - 1, y + 1, n + 2, room + 2 * row), whole, middle[y - place->row],
                 middle + (left - place->column), lengths, which);
      for (gint i = 0; i < n; i++)
        bins[which[i]] += lengths[i];
    }
  gegl_scratch_free (room);
  gegl_scratch_free (which);
  gegl_scratch_free (lengths);
  gegl_scratch_free (weights);
}

gint
sift_angles (const SiftLevels *levels, const SiftPlace *place, SiftAngle angles[SIFT_MOST_ANGLES])
{
  gdouble raw[SIFT_BINS] = { 0.0 }, bins[SIFT_BINS], highest = 0.0;
  gint    n = 0;

  count_gradients (levels, place, raw);
  for (gint i = 0; i < SIFT_BINS; i++)
    {
      const gint b = i + SIFT_BINS;

      bins[i] = ((raw[(b - 2) % SIFT_BINS] + raw[(b + 2) % SIFT_BINS])
                 + 4.0 * (raw[(b - 1) % SIFT_BINS] + raw[(b + 1) % SIFT_BINS]) + 6.0 * raw[i]) / 16.0;
      highest = MAX (highest, bins[i]);
    }
  for (gint i = 0; i < SIFT_BINS; i++)
    {
      const gdouble left = bins[(i + SIFT_BINS - 1) % SIFT_BINS], peak = bins[i], right = bins[(i + 1) % SIFT_BINS];
      gdouble       angle;

      if (! (peak > left && peak > right && peak >= ANGLE_PEAK * highest))
        continue;
      angle = 10.0 * (i + 0.5 * (left - right) / ((left - 2.0 * peak) + right));
      angles[n++] = (SiftAngle) { i, angle < 0.0 ? angle + 360.0 : angle >= 360.0 ? angle - 360.0 : angle };
    }
  return n;
}
