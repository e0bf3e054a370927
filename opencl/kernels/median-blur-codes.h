/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: OpenCL C.
 *
 * Medians, or other ranks, by codes: the keys around a group's pixels are counted as one of 127 codes that have the same order, four of them in a word.  A
 * search among the codes leads to the few keys that have one of them.  The next pixel's code is near.
 */
#include "tessera-median-codes.h"

#define CODES 127               /* of samples; CODES itself: no sample */
#define FEW   256               /* keys that are copied.  Price: 1.3 for 256 in place of 96 (radius 40, 24 Mpix float; H100, 2026-11-28) */
#define WORDS 8                 /* of a row that are looked at together */
#define EACH  0x01010101u       /* byte of a word; codes lie in a byte each, with bit 7 set */

/* 1 in each byte whose code is greater, or the same. */
#define GREATER(word, code) ((((word) - EACH * ((code) + 1)) >> 7) & EACH)
#define EQUAL(word, code)   (~((((word) ^ (EACH * ((code) + 128))) + 0x7f7f7f7fu) >> 7) & EACH)

/* Bytes from the one at `from` on, and up to the one at `to`, of the words that they lie in. */
#define FROM(from) (EACH << (from) % 4 * 8)
#define TO(to)     (EACH >> (24 - (to) % 4 * 8))

/* The codes of a group's pixels and of those around them, and for each code the least key and the greatest. */
typedef struct
{
  local uint *codes;
  int         pitch;            /* in words */
  local int  *least, *most;
} Coded;

/* Codes of the keys around a group's pixels: how many of 126 keys that occur are less.  So their order is that of the keys.  `room` is for
 * CODED_ROOM keys. */
static void
make_codes (const Coded *coded, global const int *keys, int stride, int across, int down, int radius, local int *room)
{
  const int  wide = get_local_size (0), high = get_local_size (2), item = get_local_id (2) * wide + get_local_id (0);
  local int *sorted = room + CODED_SAMPLES;

  for (int i = item; i < CODED_SAMPLES; i += wide * high)
    {
      const int place = i * (across * down) / CODED_SAMPLES;

      room[i] = keys[place / across * stride + place % across];
    }
  for (int i = item; i < CODED_FOURTHS; i += wide * high)
    {
      coded->least[i] = INT_MAX;
      coded->most[i] = INT_MIN;
    }
  barrier (CLK_LOCAL_MEM_FENCE);
  for (int i = item; i < CODED_SAMPLES; i += wide * high)
    {
      const int key = room[i];
      int       place = 0;

      for (int k = 0; k < CODED_SAMPLES; k++)
        place += room[k] < key || (room[k] == key && k < i);
      if (place % (CODED_SAMPLES / CODED_FOURTHS) == 0)
        sorted[place / (CODED_SAMPLES / CODED_FOURTHS)] = key;
    }
  barrier (CLK_LOCAL_MEM_FENCE);
  for (int y = get_local_id (2); y < CODED_RUN * high + 2 * radius; y += high)
    for (int x = get_local_id (0); x < 4 * coded->pitch; x += wide)
      {
        const int key = x < across && y < down ? keys[y * stride + x] : MEDIAN_OUTSIDE;
        int       code = 0;

        for (int step = 64; step > 0; step /= 2)
          if (code + step < CODES && sorted[code + step] < key)
            code += step;
        code = key == MEDIAN_OUTSIDE ? CODES : code;
        atomic_min (&coded->least[code], key);
        atomic_max (&coded->most[code], key);
        ((local uchar *) coded->codes)[4 * coded->pitch * y + x] = 128 + code;
      }
  barrier (CLK_LOCAL_MEM_FENCE);
}

/* A neighbourhood: its left upper corner is `left` bytes after `codes`, and at `keys`. */
typedef struct
{
  local const uint *codes;
  global const int *keys, *half_widths;
  int               pitch, stride, left, radius;
  bool              is_circle;          /* which the compiler knows */
} Around;

static inline int
half_width_of (const Around *a, int dy)
{
  return a->is_circle ? a->half_widths[abs (dy)] : a->radius;
}

/* How many codes of its row dy are greater. */
static inline int
greater_in_row (const Around *a, int dy, uint code)
{
  local const uint *line = a->codes + (dy + a->radius) * a->pitch;
  const int         half_width = half_width_of (a, dy), from = a->left + a->radius - half_width, to = a->left + a->radius + half_width;
  uint              sum = GREATER (line[from / 4], code) & FROM (from);

  for (int i = from / 4 + 1; i < to / 4; i++)
    sum += GREATER (line[i], code);
  sum = to / 4 == from / 4 ? sum & TO (to) : sum + (GREATER (line[to / 4], code) & TO (to));
  return (sum * EACH) >> 24;
}

/* How many of all its codes are. */
static inline int
count_greater (const Around *a, uint code)
{
  int count = 0;

  for (int dy = -a->radius; dy <= a->radius; dy++)
    count += greater_in_row (a, dy, code);
  return count;
}

/* The same where it was `count` for the neighbourhood one row above. */
static inline int
moved_greater (const Around *a, uint code, int count)
{
  return a->is_circle ? count_greater (a, code)
                      : count + greater_in_row (a, a->radius, code) - greater_in_row (a, -a->radius - 1, code);
}

/* DO for the `place` of each key that has the code.  Bits of a row's words are gathered first: work-items that find nothing wait for those that do. */
#define EACH_PLACE(DO) \
  for (int dy = -a->radius; dy <= a->radius; dy++) \
    { \
      const int         half_width = half_width_of (a, dy), from = a->left + a->radius - half_width, to = a->left + a->radius + half_width; \
      local const uint *line = a->codes + (dy + a->radius) * a->pitch; \
\
      for (int first = from / 4; first <= to / 4; first += WORDS) \
        { \
          uint bits = 0; \
\
          for (int i = first; i <= min (first + WORDS - 1, to / 4); i++) \
            bits |= (EQUAL (line[i], code) * 0x10204080u) >> 28 << 4 * (i - first);      /* a bit for each byte */ \
          bits &= ~0u << max (from - 4 * first, 0) & ~0u >> max (4 * first + 31 - to, 0); \
          for (; bits; bits &= bits - 1) \
            { \
              const int place = (dy + a->radius) * a->stride - a->left + 4 * first + 31 - (int) clz (bits & -bits); \
\
              DO \
            } \
        } \
    }

/* The key of that rank among the n that have the code.  Halving ends where few keys are left. */
static inline int
find_key (const Around *a, const Coded *coded, uint code, int rank, int n)
{
  Span span = { coded->least[code], coded->most[code], 0, n };
  int  few[FEW], found = 0;

  while (span.least < span.most && span.until - span.before > FEW)
    HALVE (EACH_PLACE (COUNT (a->keys[place])))
  if (span.least < span.most)
    EACH_PLACE (const int key = a->keys[place]; if (key >= span.least && key <= span.most) few[found++] = key;)
  rank -= span.before;
  while (span.least < span.most)
    HALVE (for (int i = 0; i < found; i++)
             COUNT (few[i]))
  return span.least;
}

/* A code, and how many codes of a neighbourhood are greater than the one before it and than itself. */
typedef struct
{
  int code, greater_before, greater;
} Place;

/* Moves it to the code of which as many as `beyond` samples or fewer are greater, and of the one before more.  `size`: of the neighbourhood.  It is not
 * far away; from code -1 on it may be anywhere. */
static inline void
find_code (const Around *a, Place *p, int beyond, int lacking, int size)
{
  const bool is_down = p->greater_before <= beyond;
  int        least = 0, most = CODES - 1, step = p->code >= 0;

  if (! is_down && p->greater <= beyond)
    return;
  if (is_down)
    {
      most = p->code - 1;
      p->greater = p->greater_before;
      p->greater_before = size;
    }
  else
    {
      least = p->code + 1;
      p->greater_before = p->greater;
      p->greater = lacking;
    }
  while (least < most)
    {
      const int  split = step == 0 ? (least + most) / 2 : is_down ? max (least, most - step) : min (most - 1, least + step - 1);
      const int  greater = count_greater (a, split);
      const bool is_lower = greater <= beyond;

      if (is_lower)
        {
          most = split;
          p->greater = greater;
        }
      else
        {
          least = split + 1;
          p->greater_before = greater;
        }
      step = is_lower == is_down ? 2 * step : 0;
    }
  p->code = least;
}

static inline void
select_medians (global const int *keys, global const float4 *input, global float *output, int channels, int width, int height, int radius,
                global const int *half_widths, int rank, int may_lack, global const int *ranks, int size, local int *room, local uint *codes, bool is_circle)
{
  const int    x = get_global_id (0), channel = get_global_id (1), y = CODED_RUN * get_global_id (2);
  const int    left = get_local_id (0), below = CODED_RUN * get_local_id (2);
  const int    stride = width + 2 * radius, rows = height + 2 * radius, wide = get_local_size (0), high = CODED_RUN * get_local_size (2);
  const int    pitch = (wide + 2 * radius + 3) / 4;
  const Coded  coded = { codes, pitch, room + CODED_SAMPLES + CODED_FOURTHS, room + CODED_SAMPLES + 2 * CODED_FOURTHS };
  Around       around = { codes + below * pitch, keys + (channel * rows + y) * stride + x, half_widths, pitch, stride, left, radius, is_circle };
  Place        place = { -1, size, size };
  int          lacking = 0;

  if (x - left >= width || y - below >= height)         /* the whole group: a device of small groups halves those that the launch was rounded to */
    return;
  make_codes (&coded, around.keys - below * stride - left, stride, min (wide + 2 * radius, stride - x + left), min (high + 2 * radius, rows - y + below),
              radius, room);
  if (x >= width)
    return;
  for (int i = 0; i < CODED_RUN && y + i < height; i++)
    {
      int key = 0;

      if (i > 0)
        {
          around.codes += pitch;
          around.keys += stride;
        }
      if (place.code >= 0)
        {
          place.greater_before = moved_greater (&around, place.code - 1, place.greater_before);
          place.greater = moved_greater (&around, place.code, place.greater);
        }
      if (may_lack)
        lacking = i > 0 ? moved_greater (&around, CODES - 1, lacking) : count_greater (&around, CODES - 1);
      if (lacking < size)
        {
          const int wanted = may_lack ? ranks[size - lacking] : rank;

          find_code (&around, &place, size - wanted, lacking, size);
          key = find_key (&around, &coded, place.code, wanted - (size - place.greater_before), place.greater_before - place.greater);
        }
      write_median (input, output, channels, width, radius, x, channel, y + i, lacking < size, key);
    }
}
