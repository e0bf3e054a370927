/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The squares of two pictures that refine.c compares: see refine.h.
 */
#include "refine-squares.h"

#include <math.h>
#include <string.h>

#include "matrix.h"
#include "planes.h"
#include "soften.h"

#define SIDE         REFINE_SIDE
#define CELLS        20         /* squares along an axis, at most */
#define OWN          0.5        /* ... that a picture has by itself */
#define LEAST        8          /* squares in each half */
#define SEE_THROUGH  0.5f       /* a square with less alpha is not compared */

/* ---------------------------------------------------------------- reading -- */

/* The softened root of luminance of `rect`, from the bounds' first pixel.  NULL: part of it is transparent. */
static gfloat *
read_root (const RefinePicture *picture, const GeglRectangle *rect, const Soften *soften)
{
  const gint          r = soften->radius;
  const GeglRectangle around = { rect->x - r, rect->y - r, rect->width + 2 * r, rect->height + 2 * r };
  const gsize         n = (gsize) around.width * around.height;
  gfloat             *pixels = g_new (gfloat, 4 * n), *roots = g_new (gfloat, n), weights[3];
  gfloat             *result = NULL;
  gboolean            is_solid = TRUE;

  tessera_luminance (picture->format, weights);
  tessera_read (picture->buffer, GEGL_RECTANGLE (picture->bounds.x + around.x, picture->bounds.y + around.y,
                                                 around.width, around.height),
                &picture->bounds, TESSERA_BORDER_CLAMP, picture->format, pixels);
  for (gsize i = 0; i < n; i++)
    {
      const gfloat y = (weights[0] * pixels[4 * i] + weights[1] * pixels[4 * i + 1]) + weights[2] * pixels[4 * i + 2];

      is_solid = is_solid && pixels[4 * i + 3] >= SEE_THROUGH;
      roots[i] = y > 0.0f && y < 1e30f ? sqrtf (y) : 0.0f;
    }
  if (is_solid)
    {
      soften_pixels (soften, roots, pixels, around.width, around.height, 1);
      result = g_new (gfloat, (gsize) rect->width * rect->height);
      for (gint y = 0; y < rect->height; y++)
        memcpy (result + (gsize) y * rect->width, roots + (gsize) (y + r) * around.width + r,
                rect->width * sizeof (gfloat));
    }
  g_free (roots);
  g_free (pixels);
  return result;
}

/* Takes the mean away.  Returns the root mean square of the gradient, of differences of neighbours.  Sums are of columns first. */
TESSERA_CLONES static gfloat
normalize (gfloat values[REFINE_N])
{
  gdouble sums[SIDE] = { 0.0 }, squares[SIDE] = { 0.0 }, sum = 0.0, square = 0.0;

  for (gint y = 0; y < SIDE; y++)
    for (gint x = 0; x < SIDE; x++)
      sums[x] += values[y * SIDE + x];
  for (gint x = 0; x < SIDE; x++)
    sum += sums[x];
  for (gint i = 0; i < REFINE_N; i++)
    values[i] -= (gfloat) (sum / REFINE_N);
  for (gint y = 0; y < SIDE - 1; y++)
    for (gint x = 0; x < SIDE - 1; x++)
      {
        const gfloat *here = values + y * SIDE + x;
        const gdouble along = here[1] - here[0], down = here[SIDE] - here[0];

        squares[x] += along * along + down * down;
      }
  for (gint x = 0; x < SIDE - 1; x++)
    square += squares[x];
  return (gfloat) sqrt (square / ((SIDE - 1) * (SIDE - 1)));
}

static void
divide (gfloat values[REFINE_N], gfloat by)
{
  for (gint i = 0; i < REFINE_N; i++)
    values[i] /= by;
}

/* The square of A, with its gradient. */
static gboolean
read_a (const Refining *refining, RefineSquare *square)
{
  const gint    wide = SIDE + 2;
  GeglRectangle rect = { square->x - 1, square->y - 1, wide, wide };
  Soften        soften;
  g_autofree gfloat *values = NULL;

  soften_init (&soften, refining->softness);
  values = read_root (refining->a, &rect, &soften);
  if (! values)
    return FALSE;
  for (gint y = 0; y < SIDE; y++)
    for (gint x = 0; x < SIDE; x++)
      {
        const gfloat *here = values + (y + 1) * wide + x + 1;

        square->a[y * SIDE + x] = *here;
        square->gradient_x[y * SIDE + x] = 0.5f * (here[1] - here[-1]);
        square->gradient_y[y * SIDE + x] = 0.5f * (here[wide] - here[-wide]);
      }
  square->strength = normalize (square->a);
  if (! (square->strength > 0.0f))
    return FALSE;
  divide (square->a, square->strength);
  divide (square->gradient_x, square->strength);
  divide (square->gradient_y, square->strength);
  return TRUE;
}

/* The part of B around it, as sharp as A's. */
static gboolean
read_b (const Refining *refining, RefineSquare *square)
{
  const GeglRectangle *bounds = &refining->b->bounds;
  gdouble              left = G_MAXDOUBLE, top = G_MAXDOUBLE, right = -G_MAXDOUBLE, bottom = -G_MAXDOUBLE, u, v, s;
  Soften               soften;

  for (gint i = 0; i < 4; i++)
    {
      if (! (matrix_map (refining->inverse, square->x + (i & 1) * (SIDE - 1), square->y + (i >> 1) * (SIDE - 1), &u, &v)
             > 0.0))
        return FALSE;
      left = MIN (left, u);
      right = MAX (right, u);
      top = MIN (top, v);
      bottom = MAX (bottom, v);
    }
  if (left < 1.0 || top < 1.0 || right > bounds->width - 2.0 || bottom > bounds->height - 2.0)
    return FALSE;
  square->b_rect = (GeglRectangle) { floor (left) - refining->slack, floor (top) - refining->slack,
                                     floor (right) - floor (left) + 2 * refining->slack + 2,
                                     floor (bottom) - floor (top) + 2 * refining->slack + 2 };
  s = matrix_scale (refining->matrix, 0.5 * (left + right), 0.5 * (top + bottom));
  s = (OWN * OWN + refining->softness * refining->softness) / (s * s) - OWN * OWN;
  soften_init (&soften, sqrt (MAX (s, 0.0)));
  square->b = read_root (refining->b, &square->b_rect, &soften);
  return square->b != NULL;
}

static void
read_squares (gint i, gint n, gpointer data)
{
  Refining *refining = data;

  for (gint k = i; k < refining->n; k += n)
    {
      RefineSquare *square = &refining->squares[k];

      square->is_used = read_a (refining, square) && read_b (refining, square);
    }
}

static gint
by_strength (gconstpointer a, gconstpointer b)
{
  const gfloat first = *(const gfloat *) a, second = *(const gfloat *) b;

  return first < second ? -1 : first > second;
}

/* Squares that have no texture are mostly noise: they get less weight, by the median of all. */
static gboolean
weigh_squares (Refining *refining)
{
  gfloat median;
  g_autofree gfloat *strengths = g_new (gfloat, refining->n);
  gint   used = 0, in_half[2] = { 0, 0 };

  for (gint k = 0; k < refining->n; k++)
    if (refining->squares[k].is_used)
      {
        strengths[used++] = refining->squares[k].strength;
        in_half[refining->squares[k].is_held_out]++;
      }
  qsort (strengths, used, sizeof (gfloat), by_strength);
  median = used > 0 ? strengths[used / 2] : 0.0f;
  for (gint k = 0; k < refining->n; k++)
    {
      const gfloat strength = refining->squares[k].strength;

      refining->squares[k].weight = strength * strength / (strength * strength + median * median);
    }
  return in_half[0] >= LEAST && in_half[1] >= LEAST;
}

/* In the middle of the cells of a grid over A. */
gboolean
refine_squares_read (Refining *refining)
{
  const GeglRectangle *bounds = &refining->a->bounds;
  const gint           across = CLAMP (bounds->width / SIDE, 0, CELLS), down = CLAMP (bounds->height / SIDE, 0, CELLS);

  refining->n = across * down;
  refining->squares = g_new0 (RefineSquare, MAX (refining->n, 1));
  if (refining->n == 0)
    return FALSE;
  for (gint k = 0; k < refining->n; k++)
    {
      const gint column = k % across, row = k / across;

      refining->squares[k].x = ((2 * column + 1) * (gint64) bounds->width / across - SIDE) / 2;
      refining->squares[k].y = ((2 * row + 1) * (gint64) bounds->height / down - SIDE) / 2;
      refining->squares[k].is_held_out = (column + row) % 2;
    }
  gegl_parallel_distribute (-1, read_squares, refining);
  return weigh_squares (refining);
}

void
refine_squares_clear (Refining *refining)
{
  for (gint k = 0; k < refining->n; k++)
    g_free (refining->squares[k].b);
  g_free (refining->squares);
}

/* -------------------------------------------------------------- comparing -- */

/* Of the four pixels around a place that lies t behind the second (Keys' cubic, a = -1/2). */
static inline Pixel
cubic (gfloat t)
{
  const Pixel a = { -0.5f, 1.5f, -1.5f, 0.5f }, b = { 1.0f, -2.5f, 2.0f, -0.5f }, c = { -0.5f, 0.0f, 0.5f, 0.0f }, d = { 0.0f, 1.0f, 0.0f, 0.0f };

  return ((a * t + b) * t + c) * t + d;
}

/* Where a row of the square is in B. */
TESSERA_CLONES static void
map_in_row (const Refining *refining, const RefineSquare *square, gint row, gdouble *restrict us, gdouble *restrict vs)
{
  for (gint i = 0; i < SIDE; i++)
    {
      gdouble u, v;

      matrix_map (refining->inverse, square->x + i, square->y + row, &u, &v);
      us[i] = u - square->b_rect.x;
      vs[i] = v - square->b_rect.y;
    }
}

/* B's at the places of A. */
TESSERA_CLONES static gboolean
sample_b (const Refining *refining, const RefineSquare *square, gfloat values[REFINE_N])
{
  const GeglRectangle *rect = &square->b_rect;
  gdouble              us[SIDE], vs[SIDE];

  for (gint k = 0; k < REFINE_N; k++)
    {
      const gint    i = k % SIDE;
      gint          x, y;
      Pixel         down, sum = { 0 };
      const gfloat *in;

      if (i == 0)
        map_in_row (refining, square, k / SIDE, us, vs);
      if (! (us[i] >= 1.0 && vs[i] >= 1.0 && us[i] < rect->width - 2.0 && vs[i] < rect->height - 2.0))
        return FALSE;
      x = (gint) us[i];
      y = (gint) vs[i];
      in = square->b + (gsize) (y - 1) * rect->width + x - 1;
      down = cubic ((gfloat) (vs[i] - y));
      for (gint j = 0; j < 4; j++)
        sum += down[j] * *(const Pixel *) (in + (gsize) j * rect->width);
      sum *= cubic ((gfloat) (us[i] - x));
      values[k] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
  return TRUE;
}

gboolean
refine_square_compare (const Refining *refining, RefineSquare *square)
{
  gfloat values[REFINE_N], strength;

  if (! sample_b (refining, square, values) || ! ((strength = normalize (values)) > 0.0f))
    return FALSE;
  divide (values, strength);
  for (gint i = 0; i < REFINE_N; i++)
    square->difference[i] = square->weight * (values[i] - square->a[i]);
  return TRUE;
}

gdouble
refine_square_agrees (const RefineSquare *square)
{
  const gdouble middle = 0.5 * (SIDE - 1), slope = SIDE * (SIDE * (SIDE * SIDE - 1.0) / 12.0);        /* the sum of (x - middle)^2 */
  gdouble       aa = 0, bb = 0, ab = 0, across[2] = { 0 }, down[2] = { 0 };

  for (gint i = 0; i < REFINE_N; i++)
    {
      const gdouble a = square->a[i], b = a + square->difference[i] / square->weight;

      aa += a * a;
      bb += b * b;
      ab += a * b;
      across[0] += (i % SIDE - middle) * a;
      across[1] += (i % SIDE - middle) * b;
      down[0] += (i / SIDE - middle) * a;
      down[1] += (i / SIDE - middle) * b;
    }
  aa -= (across[0] * across[0] + down[0] * down[0]) / slope;
  bb -= (across[1] * across[1] + down[1] * down[1]) / slope;
  ab -= (across[0] * across[1] + down[0] * down[1]) / slope;
  return aa > 0 && bb > 0 ? ab / sqrt (aa * bb) : 0;
}
