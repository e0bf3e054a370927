/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:median-blur, any radius, rank and shape, one channel at a time: the samples of a block
 * are sorted and each gets a rank of its own; the window, sliding from pixel to pixel, is a set
 * of ranks, one bit each, in which the wanted one is found by counting bits from where
 * the last one was.  2 (2 radius + 1) bits change a step, whatever the values.
 *
 * The order of samples: B. Weiss, Fast Median and Bilateral Filtering, SIGGRAPH 2006 (its
 * ordinal transform); the sliding set: T. S. Huang, G. J. Yang, G. Y. Tang, A Fast
 * Two-Dimensional Median Filtering Algorithm, IEEE Trans. ASSP 27(1), 1979.
 */
#include "config.h"

#include "median-blur.h"

#include <string.h>

#define DIGIT_BITS 11           /* of the sort; three digits are a key */
#define DIGITS     (1 << DIGIT_BITS)
#define COLUMNS    16           /* that are gathered at once */
#define BYTES      G_GUINT64_CONSTANT (0x0101010101010101)

typedef struct
{
  gint width, height;           /* of the samples */
  gint n;
  guint64 *sorted, *spare;      /* key, then place, 32 bits each */
  guint32 *ranks;               /* of each place */
  guint64 *words;               /* the window's ranks */
  guint32 (*counts)[DIGITS];    /* [3] */
  gint    *steps[4];            /* offsets of what enters and leaves: sideways, then downwards */
} Tile;

/* ----------------------------------------------------------------- sort -- */

static gboolean
is_outside (const MedianBlock *block, gint x, gint y)
{
  const GeglRectangle *bounds = &block->bounds;

  return block->params->leaves_out
         && (x < bounds->x || y < bounds->y || x >= bounds->x + bounds->width || y >= bounds->y + bounds->height);
}

/* Keys and places of a channel, column after column: equal samples beside one another
 * get ranks that are far apart, in different words. */
static void
gather (const MedianBlock *block, Tile *tile, gint channel)
{
  memset (tile->counts, 0, 3 * sizeof *tile->counts);
  for (gint first = 0; first < tile->width; first += COLUMNS)
    for (gint y = 0; y < tile->height; y++)
      {
        const gint    end = MIN (first + COLUMNS, tile->width);
        const gfloat *row = block->pixels + 4 * (gsize) y * tile->width + channel;

        for (gint x = first; x < end; x++)
          {
            gint    key = is_outside (block, block->around.x + x, block->around.y + y)
                          ? MEDIAN_OUTSIDE : median_key (tessera_as_int (row[4 * x]));
            guint32 order = (guint32) key ^ 0x80000000u;

            tile->counts[0][order % DIGITS]++;
            tile->counts[1][(order >> DIGIT_BITS) % DIGITS]++;
            tile->counts[2][order >> (2 * DIGIT_BITS)]++;
            tile->sorted[(gsize) x * tile->height + y] = (guint64) order << 32 | (guint32) (y * tile->width + x);
          }
      }
}

static void
sort_by_digit (Tile *tile, gint digit)
{
  guint32      *next = tile->counts[digit];
  const gint    shift = 32 + digit * DIGIT_BITS;
  const guint64 mask = DIGITS - 1;
  guint64      *from = tile->sorted, *to = tile->spare;
  guint32       sum = 0;

  if (next[from[0] >> shift & mask] == (guint32) tile->n)
    return;                     /* all have it */
  for (gint i = 0; i < DIGITS; i++)
    {
      guint32 count = next[i];

      next[i] = sum;
      sum += count;
    }
  for (gint i = 0; i < tile->n; i++)
    to[next[from[i] >> shift & mask]++] = from[i];
  tile->sorted = to;
  tile->spare = from;
}

static void
rank_samples (const MedianBlock *block, Tile *tile, gint channel)
{
  gather (block, tile, channel);
  for (gint digit = 0; digit < 3; digit++)
    sort_by_digit (tile, digit);
  for (gint i = 0; i < tile->n; i++)
    tile->ranks[(guint32) tile->sorted[i]] = i;
}

static gfloat
value_of_rank (const Tile *tile, gint rank)
{
  return tessera_as_float (median_bits ((gint) ((guint32) (tile->sorted[rank] >> 32) ^ 0x80000000u)));
}

/* --------------------------------------------------------------- window -- */

typedef struct
{
  guint64       *words;
  const guint32 *ranks;
  gint           word;          /* where the last one was found */
  gint           below;         /* samples in the words before it */
} Window;

/* Where, from 0, the k-th set bit is, k from 1: bits are counted byte by byte, then
 * the counts added up, all eight in a word at once. */
static inline gint
place_of_bit (guint64 word, guint k)
{
  guint64 counts = word - (word >> 1 & 0x55 * BYTES), reached;
  gint    byte;

  counts = (counts & 0x33 * BYTES) + (counts >> 2 & 0x33 * BYTES);
  counts = ((counts + (counts >> 4)) & 0x0f * BYTES) * BYTES;
  reached = ((counts | 0x80 * BYTES) - k * BYTES) & 0x80 * BYTES;
  byte = __builtin_ctzll (reached) & ~7;
  k -= (counts << 8) >> byte & 0xff;
  counts = ((word >> byte & 0xff) * BYTES) & G_GUINT64_CONSTANT (0x8040201008040201);
  counts = ((counts + 0x7f * BYTES) >> 7 & BYTES) * BYTES;
  reached = ((counts | 0x80 * BYTES) - k * BYTES) & 0x80 * BYTES;
  return byte + (__builtin_ctzll (reached) >> 3);
}

static inline gint
find_rank (Window *window, gint k)
{
  gint count;

  while (window->below >= k)
    window->below -= __builtin_popcountll (window->words[--window->word]);
  while (window->below + (count = __builtin_popcountll (window->words[window->word])) < k)
    {
      window->below += count;
      window->word++;
    }
  return 64 * window->word + place_of_bit (window->words[window->word], k - window->below);
}

static inline void
flip (Window *window, guint32 rank)
{
  window->words[rank >> 6] ^= G_GUINT64_CONSTANT (1) << (rank & 63);
}

/* What is at the offsets `enter` from `at` comes in, what is at `leave` goes. */
static inline void
move (Window *window, gsize at, const gint *enter, const gint *leave, gint n)
{
  const guint32 *ranks = window->ranks + at;
  const guint32  limit = 64 * (guint32) window->word;
  gint           change = 0;

  for (gint i = 0; i < n; i++)
    {
      const guint32 in = ranks[enter[i]], out = ranks[leave[i]];

      flip (window, in);
      flip (window, out);
      change += (in < limit) - (out < limit);
    }
  window->below += change;
}

static void
fill (Window *window, const MedianParams *params, gsize at, gint stride)
{
  for (gint dy = -params->radius; dy <= params->radius; dy++)
    {
      const gint     half = params->half_widths[ABS (dy)];
      const guint32 *row = window->ranks + at + (gssize) dy * stride;

      for (gint dx = -half; dx <= half; dx++)
        flip (window, row[dx]);
    }
}

/* The rank wanted among the samples of the neighbourhood of (x, y). */
static gint
wanted_rank (const MedianBlock *block, gint x, gint y)
{
  const MedianParams  *params = block->params;
  const GeglRectangle *bounds = &block->bounds;
  const gint           radius = params->radius, right = bounds->x + bounds->width - 1;
  gint                 count = 0;

  if (! params->leaves_out || (x - radius >= bounds->x && x + radius <= right && y - radius >= bounds->y
                               && y + radius < bounds->y + bounds->height))
    return params->rank;
  for (gint dy = -radius; dy <= radius; dy++)
    if (y + dy >= bounds->y && y + dy < bounds->y + bounds->height)
      {
        const gint half = params->half_widths[ABS (dy)];

        count += MAX (0, MIN (x + half, right) - MAX (x - half, bounds->x) + 1);
      }
  return params->ranks[count];
}

/* Down one column, up the next. */
TESSERA_CLONES static void
slide (const MedianBlock *block, const Tile *tile, gint channel)
{
  const MedianParams *params = block->params;
  const gint          radius = params->radius, stride = tile->width, side = 2 * radius + 1;
  const gint          columns = tile->width - 2 * radius, rows = tile->height - 2 * radius;
  const gsize         first = (gsize) radius * stride + radius;
  Window              window = { tile->words, tile->ranks, 0, 0 };
  gint                y = 0;

  memset (tile->words, 0, ((gsize) tile->n / 64 + 1) * sizeof (guint64));
  fill (&window, params, first, stride);
  for (gint x = 0; x < columns; x++)
    {
      const gint down = x % 2 ? -1 : 1;

      if (x > 0)
        move (&window, first + (gsize) y * stride + x - 1, tile->steps[0], tile->steps[1], side);
      for (gint i = 0; i < rows; i++)
        {
          const gsize at = first + (gsize) y * stride + x;
          const gint  k = wanted_rank (block, block->around.x + radius + x, block->around.y + radius + y);

          block->pixels[4 * at + channel] = value_of_rank (tile, find_rank (&window, k));
          if (i == rows - 1)
            break;
          if (down > 0)
            move (&window, at, tile->steps[2], tile->steps[3], side);
          else
            move (&window, at - stride, tile->steps[3], tile->steps[2], side);
          y += down;
        }
    }
}

/* A step to the right and one down: a step back is the same the other way round. */
static void
list_steps (Tile *tile, const MedianParams *params)
{
  for (gint i = -params->radius; i <= params->radius; i++)
    {
      const gint half = params->half_widths[ABS (i)], k = i + params->radius;

      tile->steps[0][k] = i * tile->width + half + 1;
      tile->steps[1][k] = i * tile->width - half;
      tile->steps[2][k] = (half + 1) * tile->width + i;
      tile->steps[3][k] = -half * tile->width + i;
    }
}

void
median_by_rank (const MedianBlock *block)
{
  const MedianParams *params = block->params;
  const gint          side = 2 * params->radius + 1;
  Tile                tile = { .width = block->around.width, .height = block->around.height,
                               .n = block->around.width * block->around.height };
  gint               *steps = gegl_scratch_new (gint, 4 * side);
  guint64            *entries = gegl_scratch_new (guint64, 2 * (gsize) tile.n);

  for (gint i = 0; i < 4; i++)
    tile.steps[i] = steps + i * side;
  list_steps (&tile, params);
  tile.sorted = entries;
  tile.spare = entries + tile.n;
  tile.ranks = gegl_scratch_new (guint32, tile.n);
  tile.words = gegl_scratch_new (guint64, tile.n / 64 + 1);
  tile.counts = gegl_scratch_alloc (3 * sizeof *tile.counts);
  for (gint channel = 0; channel < params->channels; channel++)
    {
      rank_samples (block, &tile, channel);
      slide (block, &tile, channel);
    }
  gegl_scratch_free (tile.counts);
  gegl_scratch_free (tile.words);
  gegl_scratch_free (tile.ranks);
  gegl_scratch_free (entries);
  gegl_scratch_free (steps);
}
