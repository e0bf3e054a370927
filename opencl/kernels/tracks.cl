/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Shift-and-add (operations/sequences/tracks.h): for each pixel the largest sum over frames, and its velocity.  The same floats in the same order as in C.
 *
 * Planes are kept in strips of 32 rows, and a strip column by column: work-items that are neighbours along y read neighbours, and the compiler knows how
 * far away the next column is.  A work-item has 16 pixels along x and four velocities next to one another along x, whose sums stay in registers: what
 * they read of a frame is mostly the same, and is read once.  The items of a group have rows of velocities next to one another: what one has read is in
 * the cache for the others.  With 8 rows in place of 16 it takes 1.07 times as long, with 4 1.2 (H100, 2026-11-27).  With 8 pixels it takes 1.2 times as
 * long, with 24, which leave too few items to the registers of a multiprocessor, 1.4 (H200, 2026-11-24).  Moves are read two frames ahead.  With whole
 * columns in one piece, and moves read when they are used, it takes longer, Price: 1.1 (H100, 2026-11-27).
 */
#pragma OPENCL FP_CONTRACT OFF

#define PIXELS 16
#define STRIP  32               /* rows of a plane that lie together, and pixels along y whose results do */
#define SPREAD 9                /* how far apart four velocities read in a frame, if they read next to one another */
#define ALL    _Pragma ("unroll")

/* One work-item makes one number of a padded plane; any group; 1 read, 1 write.  What lies beyond the picture is 0. */
kernel void tracks_pad (global const float *input, int stride, int width, int height, int frame, int margin_x, int margin_y, int columns, int pitch,
                        global float *planes)
{
  const int y = get_global_id (0), x = get_global_id (1), from_x = x - margin_x, from_y = y - margin_y;

  if (y >= pitch || x >= columns)
    return;
  planes[(((long) frame * (pitch / STRIP) + y / STRIP) * columns + x) * STRIP + y % STRIP]
    = from_x >= 0 && from_x < width && from_y >= 0 && from_y < height ? input[((long) frame * height + from_y) * stride + from_x] : 0.0f;
}

/* How much further each velocity moves than the one before it; 64: each less far. */
#define ADD(a, b, c) \
  case 16 * (a) + 4 * (b) + (c): \
    ALL for (int i = 0; i < PIXELS; i++) \
      { \
        sums[0][i] += row[i]; \
        sums[1][i] += row[i + (a)]; \
        sums[2][i] += row[i + (a) + (b)]; \
        sums[3][i] += row[i + (a) + (b) + (c)]; \
      } \
    break; \
  case 64 + 16 * (a) + 4 * (b) + (c): \
    ALL for (int i = 0; i < PIXELS; i++) \
      { \
        sums[0][i] += row[i + (a) + (b) + (c)]; \
        sums[1][i] += row[i + (b) + (c)]; \
        sums[2][i] += row[i + (c)]; \
        sums[3][i] += row[i]; \
      } \
    break;
/* What rounding makes of equal steps. */
#define ADD_ALL(d) \
  ADD (d, d, d + 1) ADD (d, d + 1, d) ADD (d, d + 1, d + 1) ADD (d + 1, d, d) ADD (d + 1, d, d + 1) ADD (d + 1, d + 1, d) ADD (d + 1, d + 1, d + 1)

#define ADD_TO(sum) ALL for (int i = 0; i < PIXELS; i++) sum[i] += row[i]

/* A macro: a function would put the sums into memory (clang 14, nvptx64).
 * What each velocity reads is read for itself; `aheads`: how far it is from the least. */
#define ADD_APART(aheads) \
  _Pragma ("unroll 1") for (int v = 0; v < 4; v++) \
    { \
      global const float *q = p + (long) (aheads)[v] * STRIP; \
\
      ALL for (int i = 0; i < PIXELS; i++) \
        row[i] = q[i * STRIP]; \
      if (v == 0) \
        ADD_TO (sums[0]); \
      else if (v == 1) \
        ADD_TO (sums[1]); \
      else if (v == 2) \
        ADD_TO (sums[2]); \
      else \
        ADD_TO (sums[3]); \
    }

/* The best of four velocities, 4 k ... of row `at` of the grid, for each pixel, if it is better than what is kept; and
 * sums from 0 on. */
static void
judge (float sums[4][PIXELS], float *row, int k, int at, int n_x, global float *value, global int *velocity)
{
  ALL for (int i = 0; i < PIXELS; i++)
    row[i] = value[i * STRIP];
  ALL for (int i = 0; i < PIXELS; i++)
    {
      float best = -INFINITY;
      int   which = 0;

      ALL for (int v = 0; v < 4; v++)
        {
          if (sums[v][i] > best && 4 * k + v < n_x)
            {
              best = sums[v][i];
              which = v;
            }
          sums[v][i] = 0.0f;
        }
      if (best > row[i])
        {
          value[i * STRIP] = best;
          velocity[i * STRIP] = at * n_x + 4 * k + which;
        }
    }
}

/* What four velocities read of a frame for PIXELS pixels: the largest move is `spread` beyond the least. */
static void
read_row (global const float *p, int spread, float *row)
{
  ALL for (int i = 0; i < PIXELS; i++)
    row[i] = p[i * STRIP];
  ALL for (int i = 0; i < SPREAD; i++)
    row[PIXELS + i] = 0.0f;
  if (spread > 0)
    ALL for (int i = PIXELS; i < PIXELS + 4; i++)
      row[i] = p[i * STRIP];
  if (spread > 4)
    ALL for (int i = PIXELS + 4; i < PIXELS + SPREAD; i++)
      row[i] = p[i * STRIP];
}

/* One work-item tries the velocities of one row of the grid on 16 pixels; it keeps the best of what it has tried from the grid's first row on.  Group: 32
 * along y, 16 rows next to one another, of the `rows` from `first` on; for each four velocities and each frame 16 to 25 reads.  `fours`: for
 * each four velocities and each frame the least move along x, the largest beyond that, how they differ (tracks-device.c); `aheads`: how far each is beyond
 * the least; `downs`: the move along y for each row of the grid and frame. */
kernel void tracks_try (global const float *planes, int height, int n_frames, int columns, int pitch, int n_x, int n_y, int first, int rows,
                        global const int4 *fours, global const int *aheads, global const int *downs, int groups, global float *restrict values,
                        global int *restrict velocities)
{
  const int           y = get_global_id (0), group = get_global_id (1), part = get_global_id (2), at = first + part, strips = (height + STRIP - 1) / STRIP;
  const long          slot = (((long) part * groups + group) * strips + y / STRIP) * PIXELS * STRIP + y % STRIP;
  global const float *here = planes + group * PIXELS * STRIP;
  global float       *value = values + slot;
  global int         *velocity = velocities + slot;
  float               sums[4][PIXELS], row[PIXELS + SPREAD];

  if (part >= rows || at >= n_y || y >= strips * STRIP || group >= groups)
    return;
  ALL for (int i = 0; i < PIXELS; i++)
    {
      sums[0][i] = sums[1][i] = sums[2][i] = sums[3][i] = 0.0f;
      if (first == 0)
        {
          value[i * STRIP] = -INFINITY;
          velocity[i * STRIP] = 0;
        }
    }
  for (int k = 0; 4 * k < n_x; k++)
    {
      const int last = n_frames - 1;
      int4      next = fours[k * n_frames], after = fours[k * n_frames + min (1, last)];
      int       next_down = downs[at * n_frames], after_down = downs[at * n_frames + min (1, last)];

      for (int j = 0; j < n_frames; j++)
        {
          const int4          move = next;
          const uint          from_y = y + next_down;
          global const float *p = here + ((long) (j * (pitch / STRIP) + from_y / STRIP) * columns + move.x) * STRIP + from_y % STRIP;

          next = after;
          next_down = after_down;
          after = fours[k * n_frames + min (j + 2, last)];
          after_down = downs[at * n_frames + min (j + 2, last)];
          read_row (p, move.y, row);
          switch (move.z)
            {
            ADD (0, 0, 0) ADD_ALL (0) ADD_ALL (1) ADD_ALL (2)
            default:
              ADD_APART (aheads + 4 * (k * n_frames + j))
            }
        }
      judge (sums, row, k, at, n_x, value, velocity);
    }
}

/* One work-item joins the parts of one pixel: of equal values the first velocity's.  Any group; reads 2 numbers of each part, writes 2. */
kernel void tracks_join (global const float *values, global const int *velocities, int width, int height, int groups, int parts, float scale,
                         global int *output, int stride)
{
  const int x = get_global_id (0), y = get_global_id (1);
  float     best = -INFINITY;
  int       which = 0;

  if (x >= width || y >= height)
    return;
  for (int part = 0; part < parts; part++)
    {
      const long  at = ((((long) part * groups + x / PIXELS) * ((height + STRIP - 1) / STRIP) + y / STRIP) * PIXELS + x % PIXELS) * STRIP + y % STRIP;
      const float value = values[at];
      const int   velocity = velocities[at];

      if (value > best || (value == best && velocity < which))
        {
          best = value;
          which = velocity;
        }
    }
  vstore2 ((int2) (as_int (best * scale), which), (long) y * stride + x, output);
}
