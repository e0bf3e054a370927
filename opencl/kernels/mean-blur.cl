/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Mean over a box, one axis at a time: S_2k(x) = S_k(x) + S_k(x + k), and the sum of
 * n = 2r + 1 pixels is that of S_k for the binary digits k of n, the smallest first.
 * A launch makes up to five doublings: a sum of 16 in the order of pairs is S_16.
 */
#pragma OPENCL FP_CONTRACT OFF

static float4 sum_2 (global const float4 *sums, int at, int step)
{
  return sums[at] + sums[at + step];
}

static float4 sum_4 (global const float4 *sums, int at, int step)
{
  return sum_2 (sums, at, step) + sum_2 (sums, at + 2 * step, step);
}

static float4 sum_8 (global const float4 *sums, int at, int step)
{
  return sum_4 (sums, at, step) + sum_4 (sums, at + 4 * step, step);
}

static float4 sum_16 (global const float4 *sums, int at, int step)
{
  return sum_8 (sums, at, step) + sum_8 (sums, at + 8 * step, step);
}

/* One work-item adds S_k, S_2k .. S_16k of `digits` (bits), from `skip` elements on, to one pixel of
 * `totals` (`flags` 1: the first addends; 2: the last, scaled then), and makes one of S_16k
 * in `next` (next_width 0: none) of the same stride as `sums`.  `step`: elements
 * between neighbours of S_k that are added.  At most 47 reads, 2 writes, no local memory. */
kernel void mean_sums (global const float4 *sums, int stride, int step,
                       global float4 *next, int next_width, int next_height,
                       global float4 *totals, int total_width, int total_height,
                       int skip, int digits, int flags, float scale)
{
  const int x = get_global_id (0), y = get_global_id (1);
  const int here = y * stride + x;

  if (x < next_width && y < next_height)
    next[here] = sum_16 (sums, here, step);
  if (x < total_width && y < total_height)
    {
      const int to = y * total_width + x;
      int       at = here + skip;
      float4    total = flags & 1 ? (float4) 0.0f : totals[to];

      if (digits & 1)
        {
          total = flags & 1 ? sums[at] : total + sums[at];      /* the first digit is always 1 */
          at += step;
        }
      if (digits & 2)
        {
          total += sum_2 (sums, at, step);
          at += 2 * step;
        }
      if (digits & 4)
        {
          total += sum_4 (sums, at, step);
          at += 4 * step;
        }
      if (digits & 8)
        {
          total += sum_8 (sums, at, step);
          at += 8 * step;
        }
      if (digits & 16)
        total += sum_16 (sums, at, step);
      totals[to] = flags & 2 ? total * scale : total;
    }
}
