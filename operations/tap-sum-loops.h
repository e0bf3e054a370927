/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The loop of tap-sum.c, for lanes.h.
 */
#define SUMS (LANES_BYTES == 64 ? 4 : 8)        /* that stay in registers */

static LANES_TARGET void
LANES_NAME (sum_taps) (const gfloat *in, const TapList *taps, gfloat *out, gint n_floats)
{
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
              const gfloat weight = taps->weights[i];

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

#undef SUMS
