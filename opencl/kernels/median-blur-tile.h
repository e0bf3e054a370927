/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: OpenCL C.
 *
 * A tile of keys as codes (median-blur-codes.h): which keys a code has, and where a group keeps them.
 */
#include "tessera-median-codes.h"

#define CODES   127             /* of samples; CODES itself: no sample */
#define EACH    0x01010101u     /* byte of a word; codes lie in a byte each, with bit 7 set */
#define HALVES  0x00010001u
#define TOP     0x80008000u     /* bit of each half */
#define NOWHERE 255             /* in place of a code: a pixel that is not searched for */
#define ALL     _Pragma ("unroll")

/* What belongs to pixel 0 .. 3, of halves. */
#define OF_PIXEL(counts, j) (((j) % 2 ? (counts).y : (counts).x) >> (j) / 2 * 16 & 0xffff)

/* 1 in each byte whose code is greater; `code`: EACH times what is 1 more. */
#define GREATER(word, code) ((((word) - (code)) >> 7) & EACH)

/* Bytes up to the one at `to`, of the word that it lies in. */
#define TO(to) (EACH >> (24 - (to) % 4 * 8))

/* What a group has: local memory, and where its pixels lie.  A place among the codes is a place among the keys from `keys` on. */
typedef struct
{
  global const int *keys, *half_widths;
  int               stride, radius, size;       /* of the keys; samples of a neighbourhood */
  int               item, items;
  int               wide, high;                 /* words of the tile's pixels along x; pixels along y */
  int               pitch, rows;                /* of the codes, in words */
  local int        *greatest;           /* key of each code, or more than all */
  local uint       *parts;              /* halves of words: how many other keys of a code each of its parts has; later where they begin, and end */
  local int        *start;              /* of each code's keys among all that lie one behind another */
  local int        *pixels;             /* of each code, how many; later where they end, in the order of the codes */
  local int        *state;              /* what the items of a group tell one another */
  local uint       *codes;
  local uint       *counts;             /* of each row, for each pixel or, for a circle, up to each column */
  local uint       *sums;               /* of four rows, for each four pixels */
  local int        *room;               /* where counts lie, when they are not needed */
  int               n_room;             /* words */
} Tile;

/* Of a work-item's four rows of four pixels. */
typedef struct
{
  uint  code[4];                /* the least that the median may have, a byte each */
  uint2 before[4];              /* how many codes around are this one or greater */
  uint2 enough[4];              /* a code of which so many are greater is less than the median's */
} Medians;

/* Greatest keys of the codes: keys that occur, each a different one.  If there are few, a code has no other key.  Returns how many there are; a key that
 * is greater than all has the code after them. */
static int
choose_codes (const Tile *t, int across, int down)
{
  local int  *samples = t->room, *sorted = samples + CODED_SAMPLES;
  local uint *is_new = (local uint *) sorted + CODED_SAMPLES;
  int         n = 0, most;

  for (int i = t->item; i < CODED_SAMPLES; i += t->items)
    {
      const int place = CODED_PLACE (i, across * down);

      samples[i] = t->keys[place / across * t->stride + place % across];
    }
  for (int i = t->item; i <= CODES; i += t->items)
    {
      t->greatest[i] = INT_MAX;
      t->pixels[i] = 0;
    }
  for (int i = t->item; i < CODED_WORDS * CODES; i += t->items)
    t->parts[i] = 0;
  for (int i = t->item; i < CODED_SAMPLES / 32; i += t->items)
    is_new[i] = 0;
  barrier (CLK_LOCAL_MEM_FENCE);
  for (int i = t->item; i < CODED_SAMPLES; i += t->items)
    {
      const int key = samples[i];
      int       place = 0;

      for (int k = 0; k < CODED_SAMPLES; k++)
        place += samples[k] < key || (samples[k] == key && k < i);
      sorted[place] = key;
    }
  barrier (CLK_LOCAL_MEM_FENCE);
  for (int i = t->item; i < CODED_SAMPLES; i += t->items)
    if (i == 0 || sorted[i] != sorted[i - 1])
      atomic_or (&is_new[i / 32], 1u << i % 32);
  barrier (CLK_LOCAL_MEM_FENCE);
  for (int i = 0; i < CODED_SAMPLES / 32; i++)
    n += popcount (is_new[i]);
  most = min (n, CODES - 1);
  for (int i = t->item; i < CODED_SAMPLES; i += t->items)
    if (is_new[i / 32] >> i % 32 & 1)
      {
        int place = popcount (is_new[i / 32] & ((1u << i % 32) - 1));

        for (int k = 0; k < i / 32; k++)
          place += popcount (is_new[k]);
        if (place == 0 || (place - 1) * most / n < place * most / n)
          t->greatest[place * most / n] = sorted[i];
      }
  barrier (CLK_LOCAL_MEM_FENCE);
  return most;
}

/* The greatest key of the code before. */
static inline uint
key_before (const Tile *t, int code)
{
  return code > 0 ? t->greatest[code - 1] : INT_MIN;
}

/* How many bits tell how far a code's keys are beyond that one. */
static inline int
bits_of (const Tile *t, int code)
{
  return 32 - (int) clz (t->greatest[code] - key_before (t, code));
}

/* How far a key is beyond it, in the first of these bits.  In CODED_BITS, that is the part of the code that it lies in. */
static inline uint
beyond (const Tile *t, int code, int key, int bits)
{
  return (key - key_before (t, code)) >> max (0, bits_of (t, code) - bits);
}

/* The codes, and how many keys lie in each of their parts and are not the greatest. */
static void
make_codes (const Tile *t, int across, int down)
{
  for (int i = t->item; i < t->rows * t->pitch; i += t->items)
    {
      const int y = i / t->pitch, x = 4 * (i % t->pitch);
      uint      word = 0;

      for (int j = 0; j < 4; j++)
        {
          const int key = x + j < across && y < down ? t->keys[y * t->stride + x + j] : MEDIAN_OUTSIDE;
          int       code = 0;

          for (int step = 64; step > 0; step /= 2)
            code += t->greatest[code + step - 1] < key ? step : 0;
          if (key == MEDIAN_OUTSIDE)
            code = CODES;
          else if (key != t->greatest[code])
            {
              const uint part = beyond (t, code, key, CODED_BITS);

              atomic_add (&t->parts[CODED_WORDS * code + part / 2], 1 << part % 2 * 16);
            }
          word |= (uint) (128 + code) << 8 * j;
        }
      t->codes[i] = word;
    }
  barrier (CLK_LOCAL_MEM_FENCE);
}

/* Places the parts of a group's local memory, which has n_room words. */
static void
make_tile (Tile *t, local int *room, int n_room)
{
  t->item = get_local_id (2) * get_local_size (0) + get_local_id (0);
  t->items = get_local_size (0) * get_local_size (2);
  t->wide = get_local_size (0);
  t->high = 4 * get_local_size (2);
  t->pitch = CODED_PITCH (t->wide, t->radius);
  t->rows = CODED_ROWS (get_local_size (2), t->radius);
  t->greatest = room;
  t->start = t->greatest + CODES + 1;
  t->pixels = t->start + CODES + 1;
  t->parts = (local uint *) t->pixels + CODES + 1;
  t->state = (local int *) t->parts + CODED_WORDS * (CODES + 1);
  t->codes = (local uint *) room + CODED_TABLES;
  t->room = room + CODED_TABLES + t->pitch * t->rows;
  t->n_room = n_room - CODED_TABLES - t->pitch * t->rows;
  t->counts = (local uint *) t->room;
  t->sums = t->counts + t->wide * t->rows;
}
