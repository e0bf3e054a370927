/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The inner loops of tessera:convolution, for lanes.h.
 */
#define STEP CONVOLUTION_STEP

/* One or the other, where the bits of `mask` are ones and where they are not. */
static inline __attribute__ ((always_inline)) LANES_TARGET Lanes
LANES_NAME (either) (LaneBits mask, Lanes one, Lanes other)
{
  return (Lanes) (((LaneBits) one & mask) | ((LaneBits) other & ~mask));
}

/* convolution_colour of whole pixels; the offset comes later, and -0 does not change it.  Their alpha is of no use. */
static inline __attribute__ ((always_inline)) LANES_TARGET Lanes
LANES_NAME (uncovered) (Lanes sum, gfloat magnitudes)
{
  const Lanes    ones = (Lanes) { 0.0f } + 1.0f, covered = __builtin_shufflevector (sum, sum, LANES_NAME (ALPHAS));
  const LaneBits is_faint = (covered < CONVOLUTION_FAINT) & (covered > -CONVOLUTION_FAINT);
  const Lanes    scale = LANES_NAME (either) (is_faint, ones * CONVOLUTION_SCALE, ones);
  const Lanes    colour = (sum * scale) * (magnitudes / (covered * scale));
  const Lanes    seen = LANES_NAME (either) (covered != 0.0f, colour, -0.0f * ones);

  return LANES_NAME (either) (covered == magnitudes, sum, seen);
}

/* sum + offset; or the input's bits, at the ones of `copied`. */
static inline __attribute__ ((always_inline)) LANES_TARGET Lanes
LANES_NAME (finished) (Lanes sum, const gfloat *in, const gfloat *offset, const gint *copied)
{
  return LANES_NAME (either) (*(const LaneBits *) copied, *(const Lanes *) in, sum + *(const Lanes *) offset);
}

/* A weight for all sums; that of alpha may be its magnitude. */
static inline __attribute__ ((always_inline)) LANES_TARGET Lanes
LANES_NAME (weight) (gfloat weight, const gboolean weighs)
{
  const LaneBits bits = tessera_as_int (weight) + (LaneBits) { 0 };

  return weighs ? (Lanes) (bits & *(const LaneBits *) signs) : (Lanes) bits;
}

/* STEP rows of results.  Every weight is multiplied, even 0.  That is right if all pixels are finite, because a
 * sum that began with +0 stays the same when +0 or -0 is added. */
static inline __attribute__ ((always_inline)) LANES_TARGET void
LANES_NAME (step_rows_of) (const Rows *rows, const Convolution *convolution, const gfloat *in, gfloat *out,
                           const gboolean weighs)
{
  for (gint x = 0; x < 4 * rows->width; x += LANES_FLOATS)
    {
      const gfloat *weights = convolution->stepped;
      Lanes         total[STEP] = { { 0.0f } };

      for (gint y = 0; y < convolution->rows + STEP - 1; y++)
        {
          const gfloat *from = in + (gsize) y * rows->in_stride + x;
          Lanes         sum[STEP] = { { 0.0f } };

          for (gint i = 0; i < convolution->columns; i++, weights += STEP)
            {
              const Lanes pixels = *(const Lanes *) (from + 4 * i);

              for (gint k = 0; k < STEP; k++)
                sum[k] += LANES_NAME (weight) (weights[k], weighs) * pixels;
            }
          for (gint k = 0; k < STEP; k++)
            total[k] += sum[k];
        }
      for (gint k = 0; k < STEP; k++)
        *(Lanes *) (out + (gsize) k * rows->out_stride + x)
          = LANES_NAME (finished) (weighs ? LANES_NAME (uncovered) (total[k], convolution->magnitudes) : total[k],
                                   in + rows->centre + (gsize) k * rows->in_stride + x, rows->offset, rows->copied);
    }
}

static LANES_TARGET void
LANES_NAME (step_rows) (const Rows *rows, const Convolution *convolution, const gfloat *in, gfloat *out, gboolean weighs)
{
  if (weighs)
    LANES_NAME (step_rows_of) (rows, convolution, in, out, TRUE);
  else
    LANES_NAME (step_rows_of) (rows, convolution, in, out, FALSE);
}

/* One row of results from the taps that are not 0. */
static inline __attribute__ ((always_inline)) LANES_TARGET void
LANES_NAME (listed_row_of) (const Rows *rows, const Convolution *convolution, const gfloat *in, gfloat *out,
                            const gboolean weighs)
{
  for (gint x = 0; x < 4 * rows->width; x += STEP * LANES_FLOATS)
    {
      Lanes total[STEP] = { { 0.0f } };

      for (gint y = 0, i = 0; y < convolution->rows; y++)
        {
          const gfloat *from = in + (gsize) y * rows->in_stride + x;
          const gint    end = convolution->row_ends[y];
          Lanes         sum[STEP] = { { 0.0f } };

          if (i == end)
            continue;
          for (; i < end; i++)
            {
              const Lanes *pixels = (const Lanes *) (from + 4 * convolution->tap_columns[i]);
              const Lanes  weight = LANES_NAME (weight) (convolution->tap_weights[i], weighs);

              for (gint k = 0; k < STEP; k++)
                sum[k] += weight * pixels[k];
            }
          for (gint k = 0; k < STEP; k++)
            total[k] += sum[k];
        }
      for (gint k = 0; k < STEP; k++)
        *(Lanes *) (out + x + k * LANES_FLOATS)
          = LANES_NAME (finished) (weighs ? LANES_NAME (uncovered) (total[k], convolution->magnitudes) : total[k],
                                   in + rows->centre + x + k * LANES_FLOATS, rows->offset, rows->copied);
    }
}

static LANES_TARGET void
LANES_NAME (listed_row) (const Rows *rows, const Convolution *convolution, const gfloat *in, gfloat *out, gboolean weighs)
{
  if (weighs)
    LANES_NAME (listed_row_of) (rows, convolution, in, out, TRUE);
  else
    LANES_NAME (listed_row_of) (rows, convolution, in, out, FALSE);
}

/* In place; reads and writes whole registers. */
static LANES_TARGET void
LANES_NAME (finish_row) (const Rows *rows, const gfloat *in, gfloat *sums)
{
  for (gint x = 0; x < 4 * rows->width; x += LANES_FLOATS)
    *(Lanes *) (sums + x) = LANES_NAME (finished) (*(Lanes *) (sums + x), in + x, rows->offset, rows->copied);
}

static LANES_TARGET void
LANES_NAME (uncover_row) (const Rows *rows, gfloat *sums, gfloat magnitudes)
{
  for (gint x = 0; x < 4 * rows->width; x += LANES_FLOATS)
    *(Lanes *) (sums + x) = LANES_NAME (uncovered) (*(Lanes *) (sums + x), magnitudes);
}

/* Of n floats, a multiple of a register: x - x is 0 in all bits, or NaN. */
static LANES_TARGET gboolean
LANES_NAME (all_finite) (const gfloat *in, gsize n)
{
  LaneBits any = { 0 };
  gint     bits = 0;

  for (gsize i = 0; i < n; i += LANES_FLOATS)
    {
      const Lanes x = *(const Lanes *) (in + i);

      any |= (LaneBits) (x - x);
    }
  for (gsize i = 0; i < LANES_FLOATS; i++)
    bits |= any[i];
  return bits == 0;
}

#undef STEP
