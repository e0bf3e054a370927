/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: OpenCL C.  Finds out whether a band has alpha other than 1: the device's half of
 * operations/shared/alpha.h. */
#include "tessera-alpha-kinds.h"

/* Sets `kinds` to 0: nothing is found yet.  1 work-item. */
kernel void alpha_begin (global int *kinds)
{
  if (get_global_id (0) == 0)
    kinds[0] = 0;
}

#define ALPHA_RUN 16            /* pixels of a work-item, as in operations/shared/alpha.c */

/* One work-item looks at ALPHA_RUN pixels side by side: 1 read of 4 bytes for each.  It writes only what nobody has found
 * yet, so few work-items write. */
kernel void alpha_measure (global const float *input, int stride, int width, int height, volatile global int *kinds)
{
  int first = get_global_id (0) * ALPHA_RUN;
  int y = get_global_id (1);
  int found = 0;

  if (first >= width || y >= height)
    return;
  input += 4 * (long) y * stride + 3;
  for (int k = 0; k < ALPHA_RUN; k++)
    {
      float alpha = input[4 * min (first + k, width - 1)];

      found |= alpha == 1.0f ? 0 : alpha == 0.0f ? ALPHA_NONE : ALPHA_PART;
    }
  if ((found & ~kinds[0]) != 0)
    atomic_or (kinds, found);
}
