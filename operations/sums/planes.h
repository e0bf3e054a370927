/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Pixels of four floats, taken apart into planes so that loops run in vectors.  Alpha comes and goes with the
 * rest.  Whole pixels are put in vectors, parts of pixels one by one.
 */
#ifndef PLANES_H
#define PLANES_H

#include "tessera.h"

/* A whole pixel, and its bits. */
typedef gfloat Pixel __attribute__ ((vector_size (16), aligned (4), may_alias));
typedef gint   Bits  __attribute__ ((vector_size (16), aligned (4), may_alias));

static inline void
planes_take_apart (const gfloat *restrict pixels, gint n, gfloat *restrict a, gfloat *restrict b,
                   gfloat *restrict c, gfloat *restrict d)
{
  for (gint i = 0; i < n; i++)
    {
      a[i] = pixels[4 * i];
      b[i] = pixels[4 * i + 1];
      c[i] = pixels[4 * i + 2];
      d[i] = pixels[4 * i + 3];
    }
}

static inline void
planes_put_together (const gfloat *restrict a, const gfloat *restrict b, const gfloat *restrict c,
                     const gfloat *restrict d, gint n, gfloat *restrict pixels)
{
  for (gint i = 0; i < n; i++)
    {
      pixels[4 * i] = a[i];
      pixels[4 * i + 1] = b[i];
      pixels[4 * i + 2] = c[i];
      pixels[4 * i + 3] = d[i];
    }
}

/* Is the fourth value of all pixels this one?  Four pixels at a time, so that loops run in vectors. */
static inline gboolean
planes_alpha_is (gfloat alpha, const gfloat *pixels, gsize n)
{
  const gint bits = tessera_as_int (alpha);
  gint       any[16] = { 0 }, others = 0;
  gsize      i = 0;

  for (; i + 4 <= n; i += 4)
    for (gint k = 0; k < 16; k++)
      any[k] |= tessera_as_int (pixels[4 * i + k]) ^ bits;
  for (; i < n; i++)
    others |= tessera_as_int (pixels[4 * i + 3]) ^ bits;
  return ! (any[3] | any[7] | any[11] | any[15] | others);
}

/* Light from colours, and none where alpha is 0.  `in` and `out` may be the same. */
static inline void
planes_weigh (const gfloat *in, gfloat *out, gint n)
{
  for (gint i = 0; i < n; i++)
    {
      const Pixel  pixel = ((const Pixel *) in)[i];
      const gfloat alpha = pixel[3];
      const Pixel  factors = { alpha, alpha, alpha, 1.0f };

      ((Pixel *) out)[i] = (Pixel) ((Bits) (pixel * factors) & (factors != 0.0f));
    }
}

#endif
