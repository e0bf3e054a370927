/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Exact medians of many numbers that are not negative, by way of histograms of their bits (operations/sequences/shift-median.c), for several frames at once
 * (the third dimension).  Nothing comes to the host before the last level.
 */
/* Where the middle of a frame's numbers lies, and what is known of the two in the middle: their upper bits. */
typedef struct
{
  int n;
  int prefix[2], rank[2];
} Middle;

#define BINS 2048               /* of a histogram; beyond the first level two of half as many */

/* One work-item makes one number 0. */
kernel void shift_zero (global int *numbers, int first, int n)
{
  const int i = get_global_id (0);

  if (i < n)
    numbers[first + i] = 0;
}

/* Level 0 counts the upper bits of all, from `low` on; a further one the next bits of those whose upper bits, from `above` on, are a prefix.  If the two in
 * the middle differ there, those with the second prefix are counted too, behind the others. */
static void
count_value (local int *near, float value, int level, int above, int low, int last, const Middle *middle)
{
  const int bits = as_int (value) & 0x7fffffff, bin = bits >> low & last;

  if (level == 0 || bits >> above == middle->prefix[0])
    atomic_inc (near + bin);
  else if (bits >> above == middle->prefix[1])
    atomic_inc (near + last + 1 + bin);
}

static void
clear_counts (local int *near)
{
  for (int b = get_local_id (0); b < BINS; b += get_local_size (0))
    near[b] = 0;
  barrier (CLK_LOCAL_MEM_FENCE);
}

static void
add_counts (local const int *near, global int *counts)
{
  barrier (CLK_LOCAL_MEM_FENCE);
  for (int b = get_local_id (0); b < BINS; b += get_local_size (0))
    if (near[b])
      atomic_add (counts + b, near[b]);
}

/* The bin that has the value of a rank, which becomes the rank within the bin; `parts` has the sums of runs of `run` bins. */
static int
bin_of (global const int *counts, int bins, local const int *parts, int run, int *rank)
{
  int part = 0, bin;

  for (; (part + 1) * run < bins && parts[part] <= *rank; part++)
    *rank -= parts[part];
  for (bin = part * run; bin < bins - 1 && counts[bin] <= *rank; bin++)
    *rank -= counts[bin];
  return bin;
}

/* Sums runs of bins.  All items of a group. */
static void
sum_runs (global const int *counts, int bins, int run, local int *parts)
{
  int sum = 0;

  for (int b = get_local_id (0) * run; b < min (bins, ((int) get_local_id (0) + 1) * run); b++)
    sum += counts[b];
  barrier (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  parts[get_local_id (0)] = sum;
  barrier (CLK_LOCAL_MEM_FENCE);
}

/* One group finds the two bins in the middle of a histogram, makes it 0, and adds their bits to what is known; one int of local memory for each item; some
 * reads of each bin, 1 write. */
kernel void shift_find_middle (global int *counts, int level, int bins, global Middle *middles, local int *parts)
{
  const int frame = get_global_id (2), run = (bins + get_local_size (0) - 1) / get_local_size (0), is_first = get_local_id (0) == 0;
  global int *here = counts + frame * BINS, *there;
  Middle      middle = middles[frame];
  int         is_same, bin[2] = { 0, 0 };

  if (get_global_id (0) >= get_local_size (0))
    return;
  if (level == 0)
    middle = (Middle) { 0, { 0, 0 }, { 0, 0 } };
  is_same = middle.prefix[0] == middle.prefix[1];
  there = is_same ? here : here + bins;
  sum_runs (here, bins, run, parts);
  if (level == 0)
    {
      for (int i = 0; i < (int) get_local_size (0); i++)
        middle.n += parts[i];
      middle.rank[0] = (max (middle.n, 1) - 1) / 2;
      middle.rank[1] = middle.n / 2;
    }
  if (is_first)
    bin[0] = bin_of (here, bins, parts, run, &middle.rank[0]);
  if (! is_same)
    sum_runs (there, bins, run, parts);
  if (is_first)
    {
      bin[1] = bin_of (there, bins, parts, run, &middle.rank[1]);
      for (int k = 0; k < 2; k++)
        middle.prefix[k] = middle.prefix[k] * bins + bin[k];
      middles[frame] = middle;
    }
  barrier (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  for (int b = get_local_id (0); b < BINS; b += get_local_size (0))
    here[b] = 0;
}
