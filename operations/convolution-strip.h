/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The inner loops of tessera:convolution for one width of registers: included once for each,
 * with
 *   STRIP (name)   the function's name for this width
 *   STRIP_TARGET   its attributes
 *   STRIP_BYTES    of a register: gcc splits a wider vector through memory
 */
typedef gfloat STRIP (Lanes) __attribute__ ((vector_size (STRIP_BYTES), aligned (4), may_alias));
typedef gint   STRIP (Bits)  __attribute__ ((vector_size (STRIP_BYTES), aligned (4), may_alias));

#define LANES STRIP (Lanes)
#define BITS  STRIP (Bits)
#define STEP  CONVOLUTION_STEP

/* sum + offset, or the input's bits where `copied` has ones. */
static inline __attribute__ ((always_inline)) STRIP_TARGET LANES
STRIP (finished) (LANES sum, const gfloat *in, const gfloat *offset, const gint *copied)
{
  const LANES result = sum + *(const LANES *) offset;
  const BITS  mask = *(const BITS *) copied;

  return (LANES) (((BITS) result & ~mask) | (*(const BITS *) in & mask));
}

/* STEP rows of results.  Every weight is multiplied, 0 too: right where all pixels are
 * finite, since a sum that began with +0 stays as it is with +0 or -0 added. */
static STRIP_TARGET void
STRIP (step_rows) (const Rows *rows, const Convolution *convolution, const gfloat *in, gfloat *out)
{
  for (gint x = 0; x < 4 * rows->width; x += STRIP_BYTES / 4)
    {
      const gfloat *weights = convolution->stepped;
      LANES         total[STEP] = { { 0.0f } };

      for (gint y = 0; y < convolution->rows + STEP - 1; y++)
        {
          const gfloat *from = in + (gsize) y * rows->in_stride + x;
          LANES         sum[STEP] = { { 0.0f } };

          for (gint i = 0; i < convolution->columns; i++, weights += STEP)
            {
              const LANES pixels = *(const LANES *) (from + 4 * i);

              for (gint k = 0; k < STEP; k++)
                sum[k] += weights[k] * pixels;
            }
          for (gint k = 0; k < STEP; k++)
            total[k] += sum[k];
        }
      for (gint k = 0; k < STEP; k++)
        *(LANES *) (out + (gsize) k * rows->out_stride + x)
          = STRIP (finished) (total[k], in + rows->centre + (gsize) k * rows->in_stride + x,
                              rows->offset, rows->copied);
    }
}

/* One row of results from the taps that are not 0. */
static STRIP_TARGET void
STRIP (listed_row) (const Rows *rows, const Convolution *convolution, const gfloat *in, gfloat *out)
{
  for (gint x = 0; x < 4 * rows->width; x += STEP * STRIP_BYTES / 4)
    {
      LANES total[STEP] = { { 0.0f } };

      for (gint y = 0, i = 0; y < convolution->rows; y++)
        {
          const gfloat *from = in + (gsize) y * rows->in_stride + x;
          const gint    end = convolution->row_ends[y];
          LANES         sum[STEP] = { { 0.0f } };

          if (i == end)
            continue;
          for (; i < end; i++)
            {
              const LANES *pixels = (const LANES *) (from + 4 * convolution->tap_columns[i]);
              const gfloat weight = convolution->tap_weights[i];

              for (gint k = 0; k < STEP; k++)
                sum[k] += weight * pixels[k];
            }
          for (gint k = 0; k < STEP; k++)
            total[k] += sum[k];
        }
      for (gint k = 0; k < STEP; k++)
        *(LANES *) (out + x + k * (STRIP_BYTES / 4))
          = STRIP (finished) (total[k], in + rows->centre + x + k * (STRIP_BYTES / 4), rows->offset,
                              rows->copied);
    }
}

/* In place; reads and writes whole registers. */
static STRIP_TARGET void
STRIP (finish_row) (const Rows *rows, const gfloat *in, gfloat *sums)
{
  for (gint x = 0; x < 4 * rows->width; x += STRIP_BYTES / 4)
    *(LANES *) (sums + x) = STRIP (finished) (*(LANES *) (sums + x), in + x, rows->offset, rows->copied);
}

/* Of n floats, a multiple of a register: x - x is 0 in all bits, or NaN. */
static STRIP_TARGET gboolean
STRIP (all_finite) (const gfloat *in, gsize n)
{
  BITS any = { 0 };
  gint bits = 0;

  for (gsize i = 0; i < n; i += STRIP_BYTES / 4)
    {
      const LANES x = *(const LANES *) (in + i);

      any |= (BITS) (x - x);
    }
  for (gsize i = 0; i < STRIP_BYTES / 4; i++)
    bits |= any[i];
  return bits == 0;
}

static const Strips STRIP (strips) = {
  STRIP (step_rows), STRIP (listed_row), STRIP (finish_row), STRIP (all_finite)
};

#undef LANES
#undef BITS
#undef STEP
#undef STRIP
#undef STRIP_TARGET
#undef STRIP_BYTES
