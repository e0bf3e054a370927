/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The loops of gaussian-cells.c across rows, for lanes.h.
 */
#define SUMS 2                  /* of each kind; they stay in registers */

/* The rows of one cell.  The sums of the cell above are finished; those of this cell and the next go on. */
static LANES_TARGET void
LANES_NAME (sum_rows) (const gfloat *in, gint stride, const gfloat *weights, gint step,
                       gfloat *next, gfloat *own, gfloat *done, gint n_pixels)
{
  for (gint x = 0; x < 4 * n_pixels; x += SUMS * LANES_FLOATS)
    {
      Lanes *to_next = (Lanes *) (next + x), *to_own = (Lanes *) (own + x), *to_done = (Lanes *) (done + x);
      Lanes  low[SUMS] = { { 0.0f } }, middle[SUMS] = { { 0.0f } }, high[SUMS] = { { 0.0f } };

      for (gint j = 0; j < step; j++)
        {
          const Lanes *row = (const Lanes *) (in + (gsize) j * stride + x);

          for (gint k = 0; k < SUMS; k++)
            {
              low[k] += weights[j] * row[k];
              middle[k] += weights[step + j] * row[k];
              high[k] += weights[2 * step + j] * row[k];
            }
        }
      for (gint k = 0; k < SUMS; k++)
        {
          to_done[k] = to_own[k] + high[k];
          to_own[k] = to_next[k] + middle[k];
          to_next[k] = low[k];
        }
    }
}

/* Three rows of cells make one of pixels. */
static LANES_TARGET void
LANES_NAME (mix_rows) (const gfloat *const rows[3], const gfloat weights[3], gfloat *out, gint n_pixels)
{
  for (gint x = 0; x < 4 * n_pixels; x += LANES_FLOATS)
    *(Lanes *) (out + x) = (weights[0] * *(const Lanes *) (rows[0] + x)
                            + weights[1] * *(const Lanes *) (rows[1] + x))
                           + weights[2] * *(const Lanes *) (rows[2] + x);
}

#undef SUMS
