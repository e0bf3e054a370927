/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * background = offset + sum a_k I_k of the moved frames; whitened = I_t - background; significance. */
#include "reference.h"

#include <math.h>

#define FEWEST_WEIGHT 0.5
#define BLOCK         64
#define STAR_SHAKE    0.1       /* px: how far a star's light may be misplaced */

/* Open: from-frames where a frame is missing.  Here the renormalised weights' own offset: mean_t - sum a_k mean_k.  Where the plain
 * mean stands in, frames are less their means too. */
static gdouble
background_at (const Plane *frames, const ReferenceWeights *w, gint width, gint height, gint x, gint y)
{
  gdouble sum = 0, total = 0, plain = 0, offset = 0, level = 0;
  gint    usable = 0;

  for (gint k = 0; k < w->n; k++)
    {
      const gint    u = x - w->move_x[k], v = y - w->move_y[k];
      const gdouble value = u >= 0 && u < width && v >= 0 && v < height ? frames[k].values[(gsize) v * width + u] : NAN;

      if (! isfinite (value))
        continue;
      usable++;
      sum += w->weights[k] * value;
      offset += w->weights[k] * w->means[k];
      total += w->weights[k];
      plain += value;
      level += w->means[k];
    }
  if (usable == w->n)
    return w->offset + sum;
  if (usable == 0)
    return NAN;
  return total < FEWEST_WEIGHT ? plain / usable + (w->mean - level / usable) : sum / total + (w->mean - offset / total);
}

Plane
reference_background (const Plane *frames, const ReferenceWeights *weights, gint width, gint height)
{
  Plane background = plane_new (width, height);

  for (gint y = 0; y < height; y++)
    for (gint x = 0; x < width; x++)
      background.values[(gsize) y * width + x] = background_at (frames, weights, width, height, x, y);
  return background;
}

/* Open: a pixel of the current frame that is not finite.  Here nothing is known of it, as where no frame is usable. */
Plane
reference_whitened (const Plane *current, const Plane *background)
{
  Plane whitened = plane_new (current->width, current->height);

  for (gsize i = 0; i < plane_size (current); i++)
    {
      whitened.values[i] = current->values[i] - background->values[i];
      if (! isfinite (whitened.values[i]))
        whitened.values[i] = NAN;
    }
  return whitened;
}

/* The median of a block, and 1.4826 times the median distance from it.  Open: blocks begin at (0, 0), the last of an axis
 * has what is left over too; one without a known pixel takes the whole frame's. */
static void
block_statistics (const Plane *whitened, gint left, gint top, gint right, gint bottom, gdouble *middle, gdouble *spread)
{
  gdouble *values = g_new (gdouble, (gsize) (right - left) * (bottom - top));
  gsize    n = 0;

  for (gint y = top; y < bottom; y++)
    for (gint x = left; x < right; x++)
      if (isfinite (whitened->values[(gsize) y * whitened->width + x]))
        values[n++] = whitened->values[(gsize) y * whitened->width + x];
  *middle = median (values, n);
  for (gsize i = 0; i < n; i++)
    values[i] = fabs (values[i] - *middle);
  *spread = 1.4826 * median (values, n);
  g_free (values);
}

static gint
blocks_along (gint size)
{
  return MAX (size / BLOCK, 1);
}

static gint
block_end (gint block, gint size)
{
  return block == blocks_along (size) - 1 ? size : (block + 1) * BLOCK;
}

static gdouble
block_centre (gint block, gint size)
{
  return (block * BLOCK + block_end (block, size) - 1) / 2.0;
}

/* The two blocks between whose centres x lies, and how far it is from the first to the second.  Beyond the outermost centres: that
 * block alone. */
static gdouble
between (gint x, gint size, gint *first, gint *second)
{
  const gint n = blocks_along (size);
  gint       block = 0;

  while (block < n && block_centre (block, size) <= x)
    block++;
  *first = MAX (block - 1, 0);
  *second = MIN (block, n - 1);
  if (*first == *second)
    return 0;
  return (x - block_centre (*first, size)) / (block_centre (*second, size) - block_centre (*first, size));
}

static gdouble
interpolated (const Plane *blocks, gint x, gint y, gint width, gint height)
{
  gint          left, right, top, bottom;
  const gdouble fx = between (x, width, &left, &right), fy = between (y, height, &top, &bottom);

  return (1 - fy) * ((1 - fx) * plane_at (blocks, left, top) + fx * plane_at (blocks, right, top))
         + fy * ((1 - fx) * plane_at (blocks, left, bottom) + fx * plane_at (blocks, right, bottom));
}

/* Half the difference of the neighbours.  Open: one that is outside or unknown counts as the pixel itself. */
static gdouble
slope (const Plane *plane, gint x, gint y, gint dx, gint dy)
{
  const gdouble own = plane_at (plane, x, y), before = plane_at (plane, x - dx, y - dy), after = plane_at (plane, x + dx, y + dy);

  return ((isfinite (after) ? after : own) - (isfinite (before) ? before : own)) / 2;
}

/* Of the values where another plane is known. */
static gdouble
known_median (const Plane *plane, const Plane *other)
{
  Plane   known = plane_copy (plane);
  gdouble middle;

  for (gsize i = 0; i < plane_size (plane); i++)
    if (! isfinite (other->values[i]))
      known.values[i] = NAN;
  middle = plane_median (&known);
  plane_free (&known);
  return middle;
}

/* Open: which pixels the background's median is of.  Here those where the whitened frame is known.
 * Open: sigma is 0 (a frame without noise).  Here nothing is significant. */
Plane
reference_significance (const Plane *whitened, const Plane *background, gdouble gain, Plane *sigmas)
{
  const gint    w = whitened->width, h = whitened->height;
  Plane         significance = plane_new (w, h);
  Plane         middles = plane_new (blocks_along (w), blocks_along (h)), spreads = plane_copy (&middles);
  gdouble       level, middle, spread;

  level = known_median (background, whitened);
  block_statistics (whitened, 0, 0, w, h, &middle, &spread);
  for (gint j = 0; j < middles.height; j++)
    for (gint i = 0; i < middles.width; i++)
      {
        gdouble *m = middles.values + j * middles.width + i, *s = spreads.values + j * middles.width + i;

        block_statistics (whitened, i * BLOCK, j * BLOCK, block_end (i, w), block_end (j, h), m, s);
        if (! isfinite (*m))
          {
            *m = middle;
            *s = spread;
          }
      }
  for (gint y = 0; y < h; y++)
    for (gint x = 0; x < w; x++)
      {
        const gsize   i = (gsize) y * w + x;
        const gdouble local = interpolated (&spreads, x, y, w, h);
        const gdouble h1 = slope (background, x, y, 1, 0), g1 = slope (background, x, y, 0, 1);
        const gdouble photons = gain > 0 ? MAX (background->values[i] - level, 0) / gain : 0;
        const gdouble sigma = sqrt (local * local + STAR_SHAKE * STAR_SHAKE * (h1 * h1 + g1 * g1) + photons);

        if (sigmas)
          sigmas->values[i] = sigma;
        if (! isfinite (whitened->values[i]))
          significance.values[i] = NAN;
        else
          significance.values[i] = sigma > 0 ? (whitened->values[i] - interpolated (&middles, x, y, w, h)) / sigma : 0;
      }
  plane_free (&middles);
  plane_free (&spreads);
  return significance;
}
