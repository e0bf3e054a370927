/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Significance of a whitened frame; see whiten.h.
 *
 * Without the two terms for stars a threshold of 6 gives tens of false detections a frame: where a bright star was moved by a
 * fraction of a pixel, more than noise is left.
 */
#include "whiten.h"

#include <math.h>
#include <string.h>

#include <gegl.h>

#include "median.h"
#include "tessera.h"

#define MAD_TO_SIGMA 1.4826f
#define STAR_ERROR   0.1f       /* px */

/* Of each block. */
typedef struct
{
  gfloat median, sigma;         /* NaN: no pixel has a value */
} Local;

/* Where the pixels of an axis lie between the centres of blocks: x = centre `low`, and `part` of the way to the next. */
typedef struct
{
  gint    n_blocks, size;
  gint   *low;
  gfloat *part;
} Axis;

typedef struct
{
  const WhitenPlanes *planes;
  Axis                x, y;
  Local              *locals;
  gfloat              middle, per_gain, step;
} Judgement;

static gint
block_start (const Axis *axis, gint block)
{
  return block < axis->n_blocks ? block * WHITEN_BLOCK : axis->size;
}

static void
axis_init (Axis *axis, gint size)
{
  *axis = (Axis) { MAX (1, size / WHITEN_BLOCK), size, g_new0 (gint, size), g_new0 (gfloat, size) };
  for (gint x = 0, low = 0; x < size; x++)
    {
      gdouble centre, next;

      while (low + 2 < axis->n_blocks && 2 * x >= block_start (axis, low + 1) + block_start (axis, low + 2) - 1)
        low++;
      centre = 0.5 * (block_start (axis, low) + block_start (axis, low + 1) - 1);
      next = 0.5 * (block_start (axis, MIN (low + 1, axis->n_blocks)) + block_start (axis, MIN (low + 2, axis->n_blocks)) - 1);
      axis->low[x] = low;
      axis->part[x] = low + 1 < axis->n_blocks ? (gfloat) CLAMP ((x - centre) / (next - centre), 0.0, 1.0) : 0.0f;
    }
}

static void
axis_clear (Axis *axis)
{
  g_free (axis->low);
  g_free (axis->part);
}

/* Copies the values of a rectangle; returns their number. */
static gsize
collect (const CountPlane *plane, gint x0, gint y0, gint x1, gint y1, gfloat *values)
{
  gsize n = 0;

  for (gint y = y0; y < y1; y++)
    for (gint x = x0; x < x1; x++)
      {
        const gfloat value = plane->pixels[(gsize) y * plane->width + x];

        values[n] = value;
        n += ! isnan (value);
      }
  return n;
}

/* Of distances from the median, of numbers that are `step` apart. */
static gfloat
sigma_of_steps (const gfloat *values, gsize n, gfloat step)
{
  gdouble squares = 0.0;
  gsize   near = 0;

  for (gsize i = 0; i < n; i++)
    if (values[i] < 2.0f * step)
      {
        squares += (gdouble) values[i] * values[i];
        near++;
      }
  return MAX (near > 0 ? (gfloat) sqrt (squares / near) : 0.0f, WHITEN_OF_STEP * step);
}

static Local
find_local (const CountPlane *plane, gint x0, gint y0, gint x1, gint y1, gfloat step, gfloat *values)
{
  const gsize n = collect (plane, x0, y0, x1, y1, values);
  Local       local = { .median = median_of (values, n) };

  for (gsize i = 0; i < n; i++)
    values[i] = fabsf (values[i] - local.median);
  local.sigma = MAD_TO_SIGMA * median_of (values, n);
  if (n > 0 && local.sigma < step)
    local.sigma = MAX (local.sigma, sigma_of_steps (values, n, step));
  return local;
}

static void
find_locals (gsize first, gsize n, gpointer data)
{
  const Judgement *j = data;
  g_autofree gfloat *values = g_new (gfloat, 4 * WHITEN_BLOCK * WHITEN_BLOCK + 1);

  for (gsize i = first; i < first + n; i++)
    {
      const gint bx = i % j->x.n_blocks, by = i / j->x.n_blocks;

      j->locals[i] = find_local (&j->planes->whitened, block_start (&j->x, bx), block_start (&j->y, by),
                                 block_start (&j->x, bx + 1), block_start (&j->y, by + 1), j->step, values);
    }
}

/* A block without a value is as the whole is.  Where nothing has a value, nothing is judged. */
static void
fill_locals (const Judgement *j)
{
  const gint n_blocks = j->x.n_blocks * j->y.n_blocks;
  g_autofree gfloat *medians = g_new (gfloat, n_blocks), *sigmas = g_new (gfloat, n_blocks);
  Local      whole;
  gint       n = 0;

  for (gint i = 0; i < n_blocks; i++)
    if (! isnan (j->locals[i].median))
      {
        medians[n] = j->locals[i].median;
        sigmas[n++] = j->locals[i].sigma;
      }
  whole = (Local) { median_of (medians, n), median_of (sigmas, n) };
  for (gint i = 0; i < n_blocks; i++)
    if (isnan (j->locals[i].median))
      j->locals[i] = whole;
}

typedef struct
{
  const WhitenPlanes *planes;
  gfloat             *values;
  gint                known;    /* atomic */
} Collecting;

static void
collect_rows (gsize first, gsize n, gpointer data)
{
  Collecting  *c = data;
  const gsize  begin = first * c->planes->whitened.width, end = begin + n * c->planes->whitened.width;
  gint         known = 0;

  for (gsize i = begin; i < end; i++)
    {
      const gboolean is_known = ! isnan (c->planes->whitened.pixels[i]);

      c->values[i] = is_known ? c->planes->background.pixels[i] : NAN;
      known += is_known;
    }
  g_atomic_int_add (&c->known, known);
}

static gfloat
find_middle (const WhitenPlanes *planes)
{
  const gsize n_pixels = (gsize) planes->background.width * planes->background.height;
  g_autofree gfloat *values = g_new (gfloat, n_pixels);
  Collecting  c = { .planes = planes, .values = values };

  tessera_spread_range (planes->background.height, 64.0 * 64.0 / planes->background.width, collect_rows, &c);
  return c.known > 0 ? median_of_many (values, n_pixels, c.known) : 0.0f;
}

/* What a row of the frame has between the rows of blocks. */
typedef struct
{
  gfloat *of_blocks;            /* x.n_blocks */
  gfloat *of_pixels;            /* width */
} Between;

/* Runs of pixels between the same two centres, so that the loop runs in vectors. */
TESSERA_CLONES static void
spread_run (gfloat left, gfloat right, const gfloat *restrict part, gfloat *restrict to, gint n)
{
  for (gint i = 0; i < n; i++)
    to[i] = left + (right - left) * part[i];
}

/* The medians (member 0) or sigmas (1): along y, then along x. */
static void
interpolate (const Judgement *j, gint y, gint member, const Between *row)
{
  const Local *top = j->locals + j->y.low[y] * j->x.n_blocks;
  const Local *bottom = top + (j->y.low[y] + 1 < j->y.n_blocks ? j->x.n_blocks : 0);

  for (gint b = 0; b < j->x.n_blocks; b++)
    {
      const gfloat above = member ? top[b].sigma : top[b].median, below = member ? bottom[b].sigma : bottom[b].median;

      row->of_blocks[b] = above + (below - above) * j->y.part[y];
    }
  for (gint x = 0, end; x < j->x.size; x = end)
    {
      const gint low = j->x.low[x], next = MIN (low + 1, j->x.n_blocks - 1);

      for (end = x + 1; end < j->x.size && j->x.low[end] == low; end++);
      spread_run (row->of_blocks[low], row->of_blocks[next], j->x.part + x, row->of_pixels + x, end - x);
    }
}

/* A neighbour of which nothing is known counts as the pixel itself. */
static inline gfloat
known (gfloat neighbour, gfloat own)
{
  return neighbour == neighbour ? neighbour : own;
}

/* `here` has a pixel more at each end. */
TESSERA_CLONES static void
judge_row (const gfloat *restrict here, const gfloat *restrict above, const gfloat *restrict below, const gfloat *restrict whitened,
           const gfloat *restrict median, const gfloat *restrict sigma, gfloat middle, gfloat per_gain, gint n,
           gfloat *restrict significance)
{
  for (gint x = 0; x < n; x++)
    {
      const gfloat own = here[x + 1];
      const gfloat slope_x = 0.5f * (known (here[x + 2], own) - known (here[x], own));
      const gfloat slope_y = 0.5f * (known (below[x], own) - known (above[x], own));
      const gfloat star = STAR_ERROR * STAR_ERROR * (slope_x * slope_x + slope_y * slope_y);
      const gfloat excess = own - middle, light = (excess > 0.0f ? excess : 0.0f) * per_gain;
      const gfloat variance = (sigma[x] * sigma[x] + star) + light;
      const gfloat stands_out = (whitened[x] - median[x]) / sqrtf (variance);

      significance[x] = variance > 0.0f ? stands_out : 0.0f * whitened[x];
    }
}

static void
judge_rows (gsize first, gsize n, gpointer data)
{
  const Judgement  *j = data;
  const CountPlane *plane = &j->planes->background;
  const gint        width = plane->width;
  g_autofree gfloat *here = g_new (gfloat, width + 2), *room = g_new (gfloat, 2 * width + j->x.n_blocks);
  const Between     median = { room + 2 * width, room }, sigma = { room + 2 * width, room + width };

  for (gsize y = first; y < first + n; y++)
    {
      const gfloat *row = plane->pixels + y * width;

      memcpy (here + 1, row, sizeof (gfloat) * width);
      here[0] = row[0];
      here[width + 1] = row[width - 1];
      interpolate (j, y, 0, &median);
      interpolate (j, y, 1, &sigma);
      judge_row (here, y > 0 ? row - width : row, y + 1 < (gsize) plane->height ? row + width : row,
                 j->planes->whitened.pixels + y * width, median.of_pixels, sigma.of_pixels, j->middle, j->per_gain, width,
                 j->planes->significance.pixels + y * width);
    }
}

void
whiten_judge (WhitenPlanes *planes, gdouble gain)
{
  whiten_judge_steps (planes, gain, 0.0f);
}

void
whiten_judge_steps (WhitenPlanes *planes, gdouble gain, gfloat step)
{
  Judgement j = { .planes = planes, .step = step, .per_gain = gain > 0.0 ? (gfloat) (1.0 / gain) : 0.0f };

  axis_init (&j.x, planes->whitened.width);
  axis_init (&j.y, planes->whitened.height);
  j.locals = g_new (Local, j.x.n_blocks * j.y.n_blocks);
  tessera_spread_range (j.x.n_blocks * j.y.n_blocks, 1.0, find_locals, &j);
  fill_locals (&j);
  j.middle = j.per_gain > 0.0f ? find_middle (planes) : 0.0f;
  tessera_spread_range (planes->whitened.height, 64.0 * 64.0 / planes->whitened.width, judge_rows, &j);
  g_free (j.locals);
  axis_clear (&j.x);
  axis_clear (&j.y);
}
