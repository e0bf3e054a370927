/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Mean over a square, one axis at a time.  S_k(x) is the sum of k pixels from x on.  It is made by doubling:
 * S_2k(x) = S_k(x) + S_k(x + k).  The sum of n = 2r + 1 pixels adds one S_k for each binary digit k of n, the
 * smallest first.  One launch adds up to five digits.  It makes S_16k of S_k by adding 16 in pairs.
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

/* `sums` holds S_k.  One work-item makes one pixel of `totals` and one of `next`.
 *
 * To the pixel of `totals` it adds those of S_k, S_2k .. S_16k whose bit in `digits` is set, beginning `skip`
 * elements on.  flags & 1: these are the first addends.  flags & 2: they are the last, and the total is scaled.
 * The pixel of `next` is S_16k; if next_width is 0, none is made.  `next` has the stride of `sums`.  `step` is the
 * number of elements between two S_k that are added.  At most 47 reads, 2 writes, no local memory. */
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
