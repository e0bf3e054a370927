/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What the engine itself runs: the border around an uploaded band.
 */
#pragma OPENCL FP_CONTRACT OFF

/* One work-item makes one pixel of the rim; the launch's global offset places
 * it.  (left, top) to (right, bottom), exclusive, is what was uploaded.
 * border 0: the nearest uploaded pixel; 1: zero.  1 read, 1 write. */
#define EXTEND(name, type)                                                      \
  kernel void name (global type *image, int stride, int width, int height,      \
                    int left, int top, int right, int bottom, int border)       \
  {                                                                             \
    int x = get_global_id (0);                                                  \
    int y = get_global_id (1);                                                  \
    type pixel = (type) 0;                                                      \
                                                                                \
    if (x >= width || y >= height)                                              \
      return;                                                                   \
    if (border == 0)                                                            \
      pixel = image[(long) clamp (y, top, bottom - 1) * stride                  \
                    + clamp (x, left, right - 1)];                              \
    image[(long) y * stride + x] = pixel;                                       \
  }

EXTEND (extend_pixels_4, float4)
EXTEND (extend_pixels_1, float)
