/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * How two planes correlate at all shifts: see direct-shift.h.
 */
#include "direct-shift.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FEW         0.06        /* of A, that a shift must leave */
#define ENOUGH      0.33        /* ... of what both pictures have, that tells of a pattern */
#define APART       3           /* pixels: nearer ones are the same peak */

/* Of all colours, as Padfield has it: what both know. */
static gdouble
correlation (const DirectPlane *a, const DirectPlane *b, gint dx, gint dy, gdouble *share)
{
  gdouble ab = 0, aa = 0, bb = 0, n = 0;

  for (gint c = 0; c < DIRECT_COLORS; c++)
    for (gint y = MAX (0, dy); y < MIN (a->height, b->height + dy); y++)
      {
        const gssize  of_a = (gssize) y * a->width, of_b = (gssize) (y - dy) * b->width - dx;
        const gfloat *p = a->values[c] + of_a, *q = b->values[c] + of_b, *in_a = a->known[c] + of_a, *in_b = b->known[c] + of_b;
        gfloat        sums[4] = { 0 };

        for (gint x = MAX (0, dx); x < MIN (a->width, b->width + dx); x++)
          {
            sums[0] += p[x] * q[x];
            sums[1] += p[x] * p[x] * in_b[x];
            sums[2] += q[x] * q[x] * in_a[x];
            sums[3] += in_a[x] * in_b[x];
          }
        ab += sums[0], aa += sums[1], bb += sums[2], n += sums[3];
      }
  n /= DIRECT_COLORS * a->width * a->height;
  *share = n;
  return ab / sqrt (MAX (aa * bb, 1e-12));
}

/* The plane less the means around. */
static void
less_means (const DirectPlane *from, gint reach, DirectPlane *to)
{
  direct_plane_init (to, from->width, from->height);
  for (gint c = 0; c < DIRECT_COLORS; c++)
    {
      memcpy (to->known[c], from->known[c], sizeof (gfloat) * from->width * from->height);
      direct_take_mean (from->width, from->height, from->values[c], from->known[c], reach, to->values[c]);
    }
}

typedef struct
{
  const DirectPlane *a, *b;
  gint               across, down;
  gdouble            few;               /* of A, that a shift must leave */
  gdouble           *scores;
} Shifting;

static void
correlate_rows (gint part, gint parts, gpointer data)
{
  const Shifting *shifting = data;
  const gint      wide = 2 * shifting->across + 1;

  for (gint row = part; row <= 2 * shifting->down; row += parts)
    for (gint i = 0; i < wide; i++)
      {
        gdouble       share;
        const gdouble found = correlation (shifting->a, shifting->b, i - shifting->across, row - shifting->down, &share);

        /* of two as good ones that of more pixels is surer */
        shifting->scores[row * wide + i] = share > shifting->few ? sqrt (sqrt (share)) * found : -1;
      }
}

/* Takes what lies around it out of the search. */
static void
take_out (Shifting *shifting, gint x, gint y, gint around)
{
  const gint wide = 2 * shifting->across + 1;

  for (gint v = MAX (y - around, -shifting->down); v <= MIN (y + around, shifting->down); v++)
    for (gint u = MAX (x - around, -shifting->across); u <= MIN (x + around, shifting->across); u++)
      shifting->scores[(v + shifting->down) * wide + u + shifting->across] = -1;
}

/* Is it less than one next to it, so that it lies on a slope? */
static gboolean
is_slope (const Shifting *shifting, const gdouble *scores, gint x, gint y)
{
  const gint wide = 2 * shifting->across + 1, high = 2 * shifting->down + 1;

  for (gint v = MAX (y - 1, 0); v <= MIN (y + 1, high - 1); v++)
    for (gint u = MAX (x - 1, 0); u <= MIN (x + 1, wide - 1); u++)
      if (scores[v * wide + u] > scores[y * wide + x])
        return TRUE;
  return FALSE;
}

static void
take_slopes_out (Shifting *shifting)
{
  const gint          wide = 2 * shifting->across + 1, n = wide * (2 * shifting->down + 1);
  g_autofree gdouble *scores = g_memdup2 (shifting->scores, n * sizeof (gdouble));

  for (gint i = 0; i < n; i++)
    if (is_slope (shifting, scores, i % wide, i / wide))
      shifting->scores[i] = -1;
}

static gint
take_peaks (Shifting *shifting, gint most, gint around, gint (*shifts)[2], gdouble *scores)
{
  const gint wide = 2 * shifting->across + 1, n = wide * (2 * shifting->down + 1);
  gint       found = 0;

  for (; found < most; found++)
    {
      gint best = 0;

      for (gint i = 1; i < n; i++)
        if (shifting->scores[i] > shifting->scores[best])
          best = i;
      if (! (shifting->scores[best] > 0))
        break;
      shifts[found][0] = best % wide - shifting->across;
      shifts[found][1] = best / wide - shifting->down;
      scores[found] = shifting->scores[best];
      take_out (shifting, shifts[found][0], shifts[found][1], around);
    }
  return found;
}

gint
direct_shifts (const DirectPlane *of_a, const DirectPlane *of_b, gint reach, gint shifts[DIRECT_PEAKS][2], gdouble scores[DIRECT_PEAKS])
{
  DirectPlane a, b;
  Shifting    shifting = { &a, &b, MAX (of_a->width, of_b->width) - 1, MAX (of_a->height, of_b->height) - 1, FEW, NULL };
  gint        found;

  less_means (of_a, reach, &a);
  less_means (of_b, reach, &b);
  shifting.scores = g_new (gdouble, (2 * shifting.across + 1) * (2 * shifting.down + 1));
  gegl_parallel_distribute (-1, correlate_rows, &shifting);
  found = take_peaks (&shifting, DIRECT_PEAKS, 1, shifts, scores);
  g_free (shifting.scores);
  direct_plane_clear (&a);
  direct_plane_clear (&b);
  return found;
}

gint
direct_others (const DirectPlane *of_a, const DirectPlane *of_b, const gdouble matrix[9], gint reach, gint most, gint shifts[DIRECT_OTHERS][2])
{
  DirectPlane laid, a, b;
  Shifting    shifting = { &a, &b, MIN (most, of_a->width - 1), MIN (most, of_a->height - 1), 0, NULL };
  gdouble     gains[DIRECT_COLORS], scores[DIRECT_OTHERS], share;
  gint        found;

  direct_plane_init (&laid, of_a->width, of_a->height);
  direct_plane_lay (of_a, of_b, matrix, &laid, gains);
  less_means (of_a, reach, &a);
  less_means (&laid, reach, &b);
  correlation (&a, &b, 0, 0, &share);
  shifting.few = ENOUGH * share;
  shifting.scores = g_new (gdouble, (2 * shifting.across + 1) * (2 * shifting.down + 1));
  gegl_parallel_distribute (-1, correlate_rows, &shifting);
  take_slopes_out (&shifting);
  take_out (&shifting, 0, 0, APART);
  found = take_peaks (&shifting, DIRECT_OTHERS, 2, shifts, scores);
  g_free (shifting.scores);
  direct_plane_clear (&laid);
  direct_plane_clear (&a);
  direct_plane_clear (&b);
  return found;
}
