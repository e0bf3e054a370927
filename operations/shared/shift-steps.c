/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The steps of a shift, whoever makes the sums: see shift.h.
 *
 * A pixel can be used if it and all that it depends on is good and inside.  This depends on the whole part of the shift alone.  Of these pixels the steep
 * ones are used: h^2 + g^2 > (5 m)^2, where m is 1.4826 times the median of |h| and |g|.  If less than 64 are steep, all are used.
 */
#include "config.h"

#include "shift-parts.h"

#include <math.h>
#include <string.h>

#define MOST_STEPS   10
#define SMALL        0.001      /* of a step, in pixels */
#define CAP          1.0
#define FEWEST       16         /* pixels */
#define FEWEST_STEEP 64
#define STEEP        5.0
#define PER_MEDIAN   1.4826
#define SINGULAR     1e-12
#define DOUBT        0.125      /* the residual of half a pixel along x or y */
#define ALWAYS       0.003      /* of the error: what the cubic does */

typedef struct
{
  const ShiftPath *path;
  gint             x, y;                /* the whole part of the shift */
  gfloat           taps_x[4], taps_y[4];
  gboolean         only_steep, has_failed;
  gdouble          residual;            /* of the last sums: squares of the difference to those of the gradient */
} Steps;

static void
make_taps (gdouble f, gfloat taps[4])
{
  taps[0] = (gfloat) (-f * (f - 1) * (f - 2) / 6);
  taps[1] = (gfloat) ((f + 1) * (f - 1) * (f - 2) / 2);
  taps[2] = (gfloat) (-(f + 1) * f * (f - 2) / 2);
  taps[3] = (gfloat) ((f + 1) * f * (f - 1) / 6);
}

static gboolean
choose_pixels (Steps *s)
{
  const ShiftPath *path = s->path;
  gdouble          median, m;
  gint             n;

  if (! path->choose (path->data, s->x, s->y) || ! shift_median (path->count_slopes, path->data, &median, NULL))
    return FALSE;
  m = PER_MEDIAN * median;
  if (! path->mark_steep (path->data, (gfloat) (STEEP * m * (STEEP * m)), &n))
    return FALSE;
  s->only_steep = n >= FEWEST_STEEP;
  return TRUE;
}

void
shift_add_tiles (const gfloat *tiles, gint n, gdouble sums[SHIFT_SUMS])
{
  memset (sums, 0, SHIFT_SUMS * sizeof *sums);
  for (gsize i = 0; i < (gsize) n; i++)
    for (gint k = 0; k < SHIFT_SUMS; k++)
      sums[k] += tiles[i * SHIFT_SUMS + k];
}

/* The sums at a shift.  FALSE: the frames have nothing in common there, or the path has failed. */
static gboolean
sums_at (Steps *s, gdouble x, gdouble y, gboolean is_first, gdouble sums[SHIFT_SUMS])
{
  const gdouble left = floor (x), top = floor (y);
  const gint    before_x = s->x, before_y = s->y;

  if (! (fabs (left) < s->path->width && fabs (top) < s->path->height))
    return FALSE;
  s->x = left;
  s->y = top;
  make_taps (x - left, s->taps_x);
  make_taps (y - top, s->taps_y);
  s->has_failed = ((is_first || s->x != before_x || s->y != before_y) && ! choose_pixels (s))
                  || ! s->path->add_up (s->path->data, s->taps_x, s->taps_y, s->only_steep, sums);
  s->residual = s->has_failed ? INFINITY : sums[SHIFT_E] / (sums[SHIFT_U] + sums[SHIFT_W]);
  return ! s->has_failed;
}

static gdouble
error_of (const gdouble sums[SHIFT_SUMS], gdouble determinant)
{
  return sqrt (sums[SHIFT_E] / sums[SHIFT_N] * ((sums[SHIFT_U] + sums[SHIFT_W]) / 2 / determinant) + ALWAYS * ALWAYS);
}

/* FALSE: the sums say nothing. */
static gboolean
make_step (Steps *s, gboolean repeats, Shift *found)
{
  gdouble sums[SHIFT_SUMS], determinant, dx, dy;

  if (! sums_at (s, found->x, found->y, found->steps == 0, sums))
    return FALSE;
  found->pixels = sums[SHIFT_N];
  determinant = sums[SHIFT_U] * sums[SHIFT_W] - sums[SHIFT_V] * sums[SHIFT_V];
  dx = (sums[SHIFT_Q] * sums[SHIFT_W] - sums[SHIFT_P] * sums[SHIFT_V]) / determinant;
  dy = (sums[SHIFT_P] * sums[SHIFT_U] - sums[SHIFT_Q] * sums[SHIFT_V]) / determinant;
  if (found->pixels < FEWEST || ! (determinant > SINGULAR * sums[SHIFT_U] * sums[SHIFT_W]) || ! isfinite (dx) || ! isfinite (dy))
    return FALSE;
  found->error = error_of (sums, determinant);
  found->x -= repeats ? CLAMP (dx, -CAP, CAP) : dx;
  found->y -= repeats ? CLAMP (dy, -CAP, CAP) : dy;
  found->steps++;
  found->converged = ! repeats || (fabs (dx) < SMALL && fabs (dy) < SMALL);
  return TRUE;
}

static void
make_steps (Steps *s, gboolean repeats, Shift *found)
{
  const gdouble x = found->x, y = found->y;

  found->ok = TRUE;
  while (found->ok && ! found->converged && found->steps < (repeats ? MOST_STEPS : 1))
    found->ok = make_step (s, repeats, found);
  if (! found->ok)
    {
      found->x = x;
      found->y = y;
      found->error = INFINITY;
    }
}

/* The start with the least residual, of those beside the best lags. */
static void
choose_start (Steps *s, const gint *x, gint n_x, const gint *y, gint n_y, Shift *start)
{
  gdouble least = INFINITY, sums[SHIFT_SUMS];

  for (gint i = 1; i < n_x * n_y; i++)
    {
      const gboolean is_known = sums_at (s, x[i % n_x], y[i / n_x], TRUE, sums);

      if (s->has_failed)
        return;
      if (is_known && sums[SHIFT_N] >= FEWEST && s->residual < least)
        {
          least = s->residual;
          start->x = x[i % n_x];
          start->y = y[i / n_x];
        }
    }
}

/* In a small frame the best lag of one star on another may be better than the right one.  Such a start does not converge, or leaves a residual as
 * large as a shift by half a pixel would make.  The next best lags are then looked at. */
static void
search (Steps *s, const gint *x, gint n_x, const gint *y, gint n_y, Shift *found)
{
  Shift   other = *found;
  gdouble residual;

  found->x = x[0];
  found->y = y[0];
  make_steps (s, TRUE, found);
  residual = s->residual;
  if (s->has_failed || (found->converged && residual < DOUBT) || n_x * n_y == 1)
    return;
  choose_start (s, x, n_x, y, n_y, &other);
  if (! s->has_failed)
    make_steps (s, TRUE, &other);
  if (other.converged && (! found->converged || s->residual < residual))
    *found = other;
}

gboolean
shift_by (const ShiftPath *path, const ShiftProjections *reference, const ShiftProjections *frame, const ShiftSettings *settings, Shift *found)
{
  gint  x[SHIFT_MOST_LAGS], y[SHIFT_MOST_LAGS];
  Steps s = { .path = path };

  *found = (Shift) { .error = INFINITY };
  if (settings->method == SHIFT_PYRAMID)
    {
      const gint n_x = shift_best_lags (reference->columns, frame->columns, path->width, settings->max_shift, x);
      const gint n_y = shift_best_lags (reference->rows, frame->rows, path->height, settings->max_shift, y);

      search (&s, x, n_x, y, n_y, found);
    }
  else
    make_steps (&s, settings->method == SHIFT_ITERATED, found);
  return ! s.has_failed;
}
