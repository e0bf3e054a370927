/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The loops of denoise-windows.c, for lanes.h.
 */
#define WINDOW_REAL        Lanes
#define WINDOW_ZERO        ((Lanes) { 0.0f })
#define WINDOW_FUNCTION    static inline LANES_TARGET __attribute__ ((always_inline))
#define WINDOW_NAME(name)  LANES_NAME (name)
#define window_where(c, x) ((Lanes) ((LaneBits) (x) & (LaneBits) (c)))
#define window_guess(x)    ((Lanes) (0x7ef311c7 - (LaneBits) (x)))
#include "../../opencl/math/tessera-dct.h"
#undef WINDOW_REAL
#undef WINDOW_ZERO
#undef WINDOW_FUNCTION
#undef WINDOW_NAME
#undef window_where
#undef window_guess

/* 8 rows, down their columns. */
static LANES_TARGET void
LANES_NAME (down_forward) (const gfloat *rows, gsize row, gfloat *out, gsize n)
{
  for (gsize i = 0; i < n; i += LANES_FLOATS)
    {
      Lanes f[8];

      for (gint v = 0; v < 8; v++)
        f[v] = *(const Lanes *) (rows + v * row + i);
      LANES_NAME (dct_forward) (f, 1);
      for (gint v = 0; v < 8; v++)
        *(Lanes *) (out + v * row + i) = f[v];
    }
}

static LANES_TARGET void
LANES_NAME (down_inverse) (const gfloat *in, gsize row, gfloat *sums, gsize n)
{
  for (gsize i = 0; i < n; i += LANES_FLOATS)
    {
      Lanes f[8];

      for (gint v = 0; v < 8; v++)
        f[v] = *(const Lanes *) (in + v * row + i);
      LANES_NAME (dct_inverse) (f, 1);
      for (gint v = 0; v < 8; v++)
        *(Lanes *) (sums + v * row + i) += f[v];
    }
}

/* The coefficients of LANES_FLOATS windows.  Those with holes are computed one by one; of windows of holes only `present` is 0. */
static LANES_TARGET void
LANES_NAME (fill_lanes) (const Piece *p, const gfloat *rows, gint offset, gint block, Lanes *f, LaneBits *present)
{
  for (gint lane = 0; lane < LANES_FLOATS && block + lane < p->blocks; lane++)
    {
      gfloat     filled[64];
      const gint n = fill_window (p, rows, offset, block + lane, filled);

      for (gint i = 0; i < 64 && n != 0; i++)
        f[i][lane] = n > 0 ? filled[i] : 0.0f;
      if (n < 0)
        (*present)[lane] = 0;
    }
}

static inline LANES_TARGET __attribute__ ((always_inline)) void
LANES_NAME (take_windows) (const Piece *p, const gfloat *rows, const gfloat *seen, gint offset, gint block, Lanes *f, LaneBits *present)
{
  for (gint v = 0; v < 8; v++)
    for (gint u = 0; u < 8; u++)
      f[8 * v + u] = *(const Lanes *) (seen + v * row_size (p) + ((offset + u) & 7) * p->column + block + ((offset + u) >> 3));
  if (p->has_holes)
    LANES_NAME (fill_lanes) (p, rows, offset, block, f, present);
  for (gint v = 0; v < 8; v++)
    LANES_NAME (dct_forward) (f + 8 * v, 1);
}

/* Windows `offset` pixels behind the blocks from `block` on; rows, pilot: the first row of the windows. */
static inline LANES_TARGET __attribute__ ((always_inline)) void
LANES_NAME (windows) (const Piece *p, const gfloat *rows, const gfloat *pilot, gint offset, gint block)
{
  Lanes    f[64], g[64], weight;
  LaneBits present = (LaneBits) { 0 } - 1;
  gfloat  *out = p->left_over + block, *weights = p->row_weights + block;

  LANES_NAME (take_windows) (p, rows, p->seen, offset, block, f, &present);
  if (pilot)
    {
      LANES_NAME (take_windows) (p, pilot, p->seen_pilot, offset, block, g, &present);
      weight = LANES_NAME (window_wiener) (f, g, p->noise);
    }
  else
    weight = LANES_NAME (window_threshold) (f, p->noise);
  weight = (Lanes) ((LaneBits) weight & present);
  for (gint v = 0; v < 8; v++)
    {
      for (gint u = 0; u < 8; u++)
        f[8 * v + u] *= weight;
      LANES_NAME (dct_inverse) (f + 8 * v, 1);
      for (gint u = 0; u < 8; u++)
        *(Lanes *) (out + v * row_size (p) + ((offset + u) & 7) * p->column + ((offset + u) >> 3)) += f[8 * v + u];
    }
  for (gint u = 0; u < 8; u += p->step)
    *(Lanes *) (weights + ((offset + u) & 7) / p->step * p->column + ((offset + u) >> 3)) += weight;
}

/* The windows whose first row is row y of the piece. */
static LANES_TARGET void
LANES_NAME (row_of_windows) (const Piece *p, gint y, const gfloat *pilot, gfloat *sum)
{
  const gsize   row = row_size (p), n = row, cells = p->cells * p->column;
  const gfloat *rows = p->in + y * row;

  LANES_NAME (down_forward) (rows, row, p->seen, n);
  if (pilot)
    LANES_NAME (down_forward) (pilot + y * row, row, p->seen_pilot, n);
  memset (p->left_over, 0, 8 * row * sizeof (gfloat));
  memset (p->row_weights, 0, cells * sizeof (gfloat));
  for (gint offset = 0; offset < 8; offset += p->step)
    for (gint block = 0; block < p->blocks; block += LANES_FLOATS)
      if (pilot)
        LANES_NAME (windows) (p, rows, pilot + y * row, offset, block);
      else
        LANES_NAME (windows) (p, rows, NULL, offset, block);
  LANES_NAME (down_inverse) (p->left_over, row, sum + y * row, n);
  for (gint k = 0; k < p->cells; k++)
    for (gsize i = 0; i < cells; i++)
      p->weights[(y / p->step + k) * cells + i] += p->row_weights[i];
}
