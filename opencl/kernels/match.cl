/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Descriptors of A against all of B (operations/points/match-device.c): |a - b|^2 = |a|^2 + |b|^2 - 2 ab.  All sums are whole numbers below 2^24, which
 * floats have exactly.  So neither the order of sums nor what mad() rounds can matter, and the results are those of C (operations/points/match-rows.c).
 *
 * A descriptor is 128 bytes: 8 uint4.
 */
#pragma OPENCL FP_CONTRACT OFF

#define PARTS     8             /* uint4 of a descriptor: parts that are in local memory one after another */
#define PART      16            /* bytes of one */
#define SIDE      8             /* descriptors of A, and of B, of a work-item at a time */
#define ROW_BITS  9             /* of a column's key: its distance, below 2^23, and the row of its chunk */
#define CHUNK     (1 << ROW_BITS)
#define NO_KEY    0xffffffffu   /* no distance is as large */

#define ALL       _Pragma ("unroll")    /* what an unknown index reads lies in memory, not in registers */

/* One work-item makes |d|^2 of one descriptor, and its keys in each chunk larger than any distance; any group; 8 reads of a uint4, 1 write and 1 for each
 * chunk.  The keys are begun here, because wrong norms are found out by the check of a device, and old keys may look right. */
kernel void match_norms (global const uint4 *descriptors, int n, global float *norms, global uint *keys, int chunks)
{
  const int i = get_global_id (0);
  float     sum = 0.0f;

  if (i >= n)
    return;
  for (int k = 0; k < PARTS; k++)
    {
      const float16 d = convert_float16 (as_uchar16 (descriptors[(long) i * PARTS + k]));

      sum += dot (d.s0123, d.s0123) + dot (d.s4567, d.s4567) + dot (d.s89ab, d.s89ab) + dot (d.scdef, d.scdef);
    }
  norms[i] = sum;
  for (int chunk = 0; chunk < chunks; chunk++)
    keys[(long) chunk * n + i] = NO_KEY;
}

/* The bytes of one part as floats, component by component, each `step` floats behind the last. */
static void
spread_part (uint4 part, local float *to, int step)
{
  const float16 d = convert_float16 (as_uchar16 (part));

  to[0] = d.s0;
  to[step] = d.s1;
  to[2 * step] = d.s2;
  to[3 * step] = d.s3;
  to[4 * step] = d.s4;
  to[5 * step] = d.s5;
  to[6 * step] = d.s6;
  to[7 * step] = d.s7;
  to[8 * step] = d.s8;
  to[9 * step] = d.s9;
  to[10 * step] = d.sa;
  to[11 * step] = d.sb;
  to[12 * step] = d.sc;
  to[13 * step] = d.sd;
  to[14 * step] = d.se;
  to[15 * step] = d.sf;
}

/* Brings part `k` of the group's descriptors to local memory.  What lies beyond the last one is the last one again. */
static void
bring_part (global const uint4 *a, int n_a, int first_a, global const uint4 *b, int n_b, int first_b, int k, local float *a_near, local float *b_near)
{
  const int rows = SIDE * get_local_size (1), columns = SIDE * get_local_size (0);
  const int items = get_local_size (0) * get_local_size (1);

  for (int i = get_local_id (1) * get_local_size (0) + get_local_id (0); i < rows + columns; i += items)
    if (i < rows)
      spread_part (a[(long) min (first_a + i, n_a - 1) * PARTS + k], a_near + i, rows);
    else
      spread_part (b[(long) min (first_b + i - rows, n_b - 1) * PARTS + k], b_near + i - rows, columns);
}

/* Of SIDE rows, from `row` on; what lies beyond the last one is the last one again. */
static float8
norms_from (global const float *norms, int row, int n)
{
  float f[SIDE];

  ALL for (int r = 0; r < SIDE; r++)
    f[r] = norms[min (row + r, n - 1)];
  return (float8) (f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7]);
}

static uint
least_of (uint8 v)
{
  const uint4 four = min (v.lo, v.hi);
  const uint2 two = min (four.lo, four.hi);

  return min (two.lo, two.hi);
}

/* One work-item compares SIDE rows, descriptors of A, with SIDE columns, descriptors of B, at a time: a register for each pair, its rows in a vector.  A
 * group of w x h items has 8 h rows and 8 w columns.  It goes on to the columns 8 `across` further, `across` being the number of items along B.
 * Group: up to 16 x 16; local: 64 (8 w + 8 h) bytes; reads of 8 (w + h) descriptors, for 64 distances of each work-item.
 * Rows: each work-item writes the best, the second best and the index of its columns, in plane get_global_id (0) of `stride` rows.
 * Columns: a key holds the distance, and the row in its chunk of 512 below it.  The least key is the nearest row, of several the first. */
kernel void match_tiles (global const uint4 *a, global const uint4 *b, global const float *a_norms, global const float *b_norms, int n_a, int n_b,
                         int across, int stride, global float *best, global float *second, global int *index, global uint *keys,
                         local float8 *a_near, local float4 *b_near)
{
  const int  x = get_local_id (0), y = get_local_id (1), wide = get_local_size (0), high = get_local_size (1);
  const int  row = get_global_id (1) * SIDE, first_row = row - y * SIDE;
  const int8 rows = row + (int8) (0, 1, 2, 3, 4, 5, 6, 7);
  const uint8 in_chunk = as_uint8 (rows) & (uint) (CHUNK - 1);
  float8     norms = 0.0f, nearest = INFINITY, next = INFINITY;
  int8       which = -1;

  if (row < n_a)
    norms = norms_from (a_norms, row, n_a);
  for (int first = ((int) get_global_id (0) - x) * SIDE; first < n_b; first += across * SIDE)
    {
      float8 sums[SIDE];

      ALL for (int j = 0; j < SIDE; j++)
        sums[j] = 0.0f;
      for (int k = 0; k < PARTS; k++)
        {
          barrier (CLK_LOCAL_MEM_FENCE);
          bring_part (a, n_a, first_row, b, n_b, first, k, (local float *) a_near, (local float *) b_near);
          barrier (CLK_LOCAL_MEM_FENCE);
          for (int i = 0; i < PART; i++)
            {
              const float8 near_a = a_near[i * high + y];
              const float4 left = b_near[2 * i * wide + x], right = b_near[(2 * i + 1) * wide + x];
              const float  near_b[SIDE] = { left.x, left.y, left.z, left.w, right.x, right.y, right.z, right.w };

              ALL for (int j = 0; j < SIDE; j++)
                sums[j] = mad (near_a, (float8) near_b[j], sums[j]);
            }
        }

      /* The half of a work-item's columns lies 4 w columns further, so that neighbours read neighbouring local memory. */
      ALL for (int j = 0; j < SIDE; j++)
        {
          const int    column = first + SIDE / 2 * x + j + (j < SIDE / 2 ? 0 : SIDE / 2 * (wide - 1));
          const float8 distance = (norms + (column < n_b ? b_norms[column] : INFINITY)) - (sums[j] + sums[j]);
          const int8   nearer = distance < nearest;

          next = min (next, max (nearest, distance));
          nearest = min (nearest, distance);
          which = select (which, (int8) column, nearer);
          if (column < n_b && row < n_a)        /* 2^23 + d ends in the bits of d */
            atomic_min (keys + (long) (row / CHUNK) * n_b + column,
                        least_of ((as_uint8 (distance + 8388608.0f) << ROW_BITS) + in_chunk));
        }
    }
  if (row < n_a)
    {
      const long at = (long) get_global_id (0) * stride + row;

      vstore8 (nearest, 0, best + at);
      vstore8 (next, 0, second + at);
      vstore8 (which, 0, index + at);
    }
}

/* One work-item joins the planes of one row, and finds the nearest row to its column.  Any group; 3 reads of each plane, 1 of each chunk, 4 writes. */
kernel void match_answer (global const float *best, global const float *second, global const int *index, global const uint *keys, int n_a, int n_b,
                          int across, int stride, global int *output)
{
  const int i = get_global_id (0);
  float     nearest = INFINITY, next = INFINITY;
  int       which = -1, back = -1;
  uint      least = NO_KEY >> ROW_BITS;

  if (i >= n_a)
    return;
  for (int k = 0; k < across; k++)
    {
      const long  at = (long) k * stride + i;
      const float distance = best[at];
      const int   column = index[at], nearer = distance < nearest || (distance == nearest && column < which);

      next = min (next, min (second[at], nearer ? nearest : distance));
      nearest = nearer ? distance : nearest;
      which = nearer ? column : which;
    }
  which = clamp (which, 0, n_b - 1);    /* whatever a device that is not checked yet has left there */
  for (int chunk = 0; chunk * CHUNK < n_a; chunk++)
    {
      const uint key = keys[(long) chunk * n_b + which];

      if (key >> ROW_BITS < least)
        {
          least = key >> ROW_BITS;
          back = chunk * CHUNK + (key & (CHUNK - 1));
        }
    }
  vstore4 ((int4) (as_int (nearest), as_int (next), which, back), i, output);
}
