/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: OpenCL C.
 *
 * Medians by codes (median-blur-codes.h): the search for the code of each pixel's median.
 */

/* Four counts, as two halves of two words. */
static inline uint2
halves (uint word)
{
  return (uint2) (word & 0x00ff00ff, word >> 8 & 0x00ff00ff);
}

/* For each row and pixel of the tile, how many of the 2 radius + 1 codes from its column on are greater.  Then sums of four rows. */
static void
count_rows (const Tile *t, int code)
{
  const int  last = 2 * t->radius, ahead = (last + 1) / 4, by = (last + 1) % 4 * 8;
  const uint than = EACH * (code + 1);

  for (int y = t->item; y < t->rows; y += t->items)
    {
      local const uint *line = t->codes + y * t->pitch;
      local uint       *counts = t->counts + y * t->wide;
      uint              count = GREATER (line[last / 4], than) & TO (last), from = line[0], to = line[ahead], after = line[ahead + 1];

      _Pragma ("unroll 4") for (int i = 0; i < last / 4; i++)
        count += GREATER (line[i], than);
      count = (count * EACH) >> 24;
      for (int i = 0; i < t->wide; i++)
        {
          const uint next_from = line[i + 1], next_after = line[ahead + i + 2], entering = upsample (after, to) >> by;
          const uint counted = (count + GREATER (entering, than) - GREATER (from, than)) * EACH;

          counts[i] = counted << 8 | count;
          count = counted >> 24;
          from = next_from;
          to = after;
          after = next_after;
        }
    }
  barrier (CLK_LOCAL_MEM_FENCE);
  for (int i = t->item; i < t->rows / 4 * t->wide; i += t->items)
    {
      local const uint *counts = t->counts + i / t->wide * 4 * t->wide + i % t->wide;
      const uint2       sum = halves (counts[0] + counts[t->wide]) + halves (counts[2 * t->wide] + counts[3 * t->wide]);

      t->sums[2 * i] = sum.x;
      t->sums[2 * i + 1] = sum.y;
    }
  barrier (CLK_LOCAL_MEM_FENCE);
}

/* For each row and column, how many codes of the row before that column are greater; a row has fewer than 256. */
static void
count_columns (const Tile *t, int code)
{
  const uint than = EACH * (code + 1);

  for (int y = t->item; y < t->rows; y += t->items)
    {
      uint count = 0;

      for (int i = y * t->pitch; i < (y + 1) * t->pitch; i++)
        {
          const uint counted = (count + GREATER (t->codes[i], than)) * EACH;

          t->counts[i] = counted << 8 | count;
          count = counted >> 24;
        }
    }
  barrier (CLK_LOCAL_MEM_FENCE);
}

/* A word of them from the column on. */
static inline uint
counts_from (local const uint *line, int column)
{
  return upsample (line[column / 4 + (column % 4 > 0)], line[column / 4]) >> column % 4 * 8;
}

/* How many codes of the neighbourhoods of row i of the work-item's pixels are greater.  `above`: the same for the row before. */
static inline uint2
count_around (const Tile *t, int i, uint2 above, bool is_circle)
{
  const int x = get_local_id (0), y = 4 * get_local_id (2) + i, n = 2 * t->radius + 1;
  uint2     count = 0;

  if (is_circle)
    for (int dy = -t->radius; dy <= t->radius; dy++)
      {
        local const uint *line = t->counts + (y + t->radius + dy) * t->pitch;
        const int         half_width = t->half_widths[abs (dy)], column = 4 * x + t->radius;

        count += halves (counts_from (line, column + half_width + 1) - counts_from (line, column - half_width));
      }
  else if (i == 0)
    {
      _Pragma ("unroll 4") for (int k = y / 4; k < y / 4 + n / 4; k++)
        count += (uint2) (t->sums[2 * (k * t->wide + x)], t->sums[2 * (k * t->wide + x) + 1]);
      for (int k = y + n / 4 * 4; k < y + n; k++)
        count += halves (t->counts[k * t->wide + x]);
    }
  else
    count = above + halves (t->counts[(y + n - 1) * t->wide + x]) - halves (t->counts[(y - 1) * t->wide + x]);
  return count;
}

/* What count_around needs. */
static inline void
count_codes (const Tile *t, int code, bool is_circle)
{
  if (is_circle)
    count_columns (t, code);
  else
    count_rows (t, code);
}

/* A byte of ones for each bit 7. */
#define WHOLE_BYTES(bits) (((bits) >> 7) * 255)
/* A half of ones for each of its bit 15. */
#define WHOLE_HALVES(bits) (((bits) >> 15 & HALVES) * 65535)

/* Pixels whose median may have a code from `least` on go beyond `code`, or stay.  Returns 1 if some stay, and 2 if some go, or both.  Where all of a
 * work-item's pixels are elsewhere it counts nothing: what counts for a circle is what takes the time. */
static inline int
part_pixels (const Tile *t, Medians *m, uint least, uint code, bool is_circle)
{
  uint  here[4], all = 0, stay = 0, go = 0;
  uint2 count = 0;

  ALL for (int i = 0; i < 4; i++)
    {
      const uint others = m->code[i] ^ EACH * least;

      here[i] = ~(((others & 127 * EACH) + 127 * EACH) | others) & 128 * EACH;
      all |= here[i];
    }
  if (all == 0)
    return 0;
  ALL for (int i = 0; i < 4; i++)
    {
      count = count_around (t, i, count, is_circle);
      const uint2 over = (count | TOP) - m->enough[i];
      const uint  greater = (over.x & TOP) >> 8 | (over.y & TOP), going = here[i] & greater, bytes = WHOLE_BYTES (going);

      if (going)
        {
          const uint2 both = (uint2) (WHOLE_HALVES (going << 8), WHOLE_HALVES (going));

          m->code[i] = (m->code[i] & ~bytes) | (EACH * (code + 1) & bytes);
          m->before[i] = (m->before[i] & ~both) | (count & both);
        }
      stay |= here[i] & ~greater;
      go |= going;
    }
  return (stay != 0) + 2 * (go != 0);
}

/* Where all keys around are no samples, the median has no code. */
static inline void
note_lacking (const Tile *t, Medians *m, global const int *ranks, bool is_circle)
{
  uint2 lacking = 0;

  ALL for (int i = 0; i < 4; i++)
    {
      int n[4];

      lacking = count_around (t, i, lacking, is_circle);
      ALL for (int j = 0; j < 4; j++)
        {
          n[j] = t->size - (int) OF_PIXEL (lacking, j);
          m->code[i] |= n[j] == 0 ? (uint) NOWHERE << 8 * j : 0;
          n[j] = t->size + 1 - ranks[n[j]];
        }
      m->enough[i] = (uint2) (n[0] | n[2] << 16, n[1] | n[3] << 16);
    }
}

/* A branch of the codes: 2 `step` from `least` on.  Of those that wait the steps are known. */
typedef struct
{
  int least, step, waiting;
} Branch;

/* Its part before the greatest code, which none is greater than: the step is at most the largest power of 2 of what is left.  (With clz, LLVM 18 ends the
 * program, for PoCL 6: "Instruction Combining did not reach a fixpoint".) */
static inline void
cut_branch (Branch *b, int n_codes)
{
  uint left = max (n_codes - b->least, 0);

  left |= left >> 1;
  left |= left >> 2;
  left |= left >> 4;
  b->step = min (b->step, (int) (left - (left >> 1)));
}

/* The branch itself, or the next one that waits; its step is 0 if there is none.  Those that wait are never empty and begin one after another: if nothing
 * is left of one before the greatest code, nothing is left of the next.  (Without a loop: PoCL 3.1 makes wrong code of barriers around it.) */
static inline void
find_branch (Branch *b, int n_codes)
{
  cut_branch (b, n_codes);
  if (b->step == 0 && b->waiting > 0)
    {
      const int step = b->waiting & -b->waiting;

      *b = (Branch) { (b->least & ~(2 * step - 1)) + step, step / 2, b->waiting - step };
      cut_branch (b, n_codes);
    }
}

/* Finds the codes of the medians. */
static inline void
find_codes (const Tile *t, Medians *m, int n_codes, int may_lack, global const int *ranks, bool is_circle)
{
  Branch branch = { 0, 64, 0 };
  int    turn = 0;

  find_branch (&branch, n_codes);
  while (may_lack || branch.step > 0)
    {
      const int code = may_lack ? CODES - 1 : branch.least + branch.step - 1;
      int       found = 0;

      if (t->item == 0)
        t->state[turn] = 0;
      count_codes (t, code, is_circle);
      if (may_lack)
        note_lacking (t, m, ranks, is_circle);
      else
        found = part_pixels (t, m, branch.least, code, is_circle);
      if (found)
        atomic_or (&t->state[turn], found);
      barrier (CLK_LOCAL_MEM_FENCE);
      found = t->state[turn];
      turn = 1 - turn;
      if (! may_lack)
        {
          branch.waiting += found == 3 && branch.step > 1 ? branch.step : 0;
          branch.least += found == 2 ? branch.step : 0;
          branch.step = found == 0 ? 0 : branch.step / 2;
        }
      may_lack = false;
      find_branch (&branch, n_codes);
    }
}
