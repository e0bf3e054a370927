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

#define LAGS 16                 /* that are scored together */

/* What lies beyond the ends counts as 0, so that lags side by side have one loop. */
typedef struct
{
  gdouble *values, *are_inside; /* of the frame: n, and `limit` and LAGS more at each end */
} Padded;

static Padded
pad (const gdouble *frame, gint n, gint limit)
{
  const gint margin = limit + LAGS;
  Padded     padded = { g_new0 (gdouble, n + 2 * margin), g_new0 (gdouble, n + 2 * margin) };

  for (gint i = 0; i < n; i++)
    {
      padded.values[margin + i] = frame[i];
      padded.are_inside[margin + i] = 1.0;
    }
  return padded;
}

/* Each lag's sums in the order of the pixels. */
TESSERA_CLONES static void
add_lags (const gdouble *restrict reference, const gdouble *restrict values, const gdouble *restrict are_inside, gint n, gdouble *restrict products,
          gdouble *restrict squares, gdouble *restrict others)
{
  gdouble p[LAGS] = { 0 }, s[LAGS] = { 0 }, o[LAGS] = { 0 };

  for (gint i = 0; i < n; i++)
    for (gint k = 0; k < LAGS; k++)
      {
        p[k] += reference[i] * values[i + k];
        s[k] += reference[i] * reference[i] * are_inside[i + k];
        o[k] += values[i + k] * values[i + k];
      }
  memcpy (products, p, sizeof p);
  memcpy (squares, s, sizeof s);
  memcpy (others, o, sizeof o);
}

/* Of the lags from -limit on, `scores` has room for LAGS more.  Lags of half the size and more have too little in common. */
static void
score_lags (const gdouble *reference, const gdouble *frame, gint n, gint limit, gdouble *scores)
{
  Padded  padded = pad (frame, n, limit);
  gdouble products[LAGS], squares[LAGS], others[LAGS];

  for (gint first = 0; first <= 2 * limit; first += LAGS)
    {
      add_lags (reference, padded.values + LAGS + first, padded.are_inside + LAGS + first, n, products, squares, others);
      for (gint k = 0; k < LAGS; k++)
        scores[first + k] = products[k] > 0.0 ? products[k] / sqrt (squares[k] * others[k]) : 0.0;
    }
  g_free (padded.values);
  g_free (padded.are_inside);
}

/* Of equals the least lag comes first. */
gint
shift_best_lags (const gdouble *reference, const gdouble *frame, gint n, gint most, gint lags[SHIFT_MOST_LAGS])
{
  const gint limit = MIN (most, n / 2);
  g_autofree gdouble *scores = g_new0 (gdouble, 2 * limit + 3 + LAGS);
  gdouble    best[SHIFT_MOST_LAGS];
  gint       found = 0;

  score_lags (reference, frame, n, limit, scores + 1);
  scores[2 * limit + 2] = 0.0;
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
  if (found == 0)
    lags[found++] = 0;
  return found;
}
