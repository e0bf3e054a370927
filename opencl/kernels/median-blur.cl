/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The median, or another rank, of a neighbourhood, exactly.  Floats become integer keys in the same order
 * (tessera-median.h).  Networks find the medians of small squares.  Up to some radius, a group finds those of
 * its pixels together, among codes of 7 bits first.  For all else, a search halves the span of the keys that occur.
 */
#pragma OPENCL FP_CONTRACT OFF

/* A program holds what a setting needs (tessera-median-blur.c says which), or all.  The networks' parts are their sides. */
#define MEDIAN_SEARCH 1
#define MEDIAN_SQUARE 2
#define MEDIAN_CIRCLE 4
#ifndef MEDIAN_PART
#define MEDIAN_PART   0         /* all */
#endif
#define HAS(part)     (MEDIAN_PART == 0 || MEDIAN_PART == (part))

#include "tessera-median.h"
#include "tessera-median-networks.h"

#define SWAP(a, b) \
  { \
    const int less = min (v[a], v[b]); \
    v[b] = max (v[a], v[b]); \
    v[a] = less; \
  }

/* Makes the keys: `channels` planes of width x height.  Outside (left, top) .. (right, bottom), ends exclusive,
 * there is no sample.  Where alpha is 0 there is no colour.  One work-item makes the keys of one pixel: 1 read of
 * 16 bytes, 3 or 4 writes of 4. */
kernel void median_keys (global const float4 *input, int stride, global int *keys, int channels,
                         int width, int height, int left, int top, int right, int bottom)
{
  const int  x = get_global_id (0), y = get_global_id (1);
  const int  plane = width * height, here = y * width + x;
  const bool is_sample = x >= left && x < right && y >= top && y < bottom;
  bool       is_color;
  int4       bits;

  if (x >= width || y >= height)
    return;
  bits = as_int4 (input[y * stride + x]);
  is_color = is_sample && (bits.w & 0x7fffffff) != 0;
  keys[here] = is_color ? median_key (bits.x) : MEDIAN_OUTSIDE;
  keys[here + plane] = is_color ? median_key (bits.y) : MEDIAN_OUTSIDE;
  keys[here + 2 * plane] = is_color ? median_key (bits.z) : MEDIAN_OUTSIDE;
  if (channels == 4)
    keys[here + 3 * plane] = is_sample ? median_key (bits.w) : MEDIAN_OUTSIDE;
}

#define SWAP_IN_COLUMN(a, b) SWAP (side * a + column, side * b + column)

/* One work-item makes one channel of one pixel.  If alpha is no channel, the work-item of channel 0 copies it.
 * `keys` are planes of stride x (height + N - 1) with stride = width + N - 1; `input` has the same size.
 * N2 = 9, 25 or 49 reads of 4 bytes, 1 write of 4, no local memory.  LACKS: samples may be left out. */
#define MEDIAN_KERNEL(NAME, N, N2, LACKS) \
kernel void NAME ## N2 (global const int *keys, global const float4 *input, \
                        global float *output, int channels, int width, int height) \
{ \
  const int x = get_global_id (0), channel = get_global_id (1), y = get_global_id (2); \
  const int side = N, stride = width + N - 1, at = (channel * (height + N - 1) + y) * stride + x; \
  int       v[N2], odd = 0; \
\
  if (x >= width || y >= height || channel >= channels) \
    return; \
  for (int row = 0; row < N; row++) \
    for (int column = 0; column < N; column++) \
      { \
        const int key = keys[at + row * stride + column]; \
        const int lacks = LACKS && key == MEDIAN_OUTSIDE; \
\
        v[N * row + column] = lacks && ! odd ? MEDIAN_LEAST : key; \
        odd ^= lacks; \
      } \
  for (int column = 0; column < N; column++) \
    { \
      MEDIAN_SORT_ ## N (SWAP_IN_COLUMN) \
    } \
  MEDIAN_ ## N2 (SWAP) \
  output[4 * (y * width + x) + channel] \
    = LACKS && v[MEDIAN_PLACE_ ## N2] == MEDIAN_LEAST \
      ? ((global const float *) input)[4 * ((y + N / 2) * stride + x + N / 2) + channel] \
      : as_float (median_bits (v[MEDIAN_PLACE_ ## N2])); \
  if (channel == 0 && channels == 3) \
    output[4 * (y * width + x) + 3] = input[(y + N / 2) * stride + x + N / 2].w; \
}

/* Where samples are left out (lacking), the network still sorts N2 places.  The empty places in turn become the least
 * key and the greatest, beginning with the least.  So as many lie before the samples as after them, or one more, and
 * the middle place has the median of the samples. */
#if HAS (3)
MEDIAN_KERNEL (median_network_, 3, 9, false)
MEDIAN_KERNEL (median_lacking_, 3, 9, true)
#endif
#if HAS (5)
MEDIAN_KERNEL (median_network_, 5, 25, false)
MEDIAN_KERNEL (median_lacking_, 5, 25, true)
#endif
#if HAS (7)
MEDIAN_KERNEL (median_network_, 7, 49, false)
MEDIAN_KERNEL (median_lacking_, 7, 49, true)
#endif

/* With radius 0 the pixel is copied, because a key does not keep the sign of zero.  A pixel without samples is copied too. */
static void
write_median (global const float4 *input, global float *output, int channels, int width, int radius, int x, int channel, int y, bool is_found, int key)
{
  const int from = (y + radius) * (width + 2 * radius) + x + radius, to = 4 * (y * width + x);

  output[to + channel] = is_found ? as_float (median_bits (key)) : ((global const float *) input)[4 * from + channel];
  if (channel == 0 && channels == 3)
    output[to + 3] = input[from].w;
}

/* Keys between which the wanted one lies. */
typedef struct
{
  int least, most;
} Span;

/* Halves the span about the key of that rank among those for which EACH_KEY does COUNT (key). */
#define HALVE(EACH_KEY) \
  { \
    const int split = span.least + (int) (((uint) span.most - (uint) span.least) >> 1); \
    int       count = 0, below = INT_MIN, above = INT_MAX;      /* the keys nearest to the split */ \
\
    EACH_KEY \
    span = count >= rank ? (Span) { span.least, below } : (Span) { above, span.most }; \
  }

/* DO for each key of a neighbourhood, which lies dy rows below its middle and dx to the right. */
#define EACH_PLACE(radius, half_widths, DO) \
  for (int dy = -(radius); dy <= (radius); dy++) \
    for (int half_width = (half_widths)[abs (dy)], dx = -half_width; dx <= half_width; dx++) \
      { \
        DO \
      }

#define COUNT(KEY) \
  { \
    const int key = KEY; \
\
    count += key <= split; \
    below = max (below, key <= split ? key : INT_MIN); \
    above = min (above, key <= split ? INT_MAX : key); \
  }

#if HAS (MEDIAN_SEARCH)
/* One work-item makes one channel of one pixel, as above.  half_widths: how far each row of the
 * neighbourhood reaches, by its distance 0 .. radius from the middle row.  The wanted rank is `rank`.  If
 * samples may lack (may_lack), it is ranks[n], where n samples are there.
 *
 * Each round halves the span of the keys, then narrows it to keys that occur.  At most 33 rounds read the
 * neighbourhood.  1 write of 4 bytes, no local memory. */
kernel void median_search (global const int *keys, global const float4 *input, global float *output,
                           int channels, int width, int height, int radius,
                           global const int *half_widths, int rank, int may_lack, global const int *ranks)
{
  const int x = get_global_id (0), channel = get_global_id (1), y = get_global_id (2);
  const int stride = width + 2 * radius, rows = height + 2 * radius;
  global const int *middle = keys + (channel * rows + y + radius) * stride + x + radius;
  Span span = { INT_MAX, INT_MIN };
  int  samples = 0;

  if (x >= width || y >= height || channel >= channels)
    return;
  EACH_PLACE (radius, half_widths,
              const int key = middle[dy * stride + dx];

              samples += key != MEDIAN_OUTSIDE;
              span.least = min (span.least, key);
              span.most = max (span.most, key == MEDIAN_OUTSIDE ? INT_MIN : key);)
  rank = may_lack ? ranks[samples] : rank;
  while (span.least < span.most)
    HALVE (EACH_PLACE (radius, half_widths, COUNT (middle[dy * stride + dx])))
  write_median (input, output, channels, width, radius, x, channel, y, radius > 0 && samples > 0, span.least);
}
#endif

#if HAS (MEDIAN_SQUARE) || HAS (MEDIAN_CIRCLE)
#include "median-blur-codes.h"

/* One work-item makes one channel of 4 x 4 pixels.  `size`: the samples of a neighbourhood, up to CODED_COUNT; the other parameters as in median_search.
 * Group: up to 128 work-items, whose pixels are a tile; with what is around it, it has fewer than 256 columns and rows.  `room`: n_room words of local
 * memory (coded_group in tessera-median-blur.c).  2 reads of each key around the tile, and some; but if more keys have a median's code than there is room
 * for, up to 34 of each key around the pixel. */
#define SELECT(NAME, IS_CIRCLE) \
kernel void median_select_ ## NAME (SELECT_ARGS) \
{ \
  select_medians (keys, input, output, channels, width, height, radius, half_widths, rank, may_lack, ranks, size, n_room, room, IS_CIRCLE); \
}

#if HAS (MEDIAN_SQUARE)
SELECT (square, false)
#endif
#if HAS (MEDIAN_CIRCLE)
SELECT (circle, true)
#endif
#endif
