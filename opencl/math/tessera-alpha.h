/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: OpenCL C.  The device's half of operations/alpha.h. */
#include "tessera-alpha-kinds.h"

/* One work-item: nothing is found yet. */
kernel void alpha_begin (global int *kinds)
{
  if (get_global_id (0) == 0)
    kinds[0] = 0;
}

/* One work-item looks at one pixel: 1 read of 4 bytes.  Few write: only until all that there is has been found. */
kernel void alpha_measure (global const float *input, int stride, int width, int height, volatile global int *kinds)
{
  int   x = get_global_id (0);
  int   y = get_global_id (1);
  float alpha;
  int   kind;

  if (x >= width || y >= height)
    return;
  alpha = input[4 * ((long) y * stride + x) + 3];
  if (alpha == 1.0f)
    return;
  kind = alpha == 0.0f ? ALPHA_NONE : ALPHA_PART;
  if ((kinds[0] & kind) == 0)
    atomic_or (kinds, kind);
}
