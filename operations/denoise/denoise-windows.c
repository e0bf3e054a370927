/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * One level of one plane: two stages of overlapping windows of 8 x 8 pixels.
 *
 * Columns are dealt to eight: pixel 8k + c of a row lies at [c][k], so that windows that abut are the lanes of a vector.  A
 * row of windows is transformed down its columns once for all of its windows.  These add what they leave in phases of x
 * mod 8, ascending; the sums are transformed back down the columns, and added to the pixels in phases of y mod 8, ascending.
 * That order does not depend on where a piece begins.
 */
#include "config.h"

#include "denoise.h"

#define WINDOW_REAL        gfloat
#define WINDOW_ZERO        0.0f
#define WINDOW_FUNCTION    static inline
#define WINDOW_NAME(name)  name
#define window_where(c, x) ((c) ? (x) : 0.0f)
#define window_guess(x)    tessera_as_float (0x7ef311c7 - tessera_as_int (x))
#include "../../opencl/math/tessera-dct.h"
#undef WINDOW_REAL
#undef WINDOW_ZERO
#undef WINDOW_FUNCTION
#undef WINDOW_NAME
#undef window_where
#undef window_guess

#include <string.h>

#define ROUND      16           /* blocks, the widest vector's lanes */
#define SEEN       7            /* pixels that a window sees beyond one of its own */

/* The dealt pixels of a piece, and what is made of them.  Rows are 8 columns of `column` floats. */
typedef struct
{
  gint   left, top;             /* of the level; left is a multiple of 8, top of the step */
  gint   blocks, rows;
  gsize  column;
  gint   step, cells;           /* of windows; cells: 8 / step */
  gfloat *in, *pilot, *sum;     /* [row][8][column] */
  gfloat *weights;              /* [row / step][cells][column] */
  gfloat *seen, *seen_pilot;    /* a row of windows, transformed down the columns: [8][8][column] */
  gfloat *left_over;            /* what its windows leave, likewise */
  gfloat *row_weights;          /* [cells][column] */
  gboolean has_holes;
  const gfloat *noise;
} Piece;

static inline gsize
row_size (const Piece *p)
{
  return 8 * p->column;
}

/* A window that holds holes, transformed down its columns with these filled by the mean of the others.  0: it has none; -1:
 * it has nothing else. */
static gint
fill_window (const Piece *p, const gfloat *rows, gint offset, gint block, gfloat f[64])
{
  gfloat total = 0.0f;
  gint   n = 0;

  for (gint y = 0; y < 8; y++)
    {
      gfloat sum = 0.0f;

      for (gint x = 0; x < 8; x++)
        {
          const gfloat value = rows[y * row_size (p) + ((offset + x) & 7) * p->column + block + ((offset + x) >> 3)];

          f[8 * y + x] = value;
          n += value == value;
          sum += value == value ? value : 0.0f;
        }
      total += sum;
    }
  if (n == 0 || n == 64)
    return n == 0 ? -1 : 0;
  total *= window_reciprocal ((gfloat) n);
  for (gint i = 0; i < 64; i++)
    f[i] = f[i] == f[i] ? f[i] : total;
  for (gint x = 0; x < 8; x++)
    dct_forward (f + x, 8);
  return n;
}

#define LANES_LOOPS "denoise-windows-loops.h"
#include "lanes.h"

/* ------------------------------------------------------------- in and out -- */

static gint
floor_to (gint x, gint step)
{
  return x - ((x % step) + step) % step;
}

/* Row y of the level, mirrored as its columns are. */
static gboolean
deal_row (const Piece *p, const DenoisePlane *from, gint width, gint height, gint y, gfloat *out)
{
  const GeglRectangle *roi = &from->roi;
  const gint           row = CLAMP (denoise_mirror (y, height), roi->y, roi->y + roi->height - 1);
  const gfloat        *in = from->pixels + (gsize) (row - roi->y) * roi->width;
  gboolean             has_holes = FALSE;

  for (gint c = 0; c < 8; c++)
    memset (out + c * p->column + p->blocks, 0, (p->column - p->blocks) * sizeof (gfloat));
  for (gint k = 0; k < p->blocks; k++)
    {
      const gint x = p->left + 8 * k;

      if (x >= roi->x && x + 8 <= roi->x + roi->width)
        for (gint c = 0; c < 8; c++)
          out[c * p->column + k] = in[x + c - roi->x];
      else
        for (gint c = 0; c < 8; c++)
          out[c * p->column + k] = in[CLAMP (denoise_mirror (x + c, width), roi->x, roi->x + roi->width - 1) - roi->x];
      for (gint c = 0; c < 8; c++)
        has_holes |= out[c * p->column + k] != out[c * p->column + k];
    }
  return has_holes;
}

static void
deal (Piece *p, const DenoisePlane *from, gint width, gint height)
{
  for (gint y = 0; y < p->rows; y++)
    p->has_holes |= deal_row (p, from, width, height, p->top + y, p->in + y * row_size (p));
}

static gfloat *
place_of (const Piece *p, gfloat *rows, gint x, gint y)
{
  return rows + (gsize) (y - p->top) * row_size (p) + ((x - p->left) & 7) * p->column + ((x - p->left) >> 3);
}

/* What lies outside of the level is mirrored, where it is seen. */
static void
mirror_edges (const Piece *p, gfloat *rows, gint width, gint height)
{
  const gint right = p->left + 8 * p->blocks, bottom = p->top + p->rows;

  for (gint x = p->left; x < right; x++)
    if (x < 0 || x >= width)
      for (gint y = MAX (0, p->top); y < MIN (height, bottom); y++)
        *place_of (p, rows, x, y) = *place_of (p, rows, CLAMP (denoise_mirror (x, width), p->left, right - 1), y);
  for (gint y = p->top; y < bottom; y++)
    if (y < 0 || y >= height)
      memcpy (place_of (p, rows, p->left, y),
              place_of (p, rows, p->left, CLAMP (denoise_mirror (y, height), p->top, bottom - 1)), row_size (p) * sizeof (gfloat));
}

static void
collect (const Piece *p, gfloat *rows, const DenoisePlane *to)
{
  const GeglRectangle *roi = &to->roi;

  for (gint y = 0; y < roi->height; y++)
    {
      gfloat       *out = to->pixels + (gsize) y * roi->width;
      const gfloat *in = place_of (p, rows, p->left, roi->y + y);

      for (gint x = 0; x < roi->width; x++)
        {
          const gint at = roi->x + x - p->left;

          out[x] = in[(at & 7) * p->column + (at >> 3)];
        }
    }
}

/* ------------------------------------------------------------------ stages -- */

/* Sums over their weights; holes stay holes. */
TESSERA_CLONES static void
divide_row (const gfloat *restrict in, const gfloat *restrict weights, gfloat *restrict sum, gint n)
{
  for (gint k = 0; k < n; k++)
    {
      const gfloat weight = weights[k];
      gfloat       z = tessera_as_float (0x7ef311c7 - tessera_as_int (weight));

      z = z + z * (1.0f - weight * z);
      z = z + z * (1.0f - weight * z);
      z = z + z * (1.0f - weight * z);
      sum[k] = in[k] == in[k] ? sum[k] * z : in[k];
    }
}

static void
divide (const Piece *p, gfloat *sum)
{
  for (gint y = 0; y < p->rows; y++)
    for (gint c = 0; c < 8; c++)
      divide_row (p->in + y * row_size (p) + c * p->column, p->weights + (y / p->step * p->cells + c / p->step) * p->column,
                  sum + y * row_size (p) + c * p->column, p->blocks);
}

/* pilot NULL: the first stage. */
static void
run_stage (Piece *p, const gfloat *pilot, gfloat *sum)
{
  memset (sum, 0, p->rows * row_size (p) * sizeof (gfloat));
  memset (p->weights, 0, p->rows / p->step * p->cells * p->column * sizeof (gfloat));
  for (gint phase = 0; phase < 8; phase += p->step)
    for (gint y = (phase - p->top) & 7; y + 8 <= p->rows; y += 8)
      LANES_BEST (row_of_windows) (p, y, pilot, sum);
  divide (p, sum);
}

gfloat *
denoise_memory (DenoiseMemory *memory, gsize n)
{
  if (n > memory->n)
    {
      tessera_large_free (memory->floats);
      memory->n = n + n / 8;
      memory->floats = tessera_large_new (memory->n * sizeof (gfloat));
    }
  return memory->floats;
}

void
denoise_windows (const DenoisePlane *from, const DenoisePlane *to, gint width, gint height, const gfloat *noise, gint step,
                 DenoiseMemory *memory)
{
  const GeglRectangle *roi = &to->roi;
  const gint           left = floor_to (roi->x - 2 * SEEN, 8), top = floor_to (roi->y - 2 * SEEN, step);
  const gint           right = -floor_to (-(roi->x + roi->width + 2 * SEEN), 8);
  const gint           bottom = -floor_to (-(roi->y + roi->height + 2 * SEEN), step);
  const gint           blocks = (right - left) / 8;
  Piece p = { .left = left, .top = top, .blocks = blocks, .rows = bottom - top, .step = step, .cells = 8 / step, .noise = noise,
              .column = (blocks + ROUND - 1) / ROUND * ROUND + 8 };
  const gsize   all = p.rows * row_size (&p), window = 8 * row_size (&p);

  p.in = denoise_memory (memory, 3 * all + all / step + 3 * window + p.cells * p.column + ROUND);
  p.pilot = p.in + all;
  p.sum = p.pilot + all;
  p.weights = p.sum + all;
  p.seen = p.weights + p.rows / step * p.cells * p.column;
  p.seen_pilot = p.seen + window;
  p.left_over = p.seen_pilot + window;
  p.row_weights = p.left_over + window;
  deal (&p, from, width, height);
  run_stage (&p, NULL, p.pilot);
  mirror_edges (&p, p.pilot, width, height);
  run_stage (&p, p.pilot, p.sum);
  collect (&p, p.sum, to);
}
