/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A narrow Gaussian of pixels in memory: see soften.h.
 */
#include "soften.h"

#include <math.h>
#include <string.h>

void
soften_init (Soften *soften, gdouble sigma)
{
  gdouble weights[2 * SOFTEN_MOST + 1], sum = 0.0;

  soften->radius = CLAMP ((gint) ceil (3.0 * sigma), 0, SOFTEN_MOST);
  for (gint i = -soften->radius; i <= soften->radius && sigma > 0.0; i++)
    sum += weights[i + soften->radius] = tessera_exp (-0.5 * (i / sigma) * (i / sigma));
  for (gint i = 0; i <= 2 * soften->radius && sigma > 0.0; i++)
    soften->taps[i] = (gfloat) (weights[i] / sum);
  for (; soften->radius > 0 && soften->taps[0] == 0.0f; soften->radius--)       /* so narrow that it does nothing there */
    memmove (soften->taps, soften->taps + 1, (2 * soften->radius - 1) * sizeof (gfloat));
}

/* n sums of values that lie `step` apart. */
TESSERA_CLONES static void
sum_taps (const Soften *soften, const gfloat *restrict in, gsize step, gfloat *restrict out, gsize n)
{
  memset (out, 0, n * sizeof (gfloat));
  for (gint k = 0; k <= 2 * soften->radius; k++)
    {
      const gfloat           tap = soften->taps[k];
      const gfloat *restrict from = in + k * step;

      for (gsize i = 0; i < n; i++)
        out[i] += tap * from[i];
    }
}

void
soften_pixels (const Soften *soften, gfloat *pixels, gfloat *room, gint width, gint height, gint components)
{
  const gint  r = soften->radius;
  const gsize row = (gsize) width * components;

  if (r == 0 || width <= 2 * r || height <= 2 * r)
    return;
  for (gint y = 0; y < height; y++)
    sum_taps (soften, pixels + y * row, components, room + y * row + r * components, row - 2 * r * components);
  for (gint y = r; y < height - r; y++)
    sum_taps (soften, room + (y - r) * row + r * components, row, pixels + y * row + r * components,
              row - 2 * r * components);
}
