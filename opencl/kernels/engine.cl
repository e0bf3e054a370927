/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What the engine itself runs: the border around an uploaded band.
 */
#pragma OPENCL FP_CONTRACT OFF

/* One work-item makes one pixel of the rim rectangle (x0, y0) to (x1, y1).
 * (left, top) to (right, bottom) is what was uploaded; all ends exclusive.
 * border 0: the nearest uploaded pixel; 1: zero.  1 read, 1 write. */
kernel void extend_pixels (global float *image, int components, int stride,
                           int x0, int y0, int x1, int y1,
                           int left, int top, int right, int bottom, int border)
{
  int  x = x0 + get_global_id (0);
  int  y = y0 + get_global_id (1);
  long to = ((long) y * stride + x) * components;
  long from = ((long) clamp (y, top, bottom - 1) * stride + clamp (x, left, right - 1)) * components;

  if (x >= x1 || y >= y1)
    return;
  for (int c = 0; c < components; c++)
    image[to + c] = border == 0 ? image[from + c] : 0.0f;
}
