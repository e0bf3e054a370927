/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: OpenCL C.
 *
 * Medians, or other ranks, of a tile that a group makes together.  The keys around the tile are counted as one of 127 codes that have the same order.  A
 * search goes down the tree of the codes: it counts, for all pixels at once, how many codes of each neighbourhood are greater than one, and leaves out
 * branches where no pixel's median lies.  Then each pixel knows its median's code.  The keys that have one of these codes go into parts that have the same
 * order, and each pixel takes its own from among the few that lie in its neighbourhood and have its code.
 *
 * A work-item has 4 x 4 pixels.  Four codes, or counts of a row, are a word.  Counts of a neighbourhood are halves of a word: those of its first and
 * third pixel, and those of the others.
 */
#include "median-blur-tile.h"
#include "median-blur-search.h"
#include "median-blur-keys.h"

/* The code after the last whose keys have room, of those from `first` on.  `first` itself has too many if it is that. */
static int
find_end (const Tile *t, int first, int n_keys)
{
  if (t->item == 0)
    t->state[0] = CODES;
  barrier (CLK_LOCAL_MEM_FENCE);
  for (int i = first + t->item; i < CODES; i += t->items)
    if (t->start[i + 1] - t->start[first] > n_keys)
      atomic_min (&t->state[0], i);
  barrier (CLK_LOCAL_MEM_FENCE);
  return t->state[0];
}

/* A group beyond the picture, which is there where a device of small groups halves those that the launch was rounded to, looks at the last tile and
 * writes nothing: PoCL 3.1 makes wrong code of a group that returns before these loops of barriers. */
static inline void
select_medians (global const int *keys, global const float4 *input, global float *output, int channels, int width, int height, int radius,
                global const int *half_widths, int rank, int may_lack, global const int *ranks, int size, int n_room, local int *room, bool is_circle)
{
  const int     x = 4 * get_global_id (0), channel = get_global_id (1), y = 4 * get_global_id (2);
  const int     stride = width + 2 * radius, rows = height + 2 * radius;
  const int     left = min (x - 4 * (int) get_local_id (0), width - 1), below = min (y - 4 * (int) get_local_id (2), height - 1);
  Medians       m;
  Tile          t;
  local uint   *order, *found;
  local ushort *sorted;
  int           across, down, n_codes;

  t.keys = keys + (channel * rows + below) * stride + left;
  t.stride = stride;
  t.half_widths = half_widths;
  t.radius = radius;
  t.size = size;
  make_tile (&t, room, n_room);
  across = min (4 * t.wide, width - left) + 2 * radius;
  down = min (t.high, height - below) + 2 * radius;
  n_codes = choose_codes (&t, across, down);
  make_codes (&t, across, down);
  ALL for (int i = 0; i < 4; i++)
    {
      m.code[i] = y + i >= height || x >= width ? ~0u : x + 4 > width ? ~0u << (width - x) * 8 : 0;
      m.before[i] = HALVES * size;
      m.enough[i] = HALVES * (size + 1 - rank);
    }
  find_codes (&t, &m, n_codes, may_lack, ranks, is_circle);
  ALL for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4 && y + i < height && x + j < width; j++)
      if ((m.code[i] >> 8 * j & 255) == NOWHERE)
        write_median (input, output, channels, width, radius, x + j, channel, y + i, false, 0);
  order = (local uint *) t.room;
  found = order + 4 * t.wide * t.high;
  order_pixels (&t, &m, order);
  for (int first = 0, end, next; first < CODES; first = next)
    {
      end = find_end (&t, first, (t.n_room - 4 * t.wide * t.high) * 2 / 3);     /* a key takes a word, and a half when it is sorted */
      next = max (end, first + 1);
      find_keys (&t, first, end, found);
      sorted = (local ushort *) (found + t.start[end] - t.start[first]);
      sort_keys (&t, first, end, found, sorted);
      for (int i = (first > 0 ? t.pixels[first - 1] : 0) + t.item; i < t.pixels[next - 1]; i += t.items)
        {
          const int number = NUMBER_OF (order[i]), code = CODE_OF (order[i]), to_x = number % (4 * t.wide), to_y = number / (4 * t.wide);
          const int key = end > first ? find_key (&t, sorted + t.start[code] - t.start[first], code, RANK_OF (order[i]), to_x, to_y, is_circle)
                                      : halve_code (&t, code, RANK_OF (order[i]), to_x, to_y);

          write_median (input, output, channels, width, radius, left + to_x, channel, below + to_y, true, key);
        }
      barrier (CLK_LOCAL_MEM_FENCE);
    }
}
