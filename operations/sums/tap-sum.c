/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Sums of taps: see tap-sum.h.
 */
#include "config.h"

#include "tap-sum.h"
#include "tessera.h"

#define TAP_SUM_RUN 4           /* sums that share each value that is read */

static const gint tap_signs[16] = TAP_SIGNS;

#define LANES_LOOPS "tap-sum-loops.h"
#include "lanes.h"

/* From this number of taps on, a run is faster (AMD EPYC, Zen 4, 64 bytes, 2026-11; ns for a vector and a tap,
 * without and with: 0.62 and 0.56 with 9 taps, 0.54 and 0.35 with 65).  Price: 1.4 (Gaussian blur of sigma 10; processor time; EPYC, 2026-11-23). */
#define DOWN_TAPS 9

/* A run is one group of taps at consecutive offsets. */
static gboolean
is_run (const TapList *taps, gint least)
{
  if (taps->n < least || taps->group < taps->n || taps->magnitudes)
    return FALSE;
  for (gint i = 1; i < taps->n; i++)
    if (taps->offsets[i] != taps->offsets[0] + i)
      return FALSE;
  return TRUE;
}

void
tap_sum (const gfloat *in, const TapList *taps, gfloat *out, gint n_pixels)
{
  if (taps->step == 1 && is_run (taps, 1))
    LANES_BEST (sum_row) (in + taps->offsets[0], taps->n, taps->weights, out, 4 * n_pixels);
  else
    LANES_BEST (sum_taps) (in, taps, out, 4 * n_pixels);
}

void
tap_sum_rows (const gfloat *in, const TapList *taps, gfloat *out, gsize out_step, gint n_pixels, gint n_rows)
{
  const gssize stride = taps->step;
  gint         done = 0;

  if (is_run (taps, DOWN_TAPS))
    {
      done = n_rows / TAP_SUM_RUN * TAP_SUM_RUN;
      LANES_BEST (sum_down) (in + stride * taps->offsets[0], stride, taps->n, taps->weights,
                             out, (gssize) out_step, 4 * n_pixels, done);
    }
  for (gint y = done; y < n_rows; y++)
    LANES_BEST (sum_taps) (in + y * stride, taps, out + y * out_step, 4 * n_pixels);
}
