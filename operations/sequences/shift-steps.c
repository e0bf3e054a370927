/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The steps of a shift, whoever makes the sums: see shift.h.
 *
 * A search asks for a median or for sums and goes on when it is answered, so that several searches can ask at once (operations/sequences/estimate-shift-device.c).
 *
 * A pixel can be used if it and all that it depends on is good and inside.  This depends on the whole part of the shift alone.  Of these pixels the steep
 * ones are used: h^2 + g^2 > (5 m)^2, where m is 1.4826 times the median of |h| and |g|.  If less than 64 are steep, all are used.
 */
#include "config.h"

#include "shift-parts.h"

#include <math.h>
#include <string.h>

#define MOST_DAMPED  30
#define SMALL        0.001      /* of a step, in pixels */
#define CAP          1.0
#define FEWEST       16         /* pixels */
#define STEEP        5.0
#define PER_MEDIAN   1.4826
#define SINGULAR     1e-12
#define DOUBT        0.125      /* the residual of half a pixel along x or y */
#define ALWAYS       0.003      /* of the error: what the cubic does */

static void
make_taps (gdouble f, gfloat taps[4])
{
  taps[0] = (gfloat) (-f * (f - 1) * (f - 2) / 6);
  taps[1] = (gfloat) ((f + 1) * (f - 1) * (f - 2) / 2);
  taps[2] = (gfloat) (-(f + 1) * f * (f - 2) / 2);
  taps[3] = (gfloat) ((f + 1) * f * (f - 1) / 6);
}

void
shift_add_tiles (const gfloat *tiles, gint n, gdouble sums[SHIFT_SUMS])
{
  memset (sums, 0, SHIFT_SUMS * sizeof *sums);
  for (gsize i = 0; i < (gsize) n; i++)
    for (gint k = 0; k < SHIFT_SUMS; k++)
      sums[k] += tiles[i * SHIFT_SUMS + k];
}

static gdouble
error_of (const gdouble sums[SHIFT_SUMS], gdouble determinant)
{
  return sqrt (sums[SHIFT_E] / sums[SHIFT_N] * ((sums[SHIFT_U] + sums[SHIFT_W]) / 2 / determinant) + ALWAYS * ALWAYS);
}

/* Asks for the sums at a shift.  FALSE: the frames have nothing in common there. */
static gboolean
ask_at (ShiftSearch *s, gdouble x, gdouble y, gboolean is_first)
{
  const gdouble left = floor (x), top = floor (y);
  const gint    before_x = s->x, before_y = s->y;

  if (! (fabs (left) < s->width && fabs (top) < s->height))
    return FALSE;
  s->x = left;
  s->y = top;
  make_taps (x - left, s->taps_x);
  make_taps (y - top, s->taps_y);
  s->is_fresh = is_first || s->x != before_x || s->y != before_y;
  s->asks = s->is_fresh ? SHIFT_ASKS_MEDIAN : SHIFT_ASKS_SUMS;
  return TRUE;
}

/* The part of a step that is made: it halves where the way turns back. */
static gdouble
damp (ShiftSearch *s, gdouble dx, gdouble dy)
{
  if (dx * s->last_x + dy * s->last_y < 0.0)
    s->part /= 2.0;
  s->last_x = dx;
  s->last_y = dy;
  return s->part;
}

/* FALSE: the sums say nothing. */
static gboolean
make_step (ShiftSearch *s, const gdouble sums[SHIFT_SUMS])
{
  const gdouble determinant = sums[SHIFT_U] * sums[SHIFT_W] - sums[SHIFT_V] * sums[SHIFT_V];
  const gdouble dx = (sums[SHIFT_Q] * sums[SHIFT_W] - sums[SHIFT_P] * sums[SHIFT_V]) / determinant;
  const gdouble dy = (sums[SHIFT_P] * sums[SHIFT_U] - sums[SHIFT_Q] * sums[SHIFT_V]) / determinant;
  Shift        *now = &s->now;
  gdouble       part = 1.0;

  now->pixels = sums[SHIFT_N];
  if (now->pixels < FEWEST || ! (determinant > SINGULAR * sums[SHIFT_U] * sums[SHIFT_W]) || ! isfinite (dx) || ! isfinite (dy))
    return FALSE;
  now->error = error_of (sums, determinant);
  if (s->is_damped)
    part = damp (s, dx, dy);
  now->x -= s->repeats ? part * CLAMP (dx, -CAP, CAP) : dx;
  now->y -= s->repeats ? part * CLAMP (dy, -CAP, CAP) : dy;
  now->steps++;
  now->converged = ! s->repeats || (fabs (dx) < SMALL && fabs (dy) < SMALL);
  return TRUE;
}

static void begin_steps (ShiftSearch *s, ShiftStage stage, const Shift *start);

/* The next of the starts beside the best lags.  After the last: the steps from the one with the least residual. */
static void
next_start (ShiftSearch *s)
{
  for (s->start++; s->start < s->n_x * s->n_y; s->start++)
    if (ask_at (s, s->lags_x[s->start % s->n_x], s->lags_y[s->start / s->n_x], TRUE))
      return;
  begin_steps (s, SHIFT_OTHER_STEPS, &s->other);
}

/* In a small frame the best lag of one star on another may be better than the right one.  Such a start does not converge, or leaves a residual as
 * large as a shift by half a pixel would make.  The next best lags are then looked at. */
static void
end_steps (ShiftSearch *s)
{
  if (! s->now.ok)
    {
      s->now.x = s->from_x;
      s->now.y = s->from_y;
      s->now.error = INFINITY;
    }
  s->asks = SHIFT_ASKS_NOTHING;
  if (s->stage == SHIFT_FIRST_STEPS)
    {
      s->found = s->now;
      s->first_residual = s->residual;
      if (! s->looks_beside || (s->found.converged && s->residual < DOUBT) || s->n_x * s->n_y == 1)
        return;
      s->stage = SHIFT_STARTS;
      s->start = 0;
      s->least = INFINITY;
      next_start (s);
    }
  else if (s->now.converged && (! s->found.converged || s->residual < s->first_residual))
    s->found = s->now;
}

static gint
most_steps (const ShiftSearch *s)
{
  return s->is_damped ? SHIFT_PLAIN_STEPS + MOST_DAMPED : s->repeats ? SHIFT_PLAIN_STEPS : 1;
}

/* A frame that is sharper than the reference rises by more where it moves by as much, and steps go too far: by more than twice as far they never end.
 * Then they begin again, damped. */
static void
next_step (ShiftSearch *s)
{
  const gboolean begins_anew = s->now.ok && ! s->now.converged && s->repeats && ! s->is_damped && s->now.steps == SHIFT_PLAIN_STEPS;

  if (begins_anew)
    {
      s->is_damped = TRUE;
      s->part = 1.0;
      s->last_x = s->last_y = 0.0;
      s->now.x = s->from_x;
      s->now.y = s->from_y;
    }
  if (s->now.ok && ! s->now.converged && s->now.steps < most_steps (s))
    {
      if (ask_at (s, s->now.x, s->now.y, s->now.steps == 0 || begins_anew))
        return;
      s->now.ok = FALSE;
    }
  end_steps (s);
}

static void
begin_steps (ShiftSearch *s, ShiftStage stage, const Shift *start)
{
  s->stage = stage;
  s->now = *start;
  s->now.ok = TRUE;
  s->from_x = start->x;
  s->from_y = start->y;
  s->is_damped = FALSE;
  next_step (s);
}

void
shift_search_begin (ShiftSearch *s, gint width, gint height, const ShiftProjections *reference, const ShiftProjections *frame,
                    const ShiftSettings *settings)
{
  Shift start = { .error = INFINITY };

  *s = (ShiftSearch) { .width = width, .height = height, .repeats = settings->method != SHIFT_SINGLE,
                       .looks_beside = settings->method == SHIFT_PYRAMID, .other = start };
  if (s->looks_beside)
    {
      s->n_x = shift_best_lags (reference->columns, frame->columns, width, settings->max_shift, s->lags_x);
      s->n_y = shift_best_lags (reference->rows, frame->rows, height, settings->max_shift, s->lags_y);
      start.x = s->lags_x[0];
      start.y = s->lags_y[0];
    }
  begin_steps (s, SHIFT_FIRST_STEPS, &start);
}

void
shift_search_median (ShiftSearch *s, gdouble median)
{
  const gdouble m = PER_MEDIAN * median;

  s->threshold = (gfloat) (STEEP * m * (STEEP * m));
  s->asks = SHIFT_ASKS_SUMS;
}

void
shift_search_sums (ShiftSearch *s, const gdouble sums[SHIFT_SUMS])
{
  s->residual = sums[SHIFT_E] / (sums[SHIFT_U] + sums[SHIFT_W]);
  if (s->stage != SHIFT_STARTS)
    {
      s->now.ok = make_step (s, sums);
      next_step (s);
      return;
    }
  if (sums[SHIFT_N] >= FEWEST && s->residual < s->least)
    {
      s->least = s->residual;
      s->other.x = s->lags_x[s->start % s->n_x];
      s->other.y = s->lags_y[s->start / s->n_x];
    }
  next_start (s);
}
