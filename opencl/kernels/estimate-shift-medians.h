/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Medians of 5x5, and what is counted for the medians of frames (estimate-shift-middle.h).
 */
#define PER_ITEM 32             /* pixels that a work-item counts, ... */
#define AT_ONCE  4              /* ... of which it reads so many before it counts them */
#define SLOPES   4              /* pixels of a column whose slopes are made at once */
#define TILES    2              /* of whose columns one work-item counts the slopes: operations/sequences/estimate-shift-prepare.c */

static int
is_good (float pixel, float saturation)
{
  return (fabs (pixel) <= FLT_MAX) & (pixel < saturation);
}

static float
clean_pixel (float pixel, float saturation)
{
  return is_good (pixel, saturation) ? pixel : 0.0f;
}

/* Of finite numbers.  The sign of a 0 has no say in what follows. */
#define SWAP(a, b) \
  { \
    const float less = fmin (v[a], v[b]), more = fmax (v[a], v[b]); \
    v[a] = less; \
    v[b] = more; \
  }

/* Places 5 column + row; each of four columns is sorted.  Of the 20 the six in the middle come to places 8, 5, 9, 12, 13 and 14, sorted.  Tried with all
 * inputs of 0 and 1. */
#define MIDDLE_SIX(S) \
  S (0, 5) S (4, 9) S (4, 5) S (2, 7) S (2, 4) S (7, 5) S (1, 6) S (3, 8) S (3, 6) S (1, 2) S (3, 4) S (6, 7) S (8, 5) S (10, 15) S (14, 19) \
  S (14, 15) S (12, 17) S (12, 14) S (17, 15) S (11, 16) S (13, 18) S (13, 16) S (11, 12) S (13, 14) S (16, 17) S (18, 15) S (0, 10) S (5, 15) \
  S (5, 10) S (4, 14) S (4, 5) S (14, 10) S (2, 12) S (7, 17) S (7, 12) S (7, 5) S (12, 14) S (1, 11) S (9, 19) S (9, 11) S (6, 16) S (6, 9) \
  S (16, 11) S (3, 13) S (8, 18) S (8, 13) S (8, 9) S (13, 16) S (8, 5) S (9, 12) S (13, 14)

/* Sorts the five pixels around (x, y) in its column, into places `step` apart. */
static void
sort_column (global const float *input, int stride, float saturation, int width, int height, int x, int y, local float *sorted, int step)
{
  const int column = clamp (x, 0, width - 1);
  float     v[5];

  for (int k = 0; k < 5; k++)
    v[k] = clean_pixel (input[(long) clamp (y + k - 2, 0, height - 1) * stride + column], saturation);
  MEDIAN_SORT_5 (SWAP)
  for (int k = 0; k < 5; k++)
    sorted[k * step] = v[k];
}

/* The sixth of the six in the middle and of the five of one more sorted column: that of all 25. */
static float
median_with (float a, float b, float c, float d, float e, float f, local const float *column, int step)
{
  return fmin (fmin (fmin (f, fmax (e, column[0])), fmin (fmax (d, column[step]), fmax (c, column[2 * step]))),
               fmin (fmax (b, column[3 * step]), fmax (a, column[4 * step])));
}

/* One work-item makes the medians of 5x5 of two neighbours, and by how much the pixels exceed them, NaN where one is bad.  A group sorts each column once;
 * even columns lie before odd ones, so that a group's reads do not meet.  Two neighbours share four columns: of these 20 pixels 14 cannot be in the middle
 * of 25.  Any group; 5 floats of local memory for each pixel and for four more a row; for each pixel 6 reads of a float and some, 2 writes.  The first
 * frame of the input is frame `from`. */
kernel void shift_medians (global const float *input, int stride, float saturation, global float *medians, global float *excesses, int from, int width,
                           int height, local float *sorted)
{
  const int  x = 2 * get_global_id (0), y = get_global_id (1), pair = get_local_id (0), half_row = get_local_size (0) + 2, columns = 2 * half_row;
  const int  step = columns * get_local_size (1), row = get_local_id (1) * columns;
  float      v[20], found[2];

  input += (long) get_global_id (2) * height * stride;
  for (int more = 0; more < columns; more += get_local_size (0))
    {
      const int column = pair + more;

      if (column < columns)
        sort_column (input, stride, saturation, width, height, x - 2 * pair + column - 2, y, sorted + row + column % 2 * half_row + column / 2, step);
    }
  barrier (CLK_LOCAL_MEM_FENCE);
  sorted += row + pair;
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 5; k++)
      v[5 * i + k] = sorted[k * step + (i + 1) % 2 * half_row + (i + 1) / 2];
  MIDDLE_SIX (SWAP)
  found[0] = median_with (v[8], v[5], v[9], v[12], v[13], v[14], sorted, step);
  found[1] = median_with (v[8], v[5], v[9], v[12], v[13], v[14], sorted + half_row + 2, step);
  for (int i = 0; i < 2 && y < height; i++)
    if (x + i < width)
      {
        const long  here = ((from + (long) get_global_id (2)) * height + y) * width + x + i;
        const float pixel = input[(long) y * stride + x + i];

        medians[here] = found[i];
        excesses[here] = is_good (pixel, saturation) ? pixel - found[i] : NAN;
      }
}

/* ---------------------------------------------------------------- histograms -- */

/* The first pixel of a group; one group counts PER_ITEM pixels for each of its items. */
static long
first_of_group ()
{
  return ((long) get_global_id (0) - get_local_id (0)) * PER_ITEM;
}

/* Counts |pixel - median| of pixels that are not bad; any group; BINS ints of local memory; 1 read of a float for each pixel. */
kernel void shift_count_excesses (global const float *excesses, int n, int level, int above, int low, int last, global const Middle *middles,
                                  global int *counts, local int *near)
{
  const int    frame = get_global_id (2);
  const long   begin = (long) frame * n;
  const Middle middle = middles[frame];

  clear_counts (near);
  for (int k = 0; k < PER_ITEM; k += AT_ONCE)
    {
      float values[AT_ONCE];

      for (int j = 0; j < AT_ONCE; j++)
        {
          const long  i = first_of_group () + (long) (k + j) * get_local_size (0) + get_local_id (0);
          const float excess = excesses[begin + min (i, (long) n - 1)];

          values[j] = i < n ? fabs (excess) : NAN;
        }
      for (int j = 0; j < AT_ONCE; j++)
        if (! isnan (values[j]))
          count_value (near, values[j], level, above, low, last, &middle);
    }
  add_counts (near, counts + frame * BINS);
}

/* The slopes of SLOPES pixels, one below another.  Those on the frame's edge are not right. */
static void
find_slopes (global const float *soft, int width, int height, int x, int top, float *h, float *g)
{
  const int left = max (x - 1, 0), right = min (x + 1, width - 1);
  float     column[SLOPES + 2];

  for (int k = 0; k < SLOPES + 2; k++)
    column[k] = soft[(long) clamp (top + k - 1, 0, height - 1) * width + x];
  for (int k = 0; k < SLOPES; k++)
    {
      const long row = (long) min (top + k, height - 1) * width;

      h[k] = shift_slope (soft[row + left], soft[row + right]);
      g[k] = shift_slope (column[k], column[k + 2]);
    }
}

/* The same of |h| and |g| of pixels that can be used, for each query.  A work-item counts those of one column of TILES tiles. */
kernel void shift_count_slopes (global const float *soft, global const ushort *usable, int width, int height, int down, int level, int above, int low,
                                int last, global const Query *queries, global const Middle *middles, global int *counts, local int *near)
{
  const int    query = get_global_id (2), x = get_global_id (0), first = get_global_id (1) * TILES;
  const Middle middle = middles[query];

  clear_counts (near);
  for (int tile = first; tile < min (first + TILES, down) && x < width; tile++)
    {
      const uint bits = usable[((long) queries[query].frame * down + tile) * width + x];

      for (int top = 0; bits && top < SHIFT_TILE_HEIGHT; top += SLOPES)
        {
          float h[SLOPES], g[SLOPES];

          find_slopes (soft, width, height, x, tile * SHIFT_TILE_HEIGHT + top, h, g);
          for (int k = 0; k < SLOPES; k++)
            if (bits >> (top + k) & 1)
              {
                count_value (near, fabs (h[k]), level, above, low, last, &middle);
                count_value (near, fabs (g[k]), level, above, low, last, &middle);
              }
        }
    }
  add_counts (near, counts + query * BINS);
}
