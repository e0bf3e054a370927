/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What the engine itself runs: the border around an uploaded band.
 */
#pragma OPENCL FP_CONTRACT OFF

/* One work-item makes one pixel of the rim rectangle (x0, y0) to (x1, y1).
 * (left, top) to (right, bottom) is what was uploaded; all ends exclusive.
 * border 0: the nearest uploaded pixel; 1: zero.  1 read, 1 write. */
#define EXTEND(name, type)                                                      \
  kernel void name (global type *image, int stride, int x0, int y0, int x1, int y1, \
                    int left, int top, int right, int bottom, int border)       \
  {                                                                             \
    int x = x0 + get_global_id (0);                                             \
    int y = y0 + get_global_id (1);                                             \
    type pixel = (type) 0;                                                      \
                                                                                \
    if (x >= x1 || y >= y1)                                                     \
      return;                                                                   \
    if (border == 0)                                                            \
      pixel = image[(long) clamp (y, top, bottom - 1) * stride                  \
                    + clamp (x, left, right - 1)];                              \
    image[(long) y * stride + x] = pixel;                                       \
  }

EXTEND (extend_pixels_4, float4)
EXTEND (extend_pixels_1, float)
