/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:median-blur, any radius, rank and shape, one channel at a time: the samples of a block
 * are sorted and each gets a rank of its own; a window is a set of ranks, one bit each, in
 * which the wanted one is found by counting bits from where the last one was.
 *
 * The windows of LANES neighbours slide down together.  The samples that all of them hold are one set.
 * Samples that only the first or only the last of them hold are sets of their own.  Each window is
 * the union of LANES sets.  So a step of a square changes some 4 radius bits for all of them
 * instead of for each, whatever the values.
 *
 * Sliding window: T. S. Huang, G. J. Yang, G. Y. Tang, A Fast Two-Dimensional Median Filtering
 * Algorithm, IEEE Trans. ASSP 27(1), 1979.  Ranks in place of values (the ordinal transform) and what
 * neighbours share: B. Weiss, Fast Median and Bilateral Filtering, SIGGRAPH 2006.
 */
#include "config.h"

#include "median-blur.h"

#include <string.h>

#define DIGIT_BITS 11           /* of the sort; a key has three digits */
#define DIGITS     (1 << DIGIT_BITS)
#define COLUMNS    16           /* gathered at once */
#define RANKS      16           /* of the widest registers: lists have whole ones */
#define LANES    4            /* neighbours whose windows are counted together */
#define SETS       (2 * LANES - 1)
#define BYTES      G_GUINT64_CONSTANT (0x0101010101010101)

/* The samples that enter and leave the sets when the windows move down by one: offsets from the first window's
 * middle, set after set; as many enter as leave. */
typedef struct
{
  gint    n;
  gint    start[SETS + 1];      /* of each set's */
  gint   *enter, *leave;
  gint32 *counts[LANES];        /* -1 where a window has the set, else 0; in whole RANKS */
} Steps;

typedef struct
{
  gint width, height;           /* of the samples */
  gint n;
  gint samples;                 /* the ranks below this one; those from it on are left out */
  gint lanes;                   /* LANES, or fewer in a narrow block; 1 for circles, which share less */
  guint64 *sorted, *spare;      /* key, then place, 32 bits each */
  gint32  *ranks;               /* of each place */
  gfloat  *values;              /* of each rank */
  guint32 (*digits)[DIGITS];    /* [3]: counts for the sort */
  guint64 *words;               /* of all sets */
  Steps    steps;
} Tile;

/* ----------------------------------------------------------------- sort -- */

/* Keys and places of a channel, column after column, so that equal neighbouring samples get ranks that are
 * far apart, in different words. */
static void
gather (const MedianBlock *block, Tile *tile, gint channel)
{
  memset (tile->digits, 0, 3 * sizeof *tile->digits);
  for (gint first = 0; first < tile->width; first += COLUMNS)
    for (gint y = 0; y < tile->height; y++)
      {
        const gint    end = MIN (first + COLUMNS, tile->width);
        const gfloat *row = block->pixels + 4 * (gsize) y * tile->width + channel;

        for (gint x = first; x < end; x++)
          {
            gint    key = block->lacks && median_is_left_out (block, block->around.x + x, block->around.y + y, channel,
                                                              row[4 * x + 3 - channel])
                          ? MEDIAN_OUTSIDE : median_key (tessera_as_int (row[4 * x]));
            guint32 order = (guint32) key ^ 0x80000000u;

            tile->digits[0][order % DIGITS]++;
            tile->digits[1][(order >> DIGIT_BITS) % DIGITS]++;
            tile->digits[2][order >> (2 * DIGIT_BITS)]++;
            tile->sorted[(gsize) x * tile->height + y] = (guint64) order << 32 | (guint32) (y * tile->width + x);
          }
      }
}

static void
sort_by_digit (Tile *tile, gint digit)
{
  guint32      *next = tile->digits[digit];
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
  tile->values = (gfloat *) tile->spare;
  tile->samples = tile->n;
  while (tile->samples > 0 && (guint32) (tile->sorted[tile->samples - 1] >> 32) == ((guint32) MEDIAN_OUTSIDE ^ 0x80000000u))
    tile->samples--;
  for (gint i = 0; i < tile->n; i++)
    {
      tile->ranks[(guint32) tile->sorted[i]] = i;
      tile->values[i] = tessera_as_float (median_bits ((gint) ((guint32) (tile->sorted[i] >> 32) ^ 0x80000000u)));
    }
}

/* --------------------------------------------------------------- window -- */

/* Set s < LANES - 1: samples that only the windows 0 .. s hold; set LANES - 1: those that all hold;
 * set LANES - 1 + p: those that only the windows from p on hold.  So window p is the union of sets p .. p + LANES
 * - 1. */
typedef struct
{
  guint64 *sets[SETS];
  gint     word[LANES];         /* where the last rank was found */
  gint     below[LANES];        /* samples in the words before it */
  gint     samples[LANES];      /* in all words, if the tile lacks some */
} Windows;

/* The set of the sample `dx` columns from the middle of the first window, in a row of that half
 * width (at least 1); -1: of none. */
static gint
set_of (gint dx, gint half_width, gint lanes)
{
  const gint first = MAX (0, dx - half_width), last = MIN (lanes - 1, dx + half_width);

  if (first > last)
    return -1;
  return first > 0 ? LANES - 1 + first : last < lanes - 1 ? last : LANES - 1;
}

/* The place, from 0, of the k-th set bit, k from 1.  Bits are counted byte by byte; then the counts are added up,
 * all eight in a word at once. */
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

/* A word of window `lane`. */
static inline guint64
word_of (const Windows *windows, gint lane, gint word, gboolean is_alone)
{
  guint64 bits = windows->sets[LANES - 1][word];

  for (gint set = lane; set < lane + LANES && ! is_alone; set++)
    bits |= windows->sets[set][word];
  return bits;
}

static inline gint
find_rank (Windows *windows, gint lane, gint k, gboolean is_alone)
{
  gint    word = windows->word[lane], below = windows->below[lane], count;
  guint64 bits;

  while (below >= k)
    below -= __builtin_popcountll (word_of (windows, lane, --word, is_alone));
  while (below + (count = __builtin_popcountll (bits = word_of (windows, lane, word, is_alone))) < k)
    {
      below += count;
      word++;
    }
  windows->word[lane] = word;
  windows->below[lane] = below;
  return 64 * word + place_of_bit (bits, k - below);
}

static inline void
flip (guint64 *set, guint32 rank)
{
  set[rank >> 6] ^= G_GUINT64_CONSTANT (1) << (rank & 63);
}

/* A single window moves down by one.  Before, `ranks` is its middle. */
static inline void
move_one (Windows *windows, const Tile *tile, const gint32 *ranks)
{
  const Steps *steps = &tile->steps;
  const gint   limit = 64 * windows->word[0], samples = tile->samples;
  gint         change = 0, change_samples = 0;

  for (gint i = 0; i < steps->n; i++)
    {
      const gint32 in = ranks[steps->enter[i]], out = ranks[steps->leave[i]];

      flip (windows->sets[LANES - 1], in);
      flip (windows->sets[LANES - 1], out);
      change += (in < limit) - (out < limit);
      change_samples += (in < samples) - (out < samples);
    }
  windows->below[0] += change;
  windows->samples[0] += change_samples;
}

/* The windows at the head of their columns. */
static void
fill (Windows *windows, const Tile *tile, const MedianParams *params, const gint32 *ranks)
{
  const gint radius = params->radius;

  memset (tile->words, 0, SETS * ((gsize) tile->n / 64 + 1) * sizeof (guint64));
  memset (windows->word, 0, sizeof windows->word);
  memset (windows->below, 0, sizeof windows->below);
  memset (windows->samples, 0, sizeof windows->samples);
  for (gint dy = -radius; dy <= radius; dy++)
    {
      const gint    half_width = params->half_widths[ABS (dy)];
      const gint32 *row = ranks + (gssize) dy * tile->width;

      for (gint dx = -half_width; dx < half_width + tile->lanes; dx++)
        flip (windows->sets[set_of (dx, half_width, tile->lanes)], row[dx]);
      for (gint lane = 0; lane < tile->lanes && tile->samples < tile->n; lane++)
        for (gint dx = lane - half_width; dx <= lane + half_width; dx++)
          windows->samples[lane] += row[dx] < tile->samples;
    }
}

#define LANES_LOOPS "median-blur-loops.h"
#include "lanes.h"

/* Each place of the neighbourhoods is compared with the same place after the move.  In a
 * square the lists are two rows, from left to right. */
static void
list_steps (Tile *tile, const MedianParams *params)
{
  const gint radius = params->radius;
  Steps     *steps = &tile->steps;
  gint       n_leave = 0;

  for (gint set = 0; set < SETS; set++)
    {
      steps->start[set] = steps->n;
      for (gint dx = -radius; dx < radius + tile->lanes; dx++)
        for (gint dy = -radius; dy <= radius + 1; dy++)
          {
            const gint before = dy > radius ? -1 : set_of (dx, params->half_widths[ABS (dy)], tile->lanes);
            const gint after = dy == -radius ? -1 : set_of (dx, params->half_widths[ABS (dy - 1)], tile->lanes);

            if (after == set && before != set)
              steps->enter[steps->n++] = dy * tile->width + dx;
            if (before == set && after != set)
              steps->leave[n_leave++] = dy * tile->width + dx;
          }
      for (gint lane = 0; lane < LANES; lane++)
        for (gint i = steps->start[set]; i < steps->n; i++)
          steps->counts[lane][i] = set >= lane && set < lane + LANES ? -1 : 0;
    }
  steps->start[SETS] = steps->n;
  for (gint lane = 0; lane < LANES; lane++)
    for (gint i = steps->n; i % RANKS; i++)
      steps->counts[lane][i] = 0;
}

void
median_by_rank (const MedianBlock *block)
{
  const MedianParams *params = block->params;
  const gint          most = (2 * params->radius + 1 + LANES) * SETS + RANKS;   /* in all lists */
  const gint          width = block->around.width, height = block->around.height, n = width * height;
  tessera_autoscratch gint32  *lists = gegl_scratch_new (gint32, (2 + LANES) * most);
  tessera_autoscratch guint64 *entries = gegl_scratch_new (guint64, 2 * (gsize) n);
  tessera_autoscratch guint64 *words = gegl_scratch_new (guint64, SETS * ((gsize) n / 64 + 1));
  tessera_autoscratch gint32  *ranks = gegl_scratch_new (gint32, n + RANKS);
  tessera_autoscratch gpointer digits = gegl_scratch_alloc (3 * DIGITS * sizeof (guint32));
  Tile                tile = { .width = width, .height = height, .n = n, .sorted = entries, .spare = entries + n,
                               .lanes = params->is_circle ? 1 : MIN (LANES, width - 2 * params->radius),
                               .ranks = ranks, .words = words, .digits = digits,
                               .steps = { .enter = lists, .leave = lists + most } };

  for (gint lane = 0; lane < LANES; lane++)
    tile.steps.counts[lane] = lists + (2 + lane) * most;
  list_steps (&tile, params);
  for (gint channel = 0; channel < params->channels; channel++)
    {
      rank_samples (block, &tile, channel);
      LANES_BEST (slide) (block, &tile, channel);
    }
}
