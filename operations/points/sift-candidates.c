/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The candidates of a strip, in C.
 */
#include "config.h"

#include "sift-parts.h"

#include <gegl-plugin.h>
#include <string.h>

#define CHUNK 32                /* rows */
#define EIGHT 8                 /* marks that are looked at together */

typedef struct
{
  const SiftOctave *octave;
  gint             top, bottom;
  GArray         **found;       /* of each chunk */
} Scan;

static void
note (GArray *found, gint layer, gint row, gint column)
{
  const SiftCandidate candidate = { layer, row, column };

  g_array_append_val (found, candidate);
}

TESSERA_CLONES static void
subtract (const gfloat *restrict high, const gfloat *restrict low, gint n, gfloat *restrict difference)
{
  for (gint i = 0; i < n; i++)
    difference[i] = high[i] - low[i];
}

/* Which of n differences are beyond their neighbours in their own layer and those at their place in the layers around it.  The first
 * is layers[1][1][1]; [layer][row]. */
TESSERA_CLONES static void
mark_row (const gfloat *const layers[9], gint n, gfloat least, guint8 *restrict marks)
{
  const gfloat *restrict low = layers[1];
  const gfloat *restrict above = layers[3];
  const gfloat *restrict middle = layers[4];
  const gfloat *restrict below = layers[5];
  const gfloat *restrict high = layers[7];

  for (gint i = 0; i < n; i++)
    {
      const gfloat here = middle[i + 1];
      const gint   is_highest = (here > least) & (here > low[i + 1]) & (here >= high[i + 1])
                                & (here > above[i]) & (here > above[i + 1]) & (here > above[i + 2])
                                & (here > middle[i]) & (here >= middle[i + 2]) & (here >= below[i])
                                & (here >= below[i + 1]) & (here >= below[i + 2]);
      const gint   is_lowest = (here < -least) & (here < low[i + 1]) & (here <= high[i + 1])
                               & (here < above[i]) & (here < above[i + 1]) & (here < above[i + 2])
                               & (here < middle[i]) & (here <= middle[i + 2]) & (here <= below[i])
                               & (here <= below[i + 1]) & (here <= below[i + 2]);

      marks[i] = is_highest | is_lowest;
    }
}

/* Is it beyond the layers before it and behind it too?  rows[3 layer + row] begins at its left neighbour. */
static gboolean
is_extreme (const gfloat *const rows[9], gint i, gfloat least)
{
  gfloat all[27];

  for (gint k = 0; k < 27; k++)
    all[k] = rows[k / 3][i + k % 3];
  return extreme_is_one (all, all[13], least);
}

/* Row y, whose differences and those of the rows beside it are in `ring`, row by row of all layers. */
static void
scan_row (const SiftOctave *octave, gfloat *const ring[3], gint y, guint8 *marks, GArray *found)
{
  const gint width = octave->width, n = width - 2 * EXTREME_FRAME;

  for (gint layer = 1; layer < octave->levels.n - 2; layer++)
    {
      const gfloat *rows[9];

      for (gint k = 0; k < 9; k++)
        rows[k] = ring[(y + k % 3 + 2) % 3] + (gsize) (layer - 1 + k / 3) * width + EXTREME_FRAME - 1;
      mark_row (rows, n, octave->least, marks);
      for (gint x = 0; x < n; x += EIGHT)
        {
          guint64 any;

          memcpy (&any, marks + x, EIGHT);      /* behind the last one there are zeros */
          for (gint i = 0; i < EIGHT && any; i++)
            if (marks[x + i] && is_extreme (rows, x + i, octave->least))
              note (found, layer, y, x + i + EXTREME_FRAME);
        }
    }
}

static void
subtract_row (const SiftLevels *levels, gint y, gfloat *differences)
{
  for (gint l = 0; l < levels->n - 1; l++)
    subtract (sift_row (levels, l + 1, 0, y), sift_row (levels, l, 0, y), levels->width, differences + (gsize) l * levels->width);
}

static void
scan_planes (const SiftOctave *octave, gint top, gint bottom, GArray *found)
{
  const gsize differences = (gsize) (octave->levels.n - 1) * octave->width;
  g_autofree gfloat *memory = g_new (gfloat, 3 * differences);
  gfloat     *ring[3] = { memory, memory + differences, memory + 2 * differences };
  g_autofree guint8 *marks = g_new0 (guint8, octave->width + EIGHT);

  for (gint y = top - 1; y <= top; y++)
    subtract_row (&octave->levels, y, ring[y % 3]);
  for (gint y = top; y < bottom; y++)
    {
      subtract_row (&octave->levels, y + 1, ring[(y + 1) % 3]);
      scan_row (octave, ring, y, marks, found);
    }
}

static void
scan_chunks (gsize first, gsize n, gpointer data)
{
  const Scan *scan = data;

  for (gsize i = first; i < first + n; i++)
    {
      const gint top = scan->top + (gint) i * CHUNK, bottom = MIN (top + CHUNK, scan->bottom);

      scan->found[i] = g_array_new (FALSE, FALSE, sizeof (SiftCandidate));
      scan_planes (scan->octave, top, bottom, scan->found[i]);
    }
}

gint
sift_candidates (const SiftOctave *octave, gint top, gint bottom, SiftCandidate **candidates)
{
  Scan    scan = { .octave = octave, .top = MAX (top, EXTREME_FRAME), .bottom = MIN (bottom, octave->height - EXTREME_FRAME) };
  GArray *all = g_array_new (FALSE, FALSE, sizeof (SiftCandidate));
  gint    n_chunks, n;

  n_chunks = scan.bottom > scan.top && octave->width > 2 * EXTREME_FRAME ? (scan.bottom - scan.top + CHUNK - 1) / CHUNK : 0;
  scan.found = g_new (GArray *, n_chunks);
  gegl_parallel_distribute_range (n_chunks, 64.0 * 64.0 / CHUNK / octave->width, scan_chunks, &scan);
  for (gint i = 0; i < n_chunks; i++)
    {
      g_array_append_vals (all, scan.found[i]->data, scan.found[i]->len);
      g_array_free (scan.found[i], TRUE);
    }
  g_free (scan.found);
  n = (gint) all->len;
  *candidates = (SiftCandidate *) g_array_free (all, FALSE);
  return n;
}
