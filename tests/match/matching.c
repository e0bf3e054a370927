/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Matches at the edges of what the definition says: copies, the ratio itself. */
#include "config.h"

#include <gegl.h>
#include <string.h>

#include "../engine/verdict.h"
#include "match-plain.h"
#include "matching.h"

static void
compare (const gchar *what, const guint8 *a, gint n_a, const guint8 *b, gint n_b, gint thousandths, gboolean mutual)
{
  Match     *wanted = g_new (Match, n_a + 1), *got;
  const gint n_wanted = match_plainly (a, n_a, b, n_b, thousandths, mutual, wanted);

  for (gint threads = 1; threads <= 5; threads += 2)
    {
      gint n, same = 0;

      g_object_set (gegl_config (), "threads", threads, NULL);
      n = match_descriptors (NULL, a, n_a, b, n_b, thousandths / 1000.0, mutual, &got);
      while (same < MIN (n, n_wanted) && got[same].a == wanted[same].a && got[same].b == wanted[same].b
             && got[same].distance == wanted[same].distance)
        same++;
      expect (n == n_wanted && same == n, "%s, %d and %d, ratio %d, mutual %d, %d threads: %d of %d matches, %d the same",
              what, n_a, n_b, thousandths, mutual, threads, n, n_wanted, same);
      g_free (got);
    }
  g_free (wanted);
}

/* As far apart as can be, as near as can be, and both at once. */
static void
extremes (void)
{
  guint8 a[8 * DESCRIPTOR_LENGTH], b[8 * DESCRIPTOR_LENGTH];
  Match *matches;
  gint   n;

  memset (a, 255, sizeof a);
  memset (b, 0, sizeof b);
  compare ("all 255, all 0", a, 8, b, 8, 800, TRUE);
  compare ("all the same", a, 8, a, 8, 800, TRUE);
  compare ("one each, far", a, 1, b, 1, 800, TRUE);
  compare ("one each, the same", a, 1, a, 1, 800, TRUE);
  memset (a + DESCRIPTOR_LENGTH, 0, sizeof a - DESCRIPTOR_LENGTH);      /* nearer to B, but behind A's last one */
  compare ("what lies behind the list", a, 1, b, 1, 800, TRUE);
  memset (a, 255, sizeof a);
  b[0] = 1;
  compare ("one is nearer by 509", a, 1, b, 8, 1000, TRUE);
  memset (b, 255, sizeof b);
  b[0] = 0;                     /* the first is off, the others are the same */
  compare ("duplicates", a, 8, b, 8, 800, FALSE);
  n = match_descriptors (NULL, a, 1, b, 2, 0.8, TRUE, &matches);
  expect (n == 1 && matches[0].b == 1 && matches[0].distance == 0, "a copy beside another: %d", n);
  g_free (matches);

  /* 25 d1 < 16 d2 at its edge: 16 and 25. */
  memset (a, 100, sizeof a);
  memset (b, 100, sizeof b);
  b[0] = 104;
  b[DESCRIPTOR_LENGTH] = 105;
  compare ("the ratio itself", a, 1, b, 2, 800, FALSE);
  n = match_descriptors (NULL, a, 1, b, 2, 0.8, FALSE, &matches);
  expect (n == 0, "25 * 16 is not below 16 * 25");
  g_free (matches);
  b[DESCRIPTOR_LENGTH + 1] = 101;
  n = match_descriptors (NULL, a, 1, b, 2, 0.8, FALSE, &matches);
  expect (n == 1, "25 * 16 is below 16 * 26");
  g_free (matches);
}

void
matching (void)
{
  extremes ();
}
