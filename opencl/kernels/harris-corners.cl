/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Harris' corners: the luminance, the products of its derivatives, their means along x, those along y and R, the maxima
 * of R, crosses.  The same functions in the same order as the C path (harris-corners-rows.c).
 */
#pragma OPENCL FP_CONTRACT OFF

#include "tessera-dialect.h"
#include "tessera-convert.h"
#include "tessera-gradient.h"
#include "tessera-harris.h"
#include "tessera-seen.h"
#include "tessera-see.h"
#include "tessera-separable.h"

/* The luminance, of linear or encoded colours, or the first component.  One work-item makes one pixel; any group; no local
 * memory; 1 read, 1 write of a float. */
kernel void harris_see (global const float *input, int input_stride, global float *seen, int width, int height,
                        int components, float4 weights, int is_encoded)
{
  int    x = get_global_id (0);
  int    y = get_global_id (1);

  if (x < width && y < height)
    seen[y * width + x] = see_pixel (input, y * input_stride + x, components, weights, is_encoded);
}

/* One work-item makes gx gx, gx gy, gy gy of one pixel; any group; no local memory; 8 reads of a float, 1 write of four.
 * Row 0 of `seen` is the one above. */
kernel void harris_multiply (global const float *seen, int stride, global float4 *products, int width, int height)
{
  int   x = get_global_id (0);
  int   y = get_global_id (1);
  global const float *above, *here, *below;
  float gx, gy;

  if (x >= width || y >= height)
    return;
  above = seen + y * stride + x;
  here = above + stride;
  below = here + stride;
  gx = harris_across (above[0], here[0], below[0], above[2], here[2], below[2]);
  gy = harris_across (above[0], above[1], above[2], below[0], below[1], below[2]);
  products[y * width + x] = (float4) (gx * gx, gx * gy, gy * gy, 0.0f);
}

/* One work-item makes R of one pixel, or the strength; any group; no local memory; n_taps reads of four floats, 1 write
 * of one.  From (left, top) up to (right, bottom) is the image; outside it R has no vote. */
kernel void harris_respond (global const float4 *rows, int top_rows, global const int *offsets,
                            global const float *weights, int n_taps, global float *response, int width, int height,
                            float k, int left, int top, int right, int bottom, int shows)
{
  int    x = get_global_id (0);
  int    y = get_global_id (1);
  float4 means;
  float  r;

  if (x >= width || y >= height)
    return;
  means = separable_column (rows, width, top_rows, offsets, weights, n_taps, x, y);
  r = harris_measure (means.x, means.y, means.z, k);
  if (x < left || x >= right || y < top || y >= bottom)
    r = -INFINITY;
  response[y * width + x] = shows ? harris_strength (r) : r;
}

/* One work-item makes one pixel of the corners, 0 or 1; any group; no local memory; 9 reads of a float, 1 of the input's
 * alpha if it has one, 1 write.  R has a rim of 1 around the corners, and the input one of `beside`. */
kernel void harris_mark (global const float *response, global float *corners, int width, int height, float threshold,
                         global const float *input, int input_stride, int beside, int components)
{
  int x = get_global_id (0);
  int y = get_global_id (1);
  int stride = width + 2;
  global const float *above, *here, *below;
  int is_corner;

  if (x >= width || y >= height)
    return;
  above = response + y * stride + x;
  here = above + stride;
  below = here + stride;
  is_corner = harris_is_corner (here[1], threshold, above[0], above[1], above[2], here[0], here[2],
                                below[0], below[1], below[2]);
  if (is_corner && components > 1)
    is_corner = input[components * (long) ((y + beside) * input_stride + x + beside + 1) - 1] != 0.0f;
  corners[y * width + x] = is_corner ? 1.0f : 0.0f;
}

/* Does a cross with arms of `arm` pixels around a corner cover this pixel?  The corners have a rim of `arm`. */
static int
is_crossed (global const float *corners, int stride, int arm, int x, int y)
{
  global const float *here = corners + (y + arm) * stride + x + arm;
  float any = 0.0f;

  for (int i = -arm; i <= arm; i++)
    any += here[i] + here[i * stride];
  return any != 0.0f;
}

/* The picture with crosses.  One work-item makes one pixel; any group; no local memory; 14 reads of a float and 1 of the
 * input, 1 write of four floats. */
kernel void harris_cross (INPUT_ARGS (float), OUTPUT_ARGS (float4), int components, global const float *corners, int stride,
                          int arm, float4 color)
{
  int    x = get_global_id (0);
  int    y = get_global_id (1);
  int    here = (y + input_top) * input_stride + x + input_left;
  float4 pixel;

  if (x >= width || y >= height)
    return;
  pixel = components == 4 ? vload4 (here, input) : (float4) (input[here], input[here], input[here], 1.0f);
  output[y * width + x] = is_crossed (corners, stride, arm, x, y) ? color : pixel;
}
