/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The steps of a shift: see shift.h.
 *
 * A pixel is used if it and all that it depends on is good and inside, and its gradient stands out: h^2 + g^2 > (5 m)^2, m = 1.4826 times the
 * median of |h| and |g| of the pixels that could be used.  Where less than 64 could, their gradient need not.
 * Which pixels are used depends on the whole part of the shift alone.
 */
#include "config.h"

#include "shift-parts.h"

#include <math.h>
#include <string.h>

#define MOST_STEPS   10
#define SMALL        0.001      /* of a step, in pixels */
#define CAP          1.0
#define FEWEST       16         /* pixels */
#define FEWEST_RANKED 64
#define STANDS_OUT   5.0
#define PER_MEDIAN   1.4826
#define SINGULAR     1e-12
#define ALWAYS       0.003      /* of the error: what the cubic does */

/* In this order in memory. */
typedef enum { P, Q, U, V, W, E, SUMS } Sum;

typedef struct
{
  const ShiftFrame *reference, *frame;
  gint              x, y;               /* the whole part of the shift */
  gfloat            wx[4], wy[4];       /* taps */
  guint8           *used;
  gfloat            threshold;          /* of h^2 + g^2 */
  gint              n;                  /* that are used */
  gfloat           *sums;               /* of the tiles, row by row */
} Steps;

/* ------------------------------------------------------------------ the mask -- */

/* Pixels of a row whose taps are all inside. */
static void
inside (const Steps *s, gint y, gint *from, gint *to)
{
  const gint width = s->frame->width, height = s->frame->height;

  *from = MAX (SHIFT_RIM, 1 - s->x);
  *to = MIN (width - SHIFT_RIM, width - 2 - s->x);
  if (y < SHIFT_RIM || y >= height - SHIFT_RIM || y + s->y < 1 || y + s->y >= height - 2 || *to < *from)
    *to = *from;
}

static void
find_usable (gsize first, gsize n, gpointer data)
{
  Steps     *s = data;
  const gint width = s->frame->width;

  for (gsize y = first; y < first + n; y++)
    {
      const guint8 *in_reference = s->reference->flags + y * width, *in_frame;
      guint8       *used = s->used + y * width;
      gint          from, to;

      inside (s, y, &from, &to);
      memset (used, 0, width);
      in_frame = s->frame->flags + (gssize) (y + s->y) * width + s->x;
      for (gint x = from; x < to; x++)
        used[x] = ! (in_reference[x] & SHIFT_NEAR_REFERENCE) & ! (in_frame[x] & SHIFT_NEAR_TAPS);
    }
}

static gint
take_gradients (gconstpointer data, gint row, gfloat *values)
{
  const Steps  *s = data;
  const gint    width = s->frame->width;
  const gsize   begin = (gsize) row * width;
  const gfloat *r = s->reference->softened + begin;
  gint          n = 0;

  for (gint x = SHIFT_RIM; x < width - SHIFT_RIM && row >= SHIFT_RIM && row < s->frame->height - SHIFT_RIM; x++)
    {
      values[n] = tessera_abs (shift_slope (r[x - 1], r[x + 1]));
      values[n + 1] = tessera_abs (shift_slope (r[x - width], r[x + width]));
      n += 2 * s->used[begin + x];
    }
  return n;
}

/* Only what stands out. */
static void
keep_steep (gsize first, gsize n, gpointer data)
{
  Steps     *s = data;
  const gint width = s->frame->width;

  for (gsize y = MAX (first, SHIFT_RIM); y < MIN (first + n, (gsize) s->frame->height - SHIFT_RIM); y++)
    {
      const gfloat *r = s->reference->softened + y * width;
      guint8       *used = s->used + y * width;

      for (gint x = SHIFT_RIM; x < width - SHIFT_RIM; x++)
        {
          const gfloat h = shift_slope (r[x - 1], r[x + 1]), g = shift_slope (r[x - width], r[x + width]);

          used[x] &= h * h + g * g > s->threshold;
        }
    }
}

static void
choose_pixels (Steps *s)
{
  const gint    width = s->frame->width, height = s->frame->height;
  const gdouble cost = SHIFT_ROW_COST (width);
  gsize         values;
  gdouble       m;

  gegl_parallel_distribute_range (height, cost, find_usable, s);
  m = PER_MEDIAN * shift_median (take_gradients, s, height, 2 * width, &values);
  if (values >= 2 * FEWEST_RANKED)
    {
      s->threshold = (gfloat) (STANDS_OUT * m * (STANDS_OUT * m));
      gegl_parallel_distribute_range (height, cost, keep_steep, s);
    }
  s->n = 0;
  for (gsize i = 0; i < (gsize) width * height; i++)
    s->n += s->used[i];
}

/* ------------------------------------------------------------------ the sums -- */

/* What the pixel at (x, y) adds to the sums of its column. */
static inline void
add_pixel (const Steps *s, gint x, gint y, gfloat columns[SUMS][SHIFT_TILE_WIDTH])
{
  const gint    width = s->frame->width, column = x % SHIFT_TILE_WIDTH;
  const gfloat *r = s->reference->softened + (gsize) y * width + x;
  const gfloat *taps = s->frame->softened + (gssize) (y + s->y - 1) * width + x + s->x - 1, *wx = s->wx, *wy = s->wy;
  const gfloat  h = shift_slope (r[-1], r[1]), g = shift_slope (r[-width], r[width]);
  gfloat        rows[4], e;

  for (gint k = 0; k < 4; k++, taps += width)
    rows[k] = shift_tap (taps[0], taps[1], taps[2], taps[3], wx[0], wx[1], wx[2], wx[3]);
  e = shift_tap (rows[0], rows[1], rows[2], rows[3], wy[0], wy[1], wy[2], wy[3]) - r[0];
  columns[P][column] += g * e;
  columns[Q][column] += h * e;
  columns[U][column] += h * h;
  columns[V][column] += h * g;
  columns[W][column] += g * g;
  columns[E][column] += e * e;
}

static void
add_tile (const Steps *s, gint x0, gint y0, gfloat sums[SUMS])
{
  const gint width = s->frame->width, x1 = MIN (x0 + SHIFT_TILE_WIDTH, width), y1 = MIN (y0 + SHIFT_TILE_HEIGHT, s->frame->height);
  gfloat     columns[SUMS][SHIFT_TILE_WIDTH] = { { 0 } };

  for (gint y = y0; y < y1; y++)
    {
      const guint8 *used = s->used + (gsize) y * width;

      for (gint x = x0; x < x1; x++)
        {
          guint64 eight;

          if (x + 8 <= x1)
            {
              memcpy (&eight, used + x, 8);
              if (! eight)
                {
                  x += 7;
                  continue;
                }
            }
          if (used[x])
            add_pixel (s, x, y, columns);
        }
    }
  for (gint k = 0; k < SUMS; k++)
    sums[k] = shift_halve (columns[k]);
}

static void
add_tiles (gsize first, gsize n, gpointer data)
{
  const Steps *s = data;
  const gint   across = shift_tiles (s->frame->width, SHIFT_TILE_WIDTH);

  for (gsize row = first; row < first + n; row++)
    for (gint column = 0; column < across; column++)
      add_tile (s, column * SHIFT_TILE_WIDTH, row * SHIFT_TILE_HEIGHT, s->sums + (row * across + column) * SUMS);
}

static void
add_up (const Steps *s, gdouble sums[SUMS])
{
  const gint  down = shift_tiles (s->frame->height, SHIFT_TILE_HEIGHT), across = shift_tiles (s->frame->width, SHIFT_TILE_WIDTH);

  gegl_parallel_distribute_range (down, SHIFT_ROW_COST (s->frame->width) / SHIFT_TILE_HEIGHT, add_tiles, (gpointer) s);
  memset (sums, 0, SUMS * sizeof *sums);
  for (gsize tile = 0; tile < (gsize) down * across; tile++)
    for (gint k = 0; k < SUMS; k++)
      sums[k] += s->sums[tile * SUMS + k];
}

/* ----------------------------------------------------------------- the steps -- */

static void
make_taps (gdouble f, gfloat taps[4])
{
  taps[0] = (gfloat) (-f * (f - 1) * (f - 2) / 6);
  taps[1] = (gfloat) ((f + 1) * (f - 1) * (f - 2) / 2);
  taps[2] = (gfloat) (-(f + 1) * f * (f - 2) / 2);
  taps[3] = (gfloat) ((f + 1) * f * (f - 1) / 6);
}

/* FALSE: the frames have nothing in common any more. */
static gboolean
move_to (Steps *s, gdouble x, gdouble y, gboolean is_first)
{
  const gdouble left = floor (x), top = floor (y);
  const gint    before_x = s->x, before_y = s->y;

  if (! (fabs (left) < s->frame->width && fabs (top) < s->frame->height))
    return FALSE;
  s->x = left;
  s->y = top;
  make_taps (x - left, s->wx);
  make_taps (y - top, s->wy);
  if (is_first || s->x != before_x || s->y != before_y)
    choose_pixels (s);
  return s->n >= FEWEST;
}

static gdouble
error_of (const gdouble sums[SUMS], gdouble dx, gdouble dy, gdouble determinant, gint n)
{
  const gdouble squares = MAX (0.0, sums[E] - dx * sums[Q] - dy * sums[P]);
  const gdouble sigma = sqrt (squares / n) * sqrt ((sums[U] + sums[W]) / 2 / determinant);

  return sqrt (sigma * sigma + ALWAYS * ALWAYS);
}

static gboolean
make_steps (Steps *s, gboolean repeats, Shift *found)
{
  for (found->steps = 0; found->steps < (repeats ? MOST_STEPS : 1) && ! found->converged;)
    {
      gdouble sums[SUMS], determinant, dx, dy;

      if (! move_to (s, found->x, found->y, found->steps == 0))
        return FALSE;
      add_up (s, sums);
      determinant = sums[U] * sums[W] - sums[V] * sums[V];
      if (! (determinant > SINGULAR * sums[U] * sums[W]) || ! isfinite (sums[E]) || ! isfinite (determinant))
        return FALSE;
      dx = (sums[Q] * sums[W] - sums[P] * sums[V]) / determinant;
      dy = (sums[P] * sums[U] - sums[Q] * sums[V]) / determinant;
      found->error = error_of (sums, dx, dy, determinant, s->n);
      found->pixels = s->n;
      found->x -= repeats ? CLAMP (dx, -CAP, CAP) : dx;
      found->y -= repeats ? CLAMP (dy, -CAP, CAP) : dy;
      found->steps++;
      found->converged = ! repeats || (fabs (dx) < SMALL && fabs (dy) < SMALL);
    }
  return TRUE;
}

void
shift_steps (const ShiftFrame *reference, const ShiftFrame *frame, gboolean repeats, Shift *found)
{
  const gint  width = reference->width, height = reference->height;
  const Shift start = *found;
  Steps       s = { .reference = reference, .frame = frame };

  s.used = tessera_large_new ((gsize) width * height);
  s.sums = g_new (gfloat, (gsize) shift_tiles (width, SHIFT_TILE_WIDTH) * shift_tiles (height, SHIFT_TILE_HEIGHT) * SUMS);
  found->ok = make_steps (&s, repeats, found);
  if (! found->ok)
    {
      const gint steps = found->steps;

      *found = start;
      found->pixels = s.n;
      found->steps = steps;
    }
  g_free (s.sums);
  tessera_large_free (s.used);
}
