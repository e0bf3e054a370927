/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Where the search by all pixels begins: see direct-starts.h.
 */
#include "direct-starts.h"

#include <math.h>
#include <string.h>

#include "matrix.h"

#define REACHES   3             /* of the means that are taken away */
#define OF_TURNED 5             /* ... where B is turned */
#define TURNS     5
#define SIZES     3

/* B turned by an angle, of another size; all of it lies in `turned`.  `matrix`: from places of B. */
static void
turn (const DirectPlane *b, gdouble cosine, gdouble sine, gdouble size, DirectPlane *turned, gdouble matrix[9])
{
  const gdouble c = size * cosine, s = size * sine;
  const gint    width = (gint) ceil (fabs (c) * b->width + fabs (s) * b->height), height = (gint) ceil (fabs (s) * b->width + fabs (c) * b->height);
  const gdouble x = 0.5 * (b->width - 1), y = 0.5 * (b->height - 1);
  DirectPlane   all;
  gdouble       gains[DIRECT_COLORS];

  memcpy (matrix, ((gdouble[9]) { c, -s, 0.5 * (width - 1) - c * x + s * y, s, c, 0.5 * (height - 1) - s * x - c * y, 0, 0, 1 }), 9 * sizeof *matrix);
  direct_plane_init (&all, width, height);
  direct_plane_init (turned, width, height);
  for (gint k = 0; k < DIRECT_COLORS; k++)
    for (gint i = 0; i < width * height; i++)
      all.values[k][i] = all.known[k][i] = 1.0f;
  direct_plane_lay (&all, b, matrix, turned, gains);
  direct_plane_clear (&all);
}

typedef struct
{
  gdouble score, matrix[9];
} Start;

/* Among the best, in their order, if it is one of them. */
static void
keep (Start kept[DIRECT_TURNED], gint *n, const Start *start)
{
  gint i = *n;

  if (i < DIRECT_TURNED)
    ++*n;
  else if (kept[--i].score >= start->score)
    return;
  for (; i > 0 && kept[i - 1].score < start->score; i--)
    kept[i] = kept[i - 1];
  kept[i] = *start;
}

gint
direct_starts (const DirectPlane *a, const DirectPlane *b, gdouble starts[DIRECT_STARTS][9])
{
  static const gint reaches[REACHES] = { 3, 5, 8 };
  gint              shifts[DIRECT_STARTS][2] = { { 0, 0 } }, found = 1, n = 0;
  gdouble           scores[DIRECT_PEAKS];

  for (gint i = 0; i < REACHES; i++)
    found += direct_shifts (a, b, reaches[i], &shifts[found], scores);
  for (gint i = 0; i < found; i++)
    {
      gboolean is_new = TRUE;

      for (gint k = 0; k < i; k++)
        is_new &= shifts[k][0] != shifts[i][0] || shifts[k][1] != shifts[i][1];
      if (is_new)
        matrix_place (1, shifts[i][0], shifts[i][1], starts[n++]);
    }
  return n;
}

gint
direct_turned (const DirectPlane *a, const DirectPlane *b, gdouble starts[DIRECT_TURNED][9])
{
  static const gdouble cosines[TURNS] = { 1, 0.9781, 0.9781, 0.9135, 0.9135 }, sines[TURNS] = { 0, 0.2079, -0.2079, 0.4067, -0.4067 };       /* 12 degrees, 24 */
  static const gdouble sizes[SIZES] = { 1, 0.72, 1.4 };
  Start                kept[DIRECT_TURNED];
  gint                 n = 0;

  for (gint i = 1; i < TURNS * SIZES; i++)
    {
      DirectPlane turned;
      Start       start;
      gdouble     matrix[9], scores[DIRECT_PEAKS];
      gint        shifts[DIRECT_PEAKS][2], found;

      turn (b, cosines[i % TURNS], sines[i % TURNS], sizes[i / TURNS], &turned, matrix);
      found = direct_shifts (a, &turned, OF_TURNED, shifts, scores);
      for (gint k = 0; k < found; k++)
        {
          matrix_place (1, shifts[k][0], shifts[k][1], start.matrix);
          matrix_multiply (start.matrix, matrix, start.matrix);
          start.score = scores[k];
          keep (kept, &n, &start);
        }
      direct_plane_clear (&turned);
    }
  for (gint i = 0; i < n; i++)
    memcpy (starts[i], kept[i].matrix, sizeof kept[i].matrix);
  return n;
}
