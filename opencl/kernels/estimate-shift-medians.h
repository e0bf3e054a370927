/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Medians of 5x5, and what is counted for the medians of frames (estimate-shift-middle.h).
 */
#define PER_ITEM 32             /* pixels that a work-item counts, ... */
#define AT_ONCE  4              /* ... of which it reads so many before it counts them */

/* Of finite numbers.  The sign of a 0 has no say in what follows. */
#define SWAP(a, b) \
  { \
    const float less = fmin (v[a], v[b]), more = fmax (v[a], v[b]); \
    v[a] = less; \
    v[b] = more; \
  }

/* Sorts the five pixels around (x, y) in its column, into places `step` apart. */
static void
sort_column (global const float *clean, int width, int height, int x, int y, local float *sorted, int step)
{
  const int column = clamp (x, 0, width - 1);
  float     v[5];

  for (int k = 0; k < 5; k++)
    v[k] = clean[(long) clamp (y + k - 2, 0, height - 1) * width + column];
  MEDIAN_SORT_5 (SWAP)
  for (int k = 0; k < 5; k++)
    sorted[k * step] = v[k];
}

/* One work-item makes the median of 5x5; a group sorts each column once; any group; 5 floats of local memory for each item and for four more a row; 5 reads of
 * a float and some, 1 write. */
kernel void shift_medians (global const float *clean, global float *medians, int width, int height, local float *sorted)
{
  const int  x = get_global_id (0), y = get_global_id (1), column = get_local_id (0), columns = get_local_size (0) + 4;
  const int  step = columns * get_local_size (1), row = get_local_id (1) * columns;
  const long first = (long) get_global_id (2) * width * height;
  float      v[25];

  for (int more = 0; more < columns; more += get_local_size (0))
    if (column + more < columns)
      sort_column (clean + first, width, height, x + more - 2, y, sorted + row + column + more, step);
  barrier (CLK_LOCAL_MEM_FENCE);
  for (int k = 0; k < 5; k++)
    for (int i = 0; i < 5; i++)
      v[5 * k + i] = sorted[k * step + row + column + i];
  MEDIAN_25 (SWAP)
  if (x < width && y < height)
    medians[first + (long) y * width + x] = v[MEDIAN_PLACE_25];
}

/* ---------------------------------------------------------------- histograms -- */

/* The first pixel of a group; one group counts PER_ITEM pixels for each of its items. */
static long
first_of_group ()
{
  return ((long) get_global_id (0) - get_local_id (0)) * PER_ITEM;
}

/* Counts |pixel - median| of pixels that are not bad; any group; BINS ints of local memory; 2 reads of a float and 1 of a byte for each pixel. */
kernel void shift_count_excesses (global const float *clean, global const float *medians, global const uchar *bad, int n, int level, int above, int low,
                                  int last, global const Middle *middles, global int *counts, local int *near)
{
  const int    frame = get_global_id (2);
  const long   begin = (long) frame * n;
  const Middle middle = middles[frame];

  clear_counts (near);
  for (int k = 0; k < PER_ITEM; k += AT_ONCE)
    {
      float values[AT_ONCE];
      int   counts_here[AT_ONCE];

      for (int j = 0; j < AT_ONCE; j++)
        {
          const long i = first_of_group () + (long) (k + j) * get_local_size (0) + get_local_id (0), at = begin + min (i, (long) n - 1);

          counts_here[j] = i < n && ! bad[at];
          values[j] = fabs (clean[at] - medians[at]);
        }
      for (int j = 0; j < AT_ONCE; j++)
        if (counts_here[j])
          count_value (near, values[j], level, above, low, last, &middle);
    }
  add_counts (near, counts + frame * BINS);
}

/* The same of |h| and |g| of pixels that can be used, for each query. */
kernel void shift_count_slopes (global const float *soft, global const uchar *used, int width, int n, int level, int above, int low, int last,
                                global const Query *queries, global const Middle *middles, global int *counts, local int *near)
{
  const int    query = get_global_id (2);
  const long   begin = (long) queries[query].frame * n;
  const Middle middle = middles[query];

  clear_counts (near);
  for (int k = 0; k < PER_ITEM; k += AT_ONCE)
    {
      float h[AT_ONCE], g[AT_ONCE];
      int   counts_here[AT_ONCE];

      for (int j = 0; j < AT_ONCE; j++)
        {
          const long i = first_of_group () + (long) (k + j) * get_local_size (0) + get_local_id (0);
          const int  is_used = i < n && used[begin + min (i, (long) n - 1)];

          counts_here[j] = is_used;
          h[j] = fabs (shift_slope (soft[is_used ? i - 1 : 0], soft[is_used ? i + 1 : 0]));
          g[j] = fabs (shift_slope (soft[is_used ? i - width : 0], soft[is_used ? i + width : 0]));
        }
      for (int j = 0; j < AT_ONCE; j++)
        if (counts_here[j])
          {
            count_value (near, h[j], level, above, low, last, &middle);
            count_value (near, g[j], level, above, low, last, &middle);
          }
    }
  add_counts (near, counts + query * BINS);
}
