/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Descriptors of A against all of B.  |a - b|^2 = |a|^2 + |b|^2 - 2 ab, so a block of distances is a product of
 * matrices.  It is computed in floats: all sums are whole numbers below 2^24 (2 * 128 * 255^2 is 0.99 of that), which
 * floats have exactly, so nothing is ever rounded and the order of sums does not matter.
 *
 * A thread takes blocks of rows of A.  With each block it goes over panels of B, whose floats stay in the first cache
 * while all rows of the block use them.  Each distance counts twice, for its row and for its column; the columns of
 * several threads are joined at the end.
 */
#include "config.h"

#include "match-parts.h"

#include <math.h>
#include <string.h>

#define MATCH_PANEL 64          /* descriptors of B: 32 KiB of floats */
#define MATCH_ROWS  120         /* of A: 60 KiB; a multiple of the rows of any loop */
#define MATCH_LANES 16          /* of the widest register */

typedef struct
{
  gfloat panel[DESCRIPTOR_LENGTH * MATCH_PANEL];        /* component by component */
  gfloat best[MATCH_ROWS * MATCH_LANES], second[MATCH_ROWS * MATCH_LANES];      /* of each row, lane by lane */
  gint   index[MATCH_ROWS * MATCH_LANES];
  gfloat a[MATCH_ROWS * DESCRIPTOR_LENGTH];             /* row by row */
  gfloat a_norms[MATCH_ROWS];                           /* infinite behind the last one, as in b_norms */
  gint   first_a;
} MatchBlock;

static const gint match_counting[MATCH_LANES] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };

#define LANES_LOOPS "match-loops.h"
#include "lanes.h"

typedef struct
{
  const guint8 *a, *b;
  gint          n_a, n_b;
  guint8       *panels;         /* B, panel by panel, each component by component */
  gfloat       *b_norms;
  MatchRow     *rows;           /* of each of A */
  GMutex        lock;           /* of what follows */
  gfloat       *b_best;         /* of each of B */
  gint         *b_index;
} Matching;

static gfloat
norm_of (const guint8 *descriptor)
{
  gint sum = 0;

  for (gint k = 0; k < DESCRIPTOR_LENGTH; k++)
    sum += descriptor[k] * descriptor[k];
  return sum;
}

TESSERA_CLONES static void
bytes_to_floats (const guint8 *restrict bytes, gint n, gfloat *restrict floats)
{
  for (gint i = 0; i < n; i++)
    floats[i] = bytes[i];
}

/* Turns a panel so that one component of all its descriptors lies together.  What is missing in the last one is as far
 * away as can be. */
static void
pack_panels (gsize offset, gsize size, gpointer user_data)
{
  Matching *m = user_data;

  for (gsize p = offset; p < offset + size; p++)
    for (gint i = 0; i < MATCH_PANEL; i++)
      {
        const gsize   at = p * MATCH_PANEL + i;
        const guint8 *from = m->b + at * DESCRIPTOR_LENGTH;
        guint8       *to = m->panels + p * MATCH_PANEL * DESCRIPTOR_LENGTH + i;
        const gboolean is_one = at < (gsize) m->n_b;

        for (gint k = 0; k < DESCRIPTOR_LENGTH; k++)
          to[k * MATCH_PANEL] = is_one ? from[k] : 0;
        m->b_norms[at] = is_one ? norm_of (from) : INFINITY;
        m->b_best[at] = INFINITY;
        m->b_index[at] = -1;
      }
}

static gint
read_block (const Matching *m, gint first, MatchBlock *block)
{
  const gint n = MIN (MATCH_ROWS, m->n_a - first);

  block->first_a = first;
  memset (block->a, 0, sizeof block->a);
  bytes_to_floats (m->a + (gsize) first * DESCRIPTOR_LENGTH, n * DESCRIPTOR_LENGTH, block->a);
  for (gint i = 0; i < MATCH_ROWS; i++)
    block->a_norms[i] = i < n ? norm_of (m->a + (gsize) (first + i) * DESCRIPTOR_LENGTH) : INFINITY;
  for (gint i = 0; i < MATCH_ROWS * MATCH_LANES; i++)
    {
      block->best[i] = block->second[i] = INFINITY;
      block->index[i] = -1;
    }
  return n;
}

/* Of all lanes: the nearest, the one of smaller index where several are as near, and the distance of the next. */
static void
join_lanes (const MatchBlock *block, gint row, MatchRow *joined)
{
  *joined = (MatchRow) { INFINITY, INFINITY, -1, -1 };
  for (gint k = row * MATCH_LANES; k < (row + 1) * MATCH_LANES; k++)
    {
      const gboolean nearer = block->best[k] < joined->best || (block->best[k] == joined->best && block->index[k] < joined->index);

      joined->second = MIN (joined->second, MIN (block->second[k], nearer ? joined->best : block->best[k]));
      if (nearer)
        {
          joined->best = block->best[k];
          joined->index = block->index[k];
        }
    }
}

static void
match_blocks (gsize offset, gsize size, gpointer user_data)
{
  Matching   *m = user_data;
  const gsize n_panels = ((gsize) m->n_b + MATCH_PANEL - 1) / MATCH_PANEL, n_columns = n_panels * MATCH_PANEL;
  g_autofree gchar *memory = g_malloc (sizeof (MatchBlock) + 64);
  MatchBlock *block = (MatchBlock *) (memory + (-GPOINTER_TO_SIZE (memory) & 63));      /* a vector lies in one line of the cache */
  g_autofree gfloat *b_best = g_new (gfloat, n_columns);
  g_autofree gint *b_index = g_new (gint, n_columns);

  for (gsize i = 0; i < n_columns; i++)
    {
      b_best[i] = INFINITY;
      b_index[i] = -1;
    }
  for (gsize k = offset; k < offset + size; k++)
    {
      const gint first = k * MATCH_ROWS, n = read_block (m, first, block);

      for (gsize p = 0; p < n_panels; p++)
        {
          const gsize at = p * MATCH_PANEL;

          bytes_to_floats (m->panels + at * DESCRIPTOR_LENGTH, MATCH_PANEL * DESCRIPTOR_LENGTH, block->panel);
          LANES_BEST (match_panel) (block, m->b_norms + at, at, b_best + at, b_index + at);
        }
      for (gint i = 0; i < n; i++)
        join_lanes (block, i, &m->rows[first + i]);
    }

  g_mutex_lock (&m->lock);
  for (gsize i = 0; i < n_columns; i++)
    if (b_best[i] < m->b_best[i] || (b_best[i] == m->b_best[i] && b_index[i] < m->b_index[i]))
      {
        m->b_best[i] = b_best[i];
        m->b_index[i] = b_index[i];
      }
  g_mutex_unlock (&m->lock);
}

void
match_rows (const MatchTask *task, MatchRow *rows)
{
  const gsize n_panels = ((gsize) task->n_b + MATCH_PANEL - 1) / MATCH_PANEL, n_columns = n_panels * MATCH_PANEL;
  const gsize n_blocks = ((gsize) task->n_a + MATCH_ROWS - 1) / MATCH_ROWS;
  Matching    m = { .a = task->a, .b = task->b, .n_a = task->n_a, .n_b = task->n_b, .rows = rows };

  m.panels = g_malloc (n_columns * DESCRIPTOR_LENGTH);
  m.b_norms = g_new (gfloat, n_columns);
  m.b_best = g_new (gfloat, n_columns);
  m.b_index = g_new (gint, n_columns);
  g_mutex_init (&m.lock);
  gegl_parallel_distribute_range (n_panels, 32, pack_panels, &m);
  gegl_parallel_distribute_range (n_blocks, 200.0 / task->n_b, match_blocks, &m);
  for (gint i = 0; i < task->n_a; i++)
    rows[i].back = m.b_index[rows[i].index];
  g_mutex_clear (&m.lock);
  g_free (m.panels);
  g_free (m.b_norms);
  g_free (m.b_best);
  g_free (m.b_index);
}
