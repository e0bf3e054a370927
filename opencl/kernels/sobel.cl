/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Sobel's gradient: gx = [1 2 1]^T [-1 0 1] / 8 * I, and gy by the transposed kernel.  The C path
 * (tessera-sobel.c) calls the functions of tessera-gradient.h.  So do these kernels, but where colours are float4:
 * seen () and across () write gradient_seen () and gradient_across () once more.  Whoever changes one changes both.
 */
#pragma OPENCL FP_CONTRACT OFF

#include "tessera-dialect.h"
#include "tessera-convert.h"
#include "tessera-gradient.h"

/* Makes a plane: an eighth of each pixel's luminance times its alpha.  One work-item makes one pixel; any group; no
 * local memory; 1 read, 1 write of a float. */
kernel void sobel_luminance (global const float4 *input, int input_stride, global float *plane,
                             int width, int height, float4 weights, int is_perceptual, int is_encoded)
{
  int    x = get_global_id (0);
  int    y = get_global_id (1);
  float4 c;
  float  value;

  if (x >= width || y >= height)
    return;
  c = input[y * input_stride + x];
  if (is_encoded)
    value = perceptual_luminance (c.x, c.y, c.z, weights.x, weights.y, weights.z);
  else
    {
      value = (weights.x * c.x + weights.y * c.y) + weights.z * c.z;
      value = is_perceptual ? perceptual_from_linear (value) : value;
    }
  plane[y * width + x] = gradient_seen (value, c.w);
}

static float
shown (float gx, float gy, int output, int display, float gain)
{
  if (output == GRADIENT_MAGNITUDE)
    return gradient_strength (gradient_size (gx, gy), display, gain);
  if (output == GRADIENT_ANGLE)
    return display ? gradient_turn (gradient_angle (gx, gy)) : gradient_angle (gx, gy);
  return gradient_component (output == GRADIENT_X ? gx : gy, display, gain);
}

/* One work-item makes one pixel; any group; no local memory; 8 reads of a float, 1 write of `components` floats: one,
 * or four if alpha or the vector goes with it.  Row 0 of the plane and of the input lies above the output's first. */
kernel void sobel_grey (global const float *plane, int stride, global const float4 *input, int input_stride,
                        global float *out, int width, int height, int output, int display, float gain, int components)
{
  int x = get_global_id (0);
  int y = get_global_id (1);
  global const float *above, *here, *below;
  float gx, gy, value;

  if (x >= width || y >= height)
    return;
  above = plane + y * stride + x;
  here = above + stride;
  below = here + stride;
  gx = gradient_across (above[0], here[0], below[0], above[2], here[2], below[2]);
  gy = gradient_across (above[0], above[1], above[2], below[0], below[1], below[2]);
  if (output == GRADIENT_VECTOR)
    {
      vstore4 ((float4) (gx, gy, gradient_size (gx, gy), gradient_angle (gx, gy)), y * width + x, out);
      return;
    }
  value = shown (gx, gy, output, display, gain);
  if (components == 1)
    out[y * width + x] = value;
  else
    vstore4 ((float4) (value, value, value, input[(y + 1) * input_stride + x + 1].w), y * width + x, out);
}

/* gradient_seen of the colours. */
static float4
seen (float4 pixel)
{
  float4 light = (pixel * pixel.w) * GRADIENT_SHARE;

  light = as_float4 (as_int4 (light) & (int4) -(pixel.w != 0.0f));
  light.w = pixel.w;
  return light;
}

/* gradient_across of the colours. */
static float4
across (float4 before, float4 before_2, float4 before_3, float4 after, float4 after_2, float4 after_3)
{
  return ((after - before) + (after_3 - before_3)) + 2.0f * (after_2 - before_2);
}

/* One work-item makes one pixel; any group; no local memory; 9 reads, 1 write of four floats. */
kernel void sobel_channels (global const float4 *input, int stride, global float4 *out, int width, int height,
                            int output, int display, float gain)
{
  int    x = get_global_id (0);
  int    y = get_global_id (1);
  float4 p[3][3], gx, gy;

  if (x >= width || y >= height)
    return;
  input += y * stride + x;
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++)
      p[j][i] = seen (input[j * stride + i]);
  gx = across (p[0][0], p[1][0], p[2][0], p[0][2], p[1][2], p[2][2]);
  gy = across (p[0][0], p[0][1], p[0][2], p[2][0], p[2][1], p[2][2]);
  out[y * width + x] = (float4) (shown (gx.x, gy.x, output, display, gain), shown (gx.y, gy.y, output, display, gain),
                                 shown (gx.z, gy.z, output, display, gain), p[1][1].w);
}
