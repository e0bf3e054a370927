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

/* The channel of the picture that a group makes: where its pixels come from, and go. */
typedef struct
{
  global const float4 *input;
  global float        *output;
  int                  channels, channel, width, height, radius;
} Picture;

static inline void
write_pixel (const Picture *p, int x, int y, bool is_found, int key)
{
  write_median (p->input, p->output, p->channels, p->width, p->radius, x, p->channel, y, is_found, key);
}

/* Of a work-item's pixels, from (x, y) on: no code is known.  Those beyond the picture have all of them, so that none
 * is looked for. */
static inline void
begin_medians (Medians *m, const Picture *p, int x, int y, int size, int rank)
{
  ALL for (int i = 0; i < 4; i++)
    {
      m->code[i] = y + i >= p->height || x >= p->width ? ~0u : x + 4 > p->width ? ~0u << (p->width - x) * 8 : 0;
      m->before[i] = HALVES * size;
      m->enough[i] = HALVES * (size + 1 - rank);
    }
}

/* Those in whose neighbourhood nothing lies. */
static inline void
copy_lonely (const Medians *m, const Picture *p, int x, int y)
{
  ALL for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4 && y + i < p->height && x + j < p->width; j++)
      if ((m->code[i] >> 8 * j & 255) == NOWHERE)
        write_pixel (p, x + j, y + i, false, 0);
}

/* Of the tile's pixels, which begin at (left, below), those in `order` whose codes are from `first` on, before `next`.
 * `sorted`: the keys of these codes, if there is room for them. */
static inline void
write_ordered (const Tile *t, const Picture *p, local const uint *order, bool has_room, local const ushort *sorted,
               int first, int next, int left, int below, bool is_circle)
{
  for (int i = (first > 0 ? t->pixels[first - 1] : 0) + t->item; i < t->pixels[next - 1]; i += t->items)
    {
      const int number = NUMBER_OF (order[i]), to_x = number % (4 * t->wide), to_y = number / (4 * t->wide);
      const int code = CODE_OF (order[i]), rank = RANK_OF (order[i]), at = t->start[code] - t->start[first];
      const int key = has_room ? find_key (t, sorted + at, code, rank, to_x, to_y, is_circle)
                               : halve_code (t, code, rank, to_x, to_y);

      write_pixel (p, left + to_x, below + to_y, true, key);
    }
}

#define SELECT_ARGS global const int *keys, global const float4 *input, global float *output, int channels, \
                    int width, int height, int radius, global const int *half_widths, int rank, int may_lack, \
                    global const int *ranks, int size, int n_room, local int *room

/* A group beyond the picture, which is there where a device of small groups halves those that the launch was rounded
 * to, looks at the last tile and writes nothing: PoCL 3.1 makes wrong code of a group that returns before these loops
 * of barriers. */
static inline void
select_medians (SELECT_ARGS, bool is_circle)
{
  const int     x = 4 * get_global_id (0), channel = get_global_id (1), y = 4 * get_global_id (2);
  const int     stride = width + 2 * radius, rows = height + 2 * radius;
  const int     left = min (x - 4 * (int) get_local_id (0), width - 1);
  const int     below = min (y - 4 * (int) get_local_id (2), height - 1);
  const Picture picture = { input, output, channels, channel, width, height, radius };
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
  begin_medians (&m, &picture, x, y, size, rank);
  find_codes (&t, &m, n_codes, may_lack, ranks, is_circle);
  copy_lonely (&m, &picture, x, y);
  order = (local uint *) t.room;
  found = order + 4 * t.wide * t.high;
  order_pixels (&t, &m, order);
  for (int first = 0, end, next; first < CODES; first = next)
    {
      /* A key takes a word, and a half when it is sorted. */
      end = find_end (&t, first, (t.n_room - 4 * t.wide * t.high) * 2 / 3);
      next = max (end, first + 1);
      find_keys (&t, first, end, found);
      sorted = (local ushort *) (found + t.start[end] - t.start[first]);
      sort_keys (&t, first, end, found, sorted);
      write_ordered (&t, &picture, order, end > first, sorted, first, next, left, below, is_circle);
      barrier (CLK_LOCAL_MEM_FENCE);
    }
}
