/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Bilateral grids in C: the places of a row's pixels in a dense grid.
 */
#include "grid.h"
#include "planes.h"
#include "separable.h"

#include <math.h>

/* The places of a row's pixels on the range axis, for each component k:
 * at[k] = 8 (plane - low) + channel, value[k] the distance from that plane
 * (fraction), count[k] 1 or 0.  With `nearest` the plane is the nearest one. */
TESSERA_CLONES static void
place_channels (const gfloat *restrict pixels, gint n, gfloat per_plane, gint low, gint nearest,
                gint *restrict at, gfloat *restrict value, gfloat *restrict count)
{
  for (gint k = 0; k < 4 * n; k++)
    {
      gfloat    p = pixels[k] * per_plane;
      gint      counts = grid_counts (p);
      GridPlace place = grid_place (counts ? p : 0.0f);
      gint      up = nearest ? place.up : 0;
      gint      plane = counts ? place.plane + up - low : 0;

      at[k] = 8 * plane + (k & 3);
      value[k] = counts ? place.fraction - up : 0.0f;
      count[k] = counts;
    }
}

/* The same for one guide value a pixel: at, count and value have n elements, and at[i] = 4 (plane - low). */
TESSERA_CLONES static void
place_guide (const GridParams *params, const gfloat *restrict pixels, const gfloat *restrict guide,
             gint n, gint low, gint nearest,
             gint *restrict at, gfloat *restrict value, gfloat *restrict count)
{
  for (gint i = 0; i < n; i++)
    {
      const gfloat *v = pixels + 4 * i;
      gfloat    p = grid_luminance_planes (params, guide + 4 * i);
      gint      finite = grid_counts (p) & (v[3] != 0.0f) & (guide[4 * i + 3] != 0.0f)
                         & (fabsf (v[0] * v[3]) <= G_MAXFLOAT) & (fabsf (v[1] * v[3]) <= G_MAXFLOAT)
                         & (fabsf (v[2] * v[3]) <= G_MAXFLOAT) & (fabsf (v[3]) <= G_MAXFLOAT);
      GridPlace place = grid_place (finite ? p : 0.0f);
      gint      up = nearest ? place.up : 0;

      at[i] = finite ? 4 * (place.plane + up - low) : 0;
      value[i] = finite ? place.fraction : 0.0f;
      count[i] = finite;
    }
}

/* The same for a value with a weight: at[i] = plane - low. */
TESSERA_CLONES static void
place_plane (const gfloat *restrict values, const gfloat *restrict weights, gint n, gfloat per_plane, gint low, gint nearest,
             gint *restrict at, gfloat *restrict value, gfloat *restrict count)
{
  for (gint i = 0; i < n; i++)
    {
      gfloat    p = values[i] * per_plane;
      gint      counts = grid_counts (p) & grid_weighs (values[i], weights[i]);
      GridPlace place = grid_place (counts ? p : 0.0f);
      gint      up = nearest ? place.up : 0;
      gfloat    weight = nearest ? weights[i] : 1.0f;

      at[i] = counts ? place.plane + up - low : 0;
      value[i] = counts ? weight * (place.fraction - up) : 0.0f;
      count[i] = counts ? weight : 0.0f;
    }
}

/* Alpha weighs R, G and B: with `nearest` their distances and counts are times alpha.  Without, a pixel of alpha 0 has no
 * place; it stays as it is.  grid_weighs of whole pixels. */
static void
weigh_channels (const gfloat *pixels, gint n, gint nearest, gfloat *value, gfloat *count)
{
  const Bits  sizes = { 0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7fffffff };
  Pixel      *values = (Pixel *) value, *counts = (Pixel *) count;

  for (gint i = 0; i < n; i++)
    {
      const Pixel  pixel = ((const Pixel *) pixels)[i];
      const gfloat alpha = pixel[3];
      const Pixel  factors = { alpha, alpha, alpha, 1.0f };
      Bits         weighs = (factors != 0.0f) & ((Pixel) ((Bits) factors & sizes) <= GRID_LARGEST)
                            & ((Pixel) ((Bits) (pixel * factors) & sizes) <= GRID_LARGEST);

      if (nearest)
        {
          values[i] = (Pixel) ((Bits) (values[i] * factors) & weighs);
          counts[i] = (Pixel) ((Bits) (counts[i] * factors) & weighs);
          continue;
        }
      weighs[3] = alpha != 0.0f ? -1 : 0;
      counts[i] = (Pixel) ((Bits) counts[i] & weighs);
    }
}

void
grid_place_row (const GridTile *tile, gint y, gint x, gint n, gint nearest, const GridPlaces *places, gsize k)
{
  const gfloat *pixels = tile->params->of_plane ? NULL : tile_pixel (tile, tile->pixels, x, y);
  const gsize   place = tile_place (tile, x, y);

  if (tile->params->of_plane)
    place_plane (tile->plane + place, tile->weights + place, n, tile->params->per_plane, tile->low, nearest,
                 places->at + k, places->value + k, places->count + k);
  else if (tile->params->by_luminance)
    place_guide (tile->params, pixels,
                 tile->guide ? tile_pixel (tile, tile->guide, x, y) : pixels, n, tile->low, nearest,
                 places->at + k, places->value + k, places->count + k);
  else
    {
      place_channels (pixels, n, tile->params->per_plane, tile->low, nearest,
                      places->at + k, places->value + k, places->count + k);
      if (tile->params->has_alpha && ! separable_is_opaque (pixels, n))
        weigh_channels (pixels, n, nearest, places->value + k, places->count + k);
    }
}
