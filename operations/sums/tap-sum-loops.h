/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The loops of tap-sum.c, for lanes.h.
 */
#define SUMS (LANES_BYTES == 64 ? 4 : 8)        /* that stay in registers */

/* magnitudes: every fourth sum is of the weights' magnitudes. */
static inline LANES_TARGET __attribute__ ((always_inline)) void
LANES_NAME (sum_taps_of) (const gfloat *in, const TapList *taps, gfloat *out, gint n_floats, const gboolean magnitudes)
{
  const LaneBits signs = *(const LaneBits *) tap_signs;

  for (gint x = 0; x < n_floats; x += SUMS * LANES_FLOATS)
    {
      const gfloat *from = in + x;
      Lanes         total[SUMS] = { { 0.0f } };

      for (gint first = 0; first < taps->n; first += taps->group)
        {
          const gint end = MIN (taps->group, taps->n - first) + first;
          Lanes      sum[SUMS] = { { 0.0f } };

          for (gint i = first; i < end; i++)
            {
              const Lanes *tap = (const Lanes *) (from + (gssize) taps->step * taps->offsets[i]);
              const LaneBits bits = tessera_as_int (taps->weights[i]) + (LaneBits) { 0 };
              const Lanes    weight = magnitudes ? (Lanes) (bits & signs) : (Lanes) bits;

              for (gint k = 0; k < SUMS; k++)
                sum[k] += weight * tap[k];
            }
          for (gint k = 0; k < SUMS; k++)
            total[k] += sum[k];
        }
      for (gint k = 0; k < SUMS; k++)
        ((Lanes *) (out + x))[k] = total[k];
    }
}

static LANES_TARGET void
LANES_NAME (sum_taps) (const gfloat *in, const TapList *taps, gfloat *out, gint n_floats)
{
  if (taps->magnitudes)
    LANES_NAME (sum_taps_of) (in, taps, out, n_floats, TRUE);
  else
    LANES_NAME (sum_taps_of) (in, taps, out, n_floats, FALSE);
}

/* n_sums vectors of sums of n taps that lie one behind another. */
static inline LANES_TARGET __attribute__ ((always_inline)) void
LANES_NAME (sum_floats) (const gfloat *in, gint n, const gfloat *weights, gfloat *out, const gint n_sums)
{
  Lanes sum[8] = { { 0.0f } };

  for (gint i = 0; i < n; i++)
    for (gint k = 0; k < n_sums; k++)
      sum[k] += weights[i] * ((const Lanes *) (in + i))[k];
  for (gint k = 0; k < n_sums; k++)
    ((Lanes *) out)[k] = sum[k];
}

static LANES_TARGET void
LANES_NAME (sum_row) (const gfloat *in, gint n, const gfloat *weights, gfloat *out, gint n_floats)
{
  gint x = 0;

  for (; x <= n_floats - 8 * LANES_FLOATS; x += 8 * LANES_FLOATS)
    LANES_NAME (sum_floats) (in + x, n, weights, out + x, 8);
  for (; x < n_floats; x += 4 * LANES_FLOATS)
    LANES_NAME (sum_floats) (in + x, n, weights, out + x, 4);
}

/* TAP_SUM_RUN sums of the same n taps, two vectors wide.  Each begins a row below the last one, and its result goes
 * out_step floats further.  A value that was read serves all of them. */
static inline LANES_TARGET __attribute__ ((always_inline)) void
LANES_NAME (sum_run) (const gfloat *in, gssize step, gint n, const gfloat *weights, gfloat *out, gssize out_step)
{
  const gint shared = TAP_SUM_RUN - 1;          /* from this step on, all sums read it */
  Lanes      sum[TAP_SUM_RUN][2] = { { { 0.0f } } };

  for (gint b = 0; b < TAP_SUM_RUN; b++)
    for (gint i = 0; i < shared - b; i++)
      for (gint v = 0; v < 2; v++)
        sum[b][v] += weights[i] * *(const Lanes *) (in + (i + b) * step + v * LANES_FLOATS);
  for (gint k = shared; k < n; k++)
    for (gint v = 0; v < 2; v++)
      {
        const Lanes tap = *(const Lanes *) (in + k * step + v * LANES_FLOATS);

        for (gint b = 0; b < TAP_SUM_RUN; b++)
          sum[b][v] += weights[k - b] * tap;
      }
  for (gint b = 0; b < TAP_SUM_RUN; b++)
    for (gint i = n - b; i < n; i++)
      for (gint v = 0; v < 2; v++)
        sum[b][v] += weights[i] * *(const Lanes *) (in + (i + b) * step + v * LANES_FLOATS);
  for (gint b = 0; b < TAP_SUM_RUN; b++)
    for (gint v = 0; v < 2; v++)
      *(Lanes *) (out + b * out_step + v * LANES_FLOATS) = sum[b][v];
}

static LANES_TARGET void
LANES_NAME (sum_down) (const gfloat *in, gssize stride, gint n, const gfloat *weights,
                       gfloat *out, gssize out_stride, gint n_floats, gint n_rows)
{
  for (gint x = 0; x < n_floats; x += 2 * LANES_FLOATS)
    for (gint y = 0; y < n_rows; y += TAP_SUM_RUN)
      LANES_NAME (sum_run) (in + y * stride + x, stride, n, weights, out + y * out_stride + x, out_stride);
}

#undef SUMS
