/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Shift-and-add (operations/shared/tracks.h): for each pixel the largest sum over frames, and its velocity.  The same floats in the same order as in C.
 *
 * Planes are kept turned: a column of the picture lies in one piece, so that work-items that are neighbours along y read neighbours.  A work-item has
 * 8 pixels along x and four velocities next to one another along x: what they read of a frame is mostly the same, and stays in registers.  The items of
 * a group go through the frames together, with rows of velocities next to one another: what one has read is in the cache for the others.
 */
#pragma OPENCL FP_CONTRACT OFF

#define PIXELS 8

/* One work-item makes one number of a padded plane; any group; 1 read, 1 write.  NaN becomes 0, and so does what lies beyond the picture. */
kernel void tracks_pad (global const float *input, int stride, int width, int height, int frame, float clip, int margin_x, int margin_y, int columns,
                        int pitch, global float *planes)
{
  const int y = get_global_id (0), x = get_global_id (1), from_x = x - margin_x, from_y = y - margin_y;
  float     value = 0.0f;

  if (y >= pitch || x >= columns)
    return;
  if (from_x >= 0 && from_x < width && from_y >= 0 && from_y < height)
    value = input[((long) frame * height + from_y) * stride + from_x];
  planes[((long) frame * columns + x) * pitch + y] = isnan (value) ? 0.0f : min (value, clip);
}

static float4
four (global const float *p, int pitch)
{
  return (float4) (p[0], p[pitch], p[2 * pitch], p[3 * pitch]);
}

static float8
eight (global const float *p, int pitch)
{
  return (float8) (four (p, pitch), four (p + 4 * pitch, pitch));
}

/* Adds the 8 pixels that begin `ahead` behind the first one of `low`, which is at `p`. */
#define ADD(sum, ahead) \
  switch (ahead) \
    { \
    case 0: sum += low; break; \
    case 1: sum += (float8) (low.s1234, low.s567, high.s0); break; \
    case 2: sum += (float8) (low.s2345, low.s67, high.s01); break; \
    case 3: sum += (float8) (low.s3456, low.s7, high.s012); break; \
    case 4: sum += (float8) (low.hi, high.lo); break; \
    case 5: sum += (float8) (low.s567, high.s0, high.s1234); break; \
    case 6: sum += (float8) (low.s67, high.s01, high.s2345); break; \
    case 7: sum += (float8) (low.s7, high.s012, high.s3456); break; \
    case 8: sum += high; break; \
    default: sum += eight (p + (ahead) * pitch, pitch); break; \
    }

#define JUDGE(sum, velocity) \
  more = sum > best; \
  best = select (best, sum, more); \
  which = select (which, (int8) (velocity), more);

/* One work-item tries a part of the velocities on 8 pixels: rows get_global_id (2), + `parts` ... of the grid.  Group: 32 along y, up to 8 parts, which
 * read the same planes; for each four velocities and each frame 8 to 16 reads.  `fours`: for each four velocities and each frame, the
 * least move along x and the largest beyond that; `ahead`: the four moves beyond the least; `downs`: the move along y for each row of the grid and frame. */
kernel void tracks_try (global const float *planes, int height, int n_frames, int columns, int pitch, int n_x, int n_y, int parts,
                        global const int2 *fours, global const int4 *aheads, global const int *downs, int groups, global float *values,
                        global int *velocities)
{
  const int     at_y = get_global_id (0), y = min (at_y, height - 1), x = get_global_id (1) * PIXELS, part = get_global_id (2);
  const int     n_fours = (n_x + 3) / 4;
  float8        best = -INFINITY;
  int8          which = 0, more;

  for (int first = 0; first < n_y; first += parts)
    for (int k = 0; k < n_fours; k++)
      {
        const int           row = min (first + part, n_y - 1);  /* the last one again changes nothing */
        global const float *plane = planes + (long) x * pitch + y;
        float8              sum0 = 0.0f, sum1 = 0.0f, sum2 = 0.0f, sum3 = 0.0f;

        for (int j = 0; j < n_frames; j++)
          {
            const int2           move = fours[k * n_frames + j];
            const int4           ahead = aheads[k * n_frames + j];
            global const float *p = plane + move.x + downs[row * n_frames + j];
            const float8         low = eight (p, pitch);
            float8               high = 0.0f;

            barrier (CLK_LOCAL_MEM_FENCE);
            if (move.y > 0)
              high.lo = four (p + 8 * pitch, pitch);
            if (move.y > 4)
              high.hi = four (p + 12 * pitch, pitch);
            ADD (sum0, ahead.x)
            ADD (sum1, ahead.y)
            ADD (sum2, ahead.z)
            ADD (sum3, ahead.w)
            plane += (long) columns * pitch;
          }
        JUDGE (sum0, row * n_x + 4 * k)
        JUDGE (sum1, row * n_x + 4 * k + 1)
        JUDGE (sum2, row * n_x + 4 * k + 2)
        JUDGE (sum3, row * n_x + 4 * k + 3)
      }

  if (at_y >= height)
    return;

#define KEEP(i, s) \
  { \
    const long at = ((long) part * groups * PIXELS + x + i) * height + y; \
    values[at] = best.s; \
    velocities[at] = which.s; \
  }
  KEEP (0, s0) KEEP (1, s1) KEEP (2, s2) KEEP (3, s3) KEEP (4, s4) KEEP (5, s5) KEEP (6, s6) KEEP (7, s7)
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
      const long  at = ((long) part * groups * PIXELS + x) * height + y;
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
