/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: OpenCL C.
 *
 * Medians by codes (median-blur-codes.h): each pixel's median among the keys that have its code.
 */

/* What find_key needs of a pixel, in a word: its number in the tile, which has up to 2,048, its code, and its median's rank among the keys that have the
 * code. */
#define PIXEL(number, code, rank) ((uint) (rank) << 18 | (uint) (code) << 11 | (uint) (number))
#define NUMBER_OF(pixel)          ((int) ((pixel) & 2047))
#define CODE_OF(pixel)            ((int) ((pixel) >> 11 & 127))
#define RANK_OF(pixel)            ((int) ((pixel) >> 18))

/* Puts the pixels in the order of their codes, a word each, into `order`; and finds where each code's keys begin, if some pixel's median has it. */
static void
order_pixels (const Tile *t, const Medians *m, local uint *order)
{
  local int *n_keys = t->room, *n_pixels = n_keys + CODES + 1;

  ALL for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      {
        const int code = m->code[i] >> 8 * j & 255;

        if (code != NOWHERE)
          atomic_inc (&t->pixels[code]);
      }
  barrier (CLK_LOCAL_MEM_FENCE);
  for (int i = t->item; i < CODES; i += t->items)
    {
      uint n = 0;

      for (int k = CODED_WORDS * i; k < CODED_WORDS * (i + 1); k++)
        {
          const uint both = t->parts[k];

          t->parts[k] = n | (n + (both & 0xffff)) << 16;
          n += (both & 0xffff) + (both >> 16);
        }
      n_keys[i] = t->pixels[i] > 0 ? n : 0;
      n_pixels[i] = t->pixels[i];
    }
  barrier (CLK_LOCAL_MEM_FENCE);
  for (int i = t->item; i <= CODES; i += t->items)
    {
      int keys_before = 0, pixels_before = 0;

      for (int k = 0; k < i; k++)
        {
          keys_before += n_keys[k];
          pixels_before += n_pixels[k];
        }
      t->start[i] = keys_before;
      t->pixels[i] = pixels_before;
    }
  barrier (CLK_LOCAL_MEM_FENCE);
  ALL for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      {
        const int code = m->code[i] >> 8 * j & 255, number = (4 * (int) get_local_id (2) + i) * 4 * t->wide + 4 * (int) get_local_id (0) + j;

        if (code != NOWHERE)
          order[atomic_inc (&t->pixels[code])] = PIXEL (number, code, OF_PIXEL (m->before[i], j) + 1 - OF_PIXEL (m->enough[i], j));
      }
  barrier (CLK_LOCAL_MEM_FENCE);
}

/* A key that has one of the medians' codes: what it is beyond the codes before, in 16 bits, and its row and column among the codes. */
#define KEY(beyond, x, y) ((uint) (beyond) << 16 | (uint) (y) << 8 | (uint) (x))
#define X_OF(found)       ((int) ((found) & 255))
#define Y_OF(found)       ((int) ((found) >> 8 & 255))
#define BEYOND_OF(found)  ((found) >> 16)

static inline int
key_of (const Tile *t, uint found)
{
  return t->keys[Y_OF (found) * t->stride + X_OF (found)];
}

/* Puts keys that have codes from `first` up to `end` into `found`, in the order of their codes and parts.  A code's greatest key is left out. */
static void
find_keys (const Tile *t, int first, int end, local uint *found)
{
  const int before = t->start[first], n = t->start[end] - before;

  for (int i = n > 0 ? t->item : t->rows * t->pitch; i < t->rows * t->pitch; i += t->items)
    {
      const uint word = t->codes[i];
      const int  x = 4 * (i % t->pitch), y = i / t->pitch;
      uint       bits = GREATER (word, EACH * first) & ~GREATER (word, EACH * end);
      int        keys[4];

      ALL for (int j = 0; j < 4; j++)
        keys[j] = bits >> 8 * j & 1 ? t->keys[y * t->stride + x + j] : 0;
      ALL for (int j = 0; j < 4; j++)
        {
          const int code = word >> 8 * j & 127, key = keys[j];

          if (bits >> 8 * j & 1 && t->start[code + 1] > t->start[code] && key != t->greatest[code])
            {
              const uint part = beyond (t, code, key, CODED_BITS), by = part % 2 * 16;
              const uint at = atomic_add (&t->parts[CODED_WORDS * code + part / 2], 1 << by) >> by & 0xffff;

              found[t->start[code] - before + at] = KEY (beyond (t, code, key, 16), x + j, y);
            }
        }
    }
  barrier (CLK_LOCAL_MEM_FENCE);
}

/* Places of these keys, sorted: row and column.  Keys are looked at where 16 bits do not tell which is less. */
static void
sort_keys (const Tile *t, int first, int end, local const uint *found, local ushort *sorted)
{
  const int before = t->start[first], n = t->start[end] - before;

  for (int i = t->item; i < n; i += t->items)
    {
      const uint              mine = found[i];
      const int               code = t->codes[Y_OF (mine) * t->pitch + X_OF (mine) / 4] >> X_OF (mine) % 4 * 8 & 127, bits = bits_of (t, code);
      const int               part = CODED_WORDS * 2 * code + (BEYOND_OF (mine) >> max (0, min (bits, 16) - CODED_BITS));
      const int               from = part % (2 * CODED_WORDS) > 0 ? t->parts[(part - 1) / 2] >> (part - 1) % 2 * 16 & 0xffff : 0;
      const int               to = t->parts[part / 2] >> part % 2 * 16 & 0xffff;
      local const uint *const here = found + t->start[code] - before;
      int                     place = from;

      for (int k = from; k < to; k++)
        {
          const uint other = here[k];
          bool       is_less = other < mine;

          if (bits > 16 && BEYOND_OF (other) == BEYOND_OF (mine))
            {
              const int key = key_of (t, mine), other_key = key_of (t, other);

              is_less = other_key < key || (other_key == key && is_less);
            }
          place += is_less;
        }
      sorted[t->start[code] - before + place] = mine & 0xffff;
    }
  barrier (CLK_LOCAL_MEM_FENCE);
}

typedef struct
{
  uint from, to;
  int  x, y;
} Around;

/* Whether a place lies in the neighbourhood of the pixel at (x, y) of the tile. */
static inline bool
is_around (const Tile *t, const Around *a, uint place, bool is_circle)
{
  const uint both = X_OF (place) | Y_OF (place) << 16;
  const bool is_in = (((both | TOP) - a->from) & (a->to - both) & TOP) == TOP;

  return is_in && (! is_circle || (int) abs ((int) (both & 255) - a->x - t->radius) <= t->half_widths[abs ((int) (both >> 16) - a->y - t->radius)]);
}

/* The key of that rank among those of the code around the pixel. */
static inline int
find_key (const Tile *t, local const ushort *sorted, int code, int rank, int x, int y, bool is_circle)
{
  const uint   from = x | y << 16;
  const Around a = { from, (from + HALVES * 2 * t->radius) | TOP, x, y };
  const int    n = t->start[code + 1] - t->start[code];
  int          i = 0;

  for (; i + 4 <= n; i += 4)
    {
      int more = 0;

      ALL for (int k = 0; k < 4; k++)
        more += is_around (t, &a, sorted[i + k], is_circle);
      if (rank <= more)
        break;
      rank -= more;
    }
  for (; i < n; i++)
    {
      rank -= is_around (t, &a, sorted[i], is_circle);
      if (rank == 0)
        return key_of (t, sorted[i]);
    }
  return t->greatest[code];
}

/* The same where so many keys have the code that they do not lie in local memory. */
static int
halve_code (const Tile *t, int code, int rank, int x, int y)
{
  global const int *middle = t->keys + (y + t->radius) * t->stride + x + t->radius;
  const int         before = key_before (t, code);
  Span              span = { before, t->greatest[code] };

  if (code > 0)
    EACH_PLACE (t->radius, t->half_widths, rank += middle[dy * t->stride + dx] <= before;)
  while (span.least < span.most)
    HALVE (EACH_PLACE (t->radius, t->half_widths, COUNT (middle[dy * t->stride + dx])))
  return span.least;
}
