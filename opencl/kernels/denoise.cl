/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Noise reduction (operations/tessera-denoise.c).  Planes are rectangles of floats, rows without gaps; positions count from
 * the image's origin, on level l in pixels of 2^l x 2^l.  A hole is NaN.
 */
#pragma OPENCL FP_CONTRACT OFF

#include "tessera-dialect.h"
#include "tessera-index.h"
#include "tessera-denoise.h"
#include "tessera-denoise-survey.h"
#include "tessera-pass.h"

#define WINDOW_REAL        float
#define WINDOW_ZERO        0.0f
#define WINDOW_FUNCTION    static
#define WINDOW_NAME(name)  name
#define window_where(c, x) ((c) ? (x) : 0.0f)
#define window_guess(x)    as_float (0x7ef311c7 - as_int (x))
#include "tessera-dct.h"

/* Where planes lie: `places` has PLACES of (x, y, width, height) for each level, as operations/denoise/denoise-device.c sends them.
 * Planes of one rectangle lie one behind another.  Kernels make as many of them as their third dimension: Y (kind 0), or U
 * and V (1). */
#define PLACE_READ    0         /* planes that are cleaned */
#define PLACE_MADE    1         /* ... and what is made of them */
#define PLACE_PILOT   2         /* ... in between; has its kind's planes alone */
#define PLACE_SIZE    3         /* width and height of the level */
#define PLACE_WINDOWS 4         /* of each kind and stage: left, top, blocks of 8 columns, rows of windows */
#define PLACES        8
#define STEP(kind)    ((kind) == 0 ? 2 : 4)

typedef struct
{
  global float *pixels;         /* of pixel (0, 0), which need not be there */
  int           x, y, width, height;
} Plane;

static Plane
plane_at (global float *pixels, global const int *places, int level, int place, int plane)
{
  const int4 at = vload4 (level * PLACES + place, places);

  return (Plane) { pixels + (long) plane * at.z * at.w - (long) at.y * at.z - at.x, at.x, at.y, at.z, at.w };
}

static global float *
row_of (const Plane *plane, int y)
{
  return plane->pixels + (long) y * plane->width;
}

/* A pixel whose noise is 1 in every tone. */
static float4
bent_pixel (global const float *tones, float4 pixel)
{
  pixel.x = denoise_table (tones, DENOISE_FORWARD, pixel.x * (float) (DENOISE_FORWARD - 1));
  pixel.y = denoise_table (tones + DENOISE_FORWARD, DENOISE_FORWARD, pixel.y * (float) (DENOISE_FORWARD - 1));
  pixel.z = denoise_table (tones + 2 * DENOISE_FORWARD, DENOISE_FORWARD, pixel.z * (float) (DENOISE_FORWARD - 1));
  return pixel;
}

/* Y, U and V of the band's pixels.  One work-item makes one pixel: 1 read, 3 writes, 6 reads of tables. */
kernel void denoise_planes (global const float *input, int input_stride, int input_left, int input_top, global const float *tones,
                            global float *planes, int across, int down)
{
  const int  x = get_global_id (0), y = get_global_id (1);
  const long size = (long) across * down;

  if (x < across && y < down)
    {
      const float4 bent = bent_pixel (tones, vload4 ((long) (y + input_top) * input_stride + x + input_left, input));
      const int    is_plain = (bent.w != 0.0f) & denoise_is_plain (bent.x) & denoise_is_plain (bent.y) & denoise_is_plain (bent.z);
      const long   at = (long) y * across + x;

      planes[at] = is_plain ? denoise_y (bent.x, bent.y, bent.z) : denoise_hole ();
      planes[size + at] = is_plain ? denoise_u (bent.x, bent.z) : denoise_hole ();
      planes[2 * size + at] = is_plain ? denoise_v (bent.x, bent.y, bent.z) : denoise_hole ();
    }
}

/* The mean of 2 x 2 pixels of a level of `size` pixels. */
static float
mean_at (const Plane *fine, int4 size, int x, int y)
{
  global const float *above = row_of (fine, 2 * y), *below = row_of (fine, min (2 * y + 1, size.y - 1));
  const int           right = min (2 * x + 1, size.x - 1);

  return denoise_mean (above[2 * x], above[right], below[2 * x], below[right]);
}

/* The level after `level`; if `corrects`, in place of it what it says less what the finer one says of the same pixels.  One
 * work-item makes one pixel: 4 reads, 1 write. */
kernel void denoise_halve (global float *from, global float *to, global const int *places, int level, int kind, int corrects)
{
  const int   plane = kind + get_global_id (2), place = corrects ? PLACE_MADE : PLACE_READ;
  const Plane fine = plane_at (from, places, level, place, plane), coarse = plane_at (to, places, level + 1, place, plane);
  const int   x = coarse.x + get_global_id (0), y = coarse.y + get_global_id (1);

  if (x < coarse.x + coarse.width && y < coarse.y + coarse.height)
    {
      const float         mean = mean_at (&fine, vload4 (level * PLACES + PLACE_SIZE, places), x, y);
      global float *const pixel = row_of (&coarse, y) + x;

      *pixel = corrects ? denoise_correction (*pixel, mean) : mean;
    }
}

/* Adds the corrections of the level after `level`, bilinear.  One work-item makes one pixel: 5 reads, 1 write. */
kernel void denoise_add (global float *from, global float *to, global const int *places, int level, int kind)
{
  const int   plane = kind + get_global_id (2);
  const Plane coarse = plane_at (from, places, level + 1, PLACE_MADE, plane), fine = plane_at (to, places, level, PLACE_MADE, plane);
  const int   x = fine.x + get_global_id (0), y = fine.y + get_global_id (1), at = x >> 1;

  if (x < fine.x + fine.width && y < fine.y + fine.height)
    {
      /* Where the coarse plane ends, the image ends, or what results need. */
      const int           beside = clamp (at + (x & 1 ? 1 : -1), coarse.x, coarse.x + coarse.width - 1);
      global const float *near = row_of (&coarse, y >> 1);
      global const float *over = row_of (&coarse, clamp ((y >> 1) + (y & 1 ? 1 : -1), coarse.y, coarse.y + coarse.height - 1));

      row_of (&fine, y)[x] += denoise_between (near[at], near[beside], over[at], over[beside]);
    }
}

/* Planes that stay as they are.  One work-item copies one pixel. */
kernel void denoise_copy (global float *from, global float *to, global const int *places, int kind)
{
  const int   plane = kind + get_global_id (2);
  const Plane seen = plane_at (from, places, 0, PLACE_READ, plane), made = plane_at (to, places, 0, PLACE_MADE, plane);
  const int   x = made.x + get_global_id (0), y = made.y + get_global_id (1);

  if (x < made.x + made.width && y < made.y + made.height)
    row_of (&made, y)[x] = row_of (&seen, y)[x];
}

/* Down the columns, then along the rows. */
static void
transform (float *f)
{
  for (int i = 0; i < 8; i++)
    dct_forward (f + i, 8);
  for (int i = 0; i < 8; i++)
    dct_forward (f + 8 * i, 1);
}

/* Adds up 8 values of a row, but for holes, and counts them. */
static float
row_sum (const float *values, int *n)
{
  float sum = 0.0f;

  for (int dx = 0; dx < 8; dx++)
    {
      *n += values[dx] == values[dx] ? 1 : 0;
      sum += values[dx] == values[dx] ? values[dx] : 0.0f;
    }
  return sum;
}

/* The pixels of a window that lies in the plane. */
static void
read_inside (const Plane *plane, int x, int y, float *f)
{
  for (int dy = 0; dy < 8; dy++)
    {
      global const float *row = row_of (plane, y + dy) + x;

      for (int dx = 0; dx < 8; dx++)
        f[8 * dy + dx] = row[dx];
    }
}

/* Of one that need not.  What no result needs may lie beside the plane: there its edge is read. */
static void
read_mirrored (const Plane *plane, int4 size, int x, int y, float *f)
{
  for (int dy = 0; dy < 8; dy++)
    {
      global const float *row = row_of (plane, clamp (denoise_mirror (y + dy, size.y), plane->y, plane->y + plane->height - 1));

      for (int dx = 0; dx < 8; dx++)
        f[8 * dy + dx] = row[clamp (denoise_mirror (x + dx, size.x), plane->x, plane->x + plane->width - 1)];
    }
}

/* The coefficients of the window at (x, y) of a level of `size` pixels, its holes filled by the mean of the others.  FALSE: it has
 * nothing but holes. */
static int
window_at (const Plane *plane, int4 size, int x, int y, float *f)
{
  float total = 0.0f;
  int   n = 0;

  if (x >= plane->x && x + 8 <= plane->x + plane->width && y >= plane->y && y + 8 <= plane->y + plane->height)
    read_inside (plane, x, y, f);
  else
    read_mirrored (plane, size, x, y, f);
  for (int dy = 0; dy < 8; dy++)
    total += row_sum (f + 8 * dy, &n);
  total *= window_reciprocal ((float) max (n, 1));
  for (int i = 0; i < 64; i++)
    f[i] = f[i] == f[i] ? f[i] : total;
  transform (f);
  return n > 0;
}

/* What the windows of one row leave in 8 columns, transformed back along the rows: the sums over the windows that meet
 * these, in phases of x mod 8, ascending.  `second`: the stage; the first has no pilot.  sums[plane][row of
 * windows][block][8][8]; weights[plane][row of windows][block][8 / step].  One work-item makes one block of a row of windows:
 * 64 reads for each of 7 or 3 windows, twice as many in the second stage, 68 or 66 writes. */
kernel void denoise_windows (global float *seen, global float *pilot, global const int *places, int level, int kind, int second,
                             global const float *noise, global float *sums, global float *weights)
{
  const int   block = get_global_id (0), row = get_global_id (1), layer = get_global_id (2), step = STEP (kind);
  const int4  windows = vload4 (level * PLACES + PLACE_WINDOWS + 2 * kind + second, places);
  const int4  size = vload4 (level * PLACES + PLACE_SIZE, places);
  const Plane plane = plane_at (seen, places, level, PLACE_READ, kind + layer);
  const Plane before = plane_at (pilot, places, level, PLACE_PILOT, layer);
  const long  place = ((long) layer * windows.w + row) * windows.z + block;
  float       sum[64], weight[4] = { 0.0f, 0.0f, 0.0f, 0.0f }, f[64], g[64];

  if (block >= windows.z || row >= windows.w)
    return;
  noise += (3 * level + kind + layer) * NOISE_FLOATS;
  for (int i = 0; i < 64; i++)
    sum[i] = 0.0f;
  for (int phase = 0; phase < 8; phase += step)
    for (int shift = phase > 0 ? phase - 8 : 0; shift <= phase; shift += 8)     /* of the window against the block */
      {
        const int x = windows.x + 8 * block + shift, y = windows.y + step * row;
        int       is_there = window_at (&plane, size, x, y, f);
        float     own;

        if (second)
          {
            is_there &= window_at (&before, size, x, y, g);
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
            for (int u = 0; u < 8; u++)         /* f is indexed by constants, and stays in registers */
              if (u + shift >= 0 && u + shift < 8)
                sum[8 * v + u + shift] += f[8 * v + u];
          }
        for (int u = max (0, -shift); u < min (8, 8 - shift); u += step)
          weight[(u + shift) / step] += own;
      }
  for (int i = 0; i < 64; i++)
    sums[place * 64 + i] = sum[i];
  for (int k = 0; k < 8 / step; k++)
    weights[place * (8 / step) + k] = weight[k];
}

/* The pixels, from the rows of windows over them in phases of y mod 8, ascending.  Holes stay holes.  One work-item makes `step`
 * pixels of a column: 64 / step reads, `step` writes. */
kernel void denoise_sum (global float *seen, global float *made, global const int *places, int level, int kind, int second,
                         global const float *sums, global const float *weights)
{
  const int   layer = get_global_id (2), step = STEP (kind);
  const int4  windows = vload4 (level * PLACES + PLACE_WINDOWS + 2 * kind + second, places);
  const Plane plane = plane_at (seen, places, level, PLACE_READ, kind + layer);
  const Plane out = plane_at (made, places, level, second ? PLACE_MADE : PLACE_PILOT, second ? kind + layer : layer);
  const int   x = out.x + get_global_id (0), y = (out.y & -step) + step * (int) get_global_id (1), column = x - windows.x;
  float       sum[4] = { 0.0f, 0.0f, 0.0f, 0.0f }, weight = 0.0f, one;

  if (x >= out.x + out.width || y >= out.y + out.height)
    return;
  for (int phase = 0; phase < 8; phase += step)
    {
      const int  down = (y - phase) & 7;        /* of the pixels in the window */
      const long place = ((long) layer * windows.w + (y - down - windows.y) / step) * windows.z + column / 8;
      float      f[8];

      for (int v = 0; v < 8; v++)
        f[v] = sums[place * 64 + 8 * v + column % 8];
      dct_inverse (f, 1);
      for (int k = 0; k < step; k++)
        sum[k] += f[down + k];
      weight += weights[place * (8 / step) + column % 8 / step];
    }
  one = window_reciprocal (weight);
  for (int k = 0; k < step; k++)
    if (y + k >= out.y && y + k < out.y + out.height)
      {
        const float here = row_of (&plane, y + k)[x];

        row_of (&out, y + k)[x] = here == here ? sum[k] * one : here;
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

/* The result.  A hole passes through, and a channel that `stays` has a bit of.  (made_left, made_top): its first pixel in the planes.  One work-item makes one pixel: 1 read, 1
 * write, 3 reads or, with the joint step, 147, and 6 of tables. */
kernel void denoise_finish (INPUT_ARGS (float), global const float *luma, int across, int down, int made_left, int made_top, global const float *inverse, float4 scale, global const float *alike, float share, float mix,
                            int stays, OUTPUT_ARGS (float))
{
  const int x = get_global_id (0), y = get_global_id (1);

  if (x < width && y < height)
    {
      const long   at = (long) (y + made_top) * across + x + made_left, size = (long) across * down;
      const float  here = luma[at];
      float4       pixel = vload4 ((long) (y + input_top) * input_stride + x + input_left, input);
      float2       colours = (float2) (luma[size + at], luma[2 * size + at]);

      if (mix > 0.0f && here == here)
        colours = joined (luma, luma + size, luma + 2 * size, across, down, x + made_left, y + made_top, alike, share, mix);
      if (here == here)
        {
          const float r = denoise_table (inverse, DENOISE_INVERSE, denoise_r (here, colours.x, colours.y) * scale.x);
          const float g = denoise_table (inverse + DENOISE_INVERSE, DENOISE_INVERSE, denoise_g (here, colours.y) * scale.y);
          const float b = denoise_table (inverse + 2 * DENOISE_INVERSE, DENOISE_INVERSE, denoise_b (here, colours.x, colours.y) * scale.z);

          pixel.x = stays & 1 ? pixel.x : r;
          pixel.y = stays & 2 ? pixel.y : g;
          pixel.z = stays & 4 ? pixel.z : b;
        }
      vstore4 (pixel, (long) y * width + x, output);
    }
}

/* ----------------------------------------------------------------- survey -- */

/* Which word of a sum of 64 bits is the low one. */
#ifdef __ENDIAN_LITTLE__
#define LOW 0
#else
#define LOW 1
#endif

/* Not every device adds 64 bits atomically: what wraps is carried. */
static void
add_whole (global uint *sum, uint more)
{
  const uint before = atomic_add (sum + LOW, more);

  if (before + more < before)
    atomic_inc (sum + 1 - LOW);
}

/* Blocks of 8 x 8 pixels, across x down of them, the first at (left, top) of the image. */
#define BLOCKS_ARGS global const float *image, int stride, int left, int top, int across, int down

/* Puts the pixels of a band where those of the image stay.  One work-item copies one pixel. */
kernel void denoise_keep (global const float *image, int stride, int left, int top, int across, int down, global float *kept, int row)
{
  const int x = get_global_id (0), y = get_global_id (1);

  if (x < across && y < down)
    vstore4 (vload4 ((long) (top + y) * stride + left + x, image), (long) (row + y) * across + x, kept);
}

/* Pixel i of block (x, y). */
static float4
pixel_of (global const float *image, int stride, int left, int top, int x, int y, int i)
{
  return vload4 ((long) (top + 8 * y + i / 8) * stride + left + 8 * x + i % 8, image);
}

/* Counts the tones of blocks, in words: n[channel][tone][class], alive[channel], blocks, then sums of means[channel][tone].  One
 * work-item counts one channel of a block: 64 reads, 3 atomic additions of 32 bits at most, and 1 of 64. */
kernel void denoise_count_tones (BLOCKS_ARGS, global uint *counts)
{
  const int     x = get_global_id (0), y = get_global_id (1), c = get_global_id (2);
  float         f[64];
  unsigned char is_hole[64];
  int           clipped = 0, holes = 0;

  if (x >= across || y >= down)
    return;
  for (int i = 0; i < 64; i++)
    {
      const float4 pixel = pixel_of (image, stride, left, top, x, y, i);

      f[i] = c == 0 ? pixel.x : c == 1 ? pixel.y : pixel.z;
      is_hole[i] = (unsigned char) survey_is_hole (pixel.x, pixel.y, pixel.z, pixel.w);
      holes += is_hole[i];
      clipped += (is_hole[i] == 0) & survey_is_clipped (f[i]);
    }
  if (holes > SURVEY_HOLES)
    return;
  if (clipped < 64 - holes)
    atomic_add (counts + TONES_ALIVE + c, 64 - holes - clipped);
  if (c == 0)
    atomic_inc (counts + TONES_ALIVE + 3);
  if (clipped <= SURVEY_CLIPPED)
    {
      const float scale = survey_fill (f, is_hole, holes);
      float       mean, energy;
      int         bin;

      transform (f);
      mean = survey_mean (f[0]);
      bin = c * SURVEY_TONES + survey_tone (mean);
      energy = survey_energy (f, TONE_ROUGH, 0.0f) * TONE_SHARE;
      atomic_inc (counts + bin * TONE_CLASSES + survey_class (energy * scale, TONE_CLASSES));
      add_whole (counts + TONES_MEANS + 2 * bin, survey_whole (mean));
    }
}

/* Counts the energies of blocks in Y, U and V, in words: n[class], from PLANES_SQUARES on sums of squares[class][plane][64].
 * One work-item counts one block: 64 reads and 384 of tables, 1 atomic addition of 32 bits and 192 of 64. */
kernel void denoise_count_planes (BLOCKS_ARGS, global const float *tones, int seen, global uint *counts)
{
  const int     x = get_global_id (0), y = get_global_id (1);
  float         f[3 * 64], energy = 0.0f, scale = 1.0f;
  unsigned char is_hole[64];
  int           clipped = 0, holes = 0;

  if (x >= across || y >= down)
    return;
  for (int i = 0; i < 64; i++)
    {
      const float4 pixel = pixel_of (image, stride, left, top, x, y, i), bent = bent_pixel (tones, pixel);

      f[i] = denoise_y (bent.x, bent.y, bent.z);
      f[64 + i] = denoise_u (bent.x, bent.z);
      f[128 + i] = denoise_v (bent.x, bent.y, bent.z);
      is_hole[i] = (unsigned char) survey_is_hole (pixel.x, pixel.y, pixel.z, pixel.w);
      holes += is_hole[i];
      clipped += (is_hole[i] == 0) & survey_any_clipped (pixel.x, pixel.y, pixel.z, seen);
    }
  if (holes > SURVEY_HOLES || clipped > SURVEY_CLIPPED)
    return;
  for (int plane = 0; plane < 3; plane++)
    {
      scale = survey_fill (f + 64 * plane, is_hole, holes);
      transform (f + 64 * plane);
      energy = survey_energy (f + 64 * plane, PLANE_ROUGH, energy);
    }
  {
    const int    class = survey_class (energy * PLANE_SHARE * scale, PLANE_CLASSES);
    global uint *sums = counts + PLANES_SQUARES + 2 * 192 * class;

    atomic_inc (counts + class);
    for (int i = 0; i < 192; i++)
      add_whole (sums + 2 * i, survey_whole (survey_square (f[i], scale)));
  }
}
