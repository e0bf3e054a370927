/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Noise reduction (operations/tessera-denoise.c).  Planes are rectangles of floats, rows without gaps; positions count from
 * the image's origin, on level l in pixels of 2^l x 2^l.  A hole is NaN.
 */
#pragma OPENCL FP_CONTRACT OFF

#include "tessera-dialect.h"
#include "tessera-index.h"
#include "tessera-denoise.h"
#include "tessera-pass.h"

#define WINDOW_REAL        float
#define WINDOW_ZERO        0.0f
#define WINDOW_FUNCTION    static
#define WINDOW_NAME(name)  name
#define window_where(c, x) ((c) ? (x) : 0.0f)
#define window_guess(x)    as_float (0x7ef311c7 - as_int (x))
#include "tessera-dct.h"

/* A plane: PLANE_ARGS of operations/denoise/denoise-device.c. */
#define PLANE_ARGS(name) global float *name, int name##_x, int name##_y, int name##_width, int name##_height
/* Row y, or the nearest that there is. */
#define ROW_OF(name, y)  (name + (long) (clamp ((y), name##_y, name##_y + name##_height - 1) - name##_y) * name##_width - name##_x)

/* Y, U and V of the band's pixels.  One work-item makes one pixel: 1 read, 3 writes, 6 reads of tables. */
kernel void denoise_planes (global const float *input, int input_stride, int input_left, int input_top, global const float *tones,
                            global float *luma, global float *u, global float *v, int across, int down)
{
  const int x = get_global_id (0), y = get_global_id (1);

  if (x < across && y < down)
    {
      const float4 pixel = vload4 ((long) (y + input_top) * input_stride + x + input_left, input);
      const float  r = denoise_table (tones, DENOISE_FORWARD, pixel.x * (float) (DENOISE_FORWARD - 1));
      const float  g = denoise_table (tones + DENOISE_FORWARD, DENOISE_FORWARD, pixel.y * (float) (DENOISE_FORWARD - 1));
      const float  b = denoise_table (tones + 2 * DENOISE_FORWARD, DENOISE_FORWARD, pixel.z * (float) (DENOISE_FORWARD - 1));
      const int    is_plain = (pixel.w != 0.0f) & denoise_is_plain (r) & denoise_is_plain (g) & denoise_is_plain (b);
      const long   at = (long) y * across + x;

      luma[at] = is_plain ? denoise_y (r, g, b) : denoise_hole ();
      u[at] = is_plain ? denoise_u (r, b) : denoise_hole ();
      v[at] = is_plain ? denoise_v (r, g, b) : denoise_hole ();
    }
}

/* The mean of 2 x 2 pixels of a level of `across` x `down` pixels. */
static float
mean_at (PLANE_ARGS (fine), int across, int down, int x, int y)
{
  global const float *above = ROW_OF (fine, 2 * y), *below = ROW_OF (fine, min (2 * y + 1, down - 1));
  const int           right = min (2 * x + 1, across - 1);

  return denoise_mean (above[2 * x], above[right], below[2 * x], below[right]);
}

/* The next level; if `corrects`, in place of it what it says less what `fine` says of the same pixels.  One work-item makes
 * one pixel: 4 reads, 1 write. */
kernel void denoise_halve (PLANE_ARGS (fine), int across, int down, PLANE_ARGS (coarse), int corrects)
{
  const int x = get_global_id (0), y = get_global_id (1);

  if (x < coarse_width && y < coarse_height)
    {
      const float mean = mean_at (fine, fine_x, fine_y, fine_width, fine_height, across, down, coarse_x + x, coarse_y + y);
      const long  at = (long) y * coarse_width + x;

      coarse[at] = corrects ? denoise_correction (coarse[at], mean) : mean;
    }
}

/* Adds corrections, bilinear; the coarse level has across x down pixels.  One work-item makes one pixel: 5 reads, 1 write. */
kernel void denoise_add (PLANE_ARGS (coarse), int across, int down, PLANE_ARGS (fine))
{
  const int x = get_global_id (0), y = get_global_id (1);

  if (x < fine_width && y < fine_height)
    {
      const int           px = fine_x + x, py = fine_y + y, at = px >> 1;
      const int           beside = clamp (at + (px & 1 ? 1 : -1), 0, across - 1);
      global const float *near = ROW_OF (coarse, py >> 1);
      global const float *over = ROW_OF (coarse, clamp ((py >> 1) + (py & 1 ? 1 : -1), 0, down - 1));

      fine[(long) y * fine_width + x] += denoise_between (near[at], near[beside], over[at], over[beside]);
    }
}

/* A plane that stays as it is.  One work-item copies one pixel. */
kernel void denoise_copy (PLANE_ARGS (from), PLANE_ARGS (to))
{
  const int x = get_global_id (0), y = get_global_id (1);

  if (x < to_width && y < to_height)
    to[(long) y * to_width + x] = ROW_OF (from, to_y + y)[to_x + x];
}

/* The coefficients of the window at (x, y) of a level of across x down pixels, its holes filled by the mean of the others.
 * FALSE: it has nothing but holes. */
static int
window_at (PLANE_ARGS (plane), int across, int down, int x, int y, float *f)
{
  float total = 0.0f;
  int   n = 0;

  for (int dy = 0; dy < 8; dy++)
    {
      global const float *row = ROW_OF (plane, denoise_mirror (y + dy, down));
      float               sum = 0.0f;

      for (int dx = 0; dx < 8; dx++)
        {
          const float value = row[clamp (denoise_mirror (x + dx, across), plane_x, plane_x + plane_width - 1)];

          f[8 * dy + dx] = value;
          n += value == value ? 1 : 0;
          sum += value == value ? value : 0.0f;
        }
      total += sum;
    }
  total *= window_reciprocal ((float) max (n, 1));
  for (int i = 0; i < 64; i++)
    f[i] = f[i] == f[i] ? f[i] : total;
  for (int i = 0; i < 8; i++)
    dct_forward (f + i, 8);
  for (int i = 0; i < 8; i++)
    dct_forward (f + 8 * i, 1);
  return n > 0;
}

/* What the windows of one row leave in 8 columns, transformed back along the rows: the sums over the windows that meet
 * these, in phases of x mod 8, ascending.  `second`: the stage; the first has no pilot.  sums[row of windows][8][8 blocks];
 * weights[row of windows][blocks * 8 / step].  One work-item makes one block of a row of windows. */
kernel void denoise_windows (PLANE_ARGS (plane), PLANE_ARGS (pilot), int across, int down, global const float *noise, int step,
                             int second, int left, int top, int blocks, int rows, global float *sums, global float *weights)
{
  const int block = get_global_id (0), row = get_global_id (1);
  float     sum[64], weight[4] = { 0.0f, 0.0f, 0.0f, 0.0f }, f[64], g[64];

  if (block >= blocks || row >= rows)
    return;
  for (int i = 0; i < 64; i++)
    sum[i] = 0.0f;
  for (int phase = 0; phase < 8; phase += step)
    for (int shift = phase > 0 ? phase - 8 : 0; shift <= phase; shift += 8)     /* of the window against the block */
      {
        const int x = left + 8 * block + shift, y = top + step * row;
        int       is_there = window_at (plane, plane_x, plane_y, plane_width, plane_height, across, down, x, y, f);
        float     own;

        if (second)
          {
            is_there &= window_at (pilot, pilot_x, pilot_y, pilot_width, pilot_height, across, down, x, y, g);
            own = window_wiener (f, g, noise);
          }
        else
          own = window_threshold (f, noise);
        own = is_there ? own : 0.0f;
        for (int v = 0; v < 8; v++)
          {
            for (int u = 0; u < 8; u++)
              f[8 * v + u] = is_there ? f[8 * v + u] * own : 0.0f;
            dct_inverse (f + 8 * v, 1);
            for (int u = max (0, -shift); u < min (8, 8 - shift); u++)
              sum[8 * v + u + shift] += f[8 * v + u];
          }
        for (int u = max (0, -shift); u < min (8, 8 - shift); u += step)
          weight[(u + shift) / step] += own;
      }
  for (int v = 0; v < 8; v++)
    for (int u = 0; u < 8; u++)
      sums[((long) (row * 8 + v) * blocks + block) * 8 + u] = sum[8 * v + u];
  for (int k = 0; k < 8 / step; k++)
    weights[((long) row * blocks + block) * (8 / step) + k] = weight[k];
}

/* The pixels, from the rows of windows over them in phases of y mod 8, ascending.  Holes of `plane` stay holes.  One
 * work-item makes `step` pixels of a column: 64 / step reads, `step` writes. */
kernel void denoise_sum (PLANE_ARGS (plane), PLANE_ARGS (out), int step, int left, int top, int blocks,
                         global const float *sums, global const float *weights)
{
  const int x = get_global_id (0), first = (out_y & -step) + step * (int) get_global_id (1);
  const int column = out_x + x - left;
  float     sum[4] = { 0.0f, 0.0f, 0.0f, 0.0f }, weight = 0.0f, one;

  if (x >= out_width || first >= out_y + out_height)
    return;
  for (int phase = 0; phase < 8; phase += step)
    {
      const int down = (first - phase) & 7;
      const int row = (first - down - top) / step;
      float     f[8];

      for (int v = 0; v < 8; v++)
        f[v] = sums[(long) (row * 8 + v) * blocks * 8 + column];
      dct_inverse (f, 1);
      for (int k = 0; k < step; k++)
        sum[k] += f[down + k];
      weight += weights[((long) row * blocks * 8 + column) / step];
    }
  one = window_reciprocal (weight);
  for (int k = 0; k < step; k++)
    if (first + k >= out_y && first + k < out_y + out_height)
      {
        const float here = ROW_OF (plane, first + k)[out_x + x];

        ROW_OF (out, first + k)[out_x + x] = here == here ? sum[k] * one : here;
      }
}

/* U and V as those pixels around have them whose colours are alike. */
static float2
joined (global const float *luma, global const float *u, global const float *v, int across, int down, int x, int y,
        global const float *alike, float share, float mix)
{
  const int  reach = DENOISE_WINDOW / 2;
  const long here = (long) y * across + x;
  float      sum_u = 0.0f, sum_v = 0.0f, sum = 0.0f, one;

  for (int dy = -reach; dy <= reach; dy++)
    for (int dx = -reach; dx <= reach; dx++)
      {
        const int  is_inside = (x + dx >= 0) & (x + dx < across) & (y + dy >= 0) & (y + dy < down);
        const long at = is_inside ? here + (long) dy * across + dx : here;
        const int  counts = is_inside & (luma[at] == luma[at]);
        const float like = denoise_likeness (luma[at] - luma[here], u[at] - u[here], v[at] - v[here], share,
                                             alike[(dy + reach) * DENOISE_WINDOW + dx + reach]);

        sum_u += counts ? like * u[at] : 0.0f;
        sum_v += counts ? like * v[at] : 0.0f;
        sum += counts ? like : 0.0f;
      }
  one = denoise_reciprocal (sum);
  return (float2) (u[here] + mix * (sum_u * one - u[here]), v[here] + mix * (sum_v * one - v[here]));
}

/* The result.  A hole passes through.  (made_left, made_top): its first pixel in the planes.  One work-item makes one pixel: 1 read, 1
 * write, 3 reads or, with the joint step, 147, and 6 of tables. */
kernel void denoise_finish (INPUT_ARGS (float), global const float *luma, global const float *u, global const float *v, int across,
                            int down, int made_left, int made_top, global const float *inverse, float4 scale, global const float *alike, float share, float mix,
                            OUTPUT_ARGS (float))
{
  const int x = get_global_id (0), y = get_global_id (1);

  if (x < width && y < height)
    {
      const long   at = (long) (y + made_top) * across + x + made_left;
      const float  here = luma[at];
      float4       pixel = vload4 ((long) (y + input_top) * input_stride + x + input_left, input);
      float2       colours = (float2) (u[at], v[at]);

      if (mix > 0.0f && here == here)
        colours = joined (luma, u, v, across, down, x + made_left, y + made_top, alike, share, mix);
      if (here == here)
        {
          pixel.x = denoise_table (inverse, DENOISE_INVERSE, denoise_r (here, colours.x, colours.y) * scale.x);
          pixel.y = denoise_table (inverse + DENOISE_INVERSE, DENOISE_INVERSE, denoise_g (here, colours.y) * scale.y);
          pixel.z = denoise_table (inverse + 2 * DENOISE_INVERSE, DENOISE_INVERSE, denoise_b (here, colours.x, colours.y) * scale.z);
        }
      vstore4 (pixel, (long) y * width + x, output);
    }
}
