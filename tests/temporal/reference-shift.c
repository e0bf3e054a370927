/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The shift of one frame against another.  R is the filtered reference, I the filtered frame. */
#include "reference.h"

#include <math.h>

#define HOT_SIGMA     8.0
#define HOT_PART      0.25      /* of the excess, in the neighbours */
#define HOT_DOUBT     0.15      /* counts are whole numbers, and so is their median: 9 or 10 */
#define RIM           2         /* pixels that are not used */
#define FEWEST        16
#define FEWEST_STRONG 64
#define STRONG        5.0
#define MOST_STEPS    10
#define MOST_DAMPED   30
#define SMALL_STEP    0.001
#define INTERPOLATION 0.003     /* px: the error that does not come from noise */
#define SINGULAR      1e-12
#define WINDOW        31        /* of the projections' running median */

/* Of the finite ones among 5 x 5; beyond the edge there is nothing. */
static gdouble
median_of_25 (const Plane *frame, gint x, gint y)
{
  gdouble values[25];
  gsize   n = 0;

  for (gint j = MAX (y - 2, 0); j <= MIN (y + 2, frame->height - 1); j++)
    for (gint i = MAX (x - 2, 0); i <= MIN (x + 2, frame->width - 1); i++)
      if (isfinite (frame->values[(gsize) j * frame->width + i]))
        values[n++] = frame->values[(gsize) j * frame->width + i];
  return median (values, n);
}

/* Open: a neighbour that is itself bad (not finite, saturated) or does not exist.  Here it is below everything, as bad pixels count as 0. */
static gboolean
is_hot (const Plane *frame, const guint8 *bad, const Plane *excess, gint x, gint y, gdouble limit, gdouble part)
{
  const gint    w = frame->width, h = frame->height;
  const gdouble own = plane_at (excess, x, y), middle = plane_at (frame, x, y) - own;

  for (gint k = 0; k < 4; k++)
    {
      const gint u = x + (k == 0) - (k == 1), v = y + (k == 2) - (k == 3);

      if (u >= 0 && u < w && v >= 0 && v < h && ! (bad[(gsize) v * w + u] & REFERENCE_BAD) && plane_at (frame, u, v) - middle >= part * own)
        return FALSE;
    }
  return own > limit;
}

/* Open: whose robust sigma.  Here that of the frame: 1.4826 times the median of |pixel - its 5 x 5 median|.
 * Open: the windows at the frame's edge.  Here they are cut. */
static void
mark_hot (const Plane *frame, guint8 *bad)
{
  const gint w = frame->width, h = frame->height;
  Plane      excess = plane_new (w, h), sizes = plane_new (w, h);
  gdouble    limit;

  for (gint y = 0; y < h; y++)
    for (gint x = 0; x < w; x++)
      {
        const gsize i = (gsize) y * w + x;

        excess.values[i] = frame->values[i] - median_of_25 (frame, x, y);
        sizes.values[i] = fabs (excess.values[i]);
      }
  limit = HOT_SIGMA * 1.4826 * plane_median (&sizes);
  for (gint y = 0; y < h; y++)
    for (gint x = 0; x < w; x++)
      {
        const gsize i = (gsize) y * w + x;

        if (is_hot (frame, bad, &excess, x, y, limit, HOT_PART))
          bad[i] |= REFERENCE_HOT;
        if (is_hot (frame, bad, &excess, x, y, limit * (1 - HOT_DOUBT), HOT_PART * (1 + HOT_DOUBT))
            != is_hot (frame, bad, &excess, x, y, limit * (1 + HOT_DOUBT), HOT_PART * (1 - HOT_DOUBT)))
          bad[i] |= REFERENCE_DOUBTFUL;
      }
  plane_free (&excess);
  plane_free (&sizes);
}

/* [1 2 1] / 4 each way; a bad pixel is 0. */
static void
smooth (const Plane *frame, const guint8 *bad, Plane *smooth)
{
  const gint w = frame->width, h = frame->height;
  Plane      clean = plane_copy (frame);

  for (gsize i = 0; i < plane_size (frame); i++)
    if (bad[i] & (REFERENCE_BAD | REFERENCE_HOT))
      clean.values[i] = 0;
  for (gint y = 0; y < h; y++)
    for (gint x = 0; x < w; x++)
      {
        gdouble sum = 0;

        for (gint j = -1; j <= 1; j++)
          for (gint i = -1; i <= 1; i++)
            sum += (2 - ABS (j)) * (2 - ABS (i)) * plane_at (&clean, x + i, y + j);
        smooth->values[(gsize) y * w + x] = sum / 16;
      }
  plane_free (&clean);
}

ReferenceFrame
reference_frame (const Plane *frame, const ReferenceShiftSettings *settings)
{
  const gint     w = frame->width, h = frame->height;
  ReferenceFrame made = { plane_new (w, h), g_new0 (guint8, plane_size (frame)), g_new0 (guint8, plane_size (frame)) };

  for (gsize i = 0; i < plane_size (frame); i++)
    made.bad[i] = ! isfinite (frame->values[i]) || frame->values[i] >= settings->saturation ? REFERENCE_BAD : 0;
  if (settings->reject_hot)
    mark_hot (frame, made.bad);
  smooth (frame, made.bad, &made.smooth);
  for (gint y = 0; y < h; y++)
    for (gint x = 0; x < w; x++)
      for (gint j = MAX (y - 1, 0); j <= MIN (y + 1, h - 1); j++)
        for (gint i = MAX (x - 1, 0); i <= MIN (x + 1, w - 1); i++)
          if (made.bad[(gsize) j * w + i] & (REFERENCE_BAD | REFERENCE_HOT))
            made.spoilt[(gsize) y * w + x] = 1;
  return made;
}

void
reference_frame_free (ReferenceFrame *frame)
{
  plane_free (&frame->smooth);
  g_free (frame->bad);
  g_free (frame->spoilt);
}

/* Weights of the taps at -1, 0, 1, 2: the cubic through them, at f. */
static void
lagrange (gdouble f, gdouble taps[4])
{
  taps[0] = -f * (f - 1) * (f - 2) / 6;
  taps[1] = (f + 1) * (f - 1) * (f - 2) / 2;
  taps[2] = -(f + 1) * f * (f - 2) / 2;
  taps[3] = (f + 1) * f * (f - 1) / 6;
}

/* What one pixel says: e, h, g. */
typedef struct
{
  gdouble e, h, g;
} Equation;

/* I at the whole pixel (x, y) and a fraction.  FALSE: a tap is outside, or knows a bad pixel. */
static gboolean
resample (const ReferenceFrame *frame, gint x, gint y, const gdouble across[4], const gdouble down[4], gdouble *value)
{
  const gint w = frame->smooth.width, h = frame->smooth.height;

  if (x < 1 || x + 2 >= w || y < 1 || y + 2 >= h)
    return FALSE;
  *value = 0;
  for (gint j = 0; j < 4; j++)
    for (gint i = 0; i < 4; i++)
      {
        const gsize at = (gsize) (y + j - 1) * w + x + i - 1;

        if (frame->spoilt[at])
          return FALSE;
        *value += down[j] * across[i] * frame->smooth.values[at];
      }
  return TRUE;
}

/* The pixels that can be used at the shift s. */
static gsize
equations_at (const ReferenceFrame *reference, const ReferenceFrame *frame, Vector s, Equation *equations)
{
  const gint   w = reference->smooth.width, h = reference->smooth.height;
  const gint   whole_x = (gint) floor (s.x), whole_y = (gint) floor (s.y);
  const Plane *r = &reference->smooth;
  gdouble      across[4], down[4];
  gsize        n = 0;

  lagrange (s.x - whole_x, across);
  lagrange (s.y - whole_y, down);
  for (gint y = RIM; y < h - RIM; y++)
    for (gint x = RIM; x < w - RIM; x++)
      {
        const gsize i = (gsize) y * w + x;
        gdouble     value;

        if (reference->spoilt[i] || reference->spoilt[i - 1] || reference->spoilt[i + 1] || reference->spoilt[i - w]
            || reference->spoilt[i + w] || ! resample (frame, x + whole_x, y + whole_y, across, down, &value))
          continue;
        equations[n++] = (Equation) { value - r->values[i], (r->values[i + 1] - r->values[i - 1]) / 2, (r->values[i + w] - r->values[i - w]) / 2 };
      }
  return n;
}

/* Keeps the pixels with a strong gradient.  Open: "if at least 64 such pixels remain" is read as: 64 with a strong gradient; else all
 * are used.  (Where 64 to choose from are meant, small frames have no shift, and neither has noise alone.)  Open: which pixels' |h| and
 * |g| the median is of.  Here those that can be used at this step. */
static gsize
keep_strong (Equation *equations, gsize n)
{
  gdouble *sizes = g_new (gdouble, 2 * n + 1), limit;
  gsize    strong = 0;

  for (gsize i = 0; i < n; i++)
    {
      sizes[2 * i] = fabs (equations[i].h);
      sizes[2 * i + 1] = fabs (equations[i].g);
    }
  limit = n ? STRONG * 1.4826 * median (sizes, 2 * n) : 0;
  g_free (sizes);
  for (gsize i = 0; i < n; i++)
    strong += equations[i].h * equations[i].h + equations[i].g * equations[i].g > limit * limit;
  if (strong < FEWEST_STRONG)
    return n;
  strong = 0;
  for (gsize i = 0; i < n; i++)
    if (equations[i].h * equations[i].h + equations[i].g * equations[i].g > limit * limit)
      equations[strong++] = equations[i];
  return strong;
}

/* One step from s: (dx, dy), which is taken away from s.  FALSE: the equations say nothing.  Open: which residual's rms.  Here e, as
 * it is before the step. */
static gboolean
step_from (const ReferenceFrame *reference, const ReferenceFrame *frame, Vector s, Equation *equations, Vector *step, ReferenceShift *found)
{
  const gsize n = keep_strong (equations, equations_at (reference, frame, s, equations));
  gdouble     p = 0, q = 0, u = 0, v = 0, w = 0, squares = 0, determinant;

  found->pixels = (gint) n;
  for (gsize i = 0; i < n; i++)
    {
      const Equation *at = equations + i;

      p += at->g * at->e;
      q += at->h * at->e;
      u += at->h * at->h;
      v += at->h * at->g;
      w += at->g * at->g;
      squares += at->e * at->e;
    }
  determinant = u * w - v * v;
  if (n < FEWEST || determinant <= SINGULAR * u * w)
    return FALSE;
  step->x = (q * w - p * v) / determinant;
  step->y = (p * u - q * v) / determinant;
  found->error = sqrt (squares / n * ((u + w) / 2 / determinant) + INTERPOLATION * INTERPOLATION);
  found->sensitivity = sqrt (n / ((u + w) / 2 - hypot ((u - w) / 2, v)));
  return TRUE;
}

/* The mean of the filtered frame's unspoilt pixels in each column (or row), less its running median.  Where there is none: 0.
 * Open: whether the projections are of the filtered frame, what becomes of bad pixels, and of the window at the ends (it is cut). */
static gdouble *
projection (const ReferenceFrame *frame, gboolean is_rows)
{
  const gint w = frame->smooth.width, h = frame->smooth.height, n = is_rows ? h : w;
  gdouble   *means = g_new0 (gdouble, n), *rest = g_new0 (gdouble, n);

  for (gint k = 0; k < n; k++)
    {
      gint count = 0;

      for (gint l = 0; l < (is_rows ? w : h); l++)
        {
          const gsize i = is_rows ? (gsize) k * w + l : (gsize) l * w + k;

          if (! frame->spoilt[i])
            {
              means[k] += frame->smooth.values[i];
              count++;
            }
        }
      means[k] = count ? means[k] / count : NAN;
    }
  for (gint k = 0; k < n; k++)
    {
      gdouble values[WINDOW];
      gsize   count = 0;

      for (gint l = MAX (0, k - WINDOW / 2); l <= MIN (n - 1, k + WINDOW / 2); l++)
        if (isfinite (means[l]))
          values[count++] = means[l];
      rest[k] = isfinite (means[k]) ? means[k] - median (values, count) : 0;
    }
  g_free (means);
  return rest;
}

/* Open: what is best.  Here the correlation over what overlaps; of equal lags the shorter.  A lag is half the frame at the most. */
static gint
best_lag (const gdouble *a, const gdouble *b, gint n, gint most)
{
  gdouble best = 0;
  gint    lag = 0;

  most = MIN (most, n / 2);
  for (gint k = 0; k <= 2 * most; k++)
    {
      const gint at = k % 2 ? -(k + 1) / 2 : k / 2;
      gdouble    ab = 0, aa = 0, bb = 0;

      for (gint x = MAX (0, -at); x < MIN (n, n - at); x++)
        {
          ab += a[x] * b[x + at];
          aa += a[x] * a[x];
          bb += b[x + at] * b[x + at];
        }
      if (aa > 0 && bb > 0 && ab / sqrt (aa * bb) > best)
        {
          best = ab / sqrt (aa * bb);
          lag = at;
        }
    }
  return lag;
}

static gint
start_along (const ReferenceFrame *reference, const ReferenceFrame *frame, gboolean is_rows, gint most)
{
  gdouble   *a = projection (reference, is_rows), *b = projection (frame, is_rows);
  const gint lag = best_lag (a, b, is_rows ? reference->smooth.height : reference->smooth.width, most);

  g_free (a);
  g_free (b);
  return lag;
}

/* Steps from a start, until one is small; damped: half as long from where they turn back. */
static Vector
walk (const ReferenceFrame *reference, const ReferenceFrame *frame, Vector s, gint most, gboolean is_single, gboolean is_damped, Equation *equations,
      ReferenceShift *found)
{
  Vector  step = { 0, 0 }, before = { 0, 0 };
  gdouble part = 1;

  for (gint i = 0; i < most && ! found->converged; i++)
    {
      found->ok = step_from (reference, frame, s, equations, &step, found);
      if (! found->ok)
        break;
      found->steps++;
      if (is_damped && step.x * before.x + step.y * before.y < 0)
        part /= 2;
      before = step;
      found->converged = is_single || (fabs (step.x) < SMALL_STEP && fabs (step.y) < SMALL_STEP);
      s.x -= is_single ? step.x : part * CLAMP (step.x, -1, 1);
      s.y -= is_single ? step.y : part * CLAMP (step.y, -1, 1);
    }
  return s;
}

ReferenceShift
reference_shift (const ReferenceFrame *reference, const ReferenceFrame *frame, const ReferenceShiftSettings *settings)
{
  const gboolean is_single = settings->method == REFERENCE_SINGLE;
  Equation      *equations = g_new (Equation, plane_size (&reference->smooth));
  ReferenceShift found = { .ok = TRUE };
  Vector         start, s;

  if (settings->method == REFERENCE_PYRAMID)
    {
      found.start_x = start_along (reference, frame, FALSE, settings->max_shift);
      found.start_y = start_along (reference, frame, TRUE, settings->max_shift);
    }
  start = (Vector) { found.start_x, found.start_y };
  s = walk (reference, frame, start, is_single ? 1 : MOST_STEPS, is_single, FALSE, equations, &found);
  if (found.ok && ! found.converged)
    s = walk (reference, frame, start, MOST_DAMPED, FALSE, TRUE, equations, &found);
  found.converged = found.converged && found.ok;
  found.x = found.ok ? s.x : found.start_x;
  found.y = found.ok ? s.y : found.start_y;
  g_free (equations);
  return found;
}
