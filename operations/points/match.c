/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Which of the nearest are kept: see matches.h.
 */
#include "config.h"

#include "match-parts.h"

#include <math.h>

/* In thousandths, and in whole numbers.  Where B has one descriptor alone there is nothing to compare with. */
static gboolean
is_kept (const MatchRow *row, gint a, gint64 ratio, gboolean mutual)
{
  const gint64 best = row->best, second = isfinite (row->second) ? (gint64) row->second : G_MAXINT32;

  return best < second && 1000000 * best < ratio * ratio * second && (! mutual || row->back == a);
}

gint
match_descriptors (const TesseraErrand *errand, const guint8 *a, gint n_a, const guint8 *b, gint n_b, gdouble ratio, gboolean mutual, Match **matches)
{
  const gint64    thousandths = (gint64) (CLAMP (ratio, 0.0, 10.0) * 1000 + 0.5);
  const MatchTask task = { a, b, n_a, n_b };
  g_autofree MatchRow *rows = NULL;
  gint            n = 0;

  *matches = NULL;
  if (n_a <= 0 || n_b <= 0)
    return 0;
  if (errand)
    rows = match_process (errand, &task);
  else
    match_rows (&task, rows = g_new (MatchRow, n_a));
  if (! rows)
    return -1;
  *matches = g_new (Match, n_a);
  for (gint i = 0; i < n_a; i++)
    if (is_kept (&rows[i], i, thousandths, mutual))
      (*matches)[n++] = (Match) { i, rows[i].index, (guint32) rows[i].best };
  return n;
}
