/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Whole pixels from projections: see shift.h.
 *
 * The running median takes the sky away and leaves the stars.  The best lags are the peaks of the correlation of the two, over what they have in
 * common.  The lag of a picture that repeats itself may be any of its periods.
 */
#include "config.h"

#include "shift-parts.h"

#include <math.h>
#include <string.h>

#define WINDOW 31               /* of the running median, odd */

/* In a sorted window `old` becomes `new`. */
static void
exchange (gdouble *sorted, gdouble old, gdouble new)
{
  gint i = 0;

  while (i < WINDOW - 1 && sorted[i] != old)
    i++;
  for (; i > 0 && sorted[i - 1] > new; i--)
    sorted[i] = sorted[i - 1];
  for (; i < WINDOW - 1 && sorted[i + 1] < new; i++)
    sorted[i] = sorted[i + 1];
  sorted[i] = new;
}

/* Beyond its ends the projection goes on as it ends. */
gdouble *
shift_less_median (const gdouble *means, gint n)
{
  gdouble *less = g_new (gdouble, n), sorted[WINDOW];

  for (gint i = 0; i < WINDOW; i++)
    sorted[i] = means[0];
  for (gint i = 0; i < WINDOW / 2; i++)
    exchange (sorted, means[0], means[MIN (i + 1, n - 1)]);
  for (gint i = 0; i < n; i++)
    {
      less[i] = means[i] - sorted[WINDOW / 2];
      exchange (sorted, means[MAX (i - WINDOW / 2, 0)], means[MIN (i + 1 + WINDOW / 2, n - 1)]);
    }
  return less;
}

/* Lags of half the size and more have too little in common. */
static gdouble
score_of (const gdouble *reference, const gdouble *frame, gint n, gint lag)
{
  gdouble product = 0.0, squares = 0.0, others = 0.0;

  for (gint i = MAX (0, -lag); i < MIN (n, n - lag); i++)
    {
      product += reference[i] * frame[i + lag];
      squares += reference[i] * reference[i];
      others += frame[i + lag] * frame[i + lag];
    }
  return product > 0.0 ? product / sqrt (squares * others) : 0.0;
}

/* Of equals the least lag comes first. */
gint
shift_best_lags (const gdouble *reference, const gdouble *frame, gint n, gint most, gint lags[SHIFT_MOST_LAGS])
{
  const gint limit = MIN (most, n / 2);
  gdouble   *scores = g_new0 (gdouble, 2 * limit + 3), best[SHIFT_MOST_LAGS];
  gint       found = 0;

  for (gint lag = -limit; lag <= limit; lag++)
    scores[lag + limit + 1] = score_of (reference, frame, n, lag);
  for (gint k = 0; k <= 2 * limit; k++)
    {
      const gint     lag = k % 2 ? (k + 1) / 2 : -(k / 2), at = lag + limit + 1;
      const gboolean is_peak = scores[at] > 0.0 && scores[at] >= scores[at - 1] && scores[at] >= scores[at + 1];
      gint           place = found;

      for (; is_peak && place > 0 && best[place - 1] < scores[at]; place--)
        if (place < SHIFT_MOST_LAGS)
          {
            best[place] = best[place - 1];
            lags[place] = lags[place - 1];
          }
      if (is_peak && place < SHIFT_MOST_LAGS)
        {
          best[place] = scores[at];
          lags[place] = lag;
          found = MIN (found + 1, SHIFT_MOST_LAGS);
        }
    }
  g_free (scores);
  if (found == 0)
    lags[found++] = 0;
  return found;
}
