/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:median-blur, any rank in squares of bytes, one channel at a time: a histogram of each column, and of them the sum under the
 * window.  A histogram has two levels, 16 counts of 16 values, and their 256.  The first level follows the window at each step; of the
 * second only the 16 values in which the wanted one is, from where they were last.  So a pixel costs about the same at any radius.
 * Counts are of all values up to one: then the wanted one has as many below it as counts are below its rank, and no sum goes from one to
 * the next.
 * Price: 2.1 (median 10, u8; EPYC, 2026-12-01).
 *
 * S. Perreault, P. Hebert, Median Filtering in Constant Time, IEEE Trans. Image Processing 16(9), 2007.
 */
#include "config.h"

#include "median-blur.h"

#include <string.h>

#define STEPS 16                /* of each level */

/* One for each step; gegl_scratch_new aligns to no more. */
typedef guint16 Counts __attribute__ ((vector_size (2 * STEPS), aligned (16)));
typedef gint8   Marks __attribute__ ((vector_size (STEPS)));

/* Of one channel.  Columns lie beside one another, so that a window's are read in their order. */
typedef struct
{
  const MedianBytes *block;
  gint               channel;
  Counts            *coarse;            /* [column] */
  Counts            *fine;              /* [coarse value][column] */
} Columns;

/* The sum of the columns under the window. */
typedef struct
{
  Counts coarse, fine[STEPS];
  gint   end[STEPS];            /* of the columns whose values are in `fine`, as many as the window has; 0: none */
} Window;

static inline Counts *
fine_of (const Columns *columns, gint step)
{
  return columns->fine + (gsize) step * columns->block->width;
}

/* [value]: 1 from it on. */
static const Counts *
all_from (void)
{
#define ONES(n) { n < 1, n < 2, n < 3, n < 4, n < 5, n < 6, n < 7, n < 8, n < 9, n < 10, n < 11, n < 12, n < 13, n < 14, n < 15, n < 16 }
  static const Counts from[STEPS] = { ONES (0), ONES (1), ONES (2), ONES (3), ONES (4), ONES (5), ONES (6), ONES (7),
                                      ONES (8), ONES (9), ONES (10), ONES (11), ONES (12), ONES (13), ONES (14), ONES (15) };
#undef ONES

  return from;
}

TESSERA_CLONES static void
count_row (const Columns *columns, gint row, gboolean enters)
{
  const Counts      *from = all_from ();
  const MedianBytes *block = columns->block;
  const guint8      *bytes = block->bytes + (gsize) row * block->width * block->values + columns->channel;

  for (gint x = 0; x < block->width; x++)
    {
      const gint value = bytes[x * block->values];
      Counts    *coarse = &columns->coarse[x], *fine = fine_of (columns, value / STEPS) + x;

      *coarse = enters ? *coarse + from[value / STEPS] : *coarse - from[value / STEPS];
      *fine = enters ? *fine + from[value % STEPS] : *fine - from[value % STEPS];
    }
}

/* Where the k-th is, from 1. */
static inline gint
find_step (const Counts *counts, guint16 k)
{
  const Marks marks = __builtin_convertvector (*counts < k, Marks);     /* all bits of each, up to it */
  guint64     halves[2];

  memcpy (halves, &marks, sizeof halves);
  return (__builtin_popcountll (halves[0]) + __builtin_popcountll (halves[1])) / 8;
}

/* Brings the values of a step to the columns before `end`, of a window of `side`. */
static inline void
follow (const Columns *columns, Window *window, gint step, gint end, gint side)
{
  const Counts *fine = fine_of (columns, step);
  Counts        sum = { 0 };

  if (end - window->end[step] >= side / 2)
    for (gint x = end - side; x < end; x++)
      sum += fine[x];
  else
    {
      sum = window->fine[step];
      for (gint x = window->end[step]; x < end; x++)
        sum += fine[x] - fine[x - side];
    }
  window->fine[step] = sum;
  window->end[step] = end;
}

TESSERA_CLONES static void
take_row (const Columns *columns, gint rank, gint side, guint8 *restrict out)
{
  const gint width = columns->block->width, values = columns->block->values;
  Window     window = { .coarse = { 0 }, .end = { 0 } };

  for (gint x = 0; x < side - 1; x++)
    window.coarse += columns->coarse[x];
  for (gint end = side; end <= width; end++)
    {
      gint step, below;

      window.coarse += columns->coarse[end - 1];
      step = find_step (&window.coarse, (guint16) rank);
      below = step > 0 ? window.coarse[step - 1] : 0;
      follow (columns, &window, step, end, side);
      out[(end - side) * values] = (guint8) (STEPS * step + find_step (&window.fine[step], (guint16) (rank - below)));
      window.coarse -= columns->coarse[end - side];
    }
}

static void
take_channel (const Columns *columns, gint rank, gint side)
{
  const MedianBytes *block = columns->block;
  const gint         rows = block->height - side + 1;
  const gsize        out_row = (gsize) (block->width - side + 1) * block->values;

  memset (columns->coarse, 0, (1 + STEPS) * (gsize) block->width * sizeof (Counts));
  for (gint y = 0; y < side - 1; y++)
    count_row (columns, y, TRUE);
  for (gint y = 0; y < rows; y++)
    {
      count_row (columns, y + side - 1, TRUE);
      take_row (columns, rank, side, block->out + y * out_row + columns->channel);
      count_row (columns, y, FALSE);
    }
}

gboolean
median_has_histogram (const MedianParams *params)
{
  return params->radius >= 1 && ! params->is_circle && params->count <= G_MAXUINT16;
}

void
median_by_histogram (const MedianBytes *block)
{
  const MedianParams *params = block->params;
  const gint          side = 2 * params->radius + 1;
  const gboolean      keeps_alpha = median_keeps_alpha (block);
  Counts             *counts = gegl_scratch_new (Counts, (1 + STEPS) * (gsize) block->width);

  for (gint channel = 0; channel < block->values - keeps_alpha; channel++)
    take_channel (&(Columns) { block, channel, counts, counts + block->width }, params->rank, side);
  if (keeps_alpha)
    median_keep_alphas (block);
  gegl_scratch_free (counts);
}
