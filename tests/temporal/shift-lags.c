/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Whole pixels from projections: the best lags are those of the correlation, by a plain loop. */
#include "shifts.h"

#include <math.h>

#include "shift-parts.h"
#include "stars-random.h"

#include "../engine/verdict.h"

/* The correlation of what two projections have in common; 0: it is none, or the lag is too large. */
static gdouble
correlation (const gdouble *a, const gdouble *b, gint n, gint lag, gint limit)
{
  gdouble products = 0, of_a = 0, of_b = 0;

  for (gint i = MAX (0, -lag); i < MIN (n, n - lag); i++)
    {
      products += a[i] * b[i + lag];
      of_a += a[i] * a[i];
      of_b += b[i + lag] * b[i + lag];
    }
  return ABS (lag) <= limit && products > 0 ? products / sqrt (of_a * of_b) : 0;
}

/* Projections whose brightest stars lie beyond what they have in common: the best lags are those of the correlation, not of the light. */
static void
check_lags (void)
{
  StarsRandom random = stars_random (20261123, 1, 0);
  gdouble     a[200], b[200];

  for (gint trial = 0; trial < 300; trial++)
    {
      const gint n = 20 + (gint) (180 * stars_uniform (&random)), most = 1 + (gint) (100 * stars_uniform (&random)), limit = MIN (most, n / 2);
      gint       lags[SHIFT_MOST_LAGS], count;
      gdouble    last = INFINITY;
      gboolean   good = TRUE;

      for (gint i = 0; i < n; i++)
        {
          a[i] = stars_normal (&random) + (stars_uniform (&random) < 0.1 ? 300 * stars_uniform (&random) : 0);
          b[i] = i < n / 4 ? stars_normal (&random) + (stars_uniform (&random) < 0.1 ? 300 * stars_uniform (&random) : 0) : a[i - n / 4];
        }
      count = shift_best_lags (a, b, n, most, lags);
      for (gint found = 0; found < count && good; found++)
        {
          gdouble best = 0;

          for (gint lag = -limit; lag <= limit; lag++)
            {
              const gdouble here = correlation (a, b, n, lag, limit);

              if (here < last && here >= correlation (a, b, n, lag - 1, limit) && here >= correlation (a, b, n, lag + 1, limit))
                best = MAX (best, here);
            }
          last = correlation (a, b, n, lags[found], limit);
          good = fabs (last - best) < 1e-12;
        }
      expect (good && count > 0, "%d values, lags up to %d: the best are others", n, most);
    }
}

/* Of starts that leave as much, the first one stays: an answer does not hang on which of them was looked at last. */
static void
check_equal_starts (void)
{
  const gdouble sums[SHIFT_SUMS] = { [SHIFT_U] = 10, [SHIFT_W] = 10, [SHIFT_E] = 5, [SHIFT_N] = 100 };
  ShiftSearch   search = { .width = 100, .height = 100, .looks_beside = TRUE, .stage = SHIFT_STARTS, .least = INFINITY,
                           .lags_x = { 3, -7 }, .lags_y = { 1, 5 }, .n_x = 2, .n_y = 2, .other = { .error = INFINITY } };

  for (gint start = 0; start < 4; start++)
    shift_search_sums (&search, sums);
  expect (search.stage == SHIFT_OTHER_STEPS, "four starts were answered, and the search has not gone on");
  expect (search.other.x == 3 && search.other.y == 1, "of equal starts (%g, %g) was taken, not the first", search.other.x, search.other.y);
}

void
shift_lags (void)
{
  check_lags ();
  check_equal_starts ();
}
