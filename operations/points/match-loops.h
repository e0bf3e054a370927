/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The loop of match.c, for lanes.h.
 */
#define ROWS (LANES_BYTES == 64 ? 6 : 4)        /* of A, times */
#define WIDE (LANES_BYTES == 64 ? 4 : 2)        /* vectors of B: sums that stay in registers */

static inline LANES_TARGET __attribute__ ((always_inline)) Lanes
LANES_NAME (choose) (LaneBits mask, Lanes one, Lanes other)
{
  return (Lanes) ((mask & (LaneBits) one) | (~mask & (LaneBits) other));
}

/* All rows of the block with MATCH_PANEL descriptors of B. */
static LANES_TARGET void
LANES_NAME (match_panel) (MatchBlock *block, const gfloat *b_norms, gint first_b, gfloat *b_best, gint *b_index)
{
  for (gint x = 0; x < MATCH_PANEL; x += WIDE * LANES_FLOATS)
    for (gint y = 0; y < MATCH_ROWS; y += ROWS)
      {
        const gfloat *a = block->a + y * DESCRIPTOR_LENGTH;
        Lanes         sum[ROWS][WIDE] = { { { 0.0f } } };

        for (gint k = 0; k < DESCRIPTOR_LENGTH; k++)
          {
            const Lanes *b = (const Lanes *) (block->panel + k * MATCH_PANEL + x);

            for (gint r = 0; r < ROWS; r++)
              for (gint v = 0; v < WIDE; v++)
                sum[r][v] += a[r * DESCRIPTOR_LENGTH + k] * b[v];
          }
        for (gint v = 0; v < WIDE; v++)
          {
            const gint  at = x + v * LANES_FLOATS;
            const Lanes norms = *(const Lanes *) (b_norms + at);
            Lanes      *column = (Lanes *) (b_best + at);
            LaneBits   *column_index = (LaneBits *) (b_index + at), index = *(const LaneBits *) match_counting + (first_b + at);

            for (gint r = 0; r < ROWS; r++)
              {
                Lanes         *best = (Lanes *) (block->best + (y + r) * MATCH_LANES);
                Lanes         *second = (Lanes *) (block->second + (y + r) * MATCH_LANES);
                LaneBits      *best_index = (LaneBits *) (block->index + (y + r) * MATCH_LANES);
                const Lanes    distance = (block->a_norms[y + r] + norms) - (sum[r][v] + sum[r][v]);
                const LaneBits nearer = distance < *best, first = distance < *column;
                const Lanes    other = LANES_NAME (choose) (nearer, *best, distance);

                *second = LANES_NAME (choose) (other < *second, other, *second);
                *best = LANES_NAME (choose) (nearer, distance, *best);
                *best_index = (nearer & index) | (~nearer & *best_index);
                *column = LANES_NAME (choose) (first, distance, *column);
                *column_index = (first & (block->first_a + y + r)) | (~first & *column_index);
              }
          }
      }
}

#undef ROWS
#undef WIDE
