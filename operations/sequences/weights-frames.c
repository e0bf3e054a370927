/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Weights by linear prediction, of pixels that are good in the current frame and in all moved frames; see weights.h.
 *
 * Sums are floats over a chunk, and doubles from there on, in the order of the rows.  So the number of threads changes
 * nothing.
 */
#include <math.h>

#include <gegl.h>

#include "tessera.h"
#include "solve.h"
#include "weights.h"

#define BLOCK_ROWS 16
#define CHUNK      256          /* floats of which one float is made */
#define WIDE       16           /* sums side by side */
#define RIDGE      1e-6

/* All planes, the current one last. */
typedef struct
{
  const CountPlane *planes[WEIGHTS_MAX_FRAMES + 1];
  gint              move_x[WEIGHTS_MAX_FRAMES + 1], move_y[WEIGHTS_MAX_FRAMES + 1];
  gfloat            mean[WEIGHTS_MAX_FRAMES + 1];
  gint              n, width, height;
  gint              stride;             /* of a row, in whole chunks */
  gboolean          products;           /* else the sums for the means */
  gdouble          *sums;               /* n_sums of each block */
  gint              n_sums;
} Sums;

static gfloat
dot_chunk (const gfloat *restrict a, const gfloat *restrict b)
{
  gfloat sums[WIDE] = { 0 }, all = 0.0f;

  for (gint i = 0; i < CHUNK; i += WIDE)
    for (gint j = 0; j < WIDE; j++)
      sums[j] += a[i + j] * b[i + j];
  for (gint j = 0; j < WIDE; j++)
    all += sums[j];
  return all;
}

TESSERA_CLONES static gdouble
dot (const gfloat *a, const gfloat *b, gint n)
{
  gdouble all = 0.0;

  for (gint i = 0; i < n; i += CHUNK)
    all += dot_chunk (a + i, b + i);
  return all;
}

static gdouble
sum_row (const gfloat *a, gint n)
{
  gdouble all = 0.0;

  for (gint i = 0; i < n; i++)
    all += a[i];
  return all;
}

/* A moved row, less the frame's mean; where it does not reach, NaN. */
static void
move_row (const Sums *s, gint k, gint y, gfloat *row)
{
  const CountPlane *plane = s->planes[k];
  const gint        from_y = y - s->move_y[k], move_x = s->move_x[k];

  for (gint x = 0; x < s->width; x++)
    row[x] = NAN;
  if (from_y >= 0 && from_y < s->height)
    for (gint x = MAX (0, move_x); x < MIN (s->width, s->width + move_x); x++)
      row[x] = plane->pixels[(gsize) from_y * s->width + x - move_x] - s->mean[k];
}

/* 0 in all rows where one has no value; returns how many pixels are left. */
static gint
keep_common (const Sums *s, gfloat *rows)
{
  gint n = 0;

  for (gint x = 0; x < s->width; x++)
    {
      gboolean common = TRUE;

      for (gint k = 0; k < s->n; k++)
        common &= isfinite (rows[(gsize) k * s->stride + x]) != 0;
      for (gint k = 0; k < s->n && ! common; k++)
        rows[(gsize) k * s->stride + x] = 0.0f;
      n += common;
    }
  return n;
}

static void
add_blocks (gsize first, gsize n_blocks, gpointer data)
{
  const Sums *s = data;
  g_autofree gfloat *rows = g_new0 (gfloat, (gsize) s->n * s->stride);

  for (gsize block = first; block < first + n_blocks; block++)
    {
      gdouble *sums = s->sums + block * s->n_sums;

      for (gint y = block * BLOCK_ROWS; y < MIN (s->height, (gint) (block + 1) * BLOCK_ROWS); y++)
        {
          gint n = 1;

          for (gint k = 0; k < s->n; k++)
            move_row (s, k, y, rows + (gsize) k * s->stride);
          sums[0] += keep_common (s, rows);
          for (gint k = 0; k < s->n; k++)
            for (gint l = 0; l <= k && s->products; l++)
              sums[n++] += dot (rows + (gsize) k * s->stride, rows + (gsize) l * s->stride, s->stride);
          for (gint k = 0; k < s->n && ! s->products; k++)
            sums[n++] += sum_row (rows + (gsize) k * s->stride, s->width);
        }
    }
}

/* n_sums numbers: how many pixels there are, and the sums. */
static gdouble *
add_up (Sums *s, gboolean products)
{
  const gint n_blocks = (s->height + BLOCK_ROWS - 1) / BLOCK_ROWS;
  gdouble   *all;

  s->products = products;
  s->n_sums = 1 + (products ? s->n * (s->n + 1) / 2 : s->n);
  s->sums = g_new0 (gdouble, (gsize) n_blocks * s->n_sums);
  tessera_spread_range (n_blocks, 1.0, add_blocks, s);
  all = g_new0 (gdouble, s->n_sums);
  for (gint block = 0; block < n_blocks; block++)
    for (gint i = 0; i < s->n_sums; i++)
      all[i] += s->sums[(gsize) block * s->n_sums + i];
  g_free (s->sums);
  return all;
}

/* Without a pixel in common, or where all are the same: the plain mean. */
static void
solve (const gdouble *products, Weights *weights)
{
  const gint     n = weights->n;
  const gdouble *b = products + 1 + n * (n + 1) / 2;
  gdouble       *matrix = g_new (gdouble, n * n), trace = 0.0;

  for (gint k = 0, i = 1; k < n; k++)
    for (gint l = 0; l <= k; l++, i++)
      matrix[k * n + l] = matrix[l * n + k] = products[i];
  for (gint k = 0; k < n; k++)
    trace += matrix[k * n + k];
  for (gint k = 0; k < n; k++)
    {
      matrix[k * n + k] += RIDGE * trace / n;
      weights->a[k] = b[k];
    }
  if (! solve_positive (matrix, n, n, 0.0, weights->a))
    {
      weights->lowered = WEIGHTS_NOTHING_COMMON;
      for (gint k = 0; k < n; k++)
        weights->a[k] = 1.0 / n;
    }
  g_free (matrix);
}

void
weights_from_frames (const CountPlane *current, const CountPlane *const *history, Weights *weights)
{
  const gint n = weights->n;
  Sums       s = { .n = n + 1, .width = current->width, .height = current->height };
  gdouble   *sums;

  for (gint k = 0; k < n; k++)
    {
      s.planes[k] = history[k];
      s.move_x[k] = weights->move_x[k];
      s.move_y[k] = weights->move_y[k];
    }
  s.planes[n] = current;
  s.stride = (s.width + CHUNK - 1) / CHUNK * CHUNK;
  sums = add_up (&s, FALSE);
  for (gint k = 0; k <= n; k++)
    s.mean[k] = sums[0] > 0.0 ? (gfloat) (sums[1 + k] / sums[0]) : 0.0f;
  for (gint k = 0; k < n; k++)
    weights->mean[k] = s.mean[k];
  weights->level = s.mean[n];
  weights->degree = -1;
  g_free (sums);
  sums = add_up (&s, TRUE);
  solve (sums, weights);
  g_free (sums);
}
